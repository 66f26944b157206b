"""What commands do."""

import pytest

from mindot.game.frame import Command, GameEvent
from mindot.village.deeds import Deeds
from mindot.village.dice import Dice
from mindot.village.life import Life
from mindot.village.places import BY_LABEL
from mindot.village.world import World


@pytest.fixture
def world() -> World:
    return World(Dice(7))


@pytest.fixture
def deeds(world: World) -> Deeds:
    return Deeds(world)


def walk(world: World, deeds: Deeds, ticks: int = 16) -> list[GameEvent]:
    """Let so many ticks of walking pass; what was told meanwhile."""
    events: list[GameEvent] = []
    for _ in range(ticks):
        world.tick += 1
        deeds.walk()
        events += world.see().events
    return events


def life(world: World, name: str) -> Life:
    return world.by_key[name.lower()]


def test_going_to_a_station_takes_its_time(world: World, deeds: Deeds) -> None:
    runa = life(world, "Runa")
    deeds.carry_out(Command(cmd="go_station", name="runa", target="station:forge"))
    walk(world, deeds, 1)
    assert runa.station != "forge"
    walk(world, deeds)
    assert runa.station == "forge"
    assert runa.errand is None


def test_without_a_target_the_station_is_the_one_of_the_day(world: World, deeds: Deeds) -> None:
    runa = life(world, "Runa")
    runa.x, runa.y = 30.0, 12.0
    deeds.carry_out(Command(cmd="go_station", name="Runa"))
    walk(world, deeds)
    assert runa.station == world.shift(runa).station


def test_fleeing_leads_away_from_the_visitor_to_a_bed(world: World, deeds: Deeds) -> None:
    pip = life(world, "Pip")
    pip.stress = 50.0
    deeds.carry_out(Command(cmd="flee", name="Pip"))
    walk(world, deeds)
    station = pip.station
    assert station is not None
    assert BY_LABEL[station].kind == "bed"
    assert pip.stress == 35.0


def test_investigating_leads_to_where_the_wrong_was_done(world: World, deeds: Deeds) -> None:
    world.last_noise = (30.0, 12.0)
    deeds.carry_out(Command(cmd="investigate", name="Runa"))
    walk(world, deeds)
    assert life(world, "Runa").station == "square"


def test_a_greeting_is_told_once_when_it_reaches_somebody(world: World, deeds: Deeds) -> None:
    greet = Command(cmd="greet_approach", name="Runa", target="ally:Torben")
    deeds.carry_out(greet)
    (event,) = walk(world, deeds)
    assert (event.kind, event.actor, event.concerns) == ("greeting", "Runa", ("Torben",))
    deeds.carry_out(greet)
    deeds.carry_out(Command(cmd="greet_approach", name="Torben", target="ally:Runa"))
    assert walk(world, deeds, 1) == []


def test_a_role_is_the_nearest_who_has_it(world: World, deeds: Deeds) -> None:
    runa, torben, pip = life(world, "Runa"), life(world, "Torben"), life(world, "Pip")
    pip.x, pip.y = torben.x + 20.0, torben.y
    runa.x, runa.y = 500.0, 500.0
    deeds.carry_out(Command(cmd="complain", name="Pip", target="guard"))
    walk(world, deeds)
    assert world.apart(pip, "torben") < 5.0


def test_a_call_for_help_in_distress_raises_the_alarm_once(world: World, deeds: Deeds) -> None:
    sunniva = life(world, "Sunniva")
    sunniva.stress = 80.0
    call = Command(cmd="call_help", name="Sunniva", target="guard")
    deeds.carry_out(call)
    (event,) = walk(world, deeds)
    assert (event.kind, event.concerns) == ("alarm", ("Runa", "Torben"))
    sunniva.stress = 80.0
    deeds.carry_out(call)
    assert walk(world, deeds, 4) == []


def test_a_call_without_need_raises_nothing(world: World, deeds: Deeds) -> None:
    life(world, "Sunniva").stress = 10.0
    deeds.carry_out(Command(cmd="call_help", name="Sunniva", target="guard"))
    assert walk(world, deeds) == []
    assert not world.alarm


def test_facing_somebody_is_a_relief(world: World, deeds: Deeds) -> None:
    gerd, finn = life(world, "Gerd"), life(world, "Finn")
    gerd.x, gerd.y, gerd.stress, finn.stress = finn.x, finn.y, 50.0, 10.0
    deeds.carry_out(Command(cmd="confront", name="Gerd", target="subject:Finn"))
    assert (gerd.stress, finn.stress) == (38.0, 16.0)
    deeds.carry_out(Command(cmd="complain", name="Gerd", target="ally:Finn"))
    assert gerd.stress == 32.0


def test_customers_are_served(world: World, deeds: Deeds) -> None:
    alrik = life(world, "Alrik")
    alrik.customer_until = 9
    deeds.carry_out(Command(cmd="serve", name="Alrik"))
    deeds.carry_out(Command(cmd="serve", name="Alrik"))
    assert alrik.customer_until is None


def work(life: Life) -> tuple[bool, str | None]:
    return life.working, life.task


def test_work_is_taken_up_put_aside_and_resumed(world: World, deeds: Deeds) -> None:
    gerd = life(world, "Gerd")
    deeds.carry_out(Command(cmd="claim_task", name="Gerd"))
    assert work(gerd) == (False, None)
    gerd.task = "open"
    deeds.carry_out(Command(cmd="claim_task", name="Gerd"))
    assert work(gerd) == (True, None)
    deeds.carry_out(Command(cmd="go_station", name="Gerd", target="station:inn"))
    assert work(gerd) == (False, "paused")
    deeds.carry_out(Command(cmd="resume_task", name="Gerd"))
    assert work(gerd) == (True, None)


def test_an_errand_after_somebody_who_cannot_be_caught_is_given_up(
    world: World, deeds: Deeds
) -> None:
    runa = life(world, "Runa")
    world.visitor.x = 1e6
    deeds.carry_out(Command(cmd="confront", name="Runa", target="player"))
    walk(world, deeds, 20)
    assert runa.errand is None
