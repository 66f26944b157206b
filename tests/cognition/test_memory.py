"""Nothing a thought's blocks bring is thrown away unread, and nothing grows without end."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognition import Memory, parse_response
from cognition.memory import LIMITS
from cognition.testing import answer_text
from tests.cognition.rig import DILEMMA, Rig, talk


def remembering(**blocks: Any) -> Memory:
    output = parse_response(answer_text())
    for name, value in blocks.items():
        setattr(output, name, value)
    memory = Memory()
    memory.remember(output)
    return memory


def test_each_block_has_its_place() -> None:
    memory = remembering(
        new_beliefs=["the bridge is out", {"belief": "wolves are near"}, {"a": 1, "b": 2}],
        self_observations="I tire easily",
        new_skills=[{"name": "milling"}],
        plans=[{"plan": "go to the smithy"}],
        narrative="I am the miller.",
        narrative_themes=["work"],
        current_self_view="capable",
        identity_updates={"role": "miller"},
        known_entity_updates=[{"name": "Tom", "what": "a liar"}, "Brenna is kind"],
        introspection={"mood": "low", "cause": "rain"},
    )
    assert memory.beliefs == ["the bridge is out", "wolves are near", '{"a": 1, "b": 2}']
    assert memory.self_observations == ["I tire easily"]
    assert memory.skills == ["milling"]
    assert memory.plans == ["go to the smithy"]
    assert memory.narrative == "I am the miller."
    assert memory.themes == ["work"]
    assert memory.self_view == "capable"
    assert memory.identity == {"role": "miller"}
    assert memory.known_entities == {"Tom": "a liar", "Brenna is kind": "Brenna is kind"}
    assert memory.introspection == '{"mood": "low", "cause": "rain"}'


def test_what_is_said_again_is_the_latest_and_what_is_oldest_goes() -> None:
    memory = remembering(new_beliefs=[f"belief {n}" for n in range(40)] + ["belief 20"])
    assert len(memory.beliefs) == LIMITS["beliefs"]
    assert memory.beliefs[-1] == "belief 20"
    assert memory.beliefs[0] == "belief 7" or memory.beliefs[0] == "belief 8"


def test_silence_about_a_thing_leaves_it() -> None:
    memory = remembering(narrative="a story")
    memory.remember(parse_response(answer_text()))
    assert memory.narrative == "a story"


values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
blocks = st.fixed_dictionaries(
    dict.fromkeys(
        (
            "new_beliefs",
            "self_observations",
            "new_skills",
            "plans",
            "narrative",
            "narrative_themes",
            "current_self_view",
            "identity_updates",
            "known_entity_updates",
            "introspection",
        ),
        values,
    )
)


@given(blocks)
def test_any_json_is_remembered_bounded_and_round_trips(held: dict[str, Any]) -> None:
    memory = remembering(**held)
    document = json.loads(json.dumps(memory.to_json()))
    assert Memory.from_json(document) == memory
    for name, limit in LIMITS.items():
        assert len(getattr(memory, name)) <= limit
    assert len(json.dumps(document)) < 300_000


@pytest.mark.parametrize("document", [{"beliefs": "x"}, {"identity": []}])
def test_a_memory_of_a_wrong_shape_is_refused(document: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"(beliefs|identity) must be a"):
        Memory.from_json(document)


def test_what_a_thought_learned_is_shown_to_the_next() -> None:
    rig = Rig()
    output = rig.ask(DILEMMA, talk()).output
    output.new_beliefs = ["the bridge is out"]
    rig.mind.memory.remember(output)
    rig.ask(DILEMMA, talk())
    assert '- I believe "the bridge is out"' in rig.asks[-1].prompt
