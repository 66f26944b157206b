"""``mindot sync``: what would leave the machine. There is no sending."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from mindot.cli._common import dir_option, fail, json_option, records_dir
from mindot.cli._records import emit_document
from mindot.records.logs import Log, day_files
from mindot.records.reader import read_records
from mindot.sync.lanes import DryRun, dry_run

__all__ = ["command"]


@click.command("sync", short_help="Show what would leave the machine, lane by lane.")
@click.option("--dry-run", "dry", is_flag=True, help="Show it. Sending does not exist yet.")
@click.option("--gate", is_flag=True, help="Open the lane of the texts.")
@dir_option()
@json_option
def command(dry: bool, gate: bool, directory: Path | None, as_json: bool) -> None:
    """Show, lane by lane, the records, fields and bytes that would leave the machine."""
    if not dry:
        fail("there is no sending yet; `mindot sync --dry-run` shows what would leave")
    folder = records_dir(directory)
    files = day_files(folder, [Log.RECEIPTS, Log.FLYWHEEL])
    if not files:
        fail(f"no record files in {str(folder)!r}; give --dir, or set MINDOT_DIR")
    result = dry_run(_rows([file.path for file in files]), gate=gate)
    if as_json:
        emit_document(result.to_json())
    else:
        _show(result)


def _rows(paths: list[Path]) -> Iterator[dict[str, Any]]:
    for path in paths:
        try:
            for record in read_records(path):
                yield record.value
        except OSError as error:
            fail(f"cannot read {str(path)!r}: {error.strerror or error}")


def _show(result: DryRun) -> None:
    click.echo("Nothing was sent. By lane, this would leave:")
    for name, lane in result.lanes.items():
        if result.blocked.get(name):
            click.echo(f"  {name}: shut (--{name} opens it)")
            continue
        fields = ", ".join(lane.fields) or "nothing"
        click.echo(f"  {name}: {lane.records:,} records, {lane.bytes:,} bytes: {fields}")
        for field, n in lane.withheld.items():
            click.echo(f"    {field} withheld {n:,} times: it has not the form this lane allows")
