"""One pass of the reflex brain over everybody: a receipt, commands, and maybe a dilemma each."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindot.game.contract import ACTIONS, CALM_ACTIONS, FEATURES, RECORD_VERSION
from mindot.game.frame import Character, Command, Frame
from mindot.game.manifest import Manifest
from mindot.game.moves import IntentionMove
from mindot.student.binding import bind
from mindot.student.debounce import DebounceWindow
from mindot.student.features import DECIMALS, feature_matrix
from mindot.student.head import Head, HeadError
from mindot.student.ladder import LadderSettings, dilemma_tier, settled_tier
from mindot.student.mask import ManifestMask
from mindot.student.situation import situation_tuple
from mindot.student.verdicts import ParkedVerdict

__all__ = ["Dilemma", "Sweep", "SweepRow"]

_ACTIONS: Final = tuple(ACTIONS)
_CALM: Final = frozenset(i for i, a in enumerate(_ACTIONS) if a in CALM_ACTIONS)
_GO_STATION: Final = "go_station"
_CLOSE_CALL: Final = 0.1
"""A lead below this makes a dilemma a close call."""

_SILENT: Final = frozenset(
    {"calm", "held", "intention-hold", "escalated", "escalation-held", "quiet-dilemma"}
)
"""Tiers from which no command leaves."""

_SOURCES: Final[Mapping[str, Literal["plan", "raw", "student"]]] = {
    "intention": "plan",
    "intention-over-order": "plan",
    "recast": "raw",
    "routine": "raw",
}

Floats = NDArray[np.float64]


class Dilemma(NamedTuple):
    """What the head could not decide, as it is put to the mind."""

    tup: str
    top2: tuple[tuple[str, float], tuple[str, float]]
    why: str
    """``close-call``, ``masked`` (the manifest took the favourite away) or ``below-tau``."""
    options: tuple[str, ...]
    """The verbs that the manifest grants, in the head's order."""

    @property
    def pair(self) -> tuple[str, str]:
        """The two actions alone, the likelier first."""
        return self.top2[0][0], self.top2[1][0]


class SweepRow(NamedTuple):
    """What one sweep did about one character."""

    name: str
    key: str
    served: str
    receipt: dict[str, Any]
    """The reflex receipt, its fields in the order in which they are written."""
    commands: tuple[Command, ...] = ()
    dilemma: Dilemma | None = None
    """On ``escalated`` rows: what to ask the mind."""
    verdict: Literal["served", "late", "barred"] | None = None
    """What became of the character's parked verdict; None: there is none, or it still waits."""

    @property
    def source(self) -> Literal["plan", "raw", "student"]:
        """The flywheel kind under which this row's commands are recorded."""
        return _SOURCES.get(self.served, "student")


