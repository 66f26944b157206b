"""What could be done about a wake: the plans in the running, or why there are none."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from mindot.deliberator.binding import bind
from mindot.deliberator.composer import Candidate, compose
from mindot.deliberator.laws import Laws, PlanSketch
from mindot.deliberator.never import NeverRules
from mindot.deliberator.operators import Operator
from mindot.deliberator.situation import Situation
from mindot.game.frame import Character, Frame
from mindot.game.manifest import Manifest

__all__ = ["Choice", "Emptied", "Gathering", "gather"]


class Emptied(StrEnum):
    """What took the last plan out of the running."""

    MANIFEST = "manifest"
    NEVER_RULES = "never-rules"
    MASK = "mask"
    NEED = "need"
    """Not for want of permission: nothing around serves the need."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The plans best first, or what emptied the choice and why."""

    candidates: tuple[Candidate, ...]
    covered: bool
    """Some law covers the situation."""
    emptied: Emptied | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathering:
    """What plans are gathered under."""

    laws: Laws
    never_rules: NeverRules
    manifest: Manifest
    masked: frozenset[str]
    character: Character
    frame: Frame
    situation: Situation
    subject_key: str | None

    def operators(self, sketch: PlanSketch) -> list[Operator]:
        return [self.laws.operators[name] for name in sketch.steps]

    def acting(self, sketch: PlanSketch) -> list[Operator]:
        return [op for op in self.operators(sketch) if not op.waits]


def gather(under: Gathering) -> Choice:
    """The admissible plans for a situation, scored.

    A plan needs every one of its steps to be permitted. A never-rule takes it out only when it
    forbids all of them: one that forbids some is met when those steps are due.
    """
    covered = bool(under.laws.matching(under.situation))
    offered = (
        under.laws.sketches(under.situation) if covered else under.laws.improvised(under.situation)
    )
    left: Sequence[PlanSketch] = offered
    need = under.situation.wants
    if not offered and need is not None:
        reason = f"nobody knows a way to serve {need}"
        return Choice(candidates=(), covered=False, emptied=Emptied.NEED, reason=reason)
    for emptied, reason, keeps in _filters(under):
        left = [sketch for sketch in left if keeps(sketch)]
        if not left:
            return Choice(candidates=(), covered=covered, emptied=emptied, reason=reason)
    found = compose(
        left,
        under.laws.operators,
        under.situation,
        under.character,
        under.frame,
        under.subject_key,
    )
    return Choice(candidates=tuple(found), covered=covered)


def _filters(
    under: Gathering,
) -> list[tuple[Emptied, str, Callable[[PlanSketch], bool]]]:
    archetype = under.character.archetype
    need = under.situation.wants
    return [
        (
            Emptied.MANIFEST,
            f"{archetype} may do nothing that a plan for this is made of",
            lambda s: _permitted(under, s, frozenset()),
        ),
        (
            Emptied.MASK,
            "the game has taken away what is left",
            lambda s: _permitted(under, s, under.masked),
        ),
        (
            Emptied.NEVER_RULES,
            "never-rules forbid every plan",
            lambda s: not _all_forbidden(under, s),
        ),
        (
            Emptied.NEED,
            f"nothing and nobody here serves {need}",
            lambda s: need is None or _can_serve(under, s, need),
        ),
    ]


def _permitted(under: Gathering, sketch: PlanSketch, masked: frozenset[str]) -> bool:
    return all(op.action_for(under.manifest, masked) is not None for op in under.acting(sketch))


def _all_forbidden(under: Gathering, sketch: PlanSketch) -> bool:
    steps = under.acting(sketch) or under.operators(sketch)
    return all(_forbidden(under, op) for op in steps)


def _forbidden(under: Gathering, operator: Operator) -> bool:
    action = "" if operator.waits else operator.action_for(under.manifest, under.masked)
    found = bind(operator, under.character, under.frame, under.subject_key)
    if action is None:
        return False
    archetype = None if found is None else found.archetype
    rule = under.never_rules.against(operator.name, action, archetype, under.situation)
    return rule is not None


def _can_serve(under: Gathering, sketch: PlanSketch, need: str) -> bool:
    return any(
        need in op.serves and bind(op, under.character, under.frame, under.subject_key) is not None
        for op in under.acting(sketch)
    )
