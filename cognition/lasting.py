"""A mind's lasting state as bytes: one JSON document with a version and a digest.

:meth:`Executive.snapshot` gives the values and :meth:`Executive.restore` takes them; this module
turns them into bytes and back. It knows no file: the product writes and reads those.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["FORMAT", "VERSION", "LastingStateError", "dump_document", "load_document"]

FORMAT: Final = "mindot-mind"
VERSION: Final = 1
"""Rises when an older reader could no longer make sense of a document."""


class LastingStateError(ValueError):
    """A document that is torn, newer than this reader, or no mind's at all. Says what to do."""


def dump_document(snapshot: Mapping[str, Any]) -> bytes:
    """``snapshot`` as one line of UTF-8 JSON. The same values give the same bytes."""
    body = _canonical(snapshot)
    document = {
        "format": FORMAT,
        "version": VERSION,
        "digest": _digest(body),
        "mind": json.loads(body),
    }
    return _canonical(document).encode() + b"\n"


def load_document(data: bytes) -> dict[str, Any]:
    """The snapshot in ``data``. Raises LastingStateError where it cannot be trusted."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise LastingStateError(
            f"the document is torn or no JSON ({error}); restore it from a backup or remove it"
        ) from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise LastingStateError(f"format is not {FORMAT!r}: this is no mind's lasting state")
    version = document.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise LastingStateError(f"version must be a positive int, got {version!r}")
    if version > VERSION:
        raise LastingStateError(
            f"version is {version}, and this release reads up to {VERSION}: "
            "use the release that wrote it, or a later one"
        )
    snapshot = document.get("mind")
    if not isinstance(snapshot, dict):
        raise LastingStateError("mind is missing: the document holds no state")
    if document.get("digest") != _digest(_canonical(snapshot)):
        raise LastingStateError(
            "digest does not fit the state: the document was damaged or edited; "
            "restore it from a backup or remove it"
        )
    return snapshot


def _canonical(value: Any) -> str:
    # ASCII keeps lone surrogates (a model can send them) writable as UTF-8
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)


def _digest(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()
