from mindot.game.frame import (
    Character,
    Command,
    Frame,
    GameEvent,
    Player,
    Station,
    name_key,
)

RUNA = Character(name="Runa", handle=3, archetype="guard", x=1.26, y=-2.0, station="gate")


def frame(**more: object) -> Frame:
    given: dict[str, object] = {"world": "w", "tab": "t", "tick": 1, "t": 5.004}
    return Frame(**(given | {"characters": (RUNA,)} | more))  # type: ignore[arg-type]


def test_characters_are_found_by_their_key() -> None:
    assert frame().by_key["runa"] is RUNA
    assert RUNA.key == name_key("RUNA") == "runa"


def test_frames_with_the_same_content_are_equal() -> None:
    assert frame() == frame()
    assert frame() != frame(night=True)


def test_a_station_is_found_by_its_label() -> None:
    gate = Station(label="gate", x=0.0, y=0.0)
    assert frame(stations=(gate,)).station_named("gate") is gate
    assert frame().station_named("gate") is None


def test_a_command_tells_only_what_it_has() -> None:
    assert Command(cmd="flee", name="Runa").to_json() == {"cmd": "flee", "name": "Runa"}
    full = Command(cmd="say", name="Runa", target="player", say="Halt!")
    assert list(full.to_json()) == ["cmd", "name", "target", "say"]


def test_the_state_that_flywheel_records_keep() -> None:
    theft = GameEvent(id="e1", kind="theft", actor="player", concerns=("Runa",), text="gone!")
    shown = frame(player=Player(x=0.04, y=9.0, armed=True), events=(theft,)).to_state()
    assert shown == {
        "world": "w",
        "tick": 1,
        "t": 5.0,
        "npcs": [
            {"name": "Runa", "handle": 3, "arch": "guard", "xy": [1.3, -2.0], "station": "gate"}
        ],
        "night": False,
        "alarm": False,
        "player": {"xy": [0.0, 9.0], "armed": True},
        "events": [{"kind": "theft", "actor": "player", "text": "gone!"}],
    }
    assert "events" not in frame().to_state()
    assert "player" not in frame().to_state()
