"""check, why, watch, names, sync and index, as they are called."""

import gzip
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, Any

import pytest

from mindot.cli import watch
from mindot.records import lines, parts
from mindot.records.answers import ServedDeeds
from mindot.records.encoding import encode
from mindot.records.starvation import StarvationWatch
from tests.mindot.cli.conftest import Run

T = 1_789_192_800.0


def row(after: int, **fields: Any) -> bytes:
    plain = {
        "v": 1,
        "t": T + after,
        "name": "Falk",
        "served": "held",
        "action": "flee",
        "conf": 0.9,
    }
    return encode(plain | fields)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def receipts(folder: Path) -> Path:
    return folder / "receipts-20260912.jsonl"


# check


def test_check_prints_one_object_a_file_always_as_a_list(run: Run, millbrook: Path) -> None:
    path = millbrook / "receipts-20260912.jsonl"
    result = run("check", "--json", path)
    assert result.exit_code == 1
    assert result.stderr == ""
    (report,) = json.loads(result.stdout)
    assert list(report) == [
        "file",
        "rows",
        "bad_lines",
        "torn_tail",
        "unknown_fields",
        "unknown_served",
        "versions",
        "served",
        "kinds",
    ]
    assert report["file"] == str(path)
    assert report["bad_lines"] == [
        {"line": 1601, "reason": "not JSON"},
        {"line": 2402, "reason": "not UTF-8"},
    ]
    assert report["torn_tail"] is True
    assert run("check", "--json", millbrook / "2026-09-12.jsonl").exit_code == 0


def test_check_without_files_takes_the_directory(run: Run, millbrook: Path) -> None:
    reports = json.loads(run("check", "--dir", millbrook, "--json").stdout)
    assert [Path(report["file"]).name for report in reports] == [
        "2026-09-12.jsonl",
        "receipts-20260912.jsonl",
        "trace-20260912.jsonl",
    ]


def test_check_tells_a_person_what_is_wrong(run: Run, millbrook: Path) -> None:
    text = run("check", "--dir", millbrook).stdout
    assert "4,800 rows, broken" in text
    assert "line 1601: not JSON" in text
    assert "the last line is torn" in text
    assert "unknown fields: mood_v2 44" in text
    assert "\x1b" not in text, "colour is for terminals"


def test_check_lists_only_the_first_bad_lines(run: Run, receipts: Path) -> None:
    receipts.write_bytes(b"soup\n" * 50)
    text = run("check", receipts).stdout
    assert text.count("not JSON") == 20
    assert "30 more bad lines" in text


def test_check_counts_what_it_does_not_know(run: Run, receipts: Path) -> None:
    receipts.write_bytes(
        row(0, served="later-tier", mood=1)
        + row(1, v=2)
        + row(2, v="two", served=5)
        + encode({"v": 1, "t": T, "kind": "plan", "decision": {"cmd": "flee", "speed": 3}, "x": 1})
        + encode({"v": 1, "t": T, "kind": "later", "decision": {"cmd": "flee", "speed": 3}})
        + encode({"v": 1, "t": T, "kind": {}, "decision": []})
        + encode({"type": "later.type", "tick": 1, "facetId": "facet-1", "depth": 3})
        + encode({"name": "\ud800", "\ud800": 2**70})
    )
    result = run("check", "--json", receipts)
    (report,) = json.loads(result.stdout)
    assert report["rows"] == 8
    assert report["unknown_fields"] == {"mood": 1, "speed": 2, "x": 1, "depth": 1, "\ud800": 1}
    assert report["unknown_served"] == {"later-tier": 1, "5": 1}
    assert report["versions"] == {"1": 4, "2": 1, "two": 1}
    assert report["served"] == {"later-tier": 1, "held": 1, "5": 1}
    assert report["kinds"] == {"plan": 1, "later": 1, "{}": 1, "later.type": 1}
    assert result.exit_code == 0
    assert result.stderr.count("later format") == 1


def test_a_torn_and_a_recovered_record_are_one_bad_line_and_one_row(
    run: Run, receipts: Path
) -> None:
    receipts.write_bytes(row(0)[:30] + row(1) + row(2)[:-1])
    (report,) = json.loads(run("check", "--json", receipts).stdout)
    assert (report["rows"], report["torn_tail"]) == (2, False)
    assert report["bad_lines"] == [{"line": 1, "reason": "not JSON"}]


