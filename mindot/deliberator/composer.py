"""Scoring plans: the same situation always gives the same order, and each score its reasons."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mindot.deliberator.binding import bind
from mindot.deliberator.laws import PlanSketch, Weights
from mindot.deliberator.operators import Operator
from mindot.deliberator.situation import Situation
from mindot.game.frame import Character, Frame

__all__ = ["FAR", "Candidate", "compose", "score"]

FAR = 60.0
"""Game units from which on farther makes no difference to a score."""

_DIGITS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A plan with its score."""

    plan: tuple[str, ...]
    score: float
    law: str
    """Id of the law it comes from; empty where none covers the wake."""
    terms: tuple[tuple[str, float], ...]
    """What the score adds up from."""

    def explain(self) -> str:
        """The score term by term: ``0.55 = base 0.4 + brave 0.15``."""
        sums = " + ".join(f"{name} {value:g}" for name, value in self.terms)
        return f"{self.score:g} = {sums}"


def score(
    weights: Weights, situation: Situation, distance: float = 0.0
) -> tuple[float, tuple[tuple[str, float], ...]]:
    """A score and its terms; zero terms are left out. ``distance`` in game units."""
    raw = [("base", weights.base)]
    raw += [(name, w * (situation.traits[name] - 0.5) * 2.0) for name, w in weights.traits]
    raw += [
        ("grudge", weights.grudge * situation.grudge),
        ("gravity", weights.gravity * situation.gravity),
        ("trust", weights.trust * situation.trust),
        ("need", weights.need * situation.pressure(situation.need)),
        ("distance", -weights.distance * min(1.0, distance / FAR)),
    ]
    rounded = [(name, round(value, _DIGITS)) for name, value in raw]
    terms = tuple((name, value) for name, value in rounded if value != 0.0)
    return round(sum(value for _, value in terms), _DIGITS), terms


def compose(
    sketches: Iterable[PlanSketch],
    operators: Mapping[str, Operator],
    situation: Situation,
    character: Character,
    frame: Frame,
    subject_key: str | None,
) -> list[Candidate]:
    """The plans best first; equal scores keep the order of the file, equal plans the best score."""
    best: dict[tuple[str, ...], Candidate] = {}
    for sketch in sketches:
        way = _way(sketch, operators, character, frame, subject_key)
        value, terms = score(sketch.weights, situation, way)
        other = best.get(sketch.steps)
        if other is None or value > other.score:
            best[sketch.steps] = Candidate(
                plan=sketch.steps, score=value, law=sketch.law, terms=terms
            )
    return sorted(best.values(), key=lambda c: -c.score)


def _way(
    sketch: PlanSketch,
    operators: Mapping[str, Operator],
    character: Character,
    frame: Frame,
    subject_key: str | None,
) -> float:
    """How far it is to whom the plan acts on first; as far as can be when nobody is there."""
    first = next((operators[s] for s in sketch.steps if not operators[s].waits), None)
    if first is None:
        return 0.0
    found = bind(first, character, frame, subject_key)
    return FAR if found is None else found.distance
