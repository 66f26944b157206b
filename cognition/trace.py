"""Where the events of a mind's life go.

The core hands each event to a sink as a plain dict: ``type``, ``tick`` and the event's own fields,
in camelCase. :class:`Trace` puts the mind's name and the host's time beside them. There are sinks
for a callable, for structlog and for anything with a ``write``; whichever it is, a sink that
raises is reported once and never stops a mind.

The master's thoughts use the facets' event types, with :data:`MASTER` as the facet's id: it is
never spawned and never ends.
"""

import json
import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol

from cognition._values import thaw

if TYPE_CHECKING:
    from structlog.typing import FilteringBoundLogger

__all__ = [
    "MASTER",
    "MAX_REASONING_CHARS",
    "Event",
    "Sink",
    "Trace",
    "Writer",
    "guarded",
    "shortened",
    "structlog_sink",
    "writer_sink",
]

MASTER: Final = "master"
"""Stands for the facet's id in the events of the master's own thoughts."""

MAX_REASONING_CHARS: Final = 500
"""Of an answer's sentence in the trace; the whole of it is in the kept thought."""

Event = dict[str, Any]
Sink = Callable[[Event], None]

_log = logging.getLogger(__name__)


class Writer(Protocol):
    """Anything that takes text: an open file, ``sys.stderr``, a buffer."""

    def write(self, text: str, /) -> object: ...


class _Guarded:
    """A sink whose failures stay its own."""

    __slots__ = ("_reported", "_sink")

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._reported = False

    def __call__(self, event: Event) -> None:
        try:
            self._sink(event)
        except Exception:  # noqa: BLE001 - whatever a sink does wrong stays with the sink
            if not self._reported:
                self._reported = True
                _log.exception(
                    "a trace sink raised on %r; further failures of it go unreported",
                    event.get("type"),
                )


def guarded(sink: Sink) -> Sink:
    """``sink``, except that an exception in it is logged once and goes no further."""
    return sink if isinstance(sink, _Guarded) else _Guarded(sink)


class Trace:
    """A sink that completes events with ``mind`` and ``wallTime`` and passes them on.

    ``wall_time`` gives unix milliseconds on the clock of the run; without it events go on
    without a time.
    """

    __slots__ = ("_mind", "_sink", "_wall_time")

    def __init__(
        self, sink: Sink, *, mind: str | None = None, wall_time: Callable[[], int] | None = None
    ) -> None:
        self._sink = guarded(sink)
        self._mind = mind
        self._wall_time = wall_time

    def __call__(self, event: Event) -> None:
        out: Event = {"type": event["type"]}
        if self._wall_time is not None:
            out["wallTime"] = self._wall_time()
        out["tick"] = event["tick"]
        if self._mind is not None:
            out["mind"] = self._mind
        self._sink(out | {k: v for k, v in event.items() if k not in out})


def structlog_sink(logger: "FilteringBoundLogger | None" = None) -> Sink:
    """Each event as one ``info`` of a structlog logger; its type is the message.

    Without a logger the host's own configuration of structlog decides where that goes.
    """
    if logger is None:
        import structlog

        logger = structlog.get_logger("mindot.trace")
    bound = logger

    def sink(event: Event) -> None:
        fields: Mapping[str, Any] = {k: v for k, v in event.items() if k != "type"}
        bound.info(event["type"], **fields)

    return sink


def writer_sink(writer: Writer) -> Sink:
    """Each event as one line of JSON, written at once."""

    def sink(event: Event) -> None:
        writer.write(json.dumps(thaw(event), ensure_ascii=True, separators=(",", ":")) + "\n")

    return sink


def shortened(text: str, limit: int = MAX_REASONING_CHARS) -> str:
    """``text`` in at most ``limit`` characters; an ellipsis stands where it was cut."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
