"""A reflex receipt as a typed value, for programs that work with them.

The commands read plain rows instead: they start quicker, and they show what does not fit.
"""

from typing import Any, Self

from pydantic import BaseModel, ConfigDict

from mindot.records.encoding import decode_exactly

__all__ = ["Mask", "Receipt"]


class Mask(BaseModel):
    """What a manifest took away from the head's choice."""

    model_config = ConfigDict(extra="allow", frozen=True)

    pre: dict[str, float]
    post: dict[str, float]
    masked: list[str]


class Receipt(BaseModel):
    """One character in one sweep. Fields of later formats are kept, and written again.

    :data:`mindot.game.contract.RECEIPT_FIELDS` says what each field means.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    v: int
    t: float
    world: str
    tab: str
    npc: int
    name: str
    served: str
    action: str
    conf: float
    tau: float
    probs: dict[str, float]
    features: dict[str, float] | None = None
    episode: str | None = None
    mask: Mask | None = None
    desire: str | None = None
    evidence: str | None = None
    plan: list[str] | None = None
    step: int | None = None
    subject: str | None = None
    target: str | None = None
    target_handle: int | None = None
    top2: list[list[Any]] | None = None
    tup: str | None = None
    why: str | None = None
    cmds: list[dict[str, Any]] | None = None

    @classmethod
    def from_line(cls, line: bytes) -> Self:
        """The receipt in a line of a file.

        Raises:
            ValueError: the line is no JSON, or a field is missing or of another type.
        """
        return cls.model_validate(decode_exactly(line))

    def to_row(self) -> dict[str, Any]:
        """The row to write: the fields that were given, in the order of the contract, then those
        this version does not know."""
        return self.model_dump(exclude_unset=True)
