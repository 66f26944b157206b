"""A pattern that would run away comes back without a match."""

import regex

from llm_wire import timed_pattern
from llm_wire.timed_pattern import TimedPattern


def test_a_match_is_a_match() -> None:
    pattern = TimedPattern(r"^b+", regex.MULTILINE)
    found = pattern.search("a\nbb\n")
    assert found is not None
    assert found.span() == (2, 4)
    assert pattern.match("abb") is None
    assert [m[0] for m in pattern.finditer("b\nbb")] == ["b", "bb"]
    assert pattern.search("a\nbb", 0, 2) is None


def test_what_runs_away_counts_as_no_match() -> None:
    before = timed_pattern.TIME_LIMIT_S
    timed_pattern.TIME_LIMIT_S = 0.02  # type: ignore[misc]
    try:
        runaway = TimedPattern(r"(a|aa)+$")
        text = "a" * 60 + "b"
        assert runaway.match(text) is None
        assert runaway.search(text) is None
        assert list(runaway.finditer(text)) == []
    finally:
        timed_pattern.TIME_LIMIT_S = before  # type: ignore[misc]
