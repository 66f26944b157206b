"""Receipts as evidence: whom a row shows the character to have reached."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mindot.game.contract import INTENTION_TIERS
from mindot.game.frame import Command, name_key
from mindot.student.sweep import SweepRow

__all__ = ["Reached", "party_of", "reached_by"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """Somebody was reached, and the record that shows it."""

    party: str
    """Entity id: the name key, or the role where the record names a role."""
    record: dict[str, Any]
    """Where to look it up: ``t``, ``served`` or ``cmd``, and ``episode`` where there is one."""


def party_of(target: str | None) -> str | None:
    """Whom it names: ``ally:<name>``, or a bare name or role. A place and oneself are nobody."""
    if not target or target == "self":
        return None
    kind, colon, rest = target.partition(":")
    if not colon:
        return name_key(target)
    return name_key(rest) if kind == "ally" and rest else None


def reached_by(row: SweepRow, commands: tuple[Command, ...]) -> Iterator[Reached]:
    """Everybody whom this row's deed reached, each once.

    ``commands`` are those that really left. A plan's row counts by its target, any other by the
    commands addressed to somebody.
    """
    seen: set[str] = set()
    receipt = row.receipt
    if row.served in INTENTION_TIERS:
        party = party_of(receipt.get("target"))
        if party is not None and "target" in receipt:
            seen.add(party)
            yield Reached(
                party=party,
                record={"t": receipt["t"], "served": row.served, "episode": receipt["episode"]},
            )
    for command in commands:
        party = party_of(command.target)
        if party is not None and party not in seen:
            seen.add(party)
            yield Reached(
                party=party,
                record={"t": receipt["t"], "served": row.served, "cmd": command.cmd},
            )
