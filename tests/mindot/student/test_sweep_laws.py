"""What holds for any frame, any plans and any verdicts."""

from typing import Any

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from mindot.game.contract import ACTIONS, FEATURES, RECEIPT_FIELDS, TIERS
from mindot.game.frame import Frame
from mindot.game.manifest import load_manifests, manifest_of
from mindot.game.moves import IntentionMove
from mindot.student.head import DefaultHead
from mindot.student.ladder import LadderSettings, dilemma_tier, settled_tier
from mindot.student.sweep import Sweep, SweepRow
from mindot.student.verdicts import ParkedVerdict
from tests.mindot.student.crowds import frames

few = settings(max_examples=60, deadline=None)
MANIFESTS = load_manifests()
ORDER = list(RECEIPT_FIELDS)
ACTED = frozenset({"intention", "intention-over-order"})
WHEN = {
    "features": frozenset(TIERS) - {"calm"},
    "top2": frozenset({"escalated"}),
    "tup": frozenset({"escalated"}),
    "desire": ACTED,
    "evidence": ACTED,
    "plan": ACTED,
    "step": ACTED,
}

moves = st.builds(IntentionMove, episode=st.just("i"), acts=st.booleans(), over_order=st.booleans())
verdicts = st.builds(
    ParkedVerdict,
    name=st.just("x"),
    verb=st.sampled_from(list(ACTIONS)),
    tup=st.just(""),
    top2=st.just(("stay", "flee")),
    t_parked=st.floats(999_990.0, 1_000_010.0),
)
keys = st.sampled_from(["runa", "gerd", "pip", "maren"])
worlds = st.tuples(
    st.lists(frames(), min_size=1, max_size=3),
    st.dictionaries(keys, moves),
    st.dictionaries(keys, verdicts),
    st.dictionaries(keys, st.floats(0, 1)),
)


def swept(world: Any) -> list[tuple[Frame, list[SweepRow]]]:
    brain = Sweep(DefaultHead(), MANIFESTS)
    shown, *standing = world
    return [(frame, brain.run(frame, *standing)) for frame in shown]


@few
@given(worlds)
def test_every_living_character_has_one_row_of_a_known_tier(world: Any) -> None:
    for frame, rows in swept(world):
        assert [row.name for row in rows] == [c.name for c in frame.characters if c.alive]
        assert all(row.served in TIERS and row.receipt["served"] == row.served for row in rows)


@few
@given(worlds)
def test_probabilities_sum_to_one_and_barred_verbs_have_none(world: Any) -> None:
    for frame, rows in swept(world):
        for row in rows:
            probs = row.receipt["probs"]
            archetype = frame.by_key[row.key].archetype
            assert abs(sum(probs.values()) - 1.0) <= len(ACTIONS) * 0.00005
            for verb in manifest_of(MANIFESTS, archetype).masked_actions():
                assert probs[verb] == 0.0
            assert row.receipt["conf"] == max(probs.values()) == probs[row.receipt["action"]]


@few
@given(worlds)
def test_fields_come_in_one_order_and_when_they_should(world: Any) -> None:
    for _, rows in swept(world):
        for row in rows:
            fields = list(row.receipt)
            assert fields == sorted(fields, key=ORDER.index)
            for field, due in WHEN.items():
                assert (field in row.receipt) == (row.served in due)
            if "features" in row.receipt:
                assert list(row.receipt["features"]) == list(FEATURES)
            assert (row.dilemma is not None) == (row.served == "escalated")
            assert [c.to_json() for c in row.commands] == row.receipt.get("cmds", [])


@few
@given(worlds)
def test_the_same_inputs_give_the_same_bytes(world: Any) -> None:
    first, second = swept(world), swept(world)
    assert orjson.dumps([[row.receipt for row in rows] for _, rows in first]) == orjson.dumps(
        [[row.receipt for row in rows] for _, rows in second]
    )


@few
@given(frames(), st.dictionaries(keys, moves))
def test_the_short_way_of_content_characters_is_the_ladders_own(
    frame: Frame, standing: dict[str, IntentionMove]
) -> None:
    rows = Sweep(DefaultHead(), MANIFESTS, LadderSettings(debounce_s=0.0)).run(
        frame, standing, {}, {}
    )
    for row in rows:
        c = frame.by_key[row.key]
        receipt = row.receipt
        ranked = sorted(receipt["probs"], key=lambda a: -receipt["probs"][a])[:2]
        calm = [ACTIONS[a].calm for a in ranked]
        expected = settled_tier(
            recast=c.lease is not None and c.lease.reapply,
            move=standing.get(row.key),
            verdict=False,
            sure=receipt["conf"] >= 0.85,
            calm=calm[0],
            off_station=c.scheduled not in (None, c.station),
            bound=c.lease is not None
            or (c.order is not None and ranked[0] in (c.order.forbids or ACTIONS)),
        )
        assert row.served == (expected or dilemma_tier(both_calm=all(calm), asked=False))


@few
@given(frames())
def test_the_order_of_the_frame_changes_nothing_but_the_index(frame: Frame) -> None:
    rows = Sweep(DefaultHead(), MANIFESTS).run(frame, {}, {}, {})
    turned = Frame(
        **{
            name: getattr(frame, name)
            for name in ("world", "tab", "tick", "t", "player", "stations", "events", "night")
        },
        characters=frame.characters[::-1],
    )
    back = Sweep(DefaultHead(), MANIFESTS).run(turned, {}, {}, {})
    for there, here in zip(rows, reversed(back), strict=True):
        assert there.receipt | {"npc": 0} == here.receipt | {"npc": 0}
