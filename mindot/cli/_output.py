"""Standard output that cannot be written: a full disk, or a reader that has seen enough."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final, NoReturn

import click

from mindot.cli._common import EXIT_MISUSE

__all__ = ["OutputError", "output_guarded", "write_output"]

_EXIT_PIPE: Final = 141
"""What a shell reports of a program that a closed pipe ended."""


class OutputError(Exception):
    """Standard output refused what was written. No OSError, for those are about files read."""

    def __init__(self, cause: OSError) -> None:
        self.cause = cause
        super().__init__(str(cause))


def write_output(data: bytes) -> None:
    """Write to standard output where files are read too.

    Raises:
        OutputError: it cannot be written.
    """
    try:
        sys.stdout.buffer.write(data)
    except OSError as error:
        raise OutputError(error) from error


@contextmanager
def output_guarded() -> Iterator[None]:
    """Whatever runs in here, output that cannot be written ends the program in one way: in silence
    if the reader of a pipe went away, else with a message and exit 2."""
    if sys.stdout is None:
        _end(OSError(errno.EBADF, "it is closed"))
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except OutputError as error:
        _end(error.cause)
    except OSError as error:
        # What a command could not read has a name, and most commands say it themselves.
        if error.filename is not None:
            raise
        _end(error)


def _end(cause: OSError) -> NoReturn:
    # What is still buffered would be tried again, and complained of, as the interpreter ends.
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    if isinstance(cause, BrokenPipeError):
        raise SystemExit(_EXIT_PIPE)
    click.echo(f"mindot: cannot write the output: {cause.strerror or cause}", err=True)
    raise SystemExit(EXIT_MISUSE)
