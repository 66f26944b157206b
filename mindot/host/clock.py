"""The clock of a run: the game's own time, never the machine's."""

__all__ = ["RunClock"]


class RunClock:
    """Seconds since the epoch as the frames tell them.

    Between two frames it stands still, but for :meth:`pass_ms`: what a thought took on a run
    without real time is added, so that records can tell durations and stay the same bytes.
    """

    def __init__(self) -> None:
        self._t = 0.0

    def now(self) -> float:
        return self._t

    def set(self, t: float) -> None:
        self._t = t

    def pass_ms(self, milliseconds: float) -> None:
        self._t += milliseconds / 1000.0
