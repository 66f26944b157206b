"""``mindot promises``: what was promised, to whom, and what became of it."""

from difflib import get_close_matches
from pathlib import Path

import click

from mindot.cli._common import dir_option, escape, fail, json_option, records_dir
from mindot.cli._promise_lines import promise_line
from mindot.cli._records import emit_document
from mindot.records.logs import Log, day_files
from mindot.records.promises import read_promises

__all__ = ["command"]


@click.command("promises", short_help="List promises: standing, kept and ended.")
@click.argument("name", required=False)
@dir_option("Directory with the traces.")
@json_option
def command(name: str | None, directory: Path | None, as_json: bool) -> None:
    """List the promises of everybody, or of NAME: what, to whom, since when, and how each stands
    or ended, and by which record."""
    where = records_dir(directory)
    if not day_files(where, [Log.TRACE]):
        fail(f"no trace files in {str(where)!r}: play a village with `mindot run`, or give --dir")
    everybody = read_promises(where)
    stories = [s for s in everybody if name is None or s.name == name.lower()]
    if as_json:
        emit_document([story.to_json() for story in stories])
        return
    if not stories:
        click.echo(_nothing(name, sorted({story.name for story in everybody})))
        return
    teller = ""
    for story in sorted(stories, key=lambda s: s.mind):
        if story.mind != teller:
            teller = story.mind
            click.echo(click.style(escape(story.name or "(a mind without a name)"), bold=True))
        click.echo(f"  {promise_line(story)}")


def _nothing(name: str | None, known: list[str]) -> str:
    if name is None:
        return "nobody has promised anything"
    near = get_close_matches(name.lower(), known, n=3)
    hint = f"; did you mean {', '.join(map(escape, near))}?" if near else ""
    return f"no promise of {name!r} is in these traces{hint}"
