"""The memory that keeps one dilemma from being asked twice in a breath."""

from collections import OrderedDict

__all__ = ["DebounceWindow"]

_Question = tuple[str, str, frozenset[str]]


class DebounceWindow:
    """Which character was asked about which dilemma, and when, within a window of seconds.

    A dilemma is its situation string and its two best actions, in whatever order the two
    stand: a hair's difference between them does not make it another question.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._asked: OrderedDict[_Question, float] = OrderedDict()

    def __len__(self) -> int:
        return len(self._asked)

    def asked(self, key: str, tup: str, top2: tuple[str, str], t: float) -> bool:
        """Whether this dilemma was put to the mind of ``key`` less than a window ago."""
        then = self._asked.get((key, tup, frozenset(top2)))
        return then is not None and 0 <= t - then < self._seconds

    def note(self, key: str, tup: str, top2: tuple[str, str], t: float) -> None:
        """The dilemma is being asked now; the window runs from here and is not extended."""
        question = (key, tup, frozenset(top2))
        self._asked[question] = t
        self._asked.move_to_end(question)

    def forget_before(self, t: float) -> None:
        """Drop what was asked a window or longer ago; call it once a sweep."""
        while self._asked:
            question, then = next(iter(self._asked.items()))
            if 0 <= t - then < self._seconds:
                break
            del self._asked[question]