def test_check_reports_the_files_that_can_be_read(run: Run, folder: Path, receipts: Path) -> None:
    receipts.write_bytes(row(0))
    result = run("check", "--json", folder / "missing.jsonl", receipts, folder)
    assert [report["file"] for report in json.loads(result.stdout)] == [str(receipts)]
    assert (result.exit_code, result.stderr.count("cannot read")) == (1, 2)
    assert "1 rows, fine" in run("check", receipts, folder).stdout
    result = run("check", "--json", folder / "missing.jsonl")
    assert (result.exit_code, result.stdout) == (2, "")


def test_check_sends_to_dir_for_a_directory(run: Run, folder: Path) -> None:
    named = folder / "a day"
    named.mkdir()
    result = run("check", named)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"cannot read {str(named)!r}: a directory; " in result.stderr
    assert result.stderr.endswith(f"--dir '{named}'\n")


def test_check_leaves_indexes_out(run: Run, folder: Path, receipts: Path) -> None:
    receipts.write_bytes(row(0))
    assert run("index", receipts).exit_code == 0
    result = run("check", *sorted(folder.iterdir()))
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == f"{receipts}: 1 rows, fine"
    assert ".idx" not in result.stdout
    left = f"{receipts}.idx"
    assert result.stderr == f"mindot: {left!r} is an index and holds no records; left out\n"
    assert run("check", left).exit_code == 2, "nothing was checked"


def test_check_says_once_that_a_compressed_file_breaks_off(run: Run, folder: Path) -> None:
    path = folder / "receipts-20260912.jsonl.gz"
    path.write_bytes(gzip.compress(b"".join(row(n, x=n**9) for n in range(99)))[:-60])
    (report,) = json.loads(run("check", "--json", path).stdout)
    assert report["rows"] > 9
    assert (report["torn_tail"], report["bad_lines"]) == (True, [])


# why


@pytest.mark.parametrize("name", ["Aldo", "dagny", "IVOR"])
def test_why_gives_the_files_own_receipts(run: Run, millbrook: Path, name: str) -> None:
    own = []
    for line in (millbrook / "receipts-20260912.jsonl").read_bytes().split(b"\n"):
        try:
            receipt = json.loads(line)
        except ValueError:
            continue
        if receipt["name"].lower() == name.lower() and receipt["served"] != "calm":
            own.append(receipt)
    told = json.loads(run("why", name, "--dir", millbrook, "--json").stdout)
    assert [entry["receipt"] for entry in told] == own[-10:]
    told = json.loads(run("why", name, "--dir", millbrook, "--json", "--last", 999).stdout)
    assert [entry["receipt"] for entry in told] == own
    assert {"receipt", "meaning", "deed", "code", "flywheel"} <= set(told[0])
    at = own[20]["t"]
    told = json.loads(run("why", name, "--dir", millbrook, "--json", "--at", at).stdout)
    assert [entry["receipt"] for entry in told] == own[11:21]
    told = json.loads(run("why", name, "--dir", millbrook, "--json", "--tier", "recast").stdout)
    recast = [receipt for receipt in own if receipt["served"] == "recast"]
    assert [entry["receipt"] for entry in told] == recast[-10:]


def test_why_passes_the_lines_own_bytes_on(run: Run, receipts: Path) -> None:
    line = b'{"v": 1, "t": 1789192800.10, "served": "held", "name": "Falk", "x": "\\ud800", '
    line += b'"n": 123456789012345678901, "y": 1e400}'
    receipts.write_bytes(line + b"\n")
    assert line in run("why", "Falk", "--dir", receipts.parent, "--json").stdout_bytes


def answer(after: float, **decision: Any) -> bytes:
    kind = decision.pop("kind", "student_escalation_verdict")
    return encode({"v": 1, "t": T + after, "kind": kind, "decision": {"name": "Falk"} | decision})


def served(after: float, **fields: Any) -> bytes:
    return row(0, t=T + after, served="llm-verdict", **fields)


