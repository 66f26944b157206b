"""Whom or what a step finds to act on."""

from typing import Any

from mindot.deliberator.binding import Bound, bind, what_is_missing
from mindot.deliberator.operators import Operator
from mindot.game.frame import Character, Frame, Player, Station
from tests.mindot.deliberator.stage import STATIONS, T0, person

ROLES = {"guard": ("guard", "captain")}


def find(
    *binds: str,
    others: tuple[Character, ...] = (),
    subject: str | None = None,
    me: Character | None = None,
    stations: tuple[str, ...] = ("bed",),
    **frame: Any,
) -> Bound | None:
    me = me or person("Ylva")
    step = Operator(
        name="step", meaning="do it", actions=("stay",), binds=binds, roles=ROLES, stations=stations
    )
    seen: dict[str, Any] = {"stations": STATIONS, "player": Player(x=0.0, y=0.0), **frame}
    view = Frame(world="mock", tab="test", tick=1, t=T0, characters=(me, *others), **seen)
    return bind(step, view.by_key[me.key], view, subject)


def target(*binds: str, **fields: Any) -> str | None:
    found = find(*binds, **fields)
    return None if found is None else found.target


FRIENDS = {"alrik": 0.3, "brenna": 0.9, "ylva": 1.0, "gone": 1.0}


def test_the_nearest_ally_and_of_equals_the_first_by_name() -> None:
    ylva = person("Ylva", trust=FRIENDS)
    near, far = person("Brenna", x=14.0), person("Alrik", x=6.0)
    assert target("ally", me=ylva, others=(near, far)) == "ally:Alrik"
    assert target("ally", me=ylva, others=(person("Brenna", x=11.0), far)) == "ally:Brenna"
    assert target("ally", me=ylva, others=(person("Finn"),)) is None


def test_an_ally_is_not_the_one_it_is_about_nor_dead() -> None:
    ylva = person("Ylva", trust=FRIENDS)
    alrik, brenna = person("Alrik"), person("Brenna", x=30.0)
    assert target("ally", me=ylva, others=(alrik, brenna), subject="alrik") == "ally:Brenna"
    dead = person("Alrik", alive=False)
    assert target("ally", me=ylva, others=(dead, brenna)) == "ally:Brenna"


def test_a_role_is_anybody_in_it_but_oneself_and_the_subject() -> None:
    captain = person("Odda", "captain", x=20.0)
    runa = person("Runa", "guard")
    found = find("guard", others=(captain,))
    assert found is not None
    assert (found.target, found.name, found.archetype) == ("guard", "Odda", "captain")
    assert (found.handle, found.xy, found.distance) == (captain.handle, (20.0, 0.0), 10.0)
    assert target("guard", me=runa) is None
    assert target("guard", others=(runa,), subject="runa") is None


def test_bindings_are_tried_in_order() -> None:
    ylva = person("Ylva", trust=FRIENDS)
    others = (person("Brenna"),)
    assert target("guard", "ally", me=ylva, others=others) == "ally:Brenna"
    assert target("guard", "nobody", me=ylva) is None
    assert find("guard", "nobody", me=ylva) == Bound()


def test_a_subject_is_the_player_somebody_or_a_role() -> None:
    finn = person("Finn")
    assert target("subject", subject="player") == "player"
    assert target("subject", subject="player", player=None) is None
    hero = Player(x=0.0, y=0.0, name="Hero")
    assert target("promised", subject="hero", player=hero) == "player"
    assert target("subject", others=(finn,), subject="finn") == "subject:Finn"
    assert target("promised", others=(finn,), subject="finn") == "ally:Finn"
    assert target("promised", others=(person("Runa", "guard"),), subject="guard") == "guard"
    assert target("subject", others=(person("Runa", "guard"),), subject="guard") is None
    assert target("subject", subject="finn") is None
    assert target("subject", subject="ylva") is None
    assert target("subject") is None


def test_a_station_of_the_kind_or_where_the_day_wants_one() -> None:
    two = (*STATIONS, Station(label="barn", x=12.0, y=0.0, kind="bed"))
    assert target("station") == "station:cottage"
    assert target("station", stations=("bed",)) == "station:cottage"
    found = find("station", me=person("Ylva"), stations=("bed",), others=())
    assert found is not None
    assert (found.handle, found.xy, found.name) == (None, (40.0, 0.0), "cottage")
    scheduled = person("Ylva", scheduled="gate")
    assert target("station", me=scheduled, stations=("scheduled",)) == "station:gate"
    assert target("station", stations=("scheduled",)) is None
    step = Operator(
        name="s", meaning="m", actions=("stay",), binds=("station",), roles={}, stations=("bed",)
    )
    view = Frame(world="mock", tab="test", tick=1, t=T0, characters=(person("Ylva"),), stations=two)
    nearest = bind(step, view.characters[0], view, None)
    assert nearest is not None
    assert nearest.target == "station:barn"


def test_the_player_is_there_or_not() -> None:
    assert target("player") == "player"
    assert target("player", player=None) is None


def test_what_is_missing_is_said_in_a_clause() -> None:
    step = Operator(
        name="s",
        meaning="m",
        actions=("stay",),
        binds=("guard", "ally", "player", "station", "promised"),
        roles=ROLES,
        stations=("bed", "food"),
    )
    assert what_is_missing(step, "halvard") == (
        "no guard is here, no ally is here, the player is not here, "
        "there is no bed or food station, halvard is not here"
    )
    assert what_is_missing(step, None).endswith("it is about nobody")
