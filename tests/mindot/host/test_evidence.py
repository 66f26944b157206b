"""Whom a receipt shows to have been reached."""

from typing import Any

import pytest

from mindot.game.frame import Command
from mindot.host.evidence import party_of, reached_by
from mindot.student.sweep import SweepRow


def row(served: str, **fields: Any) -> SweepRow:
    receipt = {"t": 12.0, "served": served, "action": "stay", **fields}
    return SweepRow(name="Gerdur", key="gerdur", served=served, receipt=receipt)


@pytest.mark.parametrize(
    ("target", "party"),
    [
        ("ally:Brenna", "brenna"),
        ("guard", "guard"),
        ("Brenna", "brenna"),
        ("player", "player"),
        ("station:forge", None),
        ("ally:", None),
        ("", None),
        (None, None),
    ],
)
def test_a_target_names_somebody_or_a_place(target: str | None, party: str | None) -> None:
    assert party_of(target) == party


def test_a_plans_row_counts_by_its_target() -> None:
    acted = row("intention", episode="g-1", target="ally:Brenna")
    (reached,) = reached_by(acted, ())
    assert reached.party == "brenna"
    assert reached.record == {"t": 12.0, "served": "intention", "episode": "g-1"}


def test_a_command_addressed_to_somebody_counts_on_any_row_and_each_party_once() -> None:
    said = Command(cmd="greet_approach", name="Gerdur", target="ally:Brenna")
    acted = row("intention", episode="g-1", target="ally:Brenna")
    assert [r.party for r in reached_by(acted, (said,))] == ["brenna"]
    (reached,) = reached_by(row("emitted"), (said, said))
    assert reached.record == {"t": 12.0, "served": "emitted", "cmd": "greet_approach"}


def test_a_plan_that_waits_or_goes_to_a_place_reaches_nobody() -> None:
    assert list(reached_by(row("intention-hold", episode="g-1"), ())) == []
    assert list(reached_by(row("intention", episode="g-1", target="station:gate"), ())) == []
    walk = Command(cmd="go_station", name="Gerdur", target="station:gate")
    assert list(reached_by(row("routine"), (walk,))) == []
