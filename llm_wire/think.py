"""Think-blocks: the part of an answer in which a model talks to itself."""

import re
from collections.abc import Iterator
from typing import Final

__all__ = ["THINK_TAG", "outside_thinking"]

THINK_TAG: Final = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE | re.ASCII)
"""An opener or a closer; group 1 is ``/`` for a closer."""


def outside_thinking(text: str) -> Iterator[tuple[int, int]]:
    """The stretches of ``text`` outside think-blocks, as (start, end), for text without objects.

    Blocks nest; one that never closes reaches to the end. A closer without an opener ends
    nothing here, because on a prefix of the text nobody could have known of it.
    """
    depth, at = 0, 0
    for tag in THINK_TAG.finditer(text):
        if tag.group(1):
            if depth:
                depth -= 1
                at = tag.end()
        else:
            if not depth:
                yield at, tag.start()
            depth += 1
    if not depth:
        yield at, len(text)
