"""A flywheel record as a typed value, for programs that work with them."""

from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field

from mindot.records.encoding import decode_exactly

__all__ = ["FlywheelRecord"]


class FlywheelRecord(BaseModel):
    """What the deliberator did, a command that left, or a line that was spoken.

    :data:`mindot.game.contract.KINDS` says what each kind means and what its ``decision`` holds.
    Kinds and fields of later formats are kept, and written again.
    """

    model_config = ConfigDict(extra="allow", frozen=True, validate_by_name=True)

    v: int
    t: float
    kind: str
    decision: dict[str, Any]
    state: Any = None
    """The last feed frame the deliberator had seen."""
    situation: str | None = Field(default=None, alias="tuple")
    """The situation as one training string, where it could be built; ``tuple`` in the row."""

    @property
    def name(self) -> str | None:
        """Whom it is about."""
        name = self.decision.get("name")
        return name if isinstance(name, str) else None

    @classmethod
    def from_line(cls, line: bytes) -> Self:
        """The record in a line of a file.

        Raises:
            ValueError: the line is no JSON, or a field is missing or of another type.
        """
        return cls.model_validate(decode_exactly(line))

    def to_row(self) -> dict[str, Any]:
        """The row to write: the fields that were given, then those this version does not know."""
        return self.model_dump(exclude_unset=True, by_alias=True)
