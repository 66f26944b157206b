"""Scenes: when they happen and what they leave behind."""

from typing import Any

import pytest

from mindot.game.frame import PLAYER, GameEvent
from mindot.village.daily import Daily
from mindot.village.deeds import Deeds
from mindot.village.dice import Dice
from mindot.village.life import Life
from mindot.village.playbook import Scene, write_playbook
from mindot.village.stage import Stage
from mindot.village.world import World


@pytest.fixture
def world() -> World:
    return World(Dice(7))


def play(world: World, *scenes: Scene, ticks: int = 20) -> list[GameEvent]:
    """The events of so many ticks in which nothing but these scenes happens."""
    stage, deeds = Stage(world, scenes), Deeds(world)
    events: list[GameEvent] = []
    for _ in range(ticks):
        world.tick += 1
        stage.play()
        deeds.walk()
        events += world.see().events
    return events


def scene(act: Any, whom: str | None = None, *, actor: str = PLAYER, **more: Any) -> Scene:
    return Scene(**({"tick": 2, "actor": actor, "act": act, "whom": whom, "text": "so"} | more))


def life(world: World, name: str) -> Life:
    return world.by_key[name.lower()]


def test_the_visitor_walks_to_whom_it_seeks_first(world: World) -> None:
    assert play(world, scene("talk", "Runa"), ticks=1) == []
    (event,) = play(world, scene("talk", "Runa", text="Is it safe?"))
    assert (event.kind, event.actor, event.concerns) == ("talk", PLAYER, ("Runa",))
    assert event.text == "Is it safe?"
    assert world.apart(life(world, "Runa"), PLAYER) < 3.0


def test_the_visitor_speaks_to_somebody_for_a_moment(world: World) -> None:
    world.visitor.x, world.visitor.y = life(world, "Runa").x, life(world, "Runa").y
    play(world, scene("talk", "Runa"), ticks=1)
    assert world.visitor.shown(world.tick).speaks_to == "Runa"
    assert world.visitor.shown(world.tick + 2).speaks_to is None


def test_a_theft_concerns_its_victim_and_the_guards_on_duty(world: World) -> None:
    before = life(world, "Sunniva").stress
    (event,) = play(world, scene("theft", "Sunniva", gravity=0.6))
    assert event.concerns == ("Sunniva", "Runa")
    assert event.gravity == 0.6
    assert life(world, "Sunniva").trust[PLAYER] < 0
    assert life(world, "Sunniva").stress > before
    assert world.last_noise is not None


def test_an_assault_hurts_and_raises_the_alarm(world: World) -> None:
    blow, bell = play(world, scene("assault", "Kettil"), ticks=16)
    assert life(world, "Kettil").hurt > 0.3
    assert world.alarm
    assert (blow.kind, blow.concerns) == ("assault", ("Kettil", "Runa"))
    assert bell.kind == "alarm"
    assert {"Ylva", "Pip", "Lisbet"} <= set(bell.concerns)
    assert not set(blow.concerns) & set(bell.concerns)


def test_a_weapon_is_drawn_where_the_playbook_says(world: World) -> None:
    play(world, scene("draw", place="gate"))
    assert world.visitor.armed
    play(world, scene("sheathe", place="gate"))
    assert not world.visitor.armed


def test_an_order_binds_for_its_time(world: World) -> None:
    order = scene("order", "Gerd", actor="Odda", ticks=5, forbids=("confront",))
    (event,) = play(world, order, ticks=3)
    held = life(world, "Gerd").order
    assert held is not None
    assert (held.by, held.forbids) == ("Odda", ("confront",))
    assert (event.kind, event.actor, event.text) == ("order", "Odda", "so, says Odda.")
    play(world, ticks=5)
    assert life(world, "Gerd").order is None


def test_a_cast_slips_out_of_its_pose_and_is_let_go(world: World) -> None:
    cast = scene("cast", "Finn", actor="Finn", text="fool", ticks=20, pose="watch")
    stage, reapplied = Stage(world, (cast,)), []
    for _ in range(24):
        world.tick += 1
        stage.play()
        lease = life(world, "Finn").lease
        if lease is not None:
            assert (lease.role, lease.pose) == ("fool", "watch")
            reapplied.append(lease.reapply)
    assert reapplied[0]
    assert 2 <= sum(reapplied) <= 4
    assert len(reapplied) == 20
    assert life(world, "Finn").lease is None


def test_villagers_go_to_each_other_for_a_scene(world: World) -> None:
    (event,) = play(world, scene("insult", "Sunniva", actor="Gerd"))
    assert (event.actor, event.concerns) == ("Gerd", ("Sunniva",))
    assert life(world, "Sunniva").trust["gerd"] < -0.1


def test_who_cannot_come_lets_the_scene_lapse(world: World) -> None:
    gerd = life(world, "Gerd")
    play(world, scene("order", "Gerd", actor="Odda", ticks=99), ticks=1)
    assert play(world, scene("insult", "Tove", actor="Gerd")) == []
    assert gerd.errand is None


def test_somebody_wants_to_be_served(world: World) -> None:
    assert play(world, scene("custom", "Alrik", actor="Tove"), ticks=2) == []
    assert life(world, "Alrik").customer_until is not None


def test_the_playbook_is_in_order_and_the_seed_moves_it() -> None:
    one, two = write_playbook(Dice(1)), write_playbook(Dice(2))
    assert one == write_playbook(Dice(1))
    assert one != two
    assert [s.tick for s in one] == sorted(s.tick for s in one)
    assert {s.act for s in one} == {s.act for s in two}


def test_a_need_is_made_known_once_until_it_is_met(world: World) -> None:
    daily, gerd = Daily(world), life(world, "Gerd")
    gerd.needs["food"] = 0.8
    told = []
    for pressure in (0.8, 0.9, 0.4, 0.8):
        gerd.needs["food"] = pressure
        daily.bring()
        told.append([e.need for e in world.see().events if "Gerd" in e.concerns])
    assert told == [["food"], [], [], ["food"]]


def test_customers_come_to_those_at_work_and_do_not_wait_for_ever(world: World) -> None:
    daily, alrik = Daily(world), life(world, "Alrik")
    waited = []
    alrik.x, alrik.y = alrik.place("inn")
    for _ in range(200):
        world.tick += 1
        daily.bring()
        waited.append(alrik.customer_until is not None)
    assert any(waited)
    longest = max(len(run) for run in "".join("x" if w else " " for w in waited).split())
    assert longest <= 8


def test_work_that_lies_open_is_taken_by_others_in_the_end(world: World) -> None:
    daily, gerd = Daily(world), life(world, "Gerd")
    gerd.task, gerd.task_ends = "open", world.tick + 1
    world.tick += 1
    daily.bring()
    assert gerd.task is None
