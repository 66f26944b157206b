"""One pass of the reflex brain over everybody: a receipt, commands, and maybe a dilemma each."""

from collections import deque
from collections.abc import Mapping
from typing import Final

from mindot.game.frame import Character, Frame
from mindot.game.manifest import Manifest
from mindot.game.moves import IntentionMove
from mindot.student.crowd import Crowd
from mindot.student.debounce import DebounceWindow
from mindot.student.deeds import commands_of
from mindot.student.features import features_of
from mindot.student.head import Head
from mindot.student.ladder import LadderSettings, dilemma_tier, settled_tier
from mindot.student.mask import ManifestMask
from mindot.student.receipt import ReceiptBook
from mindot.student.rows import Dilemma, SweepRow, VerdictFate
from mindot.student.scores import Lean, Scores
from mindot.student.situation import situation_tuple
from mindot.student.verdicts import ParkedVerdict

__all__ = ["Dilemma", "Sweep", "SweepRow"]

_FRESH_SWEEPS: Final = 2
"""A verdict parked in the pause after a sweep is for so many that follow."""


class Sweep:
    """The reflex brain of a world: call :meth:`run` once a frame, frames in order of time.

    It remembers two things between sweeps: which dilemmas were asked within the debounce window,
    and the times of the last sweeps, by which a verdict's freshness is told.
    """

    def __init__(
        self,
        head: Head,
        manifests: Mapping[str, Manifest],
        settings: LadderSettings | None = None,
    ) -> None:
        """``manifests`` by archetype, ``*`` for the rest, as ``manifest_of`` reads them."""
        self._head = head
        self._mask = ManifestMask(manifests)
        self._settings = LadderSettings() if settings is None else settings
        self._window = DebounceWindow(self._settings.debounce_s)
        self._times: deque[float] = deque(maxlen=_FRESH_SWEEPS + 1)

    @property
    def settings(self) -> LadderSettings:
        return self._settings

    def use_manifests(self, manifests: Mapping[str, Manifest]) -> None:
        """Mask by these from the next sweep on."""
        self._mask = ManifestMask(manifests)

    def run(
        self,
        frame: Frame,
        moves: Mapping[str, IntentionMove],
        verdicts: Mapping[str, ParkedVerdict],
        grudges: Mapping[str, float],
    ) -> list[SweepRow]:
        """One row for each living character, in the order of the frame.

        ``moves``, ``verdicts`` and ``grudges`` are by name key. Raises ``HeadError`` when the
        head's answer has the wrong shape.
        """
        if self._times and frame.t < self._times[-1]:
            self._times.clear()  # an older save was loaded; what lies ahead of it is no past
        self._times.append(frame.t)
        self._window.forget_before(frame.t)
        if not frame.characters:
            return []
        # every character is looked up in these; few are in them, and a plain dict is quickest
        moves, verdicts = dict(moves), dict(verdicts)
        crowd = Crowd(frame)
        features, manifests = features_of(crowd, frame, grudges), self._mask.rows(crowd.archetypes)
        scores = Scores(features, self._head, self._mask, manifests)
        book = ReceiptBook(frame, crowd.names, scores, self._settings.tau)
        content = scores.content(self._settings.tau)
        keys, living = crowd.keys, [i for i, lives in enumerate(crowd.living) if lives]
        # most rows end here: no rung above can apply, and the ladder would say the same
        calm = [
            i for i in living if content[i] and keys[i] not in moves and keys[i] not in verdicts
        ]
        rows = {
            i: SweepRow(crowd.names[i], keys[i], "calm", receipt)
            for i, receipt in zip(calm, book.calm(calm), strict=True)
        }
        return [
            rows.get(i)
            or self._row(frame, i, keys[i], moves.get(keys[i]), verdicts.get(keys[i]), scores, book)
            for i in living
        ]

    def _row(
        self,
        frame: Frame,
        i: int,
        key: str,
        move: IntentionMove | None,
        verdict: ParkedVerdict | None,
        scores: Scores,
        book: ReceiptBook,
    ) -> SweepRow:
        character, lean = frame.characters[i], scores.lean(i)
        sure = lean.conf >= self._settings.tau
        # only rows that may need the situation string pay for it
        torn = not sure and (verdict is not None or not lean.both_calm)
        tup = situation_tuple(character.archetype, scores.features(i)) if torn else ""
        fate = None if verdict is None else self._fate(verdict, frame.t, tup, lean, scores, i)
        lease = character.lease
        served = settled_tier(
            recast=lease is not None and lease.reapply,
            move=move,
            verdict=fate == "served",
            sure=sure,
            calm=lean.calm,
            off_station=_off_station(character),
            bound=_is_bound(character, lean.action),
        )
        dilemma: Dilemma | None = None
        if served is None:
            served, dilemma = self._settle(key, frame.t, tup, lean, scores, i)
        if fate == "served" and served != "llm-verdict":
            fate = None  # a higher rung spoke; the verdict waits for as long as it is fresh
        commands = commands_of(served, lean.action, character, frame, move, verdict)
        receipt = book.of(i, served, move=move, dilemma=dilemma, commands=commands)
        return SweepRow(character.name, key, served, receipt, commands, dilemma, fate)

    def _settle(
        self, key: str, t: float, tup: str, lean: Lean, scores: Scores, i: int
    ) -> tuple[str, Dilemma | None]:
        asked = not lean.both_calm and self._window.asked(key, tup, lean.pair, t)
        served = dilemma_tier(both_calm=lean.both_calm, asked=asked)
        if served != "escalated":
            return served, None
        self._window.note(key, tup, lean.pair, t)
        return served, scores.dilemma(i, tup)

    def _fate(
        self, verdict: ParkedVerdict, t: float, tup: str, lean: Lean, scores: Scores, i: int
    ) -> VerdictFate:
        """What the verdict is good for in this sweep, should the ladder come to it."""
        if not scores.allows(i, verdict.verb):
            return "barred"
        if tup and tup == verdict.tup and set(verdict.top2) == set(lean.pair):
            return "served"
        limit = self._settings.verdict_fresh_s
        fresh = (
            verdict.t_parked >= self._times[0] if limit is None else t - limit <= verdict.t_parked
        )
        return "served" if fresh else "late"


def _off_station(character: Character) -> bool:
    return character.scheduled is not None and character.scheduled != character.station


def _is_bound(character: Character, action: str) -> bool:
    order = character.order
    if order is not None and (not order.forbids or action in order.forbids):
        return True
    return character.lease is not None
