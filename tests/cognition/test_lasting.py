"""What outlives the process: one document a mind."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cognition import (
    Escalation,
    ExecutiveParams,
    Handoff,
    LastingStateError,
    Requester,
    Undertaking,
    dump_document,
    load_document,
)
from cognition.testing import answer_text, handoffs
from tests.cognition.rig import TALK, Rig, news, talk


def lived() -> Rig:
    rig = Rig(
        answer_text(reasoning="the bridge", undertakings=[{"what": "mend the axe"}]),
        params=ExecutiveParams(),
    )
    rig.ask(TALK, talk())
    rig.mind.push(Handoff(body=Undertaking(what="tell her", target="brenna"), tick=rig.tick))
    rig.mind.perceive(news(rig.tick))
    rig.step()
    rig.mind.memory.beliefs.append("wolves are near \ud800")
    rig.mind.push(Handoff(body=Escalation(reasoning="not drained yet"), tick=rig.tick))
    return rig


def test_a_mind_comes_back_as_it_was() -> None:
    before = lived()
    data = dump_document(before.mind.snapshot())
    assert data == dump_document(before.mind.snapshot())
    after = Rig(answer_text(), params=ExecutiveParams())
    after.mind.restore(load_document(data))
    assert dump_document(after.mind.snapshot()) == data
    assert after.mind.promises() == before.mind.promises()
    assert after.mind.goals() == before.mind.goals()
    waiting = before.mind.statistics().waiting_handoffs
    assert after.mind.statistics().waiting_handoffs == waiting > 0
    after.tick = after.mind.tick
    after.ask(TALK, talk())
    assert "I thought: the bridge" in after.asks[0].prompt
    spawned = after.sink.of_type("spawn")
    assert [e["facetId"] for e in spawned] == ["facet-2"]  # ids go on


def test_a_mind_can_come_back_at_another_tick() -> None:
    data = dump_document(lived().mind.snapshot())
    after = Rig(params=ExecutiveParams())
    after.mind.restore(load_document(data), tick=0)
    assert after.mind.tick == 0
    assert {p.since for p in after.mind.promises()} == {0}
    assert len(after.mind.promises()) == 2


def test_open_facets_end_when_a_mind_comes_back() -> None:
    rig = lived()
    document = rig.mind.snapshot()
    rig.mind.report(TALK, talk(), tick=rig.tick)
    asks = rig.mind.pump(rig.tick + 1, {})
    rig.mind.restore(document)
    for ask in asks:
        rig.mind.deliver(rig.deliberation.answer(ask))
    assert rig.mind.land(rig.tick + 2) == []
    assert rig.mind.statistics().facets.live == 0


@pytest.mark.parametrize("cut", [0, 1, 10, -2, -30])
def test_a_torn_document_is_refused(cut: int) -> None:
    data = dump_document(lived().mind.snapshot())
    with pytest.raises(LastingStateError, match="torn or no JSON"):
        load_document(data[:cut])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 2}, "version is 2, and this release reads up to 1"),
        ({"version": 0}, "version must be a positive int, got 0"),
        ({"version": True}, "version must be a positive int, got True"),
        ({"version": "1"}, "version must be a positive int, got '1'"),
        ({"format": "other"}, "format is not 'mindot-mind'"),
        ({"mind": None}, "mind is missing"),
        ({"digest": "0"}, "digest does not fit the state"),
        ({"mind": {"mind": "mock:gerdur"}}, "digest does not fit the state"),
    ],
)
def test_a_document_that_cannot_be_trusted_is_refused(
    changes: dict[str, Any], message: str
) -> None:
    document = json.loads(dump_document(lived().mind.snapshot()))
    with pytest.raises(LastingStateError, match=message):
        load_document(json.dumps({**document, **changes}).encode())


@pytest.mark.parametrize("data", [b"[]", b"1", b"null", b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_document_is_refused(data: bytes) -> None:
    with pytest.raises(LastingStateError):
        load_document(data)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("mind", "mock:somebody"),
        ("goals", None),
        ("goals", {"lastNumber": 1}),
        ("promises", {"lastNumber": 1, "standing": [{"id": "x", "metadata": {}}]}),
        ("memory", {"beliefs": 5}),
        ("reasoning", []),
        ("thoughts", None),
        ("tick", "soon"),
        ("handoffs", [{"body": {}}]),
    ],
)
def test_a_broken_state_is_refused_and_the_old_one_kept(field: str, value: Any) -> None:
    rig = lived()
    before = rig.mind.snapshot()
    live = rig.mind.statistics()
    with pytest.raises(ValueError, match="mock:gerdur"):
        rig.mind.restore({**before, field: value})
    assert rig.mind.snapshot() == before
    assert rig.mind.statistics() == live


@given(st.lists(handoffs(max_tick=50), max_size=12))
def test_any_promises_round_trip(pushed: list[Handoff]) -> None:
    rig = Rig()
    for handoff in pushed[::2]:
        rig.mind.push(handoff)
    rig.tick = 50
    rig.step()
    for handoff in pushed[1::2]:
        rig.mind.push(handoff)
    data = dump_document(rig.mind.snapshot())
    other = Rig()
    other.mind.restore(load_document(data))
    assert dump_document(other.mind.snapshot()) == data


WRONG: list[Any] = [None, True, -1, 1.5, math.inf, math.nan, "x", [], {}, [1], {"a": 1}, 10**5000]


@pytest.mark.parametrize(
    ("path", "fine"),
    [
        ("tick", ()),
        ("asked", ()),
        ("sent", ()),
        ("goals lastNumber", ()),
        ("goals goals 0 since", ()),
        ("goals goals 0 what", ("x",)),
        ("goals goals 0 requester entityId", ("x",)),
        ("goals goals 0 requester threadId", (None, "x")),
        ("goals goals 0 promise", (None, "x")),
        ("promises standing 0 metadata", ()),
        ("promises standing 0 metadata data", ()),
        ("promises standing 0 metadata data what", ("x",)),
        ("promises standing 0 metadata data gist", (None, "x")),
        ("promises standing 0 metadata data promisedTo", (None, "x")),
        ("promises standing 0 metadata threadId", (None, "x")),
        ("promises standing 0 metadata category", ()),
        ("promises standing 0 shortId", ()),
        ("evidence 0 metadata targetEntityId", ("x",)),
        ("evidence 0 metadata tick", ()),
        ("thoughts", ([],)),
        ("reasoning", ({},)),
        ("handoffs 0", ()),
    ],
)
def test_a_field_of_a_wrong_kind_is_refused_and_nothing_changes(
    path: str, fine: tuple[Any, ...]
) -> None:
    rig = lived()
    rig.mind.goals()
    rig.mind._holdings.goals.add("mend", tick=1, requester=Requester(entity_id="tom"))
    rig.mind.note_sent("nobody", rig.tick)
    before, live = rig.mind.snapshot(), rig.mind.statistics()
    *steps, last = [int(step) if step.isdigit() else step for step in path.split()]
    for wrong in WRONG:
        if any(type(wrong) is type(value) and wrong == value for value in fine):
            continue
        document = json.loads(json.dumps(before))
        place = document
        for step in steps:
            place = place[step]
        place[last] = wrong
        with pytest.raises(ValueError, match="mock:gerdur"):
            rig.mind.restore(document)
    assert rig.mind.snapshot() == before
    assert rig.mind.statistics() == live


@pytest.mark.parametrize(
    "document", [None, 5, "x", [], [1], {"mind": "mock:gerdur", "o": object()}]
)
def test_what_is_no_snapshot_is_refused(document: Any) -> None:
    rig = lived()
    before = rig.mind.snapshot()
    with pytest.raises(ValueError, match="the document must"):
        rig.mind.restore(document)
    assert rig.mind.snapshot() == before


@pytest.mark.parametrize("tick", ["x", -1, 2.5, True, pytest.param(10**5000, id="endless")])
def test_the_hosts_tick_is_checked_before_anything_ends(tick: Any) -> None:
    rig = lived()
    before, live = rig.mind.snapshot(), rig.mind.statistics()
    with pytest.raises(ValueError, match="tick must be None or a non-negative int"):
        rig.mind.restore(before, tick=tick)
    assert rig.mind.snapshot() == before
    assert rig.mind.statistics() == live


def test_a_document_without_evidence_is_read() -> None:
    rig = lived()
    document = rig.mind.snapshot()
    del document["evidence"]
    rig.mind.restore(document)
    assert rig.mind.snapshot()["evidence"] == []


def test_numbers_of_promises_and_goals_go_on_above_those_that_stand() -> None:
    rig = lived()
    document = rig.mind.snapshot()
    document["promises"]["lastNumber"] = 0
    rig.mind.restore(document)
    rig.mind.push(Handoff(body=Undertaking(what="another"), tick=rig.tick))
    rig.mind.pump(rig.tick + 1, {})
    short_ids = [p.short_id for p in rig.mind.promises()]
    assert len(set(short_ids)) == len(short_ids)
