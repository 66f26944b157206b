"""Whether anybody in the village starves for a decision, with and without a mind that answers."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import anyio

from llm_wire.transport import Failure
from llm_wire.transports.scripted import ScriptedReply, ScriptedTransport
from mindot.host.host import Host
from mindot.host.models import Models, scripted_models
from mindot.host.thinking import LockStep
from mindot.records.logs import Log
from mindot.records.starvation import StarvationWatch
from mindot.village.village import DEFAULT_SEED, Village


class Watch:
    """A sink that keeps nothing but whom LW4001 was raised for."""

    def __init__(self) -> None:
        self._watch = StarvationWatch()
        self.starving: list[str] = []

    def add(self, log: Log, row: Mapping[str, Any]) -> None:
        if log is Log.RECEIPTS:
            alert = self._watch.see(row["name"], row["served"], row["t"])
            if alert is not None:
                self.starving.append(alert.name)

    def flush(self) -> None:
        """There is nothing to write."""


async def _play(models: Models, sweeps: int) -> list[str]:
    watch = Watch()
    assert models.lands is not None
    thinking = LockStep(models.lands)
    host = Host(transport=models.transport, thinking=thinking, records=watch)
    village = Village(DEFAULT_SEED)
    frame = village.frame()
    for _ in range(sweeps):
        frame = village.advance(await host.step(frame))
    host.close()
    return watch.starving


def test_with_a_mind_that_answers_nobody_starves() -> None:
    assert anyio.run(_play, scripted_models(DEFAULT_SEED), 2000) == []


def test_when_every_thought_fails_whoever_faces_the_blade_starves() -> None:
    silence = ScriptedReply(failure=Failure.TIMEOUT_TOTAL, latency_ms=900.0)
    failing = replace(
        scripted_models(DEFAULT_SEED), transport=ScriptedTransport(lambda _request: silence)
    )
    assert anyio.run(_play, failing, 2000) == ["Sunniva"]
