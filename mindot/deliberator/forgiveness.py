"""Grudges and what undoes them.

A wrong leaves a grudge against the offender. It fades by half every ``half_life_s``; a new wrong
adds to what is left. Amends are weighed against it by rules with an id and words::

    [grudges]
    half_life_s = 1800
    floor = 0.05

    [[forgiveness]]
    id = "repayment"
    when = { words = ["pay you back", "brought it back"] }
    excul = 0.7
    traits = { warm = 0.2 }
    because = "what was taken came back"
"""

from dataclasses import dataclass
from typing import Final

from mindot.deliberator.conditions import Condition, read_condition, read_weights
from mindot.deliberator.situation import Situation
from mindot.game.toml_table import TomlTable

__all__ = ["Forgiveness", "ForgivenessRule", "Grudges", "Weighed", "read_forgiveness"]

_DIGITS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgivenessRule:
    """How far amends of one form excuse a wrong."""

    id: str
    because: str
    """The rule's words, in the first person of the one who forgives or does not."""
    excul: float
    traits: tuple[tuple[str, float], ...]
    when: Condition


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """Amends on the scales."""

    excul: float
    """0..1"""
    law: str
    because: str


_NOTHING: Final = Weighed(excul=0.0, law="none", because="nothing in it makes good for anything")
"""Amends of which no rule speaks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgiveness:
    """A game's rules of forgiveness."""

    rules: tuple[ForgivenessRule, ...]
    half_life_s: float = 1800.0
    floor: float = 0.05
    """A grudge below this is forgotten."""

    def weigh(self, situation: Situation) -> Weighed:
        """The rule that excuses most among those that hold; equal ones by the file's order."""
        best: Weighed | None = None
        for rule in self.rules:
            if not rule.when.holds(situation):
                continue
            shift = sum(w * (situation.traits[name] - 0.5) * 2.0 for name, w in rule.traits)
            excul = round(min(1.0, max(0.0, rule.excul + shift)), _DIGITS)
            if best is None or excul > best.excul:
                best = Weighed(excul=excul, law=rule.id, because=rule.because)
        return best or _NOTHING


@dataclass(frozen=True, slots=True)
class _Grudge:
    strength: float
    """At time ``t``."""
    t: float


class Grudges:
    """Who holds what against whom. Names are keys, times unix seconds."""

    def __init__(self, *, half_life_s: float = 1800.0, floor: float = 0.05) -> None:
        self.half_life_s = half_life_s
        self.floor = floor
        self._held: dict[str, dict[str, _Grudge]] = {}

    def add(self, holder: str, offender: str, gravity: float, t: float) -> float:
        """A wrong was done; the strength of the grudge now. Wrongs add up, never beyond 1."""
        before = self.strength(holder, offender, t)
        now = before + gravity * (1.0 - before)
        held = {o: g for o, g in self._held.get(holder, {}).items() if self.strength(holder, o, t)}
        self._held[holder] = {**held, offender: _Grudge(now, t)}
        return round(now, _DIGITS)

    def strength(self, holder: str, offender: str, t: float) -> float:
        """How strong a grudge still is, 0..1; 0 when there is none or it is forgotten."""
        grudge = self._held.get(holder, {}).get(offender)
        if grudge is None:
            return 0.0
        # a clock that runs backwards must not make a grudge grow
        age = max(0.0, t - grudge.t)
        left: float = grudge.strength * 0.5 ** (age / self.half_life_s)
        return round(left, _DIGITS) if left >= self.floor else 0.0

    def rewind(self, t: float) -> None:
        """The game went back to ``t``: what was felt later is felt now, and fades from now on."""
        for holder, held in self._held.items():
            self._held[holder] = {o: _Grudge(g.strength, min(g.t, t)) for o, g in held.items()}

    def forgive(self, holder: str, offender: str) -> None:
        """Close a grudge. Forgiving what is not held does nothing."""
        self._held.get(holder, {}).pop(offender, None)

    def strongest(self, t: float) -> dict[str, float]:
        """The strongest open grudge of each holder who has one, by name key, sorted."""
        found = {}
        for holder in sorted(self._held):
            most = max((self.strength(holder, o, t) for o in self._held[holder]), default=0.0)
            if most > 0.0:
                found[holder] = most
        return found


def read_forgiveness(
    root: TomlTable,
    *,
    archetypes: tuple[str, ...] = (),
    kinds: tuple[str, ...] = (),
    needs: tuple[str, ...] = (),
) -> Forgiveness:
    """The rules of a file. Raises ``TomlError`` for the first mistake.

    ``archetypes``, ``kinds`` and ``needs``: the names that conditions may use (empty: any).
    """
    grudges = root.table("grudges", required=False)
    half_life = grudges.number("half_life_s", 1800.0, low=1.0, high=1e9)
    floor = grudges.number("floor", 0.05, low=0.001, high=0.5)
    grudges.close()
    found: list[ForgivenessRule] = []
    for table in root.tables("forgiveness"):
        rule = ForgivenessRule(
            id=table.text("id"),
            because=table.text("because"),
            excul=table.number("excul", low=0.0, high=1.0),
            traits=read_weights(table, "traits"),
            when=read_condition(table, "when", kinds=kinds, needs=needs, archetypes=archetypes),
        )
        table.close()
        if any(rule.id == other.id for other in found):
            raise table.error("id", f"{rule.id!r} is there twice")
        found.append(rule)
    root.close()
    return Forgiveness(rules=tuple(found), half_life_s=half_life, floor=floor)
