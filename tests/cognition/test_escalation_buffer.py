"""Draining says what is open, once, and advises nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognition import Escalation, EscalationBuffer, Handoff, Requester, Undertaking
from cognition.testing import handoffs


@given(st.lists(st.lists(handoffs(), max_size=3), max_size=3))
def test_draining_n_gives_n_with_distinct_ids_and_leaves_none(
    batches: list[list[Handoff]],
) -> None:
    buffer = EscalationBuffer()
    ids: list[str] = []
    for batch in batches:
        for handoff in batch:
            buffer.push(handoff)
        assert len(buffer) == len(batch)
        drained = buffer.drain()
        assert len(drained.percepts) == len(batch)
        assert len(buffer) == 0
        for handoff, percept in zip(batch, drained.percepts, strict=True):
            assert percept.metadata["tick"] == handoff.tick
            assert percept.metadata["provenance"] == "reafferent"
            assert percept.metadata["salience"] == 0.85
        ids += [percept.id for percept in drained.percepts]
    assert len(set(ids)) == len(ids)
    assert [int(i.rsplit("-", 1)[1]) for i in ids] == list(range(len(ids)))


def test_a_promise_toward_somebody() -> None:
    buffer = EscalationBuffer()
    buffer.push(
        Handoff(
            body=Undertaking(
                what="reach Brenna about the bridge",
                target="brenna",
                gist="it is broken, " * 100,
                reasoning="she has to know",
            ),
            tick=7,
            facet_id="facet-2",
            subject_entity_id="tom",
            subject_name="Tom",
            thread_id="conversation:w:me:tom",
        )
    )
    drained = buffer.drain()
    percept = drained.percepts[0]
    assert percept.id == "escalation-percept-tom-7-0"
    meta = percept.metadata
    assert meta["category"] == "undertaking"
    assert meta["source"] == "executive-facet"
    assert meta["entityId"] == "tom"
    assert meta["threadId"] == "conversation:w:me:tom"
    assert meta["facetId"] == "facet-2"
    assert meta["undertakingTarget"] == "brenna"
    assert meta["data"] == {
        "what": "reach Brenna about the bridge",
        "promisedAt": 7,
        "promisedTo": "Tom",
        "target": "brenna",
        "gist": "it is broken, " * 100,
        "reasoning": "she has to know",
        "contactedSince": False,
    }
    assert meta["summary"] == (
        "Talking with Tom, I promised this: reach Brenna about the bridge. No word of it has "
        "reached brenna yet; saying it to Tom was not saying it to brenna."
    )
    assert drained.requester == Requester(entity_id="tom", thread_id="conversation:w:me:tom")


def test_a_promise_toward_nobody_speaks_of_nobody_to_reach() -> None:
    buffer = EscalationBuffer()
    buffer.push(Handoff(body=Undertaking(what="mend the axe by Friday"), tick=7))
    percept = buffer.drain().percepts[0]
    assert percept.id == "escalation-percept-self-7-0"
    assert percept.metadata["summary"] == (
        "In the middle of other work, I promised this: mend the axe by Friday"
    )
    assert percept.metadata["data"] == {"what": "mend the axe by Friday", "promisedAt": 7}
    assert "undertakingTarget" not in percept.metadata
    assert "entityId" not in percept.metadata


@pytest.mark.parametrize(
    ("where", "raised_by", "origin"),
    [
        ({"subject_entity_id": "tom", "subject_name": "Tom"}, "Tom", "tom"),
        ({"subject_entity_id": "tom"}, "tom", "tom"),
        ({"facet_id": "facet-3"}, "my own focused work", "facet-3"),
        ({}, "my own focused work", "self"),
        ({"subject_entity_id": " ", "facet_id": ""}, "my own focused work", "self"),
    ],
)
def test_a_task_says_who_raised_it(where: dict[str, str], raised_by: str, origin: str) -> None:
    buffer = EscalationBuffer()
    buffer.push(Handoff(body=Escalation(reasoning="the mill burns"), tick=3, **where))
    percept = buffer.drain().percepts[0]
    assert percept.id == f"escalation-percept-{origin}-3-0"
    assert percept.metadata["category"] == "task-escalation"
    assert percept.metadata["summary"] == f"[Raised by {raised_by}] the mill burns"
    assert "data" not in percept.metadata


def test_two_promises_on_one_tick_stay_two() -> None:
    buffer = EscalationBuffer()
    for what in ("one", "two"):
        buffer.push(Handoff(body=Undertaking(what=what), tick=4, subject_entity_id="tom"))
    first, second = buffer.drain().percepts
    assert (first.id, second.id) == (
        "escalation-percept-tom-4-0",
        "escalation-percept-tom-4-1",
    )


def test_the_requester_is_the_first_with_a_subject() -> None:
    buffer = EscalationBuffer()
    buffer.push(Handoff(body=Undertaking(what="a"), tick=1, thread_id="lonely"))
    buffer.push(Handoff(body=Undertaking(what="b"), tick=1, subject_entity_id="tom"))
    buffer.push(Handoff(body=Undertaking(what="c"), tick=1, subject_entity_id="ann"))
    assert buffer.drain().requester == Requester(entity_id="tom")
    assert buffer.drain().requester is None


def test_only_handoffs_are_taken() -> None:
    with pytest.raises(TypeError, match="push takes a Handoff, got dict"):
        EscalationBuffer().push({"kind": "undertaking"})  # type: ignore[arg-type]
