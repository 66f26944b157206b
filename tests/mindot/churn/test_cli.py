"""``mindot churn`` as a user calls it."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mindot.cli import main
from tests.mindot.churn.traces import DATA, KEY, cut_in_two, event, write

SAMPLE = str(DATA / "millbrook")


def churn(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["churn", *map(str, arguments)])


def test_the_table_by_reason() -> None:
    done = churn("--dir", SAMPLE)
    assert done.exit_code == 0
    assert done.stdout.splitlines()[:6] == [
        "261 spawned, 255 ended, 6 live, 2026-09-12 06:00:02 to 2026-09-12 06:13:18 UTC",
        "",
        "population  reason    count",
        "keyed       idle          5",
        "keyed       lru          76",
        "keyless     explicit    174",
    ]
    assert "75 conversations were cut in two (5.65 a minute)" in done.stdout
    assert "raise max_facets from 8" in done.stdout


def test_the_table_by_key(tmp_path: Path) -> None:
    done = churn(write(tmp_path / "t.jsonl", cut_in_two()), "--by", "key")
    head, line = done.stdout.splitlines()[2:4]
    assert head.split() == [
        "key", "spawns", "idle", "lru", "explicit", "other", "lost", "resumed", "median", "gap",
    ]  # fmt: skip
    assert line.split() == [KEY, "5", "0", "4", "0", "0", "4", "4", "5", "5"]
    assert len(head) == len(line)


def test_very_many_keys_are_counted_not_listed(tmp_path: Path) -> None:
    events = [event("spawn", n, f"facet-{n}", key=f"npc:{n}") for n in range(50)]
    done = churn(write(tmp_path / "t.jsonl", events), "--by", "key")
    assert "... and 10 more keys; --json lists every one" in done.stdout


def test_the_table_by_minute(tmp_path: Path) -> None:
    done = churn(write(tmp_path / "t.jsonl", cut_in_two()), "--by", "minute")
    assert done.stdout.splitlines()[2:6] == [
        "from (UTC)           spawns  ends  losses  live at most",
        "2026-09-12 06:00:00       5     4       4             1",
        "2026-09-12 06:01:00       1     0       0             2",
        "2026-09-12 06:02:00       0     1       0             2",
    ]


def test_json_is_alone_on_stdout(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", cut_in_two())
    with path.open("ab") as more:
        more.write(b'no json\n{"type":')
    done = churn(path, "--json")
    assert done.exit_code == 0
    assert list(json.loads(done.stdout)) == [
        "spawned", "destroyed", "live", "by", "keys", "per_minute", "verdict",
    ]  # fmt: skip
    assert "1 damaged line skipped" in done.stderr
    assert "the last line is not finished" in done.stderr


def test_files_in_any_order_and_compressed(tmp_path: Path) -> None:
    events = cut_in_two()
    late = write(tmp_path / "a.jsonl", events[5:])
    early = tmp_path / "b.jsonl.gz"
    early.write_bytes(gzip.compress(write(tmp_path / "x.jsonl", events[:5]).read_bytes()))
    whole = churn(write(tmp_path / "whole.jsonl", events), "--json").stdout
    assert churn(late, early, "--json").stdout == whole


@pytest.mark.parametrize(
    "since", ["1789192820", "2026-09-12T06:00:20", "2026-09-12 08:00:20+02:00"]
)
def test_since(tmp_path: Path, since: str) -> None:
    done = churn(write(tmp_path / "t.jsonl", cut_in_two()), "--since", since, "--json")
    assert json.loads(done.stdout)["spawned"] == 4


def test_one_mind_and_a_window(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", cut_in_two())
    done = churn(path, "--mind", "gerdur", "--resume-window", "4")
    assert "no conversation was cut in two" in done.stdout


def test_a_mind_that_is_not_there_ends_with_2_and_the_nearest_names(tmp_path: Path) -> None:
    others = [row | {"mind": f"mock:{name}"} for name in ("aldo", "zora") for row in cut_in_two(1)]
    done = churn(write(tmp_path / "t.jsonl", [*cut_in_two(), *others]), "--mind", "zork", "--json")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "no mind 'zork' in these traces; the nearest: mock:zora" in done.stderr
    nameless = [{k: v for k, v in row.items() if k != "mind"} for row in cut_in_two()]
    done = churn(write(tmp_path / "n.jsonl", nameless), "--mind", "zork")
    assert done.exit_code == 2
    assert "their facet rows name none" in done.stderr


@pytest.mark.parametrize("tick", ["12", None, "1e400", 1e30])
def test_rows_without_a_readable_tick_count_but_tell_no_times(tmp_path: Path, tick: object) -> None:
    rows = cut_in_two(2)
    rows[1] |= {"tick": tick}
    path = write(tmp_path / "t.jsonl", rows)
    if tick == "1e400":
        path.write_bytes(path.read_bytes().replace(b'"1e400"', b"1e400"))
    done = churn(path, "--json")
    assert "1 facet row without a readable tick left out of lives, gaps and losses" in done.stderr
    (key,) = json.loads(done.stdout)["keys"]
    assert (key["destroys"], key["lost"], key["median_life_ticks"]) == ({"lru": 2}, 1, 5)


@pytest.mark.parametrize("wall", [2**63, -(2**63) - 1, 10**30, 1e300, "noon"])
def test_a_row_whose_time_is_out_of_range_is_not_in_the_picture(
    tmp_path: Path, wall: object
) -> None:
    rows = cut_in_two()
    rows[3] |= {"wallTime": wall}
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = churn(path, "--plot", tmp_path / "out.svg", "--json")
    assert done.exit_code == 0, done.output
    assert "1 facet row without a readable wallTime left out" in done.stderr
    assert json.loads(done.stdout)["destroyed"] == 5
    since = churn(path, "--since", "0", "--json")
    assert json.loads(since.stdout)["destroyed"] == 4
    assert "1 facet row without a readable wallTime left out" in since.stderr


def test_names_from_a_trace_are_spelled_out_on_a_terminal(tmp_path: Path) -> None:
    events = [row | {"key": "npc:\x1b[31mred"} for row in cut_in_two() if "key" in row]
    done = churn(write(tmp_path / "t.jsonl", events), "--by", "key")
    assert "\x1b" not in done.stdout
    assert "npc:\\x1b[31mred was evicted 4 times" in done.stdout


def test_a_file_without_facet_rows_is_told_from_a_quiet_trace(tmp_path: Path) -> None:
    rows = [{"type": "executive.thought", "tick": 1}, {"v": 1, "t": 1.0, "served": "calm"}]
    path = write(tmp_path / "trace-20260912.jsonl", rows)
    none = "mindot: there are no facet events"
    named = churn(path)
    assert (named.exit_code, named.stdout.splitlines()[0]) == (0, "0 spawned, 0 ended, 0 live")
    hint = "traces, which hold them, are called trace-*.jsonl"
    assert named.stderr == f"{none} in what was read; {hint}\n"
    assert churn("--dir", tmp_path).stderr == f"{none} in what was read\n"
    assert json.loads(churn(path, "--json").stdout)["spawned"] == 0
    write(path, cut_in_two())
    assert churn(path).stderr == ""
    assert churn(path, "--since", "2030-01-01").stderr.startswith(f"{none} since then in ")
    idless = [{k: v for k, v in row.items() if k != "facetId"} for row in cut_in_two(1)]
    assert none not in churn(write(path, idless)).stderr, "that they have no id is said"


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_a_plot_is_written_beside_the_report(tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"churn{suffix}"
    done = churn("--dir", SAMPLE, "--plot", out)
    assert done.exit_code == 0, done.output
    assert out.stat().st_size > 10_000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.jsonl"], "no such file: 'nowhere.jsonl'"),
        (["--dir", "{dir}"], "no trace-*.jsonl in"),
        (["--dir", "{dir}", "{file}"], "give either --dir or FILES, not both"),
        (["{file}", "--plot", "out.pdf"], "--plot writes .svg or .png, and 'out.pdf' is neither"),
        (["{file}", "--plot", "{dir}/no/out.svg"], "cannot write"),
        (["{file}", "--follow", "--json"], "--follow shows the report on the terminal"),
        (
            ["{file}", "--since", "06:03"],
            "'06:03' is neither unix seconds nor an ISO 8601 time like 2026-09-12T06:03",
        ),
        (["{file}", "--since", "nan"], "'nan' is no time"),
        (["{file}", "--resume-window", "-1"], "-1"),
        (["{file}", "--by", "mood"], "mood"),
    ],
)
def test_misuse_ends_with_2_and_says_what_to_do(
    tmp_path: Path, arguments: list[str], message: str
) -> None:
    file = write(tmp_path / "t.jsonl", cut_in_two())
    (tmp_path / "empty").mkdir()
    filled = [a.format(dir=tmp_path / "empty", file=file) for a in arguments]
    done = churn(*filled)
    assert done.exit_code == 2
    assert message in done.stderr


@pytest.mark.parametrize(
    ("by", "head"), [("reason", "population"), ("key", "key"), ("minute", "from (UTC)")]
)
def test_follow_counts_by_what_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str, head: str
) -> None:
    def pause(_seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("time.sleep", pause)
    write(tmp_path / "trace-20260912.jsonl", cut_in_two())
    done = churn("--follow", "--by", by, "--dir", tmp_path)
    assert done.exit_code == 0
    assert done.stdout.splitlines()[2].startswith(head)
    done = churn("--follow", "--by", by, "--dir", tmp_path / "not-yet")
    assert f"waiting for trace-*.jsonl in {str(tmp_path / 'not-yet')!r}" in done.stderr


def test_a_plot_without_times_is_refused(tmp_path: Path) -> None:
    row = {k: v for k, v in event("spawn", 0, "facet-1").items() if k != "wallTime"}
    done = churn(write(tmp_path / "t.jsonl", [row]), "--plot", tmp_path / "out.svg")
    assert done.exit_code == 2
    assert "no facet event with a wallTime" in done.stderr


def test_a_plot_without_matplotlib_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "mindot.records.churn_plot", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = churn("--dir", SAMPLE, "--plot", tmp_path / "out.svg")
    assert done.exit_code == 2
    assert "pip install 'mindot-npc[plot]'" in done.stderr


def test_the_report_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom mindot.cli import main\n"
        f"main(['churn', '--dir', {SAMPLE!r}, '--json'], standalone_mode=False)\n"
        "heavy = {'rich', 'numpy', 'matplotlib', 'pydantic', 'anyio', 'opentelemetry'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stderr.strip().splitlines()[-1] == "[]", done.stderr
