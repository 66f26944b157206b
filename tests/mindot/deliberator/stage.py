"""A small world for stories: people, sweeps of two seconds, and everything that was written."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import anyio
import numpy as np
import orjson
from numpy.typing import NDArray

from mindot.deliberator import Coach, Deliberator, Ranker, Wake, WakeClass, Wakened
from mindot.deliberator.testing import ManualClock
from mindot.game.contract import ACTIONS
from mindot.game.frame import Character, Command, Frame, GameEvent, Order, Player, Station
from mindot.records.explain import Explanation, explain
from mindot.records.reader import Record
from mindot.student.head import Head
from mindot.student.rows import SweepRow
from mindot.student.sweep import Sweep
from mindot.student.verdicts import ParkedVerdict

T0 = 1_800_000_000.0
SWEEP_S = 2.0

STATIONS = (
    Station(label="gate", x=0.0, y=0.0, kind="post"),
    Station(label="inn", x=20.0, y=0.0, kind="food"),
    Station(label="cottage", x=40.0, y=0.0, kind="bed"),
)


def person(name: str, archetype: str = "merchant", **changes: Any) -> Character:
    """Somebody at (10, 0) with middling traits, unless the changes say otherwise."""
    handle = 100 + sum(name.encode()) % 100
    plain = Character(name=name, handle=handle, archetype=archetype, x=10.0, y=0.0)
    return replace(plain, **changes)


class LeaningHead:
    """A head that always leans the same way: probabilities by action, the rest to ``stay``."""

    def __init__(self, **leanings: float) -> None:
        self._row = [leanings.get(action, 0.0) for action in ACTIONS]
        self._row[list(ACTIONS).index("stay")] += 1.0 - sum(leanings.values())

    def probabilities(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.tile(np.array(self._row), (len(features), 1))


class Stage:
    """Runs sweeps of a deliberator and a reflex head over a cast, and keeps what they leave."""

    def __init__(
        self,
        *people: Character,
        player: Player | None = None,
        ranker: Ranker | None = None,
        stations: tuple[Station, ...] = STATIONS,
        head: Head | None = None,
        **options: Any,
    ) -> None:
        self.clock = ManualClock()
        self.records: list[dict[str, Any]] = []
        self.receipts: list[dict[str, Any]] = []
        self.commands: list[Command] = []
        self.coach = Coach(self.records.append)
        self.deliberator = Deliberator(coach=self.coach, clock=self.clock, ranker=ranker, **options)
        self._sweep = Sweep(head or LeaningHead(), self.deliberator.manifests)
        self.frame = Frame(
            world="mock",
            tab="stage",
            tick=0,
            t=T0,
            characters=people,
            player=player or Player(x=10.0, y=2.0),
            stations=stations,
        )
        self.deliberator.observe(self.frame)

    def change(self, name: str, **changes: Any) -> None:
        """Change somebody from the next sweep on."""
        cast = tuple(replace(c, **changes) if c.name == name else c for c in self.frame.characters)
        self.frame = replace(self.frame, characters=cast)
        self.deliberator.observe(self.frame)

    def leave(self, name: str) -> None:
        """Take somebody out of the frame."""
        cast = tuple(c for c in self.frame.characters if c.name != name)
        self.frame = replace(self.frame, characters=cast)
        self.deliberator.observe(self.frame)

    def order(self, name: str, text: str, *, forbids: tuple[str, ...] = ()) -> None:
        self.change(name, order=Order(text=text, by="Odda", forbids=forbids))

    def wake(self, name: str, cls: WakeClass, text: str, **fields: Any) -> Wakened:
        """Wake somebody directly, as a host does."""
        wake = Wake(name=name, cls=cls, text=text, t=self.frame.t, **fields)
        return anyio.run(self.deliberator.wake, wake)

    def sweep(
        self,
        *events: GameEvent,
        verdicts: Mapping[str, ParkedVerdict] = MappingProxyType({}),
        **frame_changes: Any,
    ) -> list[SweepRow]:
        """One sweep: events wake, plans move, the ladder serves, commands leave."""
        frame = self.frame = replace(
            self.frame,
            tick=self.frame.tick + 1,
            t=self.frame.t + SWEEP_S,
            events=events,
            **frame_changes,
        )
        self.deliberator.observe(frame)
        for wake in self.deliberator.wakes_from(frame):
            anyio.run(self.deliberator.wake, wake)
        moves = self.deliberator.moves(frame)
        rows = self._sweep.run(frame, moves, verdicts, self.deliberator.grudges())
        for row in rows:
            self.receipts.append(row.receipt)
            for command in row.commands:
                sent = self.deliberator.send(command, frame, row.source)
                if sent is not None:
                    self.commands.append(sent)
        return rows

    def sweeps(self, n: int) -> None:
        for _ in range(n):
            self.sweep()

    # What was written

    def kinds(self, name: str | None = None, *, without: Iterable[str] = ("student",)) -> list[str]:
        """The kinds of the records in order, of one character or of all."""
        return [
            r["kind"]
            for r in self.records
            if r["kind"] not in without and (name is None or r["decision"]["name"] == name)
        ]

    def payloads(self, kind: str) -> list[dict[str, Any]]:
        return [r["decision"] for r in self.records if r["kind"] == kind]

    def payload(self, kind: str) -> dict[str, Any]:
        """The payload of the one record of a kind."""
        (found,) = self.payloads(kind)
        return found

    def why(self, name: str) -> list[Explanation]:
        """What ``mindot why`` has to say about each of a character's rows, the oldest first."""
        flywheel = [_as_read(r) for r in self.records]
        return [explain(_as_read(r), flywheel) for r in self.receipts if r["name"] == name]

    def served(self, name: str) -> list[str]:
        """The tiers of a character's receipts in order."""
        return [r["served"] for r in self.receipts if r["name"] == name]


def _as_read(row: dict[str, Any]) -> Record:
    text = orjson.dumps(row)
    return Record(line=1, offset=0, text=text, value=orjson.loads(text))


def theft(victim: str, *, actor: str = "player", gravity: float = 0.5, text: str = "") -> GameEvent:
    return event("theft", victim, text or f"somebody took what was {victim}'s", actor, gravity)


def event(
    kind: str, whom: str, text: str, actor: str = "player", gravity: float = 0.0, **fields: Any
) -> GameEvent:
    return GameEvent(
        id=f"{kind}-{whom}",
        kind=kind,
        actor=actor,
        concerns=(whom,),
        text=text,
        gravity=gravity,
        **fields,
    )
