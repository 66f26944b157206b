"""The stand-ins do what they stand in for."""

import inspect

from hypothesis import given, settings

from cognition import Ask, AskKind, FacetCounts, NotAnswered, ThoughtFailure, parse_response
from cognition.facet_supervisor import FacetLike
from cognition.testing import (
    FakeFacet,
    ManualClock,
    RecordingSink,
    ScriptedDeliberation,
    answer_text,
    facet_lives,
)
from cognition.trace import Event


def test_a_manual_clock_moves_when_told() -> None:
    clock = ManualClock(5)
    clock.advance(10)
    clock.advance(-3)
    assert clock() == 12


def test_a_fake_facet_has_what_a_facet_needs() -> None:
    facet: FacetLike = FakeFacet("facet-1", None)
    for name, _ in inspect.getmembers(FacetLike, inspect.isfunction):
        if not name.startswith("_"):
            assert hasattr(facet, name)


def test_a_recording_sink_keeps_copies() -> None:
    sink = RecordingSink()
    event: Event = {"type": "executive.facet.spawn", "tick": 1}
    sink(event)
    event["tick"] = 2
    assert sink.of_type("spawn") == [{"type": "executive.facet.spawn", "tick": 1}]
    sink.clear()
    assert sink.events == []


def test_a_script_answers_or_fails() -> None:
    script = ScriptedDeliberation(
        lambda ask: "words" if ask.key else ThoughtFailure.REFUSED, latency_ms=7
    )
    asks = [
        Ask(
            ask_id=str(n),
            mind="m",
            facet_id=None,
            key=key,
            tick=0,
            system="",
            prompt="?",
            kind=AskKind.MASTER,
        )
        for n, key in enumerate(("k", None))
    ]
    answered, failed = script.answers(asks)
    assert (answered.ask_id, answered.latency_ms) == ("0", 7)
    assert failed == NotAnswered(ask_id="1", failure=ThoughtFailure.REFUSED, latency_ms=7)


def test_a_well_formed_answer_is_read_as_it_was_meant() -> None:
    output = parse_response(
        answer_text(
            "stay",
            {"type": "warn_say", "target": "tom"},
            reasoning="because",
            confidence=0.7,
            reply="Good day.",
            undertakings=[{"what": "mend the axe"}],
        )
    )
    assert [(a.type, a.target) for a in output.actions] == [("stay", None), ("warn_say", "tom")]
    assert (output.reasoning, output.confidence, output.route) == ("because", 0.7, "json")
    assert output.speech == "Good day."
    assert parse_response(answer_text(silence="tired")).no_message == "tired"


@settings(max_examples=60)
@given(facet_lives())
def test_generated_lives_are_lives_as_a_supervisor_has_them(events: list[Event]) -> None:
    counts = FacetCounts()
    open_keys: set[str] = set()
    for event in events:
        key = event.get("key")
        if event["type"] == "executive.facet.spawn":
            assert key not in open_keys
            assert counts.spawned(None, event["facetId"], key, event["tick"]) is None
            open_keys |= set() if key is None else {key}
        else:
            counts.destroyed(None, event["facetId"], key, event["reason"], event["tick"])
            open_keys -= {key}
        assert counts.statistics().live == event["totalFacets"]
    assert [e["tick"] for e in events] == sorted(e["tick"] for e in events)
