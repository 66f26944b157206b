"""What a body does without a thought."""

import math
from typing import Any

import pytest

from cognition.reflex import Vitals, reflex_fallback


@pytest.mark.parametrize(
    ("vitals", "verb"),
    [
        (Vitals(), None),
        (Vitals(energy=19.9), "rest"),
        (Vitals(energy=20), None),
        (Vitals(sleep_pressure=60), None),
        (Vitals(sleep_pressure=60.5), "rest"),
        (Vitals(stress=70), None),
        (Vitals(stress=71), "withdraw"),
        (Vitals(energy=1, sleep_pressure=99, stress=99), "rest"),
        (Vitals(sleep_pressure=99, stress=99), "rest"),
        (Vitals(energy=math.nan, sleep_pressure=math.inf, stress=-math.inf), None),
        (Vitals(energy=-math.inf), None),
    ],
)
def test_at_most_one_bodily_stance(vitals: Vitals, verb: str | None) -> None:
    output = reflex_fallback(vitals)
    assert [action.type for action in output.actions] == ([] if verb is None else [verb])
    assert all(action.reasoning for action in output.actions)
    assert output.reasoning.startswith("I ")
    assert (output.route, output.confidence, output.problems) == ("fallback", 0.4, [])
    assert output.because == output.reasoning
    assert output.speech is None


@pytest.mark.parametrize("missing", [None, "12", True, [1]])
def test_a_vital_that_is_no_number_is_unremarkable(missing: Any) -> None:
    vitals = Vitals(energy=missing, sleep_pressure=missing, stress=missing)
    assert reflex_fallback(vitals).actions == []


def test_each_reflex_has_its_own_reason() -> None:
    bodies = (Vitals(energy=1), Vitals(sleep_pressure=90), Vitals(stress=90))
    assert len({reflex_fallback(body).actions[0].reasoning for body in bodies}) == 3
