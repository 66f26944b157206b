"""Keep what was asked and answered, and play it again without a model."""

import difflib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from anyio.lowlevel import checkpoint

from llm_wire.transport import (
    Completion,
    Failure,
    Pieces,
    Request,
    Transport,
    TransportError,
)
from llm_wire.transports.clock import AnyioClock, Clock
from llm_wire.transports.recording import (
    Landing,
    Recorded,
    RecordingError,
    RunHeader,
    read_recording,
)

__all__ = [
    "RecordedStatistics",
    "RecordedTransport",
    "RecorderStatistics",
    "RecordingTransport",
    "ReplayDiffers",
]

_CONTEXT_LINES: Final = 2


class _AskIds:
    """Names asks that have no id of their own: ``#1``, ``#2``, … for each asker."""

    def __init__(self) -> None:
        self._count: Counter[str] = Counter()

    def of(self, request: Request) -> str:
        if request.ask_id:
            return request.ask_id
        self._count[request.asker] += 1
        return f"#{self._count[request.asker]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pending:
    number: int
    request: Request
    ask_id: str
    start: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RecorderStatistics:
    """What a recording holds so far."""

    recorded: int
    landed: int


class RecordingTransport:
    """Asks ``inner``, and writes each request with its outcome to ``path`` (which is replaced).

    The host tells the tick at which an answer was taken in with :meth:`landed`.
    """

    def __init__(
        self,
        inner: Transport,
        path: Path,
        *,
        run: Mapping[str, Any] | None = None,
        clock: Clock | None = None,
    ) -> None:
        """``run`` is how the run is set up, as JSON values: a replay finds it in the first line."""
        self._inner = inner
        self._clock: Clock = clock if clock is not None else AnyioClock()
        self._ids = _AskIds()
        self._number = self._recorded = self._landed = 0
        self._file = path.open("w", encoding="ascii", newline="\n")
        if run is not None:
            self._write(RunHeader(settings=run).line())

    def statistics(self) -> RecorderStatistics:
        return RecorderStatistics(recorded=self._recorded, landed=self._landed)

    def landed(self, asker: str, ask_id: str, tick: int) -> None:
        """The outcome of this ask was taken in at ``tick``."""
        self._landed += 1
        self._write(Landing(asker=asker, ask_id=ask_id, tick=tick).line())

    async def ask(self, request: Request) -> Completion:
        pending = self._begin(request)
        outcome: Completion | TransportError = TransportError(Failure.CANCELLED)
        try:
            outcome = await self._inner.ask(request)
        except TransportError as error:
            outcome = error
            raise
        finally:
            self._end(pending, outcome)
        return outcome

    async def stream(self, request: Request) -> Pieces:
        pending = self._begin(request)
        outcome: Completion | TransportError = TransportError(Failure.CANCELLED)
        try:
            async with aclosing(self._inner.stream(request)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Completion):
                        outcome = piece
                    yield piece
        except TransportError as error:
            outcome = error
            raise
        finally:
            self._end(pending, outcome)

    async def aclose(self) -> None:
        """Close the file and the inner transport."""
        try:
            await self._inner.aclose()
        finally:
            self._file.close()

    def _begin(self, request: Request) -> _Pending:
        self._number += 1
        return _Pending(
            number=self._number,
            request=request,
            ask_id=self._ids.of(request),
            start=self._clock.now(),
        )

    def _end(self, pending: _Pending, outcome: Completion | TransportError) -> None:
        # who says what it took (a script does) keeps the recording free of this clock
        latency_ms = outcome.latency_ms
        if latency_ms is None:
            latency_ms = (self._clock.now() - pending.start) * 1000
        if isinstance(outcome, TransportError):
            outcome.latency_ms = latency_ms
        row = Recorded.of(pending.number, pending.request, pending.ask_id, outcome, latency_ms)
        self._recorded += 1
        self._write(row.line())

    def _write(self, line: str) -> None:
        self._file.write(line)
        self._file.flush()  # what a run that is killed has learned is worth keeping


