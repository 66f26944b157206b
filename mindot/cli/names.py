"""``mindot names``: who is in the files."""

from pathlib import Path

import click

from mindot.cli._common import dir_option, escape, fail, fail_to_read, json_option, records_dir
from mindot.cli._records import emit_document, warn_newer
from mindot.records.logs import Log, day_files
from mindot.records.parts import PART_SIZE
from mindot.records.roster import OTHER, Roster, roster

__all__ = ["command"]


@click.command("names", short_help="List the characters in the files.")
@dir_option()
@json_option
def command(directory: Path | None, as_json: bool) -> None:
    """List the characters in the files, with their rows by family of tiers."""
    folder = records_dir(directory)
    paths = [file.path for file in day_files(folder, [Log.RECEIPTS])]
    if not paths:
        fail(f"no reflex receipts in {str(folder)!r}; give --dir, or set MINDOT_DIR")
    try:
        found = roster(paths, part_size=PART_SIZE)
    except OSError as error:
        fail_to_read(error, "the receipts")
    for path in found.newer:
        warn_newer(str(path))
    if as_json:
        emit_document([entry.to_json() for entry in found.entries])
    else:
        _show(found)


def _show(found: Roster) -> None:
    if not found.entries:
        click.echo("no rows with a name")
        return
    families = [f for f in found.entries[0].families if f != OTHER or _others(found)]
    shown = [(escape(entry.name), entry) for entry in found.entries]
    width = max(4, *(len(name) for name, _ in shown))
    click.echo(f"{'name':<{width}} {'rows':>9}" + "".join(f" {f:>9}" for f in families))
    for name, entry in shown:
        counts = "".join(f" {entry.families[f]:>9,}" for f in families)
        click.echo(f"{name:<{width}} {entry.rows:>9,}{counts}")


def _others(found: Roster) -> bool:
    return any(entry.families[OTHER] for entry in found.entries)