def deeds_by_both(run: Run, folder: Path) -> list[str | None]:
    """The deeds that ``why`` tells, which are those that ``watch`` tells."""
    why = json.loads(run("why", "falk", "--dir", folder, "--json", "--last", 99).stdout)
    watched = run("watch", "--once", "--dir", folder, "--json").stdout.splitlines()
    deeds = [entry["deed"] for entry in why]
    assert [json.loads(line)["deed"] for line in watched] == deeds
    for last in range(1, len(deeds)):
        fewer = json.loads(run("why", "falk", "--dir", folder, "--json", "--last", last).stdout)
        assert [entry["deed"] for entry in fewer] == deeds[-last:]
    return deeds


def test_a_served_verdict_says_itself_what_it_was(run: Run, folder: Path, receipts: Path) -> None:
    receipts.write_bytes(
        served(0, verdict="confront", because="Enough.")
        + served(1, verdict="flee", because="Enough.", cmds=[{"cmd": "flee", "target": "gate"}])
        + served(
            2, verdict="rest", because="So tired.", cmds=[{"cmd": "go_station", "target": "bed"}]
        )
        + served(3, cmds=[{"cmd": "serve"}])
    )
    (folder / "2026-09-12.jsonl").write_bytes(
        answer(-1, verb="greet_approach", because="A neighbour's words.")
        + answer(0, kind="student", cmd="demand")
        + answer(2.5, verb="complain", because="A neighbour's words.")
    )
    assert deeds_by_both(run, folder) == ["confront", "flee gate", "rest bed", "serve"]
    text = run("why", "falk", "--dir", folder).stdout
    assert "neighbour" not in text
    assert (text.count("Enough."), text.count("So tired.")) == (2, 1)


def test_an_older_verdict_is_told_by_the_records_of_its_own(
    run: Run, folder: Path, receipts: Path
) -> None:
    receipts.write_bytes(b"".join(served(t) for t in (0, 2, 3, 9, 20, 21)))
    (folder / "2026-09-12.jsonl").write_bytes(
        answer(-2, verb="flee")
        + answer(-1, verb="serve")  # took the place of the one before
        + answer(2.5, verb="stay")
        + answer(3.5, verb="confront")  # too long before the row at 9
        + answer(19, name="Kell", verb="demand")
        + answer(20, kind="student", cmd="warn_say", say="Stop")
        + answer(20.5, kind="student", cmd="flee")
        + answer(21.01, verb="flee")
    )
    assert deeds_by_both(run, folder) == [
        "serve",
        None,
        "stay",
        None,
        'warn_say, saying "Stop"',
        None,
    ]


def test_an_answer_served_before_midnight_is_not_served_again(run: Run, folder: Path) -> None:
    midnight = 18 * 3600
    (folder / "receipts-20260912.jsonl").write_bytes(served(midnight - 1))
    (folder / "receipts-20260913.jsonl").write_bytes(served(midnight + 1))
    (folder / "2026-09-12.jsonl").write_bytes(answer(midnight - 2, verb="flee"))
    assert deeds_by_both(run, folder) == ["flee", None]


def test_why_explains_to_a_person(run: Run, millbrook: Path) -> None:
    text = run("why", "dagny", "--dir", millbrook, "--tier", "intention-over-order").stdout
    assert "confront guard" in text
    assert "refuse-service > [confront]" in text
    assert "Dagny remembers the missing axe" in text
    assert "obedience_broken (the character refused an order in words)" in text
    text = run("why", "dagny", "--dir", millbrook, "--tier", "escalated", "--last", 1).stdout
    assert "torn between:" in text
    text = run("why", "dagny", "--dir", millbrook, "--tier", "held", "--last", 1).stdout
    assert "LW3002, reflex refused" in text


def test_why_shows_mask_and_words(run: Run, folder: Path, receipts: Path) -> None:
    mask = {"pre": {"flee": 0.5, "stay": 0.1}, "post": {"stay": 1.0}, "masked": ["flee", "serve"]}
    receipts.write_bytes(row(0, served="llm-verdict", mask=mask, plan=["a", "b"], step=1))
    verdict = {"name": "Falk", "verb": "stay", "because": "I am\n\x1b[31mtired", "tuple": "a=1"}
    (folder / "2026-09-12.jsonl").write_bytes(
        encode({"v": 1, "t": T - 1, "kind": "student_escalation_verdict", "decision": verdict})
    )
    text = run("why", "falk", "--dir", folder).stdout
    assert "the manifest took away flee (0.5), serve" in text
    assert "a > [b]" in text
    assert "because:       I am\\x0a\\x1b[31mtired" in text
    assert "\x1b" not in text


