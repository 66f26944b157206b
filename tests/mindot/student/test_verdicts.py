from typing import Any

import pytest

from mindot.student.rows import SweepRow, VerdictFate
from mindot.student.verdicts import ParkedVerdict, ShelfStatistics, VerdictShelf


def parked(name: str = "Runa", **more: Any) -> ParkedVerdict:
    given: dict[str, Any] = {"verb": "flee", "tup": "t", "top2": ("flee", "stay"), "t_parked": 1.0}
    return ParkedVerdict(**(given | {"name": name} | more))


def row(fate: VerdictFate | None, name: str = "Runa") -> SweepRow:
    return SweepRow(name, name.lower(), "calm", {}, verdict=fate)


def test_a_parked_verdict_is_found_by_key() -> None:
    shelf = VerdictShelf()
    shelf.park(parked())
    assert shelf["runa"].verb == "flee"
    assert list(shelf) == ["runa"]
    assert shelf.get("gerd") is None


def test_a_newer_answer_takes_the_place_of_an_older() -> None:
    shelf = VerdictShelf()
    shelf.park(parked())
    shelf.park(parked("RUNA", verb="watch"))
    assert shelf["runa"].verb == "watch"
    assert shelf.statistics() == ShelfStatistics(parked=2, replaced=1, waiting=1)


@pytest.mark.parametrize(
    ("fate", "left", "dropped"),
    [("served", 0, 0), ("late", 0, 1), ("barred", 0, 1), (None, 1, 0)],
)
def test_settling(fate: VerdictFate | None, left: int, dropped: int) -> None:
    shelf = VerdictShelf()
    shelf.park(parked())
    assert len(shelf.settle([row(fate), row(None, "Gerd")])) == dropped
    assert len(shelf) == left


def test_what_became_of_them_is_counted() -> None:
    shelf = VerdictShelf()
    fates: dict[str, VerdictFate | None] = {"A": "served", "B": "late", "C": "barred", "D": None}
    for name in fates:
        shelf.park(parked(name))
    shelf.settle([row(fate, name) for name, fate in fates.items()])
    assert shelf.statistics() == ShelfStatistics(parked=4, served=1, late=1, barred=1, waiting=1)


def test_a_row_about_nobody_on_the_shelf_changes_nothing() -> None:
    shelf = VerdictShelf()
    assert shelf.settle([row("served"), row("late", "Gerd")]) == ()
    assert shelf.statistics() == ShelfStatistics()
