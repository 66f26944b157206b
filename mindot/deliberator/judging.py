"""Judging a wake: as far as laws go, and after that by the answer of a ranker."""

from dataclasses import replace

from mindot.deliberator._state import State
from mindot.deliberator.adoption import adopt, defer, outweighs
from mindot.deliberator.amends import settle_amends, weigh_amends
from mindot.deliberator.candidates import Choice, Emptied
from mindot.deliberator.composer import Candidate
from mindot.deliberator.deferral import alike
from mindot.deliberator.intentions import Intention
from mindot.deliberator.questions import Pending, ask_for_ranking
from mindot.deliberator.ranker import RankFailure, Ranking, RankReason
from mindot.deliberator.situation import is_player_key
from mindot.deliberator.wake import NOW, Wake, WakeClass, Wakened
from mindot.game.frame import PLAYER, Character, Frame
from mindot.game.manifest import manifest_of

__all__ = ["begin", "settle"]


def begin(state: State, wake: Wake) -> Wakened | Pending:
    """Settle a wake by law, or give the question that only a ranker can decide."""
    began = state.clock()
    frame = state.frame
    character = None if frame is None else frame.by_key.get(wake.key)
    if frame is None or character is None or not character.alive:
        return state.finish(wake, began, reason="not in the frame")
    wake = _in_frame(wake, frame)
    if not wake.waited:
        _remember(state, wake, frame)
    asked = _asked_about(state, wake, frame.t)
    if any(not _is_graver(wake, p.question.wake) for p in asked):
        return state.finish(wake, began, reason="is with the mind already")
    for lesser in asked:
        lesser.overtaken = "a graver one like it came"
    situation = state.situation(wake, character, frame)
    if wake.cls is WakeClass.AMENDS:
        return weigh_amends(state, wake, began, situation, character, frame)
    standing = state.standing.get(wake.key)
    if standing is not None and not outweighs(state, wake, standing):
        return defer(state, wake, began, standing)
    choice = state.gather(wake, situation, character, frame)
    if choice.emptied is not None:
        return _nothing_left(state, wake, began, character, choice)
    reason = _reason_to_ask(state, choice, standing)
    if reason is None:
        return adopt(state, wake, began, choice.candidates[0])
    return ask_for_ranking(
        state,
        wake,
        began,
        reason,
        choice.candidates,
        situation=situation,
        character=character,
        frame=frame,
    )


def settle(state: State, pending: Pending, answer: Ranking | RankFailure) -> Wakened:
    """Take the answer to a question. A second answer changes nothing."""
    if pending.settled is None:
        _close_question(state, pending)
        pending.settled = _settle(state, pending, _checked(pending, answer))
    return pending.settled


def _in_frame(wake: Wake, frame: Frame) -> Wake:
    """The wake with its time, and with the player called by role: grudges know one player."""
    key = wake.subject_key
    subject = PLAYER if key is not None and is_player_key(key, frame) else wake.subject
    t = frame.t if wake.t == NOW else wake.t
    return replace(wake, subject=subject, t=t)


def _remember(state: State, wake: Wake, frame: Frame) -> None:
    state.journal.write(wake)
    offender = wake.subject_key
    if wake.cls is WakeClass.WRONG and offender is not None and offender != wake.key:
        state.grudges.add(wake.key, offender, wake.gravity, frame.t)


def _asked_about(state: State, wake: Wake, t: float) -> list[Pending]:
    """The open questions about the like of it, but those so old that they were forgotten."""
    asked = state.pending.get(wake.key, ())
    return [p for p in asked if alike(p.question.wake, wake) and p.is_fresh(state, t)]


def _is_graver(wake: Wake, other: Wake) -> bool:
    return wake.cls is WakeClass.WRONG and wake.gravity > other.gravity


def _close_question(state: State, pending: Pending) -> None:
    key = pending.question.wake.key
    left = [p for p in state.pending.get(key, ()) if p is not pending]
    if left:
        state.pending[key] = left
    else:
        state.pending.pop(key, None)