def test_why_shows_where_a_plan_stood_while_it_waited(
    run: Run, folder: Path, receipts: Path
) -> None:
    receipts.write_bytes(b"".join(row(n, served="intention-hold", episode="f-1") for n in (1, 3)))
    wake = {"name": "Falk", "id": "f-1", "cls": "wrong", "plan": ["report", "demand"]}
    advance = {"name": "Falk", "id": "f-1", "plan": ["report", "demand"], "from": 0, "to": 1}
    (folder / "2026-09-12.jsonl").write_bytes(
        encode({"v": 1, "t": T, "kind": "deliberator_wake", "decision": wake})
        + encode({"v": 1, "t": T + 2, "kind": "deliberator_step_advance", "decision": advance})
    )
    text = run("why", "falk", "--dir", folder).stdout
    assert text.index("[report] > demand") < text.index("report > [demand]")


def response(after: float, **fields: Any) -> bytes:
    wall = round((T + after) * 1000)
    plain = {"type": "executive.facet.response", "wallTime": wall, "tick": 9, "mind": "mock:falk"}
    return encode(plain | fields)


MINUTE = {"calls": 2, "callsAllowed": 2, "tokens": 812, "tokensAllowed": 4000, "renewsInS": 34.2}
DAY = {"calls": 9, "tokens": 1930, "tokensAllowed": 200_000, "renewsInS": 9000}


def test_why_tells_of_the_thought_that_did_not_come_and_of_the_budget(
    run: Run, folder: Path, receipts: Path
) -> None:
    times = [T - 9, T + 2, T + 28, T + 60, "noon"]
    tiers = ["escalated", "escalation-held", "escalated", "emitted", "escalated"]
    receipts.write_bytes(
        b"".join(row(0, t=t, served=tier) for t, tier in zip(times, tiers, strict=True))
    )
    detail = "'mock:falk' has used 2 of 2 calls this minute; it renews in 34 s"
    budget = {"minute": MINUTE, "day": DAY}
    (folder / "trace-20260912.jsonl").write_bytes(
        response(0, error="over-budget", detail=detail, budget=budget)
        + response(1, error="timeout", mind="mock:kell", budget={"day": DAY | {"tokens": 5}})
        + response(29, error="timeout")
        + response(60, error="unreachable")
    )
    told = json.loads(run("why", "FALK", "--dir", folder, "--json").stdout)
    failed = {"error": "over-budget", "detail": detail, "at": T, "tick": 9}
    later = {"error": "timeout", "detail": None, "at": T + 29, "tick": 9}
    assert [entry["thought"] for entry in told] == [None, failed, later, None, None]
    assert [entry["budget"] for entry in told] == [None, budget, budget, budget, None]
    assert [entry["budget_at"] for entry in told] == [None, T, T, T, None]
    text = run("why", "FALK", "--dir", folder).stdout
    used = (
        "2 of 2 calls this minute, 812 of 4,000 tokens this minute, 1,930 of 200,000 tokens today"
    )
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(T))
    assert [line.strip() for line in text.splitlines() if ":  " in line] == [
        "leaning:       flee 0.9",
        "leaning:       flee 0.9",
        f"thought:       did not come: over-budget ({detail})",
        f"budget:        {used} (as of {when})",
        "leaning:       flee 0.9",
        "thought:       did not come: timeout",
        f"budget:        {used} (as of {when})",
        "leaning:       flee 0.9",
        f"budget:        {used} (as of {when})",
        "leaning:       flee 0.9",
    ]


def test_a_tier_that_nobody_knows_is_taken_for_a_slip(
    run: Run, folder: Path, receipts: Path
) -> None:
    receipts.write_bytes(row(0) + row(0, served="dreaming"))
    slip = run("why", "falk", "--tier", "llm_verdict", "--dir", folder)
    assert slip.exit_code == 2
    assert "no row of the tier 'llm_verdict'; the known ones: llm-verdict" in slip.stderr
    none = run("why", "falk", "--tier", "recast", "--dir", folder)
    assert (none.exit_code, none.stdout) == (0, "falk: no row of the tier recast\n")
    assert run("why", "falk", "--tier", "dreaming", "--dir", folder).exit_code == 0


