"""Playing the built-in village: world, host and records put together, sweep after sweep."""

from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import anyio
from anyio.abc import TaskGroup

from cognition.asking import Answered, Ask, NotAnswered, Outcome
from cognition.trace import structlog_sink
from mindot.game.frame import Command, Frame
from mindot.host.host import Host, HostSettings
from mindot.host.models import Models, scripted_models
from mindot.host.pace import Pace, no_pause
from mindot.host.record_book import RecordBook
from mindot.host.statistics import HostStatistics
from mindot.host.thinking import Background, LockStep
from mindot.records.logs import Log, day_files
from mindot.records.run_end import RunEnd
from mindot.village.clock import SWEEP_SECONDS
from mindot.village.crowd import Crowd
from mindot.village.village import DEFAULT_SEED, Village

__all__ = ["LASTING_DIR", "OnSweep", "Play", "Played", "play_village"]

DEFAULT_SWEEPS: Final = 400
_PAUSE_S: Final = 60.0
"""Record time between an earlier run's last row and the first of one appended to it."""
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
    log_trace: bool = False
    """Log each event of the minds, as structlog is configured."""
    crowd: bool = False
    """Market day: travellers talk to a few villagers, who have little attention to spare."""
    settings: HostSettings = field(default_factory=HostSettings)
    after: RunEnd | None = None
    """The end of the run that this one is added to: its clock goes on from there, and its minds
    take up what they kept. None: a new village, at its own time."""

    def header(self) -> dict[str, Any]:
        """What a recording has to say so that a replay plays the same run."""
        return {
            "sweeps": self.sweeps,
            "seed": self.seed,
            "keep_prompts": self.keep_prompts,
            "crowd": self.crowd,
        }

    @classmethod
    def from_header(cls, header: Mapping[str, Any], directory: Path) -> Self:
        """The run that :meth:`header` tells of. Raises ValueError for anything else."""
        settings: dict[str, Any] = {name: header.get(name) for name in _HEADER_TYPES}
        if {name: type(value) for name, value in settings.items()} != _HEADER_TYPES:
            raise ValueError(f"the recording is of no run of the village: {dict(header)!r}")
        return cls(directory=directory, **settings)


_HEADER_TYPES: Final = {"sweeps": int, "seed": int, "keep_prompts": bool, "crowd": bool}


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """What a run came to."""

    statistics: HostStatistics
    files: tuple[Path, ...]
    busiest: str | None
    """The character whose plans acted most often: the one worth asking about."""


OnSweep = Callable[[int, Frame, tuple[Command, ...], HostStatistics], None]


async def play_village(
    play: Play,
    models: Models | None = None,
    pace: Pace = no_pause,
    on_sweep: OnSweep | None = None,
) -> Played:
    """Play ``play.sweeps`` sweeps; records appear in ``play.directory``.

    ``models`` is who thinks, by default the village's script. ``pace`` is awaited before each
    sweep with its number. A cancellation ends the run with every facet closed and every record of
    a finished sweep written.

    Raises:
        LogWriteError: the records could not be written.
        LastingStateError: what a mind kept from an earlier run cannot be read.
        ReplayDiffers: a replay asked what its recording does not hold.
    """
    models = models or scripted_models(play.seed)
    failure: Exception | None = None
    async with aclosing(models.transport), anyio.create_task_group() as tasks:
        try:
            statistics, busiest = await _sweep_on(play, models, tasks, pace, on_sweep)
        except Exception as error:  # noqa: BLE001 - raised again below, out of its group
            failure = error
        tasks.cancel_scope.cancel()
    if failure is not None:
        raise failure
    files = tuple(file.path for file in day_files(play.directory))
    return Played(statistics=statistics, files=files, busiest=busiest)


async def _sweep_on(
    play: Play, models: Models, tasks: TaskGroup, pace: Pace, on_sweep: OnSweep | None
) -> tuple[HostStatistics, str | None]:
    village = Village(play.seed)
    frame = village.frame()
    shift = _Shift.after(play.after, frame)
    crowd = Crowd(play.seed) if play.crowd else None
    with RecordBook(play.directory) as book:
        host = Host(
            transport=models.transport,
            thinking=LockStep(models.lands) if models.lands else Background(tasks),
            records=book,
            settings=_crowded(play.settings) if play.crowd else play.settings,
            keep_thought=_thought_keeper(book) if play.keep_prompts else None,
            lasting=play.directory / LASTING_DIR,
            landed=models.landed,
            traced=structlog_sink() if play.log_trace else None,
            schema=models.schema,
        )
        try:
            for n in range(1, play.sweeps + 1):
                await pace(n)
                shown = shift.apply(frame)
                if crowd is not None:
                    shown = crowd.visit(shown)
                commands = await host.step(shown)
                if models.clock is not None:
                    models.clock.advance(SWEEP_SECONDS)
                if on_sweep is not None:
                    on_sweep(n, shown, commands, host.statistics())
                frame = village.advance(commands)
        finally:
            host.close()
    return host.statistics(), host.busiest()


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
                if outcome.detail:
                    row["detail"] = outcome.detail
        book.add(Log.THOUGHTS, row)

    return keep
