"""Large work in parts, one process each, with the results in the order of the parts."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Final, NamedTuple, TypeAlias, TypeVar

from mindot.records.lines import is_compressed

__all__ = ["PART_SIZE", "Part", "Work", "each_part", "parts_of", "processors"]

PART_SIZE: Final = 32 * 1024 * 1024
"""Bytes below which another process costs more than it saves."""
_MOST_PARTS: Final = 4
"""A game wants the machine too."""


class Part(NamedTuple):
    """A stretch of a file that begins and ends with a line."""

    path: Path
    start: int = 0
    stop: int | None = None
    """None: to the end, whatever is written meanwhile."""


def parts_of(path: Path, size: int = PART_SIZE) -> list[Part]:
    """The parts worth a process of their own; a compressed or a small file is one part.

    Raises:
        OSError: the file cannot be opened.
    """
    with path.open("rb") as file:
        if is_compressed(file):
            return [Part(path)]
        length = file.seek(0, os.SEEK_END)
        count = max(1, min(length // size, processors(), _MOST_PARTS))
        cuts = [0]
        for number in range(1, count):
            file.seek(max(cuts[-1], length * number // count))
            while (line := file.readline(PART_SIZE)) and not line.endswith(b"\n"):
                pass
            cuts.append(file.tell())
    stops: list[int | None] = [*cuts[1:], None]
    return [Part(path, start, stop) for start, stop in zip(cuts, stops, strict=True)]


_P = TypeVar("_P")
Work: TypeAlias = Callable[[_P, IO[bytes]], None]
"""Works on a part and writes what comes of it."""


def each_part(parts: Sequence[_P], work: Work[_P]) -> Iterator[IO[bytes]]:
    """What ``work`` wrote for each part, in order, ready to be read.

    The first part is done here, the others in processes forked from this one. Where a process
    fails, or cannot be had, its part is done here too.
    """
    import tempfile  # only here: it brings half the library along, and most files are one part

    with ExitStack() as stack:
        outputs = [stack.enter_context(tempfile.TemporaryFile()) for _ in parts]
        children = [0, *(_fork(work, p, o) for p, o in zip(parts[1:], outputs[1:], strict=True))]
        for part, output, child in zip(parts, outputs, children, strict=True):
            if not child or os.waitpid(child, 0)[1] != 0:
                output.truncate(0)
                output.seek(0)
                work(part, output)
            output.seek(0)
            yield output


def _fork(work: Work[_P], part: _P, output: IO[bytes]) -> int:
    """The child's process id, or 0 if there is none."""
    try:
        child = os.fork()
    except OSError:
        return 0
    if child:
        return child
    status = 1
    try:
        work(part, output)
        output.flush()
        status = 0
    finally:
        os._exit(status)


def processors() -> int:
    """Processors this process may use; 1 where processes cannot be forked."""
    if not hasattr(os, "fork"):
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