class ReplayDiffers(Exception):  # noqa: N818  it says what happened, and the reader is a person
    """A replay asked something that its recording does not hold. No answer can stand in for it."""

    def __init__(self, asked: Request, ask_id: str, recorded: Recorded | None) -> None:
        self.asked = asked
        self.ask_id = ask_id
        self.recorded = recorded
        super().__init__(ask_id)

    @property
    def number(self) -> int | None:
        """Number of the recorded request, from 1; None: the recording has none for this ask."""
        return None if self.recorded is None else self.recorded.number

    def __str__(self) -> str:
        who = f"{self.asked.asker!r}, ask {self.ask_id!r}"
        asked = list(_lines(json.loads(self.asked.wire_bytes())))
        if self.recorded is None:
            shown = "\n".join(asked)
            return f"the recording holds no request of {who}; the replay asked:\n{shown}"
        diff = difflib.unified_diff(
            list(_lines(self.recorded.request)),
            asked,
            "recorded",
            "replayed",
            lineterm="",
            n=_CONTEXT_LINES,
        )
        return f"request {self.recorded.number} ({who}) differs:\n" + "\n".join(diff)


def _lines(request: Mapping[str, Any]) -> Iterator[str]:
    """A request as lines that can be compared: limits, then the texts."""
    for name in ("model", "max_tokens", "temperature", "schema"):
        yield f"{name}: {json.dumps(request[name], sort_keys=True)}"
    for role, text in (
        ("system", request["system"]),
        *((m["role"], m["content"]) for m in request["messages"]),
    ):
        yield f"[{role}]"
        yield from text.split("\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedStatistics:
    """How far a replay has come."""

    recorded: int
    """Requests in the file."""
    replayed: int


class RecordedTransport:
    """Answers from the recording at ``path``; no time passes.

    An ask is found by its asker and ``ask_id``. When it is not there, or its bytes are not those
    recorded, :class:`ReplayDiffers` is raised: not a failed thought, but the end of the replay.
    """

    def __init__(self, path: Path) -> None:
        self._rows: dict[tuple[str, str], Recorded] = {}
        self._ticks: dict[tuple[str, str], int] = {}
        self._replayed: set[tuple[str, str]] = set()
        self._ids = _AskIds()
        self.run: Mapping[str, Any] | None = None
        """How the recorded run was set up; None where the recording does not say."""
        for row in read_recording(path):
            if isinstance(row, RunHeader):
                self.run = row.settings
                continue
            key = (row.asker, row.ask_id)
            if isinstance(row, Landing):
                self._ticks[key] = row.tick
            elif key in self._rows:
                raise RecordingError(
                    f"{str(path)!r} holds ask {row.ask_id!r} of {row.asker!r} twice; "
                    "each ask of an asker needs an id of its own"
                )
            else:
                self._rows[key] = row

    def statistics(self) -> RecordedStatistics:
        return RecordedStatistics(recorded=len(self._rows), replayed=len(self._replayed))

    def landing_tick(self, asker: str, ask_id: str) -> int | None:
        """When the answer was taken in; None: it never was (the recorded run dropped it)."""
        return self._ticks.get((asker, ask_id))

    def unasked(self) -> tuple[Recorded, ...]:
        """What was recorded and not asked (yet), by number."""
        rest = (row for key, row in self._rows.items() if key not in self._replayed)
        return tuple(sorted(rest, key=lambda row: row.number))

    async def ask(self, request: Request) -> Completion:
        row = self._find(request)
        await checkpoint()
        return row.outcome()

    async def stream(self, request: Request) -> Pieces:
        row = self._find(request)
        await checkpoint()
        completion = row.outcome()
        yield completion.text
        yield completion

    async def aclose(self) -> None:
        await checkpoint()

    def _find(self, request: Request) -> Recorded:
        ask_id = self._ids.of(request)
        key = (request.asker, ask_id)
        row = self._rows.get(key)
        if row is None or row.digest != request.digest:
            raise ReplayDiffers(request, ask_id, row)
        self._replayed.add(key)
        return row
