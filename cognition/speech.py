"""Words that go out to whoever listens while an answer is still arriving."""

import logging
from collections.abc import Callable

from llm_wire import ReplyStream

__all__ = ["Listener", "Speech"]

Listener = Callable[[str], object]

_log = logging.getLogger(__name__)


class Speech:
    """The listeners of a mind's threads, and the answers that are being heard.

    What one thread's listeners get, joined, is the reply as the whole answer has it. A listener
    that raises is let go and harms nobody else.
    """

    __slots__ = ("_listeners", "_streams")

    def __init__(self) -> None:
        self._listeners: dict[str, list[Listener]] = {}
        self._streams: dict[str, ReplyStream] = {}

    def listen(self, key: str, listener: Listener) -> Callable[[], None]:
        """Have ``listener`` get the words of the thread ``key``. The result ends that."""
        self._listeners.setdefault(key, []).append(listener)

        def stop() -> None:
            self._let_go(key, listener)

        return stop

    def heard(self, key: str | None) -> bool:
        """Whether somebody listens to the thread ``key``."""
        return key in self._listeners

    def hear(self, ask_id: str, key: str | None, chunk: str) -> None:
        """A piece of an answer arrived."""
        if key is None or key not in self._listeners:
            return
        stream = self._streams.setdefault(ask_id, ReplyStream())
        self._say(key, stream.feed(chunk))

    def finish(self, ask_id: str, key: str | None, text: str) -> None:
        """The answer is whole: say what was held back, or all of it if nobody heard it grow."""
        stream = self._streams.pop(ask_id, None)
        if key is None or key not in self._listeners:
            return
        if stream is None:
            stream = ReplyStream()
            self._say(key, stream.feed(text))
        self._say(key, stream.close())

    def discard(self, ask_id: str) -> None:
        """The answer will not become whole."""
        self._streams.pop(ask_id, None)

    def _say(self, key: str, words: str) -> None:
        if not words:
            return
        for listener in list(self._listeners.get(key, ())):
            try:
                listener(words)
            except Exception:  # noqa: BLE001 - whatever a listener does wrong stays with it
                _log.exception("a listener of %r raised and is let go", key)
                self._let_go(key, listener)

    def _let_go(self, key: str, listener: Listener) -> None:
        kept = self._listeners.get(key, [])
        if listener in kept:
            kept.remove(listener)
        if not kept:
            self._listeners.pop(key, None)
