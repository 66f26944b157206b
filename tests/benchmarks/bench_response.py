"""How long reading a response takes, beside its peers on the same texts in the same run.

``python -m tests.benchmarks.bench_response [--hostile] [--corpus FILE]``. Every text is read
``REPEATS`` times and its best time counts, so that a busy machine blurs less; p50 and p99 are over
the texts of a category. CPU time of this process is what is measured.
"""

import argparse
import contextlib
import gzip
import itertools
import json
import platform
import re
import statistics
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, Final

import orjson

from cognition.response import parse_response
from llm_wire import ReplyStream, strip_tagged_blocks
from llm_wire.contracts import TAGGED_BLOCKS
from llm_wire.json_text import json_end

__all__ = ["main"]

CORPUS: Final = Path(__file__).parents[1] / "data" / "responses" / "corpus.jsonl.gz"
REPEATS: Final = 25
MIB: Final = 1 << 20

PLAIN: Final = ("clean", "fence_preamble", "json_then_prose", "bom", "conf_range", "emoji_cjk")
BLOCKS: Final = ("embedded_blocks", "reply_in_json", "lowercase_tags", "ack_etc")
BLOCKS_BEHIND: Final = ("blocks_outside", "reply_outside", "no_message")
"""Here the object alone is a small part of what has to be read."""
DAMAGED: Final = (
    "unescaped_blocks", "trailing_commas", "truncated", "truncated_fence", "single_quotes",
    "smart_quotes", "conf_nonfinite",
)  # fmt: skip