def test_why_tells_of_thoughts_in_plain_characters_and_of_limits_alone(
    run: Run, folder: Path, receipts: Path
) -> None:
    receipts.write_bytes(row(0, served="escalated"))
    trace = folder / "trace-20260912.jsonl"
    odd = {
        "minute": {"calls": True, "callsAllowed": 2, "tokens": 5, "tokensAllowed": "many"},
        "day": {"calls": 3, "callsAllowed": True, "tokens": 4.5, "tokensAllowed": 9},
        "h\x1bour": {"calls": 1, "callsAllowed": 1000, "spent": "a lot"},
    }
    trace.write_bytes(response(0, error="no\x1b[31m", detail="a\nb", budget=odd))
    text = run("why", "falk", "--dir", folder).stdout
    assert "  thought:       did not come: no\\x1b[31m (a\\x0ab)\n" in text
    assert "  budget:        1 of 1,000 calls this h\\x1bour (as of " in text
    assert "\x1b" not in text
    trace.write_bytes(response(0, budget={"day": {"calls": 3, "tokens": 4, "tokensAllowed": None}}))
    text = run("why", "falk", "--dir", folder).stdout
    assert "leaning:" in text
    assert "budget:" not in text
    assert "thought:" not in text


def test_why_names_a_trace_that_cannot_be_read(run: Run, folder: Path, receipts: Path) -> None:
    receipts.write_bytes(row(0))
    (folder / "trace-20260912.jsonl").mkdir()
    result = run("why", "falk", "--dir", folder)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "trace-20260912.jsonl" in result.stderr


