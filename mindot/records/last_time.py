"""The newest time in a directory's records: where a run that is added to them goes on."""

from pathlib import Path

import orjson

from mindot.records.logs import Log, day_files

__all__ = ["last_record_time"]


def last_record_time(directory: Path) -> float | None:
    """Unix seconds of the newest row in any log of ``directory``; None without a readable one.

    Unreadable rows are passed over; each log is in order of time but for what was appended by
    several writers, so the last 64 KiB of its newest file are enough.
    """
    newest: float | None = None
    for log in Log:
        for file in day_files(directory, [log])[-1:]:
            for t in _times_at_the_end(file.path, log):
                newest = t if newest is None else max(newest, t)
    return newest


def _times_at_the_end(path: Path, log: Log, span: int = 65_536) -> list[float]:
    import gzip

    if path.suffix == ".gz":
        with gzip.open(path) as packed:
            tail = packed.read()[-span:]
    else:
        with path.open("rb") as plain:
            plain.seek(0, 2)
            plain.seek(max(0, plain.tell() - span))
            tail = plain.read()
    times: list[float] = []
    for line in tail.split(b"\n"):
        try:
            row = orjson.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict) and isinstance(row.get(log.time_field), int | float):
            times.append(row[log.time_field] * log.unit)
    return times
