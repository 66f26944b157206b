"""Words that go out to whoever listens while an answer is still arriving."""

import logging
from collections.abc import Callable

from llm_wire import ReplyStream

__all__ = ["Listener", "Speech"]

Listener = Callable[[str], object]

_log = logging.getLogger(__name__)


class _Ear:
    """One listening of a listener: the same callable may listen more than once."""

    __slots__ = ("listener",)

    def __init__(self, listener: Listener) -> None:
        self.listener = listener


class _Hearing:
    """One answer as it arrives, and how much of its words each listener has had."""

    __slots__ = ("had", "stream", "words")

    def __init__(self) -> None:
        self.stream = ReplyStream()
        self.words = ""
        self.had: dict[_Ear, int] = {}  # characters


class Speech:
    """The listeners of a mind's threads, and the answers that are being heard.

    What each listener gets, joined, is the reply as the whole answer has it, also when it joins
    while the answer is arriving: with the next words it gets those it missed. A listener that
    raises is let go and harms nobody else.
    """

    __slots__ = ("_ears", "_hearings")

    def __init__(self) -> None:
        self._ears: dict[str, list[_Ear]] = {}
        self._hearings: dict[str, _Hearing] = {}

    def listen(self, key: str, listener: Listener) -> Callable[[], None]:
        """Have ``listener`` get the words of the thread ``key``. The result ends that."""
        ear = _Ear(listener)
        self._ears.setdefault(key, []).append(ear)

        def stop() -> None:
            self._let_go(key, ear)

        return stop

    def heard(self, key: str | None) -> bool:
        """Whether somebody listens to the thread ``key``."""
        return key in self._ears

    def hear(self, ask_id: str, key: str | None, chunk: str) -> None:
        """A piece of an answer arrived. It is read also while nobody listens: somebody may yet
        join."""
        if key is None:
            return
        hearing = self._hearings.setdefault(ask_id, _Hearing())
        hearing.words += hearing.stream.feed(chunk)
        self._say(key, hearing)

    def finish(self, ask_id: str, key: str | None, text: str) -> None:
        """The answer is whole: say what was held back, or all of it if nobody heard it grow."""
        hearing = self._hearings.pop(ask_id, None)
        if key is None or key not in self._ears:
            return
        if hearing is None:
            hearing = _Hearing()
            hearing.words = hearing.stream.feed(text)
        hearing.words += hearing.stream.close()
        self._say(key, hearing)

    def discard(self, ask_id: str) -> None:
        """The answer will not become whole."""
        self._hearings.pop(ask_id, None)

    def _say(self, key: str, hearing: _Hearing) -> None:
        for ear in list(self._ears.get(key, ())):
            missed = hearing.words[hearing.had.get(ear, 0) :]
            hearing.had[ear] = len(hearing.words)
            if not missed or ear not in self._ears.get(key, ()):
                continue
            try:
                ear.listener(missed)
            except Exception:  # noqa: BLE001 - whatever a listener does wrong stays with it
                _log.exception("a listener of %r raised and is let go", key)
                self._let_go(key, ear)

    def _let_go(self, key: str, ear: _Ear) -> None:
        kept = self._ears.get(key, [])
        if ear in kept:
            kept.remove(ear)
        if not kept:
            self._ears.pop(key, None)
