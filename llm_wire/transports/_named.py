"""Which of the failures' names fits what an SDK raised or a server said.

Both SDKs and both of their HTTP libraries are recognised by the names of their exceptions, so
nothing has to be imported for it. No text of a server leaves this module unscrubbed.
"""

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Final

from llm_wire.transport import Failure, TransportError
from llm_wire.transports.event_stream import EventStreamError

__all__ = ["error_in", "named", "retry_after", "said", "without_secrets"]

_QUOTA: Final = frozenset(
    {"insufficient_quota", "billing_hard_limit_reached", "billing_error", "quota_exceeded"}
)
_RATE: Final = frozenset({"rate_limit_exceeded", "rate_limit_error", "requests", "tokens"})
_POLICY: Final = frozenset(
    {"content_filter", "content_policy_violation", "moderation", "ResponsibleAIPolicyViolation"}
)
_DOWN: Final = frozenset({"overloaded_error", "api_error", "server_error", "timeout_error"})

_KEY_SHAPED: Final = re.compile(r"\b(?:sk|pk|key|Bearer)[-_ ][\w*.\-]{6,}")
_SHORTEST_KEY: Final = 6
"""What is shorter stands for a key where a server wants none, and is a common word."""
_MAX_DETAIL: Final = 200
"""Characters of a server's message that are kept."""

_BY_STATUS: Final = {
    401: "the key was not accepted",
    403: "this key may not use the model",
    404: "no such model or address; check the model's name and the base URL (mostly .../v1)",
}


def named(error: Exception, *, began: bool, secrets: tuple[str, ...] = ()) -> TransportError:
    """The failure that ``error`` stands for; ``began`` says whether any text had come already."""
    if isinstance(error, TransportError):
        error.detail = said(error.detail, secrets)  # it may quote a header
        return error
    if isinstance(error, EventStreamError):
        return TransportError(Failure.PROTOCOL, str(error))
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and status >= 400:
        headers = getattr(getattr(error, "response", None), "headers", {})
        return error_in(
            getattr(error, "body", None), status=status, headers=headers, secrets=secrets
        )
    return _of_connection(error, began)


def _kinds(error: BaseException) -> set[str]:
    """Names of the error's classes, and of those of what caused it."""
    names: set[str] = set()
    cause: BaseException | None = error
    while cause is not None:
        names.update(c.__name__ for c in type(cause).__mro__)
        cause = cause.__cause__ or cause.__context__
    return names


def _of_connection(error: Exception, began: bool) -> TransportError:
    kinds = _kinds(error)
    if "SSLError" in kinds or "SSLCertVerificationError" in kinds:
        return TransportError(
            Failure.UNREACHABLE, "the server's certificate is not trusted", sent=False
        )
    if "ConnectError" in kinds or "ConnectTimeout" in kinds:
        return TransportError(
            Failure.UNREACHABLE,
            "no connection; is the server running at that address?",
            sent=False,
        )
    if "TimeoutException" in kinds or "APITimeoutError" in kinds:
        failure = Failure.TIMEOUT_STALLED if began else Failure.TIMEOUT_FIRST_TOKEN
        return TransportError(failure, "the server fell silent")
    if "RemoteProtocolError" in kinds and began:
        return TransportError(Failure.TRUNCATED, "the connection ended in the middle of the answer")
    if "TransportError" in kinds or "APIConnectionError" in kinds:
        return TransportError(Failure.UNREACHABLE, "the connection broke before an answer")
    if "UnicodeDecodeError" in kinds or "JSONDecodeError" in kinds or "DecodingError" in kinds:
        return TransportError(Failure.PROTOCOL, "the body is not what its type says")
    return TransportError(Failure.PROTOCOL, f"the SDK raised {type(error).__name__}")


def error_in(
    body: object,
    *,
    status: int | None,
    headers: Mapping[str, str] | None = None,
    secrets: tuple[str, ...] = (),
) -> TransportError:
    """The failure in an error body, whatever status it came with (servers send 200 too)."""
    error = body.get("error", body) if isinstance(body, Mapping) else body
    words, message = _words(error)
    code = status
    if code is None or code < 400:
        # OpenRouter and others put the status into the body of a 200
        code = next((int(w) for w in words if w.isdigit() and 400 <= int(w) < 600), status)
    detail = _BY_STATUS.get(code or 0) or said(message, secrets)
    return TransportError(
        _of_answer(words, code),
        detail,
        status=code,
        retry_after_s=retry_after(headers or {}),
    )


def _words(error: object) -> tuple[set[str], str]:
    if isinstance(error, Mapping):
        words = {str(error[k]) for k in ("code", "type", "status") if error.get(k) is not None}
        inner: Any = error.get("innererror")
        if isinstance(inner, Mapping) and inner.get("code") is not None:
            words.add(str(inner["code"]))
        return words, str(error.get("message") or "")
    return set(), str(error or "")


def _of_answer(words: set[str], status: int | None) -> Failure:
    if words & _POLICY:
        return Failure.REFUSED
    if words & _QUOTA or status == 402:
        return Failure.OVER_QUOTA
    if words & _RATE or status == 429:
        return Failure.RATE_LIMITED
    if words & _DOWN or status == 408 or (status is not None and status >= 500):
        return Failure.UNREACHABLE
    return Failure.PROTOCOL


def said(message: str, secrets: tuple[str, ...] = ()) -> str:
    """A server's message, cut, on one line, without anything that is or looks like a key."""
    message = _KEY_SHAPED.sub("[key]", without_secrets(message, secrets))
    message = " ".join("".join(c if c.isprintable() else " " for c in message).split())
    return message if len(message) <= _MAX_DETAIL else message[: _MAX_DETAIL - 1] + "…"


def without_secrets(text: str, secrets: tuple[str, ...]) -> str:
    """A text with every key in it, as it is or lower-cased as headers are, replaced."""
    for secret in secrets:
        if len(secret) >= _SHORTEST_KEY:
            for form in dict.fromkeys((secret, secret.lower())):
                text = text.replace(form, "[key]")
    return text


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that ``Retry-After`` asks for; a date counts from the answer's own ``Date``."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        return seconds if 0 <= seconds < float("inf") else None
    try:
        until = parsedate_to_datetime(headers.get("retry-after", ""))
        return max(0.0, (until - parsedate_to_datetime(headers.get("date", ""))).total_seconds())
    except (ValueError, TypeError):
        return None