def _nothing_left(
    state: State, wake: Wake, began: float, character: Character, choice: Choice
) -> Wakened:
    if choice.emptied is Emptied.NEED:
        payload = {"name": wake.name, "need": wake.need, "reason": choice.reason}
        state.record("deliberator_need_unmet", payload, wake)
    else:
        payload = {
            "name": wake.name,
            "arch": character.archetype,
            "cls": wake.cls.value,
            "source": str(choice.emptied),
            "reason": choice.reason,
        }
        state.record("deliberator_no_admissible_verbs", payload, wake)
    return state.finish(wake, began, reason=choice.reason)


def _reason_to_ask(state: State, choice: Choice, standing: Intention | None) -> RankReason | None:
    if not choice.covered:
        return RankReason.NO_LAW
    if standing is not None:
        return RankReason.SWAP
    best, others = choice.candidates[0], choice.candidates[1:]
    close = bool(others) and best.score - others[0].score <= state.settings.margin
    return RankReason.CLOSE if close and best.score >= state.settings.act_at else None


def _checked(pending: Pending, answer: object) -> Ranking | RankFailure:
    """The answer, or the failure that it is: no answer at all, or none of what was asked.

    A ranker is the host's code and may give back anything, whatever its signature says.
    """
    if isinstance(answer, RankFailure) and _are_words(answer.where, answer.err):
        return answer
    if not isinstance(answer, Ranking) or not _are_words(answer.because):
        return RankFailure(where="ranking", err="no-ranking")
    plans = [c.plan for c in pending.candidates]
    if answer.chosen is not None and answer.chosen not in plans:
        return RankFailure(where="ranking", err="no-candidate")
    return answer


def _are_words(*values: object) -> bool:
    """Whether all are strings that can be written down; half a surrogate pair cannot."""
    try:
        return all(isinstance(v, str) and v.encode("utf-8") is not None for v in values)
    except UnicodeEncodeError:
        return False


def _settle(state: State, pending: Pending, answer: Ranking | RankFailure) -> Wakened:
    wake = pending.question.wake
    _put_on_record(state, pending, answer)
    if pending.overtaken:
        return state.finish(wake, pending.began, reason=pending.overtaken)
    if pending.weighed is not None:
        return settle_amends(state, pending, pending.weighed, answer)
    if isinstance(answer, Ranking) and answer.chosen is None:
        return state.finish(wake, pending.began, reason=answer.because)
    possible = [c for c in pending.candidates if _is_possible(state, pending, c)]
    if isinstance(answer, Ranking):
        chosen = next((c for c in possible if c.plan == answer.chosen), None)
        if chosen is not None:
            return adopt(state, wake, pending.began, chosen, because=answer.because)
    if not possible:
        return state.finish(wake, pending.began, reason="no plan that was asked about is left")
    return adopt(state, wake, pending.began, possible[0])


def _is_possible(state: State, pending: Pending, candidate: Candidate) -> bool:
    """Whether the laws in force still know its steps: they may be others than when it was asked."""
    operators = state.book.laws.operators
    manifest = manifest_of(state.book.manifests, pending.question.archetype)
    return all(
        name in operators
        and (operators[name].waits or operators[name].action_for(manifest) is not None)
        for name in candidate.plan
    )


def _put_on_record(state: State, pending: Pending, answer: Ranking | RankFailure) -> None:
    wake = pending.question.wake
    if isinstance(answer, RankFailure):
        payload = {"name": wake.name, "where": answer.where, "err": answer.err}
        state.record("deliberator_rank_error", payload, wake)
        return
    ranked = {
        "name": wake.name,
        "cls": wake.cls.value,
        "chosen": list(answer.chosen or ()),
        "composer": list(pending.candidates[0].plan),
        "because": answer.because,
    }
    state.record("deliberator_rank", ranked, wake)
