"""Operators: the steps that plans are made of.

An operator says which actions it can become, whom or what it needs to act on, how long it may
wait for that, which needs it serves, and what is said aloud::

    [operator.report]
    meaning = "tell a guard what happened"
    actions = ["call_help", "complain"]
    binds = ["guard"]
    ttl_s = 120
    say = "Guard! {text}"
"""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from string import Formatter
from typing import Final

from mindot.game.contract import ACTIONS
from mindot.game.manifest import SAY, Manifest
from mindot.game.toml_table import TomlTable

__all__ = [
    "BINDINGS",
    "PLACEHOLDERS",
    "PROMISED",
    "SCHEDULED",
    "Operator",
    "fill_line",
    "read_line",
    "read_operators",
]

PROMISED: Final = "promised"
"""The binding of steps that keep a promise."""

BINDINGS: Final = ("nobody", "ally", "station", "subject", PROMISED, "player")
"""What an operator can bind besides the roles of its file.

``nobody``: it needs no target. ``ally``: the nearest trusted one. ``subject``: whom the wake is
about. ``promised``: the subject as the one a promise was made to.
"""

SCHEDULED: Final = "scheduled"
"""In ``stations``: the place where the day wants the character now."""

PLACEHOLDERS: Final = ("subject", "target", "order", "need", "text")
"""What a spoken line may name in braces."""

_MAX_TTL_S: Final = 86_400.0

_LIKENESS_OF_SLIPS: Final = 0.8
"""From this ratio on (of ``difflib``), an unknown archetype is a known one misspelt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """One kind of step."""

    name: str
    meaning: str
    """What it comes to, in words that fit after "to"."""
    actions: tuple[str, ...]
    """Actions it can become, the first that is allowed wins; empty for a step that waits."""
    binds: tuple[str, ...] = ("nobody",)
    """Tried in order."""
    roles: Mapping[str, tuple[str, ...]]
    """Archetypes of the roles that ``binds`` may name."""
    stations: tuple[str, ...] = ()
    """Kinds of station, for the binding ``station``."""
    within: float | None = None
    """Game units: farther off, the step waits. None: any distance will do."""
    ttl_s: float = 60.0
    """Seconds until the step is passed over (or, for a step that waits, is over)."""
    serves: tuple[str, ...] = ()
    """Needs it serves."""
    say: str | None = None
    refusal: str | None = None
    """What is said when the step breaks an order; None: the laws' own line."""
    refuses: bool = False
    """It is itself the refusal of an order."""
    suits: tuple[str, ...] = ()
    """Classes of wake it may answer where no law says anything."""
    ease: float = 0.0
    """Where no law says anything: how readily it is done, 0..1."""

    @property
    def waits(self) -> bool:
        return not self.actions

    def action_for(self, manifest: Manifest, masked: frozenset[str] = frozenset()) -> str | None:
        """The action it becomes for this archetype, or None."""
        return next((a for a in self.actions if manifest.allows(a) and a not in masked), None)


def fill_line(line: str, **words: str) -> str:
    """A spoken line with its placeholders filled."""
    return line.format_map({name: words.get(name, "") for name in PLACEHOLDERS})


def read_line(table: TomlTable, key: str) -> str | None:
    """An optional spoken line; its placeholders are checked."""
    if key not in table:
        table.know(key)
        return None
    line = table.text(key)
    try:
        fields = [(name, spec, conv) for _, name, spec, conv in Formatter().parse(line)]
    except ValueError as err:
        raise table.error(key, f"has a brace that stands alone ({err})") from err
    for name, spec, conversion in fields:
        if name is None:
            continue
        if name not in PLACEHOLDERS or spec or conversion:
            known = ", ".join("{" + p + "}" for p in PLACEHOLDERS)
            raise table.error(key, f"{name!r} is no placeholder; {known} are", PLACEHOLDERS, name)
    return line


def _read_roles(root: TomlTable, archetypes: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    section = root.table("roles", required=False)
    for name in section.chosen_names():
        if name in BINDINGS:
            raise section.error(name, "is the name of a binding; call the role something else")
    roles = {name: section.texts(name) for name in section.names()}
    for name, found in roles.items():
        for i, archetype in enumerate(found):
            # whom a role stands for needs no manifest, so only what looks like one is refused
            near = get_close_matches(archetype, archetypes, n=1, cutoff=_LIKENESS_OF_SLIPS)
            if near and archetype not in archetypes:
                problem = f"{archetype!r} is no archetype with a manifest, and close to one"
                raise section.error(f"{name}[{i}]", problem, near, archetype)
    return roles


def _read_operator(
    table: TomlTable, name: str, roles: Mapping[str, tuple[str, ...]], classes: tuple[str, ...]
) -> Operator:
    waits = table.flag("waits", False)
    actions = table.texts("actions", () if waits else None, one_of=(*ACTIONS, SAY), empty=waits)
    if waits and actions:
        raise table.error("actions", "a step that waits has no actions; drop them or 'waits'")
    binds = table.texts("binds", ("nobody",), one_of=(*BINDINGS, *roles))
    stations = table.texts("stations", ())
    if ("station" in binds) != bool(stations):
        raise table.error(
            "stations", "has to be there when 'binds' holds \"station\", and only then"
        )
    within = table.number("within", low=0.0) if "within" in table else None
    table.know("within")
    operator = Operator(
        name=name,
        meaning=table.text("meaning"),
        actions=actions,
        binds=binds,
        roles=roles,
        stations=stations,
        within=within,
        ttl_s=table.number("ttl_s", 60.0, low=0.1, high=_MAX_TTL_S),
        serves=table.texts("serves", ()),
        say=read_line(table, "say"),
        refusal=read_line(table, "refusal"),
        refuses=table.flag("refuses", False),
        suits=table.texts("suits", (), one_of=classes),
        ease=table.number("ease", 0.0, low=0.0, high=1.0),
    )
    table.close()
    has_line = operator.say is not None or (operator.refuses and operator.refusal is not None)
    if SAY in actions and not has_line:
        raise table.error("say", "is missing: a step that may become 'say' needs a line")
    return operator


def read_operators(
    root: TomlTable, classes: tuple[str, ...], *, archetypes: tuple[str, ...] = ()
) -> dict[str, Operator]:
    """The operators of a file by name. Raises ``TomlError`` for the first mistake.

    ``archetypes``: the ones with a manifest; a role that all but names one is a slip.
    """
    roles = _read_roles(root, archetypes)
    section = root.table("operator")
    root.close()
    if not section.names():
        raise root.error("operator", "names no operator; add one, such as [operator.report]")
    tables = section.named_tables()
    return {name: _read_operator(table, name, roles, classes) for name, table in tables.items()}
