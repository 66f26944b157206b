import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mindot.game.contract import ACTIONS
from mindot.student.mask import ManifestMask
from tests.mindot.student.crowds import manifest

NAMES = list(ACTIONS)


def masked(probabilities: list[float], *allows: str) -> dict[str, float]:
    mask = ManifestMask({"*": manifest(*allows)})
    row = mask.apply(np.array([probabilities]), mask.rows(["guard"]))[0]
    return dict(zip(NAMES, row.tolist(), strict=True))


def test_what_is_barred_goes_to_the_others_in_proportion() -> None:
    given_ = [0.0] * 16
    given_[NAMES.index("stay")], given_[NAMES.index("watch")] = 0.3, 0.1
    given_[NAMES.index("flee")] = 0.6
    left = masked(given_, "stay", "watch")
    assert (left["stay"], left["watch"], left["flee"]) == (0.75, 0.25, 0.0)


def test_a_head_that_leans_only_to_barred_actions_leaves_the_granted_ones_even() -> None:
    given_ = [0.0] * 16
    given_[NAMES.index("flee")] = 1.0
    left = masked(given_, "stay", "watch")
    assert (left["stay"], left["watch"]) == (0.5, 0.5)


def test_an_unknown_archetype_is_granted_calm_actions_only() -> None:
    mask = ManifestMask({"guard": manifest(*ACTIONS)})
    rows = mask.rows(["guard", "child"])
    assert mask.allowed(int(rows[0])) == tuple(ACTIONS)
    assert mask.barred(int(rows[0])) == ()
    assert mask.allowed(int(rows[1])) == ("stay", "watch", "idle_social")
    assert "flee" in mask.barred(int(rows[1]))


def test_it_is_told_who_lost_something() -> None:
    mask = ManifestMask({"*": manifest("stay", "watch")})
    rows = mask.rows(["guard", "guard"])
    calm, flees = [1.0, *[0.0] * 15], [0.9, *[0.0] * 6, 0.1, *[0.0] * 8]
    assert mask.took(np.array([calm, flees]), rows).tolist() == [False, True]


@settings(deadline=None)
@given(
    st.lists(st.floats(0, 1), min_size=16, max_size=16).filter(lambda row: sum(row) > 0),
    st.sets(st.sampled_from(NAMES)),
)
def test_barred_actions_are_zero_and_the_rest_sums_to_one(
    row: list[float], allows: set[str]
) -> None:
    total = sum(row)
    left = masked([p / total for p in row], "stay", *allows)
    assert all(left[a] == 0.0 for a in NAMES if a not in allows and a != "stay")
    assert abs(sum(left.values()) - 1.0) <= 16 * 0.00005
