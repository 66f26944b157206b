"""``mindot index``: sidecars that let ``why`` go straight to a character's decisions."""

from pathlib import Path

import click

from mindot.cli._common import dir_option, escape, fail, json_option, records_dir
from mindot.cli._records import emit_document
from mindot.records.index import Index, build_index, index_path, write_index
from mindot.records.logs import Log, day_files

__all__ = ["command"]


@click.command("index", short_help="Index receipt files, so that why answers at once.")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@dir_option("Directory to index when no file is named.")
@json_option
def command(files: tuple[Path, ...], directory: Path | None, as_json: bool) -> None:
    """Write a sidecar (FILE.idx) beside each receipt file.

    An index is never needed. `mindot why` uses one that agrees with its file, searches what was
    appended since, and builds it anew when the file has become another.
    """
    folder = records_dir(directory)
    paths = list(files) or [
        file.path for file in day_files(folder, [Log.RECEIPTS]) if file.path.suffix == ".jsonl"
    ]
    if not paths:
        fail(f"no reflex receipts in {str(folder)!r}; name files, or give --dir")
    done = [(path, _index(path)) for path in paths]
    if as_json:
        emit_document(
            [
                {
                    "file": str(path),
                    "index": str(index_path(path)),
                    "names": len(index.offsets),
                    "decisions": sum(map(len, index.offsets.values())),
                }
                for path, index in done
            ]
        )
        return
    for path, index in done:
        decisions = sum(map(len, index.offsets.values()))
        click.echo(
            f"{escape(str(index_path(path)))}: {decisions:,} decisions of "
            f"{len(index.offsets):,} characters"
        )


def _index(path: Path) -> Index:
    try:
        index = build_index(path)
        write_index(path, index)
    except OSError as error:
        fail(f"cannot index {str(path)!r}: {error.strerror or error}")
    except ValueError as error:
        fail(str(error))
    return index
