"""A small world for the host: frames by hand, a head that leans as told, a scripted model."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
import numpy as np
from numpy.typing import NDArray

from llm_wire.transport import Request
from llm_wire.transports.scripted import ScriptedReply, ScriptedTransport
from mindot.game.contract import ACTIONS
from mindot.game.frame import Character, Command, Frame, GameEvent, Player, Station
from mindot.host.host import Host
from mindot.host.record_book import MemoryBook
from mindot.host.thinking import LockStep, after_latency
from mindot.records.logs import Log

SWEEP_S = 2.0
T0 = 1_800_000_000.0
STATIONS = (
    Station(label="gate", x=0.0, y=0.0, kind="post"),
    Station(label="bed", x=20.0, y=0.0, kind="bed"),
)


def a_character(name: str = "Gerdur", **changed: Any) -> Character:
    facts: dict[str, Any] = {
        "name": name,
        "handle": 100 + len(name),
        "archetype": "guard",
        "x": 0.0,
        "y": 0.0,
        "station": "gate",
        "scheduled": "gate",
    }
    return Character(**facts | changed)


def a_frame(
    tick: int,
    *characters: Character,
    events: Sequence[GameEvent] = (),
    player: Player | None = None,
    **changed: Any,
) -> Frame:
    return Frame(
        world="test",
        tab="stage",
        tick=tick,
        t=T0 + tick * SWEEP_S,
        characters=characters or (a_character(),),
        player=player,
        stations=STATIONS,
        events=tuple(events),
        **changed,
    )


def a_talk(to: str, text: str = "Will you?", actor: str = "player") -> GameEvent:
    return GameEvent(id=f"talk-{to}-{text}", kind="talk", actor=actor, concerns=(to,), text=text)


class Leaning:
    """A head that gives everybody the same probabilities: the named ones, the rest shared."""

    def __init__(self, named: Mapping[str, float]) -> None:
        self.named = named

    def probabilities(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        rest = (1.0 - sum(self.named.values())) / (len(ACTIONS) - len(self.named))
        row = [self.named.get(action, rest) for action in ACTIONS]
        return np.tile(np.array(row), (len(features), 1))


TORN = {"confront": 0.45, "warn_say": 0.40}
"""Nothing at tau, and not both calm: the dilemma is put to the mind."""
SURE = {"warn_say": 0.97}
CALM = {"stay": 0.97}


def answer(
    *types: str, reasoning: str = "It has to be.", reply: str | None = None, **more: Any
) -> str:
    body = {
        "actions": [{"type": t, "reasoning": reasoning, "expectedOutcome": "fine"} for t in types],
        "reasoning": reasoning,
        "confidence": 0.8,
    }
    text = json.dumps(body | more)
    return text if reply is None else f"{text}\n[REPLY_TEXT]\n{reply}\n[/REPLY_TEXT]"


class Stage:
    """A host with its records in memory; ``play`` steps it through frames."""

    def __init__(
        self,
        script: Callable[[Request], str | ScriptedReply] | str,
        leaning: Mapping[str, float],
        *,
        lasting: Path | None = None,
    ) -> None:
        self.requests: list[Request] = []
        self.book = MemoryBook()
        self.thoughts: list[tuple[float, Any, Any]] = []
        self._script = script
        self.head = Leaning(leaning)
        self.host = Host(
            transport=ScriptedTransport(self._answer),
            thinking=LockStep(after_latency(SWEEP_S * 1000)),
            records=self.book,
            head=self.head,
            lasting=lasting,
            keep_thought=lambda t, ask, outcome: self.thoughts.append((t, ask, outcome)),
        )

    def _answer(self, request: Request) -> str | ScriptedReply:
        self.requests.append(request)
        return self._script if isinstance(self._script, str) else self._script(request)

    def play(self, *frames: Frame) -> list[tuple[Command, ...]]:
        async def steps() -> list[tuple[Command, ...]]:
            return [await self.host.step(frame) for frame in frames]

        return anyio.run(steps)

    def receipts(self, name: str = "Gerdur") -> list[dict[str, Any]]:
        return [r for r in self.book.rows[Log.RECEIPTS] if r["name"] == name]

    def served(self, name: str = "Gerdur") -> list[str]:
        return [r["served"] for r in self.receipts(name)]

    def flywheel(self, kind: str) -> list[dict[str, Any]]:
        return [r["decision"] for r in self.book.rows[Log.FLYWHEEL] if r["kind"] == kind]

    def trace(self, type_: str) -> list[dict[str, Any]]:
        return [r for r in self.book.rows[Log.TRACE] if r["type"] == type_]
