"""A mind's lasting state in a file: written whole or not at all, and read with suspicion."""

import os
import tempfile
from pathlib import Path

from cognition.executive import Executive
from cognition.lasting import LastingStateError, dump_document, load_document

__all__ = ["LastingStateError", "load_mind", "save_mind", "state_path"]


def state_path(directory: Path, mind: str) -> Path:
    """Where the lasting state of ``mind`` (``mock:gerdur``) lies in ``directory``.

    Names become file names without losing their difference: what is not plain in a file name is
    written as ``%`` and its code.
    """
    plain = "".join(
        ch if ch.isascii() and (ch.isalnum() or ch in "-_") else f"%{ord(ch):x}%" for ch in mind
    )
    return directory / f"mind-{plain}.json"


def save_mind(executive: Executive, path: Path) -> None:
    """Write what should outlive the process.

    The document is complete on the disk before it takes the old one's place, so that a crash
    leaves the one or the other. Raises OSError when it cannot be written; the old one stays.
    """
    data = dump_document(executive.snapshot())
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    _sync_directory(path.parent)


def load_mind(executive: Executive, path: Path, *, tick: int | None = None) -> bool:
    """Give ``executive`` the state in ``path``. False when there is none.

    ``tick`` is where the host's count stands, if it does not go on from the document's. Raises
    LastingStateError, naming the file, when the document is torn, newer than this release or
    another mind's; the executive then keeps the state it has.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return False
    try:
        executive.restore(load_document(data), tick=tick)
    except ValueError as error:
        raise LastingStateError(f"{path}: {error}") from None
    return True


def _sync_directory(directory: Path) -> None:
    """Make the new name itself last, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
