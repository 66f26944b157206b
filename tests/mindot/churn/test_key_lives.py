"""One key's account: losses, gaps, and a median that stays in bounds."""

from random import Random
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindot.records.key_lives import EXACT_LIVES, KeyLives, median_life

WINDOW = 100


def account(*lengths: int | None) -> KeyLives:
    lives = KeyLives()
    for length in lengths:
        lives.ended("idle", 10, None, length)
    return lives


@pytest.mark.parametrize(
    ("reason", "gap", "lost", "resumed"),
    [
        ("lru", 0, 1, 1),
        ("lru", WINDOW, 1, 1),
        ("lru", WINDOW + 1, 0, 0),
        ("idle", 3, 1, 1),
        ("explicit", 3, 0, 1),
        ("unknown", 3, 0, 1),
        ("evaporated", 3, 0, 1),
    ],
)
def test_what_counts_as_a_loss(reason: str, gap: int, lost: int, resumed: int) -> None:
    lives = KeyLives()
    assert lives.spawned(1, WINDOW) is False
    lives.ended(reason, 5, 5000, 4)
    assert lives.spawned(5 + gap, WINDOW) is bool(lost)
    assert (lives.lost_idle + lives.lost_lru, lives.resumed) == (lost, resumed)
    assert lives.longest_gap == gap
    assert lives.ends() == {reason: 1}


def test_an_end_is_lost_once() -> None:
    lives = KeyLives()
    lives.ended("lru", 5, None, None)
    assert lives.spawned(6, WINDOW)
    assert not lives.spawned(7, WINDOW)
    assert lives.lost_lru == 1


def test_ticks_that_began_anew_give_no_gap_and_no_life() -> None:
    lives = account(-4)
    lives.spawned(2, WINDOW)
    assert (lives.longest_gap, lives.resumed) == (None, 0)
    assert median_life([lives]) == (None, True)


@pytest.mark.parametrize(("left", "crowd"), [(6, 7), (-1, 0), (True, 0), ("6", 0), (None, 0)])
def test_the_crowd_is_what_the_row_says_and_one(left: object, crowd: int) -> None:
    lives = KeyLives()
    lives.crowded(left)
    assert lives.crowd == crowd


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=60), st.integers(0, 60))
def test_the_median_is_exact_over_one_account_or_several(lengths: list[int], cut: int) -> None:
    accounts = [account(*lengths[:cut]), account(*lengths[cut:])]
    assert median_life(accounts) == (median(lengths), True)


def test_no_life_no_median() -> None:
    assert median_life([account(None)]) == (None, True)


def test_a_median_over_very_many_is_close_and_says_so() -> None:
    lengths = list(range(20_000))
    Random(3).shuffle(lengths)
    lives = KeyLives()
    for length in lengths:
        lives.ended("idle", 10, None, length)
    assert lives.lives is not None
    assert len(lives.lives) == EXACT_LIVES
    found, exact = median_life([lives])
    assert not exact
    assert found is not None
    assert abs(found - 10_000) < 1_500


def test_a_large_sample_outweighs_a_small_account() -> None:
    many = KeyLives()
    for _ in range(5_000):
        many.ended("idle", 10, None, 7)
    assert median_life([many, account(*[900] * 400)]) == (7, False)
