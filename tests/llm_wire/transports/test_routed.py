import pytest

from llm_wire.transport import Completion, Priority
from llm_wire.transports.routed import Route, Routed
from tests.llm_wire.transports.players import Player, heard, request_of

pytestmark = pytest.mark.anyio


def _routed(*routes: Route) -> Routed:
    return Routed({"small": Player("small"), "large": Player("large")}, routes, default="small")


@pytest.mark.parametrize(
    ("route", "fits"),
    [
        (Route(to="large"), True),
        (Route(to="large", character="Gerdur"), True),
        (Route(to="large", character="hod"), False),
        (Route(to="large", kind="master"), True),
        (Route(to="large", kind="conversation"), True),
        (Route(to="large", kind="rank"), False),
        (Route(to="large", kind="master", character="hod"), False),
    ],
)
async def test_a_route_fits_when_all_of_it_does(route: Route, fits: bool) -> None:
    request = request_of(asker="mock:gerdur", kind="master", priority=Priority.CONVERSATION)
    assert (await _routed(route).ask(request)).text == ("large" if fits else "small")


async def test_the_first_route_that_fits_is_taken() -> None:
    routed = _routed(Route(to="small", kind="rank"), Route(to="large"), Route(to="small"))
    assert routed.chosen(request_of()) == "large"
    said: list[str | Completion] = []
    await heard(routed, said)
    assert said[0] == "large"


async def test_closing_closes_them_all() -> None:
    players = {"small": Player("x"), "large": Player("y")}
    await Routed(players, (), default="small").aclose()
    assert all(player.closed for player in players.values())


def test_a_model_that_is_not_there() -> None:
    with pytest.raises(ValueError, match="no model is named 'huge'; there are 'small', 'large'"):
        _routed(Route(to="huge"))


@pytest.mark.parametrize(
    ("asker", "character", "fits"),
    [
        ("mock:npc:1", "npc:1", True),
        ("mock:npc:1", "1", False),
        ("mock:1", "1", True),
        ("gerdur", "Gerdur", True),
    ],
)
def test_a_character_is_what_follows_its_world(asker: str, character: str, fits: bool) -> None:
    assert Route(to="large", character=character).fits(request_of(asker=asker)) is fits