def test_why_of_an_unknown_name_names_the_nearest(run: Run, millbrook: Path) -> None:
    result = run("why", "Aldoo", "--dir", millbrook, "--json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Aldo" in result.stderr
    assert "mindot names" in run("why", "Xyzxyz", "--dir", millbrook).stderr


def test_why_of_a_character_with_nothing_to_tell(run: Run, folder: Path, receipts: Path) -> None:
    receipts.write_bytes(row(0, served="calm"))
    result = run("why", "falk", "--dir", folder)
    assert (result.exit_code, result.stdout) == (0, "falk: nothing but calm rows here\n")
    assert json.loads(run("why", "falk", "--dir", folder, "--json").stdout) == []
    assert "no row of the tier held" in run("why", "falk", "--dir", folder, "--tier", "held").stdout
    assert "calm" in run("why", "falk", "--dir", folder, "--tier", "calm").stdout


def test_why_reads_every_day_the_compressed_ones_too(run: Run, folder: Path) -> None:
    for day in range(3):
        content = row(day * 86_400, n=2 * day) + row(day * 86_400 + 1, n=2 * day + 1)
        path = folder / f"receipts-2026091{day + 2}.jsonl"
        if day == 1:
            path = path.with_name(path.name + ".gz")
            content = gzip.compress(content)
        path.write_bytes(content)
    told = json.loads(run("why", "falk", "--dir", folder, "--json", "--last", 5).stdout)
    assert [entry["receipt"]["n"] for entry in told] == [1, 2, 3, 4, 5]
    at = "2026-09-13T06:00:00"
    told = json.loads(run("why", "falk", "--dir", folder, "--json", "--at", at).stdout)
    assert [entry["receipt"]["n"] for entry in told] == [0, 1, 2]
    assert run("why", "falk", "--dir", folder, "--at", "noon").exit_code == 2


def test_why_warns_once_of_a_later_format(run: Run, folder: Path, receipts: Path) -> None:
    receipts.write_bytes(row(0, v=2) + row(1, v=3))
    result = run("why", "falk", "--dir", folder, "--json")
    assert len(json.loads(result.stdout)) == 2
    assert result.stderr.count("later format") == 1


# watch


def test_watch_once_raises_the_alert_for_the_one_who_starves(run: Run, millbrook: Path) -> None:
    result = run("watch", "--once", "--starve-after", 30, "--dir", millbrook, "--json")
    assert result.exit_code == 1
    told = [json.loads(line) for line in result.stdout.splitlines()]
    alerts = [line for line in told if "alert" in line]
    assert alerts == [
        {
            "alert": "LW4001",
            "name": "Ivor",
            "count": 31,
            "since": 1789192804.43,
            "tiers": {"quiet-dilemma": 16, "escalated": 9, "escalation-held": 6},
        }
    ]
    answers = json.loads((millbrook / "answers.json").read_bytes())
    assert len(told) - 1 == sum(answers["noncalm_by_name"].values())
    assert set(told[0]) == {"receipt", "meaning", "deed", "code"}
    assert run("watch", "--once", "--starve-after", 80, "--dir", millbrook).exit_code == 0


def test_watch_once_tells_a_person(run: Run, millbrook: Path) -> None:
    text = run("watch", "--once", "--dir", millbrook).stdout
    assert "2026-09-12 06:00:02  Falk  escalated  -\n" in text
    assert "  held  -  LW3002\n" in text
    assert "LW4001 starving for a decision: Ivor was unsure 31 times" in text


@pytest.mark.parametrize("arguments", [(), ("--json",)])
def test_watch_by_types_and_in_parts_prints_the_same(
    run: Run, millbrook: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    call = ("watch", "--once", "--dir", millbrook, "--starve-after", 9, *arguments)
    monkeypatch.setattr(lines, "_LARGE", 1 << 40)
    plain = run(*call)
    monkeypatch.setattr(lines, "_LARGE", 0)
    assert run(*call).stdout_bytes == plain.stdout_bytes
    monkeypatch.setattr(parts, "processors", lambda: 3)
    monkeypatch.setattr(watch, "PART_SIZE", 500_000)
    assert run(*call).stdout_bytes == plain.stdout_bytes
    assert plain.exit_code == 1


def test_watch_warns_once_a_file_of_a_later_format(
    run: Run, folder: Path, receipts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    receipts.write_bytes(b"".join(row(n, v=2) for n in range(9)))
    monkeypatch.setattr(parts, "processors", lambda: 2)
    for size in (1 << 30, 100):
        monkeypatch.setattr(watch, "PART_SIZE", size)
        result = run("watch", "--once", "--dir", folder)
        assert (result.stdout.count("Falk"), result.stderr.count("later format")) == (9, 1)


def test_watch_follows_until_it_is_interrupted(
    folder: Path, receipts: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    receipts.write_bytes(row(0, served="escalated"))
    steps = [
        row(1, served="escalated") + row(2, served="calm") + row(3, served="quiet-dilemma")[:9],
        row(3, served="quiet-dilemma")[9:] + row(4, v=2) + row(5, name=None),
    ]

    def wait(_seconds: float) -> None:
        if not steps:
            raise KeyboardInterrupt
        with receipts.open("ab") as file:
            file.write(steps.pop(0))

    report = watch.Report(StarvationWatch(after=1), ServedDeeds(folder, live=True), as_json=True)
    watch.follow(folder, report, wait)
    sys.stdout.flush()
    captured = capfdbinary.readouterr()
    told = [json.loads(line) for line in captured.out.splitlines()]
    assert [line.get("alert") or line["receipt"]["t"] - T for line in told] == [
        1,
        3,
        "LW4001",
        4,
        5,
    ]
    assert captured.err.count(b"later format") == 1


@pytest.mark.parametrize("seconds", ["nan", "inf", "-inf", "0", "-1", "soon"])
def test_a_window_is_a_number_of_seconds(run: Run, millbrook: Path, seconds: str) -> None:
    result = run("watch", "--once", "--starve-window", seconds, "--dir", millbrook)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--starve-window" in result.stderr


@pytest.mark.parametrize("at", ["nan", "inf", "-inf", "1e999"])
def test_a_time_is_a_finite_number(run: Run, millbrook: Path, at: str) -> None:
    result = run("why", "falk", "--at", at, "--dir", millbrook)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{at!r} is no time" in result.stderr


# names and sync


def test_names(run: Run, millbrook: Path, folder: Path, receipts: Path) -> None:
    told = json.loads(run("names", "--dir", millbrook, "--json").stdout)
    answers = json.loads((millbrook / "answers.json").read_bytes())
    assert {entry["name"]: entry["served"] for entry in told} == answers["served_by_name"]
    ivor = next(entry for entry in told if entry["name"] == "Ivor")
    assert ivor["families"] == {"acted": 42, "quiet": 272, "refusal": 9, "unsure": 77, "other": 0}
    assert "Ivor" in run("names", "--dir", millbrook).stdout
    receipts.write_bytes(row(0, name="Fal\x1bk", served="later", v=2) + row(1, name=5))
    result = run("names", "--dir", folder)
    assert "Fal\\x1bk" in result.stdout
    assert "other" in result.stdout
    assert "later format" in result.stderr
    receipts.write_bytes(b"")
    assert run("names", "--dir", folder).stdout == "no rows with a name\n"


def test_sync(run: Run, millbrook: Path) -> None:
    refused = run("sync", "--dir", millbrook)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "no sending yet" in refused.stderr
    told = json.loads(run("sync", "--dry-run", "--dir", millbrook, "--json").stdout)
    assert told["blocked"] == {"gate": True}
    assert told["lanes"]["student"]["records"] == 324
    text = run("sync", "--dry-run", "--dir", millbrook).stdout
    assert "gate: shut (--gate opens it)" in text
    text = run("sync", "--dry-run", "--gate", "--dir", millbrook).stdout
    assert "evidence, line" in text


def test_sync_says_what_it_withholds(run: Run, folder: Path) -> None:
    decision = {"name": "Falk", "verb": "run for it"}
    record = {"v": 1, "t": T, "kind": "student_escalation_verdict", "decision": decision}
    (folder / "2026-09-12.jsonl").write_bytes(encode(record))
    assert "verb withheld 1 times" in run("sync", "--dry-run", "--dir", folder).stdout


# index


def test_index_makes_sidecars_that_why_renews(run: Run, folder: Path, receipts: Path) -> None:
    receipts.write_bytes(row(0) + row(1, served="calm"))
    told = json.loads(run("index", "--dir", folder, "--json").stdout)
    sidecar = folder / "receipts-20260912.jsonl.idx"
    assert told == [{"file": str(receipts), "index": str(sidecar), "names": 1, "decisions": 1}]
    assert "1 decisions of 1 characters" in run("index", receipts).stdout
    receipts.write_bytes(row(2))
    before = sidecar.read_bytes()
    assert len(json.loads(run("why", "falk", "--dir", folder, "--json").stdout)) == 1
    assert sidecar.read_bytes() != before
    packed = folder / "packed.gz"
    packed.write_bytes(gzip.compress(row(0)))
    assert "unpack it" in run("index", packed).stderr
    assert "cannot index" in run("index", folder / "missing").stderr
    assert "no reflex receipts" in run("index", "--dir", folder / "missing").stderr


# all of them


@pytest.mark.parametrize(
    "call",
    [
        ("check",),
        ("why", "falk"),
        ("watch", "--once"),
        ("watch",),
        ("names",),
        ("sync", "--dry-run"),
    ],
)
def test_nothing_to_read_is_misuse(run: Run, folder: Path, call: tuple[str, ...]) -> None:
    result = run(*call, "--dir", folder / "missing")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "missing" in result.stderr


@pytest.mark.parametrize(
    "call", [("check",), ("why", "falk"), ("watch", "--once"), ("names",), ("sync", "--dry-run")]
)
def test_a_file_that_cannot_be_read_is_named(
    run: Run, folder: Path, receipts: Path, call: tuple[str, ...]
) -> None:
    receipts.mkdir()
    result = run(*call, "--dir", folder)
    assert result.exit_code == 2
    assert receipts.name in result.stderr


def test_the_directory_may_come_from_the_environment(
    run: Run, millbrook: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINDOT_DIR", str(millbrook))
    assert len(json.loads(run("names", "--json").stdout)) == 12


@pytest.mark.parametrize(
    "call",
    [
        ("--help",),
        ("why", "falk"),
        ("check",),
        ("watch", "--once"),
        ("names",),
        ("sync", "--dry-run"),
    ],
)
def test_reading_commands_import_nothing_heavy(call: tuple[str, ...], folder: Path) -> None:
    (folder / "receipts-20260912.jsonl").write_bytes(row(0))
    (folder / "trace-20260912.jsonl").write_bytes(response(0, error="x", budget={"day": DAY}))
    code = (
        "import sys\n"
        "from mindot.cli import main\n"
        f"main({list(call)!r}, standalone_mode=False)\n"
        "heavy = 'pydantic numpy structlog anyio rich msgspec openai anthropic socket asyncio'\n"
        "found = set(heavy.split()) & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(found)) or 0)\n"
    )
    environment = os.environ | {"MINDOT_DIR": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def nested(depth: int) -> bytes:
    return b'{"a":' * depth + b"1" + b"}" * depth


@pytest.mark.parametrize("large", [False, True])
def test_watch_tells_of_a_verdict_nested_deeper_than_is_written(
    run: Run, folder: Path, receipts: Path, monkeypatch: pytest.MonkeyPatch, large: bool
) -> None:
    monkeypatch.setattr(lines, "_LARGE", 0 if large else 1 << 40)
    deep = row(1, served="llm-verdict", verdict="sing", cmds=[{"cmd": "x"}], more="y")
    receipts.write_bytes(
        row(0)
        + deep.replace(b'"y"', nested(600))
        + deep.replace(b'"x"', nested(600))
        + row(2, served="llm-verdict", verdict="rest")
    )
    result = run("watch", "--once", "--dir", folder)
    assert [line.split("  ")[-1] for line in result.stdout.splitlines()] == [
        "LW3002",
        "sing",
        "sing",
        "rest",
    ]
    found = run("watch", "--once", "--dir", folder, "--json").stdout_bytes.splitlines()
    assert b'"deed":"sing"' in found[1]


def test_watch_hands_served_verdicts_on_in_batches_too(
    run: Run, folder: Path, receipts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    verdicts = [row(n, served="llm-verdict", verdict="rest") for n in range(200)]
    receipts.write_bytes(b"".join(verdicts))
    batches = []
    put = watch._Batch.put

    def counting(self: watch._Batch, output: IO[bytes]) -> None:
        batches.append(self.weight)
        put(self, output)

    def here() -> int:
        raise OSError("no more processes")

    monkeypatch.setattr(watch._Batch, "put", counting)
    monkeypatch.setattr(os, "fork", here)
    monkeypatch.setattr(parts, "processors", lambda: 2)
    monkeypatch.setattr(watch, "PART_SIZE", receipts.stat().st_size // 2)
    monkeypatch.setattr(watch, "_BATCH_BYTES", 1000)
    assert run("watch", "--once", "--dir", folder).stdout.count("rest") == 200
    assert len(batches) > 10
    assert max(batches) < 1000 + 2 * max(map(len, verdicts))


def test_a_read_that_breaks_off_blames_no_file_called_none(
    run: Run, folder: Path, receipts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    receipts.write_bytes(row(0))

    def broken(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("mindot.cli.names.roster", broken)
    monkeypatch.setattr("mindot.cli.why.newest_decisions", broken)
    for call, what in ((("names",), "receipts"), (("why", "falk"), "records")):
        result = run(*call, "--dir", folder)
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"cannot read the {what}: Input/output error" in result.stderr


def test_a_kept_thought_is_found_by_a_name_with_a_colon(run: Run, folder: Path) -> None:
    kept = [
        {"mind": f"mock:{name}", "prompt": f"as {name}", "wallTime": wall}
        for name, wall in (("npc:1", 10**400), ("1", 2000))
    ]
    text = "".join(json.dumps(thought) + "\n" for thought in kept)
    (folder / "thoughts-20260912.jsonl").write_text(text)
    for name in ("NPC:1", "1"):
        (told,) = json.loads(run("thought", name, "--dir", folder, "--json").stdout)
        assert told["prompt"] == f"as {name.lower()}"
        assert run("thought", name, "--dir", folder).exit_code == 0
    (folder / "thoughts-20260911.jsonl").mkdir()
    assert "cannot read" in run("thought", "npc", "--dir", folder).stderr
    (folder / "thoughts-20260911.jsonl").rmdir()
    assert "those who had: 1, npc:1" in run("thought", "npc", "--dir", folder).stderr
