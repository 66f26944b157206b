"""Which model thinks for whom: by character, and by kind of thought."""

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from llm_wire.transport import Completion, Pieces, Request, Transport

__all__ = ["Route", "Routed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Requests that fit every given field go to the transport named ``to``."""

    to: str
    character: str | None = None
    """Name of a character: the part of the asker behind its first ``:``, in any case of letters."""
    kind: str | None = None
    """Kind of thought: ``facet``, ``master``, ``rank``, or a priority's name, ``conversation``."""

    def fits(self, request: Request) -> bool:
        if self.character is not None:
            world, colon, name = request.asker.partition(":")
            name = name if colon else world
            if name.casefold() != self.character.casefold():
                return False
        return self.kind is None or self.kind in (request.kind, request.priority.name.lower())


class Routed:
    """Passes each request to the transport of the first route that fits, else to ``default``."""

    def __init__(
        self, transports: Mapping[str, Transport], routes: Sequence[Route], *, default: str
    ) -> None:
        for name in (default, *(route.to for route in routes)):
            if name not in transports:
                known = ", ".join(map(repr, transports))
                raise ValueError(f"no model is named {name!r}; there are {known}")
        self._transports = dict(transports)
        self._routes = tuple(routes)
        self._default = default

    def chosen(self, request: Request) -> str:
        """Name of the transport that would be asked."""
        return next((r.to for r in self._routes if r.fits(request)), self._default)

    async def ask(self, request: Request) -> Completion:
        return await self._transports[self.chosen(request)].ask(request)

    async def stream(self, request: Request) -> Pieces:
        async with aclosing(self._transports[self.chosen(request)].stream(request)) as pieces:
            async for piece in pieces:
                yield piece

    async def aclose(self) -> None:
        for transport in self._transports.values():
            await transport.aclose()
