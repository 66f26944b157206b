"""What of a request's headers may leave: nothing that the environment has slipped in."""

from collections.abc import Awaitable, Callable
from typing import Any, Final

__all__ = ["only_ours"]

_OUR_HEADERS: Final = frozenset(
    {
        "accept",
        "accept-encoding",
        "anthropic-version",
        "authorization",
        "connection",
        "content-length",
        "content-type",
        "host",
        "transfer-encoding",
        "user-agent",
        "x-api-key",
        "x-stainless-raw-response",  # the SDKs find out by it what they were asked to give back
    }
)


def only_ours(key: str) -> Callable[[Any], Awaitable[None]]:
    """A hook for the HTTP client that drops every header nobody here asked for.

    The SDKs read organisations, projects and extra headers out of the environment and would send
    them to whatever base URL is set; a server gets the key meant for it and nothing else.
    """

    async def hook(request: Any) -> None:
        for name, value in list(request.headers.items()):
            signs = name.lower() in ("authorization", "x-api-key")
            if name.lower() not in _OUR_HEADERS or (signs and key not in value):
                del request.headers[name]
        # tokens come a few bytes at a time, and packing would hold them back
        request.headers["accept-encoding"] = "identity"

    return hook
