"""Laws: what somebody in a certain situation might do about a certain kind of thing.

A law of class ``wrong`` that holds offers its plans; the composer scores them. One file says
which game events are wakes of which class, which laws there are, and when a plan defies an
order::

    [event.theft]
    cls = "wrong"
    gravity = 0.5

    [[law]]
    id = "robbed"
    cls = "wrong"
    when = { kind = ["theft"], traits = { brave = { min = 0.4 } } }
    plan = [
        { steps = ["demand", "report"], base = 0.4, traits = { temper = 0.3 } },
    ]
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from mindot.deliberator.conditions import Condition, read_condition, read_weights
from mindot.deliberator.operators import Operator, read_line, read_operators
from mindot.deliberator.situation import Situation
from mindot.deliberator.wake import WakeClass
from mindot.game.toml_table import TomlTable

__all__ = ["Defiance", "EventRule", "Law", "Laws", "PlanSketch", "Weights", "read_laws"]

_CLASSES = tuple(c.value for c in WakeClass)

MAX_STEPS = 12
"""Steps a plan may have; a longer one is a slip, no plan."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRule:
    """What a kind of game event is to those it concerns."""

    cls: WakeClass
    gravity: float
    """Used where the event has none of its own."""
    need: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """How a plan is scored: ``base`` plus each weight times its value."""

    base: float
    traits: tuple[tuple[str, float], ...] = ()
    """Times how far the trait is from 0.5, doubled: -1..1."""
    grudge: float = 0.0
    gravity: float = 0.0
    trust: float = 0.0
    need: float = 0.0
    """Times the pressure of the wake's need."""
    distance: float = 0.0
    """Subtracted: times the way to the first target, 0 beside it, 1 from 60 units on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSketch:
    """A plan that a law offers."""

    steps: tuple[str, ...]
    weights: Weights
    law: str
    """Id of the law; empty where none covers the wake."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """When ``when`` holds for a wake of its class, its plans are in the running."""

    id: str
    cls: WakeClass
    when: Condition
    plans: tuple[PlanSketch, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Defiance:
    """Whether a character breaks an order for the sake of its plan, and what it says then."""

    weights: Weights
    at: float
    """From this much resolve on it does."""
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Laws:
    """Everything a game author says about what characters do about things."""

    operators: Mapping[str, Operator]
    events: Mapping[str, EventRule]
    laws: tuple[Law, ...]
    defiance: Defiance

    def matching(self, situation: Situation) -> list[Law]:
        """The laws that cover a situation, in the order of the file."""
        return [
            law for law in self.laws if law.cls.value == situation.cls and law.when.holds(situation)
        ]

    def sketches(self, situation: Situation) -> list[PlanSketch]:
        """The plans the law offers; empty when no law covers the situation."""
        return [sketch for law in self.matching(situation) for sketch in law.plans]

    def needs(self) -> tuple[str, ...]:
        """The needs that some operator serves, in the order of the file."""
        served = (need for op in self.operators.values() for need in op.serves)
        return tuple(dict.fromkeys(served))

    def improvised(self, situation: Situation) -> list[PlanSketch]:
        """One-step plans of every operator that suits the class, for when no law does."""
        return [
            PlanSketch(steps=(op.name,), weights=Weights(base=op.ease), law="")
            for op in self.operators.values()
            if situation.cls in op.suits
            if situation.wants is None or situation.wants in op.serves
        ]


def _read_event(table: TomlTable, needs: tuple[str, ...]) -> EventRule:
    rule = EventRule(
        cls=WakeClass(table.text("cls", one_of=_CLASSES)),
        gravity=table.number("gravity", low=0.0, high=1.0),
        need=table.text("need", one_of=needs) if "need" in table else None,
    )
    table.know("need")
    table.close()
    return rule


def _read_weights(table: TomlTable) -> Weights:
    return Weights(
        base=table.number("base", 0.0, low=-2.0, high=2.0),
        traits=read_weights(table, "traits"),
        grudge=table.number("grudge", 0.0, low=-2.0, high=2.0),
        gravity=table.number("gravity", 0.0, low=-2.0, high=2.0),
        trust=table.number("trust", 0.0, low=-2.0, high=2.0),
        need=table.number("need", 0.0, low=-2.0, high=2.0),
        distance=table.number("distance", 0.0, low=0.0, high=2.0),
    )


def _read_steps(
    table: TomlTable, operators: Mapping[str, Operator], step_pause_s: float
) -> tuple[str, ...]:
    # an operator may come twice in a plan, so this is no list of distinct names
    steps = table.texts("steps", one_of=operators, repeats=True)
    if len(steps) > MAX_STEPS:
        raise table.error("steps", f"has {len(steps)} steps; {MAX_STEPS} is the most")
    for i, (before, name) in enumerate(pairwise(steps), start=1):
        # only a step that acted is followed by the pause
        step = operators[name]
        if not step.waits and not operators[before].waits and step.ttl_s <= step_pause_s:
            raise table.error(
                f"steps[{i}]",
                f"{name!r} has {step.ttl_s:g} s (its ttl_s), and {step_pause_s:g} s pass between "
                f"two steps: it would be over before it is done; make its ttl_s longer",
            )
    return steps


def _read_law(
    table: TomlTable,
    operators: Mapping[str, Operator],
    needs: tuple[str, ...],
    kinds: tuple[str, ...],
    archetypes: tuple[str, ...],
    step_pause_s: float,
) -> Law:
    law_id = table.text("id")
    cls = WakeClass(table.text("cls", one_of=_CLASSES))
    when = read_condition(table, "when", kinds=kinds, needs=needs, archetypes=archetypes)
    plans = []
    for plan in table.tables("plan"):
        steps = _read_steps(plan, operators, step_pause_s)
        plans.append(PlanSketch(steps=steps, weights=_read_weights(plan), law=law_id))
        plan.close()
    table.close()
    return Law(id=law_id, cls=cls, when=when, plans=tuple(plans))


def _read_defiance(root: TomlTable) -> Defiance:
    table = root.table("defiance")
    at = table.number("at", low=-10.0, high=10.0)
    weights = _read_weights(table)
    line = read_line(table, "line")
    table.close()
    if line is None:
        raise table.error("line", "is missing: an order is broken aloud")
    return Defiance(weights=weights, at=at, line=line)


def read_laws(
    laws: TomlTable,
    operators: TomlTable,
    *,
    archetypes: tuple[str, ...] = (),
    role_archetypes: tuple[str, ...] = (),
    step_pause_s: float = 0.0,
) -> Laws:
    """The laws of one file over the operators of another.

    ``archetypes``: the ones the game has manifests for; laws may name no others (empty: any).
    ``role_archetypes``: the ones that roles may not misspell. ``step_pause_s``: the seconds
    between two steps, within which none may run out.
    Raises ``TomlError`` for the first mistake.
    """
    known = read_operators(operators, _CLASSES, archetypes=role_archetypes)
    needs = tuple(dict.fromkeys(need for op in known.values() for need in op.serves))
    section = laws.table("event")
    events = {name: _read_event(t, needs) for name, t in section.named_tables().items()}
    found: list[Law] = []
    for table in laws.tables("law"):
        law = _read_law(table, known, needs, tuple(events), archetypes, step_pause_s)
        if any(law.id == other.id for other in found):
            raise table.error("id", f"{law.id!r} is there twice")
        found.append(law)
    defiance = _read_defiance(laws)
    laws.close()
    return Laws(operators=known, events=events, laws=tuple(found), defiance=defiance)
