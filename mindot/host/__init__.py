"""The bridge between a game's sweeps and the minds behind its characters.

:class:`Host` is the whole loop: a frame in, commands out, records on the way. Names are loaded on
first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from mindot.host.host import Host, HostSettings
    from mindot.host.ranking import MindRanker
    from mindot.host.record_book import MemoryBook, RecordBook
    from mindot.host.thinking import Background, LockStep

__all__ = [
    "Background",
    "Host",
    "HostSettings",
    "LockStep",
    "MemoryBook",
    "MindRanker",
    "RecordBook",
]

_HOME: Final = {
    "Background": "thinking",
    "Host": "host",
    "HostSettings": "host",
    "LockStep": "thinking",
    "MemoryBook": "record_book",
    "MindRanker": "ranking",
    "RecordBook": "record_book",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
