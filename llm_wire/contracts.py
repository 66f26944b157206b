"""The one table of what may stand between markers in a model's answer.

Everything else that knows a tag (the public tuples, the marker pattern, which keys a block may
hold and what they are called in Python) is derived from :data:`BLOCKS` below, so a new block is
one new row.
"""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

__all__ = [
    "BLOCKS",
    "BLOCK_BY_MARKER",
    "BLOCK_BY_TAG",
    "BLOCK_FIELDS",
    "LONGEST_MARKER",
    "MARKER",
    "PROTOCOL_TAGS",
    "TAGGED_BLOCKS",
    "Block",
    "BlockKind",
]


class BlockKind(StrEnum):
    """What a block's body is."""

    JSON = "json"
    TEXT = "text"
    DISCARDED = "discarded"
    """Taken out of the answer, kept nowhere."""


@dataclass(frozen=True, slots=True)
class Block:
    """One kind of block: its tag, its body, the keys that body may have."""

    tag: str
    kind: BlockKind
    keys: tuple[str, ...] = ()
    """The keys on the wire, in camelCase; the first one takes a payload that is a bare value."""
    protocol: bool = False
    """Whether the tag belongs to the conversation protocol (:data:`PROTOCOL_TAGS`)."""

    opener: str = field(init=False)
    closer: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "opener", f"[{self.tag}]")
        object.__setattr__(self, "closer", f"[/{self.tag}]")


_JSON, _TEXT, _DISCARDED = BlockKind.JSON, BlockKind.TEXT, BlockKind.DISCARDED

BLOCKS: Final[tuple[Block, ...]] = (
    Block("REPLY_TEXT", _TEXT, protocol=True),
    Block("NO_MESSAGE", _TEXT, protocol=True),
    Block("INTROSPECTION", _JSON, ("introspection",), protocol=True),
    Block("NARRATIVE", _JSON, ("narrative", "narrativeThemes", "currentSelfView"), protocol=True),
    Block("SELF_OBS", _JSON, ("selfObservations",), protocol=True),
    Block("PLANS", _JSON, ("plans",)),
    Block("BELIEFS", _JSON, ("newBeliefs",)),
    Block("IDENTITY", _JSON, ("identityUpdates",)),
    Block("KNOWN_ENTITIES", _JSON, ("knownEntityUpdates",)),
    Block("GOALS_NEW", _JSON, ("newGoals",)),
    Block("GOALS_ABANDON", _JSON, ("goalsToAbandon",)),
    Block("GOALS_REPRIORITIZE", _JSON, ("goalsToReprioritize",)),
    Block("SKILLS", _JSON, ("newSkills",)),
    Block("UNDERTAKINGS", _JSON, ("undertakings", "escalation")),
    Block("EFFECTORS", _DISCARDED),
    Block("ACK", _DISCARDED),
    Block("REPLY", _DISCARDED),
)

TAGGED_BLOCKS: Final[tuple[str, ...]] = tuple(block.tag for block in BLOCKS)
"""Every tag that may open a block, as bare names."""

PROTOCOL_TAGS: Final[tuple[str, ...]] = tuple(block.tag for block in BLOCKS if block.protocol)
"""The tags a conversation is made of, as bare names."""

BLOCK_BY_TAG: Final[dict[str, Block]] = {block.tag: block for block in BLOCKS}

BLOCK_BY_MARKER: Final[dict[str, Block]] = {block.opener: block for block in BLOCKS}
"""By opener, in capitals."""


def _snake(key: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", key).lower()


BLOCK_FIELDS: Final[dict[str, str]] = {key: _snake(key) for block in BLOCKS for key in block.keys}
"""Key on the wire: name in Python."""

MARKER: Final = re.compile(
    rf"\[(/?)({'|'.join(sorted(TAGGED_BLOCKS, key=len, reverse=True))})\]",
    re.IGNORECASE | re.ASCII,
)
"""Any opener or closer; group 1 is ``/`` for a closer, group 2 the tag as it was written."""

LONGEST_MARKER: Final = max(len(block.closer) for block in BLOCKS)
"""Characters in the longest marker: all that a stream may have to hold back."""
