"""``mindot run`` and ``mindot replay``, as somebody types them."""

import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mindot.cli import main
from mindot.game.contract import TIERS
from tests.llm_wire.transports.loopback import Loopback, http


def mindot(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments])


def files(directory: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def test_a_run_ends_with_what_was_served_and_what_to_try_next(tmp_path: Path) -> None:
    done = mindot("run", "--dir", tmp_path)
    assert done.exit_code == 0
    assert all(tier in done.stdout for tier in TIERS)
    assert "mindot why" in done.stdout
    assert str(tmp_path) in done.stdout


def tries(done: Result) -> list[str]:
    """What the end of a run says to try next."""
    _, _, after = done.stdout.partition("Try next:\n")
    return after.splitlines()


def test_where_no_plan_acted_the_names_come_first(tmp_path: Path) -> None:
    done = mindot("run", "--sweeps", 1, "--dir", tmp_path)
    assert tries(done)[0] == f"  mindot names --dir {tmp_path}"
    assert "NAME" not in done.stdout
    assert "mindot doctor" not in done.stdout, "the script needs none"


def test_a_run_without_any_thought_sends_to_the_doctor(tmp_path: Path) -> None:
    models = tmp_path / "the models.toml"
    few = ("--sweeps", 30, "--rate", 1000, "--lock-step", "--dir")
    with Loopback([[http(b"<html>", content_type="text/html")]]).serving() as server:
        named = ("--llm", "openai:small", "--base-url", server.base_url)
        by_name = mindot("run", *few, tmp_path / "a", *named)
        models.write_text(f'[models.a]\nllm = "openai:small"\nbase_url = "{server.base_url}"\n')
        by_file = mindot("run", *few, tmp_path / "b", "--models", models)
    sent = "Not one thought came back. What stands in the way: mindot doctor"
    assert tries(by_name)[-1] == f"{sent} --llm openai:small --base-url {server.base_url}"
    assert tries(by_file)[-1] == f"{sent} --models '{models}'"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_the_table_is_cut_to_its_width(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["run", "--sweeps", "40", "--dir"]
    whole = mindot(*arguments, tmp_path / "whole").stdout.splitlines()
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setenv("COLUMNS", "80")
    main([*arguments, str(tmp_path / "cut")], standalone_mode=False)
    cut = terminal.getvalue().splitlines()
    end = next(n for n, line in enumerate(whole) if line.startswith("thoughts:"))
    assert max(map(len, whole[1:end])) > 80
    assert cut[:end] == [line if len(line) <= 80 else f"{line[:79]}…" for line in whole[:end]]
    # what is to be copied stays whole
    assert [line.replace("/cut", "/whole") for line in cut[end:]] == whole[end:]


def test_the_summary_is_one_json_object(tmp_path: Path) -> None:
    done = mindot("run", "--sweeps", 20, "--dir", tmp_path, "--json")
    summary = json.loads(done.stdout)
    assert summary["sweeps"] == 20
    assert sum(summary["served"].values()) == 20 * summary["characters"]
    assert summary["fallbacks"] == sum(summary["fallbacks_by_name"].values())
    assert all(Path(file).is_file() for file in summary["files"])


def test_without_a_directory_a_fresh_one_is_made_and_named() -> None:
    first = json.loads(mindot("run", "--sweeps", 2, "--json").stdout)
    second = json.loads(mindot("run", "--sweeps", 2, "--json").stdout)
    assert {Path(f).parent for f in first["files"]} != {Path(f).parent for f in second["files"]}


def test_another_runs_files_are_not_touched_without_append(tmp_path: Path) -> None:
    mindot("run", "--sweeps", 2, "--dir", tmp_path)
    before = files(tmp_path)
    refused = mindot("run", "--sweeps", 2, "--dir", tmp_path)
    assert refused.exit_code == 2
    assert "choose a fresh --dir, or add to them with --append" in refused.stderr
    assert files(tmp_path) == before
    assert mindot("run", "--sweeps", 2, "--dir", tmp_path, "--append").exit_code == 0
    for file in tmp_path.glob("*.jsonl"):
        file.unlink()
    left = mindot("run", "--sweeps", 2, "--dir", tmp_path)
    assert left.exit_code == 2, "what its minds kept belongs to the other run too"


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (["--append"], "--dir"),
        (["--llm", "parrot"], "openai:MODEL"),
        (["--llm", "openai"], "MODEL"),
        (["--llm", "scripted", "--base-url", "http://127.0.0.1:1/v1"], "base URL"),
        (["--llm", "recorded:/nowhere/at/all.jsonl"], "/nowhere/at/all.jsonl"),
        (["--models", "/nowhere/models.toml"], "/nowhere/models.toml"),
        (["--models", "m.toml", "--llm", "scripted"], "leave --llm"),
        (["--append", "--dir", "x", "--record", "r.jsonl"], "leave --append"),
        (["--record", "/nowhere/at/all.jsonl"], "/nowhere/at/all.jsonl"),
        (["--sweeps", "0"], "--sweeps"),
        (["--rate", "0"], "--rate"),
    ],
)
def test_misuse_ends_with_2_and_says_what_to_do(
    arguments: list[str], advice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = mindot("run", *arguments)
    assert done.exit_code == 2
    assert advice in done.stderr
    assert done.stdout == ""


def test_a_torn_state_of_a_mind_is_refused_by_name(tmp_path: Path) -> None:
    mindot("run", "--sweeps", 2, "--dir", tmp_path)
    state = next((tmp_path / "minds").iterdir())
    state.write_bytes(state.read_bytes()[:40])
    refused = mindot("run", "--sweeps", 2, "--dir", tmp_path, "--append")
    assert refused.exit_code == 2
    assert state.name in refused.stderr


def test_a_replay_of_a_recording_leaves_the_same_bytes(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    mindot("run", "--sweeps", 90, "--keep-prompts", "--dir", tmp_path / "a", "--record", tape)
    done = mindot("replay", tape, "--dir", tmp_path / "b")
    assert done.exit_code == 0, done.stderr
    assert files(tmp_path / "a") == files(tmp_path / "b")


def test_a_recording_that_stops_early_is_played_as_far_as_it_goes(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    mindot("run", "--sweeps", 60, "--dir", tmp_path / "a", "--record", tape)
    header, *rows = tape.read_text().splitlines(keepends=True)
    requests = [n for n, row in enumerate(rows) if '"request":' in row]
    tape.write_text("".join([header, *rows[: requests[5]]]))
    done = mindot("replay", tape, "--dir", tmp_path / "b")
    assert done.exit_code == 1
    assert "the recording ends after its 5 requests" in done.stderr
    (whole,) = (tmp_path / "a").glob("receipts-*")
    part = (tmp_path / "b" / whole.name).read_bytes()
    assert part
    assert whole.read_bytes().startswith(part)


def test_a_recording_is_not_written_over(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    mindot("run", "--sweeps", 2, "--dir", tmp_path / "a", "--record", tape)
    held = tape.read_bytes()
    again = mindot("run", "--sweeps", 3, "--dir", tmp_path / "b", "--record", tape)
    assert again.exit_code == 2
    assert "is there already" in again.stderr
    assert tape.read_bytes() == held
    assert not (tmp_path / "b").exists()


def test_a_replay_needs_a_directory_of_its_own(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    mindot("run", "--sweeps", 2, "--dir", tmp_path / "a", "--record", tape)
    refused = mindot("replay", tape, "--dir", tmp_path / "a")
    assert refused.exit_code == 2
    assert refused.stderr.endswith("choose a fresh --dir\n"), "there is no replay --append"


def test_a_replay_that_differs_says_where_and_shows_both(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    mindot("run", "--sweeps", 60, "--dir", tmp_path / "a", "--record", tape)
    rows = [json.loads(line) for line in tape.read_text().splitlines()]
    asked = next(row for row in rows if "request" in row)
    asked["request"]["system"] += "\nI am somebody else."
    asked["digest"] = "0" * 64
    tape.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = mindot("replay", tape, "--dir", tmp_path / "b")
    assert done.exit_code == 1
    assert "request 1" in done.stderr
    assert "-I am somebody else." in done.stderr


def test_what_is_no_recording_is_refused(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    tape.write_text('{"v": 1, "landed": "a/1", "asker": "a", "tick": 1}\n')
    assert "set up" in mindot("replay", tape).stderr
    tape.write_text('{"v": 1, "run": {"sweeps": "many"}}\n')
    assert mindot("replay", tape).exit_code == 2
    tape.write_text("not a recording\n")
    assert "line 1" in mindot("replay", tape).stderr
    assert mindot("replay", tmp_path / "nothing.jsonl").exit_code == 2


def test_thoughts_that_failed_can_be_asked_for(tmp_path: Path) -> None:
    models = tmp_path / "models.toml"
    models.write_text('[models.a]\nllm = "scripted"\n[budget]\ncalls_per_minute = 1\n')
    where = tmp_path / "run"
    mindot("run", "--sweeps", 120, "--keep-prompts", "--models", models, "--dir", where)
    (file,) = where.glob("thoughts-*")
    kept = [json.loads(line) for line in file.read_bytes().splitlines()]
    again = tmp_path / "again"
    mindot("run", "--sweeps", 120, "--keep-prompts", "--models", models, "--dir", again)
    assert files(where) == files(again), "a budget is counted in the world's time"
    refused = [row for row in kept if row.get("error") == "over-budget"]
    assert 0 < len(refused) < len(kept)
    name = refused[-1]["mind"].partition(":")[2]
    done = mindot("thought", name, "--failed", "--last", 999, "--json", "--dir", where)
    assert json.loads(done.stdout) == [
        row for row in kept if row["mind"] == f"mock:{name}" and "error" in row
    ]
    shown = mindot("thought", name, "--failed", "--dir", where).stdout
    assert f"--- detail\n{refused[-1]['detail']}\n" in shown
    sure = next(row["mind"] for row in kept if "error" not in row)
    early = kept[0]["wallTime"] / 1000
    none = mindot("thought", sure.partition(":")[2], "--failed", "--at", early, "--dir", where)
    assert "had no thought that failed by then" in none.stderr


def test_promises_and_thoughts_of_a_run_can_be_asked_for(tmp_path: Path) -> None:
    mindot("run", "--keep-prompts", "--dir", tmp_path)
    listed = mindot("promises", "--dir", tmp_path, "--json")
    stories = json.loads(listed.stdout)
    assert {story["standing"] for story in stories} == {True, False}
    teller = next(s["mind"].partition(":")[2] for s in stories if s["ended"] == "kept")
    shown = mindot("promises", teller.upper(), "--dir", tmp_path)
    assert "kept" in shown.stdout
    assert "promises:" in mindot("why", teller, "--dir", tmp_path).stdout
    thought = mindot("thought", teller, "--dir", tmp_path)
    assert "--- prompt" in thought.stdout
    (kept,) = json.loads(mindot("thought", teller, "--dir", tmp_path, "--json").stdout)
    assert kept["mind"] == f"mock:{teller}"
    assert kept["prompt"]


def test_who_promised_or_thought_nothing_is_told_so(tmp_path: Path) -> None:
    mindot("run", "--sweeps", 60, "--dir", tmp_path)
    said = mindot("promises", "Nobody", "--dir", tmp_path).stdout
    assert said == "no promise of 'Nobody' is in these traces\n"
    assert "--keep-prompts" in mindot("thought", "Nobody", "--dir", tmp_path).stderr
    assert mindot("promises", "--dir", tmp_path / "empty").exit_code == 2


def test_who_is_misspelled_is_told_the_nearest_that_promised(tmp_path: Path) -> None:
    mindot("run", "--sweeps", 120, "--dir", tmp_path)
    said = mindot("promises", "Sunniwa", "--dir", tmp_path).stdout
    assert said == "no promise of 'Sunniwa' is in these traces; did you mean sunniva?\n"
