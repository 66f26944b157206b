"""A snapshot read back: everything is understood before anything of a mind is changed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from cognition._document import count, document_of, table, texts
from cognition._values import shown
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
        try:
            return cls._read(document_of(document), mind, params, trace)
        except ValueError as error:
            raise ValueError(f"the lasting state of {mind!r} cannot be read: {error}") from error

    @classmethod
    def _read(
        cls, document: Mapping[str, Any], mind: str, params: ExecutiveParams, trace: Sink
    ) -> Self:
        if document.get("mind") != mind:
            raise ValueError(
                f"mind is {shown(document.get('mind'))}: this document belongs to another mind "
                f"than {mind!r}"
            )
        reasoning = table(document, "reasoning")
        return cls(
            holdings=Holdings.from_json(document, params, trace),
            thoughts=texts(document, "thoughts"),
            reasoning={key: texts(reasoning, key) for key in reasoning},
            asked=count(document, "asked"),
            facets=count(document, "facets"),
        )
