"""What each character remembers of what happened to it, as lines."""

from collections import deque
from dataclasses import dataclass

from mindot.deliberator.wake import Wake

__all__ = ["Journal"]


@dataclass(frozen=True, slots=True)
class _Entry:
    subject: str | None
    text: str


class Journal:
    """A bounded memory of wakes, by name key. The oldest entries give way."""

    def __init__(self, *, limit: int = 32) -> None:
        self._limit = limit
        self._entries: dict[str, deque[_Entry]] = {}

    def write(self, wake: Wake) -> None:
        """Remember what happened. The same words about the same one are kept once."""
        entries = self._entries.setdefault(wake.key, deque(maxlen=self._limit))
        entry = _Entry(wake.subject_key, wake.text)
        if entry in entries:
            entries.remove(entry)
        entries.append(entry)

    def recall(self, wake: Wake, *, most: int = 5) -> tuple[str, ...]:
        """Earlier entries about the wake's subject, the newest last. Not the wake's own."""
        entries = self._entries.get(wake.key, ())
        about = [e.text for e in entries if e.subject == wake.subject_key and e.text != wake.text]
        return tuple(about[-most:])
