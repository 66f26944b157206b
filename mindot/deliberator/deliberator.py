"""The deliberator: from something that happened to a plan carried out over many sweeps."""

import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import anyio

from mindot.deliberator.candidates import Choice, Emptied, Gathering, gather
from mindot.deliberator.coach import Coach, CommandSource
from mindot.deliberator.composer import Candidate
from mindot.deliberator.deferral import Deferred, alike
from mindot.deliberator.events import wakes_of_events
from mindot.deliberator.execution import Terms, carry
from mindot.deliberator.forgiveness import Forgiveness, Grudges, Weighed
from mindot.deliberator.intentions import Intention, IntentionState
from mindot.deliberator.journal import Journal
from mindot.deliberator.lawbook import Lawbook, load_lawbook
from mindot.deliberator.laws import Laws
from mindot.deliberator.never import NeverRules
from mindot.deliberator.ranker import (
    RankedPlan,
    Ranker,
    RankFailure,
    Ranking,
    RankQuestion,
    RankReason,
)
from mindot.deliberator.settings import DeliberatorSettings
from mindot.deliberator.situation import NEAR, Situation, distance_to, situation_of
from mindot.deliberator.wake import Outcome, Wake, WakeClass, Wakened
from mindot.game.frame import Character, Command, Frame, name_key
from mindot.game.manifest import Manifest, manifest_of
from mindot.game.moves import IntentionMove

__all__ = ["HOLD_COURSE", "STAND_DOWN", "Deliberator", "Pending"]

STAND_DOWN: Final = ("stand-down",)
"""What a ranker chooses to accept amends."""

HOLD_COURSE: Final = ("hold-course",)
"""What a ranker chooses to let a plan go on in spite of amends."""

_SPOKEN: Final = frozenset({WakeClass.ORDER, WakeClass.AMENDS, WakeClass.GREETING})
_NO_MASK: Final[frozenset[str]] = frozenset()


@dataclass(slots=True, kw_only=True, eq=False)
class Pending:
    """A wake that waits for a ranking. Give it to :meth:`Deliberator.settle`, once."""

    question: RankQuestion
    began: float
    """On the deliberator's clock, seconds."""
    choice: tuple[Candidate, ...]
    weighed: Weighed | None = None
    """Amends on the scales, when that is the question."""
    situation: Situation
    settled: Wakened | None = field(default=None, init=False)


