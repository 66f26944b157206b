"""What a body does when no thought came back: rest, withdraw, or nothing."""

import math
from dataclasses import dataclass
from typing import Final

from cognition.executive_output import Action, ExecutiveOutput, Route

__all__ = ["Vitals", "reflex_fallback"]

_ENERGY_LOW: Final = 20.0
"""Below it a body rests."""
_SLEEP_PRESSURE_HIGH: Final = 60.0
"""Above it a body rests, however much energy is left."""
_STRESS_HIGH: Final = 70.0
"""Above it a body withdraws."""
_CONFIDENCE: Final = 0.4
"""Less than an answer without a confidence: a reflex is no conviction."""
_NO_THOUGHT: Final = "I reached for a thought and none came back"


@dataclass(frozen=True, slots=True)
class Vitals:
    """The body in three numbers, each on a scale of 0 to 100.

    A value that is missing (None), no number, or not finite counts as unremarkable: energy 100,
    sleep pressure 0, stress 0.
    """

    energy: float = 100
    sleep_pressure: float = 0
    stress: float = 0


def reflex_fallback(vitals: Vitals) -> ExecutiveOutput:
    """At most one bodily stance, and otherwise nothing: whoever asked goes on choosing.

    Tiredness comes before stress. The sentence says in the first person that no thought came.
    """
    energy = _finite(vitals.energy, 100)
    sleep_pressure = _finite(vitals.sleep_pressure, 0)
    stress = _finite(vitals.stress, 0)
    if energy < _ENERGY_LOW:
        actions = [Action("rest", "My strength is almost gone.", "I get some strength back.")]
        reasoning = f"{_NO_THOUGHT}, so I do what my tired body asks: I rest."
    elif sleep_pressure > _SLEEP_PRESSURE_HIGH:
        actions = [Action("rest", "Sleep is pulling at me.", "I am less sleepy.")]
        reasoning = f"{_NO_THOUGHT}, so I do what my sleepy body asks: I rest."
    elif stress > _STRESS_HIGH:
        actions = [Action("withdraw", "This is more than I can bear.", "I calm down.")]
        reasoning = f"{_NO_THOUGHT}, and the strain is too much: I step back."
    else:
        actions = []
        reasoning = f"{_NO_THOUGHT}, so I go on as I was."
    return ExecutiveOutput(actions, reasoning, _CONFIDENCE, Route.FALLBACK)


def _finite(value: object, otherwise: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return otherwise
    return value if isinstance(value, int) or math.isfinite(value) else otherwise