HOSTILE: Final[dict[str, Callable[[int], str]]] = {
    "[PLANS]": lambda n: "[PLANS]" * (n // 7),
    "[": lambda n: "[" * n,
    "{": lambda n: "{" * n,
    "back-ticks and line breaks after an opener": lambda n: "[PLANS]" + "`\n" * (n // 2),
    "blanks after an opener": lambda n: "[PLANS]" + " " * n,
    '{"a":': lambda n: '{"a":' * (n // 5),
    "quotes": lambda n: '"' * n,
    "backslashes": lambda n: "\\" * n,
    "openers with other closers": lambda n: "[PLANS][/BELIEFS]" * (n // 17),
    "a:{a:{": lambda n: "a:{" * (n // 3),
    "100,000 deep": lambda n: '{"actions":' + "[" * (n // 2) + "]" * (n // 2) + "}",
    "6,000-digit numbers": lambda n: (
        ('{"actions":[],"confidence":' + "9" * 6000 + "}") * (n // 6028)
    ),
    "lone surrogates": lambda n: "\ud800" * n,
    "NUL": lambda n: "\x00" * n,
}
PREFIXES: Final = (
    "", '"actions" ', '{"actions":[{"type":"x"}],"reasoning":"', "[REPLY_TEXT]",
)  # fmt: skip


def best(function: Callable[[], object], repeats: int = REPEATS) -> float:
    """The shortest CPU time of some runs, in seconds."""
    shortest = float("inf")
    for _ in range(repeats):
        begin = time.process_time_ns()
        function()
        shortest = min(shortest, (time.process_time_ns() - begin) / 1e9)
    return shortest


def body_of(text: str) -> str | None:
    """The strict object of an answer, for the parsers that read nothing else."""
    start = text.find('{"') if '{"' in text else text.find("{")
    end = json_end(text, start) if start >= 0 else -1
    try:
        orjson.loads(text[start:end])
    except orjson.JSONDecodeError:
        return None
    return text[start:end]


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def microseconds(values: list[float]) -> str:
    if not values:
        return f"{'-':>9} {'-':>9}"
    return f"{percentile(values, 0.5) * 1e6:9.1f} {percentile(values, 0.99) * 1e6:9.1f}"


def by_category(rows: Iterable[dict[str, Any]]) -> dict[str, list[str]]:
    categories: dict[str, list[str]] = {}
    for row in rows:
        categories.setdefault(row["category"], []).append(row["text"])
    return categories


def report_categories(categories: dict[str, list[str]]) -> None:
    print(f"{'category':24}{'p50 us':>9} {'p99 us':>9}  x orjson  x json")
    for name, texts in sorted(categories.items()):
        ours = [best(partial(parse_response, text)) for text in texts]
        bodies = [body for text in texts if (body := body_of(text)) is not None]
        fast = [best(partial(orjson.loads, body)) for body in bodies]
        plain = [best(partial(json.loads, body)) for body in bodies]
        ratios = "".join(
            f"{percentile(ours, 0.5) / percentile(peer, 0.5):9.2f}" if peer else f"{'-':>9}"
            for peer in (fast, plain)
        )
        print(f"{name:24}{microseconds(ours)} {ratios}")


def report_strict(name: str, categories: dict[str, list[str]], chosen: Iterable[str]) -> None:
    texts = [text for category in chosen for text in categories.get(category, [])]
    pairs = [(text, body) for text in texts if (body := body_of(text)) is not None]
    ours = [best(partial(parse_response, text)) for text, _ in pairs]
    peer = [best(partial(orjson.loads, body)) for _, body in pairs]
    whole = percentile(ours, 0.5) / percentile(peer, 0.5)
    each = statistics.median(one / other for one, other in zip(ours, peer, strict=True))
    print(f"{name}: p50 is {whole:.2f} x orjson.loads of the object alone (paired {each:.2f})")


def report_damaged(categories: dict[str, list[str]]) -> None:
    import json_repair
    import partial_json_parser

    texts = [text for category in DAMAGED for text in categories.get(category, [])]
    ours = [best(partial(parse_response, text), 5) for text in texts]

    def tolerant(parser: Callable[[str], object], text: str) -> None:
        with contextlib.suppress(Exception):  # a peer may refuse in any way it likes
            parser(text)

    print(f"damaged answers     us p50, p99: {microseconds(ours)}")
    for name, parser in (
        ("json-repair", json_repair.loads),
        ("partial-json-parser", partial_json_parser.loads),
    ):
        peer = [best(partial(tolerant, parser, text), 3) for text in texts]
        ratio = percentile(peer, 0.5) / percentile(ours, 0.5)
        print(f"{name:19} us p50, p99: {microseconds(peer)}   {ratio:.1f} x ours at p50")


def right_readings(rows: list[dict[str, Any]]) -> None:
    """How many damaged answers are read right: the actions, and the sentence where it is stated."""
    import json_repair

    ours = theirs = total = 0
    for row in rows:
        truth = row["truth"]
        if row["category"] not in DAMAGED or truth["actions"] is None:
            continue
        total += 1
        wanted = [action["type"] for action in truth["actions"]]
        output = parse_response(row["text"])
        prose_right = truth["prose"] is None or output.reasoning == truth["prose"]
        ours += [action.type for action in output.actions] == wanted and prose_right
        read: Any = json_repair.loads(row["text"])
        if isinstance(read, dict) and isinstance(read.get("actions"), list):
            types = [a.get("type") for a in read["actions"] if isinstance(a, dict)]
            prose = strip_tagged_blocks(str(read.get("reasoning", "")))
            theirs += types == wanted and (truth["prose"] is None or prose == truth["prose"])
    print(f"right readings of {total} damaged answers: ours {ours}, json-repair {theirs}")


def report_stripping(categories: dict[str, list[str]]) -> None:
    patterns = [
        re.compile(rf"\[{tag}\].*?\[/{tag}\]", re.IGNORECASE | re.DOTALL) for tag in TAGGED_BLOCKS
    ]

    def one_by_one(text: str) -> str:
        for pattern in patterns:
            text = pattern.sub("", text)
        return text

    texts = [
        orjson.loads(body)["reasoning"]
        for text in categories["embedded_blocks"]
        if (body := body_of(text)) is not None
    ]
    ours = [best(partial(strip_tagged_blocks, text)) for text in texts]
    peer = [best(partial(one_by_one, text)) for text in texts]
    print(f"stripping blocks    us p50, p99: {microseconds(ours)}")
    print(f"a pattern per tag   us p50, p99: {microseconds(peer)}")


def report_streaming(categories: dict[str, list[str]]) -> None:
    def stream(text: str) -> None:
        reply = ReplyStream()
        for at in range(0, len(text), 4):
            reply.feed(text[at : at + 4])

    for name in ("reply_outside", "clean"):
        times = [best(partial(stream, text), 5) / len(text) * 1e6 for text in categories[name]]
        print(f"ReplyStream, {name}: {percentile(times, 0.5):.3f} us a character, 4 at a time")
    words = "[REPLY_TEXT]" + "Some words of a long reply, and then some more. " * 2000
    print(f"ReplyStream, inside a reply: {best(lambda: stream(words), 3) / len(words) * 1e6:.3f}")


def report_hostile() -> None:
    print(f"{'hostile text':44}{'prefix':14}{'1 MiB s':>9}  growth per doubling")
    for name, make in HOSTILE.items():
        for prefix in PREFIXES:
            times = [
                best(partial(parse_response, prefix + make(n)), 3)
                for n in (MIB // 4, MIB // 2, MIB)
            ]
            growth = ", ".join(f"{b / max(a, 1e-4):.2f}" for a, b in itertools.pairwise(times))
            print(f"{name:44}{prefix[:12]:14}{times[-1]:9.3f}  {growth}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    parser.add_argument("--hostile", action="store_true", help="only the hostile texts")
    options, _ = parser.parse_known_args()
    print(f"Python {platform.python_version()} on {platform.machine()}, {platform.system()}")
    if options.hostile:
        report_hostile()
        return
    rows = [json.loads(line) for line in gzip.decompress(options.corpus.read_bytes()).splitlines()]
    categories = by_category(rows)
    report_categories(categories)
    report_strict("clean and embedded", categories, PLAIN)
    report_strict("with blocks inside", categories, BLOCKS)
    report_strict("with blocks or speech behind", categories, BLOCKS_BEHIND)
    report_damaged(categories)
    right_readings(rows)
    report_stripping(categories)
    report_streaming(categories)


if __name__ == "__main__":
    main()
