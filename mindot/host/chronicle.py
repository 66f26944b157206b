"""What a host puts on record, in the form that each log wants."""

from collections.abc import Callable, Mapping
from typing import Any

from mindot.deliberator.coach import Coach
from mindot.game.frame import Character, Frame, name_key
from mindot.host.clock import RunClock
from mindot.host.record_book import RecordSink
from mindot.records.logs import Log
from mindot.student.features import feature_matrix
from mindot.student.situation import situation_tuple

__all__ = ["Chronicle"]


class Chronicle:
    """Receipts, flywheel records and trace rows on their way to a sink.

    ``heard`` is told of each flywheel record: some of them concern the character's own mind.
    ``traced`` gets each row of the trace besides.
    """

    def __init__(
        self,
        records: RecordSink,
        clock: RunClock,
        *,
        grudges: Callable[[], Mapping[str, float]],
        heard: Callable[[Mapping[str, Any]], None],
        traced: Callable[[dict[str, Any]], None] | None = None,
    ) -> None:
        self._records = records
        self._clock = clock
        self._grudges = grudges
        self._heard = heard
        self._traced = traced
        self._features: tuple[Frame, dict[str, tuple[Character, list[float]]]] | None = None
        self.coach = Coach(self._flywheel, tuple_of=self._situation)

    def receipt(self, row: dict[str, Any]) -> None:
        self._records.add(Log.RECEIPTS, row)

    def trace(self, mind: str, event: Mapping[str, Any]) -> None:
        """An event of a mind's life, with the mind's name and the run's time."""
        head: dict[str, Any] = {
            "type": event["type"],
            "wallTime": round(self._clock.now() * 1000),
            "tick": event["tick"],
            "mind": mind,
        }
        rest = {name: value for name, value in event.items() if name not in head}
        row = head | rest
        self._records.add(Log.TRACE, row)
        if self._traced is not None:
            self._traced(row)

    def flush(self) -> None:
        """The sweep is over: what it left is written."""
        self._records.flush()

    def _flywheel(self, row: dict[str, Any]) -> None:
        self._records.add(Log.FLYWHEEL, row)
        self._heard(row)

    def _situation(self, frame: Frame, name: str) -> str | None:
        """The training string of a character; everybody's features are worked out once a frame."""
        if self._features is None or self._features[0] is not frame:
            rows = feature_matrix(frame, self._grudges()).tolist()
            by_key = {c.key: (c, row) for c, row in zip(frame.characters, rows, strict=True)}
            self._features = (frame, by_key)
        found = self._features[1].get(name_key(name))
        return None if found is None else situation_tuple(found[0].archetype, found[1])
