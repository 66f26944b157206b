"""The reference of the record formats, written out of the tables of the contract.

``python -m mindot.records.reference`` prints the page; a test compares it with the one in
``docs/reference``.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from mindot.game.contract import (
    ACTIONS,
    CODES,
    DECISION_FIELDS,
    FEATURE_MEANINGS,
    KINDS,
    LANES,
    RECEIPT_FIELDS,
    TIERS,
    TRACE_FIELDS,
    TRACE_TYPES,
)

__all__ = ["page"]

_HEAD: Final = """\
# Records

Made by `python -m mindot.records.reference`; change `mindot/game/contract.py`, not this page.

Every log is JSON Lines: UTF-8, one object a line, only ever appended to. A file holds one day,
UTC, and the day comes from the row's own time.

| log | a row is | file | time |
|---|---|---|---|
| reflex receipts | one character in one sweep | `receipts-YYYYMMDD.jsonl` | `t`, seconds |
| flywheel records | a step of the deliberator, a command | `YYYY-MM-DD.jsonl` | `t`, seconds |
| trace | something in the life of a mind | `trace-YYYYMMDD.jsonl` | `wallTime`, milliseconds |

Readers keep what they do not know. An unknown tier, kind, action or field is shown as it stands
and is no error; a row whose `v` is higher than this version's is read as far as it goes. What is
no JSON, no UTF-8, no object or longer than 16 MiB is passed over and counted, and a whole record
that follows a torn one on the same line is recovered. Files may be gzipped.
"""

_SIDECAR: Final = """\
## Index

`receipts-YYYYMMDD.jsonl.idx`, made by `mindot index`, holds the offsets of each character's
decisions. It is JSON: `format`, the `size` in bytes that it covers, the file's `mtime_ns` and a
`checksum` of both ends of what it covers, and `offsets` by lower-cased name. Deleting it costs
nothing but time.
"""


def page() -> str:
    """The whole page as Markdown."""
    return "\n".join(_sections())


def _sections() -> Iterator[str]:
    yield _HEAD
    yield "## Reflex receipt\n"
    fields = ((f"`{f.name}`", f.type, f.meaning, f.when) for f in RECEIPT_FIELDS.values())
    yield _table(("field", "type", "meaning", "there"), fields)
    yield (
        "`action` is what the reflex head leaned to. On most tiers the deed is another: `mindot"
        " why` shows both.\n"
    )
    yield "### Actions\n"
    actions = ((f"`{a.name}`", a.meaning, "yes" if a.calm else "") for a in ACTIONS.values())
    yield _table(("action", "meaning", "calm"), actions)
    yield "### Tiers\n"
    tiers = ((f"`{t.name}`", str(t.family), t.meaning, t.code or "") for t in TIERS.values())
    yield _table(("served", "family", "meaning", "code"), tiers)
    yield "### Codes\n"
    codes = ((c.code, c.title, c.meaning, c.advice) for c in CODES.values())
    yield _table(("code", "title", "when", "what to do"), codes)
    yield "### Features\n"
    yield _table(("feature", "meaning"), _pairs(FEATURE_MEANINGS))
    yield "## Flywheel record\n"
    yield (
        "`v`, `t`, `kind`, `decision` (its fields depend on the kind), `state` (the feed frame"
        " that was seen last) and `tuple` (where it could be built).\n"
    )
    kinds = ((f"`{k.name}`", k.meaning, _fields(k.fields, k.optional)) for k in KINDS.values())
    yield _table(("kind", "when", "fields of `decision`"), kinds)
    yield "In brackets: fields that are there when known.\n"
    yield "### Fields of `decision`\n"
    yield _table(("field", "meaning"), _pairs(DECISION_FIELDS))
    yield "## Trace\n"
    events = (
        (f"`{t.name}`", t.meaning, _fields(t.fields, t.optional)) for t in TRACE_TYPES.values()
    )
    yield _table(("type", "when", "fields"), events)
    yield "Every event has `type`, `wallTime` and `tick`; those of this project have `mind` too.\n"
    yield "### Fields of the trace\n"
    yield _table(("field", "meaning"), _pairs(TRACE_FIELDS))
    yield "## What may leave the machine\n"
    yield (
        "`mindot sync --dry-run` shows it; nothing is sent. A field that is on no lane never"
        " leaves, and on the lanes without a switch only what has the field's form does: a verb"
        " is a word, a situation is a tuple.\n"
    )
    lanes = (
        (
            f"`{lane.name}`",
            ", ".join(f"`{kind}`" for kind in lane.kinds) or "every record",
            _fields(lane.fields),
            "`--gate`" if lane.needs_switch else "",
        )
        for lane in LANES.values()
    )
    yield _table(("lane", "from", "fields", "only with"), lanes)
    yield _SIDECAR


def _fields(fields: Iterable[str], optional: Iterable[str] = ()) -> str:
    words = [f"`{field}`" for field in fields]
    words += [f"[`{field}`]" for field in optional]
    return " ".join(words)


def _pairs(meanings: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    return ((f"`{name}`", meaning) for name, meaning in meanings.items())


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    cells = [head, *rows]
    lines = ["| " + " | ".join(map(_escaped, row)) + " |" for row in cells]
    lines.insert(1, "|" + "---|" * len(head))
    return "\n".join(lines) + "\n"


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|").replace("<", "\\<")


if __name__ == "__main__":
    sys.stdout.write(page())
