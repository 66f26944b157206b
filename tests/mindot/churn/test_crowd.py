"""Market day: the preset that shows facets dying, and the docs that show it."""

import json
from pathlib import Path

import pytest

from tests.mindot.churn import crowd
from tests.mindot.churn.test_plot import facts_in


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("market")
    crowd.play(directory)
    return directory


def test_it_shows_both_populations_all_reasons_and_a_conversation_cut_in_two(market: Path) -> None:
    found = json.loads(crowd.report(market, "--json"))
    assert {row["population"] for row in found["by"]} == {"keyed", "keyless"}
    assert {row["reason"] for row in found["by"]} == {"explicit", "idle", "lru"}
    assert any(key["lost"] for key in found["keys"])
    assert any("raise max_facets from 2" in sentence for sentence in found["verdict"])


def test_the_docs_show_its_figures(market: Path) -> None:
    said = crowd.shown(crowd.PAGE.read_text())
    assert said == crowd.report(market), "run python -m tests.mindot.churn.crowd"


def test_the_docs_show_its_plot(market: Path, tmp_path: Path) -> None:
    plot = tmp_path / "churn.svg"
    crowd.report(market, "--plot", str(plot))
    assert facts_in(crowd.PLOT) == facts_in(plot), "run python -m tests.mindot.churn.crowd"