class Deliberator:
    """Every character's deliberator in one world.

    The core is synchronous: ``begin`` judges a wake and either settles it or gives back the
    question for a ranker, ``settle`` takes the answer. ``wake`` does both and waits in between,
    never past the deadline. Once a sweep, ``moves`` carries out what stands.

    ``clock`` gives seconds; it times the ``ms`` of wakes and nothing else. Everything else goes
    by the time of the frames.
    """

    def __init__(
        self,
        *,
        coach: Coach,
        clock: Callable[[], float],
        laws: Laws | None = None,
        manifests: Mapping[str, Manifest] | None = None,
        never_rules: NeverRules | None = None,
        forgiveness: Forgiveness | None = None,
        ranker: Ranker | None = None,
        settings: DeliberatorSettings | None = None,
    ) -> None:
        book = load_lawbook()
        self._book = Lawbook(
            manifests=book.manifests if manifests is None else manifests,
            laws=book.laws if laws is None else laws,
            never_rules=book.never_rules if never_rules is None else never_rules,
            forgiveness=book.forgiveness if forgiveness is None else forgiveness,
        )
        self._coach = coach
        self._clock = clock
        self._ranker = ranker
        self._settings = settings = settings or DeliberatorSettings()
        self._frame: Frame | None = None
        self._standing: dict[str, Intention] = {}
        self._made: dict[str, int] = {}
        self._masks: dict[str, frozenset[str]] = {}
        self._journal = Journal(limit=settings.journal_limit)
        self._deferred = Deferred(limit=settings.defer_limit, max_age_s=settings.defer_s)
        self._grudges = Grudges(
            half_life_s=self._book.forgiveness.half_life_s, floor=self._book.forgiveness.floor
        )

    # What stands

    @property
    def manifests(self) -> Mapping[str, Manifest]:
        """The manifests in force; they change with :meth:`reload`."""
        return self._book.manifests

    def intention(self, name: str) -> Intention | None:
        """The intention that stands for a character."""
        return self._standing.get(name_key(name))

    def grudges(self) -> dict[str, float]:
        """The strongest open grudge of each character that has one, 0..1, by name key."""
        return self._grudges.strongest(self._frame.t) if self._frame is not None else {}

    # The world

    def observe(self, frame: Frame) -> None:
        """Take the last frame: what wakes are judged by and records carry."""
        self._frame = frame
        self._coach.see(frame)

    def mask(self, name: str, verbs: Iterable[str]) -> None:
        """Take actions away from a character for now; an empty mask gives them back."""
        self._masks[name_key(name)] = frozenset(verbs)

    def reload(self, directory: Path) -> None:
        """Take laws and manifests from a directory.

        Raises ``TomlError`` for the first mistake; the old ones stay in force then. Plans under
        way keep the operators they were made of, and are held to the new manifests.
        """
        book = load_lawbook(directory)
        self._book = book
        self._grudges.half_life_s = book.forgiveness.half_life_s
        self._grudges.floor = book.forgiveness.floor

    # Wakes

    def wakes_from(self, frame: Frame) -> list[Wake]:
        """The wakes that a frame's events ask for, and those that waited and may come now.

        Of what waited for a character only the one whose plan scores best comes, and only when
        nothing stands and nothing new happened to the character.
        """
        wakes = wakes_of_events(frame, self._book.laws.events)
        busy = {w.key for w in wakes}
        for key in self._deferred.names():
            if key in self._standing or key in busy or key not in frame.by_key:
                continue
            waiting = self._deferred.of(key, frame.t)
            if waiting:
                chosen = min(waiting, key=lambda w: (-self._appeal(w, frame), -w.gravity, w.t))
                self._deferred.take(chosen)
                wakes.append(chosen)
        return wakes

    async def wake(self, wake: Wake) -> Wakened:
        """Judge a wake, asking the ranker where no law decides.

        Takes no longer than ``settings.deadline_s``: a ranking that is late counts as failed,
        and when it comes it has no effect.
        """
        begun = self.begin(wake)
        if isinstance(begun, Wakened):
            return begun
        answer: Ranking | RankFailure = RankFailure(where="ranker", err="cancelled")
        try:
            answer = await self._ask(begun.question)
        finally:
            # a host that is cancelled here still leaves a whole record behind
            done = self.settle(begun, answer)
        return done

    async def _ask(self, question: RankQuestion) -> Ranking | RankFailure:
        if self._ranker is None:
            return RankFailure(where="ranker", err="no-ranker")
        answer: Ranking | RankFailure = RankFailure(where="ranker", err="late")
        with anyio.move_on_after(self._settings.deadline_s) as scope:
            try:
                answer = await self._ranker.rank(question)
            except Exception as err:  # noqa: BLE001 - whatever fails, the composer decides
                answer = RankFailure(where="ranker", err=_failure_name(err))
        if scope.cancel_called:
            # also when the ranker swallowed the cancellation and answered all the same
            return RankFailure(where="ranker", err="late")
        return answer

    def begin(self, wake: Wake) -> Wakened | Pending:
        """Judge a wake as far as laws go: settled, or the question for a ranker."""
        began = self._clock()
        frame = self._frame
        character = frame.by_key.get(wake.key) if frame is not None else None
        if frame is None or character is None or not character.alive:
            return self._finish(wake, began, reason="not in the frame")
        self._journal.write(wake)
        if wake.cls is WakeClass.WRONG and wake.subject_key not in (None, wake.key):
            self._grudges.add(wake.key, wake.subject_key or "", wake.gravity, frame.t)
        situation = self._situation(wake, character, frame)
        if wake.cls is WakeClass.AMENDS:
            return self._begin_amends(wake, began, situation, character, frame)
        standing = self._standing.get(wake.key)
        if standing is not None and not self._outweighs(wake, standing):
            return self._defer(wake, began, standing)
        choice = self._gather(wake, situation, character, frame)
        if choice.emptied is not None:
            return self._nothing_left(wake, began, character, choice)
        reason = self._reason_to_ask(choice, standing)
        if reason is None:
            return self._adopt(wake, began, choice.candidates[0])
        return self._put_question(wake, began, reason, choice.candidates, situation, character)

    def settle(self, pending: Pending, answer: Ranking | RankFailure) -> Wakened:
        """Take the answer to a question. A second answer, a late one, changes nothing."""
        if pending.settled is not None:
            return pending.settled
        wake, composer = pending.question.wake, pending.choice[0]
        valid = {c.plan: c for c in pending.choice}
        if isinstance(answer, Ranking) and answer.chosen is not None and answer.chosen not in valid:
            answer = RankFailure(where="ranking", err="no-candidate")
        if isinstance(answer, RankFailure):
            self._record(
                "deliberator_rank_error",
                {"name": wake.name, "where": answer.where, "err": answer.err},
            )
        else:
            self._record(
                "deliberator_rank",
                {
                    "name": wake.name,
                    "cls": wake.cls.value,
                    "chosen": list(answer.chosen or ()),
                    "composer": list(composer.plan),
                    "because": answer.because,
                },
            )
        if pending.weighed is not None:
            done = self._settle_amends(pending, pending.weighed, answer)
        elif isinstance(answer, RankFailure):
            done = self._adopt(wake, pending.began, composer)
        elif answer.chosen is None:
            done = self._finish(wake, pending.began, reason=answer.because)
        else:
            # the mind's word stands even for a plan that the composer would not think worth it
            done = self._adopt(wake, pending.began, valid[answer.chosen], at=float("-inf"))
        pending.settled = done
        return done

    # Judging, in parts

    def _situation(self, wake: Wake, character: Character, frame: Frame) -> Situation:
        grudge = self._grudges.strength(wake.key, wake.subject_key or "", frame.t)
        return situation_of(wake, character, frame, grudge=grudge)

    def _gather(
        self, wake: Wake, situation: Situation, character: Character, frame: Frame
    ) -> Choice:
        return gather(
            Gathering(
                laws=self._book.laws,
                never_rules=self._book.never_rules,
                manifest=manifest_of(self._book.manifests, character.archetype),
                masked=self._masks.get(wake.key, _NO_MASK),
                character=character,
                frame=frame,
                situation=situation,
                subject_key=wake.subject_key,
            )
        )

    def _appeal(self, wake: Wake, frame: Frame) -> float:
        """The composer's best score for a wake that waits."""
        character = frame.by_key[wake.key]
        situation = self._situation(wake, character, frame)
        choice = self._gather(wake, situation, character, frame)
        return choice.candidates[0].score if choice.candidates else float("-inf")

    def _outweighs(self, wake: Wake, standing: Intention) -> bool:
        return (
            wake.cls is WakeClass.WRONG
            and wake.gravity > standing.wake.gravity + self._settings.swap_margin
        )

    def _defer(self, wake: Wake, began: float, standing: Intention) -> Wakened:
        if alike(wake, standing.wake):
            return self._finish(wake, began, reason=f"{standing.id} already sees to it")
        if wake.cls is WakeClass.GREETING:
            return self._finish(wake, began, reason=f"{standing.id} comes first")
        self._deferred.put(wake)
        return self._finish(wake, began, reason=f"waits for {standing.id} to end")

    def _nothing_left(
        self, wake: Wake, began: float, character: Character, choice: Choice
    ) -> Wakened:
        if choice.emptied is Emptied.NEED:
            self._record(
                "deliberator_need_unmet",
                {"name": wake.name, "need": wake.need, "reason": choice.reason},
            )
        else:
            self._record(
                "deliberator_no_admissible_verbs",
                {
                    "name": wake.name,
                    "arch": character.archetype,
                    "cls": wake.cls.value,
                    "source": str(choice.emptied),
                    "reason": choice.reason,
                },
            )
        return self._finish(wake, began, reason=choice.reason)

    def _reason_to_ask(self, choice: Choice, standing: Intention | None) -> RankReason | None:
        if not choice.covered:
            return RankReason.NO_LAW
        if standing is not None:
            return RankReason.SWAP
        best, others = choice.candidates[0], choice.candidates[1:]
        close = bool(others) and best.score - others[0].score <= self._settings.margin
        return RankReason.CLOSE if close and best.score >= self._settings.act_at else None

    def _put_question(
        self,
        wake: Wake,
        began: float,
        reason: RankReason,
        candidates: tuple[Candidate, ...],
        situation: Situation,
        character: Character,
        weighed: Weighed | None = None,
    ) -> Pending:
        standing = self._standing.get(wake.key)
        question = RankQuestion(
            name=wake.name,
            reason=reason,
            wake=wake,
            archetype=character.archetype,
            traits=situation.traits,
            situation=situation.summary(),
            candidates=tuple(
                RankedPlan(plan=c.plan, score=c.score, meaning=self._meaning(c.plan))
                for c in candidates
            ),
            standing=() if standing is None else standing.plan,
            recalled=self._journal.recall(wake),
            ambient=self._ambient(character),
        )
        kind = (
            "deliberator_escalation"
            if reason is RankReason.NO_LAW
            else "deliberator_plan_escalation"
        )
        self._record(kind, _question_payload(question))
        return Pending(
            question=question, began=began, choice=candidates, weighed=weighed, situation=situation
        )

    def _meaning(self, plan: tuple[str, ...]) -> str:
        if plan == STAND_DOWN:
            return "accept the amends and let it be"
        if plan == HOLD_COURSE:
            return "not accept the amends, and go on as before"
        operators = self._book.laws.operators
        return ", then ".join(operators[name].meaning for name in plan)

    def _ambient(self, character: Character) -> tuple[str, ...]:
        frame = self._frame
        if frame is None:
            return ()
        near = sorted(
            (distance_to(character, c.x, c.y), c.name, c.archetype)
            for c in frame.characters
            if c.alive and c.key != character.key
        )
        around = [f"{name} ({arch}) is near" for way, name, arch in near[:4] if way <= NEAR]
        if frame.alarm:
            around.append("the alarm is up")
        if frame.night:
            around.append("it is night")
        return tuple(around)

    def _adopt(
        self, wake: Wake, began: float, chosen: Candidate, *, at: float | None = None
    ) -> Wakened:
        """Make a plan the character's own, if it is worth it and nothing graver stands."""
        if chosen.score < (self._settings.act_at if at is None else at):
            return self._finish(wake, began, reason="no plan is worth it")
        # asked again here: while a ranker thought, the world went on
        standing = self._standing.get(wake.key)
        if standing is not None:
            if not self._outweighs(wake, standing):
                return self._defer(wake, began, standing)
            standing.ended(IntentionState.SWAPPED)
            gained = round(wake.gravity - standing.wake.gravity, 4)
            self._record(
                "deliberator_swap", {"name": wake.name, "to": wake.cls.value, "score": gained}
            )
        t = self._now(wake)
        number = self._made[wake.key] = self._made.get(wake.key, 0) + 1
        operators = self._book.laws.operators
        intention = Intention(
            id=f"{wake.key}-{number}",
            wake=wake,
            steps=tuple(operators[name] for name in chosen.plan),
            began=t,
            since=t,
        )
        self._standing[wake.key] = intention
        return self._finish(
            wake, began, intention, reason=chosen.law or "improvised", explained=chosen.explain()
        )

    def _finish(
        self,
        wake: Wake,
        began: float,
        intention: Intention | None = None,
        *,
        reason: str,
        explained: str = "",
    ) -> Wakened:
        outcome = Outcome.DECLINED if intention is None else Outcome.INTENTION
        done = Wakened(
            outcome=outcome,
            id=None if intention is None else intention.id,
            plan=() if intention is None else intention.plan,
            reason=reason,
            explained=explained,
        )
        self._record(
            "deliberator_wake",
            {
                "name": wake.name,
                "cls": wake.cls.value,
                "outcome": outcome.value,
                "id": done.id,
                "plan": list(done.plan),
                "ms": round((self._clock() - began) * 1000.0, 1),
            },
            t=self._now(wake),
        )
        return done

    # Amends

    def _begin_amends(
        self,
        wake: Wake,
        began: float,
        situation: Situation,
        character: Character,
        frame: Frame,
    ) -> Wakened | Pending:
        del frame
        if situation.grudge <= 0.0:
            self._record(
                "deliberator_amends_nothing_to_forgive",
                {"name": wake.name, "cls": wake.cls.value, "text": wake.text},
            )
            return self._finish(wake, began, reason="nothing to forgive")
        weighed = self._book.forgiveness.weigh(situation)
        if abs(weighed.excul - situation.grudge) > self._settings.amends_margin:
            return self._close_amends(
                wake,
                began,
                situation,
                weighed,
                accepted=weighed.excul >= situation.grudge,
                because=weighed.because,
                semantic=False,
            )
        accept = Candidate(plan=STAND_DOWN, score=weighed.excul, law=weighed.law, terms=())
        refuse = Candidate(plan=HOLD_COURSE, score=situation.grudge, law="", terms=())
        best_first = (accept, refuse) if accept.score >= refuse.score else (refuse, accept)
        return self._put_question(
            wake, began, RankReason.AMENDS, best_first, situation, character, weighed
        )

    def _settle_amends(
        self, pending: Pending, weighed: Weighed, answer: Ranking | RankFailure
    ) -> Wakened:
        by_mind = isinstance(answer, Ranking)
        chosen = answer.chosen if isinstance(answer, Ranking) else pending.choice[0].plan
        because = answer.because if isinstance(answer, Ranking) else weighed.because
        return self._close_amends(
            pending.question.wake,
            pending.began,
            pending.situation,
            weighed,
            accepted=chosen == STAND_DOWN,
            because=because,
            semantic=by_mind,
        )

    def _close_amends(
        self,
        wake: Wake,
        began: float,
        situation: Situation,
        weighed: Weighed,
        *,
        accepted: bool,
        because: str,
        semantic: bool,
    ) -> Wakened:
        base = {"name": wake.name, "excul": weighed.excul, "grudge": situation.grudge}
        if not accepted:
            self._record("deliberator_hold_course", {**base, "because": because})
            return self._answer_amends(wake, began, situation, reason=because)
        payload = {**base, "law": weighed.law, "semantic": semantic, "because": because}
        self._record("deliberator_stand_down", payload)
        self._grudges.forgive(wake.key, wake.subject_key or "")
        standing = self._standing.get(wake.key)
        if (
            standing is not None
            and standing.wake.cls is WakeClass.WRONG
            and standing.wake.subject_key == wake.subject_key
        ):
            standing.ended(IntentionState.STOOD_DOWN)
            del self._standing[wake.key]
        return self._answer_amends(
            wake, began, situation.with_flag("forgiven", True), reason=because
        )

    def _answer_amends(
        self, wake: Wake, began: float, situation: Situation, *, reason: str
    ) -> Wakened:
        """What laws say is done once amends are judged: usually a word. None: nothing."""
        frame = self._frame
        character = frame.by_key.get(wake.key) if frame is not None else None
        if frame is None or character is None or wake.key in self._standing:
            return self._finish(wake, began, reason=reason)
        choice = self._gather(wake, situation, character, frame)
        if not choice.covered or not choice.candidates:
            return self._finish(wake, began, reason=reason)
        return self._adopt(wake, began, choice.candidates[0])

    # Sweeps

    def moves(self, frame: Frame) -> dict[str, IntentionMove]:
        """One sweep: carry out what stands, and say what each intention does, by name key.

        Call it once a sweep. Steps that are due fire here and leave their records; whoever sends
        their commands passes each through :meth:`gate` or :meth:`send`.
        """
        self.observe(frame)
        found = {}
        for key in sorted(self._standing):
            intention = self._standing[key]
            character = frame.by_key.get(key)
            carried = carry(intention, character, frame, self._terms(intention, character, frame))
            for kind, payload in carried.records:
                self._coach.record(kind, payload, t=frame.t)
            if carried.intention.state is IntentionState.STANDING:
                self._standing[key] = carried.intention
            else:
                del self._standing[key]
            if carried.move is not None:
                found[key] = carried.move
        return found

    def _terms(self, intention: Intention, character: Character | None, frame: Frame) -> Terms:
        key = intention.wake.key
        archetype = "" if character is None else character.archetype
        return Terms(
            manifest=manifest_of(self._book.manifests, archetype),
            never_rules=self._book.never_rules,
            defiance=self._book.laws.defiance,
            grudge=self._grudges.strength(key, intention.wake.subject_key or "", frame.t),
            step_pause_s=self._settings.step_pause_s,
            masked=self._masks.get(key, _NO_MASK),
        )

    def gate(self, command: Command, frame: Frame, *, where: str = "gate") -> Command | None:
        """The last gate before the game, for every command wherever it comes from.

        Gives the command, without its words for an archetype that does not speak, or None and a
        ``manifest_blocked`` record when the manifest or the mask stops it. Nobody whom the frame
        lacks gets a command.
        """
        key = name_key(command.name)
        character = frame.by_key.get(key)
        if character is not None:
            manifest = manifest_of(self._book.manifests, character.archetype)
            masked = self._masks.get(key, _NO_MASK)
            if manifest.allows(command.cmd) and command.cmd not in masked:
                return command if manifest.speaks else replace(command, say=None)
        blocked = {"name": command.name, "verb": command.cmd, "where": where}
        self._coach.record("manifest_blocked", blocked, t=frame.t)
        return None

    def send(
        self, command: Command, frame: Frame, source: CommandSource = "plan"
    ) -> Command | None:
        """Gate a command and put it on record as sent; None when it was stopped."""
        passed = self.gate(command, frame)
        if passed is not None:
            self._coach.command(passed, source, t=frame.t)
        return passed

    # Records

    def _now(self, wake: Wake) -> float:
        return self._frame.t if self._frame is not None else wake.t

    def _record(self, kind: str, payload: Mapping[str, Any], *, t: float | None = None) -> None:
        at = t if t is not None else (self._frame.t if self._frame is not None else 0.0)
        self._coach.record(kind, payload, t=at)


def _failure_name(err: Exception) -> str:
    """The failure's own name where it has one (``timeout-total``), else its class."""
    with contextlib.suppress(Exception):
        failure = getattr(err, "failure", None)
        if failure is not None:
            return str(failure)
    return type(err).__name__


def _question_payload(question: RankQuestion) -> dict[str, Any]:
    wake = question.wake
    payload: dict[str, Any] = {
        "name": wake.name,
        "cls": wake.cls.value,
        "arch": question.archetype,
        "traits": {name: round(value, 4) for name, value in question.traits.items()},
        "wake_text": wake.text,
        "wake_t": round(wake.t, 2),
        "situation": question.situation,
        "candidates": [{"plan": list(c.plan), "score": c.score} for c in question.candidates],
    }
    if wake.cls in _SPOKEN:
        payload["text"] = wake.text
    if question.recalled:
        payload["recalled"] = list(question.recalled)
    if question.ambient:
        payload["ambient"] = list(question.ambient)
    return payload
