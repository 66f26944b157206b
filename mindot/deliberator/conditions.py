"""Conditions that a law or a never-rule puts on a situation."""

from collections.abc import Iterable
from dataclasses import dataclass

from mindot.deliberator.situation import FLAGS, SUBJECTS, TRAITS, Situation
from mindot.game.toml_table import TomlTable

__all__ = ["Condition", "Range", "read_condition", "read_weights"]


@dataclass(frozen=True, slots=True)
class Range:
    """An interval; both ends belong to it."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """Everything it names has to hold; an empty condition always does."""

    kinds: tuple[str, ...] = ()
    archetypes: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    subject_archetypes: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    """One of these occurs in what was said, whatever the case."""
    values: tuple[tuple[str, Range], ...] = ()
    """Of ``gravity``, ``grudge``, ``trust``."""
    traits: tuple[tuple[str, Range], ...] = ()
    pressures: tuple[tuple[str, Range], ...] = ()
    flags: tuple[tuple[str, bool], ...] = ()

    def holds(self, situation: Situation) -> bool:
        """Whether the situation is one this condition speaks of."""
        return (
            _among(situation.kind, self.kinds)
            and _among(situation.archetype, self.archetypes)
            and _among(situation.subject, self.subjects)
            and _among(situation.subject_archetype, self.subject_archetypes)
            and _among(situation.need, self.needs)
            and (not self.words or any(w.lower() in situation.text for w in self.words))
            and all(_value(situation, name) in wanted for name, wanted in self.values)
            and all(situation.traits.get(name, 0.5) in wanted for name, wanted in self.traits)
            and all(situation.pressure(name) in wanted for name, wanted in self.pressures)
            and all(situation.flags.get(name, False) is wanted for name, wanted in self.flags)
        )

    def describe(self) -> str:
        """The condition in short words, for records: ``alarm and on_duty``."""
        parts = [name if wanted else f"not {name}" for name, wanted in self.flags]
        for label, names in (
            ("kind", self.kinds),
            ("archetype", self.archetypes),
            ("subject", self.subjects),
            ("subject", self.subject_archetypes),
            ("need", self.needs),
        ):
            if names:
                parts.append(f"{label} {' or '.join(names)}")
        parts += [
            f"{name} {wanted.low:g}..{wanted.high:g}"
            for name, wanted in (*self.values, *self.traits, *self.pressures)
        ]
        if self.words:
            parts.append("certain words")
        return " and ".join(parts) or "always"


def _among(value: str | None, names: tuple[str, ...]) -> bool:
    return not names or value in names


def _value(situation: Situation, name: str) -> float:
    if name == "trust":
        return situation.trust
    return situation.gravity if name == "gravity" else situation.grudge


def _read_range(table: TomlTable, key: str, low: float, high: float) -> Range:
    inner = table.table(key)
    if not inner.names():
        raise table.error(key, "is empty; give it min, max or both")
    least = inner.number("min", low, low=low, high=high)
    most = inner.number("max", high, low=low, high=high)
    inner.close()
    if least > most:
        raise table.error(key, f"min {least:g} is above max {most:g}")
    return Range(least, most)


def _read_named_ranges(
    table: TomlTable, key: str, valid: Iterable[str]
) -> tuple[tuple[str, Range], ...]:
    inner = table.table(key, required=False)
    names = tuple(valid)
    for name in inner.names():
        if name not in names:
            raise inner.error(name, f"is none of {', '.join(names)}", names, name)
    return tuple((name, _read_range(inner, name, 0.0, 1.0)) for name in inner.names())


def read_condition(
    table: TomlTable,
    key: str,
    *,
    kinds: Iterable[str] = (),
    needs: Iterable[str] = (),
    archetypes: Iterable[str] = (),
) -> Condition:
    """The condition under a key (absent: one that always holds).

    ``kinds``, ``needs`` and ``archetypes`` are the names that mean something in this game; any
    others are refused. Empty: any name goes.
    """
    inner = table.table(key, required=False)
    needs = tuple(needs)
    flags = inner.table("flags", required=False)
    condition = Condition(
        kinds=inner.texts("kind", (), one_of=kinds),
        archetypes=inner.texts("archetype", (), one_of=archetypes),
        subjects=inner.texts("subject", (), one_of=SUBJECTS),
        subject_archetypes=inner.texts("subject_archetype", (), one_of=archetypes),
        needs=inner.texts("need", (), one_of=needs),
        words=inner.texts("words", ()),
        values=tuple(
            (name, _read_range(inner, name, low, 1.0))
            for name, low in (("gravity", 0.0), ("grudge", 0.0), ("trust", -1.0))
            if name in inner
        ),
        traits=_read_named_ranges(inner, "traits", TRAITS),
        pressures=_read_named_ranges(inner, "needs", needs),
        flags=tuple((name, flags.flag(name)) for name in FLAGS if name in flags),
    )
    _know_all(inner, flags)
    flags.close()
    inner.close()
    return condition


def _know_all(inner: TomlTable, flags: TomlTable) -> None:
    """Make the keys that were not there known too, so that a slip finds its nearest name."""
    inner.know("gravity", "grudge", "trust")
    flags.know(*FLAGS)


def read_weights(table: TomlTable, key: str) -> tuple[tuple[str, float], ...]:
    """Weights by trait, -2..2 each, in the traits' own order."""
    inner = table.table(key, required=False)
    weights = tuple(
        (name, inner.number(name, low=-2.0, high=2.0)) for name in TRAITS if name in inner
    )
    inner.know(*TRAITS)
    inner.close()
    return weights
