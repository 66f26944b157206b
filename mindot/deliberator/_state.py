"""What the parts of a deliberator share: its data, its memory, and the records they leave."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from mindot.deliberator.candidates import Choice, Gathering, gather
from mindot.deliberator.coach import Coach
from mindot.deliberator.deferral import Deferred
from mindot.deliberator.forgiveness import Grudges
from mindot.deliberator.intentions import Intention
from mindot.deliberator.journal import Journal
from mindot.deliberator.lawbook import Lawbook
from mindot.deliberator.settings import DeliberatorSettings
from mindot.deliberator.situation import Situation, situation_of
from mindot.deliberator.wake import Outcome, Wake, Wakened
from mindot.game.frame import Character, Frame
from mindot.game.manifest import Manifest, manifest_of

if TYPE_CHECKING:
    from mindot.deliberator.questions import Pending

__all__ = ["NO_MASK", "State"]

NO_MASK: Final[frozenset[str]] = frozenset()


class State:
    """One deliberator's state. Keys are name keys throughout."""

    def __init__(
        self,
        *,
        book: Lawbook,
        coach: Coach,
        clock: Callable[[], float],
        settings: DeliberatorSettings,
    ) -> None:
        self.book = book
        self.coach = coach
        self.clock = clock
        self.settings = settings
        self.frame: Frame | None = None
        self.standing: dict[str, Intention] = {}
        self.pending: dict[str, list[Pending]] = {}
        """Questions that are with a ranker."""
        self.made: dict[str, int] = {}
        """How many intentions each character has had."""
        self.masks: dict[str, frozenset[str]] = {}
        self.journal = Journal(limit=settings.journal_limit)
        self.deferred = Deferred(
            limit=settings.defer_limit,
            max_age_s=settings.defer_s,
            promise_age_s=settings.promise_age_s,
        )
        self.grudges = Grudges(
            half_life_s=book.forgiveness.half_life_s, floor=book.forgiveness.floor
        )

    def replace_book(self, book: Lawbook) -> None:
        self.book = book
        self.grudges.half_life_s = book.forgiveness.half_life_s
        self.grudges.floor = book.forgiveness.floor

    def see(self, frame: Frame) -> None:
        """Take the last frame. A game that went back to a save takes its deadlines along."""
        if self.frame is not None and frame.t < self.frame.t:
            self.deferred.rewind(frame.t)
            self.grudges.rewind(frame.t)
            for asked in self.pending.values():
                for pending in asked:
                    pending.asked_t = min(pending.asked_t, frame.t)
        self.frame = frame
        self.coach.see(frame)

    def now(self, wake: Wake) -> float:
        """World time: the last frame's, or the wake's where no frame was seen yet."""
        return max(0.0, wake.t) if self.frame is None else self.frame.t

    def record(self, kind: str, payload: Mapping[str, Any], wake: Wake) -> None:
        self.coach.record(kind, payload, t=self.now(wake))

    def manifest(self, character: Character) -> Manifest:
        return manifest_of(self.book.manifests, character.archetype)

    def masked(self, key: str) -> frozenset[str]:
        return self.masks.get(key, NO_MASK)

    def grudge(self, key: str, subject_key: str | None, t: float) -> float:
        """How much a character holds against somebody, 0..1."""
        return 0.0 if subject_key is None else self.grudges.strength(key, subject_key, t)

    def situation(self, wake: Wake, character: Character, frame: Frame) -> Situation:
        grudge = self.grudge(wake.key, wake.subject_key, frame.t)
        return situation_of(wake, character, frame, grudge=grudge)

    def gather(
        self, wake: Wake, situation: Situation, character: Character, frame: Frame
    ) -> Choice:
        """The plans in the running for a wake."""
        return gather(
            Gathering(
                laws=self.book.laws,
                never_rules=self.book.never_rules,
                manifest=self.manifest(character),
                masked=self.masked(wake.key),
                character=character,
                frame=frame,
                situation=situation,
                subject_key=wake.subject_key,
            )
        )

    def finish(
        self,
        wake: Wake,
        began: float,
        intention: Intention | None = None,
        *,
        reason: str,
        explained: str = "",
    ) -> Wakened:
        """Close a wake with its one record. ``began`` on the clock, seconds."""
        done = Wakened(
            outcome=Outcome.DECLINED if intention is None else Outcome.INTENTION,
            id=None if intention is None else intention.id,
            plan=() if intention is None else intention.plan,
            reason=reason,
            explained=explained,
        )
        payload = {
            "name": wake.name,
            "cls": wake.cls.value,
            "outcome": done.outcome.value,
            "id": done.id,
            "plan": list(done.plan),
            "ms": round((self.clock() - began) * 1000.0, 1),
        }
        self.record("deliberator_wake", payload, wake)
        return done
