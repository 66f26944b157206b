"""A promise ends by evidence; without any it stands."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognition import (
    Entity,
    Escalation,
    EscalationBuffer,
    Handoff,
    StateView,
    Undertaking,
    reconcile_undertakings,
)
from cognition.percepts import rebuilt_percept
from cognition.undertakings import same_words


def promise(
    what: str = "reach Brenna", target: str | None = "brenna", tick: int = 5, n: int = 0
) -> Entity:
    buffer = EscalationBuffer(drained_before=n)
    buffer.push(Handoff(body=Undertaking(what=what, target=target), tick=tick))
    return buffer.drain().percepts[0]


def task(tick: int = 5, n: int = 0) -> Entity:
    buffer = EscalationBuffer(drained_before=n)
    buffer.push(Handoff(body=Escalation(reasoning="too much"), tick=tick))
    return buffer.drain().percepts[0]


def seen(entity: Entity, tick: int = 9) -> Entity:
    return rebuilt_percept(entity.id, entity.metadata, {"seenAt": tick})


def sent(target: Any = "brenna", tick: Any = 5, **more: Any) -> Entity:
    return Entity(
        id=f"sent-{target}-{tick}",
        type="conversation.sent",
        metadata={"targetEntityId": target, "tick": tick, **more},
    )


def state(*entities: Entity, tick: int = 20) -> StateView:
    return StateView(tick=tick, entities={e.id: e for e in entities})


@pytest.mark.parametrize(
    ("evidence", "proves"),
    [
        (sent(), True),
        (sent(tick=6), True),
        (sent(tick=4), False),
        (sent("tom"), False),
        (sent("Brenna"), False),  # a target compares exactly
        (sent(what="REACH  brenna!"), True),
        (sent(what="the bridge"), False),
        (sent(what=5), False),
        (sent(tick="5"), False),
        (sent(tick=None), False),
        (Entity(id="x", type="conversation.received", metadata=sent().metadata), False),
    ],
)
def test_evidence_discharges_what_stands_and_refuses_what_comes(
    evidence: Entity, proves: bool
) -> None:
    standing = promise()
    result = reconcile_undertakings([], state(standing, evidence))
    assert list(result.discharge) == ([standing.id] if proves else [])
    incoming = promise(n=1)
    result = reconcile_undertakings([incoming], state(evidence))
    assert list(result.keep) == ([] if proves else [incoming])


def test_without_a_what_every_promise_to_that_target_is_kept() -> None:
    one, two, other = promise("a", n=0), promise("b", n=1), promise("a", "tom", n=2)
    result = reconcile_undertakings([], state(one, two, other, sent()))
    assert list(result.discharge) == [one.id, two.id]


def test_the_same_promise_is_not_restated_while_it_stands() -> None:
    standing = promise("Mend the axe by Friday.")
    again = promise("mend  the AXE by friday", tick=8, n=1)
    another = promise("mend the plough", tick=8, n=2)
    elsewhere = promise("mend the axe by friday", "tom", tick=8, n=3)
    result = reconcile_undertakings([again, another, elsewhere], state(standing))
    assert list(result.keep) == [another, elsewhere]
    assert list(result.discharge) == []


def test_of_two_equal_promises_in_a_batch_the_first_is_kept() -> None:
    first, second = promise(n=0), promise(n=1)
    assert list(reconcile_undertakings([first, second], state()).keep) == [first]


def test_a_promise_made_anew_after_it_was_kept_stands() -> None:
    standing, again = promise(tick=5), promise(tick=10, n=1)
    result = reconcile_undertakings([again], state(standing, sent(tick=8)))
    assert list(result.discharge) == [standing.id]
    assert list(result.keep) == [again]


def test_a_promise_toward_nobody_stands_until_it_was_seen() -> None:
    standing = promise(target=None)
    assert list(reconcile_undertakings([], state(standing, sent())).discharge) == []
    assert list(reconcile_undertakings([], state(seen(standing))).discharge) == [standing.id]


def test_seen_at_proves_nothing_toward_somebody() -> None:
    assert list(reconcile_undertakings([], state(seen(promise()))).discharge) == []


def test_a_task_stands_until_it_was_seen() -> None:
    assert list(reconcile_undertakings([], state(task(), sent())).discharge) == []
    assert list(reconcile_undertakings([], state(seen(task()))).discharge) == [task().id]
    one, two = task(n=0), task(n=1)
    assert list(reconcile_undertakings([one, two], state()).keep) == [one, two]


def test_words_compare_without_case_blanks_and_end_punctuation() -> None:
    assert same_words(" Mend\tthe axe!?… ", "mend the AXE")
    assert same_words("Straße fegen", "STRASSE  FEGEN.")
    assert not same_words("mend the axe", "mend, the axe")
    assert not same_words("!", "?")


names = st.sampled_from(["brenna", "tom"])
promises = st.builds(
    promise,
    what=st.sampled_from(["a", "A.", "b"]),
    target=st.none() | names,
    tick=st.integers(0, 6),
    n=st.integers(0, 1000),
)
handoffs = promises | st.builds(task, tick=st.integers(0, 6), n=st.integers(0, 1000))
evidence = st.builds(sent, names, st.integers(0, 6), what=st.sampled_from(["a", "b", None]))
standing = st.one_of(handoffs, handoffs.map(seen), evidence)


@given(st.lists(handoffs, max_size=6), st.lists(standing, max_size=8))
def test_reconciliation_is_idempotent_and_needs_a_reason(
    incoming: list[Entity], before: list[Entity]
) -> None:
    view = state(*before)
    result = reconcile_undertakings(incoming, view)
    again = reconcile_undertakings(incoming, view)
    assert (list(result.keep), list(result.discharge)) == (
        list(again.keep),
        list(again.discharge),
    )
    for entity_id in result.discharge:
        entity = view.entities[entity_id]
        target = entity.metadata.get("undertakingTarget")
        if target is None:
            assert "seenAt" in entity.metadata
        else:
            assert any(
                e.type == "conversation.sent"
                and e.metadata["targetEntityId"] == target
                and e.metadata["tick"] >= entity.metadata["tick"]
                for e in view.entities.values()
            )
    after = {k: e for k, e in view.entities.items() if k not in result.discharge}
    after |= {e.id: e for e in result.keep}
    settled = reconcile_undertakings(incoming, StateView(tick=20, entities=after))
    assert list(settled.discharge) == []
    known = {e.id for e in after.values()}
    assert [e for e in settled.keep if e.id in known] == []
