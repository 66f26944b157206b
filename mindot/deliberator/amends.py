"""Judging amends, in two steps: they are weighed, and then they are accepted or not."""

from mindot.deliberator._state import State
from mindot.deliberator.adoption import adopt
from mindot.deliberator.composer import Candidate
from mindot.deliberator.deferral import is_wrong_of
from mindot.deliberator.forgiveness import Weighed
from mindot.deliberator.intentions import IntentionState
from mindot.deliberator.questions import HOLD_COURSE, STAND_DOWN, Pending, ask_for_ranking
from mindot.deliberator.ranker import RankFailure, Ranking, RankReason
from mindot.deliberator.situation import Situation
from mindot.deliberator.wake import Wake, WakeClass, Wakened
from mindot.game.frame import Character, Frame

__all__ = ["settle_amends", "weigh_amends"]


def weigh_amends(
    state: State,
    wake: Wake,
    began: float,
    situation: Situation,
    character: Character,
    frame: Frame,
) -> Wakened | Pending:
    """Put amends on the scales; where the law finds them about even, a mind is asked."""
    if situation.grudge <= 0.0:
        payload = {"name": wake.name, "cls": wake.cls.value, "text": wake.text}
        state.record("deliberator_amends_nothing_to_forgive", payload, wake)
        return state.finish(wake, began, reason="nothing to forgive")
    weighed = state.book.forgiveness.weigh(situation)
    if abs(weighed.excul - situation.grudge) > state.settings.amends_margin:
        accepted = weighed.excul >= situation.grudge
        return _close(state, wake, began, situation, weighed, accepted=accepted, words=None)
    accept = Candidate(plan=STAND_DOWN, score=weighed.excul, law=weighed.law, terms=())
    refuse = Candidate(plan=HOLD_COURSE, score=situation.grudge, law="", terms=())
    return ask_for_ranking(
        state,
        wake,
        began,
        RankReason.AMENDS,
        (accept, refuse) if accept.score >= refuse.score else (refuse, accept),
        situation=situation,
        character=character,
        frame=frame,
        weighed=weighed,
    )


def settle_amends(
    state: State, pending: Pending, weighed: Weighed, answer: Ranking | RankFailure
) -> Wakened:
    """Take a mind's word on amends, or the law's where no word came."""
    if isinstance(answer, Ranking):
        chosen, words = answer.chosen, answer.because
    else:
        chosen, words = pending.candidates[0].plan, None
    return _close(
        state,
        pending.question.wake,
        pending.began,
        pending.situation,
        weighed,
        accepted=chosen == STAND_DOWN,
        words=words,
    )


def _close(
    state: State,
    wake: Wake,
    began: float,
    situation: Situation,
    weighed: Weighed,
    *,
    accepted: bool,
    words: str | None,
) -> Wakened:
    """``words``: the mind's, when it weighed what the amends mean and not only their form."""
    because = weighed.because if words is None else words
    found = {"name": wake.name, "excul": weighed.excul, "grudge": situation.grudge}
    if accepted:
        semantic = words is not None
        payload = {**found, "law": weighed.law, "semantic": semantic, "because": because}
        state.record("deliberator_stand_down", payload, wake)
        _let_go(state, wake)
    else:
        state.record("deliberator_hold_course", {**found, "because": because}, wake)
    return _answer(state, wake, began, situation.with_flag("forgiven", accepted), because)


def _let_go(state: State, wake: Wake) -> None:
    """Close the grudge, and drop what stood, waited or was being asked because of it."""
    offender = wake.subject_key
    if offender is not None:
        state.grudges.forgive(wake.key, offender)
        state.deferred.forgiven(wake.key, offender, wake.t)
        for pending in state.pending.get(wake.key, ()):
            wrong = pending.question.wake
            # whichever is earlier: a game that went back took the question along
            done_t = min(wrong.t, pending.asked_t)
            if is_wrong_of(wrong, offender) and done_t <= wake.t:
                pending.overtaken = "it is forgiven by now"
    standing = state.standing.get(wake.key)
    if standing is None or standing.wake.cls is not WakeClass.WRONG:
        return
    if standing.wake.subject_key == wake.subject_key:
        standing.ended(IntentionState.STOOD_DOWN)
        del state.standing[wake.key]


def _answer(state: State, wake: Wake, began: float, situation: Situation, because: str) -> Wakened:
    """What laws say is done once amends are judged, usually a word; without a law, nothing."""
    frame = state.frame
    character = None if frame is None else frame.by_key.get(wake.key)
    if frame is None or character is None or wake.key in state.standing:
        return state.finish(wake, began, reason=because)
    choice = state.gather(wake, situation, character, frame)
    if not choice.covered or not choice.candidates:
        return state.finish(wake, began, reason=because)
    return adopt(state, wake, began, choice.candidates[0])
