"""A mind's file: whole or not at all, and never trusted blindly."""

from pathlib import Path
from typing import Any

import pytest

from cognition import Executive, Handoff, Persona, Undertaking
from mindot.lasting import LastingStateError, load_mind, save_mind, state_path


def mind(name: str = "mock:gerdur") -> Executive:
    return Executive(name, persona=Persona(name="Gerdur"), affordances={"stay": "remains"})


def promising() -> Executive:
    executive = mind()
    executive.push(Handoff(body=Undertaking(what="mend the axe"), tick=1))
    executive.pump(1, {})
    return executive


def test_save_and_load_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "minds" / "gerdur.json"
    before = promising()
    save_mind(before, path)
    after = mind()
    assert load_mind(after, path)
    assert after.promises() == before.promises()
    assert after.snapshot() == before.snapshot()
    assert [p.name for p in path.parent.iterdir()] == ["gerdur.json"]


def test_nothing_saved_is_nothing_to_load(tmp_path: Path) -> None:
    assert not load_mind(mind(), tmp_path / "none.json")


def test_a_torn_newer_or_foreign_file_is_refused_and_the_state_kept(tmp_path: Path) -> None:
    path = tmp_path / "gerdur.json"
    save_mind(promising(), path)
    data = path.read_bytes()
    keeping = promising()
    before = keeping.snapshot()
    for damaged, message in (
        (data[:-20], "torn"),
        (data.replace(b'"version":1', b'"version":9'), "version is 9"),
        (data.replace(b"mend the axe", b"burn the axe"), "digest"),
    ):
        path.write_bytes(damaged)
        with pytest.raises(LastingStateError, match=f"gerdur.json: .*{message}"):
            load_mind(keeping, path)
        assert keeping.snapshot() == before
    path.write_bytes(data)
    with pytest.raises(LastingStateError, match="belongs to another mind than 'mock:tom'"):
        load_mind(mind("mock:tom"), path)


def test_a_write_that_fails_leaves_the_old_file_and_no_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "gerdur.json"
    save_mind(promising(), path)
    data = path.read_bytes()

    def full(*args: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="no space left"):
        save_mind(mind(), path)
    assert path.read_bytes() == data
    assert [p.name for p in tmp_path.iterdir()] == ["gerdur.json"]


def test_names_become_file_names_without_losing_their_difference(tmp_path: Path) -> None:
    names = ["mock:gerdur", "mock/gerdur", "mock:Gerdur", "mock:g%3a%", "../x", "mock:çelik"]
    paths = {state_path(tmp_path, name).name.casefold() for name in names}
    assert len(paths) == len(names) - 1  # case alone tells two of them apart
    assert all(p.parent == tmp_path for p in (state_path(tmp_path, n) for n in names))
    assert state_path(tmp_path, "mock:gerdur").name == "mind-mock%3a%gerdur.json"
