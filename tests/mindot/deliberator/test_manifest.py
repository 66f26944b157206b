"""What an archetype may do, and how it rests and withdraws."""

from importlib import resources

import pytest

from mindot.game.contract import ACTIONS, CALM_ACTIONS
from mindot.game.frame import Command, Frame, Station
from mindot.game.manifest import (
    ANY_ARCHETYPE,
    SAY,
    STANCES,
    Manifest,
    Stance,
    load_manifests,
    manifest_of,
)
from tests.mindot.deliberator.stage import STATIONS, T0, person

PACKAGED = load_manifests()


def frame(*stations: Station) -> Frame:
    return Frame(world="mock", tab="test", tick=1, t=T0, characters=(), stations=stations)


@pytest.mark.parametrize("manifest", PACKAGED.values(), ids=lambda m: m.archetype)
def test_the_packaged_manifests_keep_their_own_rules(manifest: Manifest) -> None:
    assert manifest.allows("stay")
    allowed, masked = manifest.allowed_actions(), manifest.masked_actions()
    assert list(allowed) == [a for a in ACTIONS if manifest.allows(a)]
    assert list(masked) == [a for a in ACTIONS if not manifest.allows(a)]
    for name in STANCES:
        assert manifest.allows(manifest.stance(name).action)
        command = manifest.stance_command(name, person("Ylva"), frame())
        assert manifest.allows(command.cmd)


def test_an_archetype_without_a_manifest_gets_the_default() -> None:
    assert manifest_of(PACKAGED, "juggler") is PACKAGED[ANY_ARCHETYPE]
    lonely = {"guard": PACKAGED["guard"]}
    assert set(manifest_of(lonely, "juggler").allowed_actions()) == CALM_ACTIONS
    assert manifest_of(lonely, "guard") is PACKAGED["guard"]


def test_a_child_does_not_confront() -> None:
    assert not PACKAGED["child"].allows("confront")
    assert PACKAGED["guard"].allows("confront")


def test_speech_is_a_gift_not_an_action() -> None:
    stay = Stance(action="stay")
    wolf = Manifest(
        archetype="wolf", actions=frozenset({"stay"}), rest=stay, withdraw=stay, speaks=False
    )
    assert not wolf.allows(SAY)
    assert PACKAGED["child"].allows(SAY)
    assert SAY not in ACTIONS


def test_a_stance_goes_to_the_nearest_station_of_its_kind() -> None:
    smith, tired = PACKAGED["smith"], person("Gerd", "smith", x=30.0)
    far = Station(label="barn", x=90.0, y=0.0, kind="bed")
    command = smith.stance_command("rest", tired, frame(far, *STATIONS))
    assert command == Command(cmd="go_station", name="Gerd", target="station:cottage")


def test_a_stance_without_its_station_is_to_stay() -> None:
    command = PACKAGED["smith"].stance_command("rest", person("Gerd", "smith"), frame())
    assert command == Command(cmd="stay", name="Gerd")


def test_a_stance_that_needs_no_station() -> None:
    command = PACKAGED["child"].stance_command("withdraw", person("Pip", "child"), frame())
    assert command == Command(cmd="flee", name="Pip")


def test_the_data_comes_with_the_package() -> None:
    text = (resources.files("mindot.game") / "data" / "manifests.toml").read_text("utf-8")
    assert text.count("[manifest.") == len(PACKAGED)