@dataclass(frozen=True, slots=True)
class _Scores:
    """The vectorised part of a sweep, as plain lists where rows are read one by one."""

    features: Floats
    raw: Floats
    """Before the mask, rounded."""
    masked: Floats
    """After it, rounded."""
    took: list[bool]
    """Whether the mask took away anything that shows at four decimals."""
    best: list[int]
    second: list[int]
    conf: list[float]
    manifest: list[int]


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
        self._times: deque[float] = deque(maxlen=3)

    @property
    def settings(self) -> LadderSettings:
        return self._settings

    def run(
        self,
        frame: Frame,
        moves: Mapping[str, IntentionMove],
        verdicts: Mapping[str, ParkedVerdict],
        grudges: Mapping[str, float],
    ) -> list[SweepRow]:
        """One row for each living character, in the order of the frame.

        ``moves``, ``verdicts`` and ``grudges`` are by name key. Raises :class:`HeadError` when
        the head's answer has the wrong shape.
        """
        self._times.append(frame.t)
        self._window.forget_before(frame.t)
        scores = self._score(frame, grudges)
        t = round(frame.t, 2)
        return [
            self._row(frame, t, i, c, scores, moves, verdicts)
            for i, c in enumerate(frame.characters)
            if c.alive
        ]

    def _score(self, frame: Frame, grudges: Mapping[str, float]) -> _Scores:
        features = feature_matrix(frame, grudges)
        raw = self._head.probabilities(features)
        if raw.shape != (len(features), len(_ACTIONS)):
            raise HeadError(
                f"the head answered with shape {raw.shape!r} to {len(features)} characters; "
                f"give ({len(features)}, {len(_ACTIONS)})"
            )
        rows = self._mask.rows(frame.characters)
        masked = self._mask.apply(raw, rows)
        best = masked.argmax(axis=1)
        at = np.arange(len(masked))
        conf = masked[at, best]
        rest = masked.copy()
        rest[at, best] = -1.0
        return _Scores(
            features=features,
            raw=np.round(raw, DECIMALS),
            masked=masked,
            took=self._mask.took(np.round(raw, DECIMALS), rows).tolist(),
            best=best.tolist(),
            second=rest.argmax(axis=1).tolist(),
            conf=conf.tolist(),
            manifest=rows.tolist(),
        )

    def _row(
        self,
        frame: Frame,
        t: float,
        i: int,
        character: Character,
        scores: _Scores,
        moves: Mapping[str, IntentionMove],
        verdicts: Mapping[str, ParkedVerdict],
    ) -> SweepRow:
        key = character.name.lower()
        best, second, conf = scores.best[i], scores.second[i], scores.conf[i]
        action, calm = _ACTIONS[best], best in _CALM
        sure, both_calm = conf >= self._settings.tau, calm and second in _CALM
        lease, move, verdict = character.lease, moves.get(key), verdicts.get(key)
        tup, pair = "", (action, _ACTIONS[second])
        if not sure and (verdict is not None or not both_calm):
            tup = situation_tuple(character.archetype, scores.features[i].tolist())
        fresh = verdict is not None and self._fresh(verdict, frame.t, tup, pair)
        barred = verdict is not None and verdict.verb in self._mask.barred(scores.manifest[i])
        served = settled_tier(
            lease is not None and lease.reapply,
            move is not None,
            move is not None and move.acts,
            move is not None and move.over_order,
            fresh and not barred,
            sure,
            calm,
            character.scheduled is not None and character.scheduled != character.station,
            _bound(character, action),
        )
        dilemma: Dilemma | None = None
        if served is None:
            asked = not both_calm and self._window.asked(key, tup, pair, frame.t)
            served = dilemma_tier(both_calm, asked)
            if served == "escalated":
                self._window.note(key, tup, pair, frame.t)
                dilemma = self._dilemma(i, tup, scores)
        commands = _commands(served, action, character, frame, move, verdict)
        receipt: dict[str, Any] = {
            "v": RECORD_VERSION,
            "t": t,
            "world": frame.world,
            "tab": frame.tab,
            "npc": i,
            "name": character.name,
            "served": served,
            "action": action,
            "conf": conf,
            "tau": self._settings.tau,
            "probs": dict(zip(_ACTIONS, scores.masked[i].tolist(), strict=True)),
        }
        if served != "calm":
            receipt["features"] = dict(zip(FEATURES, scores.features[i].tolist(), strict=True))
        if move is not None and served != "recast":
            receipt["episode"] = move.episode
        elif lease is not None:
            receipt["episode"] = f"cast:{lease.role}"
        barred_here = self._mask.barred(scores.manifest[i])
        if barred_here and scores.took[i]:
            receipt["mask"] = {
                "pre": dict(zip(_ACTIONS, scores.raw[i].tolist(), strict=True)),
                "post": receipt["probs"],
                "masked": list(barred_here),
            }
        if move is not None and served in ("intention", "intention-over-order"):
            _tell_move(receipt, move)
        if dilemma is not None:
            receipt["top2"] = [list(best) for best in dilemma.top2]
            receipt["tup"] = dilemma.tup
            receipt["why"] = dilemma.why
        if commands:
            receipt["cmds"] = [c.to_json() for c in commands]
        fate: Literal["served", "late", "barred"] | None = None
        if verdict is not None:
            if served == "llm-verdict":
                fate = "served"
            elif barred:
                fate = "barred"
            elif not fresh:
                fate = "late"
        return SweepRow(character.name, key, served, receipt, commands, dilemma, fate)

    def _fresh(self, verdict: ParkedVerdict, t: float, tup: str, pair: tuple[str, str]) -> bool:
        if tup and verdict.tup == tup and set(verdict.top2) == set(pair):
            return True
        if self._settings.verdict_fresh_s is None:
            # parked in the pause after a sweep, it is for the two that follow
            return verdict.t_parked >= self._times[0]
        return t - verdict.t_parked <= self._settings.verdict_fresh_s

    def _dilemma(self, i: int, tup: str, scores: _Scores) -> Dilemma:
        best, second = scores.best[i], scores.second[i]
        row = scores.masked[i]
        first, other = float(row[best]), float(row[second])
        if int(scores.raw[i].argmax()) != best:
            why = "masked"
        else:
            why = "close-call" if first - other < _CLOSE_CALL else "below-tau"
        return Dilemma(
            tup,
            ((_ACTIONS[best], first), (_ACTIONS[second], other)),
            why,
            self._mask.allowed(scores.manifest[i]),
        )


def _bound(character: Character, action: str) -> bool:
    order = character.order
    if order is not None and (not order.forbids or action in order.forbids):
        return True
    return character.lease is not None


def _commands(
    served: str,
    action: str,
    character: Character,
    frame: Frame,
    move: IntentionMove | None,
    verdict: ParkedVerdict | None,
) -> tuple[Command, ...]:
    if served in _SILENT:
        return ()
    if served == "emitted":
        return (_command(action, character, frame),)
    if served == "routine":
        return (_command(_GO_STATION, character, frame),)
    if served == "recast" and character.lease is not None:
        return (Command(cmd=character.lease.pose, name=character.name),)
    if served == "llm-verdict" and verdict is not None:
        if verdict.verb in CALM_ACTIONS:
            return ()
        return (_command(verdict.verb, character, frame, verdict.target),)
    return () if move is None else move.commands


def _command(verb: str, character: Character, frame: Frame, target: str | None = None) -> Command:
    if target is None:
        target = bind(verb, character, frame)
    return Command(cmd=verb, name=character.name, target=target)


def _tell_move(receipt: dict[str, Any], move: IntentionMove) -> None:
    receipt["desire"] = move.desire
    receipt["evidence"] = move.evidence
    receipt["plan"] = list(move.plan)
    receipt["step"] = move.step
    if move.subject is not None:
        receipt["subject"] = move.subject
    if move.target is not None:
        receipt["target"] = move.target
    if move.target_handle is not None:
        receipt["target_handle"] = move.target_handle
