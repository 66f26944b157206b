"""What the blocks of an answer hold, gathered key by key in the order of the text."""

from typing import Any, Final

import orjson

from llm_wire.contracts import Block, BlockKind
from llm_wire.json_text import kept_exactly, may_be_inexact, unescape
from llm_wire.lenient_json import read_lenient
from llm_wire.markers import Extent, MarkerMap
from llm_wire.problems import ProblemCode, ProblemLog

__all__ = ["Harvest", "joined"]

_NOTHING: Final = object()
_BARE_KINDS: Final = {"UNDERTAKINGS": list, "NARRATIVE": str}
"""Of the tags with several keys, what a bare value has to be to mean the first of them."""


class Harvest:
    """Collects blocks from several texts and joins what they hold."""

    __slots__ = ("_problems", "found")

    def __init__(self, problems: ProblemLog) -> None:
        self._problems = problems
        self.found: dict[str, list[Any]] = {}
        """Key on the wire: its values in order; :func:`joined` makes one of them."""

    def gather(
        self,
        markers: MarkerMap,
        inside: list[tuple[int, int]],
        where: str,
        *,
        begin: int = 0,
        stop: int | None = None,
    ) -> None:
        """Read every block of a text whose opener lies outside the stretches ``inside``.

        ``inside`` is sorted by where the stretches begin; ``where`` names the text in problems.
        Openers before ``begin`` and from ``stop`` on are left to another call.
        """
        at, region, regions = 0, 0, len(inside)
        for start, end, closes, tag in markers.found:
            if closes or start < max(at, begin):
                continue
            if stop is not None and start >= stop:
                break
            while region < regions and inside[region][1] <= start:
                region += 1
            if region < regions and inside[region][0] <= start:
                continue
            if markers.may_hold(end, tag):
                at = max(at, self._block(markers.extent(start, end, tag), markers.text, where))

    def _block(self, extent: Extent, text: str, where: str) -> int:
        """Read one block; the index from which further openers count."""
        block = extent.block
        if block.kind is not BlockKind.JSON:
            return extent.end if block.kind is BlockKind.DISCARDED else extent.body
        value, read_to = self._payload(extent, text)
        if value is _NOTHING:
            self._problems.add(
                ProblemCode.BLOCK_UNREADABLE,
                f"{where}: {block.tag}",
                text[extent.body : extent.closer if extent.closer >= 0 else extent.body + 200],
            )
            return extent.body
        if not self.keep(block, value):
            self._problems.add(ProblemCode.BLOCK_UNREADABLE, f"{where}: {block.tag}", value)
        return read_to

    def _payload(self, extent: Extent, text: str) -> tuple[Any, int]:
        """The value of a block's body, or ``_NOTHING``; and how far it reached."""
        start = extent.payload
        if extent.payload_end > 0:
            value = self._read(text[start : extent.payload_end], escaped=extent.escaped)
            if value is not _NOTHING:
                return value, extent.payload_end
        if extent.closer < 0:
            return _NOTHING, 0
        body = text[start : extent.closer].rstrip().removesuffix("```").rstrip()
        if not body:
            return _NOTHING, 0
        if extent.payload_end <= 0 or extent.escaped:
            value = self._read(body, escaped=extent.escaped)
        else:
            value = _NOTHING
        return value, extent.end

    def _read(self, body: str, *, escaped: bool) -> Any:
        """Verbatim first, un-escaped only when that fails, and mended at last."""
        value = _NOTHING if escaped else self._verbatim(body)
        if value is _NOTHING and (plain := unescape(body)) is not None:
            value = self._verbatim(plain)
            if value is _NOTHING:
                value = self._mended(plain)
        return self._mended(body) if value is _NOTHING else value

    def _verbatim(self, body: str) -> Any:
        try:
            value = orjson.loads(body)
        except orjson.JSONDecodeError:
            return _NOTHING
        exact = not may_be_inexact(body) or kept_exactly(value)
        return value if exact else self._mended(body)

    def _mended(self, body: str) -> Any:
        if body[0] not in "{[":
            return _NOTHING
        reading = read_lenient(body, 0)
        if not reading.closed or reading.unwhole:
            return _NOTHING
        if reading.unkept:
            self._problems.add(ProblemCode.VALUE_UNKEPT, "block", f"{reading.unkept} values")
        return reading.value

    def keep(self, block: Block, value: Any) -> bool:
        """File what a payload holds under the block's keys; False when it holds none of them."""
        keys = block.keys
        kept = False
        if type(value) is dict:
            if len(value) == 1 and len(keys) == 1 and keys[0] in value:
                self._add(keys[0], value[keys[0]])
                return True
            for key in keys:
                if key in value:
                    kept = True
                    self._add(key, value[key])
        if not kept and (len(keys) == 1 or type(value) is _BARE_KINDS.get(block.tag)):
            # The value of the one key, without the object around it.
            self._add(keys[0], value)
            kept = True
        return kept

    def _add(self, key: str, value: Any) -> None:
        if value is None:
            return
        values = self.found.get(key)
        if values is None:
            self.found[key] = [value]
        else:
            values.append(value)


def joined(values: list[Any]) -> Any:
    """Lists one after the other; else the last value."""
    if len(values) > 1 and all(type(value) is list for value in values):
        return [item for value in values for item in value]
    return values[-1]
