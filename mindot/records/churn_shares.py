"""Counting long traces in several processes, each of them some of the minds.

Every process reads every row, which is the smaller part of the work, and counts those of its own
minds. What comes of it is the same as in one process.
"""

import os
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Final

from cognition.facet_counts import MAX_REASONS
from mindot.records.churn import Churn, Share
from mindot.records.lines import is_compressed
from mindot.records.parts import PART_SIZE, each_part, processors

__all__ = ["ends_of", "read_in_shares", "shares_of"]

_MOST_SHARES: Final = 2
"""More would mostly read, and a game wants the machine too."""


def shares_of(paths: Sequence[Path], size: int = PART_SIZE) -> list[Share]:
    """The shares worth a process of their own; small files are one share.

    Raises:
        OSError: a file is not there.
    """
    length = sum(path.stat().st_size for path in paths)
    count = max(1, min(length // size, processors(), _MOST_SHARES))
    return [Share(number, count) for number in range(count)]


def ends_of(paths: Sequence[Path]) -> dict[Path, int | None]:
    """Where each file ends now: every process has to read the same rows, and a game may go on
    writing. None for a compressed file, whose size tells nothing of where its rows end.

    Raises:
        OSError: a file cannot be opened.
    """
    ends: dict[Path, int | None] = {}
    for path in paths:
        with path.open("rb") as file:
            ends[path] = None if is_compressed(file) else file.seek(0, os.SEEK_END)
    return ends


def read_in_shares(
    shares: Sequence[Share],
    begin: Callable[[Share | None], Churn],
    read: Callable[[Churn, Share | None], None],
) -> Churn:
    """What ``read`` counts, put together.

    Args:
        shares: as :func:`shares_of` gives them.
        begin: gives what counts one share, or everything for None.
        read: reads the files into it, in this process for the first share; each time up to the
            same ends, as :func:`ends_of` gives them.
    """
    if len(shares) > 1:

        def work(share: Share, output: IO[bytes]) -> None:
            part = begin(share)
            read(part, share)
            pickle.dump(part, output, pickle.HIGHEST_PROTOCOL)

        counted: list[Churn] = [
            pickle.load(output)  # noqa: S301 - written a moment ago by this program
            for output in each_part(shares, work)
        ]
        whole = counted[0]
        for other in counted[1:]:
            whole.add(other)
        if whole.most_reasons < MAX_REASONS:
            return whole
        # which words were the first so many depends on the order of all rows
    whole = begin(None)
    read(whole, None)
    return whole
