"""A snapshot read back: everything is understood before anything of a mind is changed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from cognition.holdings import Holdings
from cognition.state import ExecutiveParams
from cognition.trace import Sink

__all__ = ["Remembered"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What a document of :meth:`Executive.snapshot` holds."""

    holdings: Holdings
    thoughts: tuple[str, ...]
    """The master's last ones."""
    reasoning: Mapping[str, tuple[str, ...]]
    """What each thread thought, by key."""
    asked: int
    """Number of the last ask."""
    facets: int
    """Number of the last facet."""

    @classmethod
    def of(
        cls, document: Mapping[str, Any], mind: str, params: ExecutiveParams, trace: Sink
    ) -> Self:
        """Read ``document``. ValueError when it is another mind's, or no snapshot."""
        if document.get("mind") != mind:
            raise ValueError(
                f"mind is {document.get('mind')!r}: this document belongs to another mind "
                f"than {mind!r}"
            )
        try:
            holdings = Holdings.from_json(document, params, trace)
            holdings.tick = int(document["tick"])
            return cls(
                holdings=holdings,
                thoughts=tuple(map(str, document["thoughts"])),
                reasoning={
                    str(key): tuple(map(str, history))
                    for key, history in document["reasoning"].items()
                },
                asked=int(document["asked"]),
                facets=int(document["facets"]),
            )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"the lasting state of {mind!r} cannot be read: {type(error).__name__}: {error}"
            ) from error
