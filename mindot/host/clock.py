"""The clock of a run: the game's own time, never the machine's."""

__all__ = ["RunClock"]


class RunClock:
    """Seconds since the epoch as the frames tell them; between two frames it stands still."""

    def __init__(self) -> None:
        self._t = 0.0

    def now(self) -> float:
        return self._t

    def set(self, t: float) -> None:
        self._t = t
