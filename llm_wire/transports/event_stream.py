"""Server-sent events out of bytes, as both SDKs' servers send their streamed answers.

Sans-I/O: :meth:`EventStream.feed` takes what arrived and gives the events that it completes.
"""

import codecs
from typing import Final

__all__ = ["MAX_EVENT_CHARS", "EventStream", "EventStreamError"]

MAX_EVENT_CHARS: Final = 1 << 20
"""Longest event. A token's has some hundred characters; what is longer than this is no stream."""


class EventStreamError(ValueError):
    """The bytes are no event stream."""


class EventStream:
    """Reads ``text/event-stream``; line ends may be LF, CR LF or CR, cut anywhere.

    An event is its data: what kind it is stands in there too, with both SDKs' servers.
    """

    __slots__ = ("_data", "_decoder", "_line", "_size", "_skip_newline")

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._line: list[str] = []
        self._data: list[str] = []
        self._size = 0
        self._skip_newline = False

    def feed(self, chunk: bytes) -> list[str]:
        """The data of the events that ``chunk`` completes. Raises :class:`EventStreamError`."""
        return self._take(self._decode(chunk, final=False))

    def close(self) -> list[str]:
        """The event that stood without a blank line at the end, if any."""
        return self._take(self._decode(b"", final=True) + "\n\n")

    def _decode(self, chunk: bytes, *, final: bool) -> str:
        try:
            return self._decoder.decode(chunk, final)
        except UnicodeDecodeError as error:
            raise EventStreamError(f"the stream is not UTF-8 ({error.reason})") from None

    def _take(self, text: str) -> list[str]:
        if self._skip_newline and text:
            text = text.removeprefix("\n")
            self._skip_newline = False
        if text.endswith("\r"):
            # its newline may be the first byte of the next chunk
            self._skip_newline = True
        *whole, rest = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        events: list[str] = []
        for line in whole:
            self._line.append(line)
            event = self._end_line("".join(self._line))
            self._line.clear()
            if event is not None:
                events.append(event)
        if rest:
            self._line.append(rest)
            self._grow(len(rest))
        return events

    def _end_line(self, line: str) -> str | None:
        if not line:
            event = "\n".join(self._data) if self._data else None
            self._size = 0
            self._data.clear()
            return event
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
            self._grow(len(value))
        return None

    def _grow(self, chars: int) -> None:
        self._size += chars
        if self._size > MAX_EVENT_CHARS:
            raise EventStreamError(f"an event of more than {MAX_EVENT_CHARS} characters")
