"""The names that others rely on, and what it costs to reach one of them."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import cognition

RELIED_ON = """Entity, StateView, ExecutiveParams, Provenance, PerceptFacts, percept_entity,
can_rupture, stale_percept_ids, Escalation, Undertaking, Handoff, HandoffError, validate_handoff,
EscalationBuffer, reconcile_undertakings, FacetSupervisor, parse_response, ExecutiveOutput,
reflex_fallback, Vitals""".replace("\n", " ").split(",")


@pytest.mark.parametrize("name", [name.strip() for name in RELIED_ON])
def test_a_name_that_outsiders_rely_on_is_there(name: str) -> None:
    assert name in cognition.__all__
    assert getattr(cognition, name) is not None


def test_each_name_lives_where_it_is_said_to() -> None:
    listed = [name for names in cognition._HOMES.values() for name in names]
    assert sorted(listed) == sorted(cognition.__all__)
    for module, names in cognition._HOMES.items():
        home = importlib.import_module(f"cognition.{module}")
        for name in names:
            assert getattr(cognition, name) is getattr(home, name)
            assert name in home.__all__
    assert set(cognition.__all__) <= set(dir(cognition))


def test_the_reference_names_all_of_them() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "reference" / "cognition.md"
    named = set(re.findall(r"`(\w+)`", page.read_text(encoding="utf-8")))
    testing = importlib.import_module("cognition.testing")
    assert {*cognition.__all__, *testing.__all__} - named == set()


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'cognition' has no attribute 'Soul'"):
        cognition.Soul  # noqa: B018


def test_the_counting_code_comes_without_the_engine() -> None:
    code = (
        "import sys, cognition.facet_counts\n"
        "assert not {'pydantic', 'anyio', 'structlog', 'regex'} & set(sys.modules), sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
