"""Stories that take a mind: what it answers to a dilemma, and what becomes of its promises."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import anyio

from llm_wire.transport import Request
from llm_wire.transports.scripted import ScriptedTransport
from mindot.game.frame import Character, Command, Frame, GameEvent, Player
from mindot.host.host import Host
from mindot.host.thinking import LockStep
from mindot.records.logs import Log
from mindot.student.head import Head
from tests.mindot.deliberator.stage import SWEEP_S, T0, LeaningHead, event, person

FLEE = '{"actions": [{"type": "flee"}], "reasoning": "He is armed.", "confidence": 0.9}'

PROMISE = (
    '{"actions": [], "reasoning": "That is easily done.", "confidence": 0.9,'
    ' "undertakings": [{"what": "tell Brenna about the bridge", "target": "Brenna"}]}'
    "\n[REPLY_TEXT]\nI will tell her.\n[/REPLY_TEXT]"
)


class Rows:
    """A sink that keeps every row."""

    def __init__(self) -> None:
        self.of: dict[Log, list[dict[str, Any]]] = {log: [] for log in Log}

    def add(self, log: Log, row: Mapping[str, Any]) -> None:
        self.of[log].append(dict(row))

    def flush(self) -> None:
        """There is nothing to write."""

    def kinds(self, name: str) -> list[str]:
        return [r["kind"] for r in self.of[Log.FLYWHEEL] if r["decision"]["name"] == name]


async def _play(
    answer: str, cast: tuple[Character, ...], *events: GameEvent, head: Head, sweeps: int
) -> tuple[Rows, list[Command]]:
    """The events happen in the first sweep; each thought is had and lands in the next one."""
    rows = Rows()
    left: list[Command] = []

    def model(request: Request) -> str:
        return answer

    host = Host(transport=ScriptedTransport(model), thinking=LockStep(), records=rows, head=head)
    frame = Frame(
        world="mock",
        tab="stage",
        tick=1,
        t=T0,
        characters=cast,
        player=Player(x=12.0, y=1.0),
        events=events,
    )
    for _ in range(sweeps):
        left += await host.step(frame)
        frame = replace(frame, tick=frame.tick + 1, t=frame.t + SWEEP_S, events=())
    host.close()
    return rows, left


def test_a_dilemma_goes_to_the_mind_and_its_verdict_is_carried_out() -> None:
    torn = LeaningHead(flee=0.4, warn_say=0.35)
    cast = (person("Ylva", "farmer"),)

    async def play() -> tuple[Rows, list[Command]]:
        return await _play(FLEE, cast, head=torn, sweeps=2)

    rows, left = anyio.run(play)
    assert [r["served"] for r in rows.of[Log.RECEIPTS]] == ["escalated", "llm-verdict"]
    assert rows.kinds("Ylva") == [
        "student_escalation",
        "student_escalation_verdict",
        "student",
    ]
    verdict = rows.of[Log.FLYWHEEL][1]["decision"]
    assert (verdict["verb"], verdict["because"]) == ("flee", "He is armed.")
    assert [c.cmd for c in left] == ["flee"]


def test_what_is_promised_in_talk_is_kept_by_a_plan_and_discharged_by_its_receipt() -> None:
    dutiful = {"dutiful": 0.9, "warm": 0.8}
    cast = (person("Ylva", "farmer", traits=dutiful), person("Brenna", x=30.0))
    asked = event("talk", "Ylva", "Could you let Brenna know that the bridge is out?")

    async def play() -> tuple[Rows, list[Command]]:
        return await _play(PROMISE, cast, asked, head=LeaningHead(), sweeps=6)

    rows, _ = anyio.run(play)
    assert rows.kinds("Ylva") == [
        "raw",
        "deliberator_wake",
        "deliberator_decided",
        "deliberator_plan_done",
        "plan",
    ]
    said, woken, decided = (r["decision"] for r in rows.of[Log.FLYWHEEL][:3])
    assert said["say"] == "I will tell her."
    assert (woken["cls"], woken["plan"]) == ("undertaking", ["keep-promise"])
    assert decided["target"] == "ally:Brenna"
    receipt = next(r for r in rows.of[Log.RECEIPTS] if r["served"] == "intention")
    assert (receipt["desire"], receipt["target"]) == ("keep-promise", "ally:Brenna")
    (end,) = (r for r in rows.of[Log.TRACE] if r["type"] == "executive.undertaking.end")
    assert (end["what"], end["reason"]) == ("tell Brenna about the bridge", "kept")
