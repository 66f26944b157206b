"""The sidecar: quicker, never needed, never trusted."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings

from mindot.records import decisions
from mindot.records.decisions import Found, newest_decisions
from mindot.records.encoding import encode
from mindot.records.index import build_index, index_path, read_index, write_index
from tests.mindot.records.strategies import NAMES, file_pieces, receipts

_rows = receipts().map(lambda row: encode(row)[:-1])


def row(n: int, name: str = "Falk", served: str = "held") -> bytes:
    return encode({"v": 1, "t": float(n), "name": name, "served": served, "n": n})


def indexed(path: Path) -> Path:
    write_index(path, build_index(path))
    return path


def numbers(found: Found) -> list[int]:
    return [record.value["n"] for record in found.records]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "receipts-20260912.jsonl"
    path.write_bytes(
        row(1) + row(2, "Kell") + row(3, served="calm") + row(4) + row(5, "Calm", "calm")
    )
    return path


def test_it_leads_to_the_decisions(path: Path) -> None:
    index = read_index(indexed(path))
    assert index is not None
    assert index.offsets == {
        "falk": [0, len(row(1) + row(2, "Kell") + row(3, served="calm"))],
        "kell": [len(row(1))],
        "calm": [],
    }
    found = newest_decisions([path], "FALK", last=5)
    assert (numbers(found), found.known, found.stale) == ([1, 4], True, ())
    assert newest_decisions([path], "calm", last=5) == Found([], known=True)
    assert newest_decisions([path], "Nobody", last=5) == Found([], known=False)
    assert numbers(newest_decisions([path], "falk", last=1, tier="calm")) == [3]


def test_rows_appended_since_are_found(path: Path) -> None:
    indexed(path)
    with path.open("ab") as file:
        file.write(row(6) + row(7, "Late") + row(8)[:-1])
    found = newest_decisions([path], "falk", last=3)
    assert (numbers(found), found.stale) == ([4, 6, 8], ())
    assert numbers(newest_decisions([path], "late", last=3)) == [7]


def test_a_file_that_outgrew_its_index_is_reported(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed(path)
    monkeypatch.setattr(decisions, "_SEARCHED_BESIDE_INDEX", 10)
    with path.open("ab") as file:
        file.write(row(6))
    found = newest_decisions([path], "falk", last=3)
    assert (numbers(found), found.stale) == ([1, 4, 6], (path,))


def test_a_torn_tail_is_not_indexed(path: Path) -> None:
    with path.open("ab") as file:
        file.write(row(6)[:-9])
    indexed(path)
    with path.open("ab") as file:
        file.write(row(6)[-9:])
    assert numbers(newest_decisions([path], "falk", last=9)) == [1, 4, 6]


@pytest.mark.parametrize("damage", ["shorter", "same size", "other start", "moved rows"])
def test_an_index_of_another_file_is_ignored_and_reported(path: Path, damage: str) -> None:
    indexed(path)
    content = path.read_bytes()
    match damage:
        case "shorter":
            content = content[: -len(row(5, "Calm", "calm"))]
        case "same size":
            content = content.replace(b'"Kell","served":"held"', b'"Falk","served":"held"')
        case "other start":
            content = b" " + content
        case "moved rows":
            held: dict[str, Any] = json.loads(index_path(path).read_bytes())
            held["offsets"]["falk"][1] += 1
            index_path(path).write_text(json.dumps(held))
    plain = path.with_name("plain.jsonl")
    plain.write_bytes(content)
    if damage != "moved rows":
        path.write_bytes(content)
        os.utime(path, ns=(1, 1))
    found = newest_decisions([path], "Falk", last=9)
    assert found.records == newest_decisions([plain], "Falk", last=9).records
    assert found.stale == (path,)


@pytest.mark.parametrize(
    "junk", [b"", b"{}", b"[]", b'{"format":9}', b'{"format":1,"size":"x"}', b"\xff"]
)
def test_a_sidecar_that_is_no_index_is_ignored(path: Path, junk: bytes) -> None:
    index_path(path).write_bytes(junk)
    found = newest_decisions([path], "Falk", last=9)
    assert (numbers(found), found.stale) == ([1, 4], (path,))


def test_a_compressed_file_is_not_indexed(tmp_path: Path) -> None:
    import gzip

    path = tmp_path / "receipts-20260912.jsonl.gz"
    path.write_bytes(gzip.compress(row(1)))
    with pytest.raises(ValueError, match="unpack it"):
        build_index(path)
    assert numbers(newest_decisions([path], "Falk", last=9)) == [1]


@settings(max_examples=50)
@given(file_pieces(_rows))
def test_with_and_without_an_index_the_answer_is_one(folder: Path, content: bytes) -> None:
    assume(not content.startswith(b"\x1f\x8b"))  # what looks compressed is not indexed
    path = folder / "receipts-20260912.jsonl"
    path.write_bytes(content)
    index_path(path).unlink(missing_ok=True)
    plain = [newest_decisions([path], name, last=3) for name in NAMES]
    indexed(path)
    assert [newest_decisions([path], name, last=3) for name in NAMES] == plain
