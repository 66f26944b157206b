"""``mindot why``: a character's newest decisions, and what lies behind each."""

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from mindot.cli._common import dir_option, escape, fail, fail_to_read, json_option, records_dir
from mindot.cli._explanation import explanation_json, explanation_text
from mindot.cli._promise_lines import promise_line
from mindot.cli._records import emit_document, parse_time, warn_newer
from mindot.game.contract import TIERS
from mindot.records.decisions import flywheel_of, newest_decisions
from mindot.records.explain import Explanation, explain_all
from mindot.records.fields import time_of
from mindot.records.logs import Log, day_files
from mindot.records.promises import PromiseStory
from mindot.records.thinking import FailedThought, Standing, Thinking, read_mind

__all__ = ["command"]

_DEFAULT_LAST = 10
_ASKED = ("escalated", "escalation-held")
"""Tiers of a dilemma that was put to the mind; it matters whether a thought came of it."""


@click.command("why", short_help="Explain a character's newest decisions.")
@click.argument("name")
@click.option(
    "--last",
    type=click.IntRange(min=1),
    default=_DEFAULT_LAST,
    show_default=True,
    help="How many decisions.",
)
@click.option("--at", metavar="T", help="Look back from here: unix seconds or an ISO 8601 time.")
@click.option("--tier", metavar="TIER", help="Only decisions of this tier.")
@dir_option()
@json_option
def command(
    name: str, last: int, at: str | None, tier: str | None, directory: Path | None, as_json: bool
) -> None:
    """Explain the newest decisions of the character NAME, the newest last.

    Calm rows are passed over unless --tier asks for them. The case of NAME does not matter.
    """
    folder = records_dir(directory)
    files = day_files(folder)
    receipts = [file.path for file in files if file.log is Log.RECEIPTS]
    if not receipts:
        fail(f"no reflex receipts in {str(folder)!r}; give --dir, or set MINDOT_DIR")
    when = parse_time(at) if at is not None else None
    try:
        found = newest_decisions(receipts, name, last=last, at=when, tier=tier)
        if not found.known:
            _unknown(name, receipts)
        flywheel = flywheel_of(files, found.records)
        told = (time_of(record.value) for record in found.records)
        promises, thinking = read_mind(folder, name, [t for t in told if t is not None])
    except OSError as error:
        fail_to_read(error, "the records")
    for path in found.newer:
        warn_newer(str(path))
    explanations = explain_all(found.records, flywheel, found.before)
    if as_json:
        emit_document(
            [
                explanation_json(e, *_thinking_then(thinking, e))
                | {"promises": _promises_then(promises, e)}
                for e in explanations
            ]
        )
    else:
        if not explanations:
            if tier is not None and tier not in TIERS:
                _no_such_tier(tier)
            lack = "nothing but calm rows here" if tier is None else f"no row of the tier {tier}"
            click.echo(f"{escape(name)}: {escape(lack)}")
        _show(explanations, promises, thinking)
    _renew(found.stale)  # last, for it takes longer than the answer


def _show(
    explanations: Sequence[Explanation], promises: Sequence[PromiseStory], thinking: Thinking
) -> None:
    for explanation in explanations:
        click.echo(explanation_text(explanation, *_thinking_then(thinking, explanation)))
    if promises:
        click.echo("promises:")
        for story in promises:
            click.echo(f"  {promise_line(story)}")


def _promises_then(
    promises: Sequence[PromiseStory], explanation: Explanation
) -> list[dict[str, Any]]:
    """What the character was bound by when the receipt was written."""
    t = time_of(explanation.receipt.value)
    return [] if t is None else [story.to_json() for story in promises if story.stood_at(t)]


def _thinking_then(
    thinking: Thinking, explanation: Explanation
) -> tuple[FailedThought | None, Standing | None]:
    """For a dilemma the thought that did not come, and what had been used by then."""
    row = explanation.receipt.value
    t = time_of(row)
    if t is None:
        return None, None
    failed = thinking.failure_near(t) if row.get("served") in _ASKED else None
    return failed, thinking.standing_at(t)


def _renew(stale: Sequence[Path]) -> None:
    """Build the indexes anew that somebody had made and that no longer fit their files."""
    if not stale:
        return
    from mindot.records.index import build_index, write_index

    for path in stale:
        with contextlib.suppress(OSError, ValueError):  # it is never needed
            write_index(path, build_index(path))


def _no_such_tier(tier: str) -> NoReturn:
    """A tier that no row has and that this version does not know is most likely misspelled."""
    from difflib import get_close_matches

    near = get_close_matches(tier.lower().replace("_", "-"), TIERS, n=3, cutoff=0.4)
    fail(f"no row of the tier {escape(tier)!r}; the known ones: {', '.join(near or TIERS)}")


def _unknown(name: str, receipts: list[Path]) -> NoReturn:
    from difflib import get_close_matches

    from mindot.records.roster import roster

    by_key = {entry.name.lower(): entry.name for entry in roster(receipts).entries}
    near = get_close_matches(name.lower(), by_key, n=3, cutoff=0.5)
    hint = (
        "the nearest: " + ", ".join(escape(by_key[key]) for key in near)
        if near
        else "`mindot names` lists who is there"
    )
    fail(f"no rows of {escape(name)!r}; {hint}")
