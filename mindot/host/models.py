"""Who thinks for the village's minds, and when their answers land."""

import os
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from cognition.asking import Ask, Outcome
from llm_wire.transport import Request, Transport, Usage
from llm_wire.transports.clock import ManualClock
from llm_wire.transports.config import LlmConfig, open_transport
from llm_wire.transports.recorded import RecordedTransport, RecordingTransport
from llm_wire.transports.scripted import Script, ScriptedReply, ScriptedTransport
from mindot.host.thinking import Lands, after_latency, next_boundary
from mindot.village.clock import SWEEP_SECONDS
from mindot.village.script import VillageScript

__all__ = ["Models", "open_models", "replayed_models", "scripted_models"]

_CHARS_A_TOKEN: Final = 4
_SWEEP_MS: Final = SWEEP_SECONDS * 1000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """A transport, and how its answers come in."""

    transport: Transport
    lands: Lands | None = None
    """Sweeps wait for their thoughts, and this tells when each lands; None: in real time."""
    landed: Callable[[Ask, int], None] | None = None
    """Hears of each ask that was taken in, with the tick."""
    schema: bool = False
    """Ask servers that can for answers of the schema."""
    clock: ManualClock | None = None
    """The transport's time, where it is the world's: whoever sweeps moves it on."""


def scripted_models(seed: int) -> Models:
    """The village's own script: no model, no network, no time."""
    return Models(
        transport=ScriptedTransport(_village_script(seed), model="village-script"),
        lands=after_latency(_SWEEP_MS),
    )


def open_models(
    config: LlmConfig,
    seed: int,
    *,
    lock_step: bool = False,
    schema: bool = True,
    record: Path | None = None,
    run: Mapping[str, Any] | None = None,
) -> Models:
    """The models of a configuration, keys from the environment; with ``record`` all that is
    asked and answered is kept in that file, beside how the ``run`` is set up.

    Raises:
        SpecError: a key or an SDK is missing.
        RecordingError: a recording that cannot be read.
        OSError: ``record`` cannot be written.
    """
    clock = None
    if not config.takes_time:
        # Budgets are counted in the world's time, so that the same seed leaves the same bytes; and
        # nobody would move it on for one that waits to ask again.
        clock = ManualClock()
        config = replace(config, resilience=replace(config.resilience, attempts=1))
    transport: Transport = open_transport(
        config, env=os.environ, rng=random.Random(seed), script=_village_script(seed), clock=clock
    )
    if isinstance(transport, RecordedTransport):
        return replayed_models(transport)
    schema = schema and config.takes_time
    lands: Lands | None = None
    if lock_step:
        lands = next_boundary
    elif not config.takes_time:
        lands = after_latency(_SWEEP_MS)
    landed = None
    if record is not None:
        header = {**(run or {}), "schema": schema}
        recording = RecordingTransport(transport, record, run=header, clock=clock)
        transport = recording

        def landed(ask: Ask, tick: int) -> None:
            recording.landed(ask.mind, ask.ask_id, tick)

    return Models(transport=transport, lands=lands, landed=landed, schema=schema, clock=clock)


def replayed_models(recorded: RecordedTransport) -> Models:
    """A recording in the place of a model: each answer lands at the tick at which it did."""

    def lands(ask: Ask, _outcome: Outcome, _tick: int) -> int | None:
        return recorded.landing_tick(ask.mind, ask.ask_id)

    schema = bool((recorded.run or {}).get("schema", False))
    return Models(transport=recorded, lands=lands, schema=schema)


def _village_script(seed: int) -> Script:
    """The script as a transport plays it, with token counts a server might give."""
    script = VillageScript(seed)

    def answer(request: Request) -> ScriptedReply:
        prompt = "\n\n".join(message.content for message in request.messages)
        said = script.answer(request.system, prompt)
        return ScriptedReply(
            text=said.text,
            latency_ms=said.latency_ms,
            usage=Usage(
                prompt_tokens=(len(request.system) + len(prompt)) // _CHARS_A_TOKEN,
                completion_tokens=len(said.text) // _CHARS_A_TOKEN,
            ),
        )

    return answer
