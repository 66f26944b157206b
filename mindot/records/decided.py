"""The rows of a receipt file that somebody decided in: every one but the calm."""

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, Final, TypeAlias

from mindot.game.contract import RECORD_VERSION
from mindot.records.parts import Part
from mindot.records.reader import CALM, Record, is_newer, read

__all__ = ["Take", "decided_rows"]

_VERSION: Final = attrgetter("v")

Take: TypeAlias = Callable[[Mapping[str, Any], bytes], None]
"""Takes a row and its own bytes. Of a row read by its type the mapping holds the fields a line
about the decision needs; absent ones are empty or None."""


def decided_rows(part: Part, take: Take, *, typed: bool) -> bool:
    """Hand on the decided rows of a part, in order.

    Args:
        typed: read by typed blocks, which is the quicker the more rows there are.

    Returns:
        Whether any row, a calm one too, is of a later format.

    Raises:
        OSError: the file cannot be opened.
    """
    later = False

    def item(item: object) -> None:
        nonlocal later
        if isinstance(item, Record):
            later = later or is_newer(item.value)
            if item.value.get("served", CALM) != CALM:
                take(item.value, item.text)

    if not typed:
        for found in read(part.path, start=part.start, stop=part.stop):
            item(found)
        return later

    from msgspec.structs import asdict

    from mindot.records.typed import DecidedRow, scan

    def rows(rows: list[Any], lines: list[bytes], _offset: int) -> None:
        nonlocal later
        later = later or max(map(_VERSION, rows)) > RECORD_VERSION
        for row, line in zip(rows, lines, strict=True):
            if row.served != CALM:
                take(asdict(row), line)

    scan(part.path, {DecidedRow: rows}, item, start=part.start, stop=part.stop)
    return later
