"""Large work in parts, one process each, with the results in the order of the parts."""

import os
import signal
from _thread import start_new_thread
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from io import BytesIO
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
    fails, or cannot be had, its part is done here too, and in memory where there is no room for
    what is written: ``work`` may be called more than once for a part. Without any place for
    temporary files all parts are done here, one after the other.

    No process outlives the reading: when that ends early, they are killed and waited for, and when
    this process is killed, they end by themselves. Not covered is a process that can have no
    thread, or whose system or library does not let go of it: it ends when its part is done.
    """
    with ExitStack() as stack:
        try:
            outputs = [_temporary_file(stack) for _ in parts]
            children = _Children(stack)
        except OSError:
            for part in parts:
                yield _in_memory(part, work)
            return
        started = [
            0,
            *(children.fork(p, work, o) for p, o in zip(parts[1:], outputs[1:], strict=True)),
        ]
        for part, output, child in zip(parts, outputs, started, strict=True):
            if child and children.succeeded(child):
                output.seek(0)
                yield output
            else:
                yield _here(part, work, output)


def _temporary_file(stack: ExitStack) -> IO[bytes]:
    import tempfile  # only here: it brings half the library along, and most files are one part

    file = tempfile.TemporaryFile()  # noqa: SIM115 - the stack closes it
    stack.callback(_close, file)
    return file


def _close(file: IO[bytes]) -> None:
    with suppress(OSError):  # what there was no room for is written once more
        file.close()


def _here(part: _P, work: Work[_P], output: IO[bytes]) -> IO[bytes]:
    try:
        output.seek(0)
        output.truncate()
        work(part, output)
        output.seek(0)
    except OSError:  # no room perhaps; a part that cannot be read fails once more, as itself
        return _in_memory(part, work)
    return output


def _in_memory(part: _P, work: Work[_P]) -> IO[bytes]:
    output = BytesIO()
    work(part, output)
    output.seek(0)
    return output


class _Children:
    """Processes forked from this one, none of which outlives it or the stack."""

    def __init__(self, stack: ExitStack) -> None:
        self._running: list[int] = []
        # Nobody writes into it. It ends for those who read when nobody is left who could.
        self._ending, self._held = os.pipe()
        stack.callback(self._end)

    def fork(self, part: _P, work: Work[_P], output: IO[bytes]) -> int:
        """The child's process id, or 0 if there is none."""
        try:
            child = os.fork()
        except OSError:
            return 0
        if child:
            self._running.append(child)
            return child
        status = 1
        try:
            os.close(self._held)
            with suppress(RuntimeError):  # no thread to be had
                start_new_thread(_end_with, (self._ending,))
            work(part, output)
            output.flush()
            status = 0
        finally:
            os._exit(status)

    def succeeded(self, child: int) -> bool:
        """Whether a child did its part; waits for it."""
        try:
            status = os.waitpid(child, 0)[1]
        except ChildProcessError:  # somebody else has waited for it
            status = 1
        self._running.remove(child)
        return status == 0

    def _end(self) -> None:
        os.close(self._held)
        os.close(self._ending)
        for child in self._running:
            with suppress(OSError):  # it is gone already
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)


def _end_with(ending: int) -> None:
    """End this process when the one that it was forked from has ended."""
    os.read(ending, 1)
    os._exit(1)


def processors() -> int:
    """Processors this process may use; 1 where processes cannot be forked."""
    if not hasattr(os, "fork"):
        return 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
