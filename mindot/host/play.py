"""Playing the built-in village: world, host and records put together, sweep after sweep."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from cognition.asking import Answered, Ask, NotAnswered, Outcome
from llm_wire.transport import Request, Usage
from llm_wire.transports.scripted import ScriptedReply, ScriptedTransport
from mindot.game.frame import Command, Frame
from mindot.host.host import Host, HostSettings
from mindot.host.pace import Pace, no_pause
from mindot.host.record_book import RecordBook
from mindot.host.statistics import HostStatistics
from mindot.host.thinking import LockStep
from mindot.records.logs import Log, day_files
from mindot.records.run_end import RunEnd
from mindot.village.clock import SWEEP_SECONDS
from mindot.village.crowd import Crowd
from mindot.village.script import VillageScript
from mindot.village.village import DEFAULT_SEED, Village

__all__ = ["Play", "Played", "play_village", "scripted_transport"]

DEFAULT_SWEEPS: Final = 400
_PAUSE_S: Final = 60.0
"""Record time between an earlier run's last row and the first of one appended to it."""
_CHARS_A_TOKEN: Final = 4
LASTING_DIR: Final = "minds"
"""Under the records' directory: what each mind keeps from run to run."""
CROWD_MAX_FACETS: Final = 2
"""Facets a mind may have on market day: fewer than there are people who talk to it."""
CROWD_IDLE_TTL_TICKS: Final = 15
"""Half a minute: shorter than the pauses that travellers make."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """One run of the village."""

    directory: Path
    sweeps: int = DEFAULT_SWEEPS
    seed: int = DEFAULT_SEED
    keep_prompts: bool = False
    crowd: bool = False
    """Market day: travellers talk to a few villagers, who have little attention to spare."""
    settings: HostSettings = field(default_factory=HostSettings)
    after: RunEnd | None = None
    """The end of the run that this one is added to: its clock goes on from there, and its minds
    take up what they kept. None: a new village, at its own time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """What a run came to."""

    statistics: HostStatistics
    files: tuple[Path, ...]
    busiest: str | None
    """The character with most receipts that are not quiet: the one worth asking about."""


OnSweep = Callable[[int, Frame, tuple[Command, ...], HostStatistics], None]


def scripted_transport(seed: int) -> ScriptedTransport:
    """The offline model: the village's script, with token counts a server might give."""
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

    return ScriptedTransport(answer, model="village-script")


async def play_village(
    play: Play, pace: Pace = no_pause, on_sweep: OnSweep | None = None
) -> Played:
    """Play ``play.sweeps`` sweeps; records appear in ``play.directory``.

    ``pace`` is awaited before each sweep with its number. A cancellation ends the run with every
    facet closed and every record of a finished sweep written.

    Raises:
        LogWriteError: the records could not be written.
    """
    village = Village(play.seed)
    shift = _Shift.after(play.after, village.frame())
    crowd = Crowd(play.seed) if play.crowd else None
    with RecordBook(play.directory) as book:
        host = Host(
            transport=scripted_transport(play.seed),
            thinking=LockStep(SWEEP_SECONDS * 1000.0),
            records=book,
            settings=_crowded(play.settings) if play.crowd else play.settings,
            keep_thought=_thought_keeper(book) if play.keep_prompts else None,
            lasting=play.directory / LASTING_DIR,
        )
        try:
            frame = village.frame()
            for n in range(1, play.sweeps + 1):
                await pace(n)
                shown = shift.apply(frame)
                if crowd is not None:
                    shown = crowd.visit(shown)
                commands = await host.step(shown)
                if on_sweep is not None:
                    on_sweep(n, shown, commands, host.statistics())
                frame = village.advance(commands)
        finally:
            host.close()
    files = tuple(file.path for file in day_files(play.directory))
    return Played(statistics=host.statistics(), files=files, busiest=host.busiest())


class _Shift(NamedTuple):
    """How much later than the village's own clock a run is told."""

    seconds: float
    ticks: int

    @classmethod
    def after(cls, end: RunEnd | None, first: Frame) -> "_Shift":
        if end is None:
            return cls(0.0, 0)
        return cls(max(0.0, end.t + _PAUSE_S - first.t), end.tick)

    def apply(self, frame: Frame) -> Frame:
        if not self.ticks and not self.seconds:
            return frame
        return replace(frame, t=round(frame.t + self.seconds, 2), tick=frame.tick + self.ticks)


def _crowded(settings: HostSettings) -> HostSettings:
    params = replace(
        settings.params, max_facets=CROWD_MAX_FACETS, facet_idle_ttl_ticks=CROWD_IDLE_TTL_TICKS
    )
    return replace(settings, params=params)


def _thought_keeper(book: RecordBook) -> Callable[[float, Ask, Outcome], None]:
    def keep(t: float, ask: Ask, outcome: Outcome) -> None:
        row: dict[str, Any] = {
            "type": "executive.thought",
            "wallTime": round(t * 1000),
            "tick": ask.tick,
            "mind": ask.mind,
            "askId": ask.ask_id,
            "part": ask.kind.value,
        }
        if ask.facet_id is not None:
            row["facetId"] = ask.facet_id
        if ask.key is not None:
            row["key"] = ask.key
        row |= {
            "system": ask.system,
            "prompt": ask.prompt,
            "latencyMs": round(outcome.latency_ms, 1),
        }
        match outcome:
            case Answered():
                row["answer"] = outcome.text
            case NotAnswered():
                row["error"] = outcome.failure.value
        book.add(Log.THOUGHTS, row)

    return keep
