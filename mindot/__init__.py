"""A mind for game characters: it thinks when the reflexes are torn, and says why.

Three packages, imports only downward: ``mindot`` (game bridge, records, commands) over
``cognition`` (executive and facets) over ``llm_wire`` (strings and transports). A test holds that.

Names are loaded on first use, so that the commands that only read records stay quick to start.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from mindot.deliberator.deliberator import Deliberator
    from mindot.mind import Mind, Thought
    from mindot.village.village import Village

__all__ = ["Deliberator", "Mind", "Thought", "Village"]

_HOME: Final = {
    "Deliberator": "mindot.deliberator.deliberator",
    "Mind": "mindot.mind",
    "Thought": "mindot.mind",
    "Village": "mindot.village.village",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
