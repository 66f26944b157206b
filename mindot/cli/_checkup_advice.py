"""What to change, judged by the answers that a model gave to ``mindot doctor``."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from llm_wire.transport import Failure
from llm_wire.transports.anthropic import ANTHROPIC_URL
from llm_wire.transports.openai import OPENAI_URL
from llm_wire.transports.schema_style import SchemaStyle
from llm_wire.transports.spec import ModelSpec, Vendor, key_name
from mindot.village.clock import SWEEP_SECONDS

__all__ = ["Answer", "about_failures", "about_reading", "about_schema", "about_time"]

FRESH_SWEEPS: Final = 2
"""How many sweeps an answer stays fresh by default."""
SPARE: Final = 1.5
"""Answers scatter around their middle; a setting that fits the middle alone loses half of them."""

_MOST_NAMES: Final = 8

# A failure's name covers several causes, which the transports tell apart by their details alone.
_NO_CONNECTION: Final = "no connection"
_NO_TRUST: Final = "the server's certificate is not trusted"
_CONTENT_TYPE: Final = "content type"
_KEY_REFUSED: Final = 401
_VENDORS: Final = frozenset({OPENAI_URL, ANTHROPIC_URL})
"""Servers whose log nobody here can read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One question put to the model, and what came of it."""

    failure: Failure | None = None
    detail: str = ""
    status: int | None = None
    """HTTP's, where a server answered with an error."""
    route: str | None = None
    """How the answer was read (``json``, ``repaired``, ``salvaged``); ``fallback``: not at all."""
    actions: tuple[str, ...] = ()
    """The actions' types, as the model spelled them."""
    admissible: bool = False
    """The first action is one that was offered."""
    truncated: bool = False
    first_token_ms: float | None = None
    latency_ms: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None

    @property
    def readable(self) -> bool:
        return self.route not in (None, "fallback")


def about_failures(answers: Sequence[Answer], spec: ModelSpec, offered: Sequence[str]) -> list[str]:
    """What stands in the way of any answer; ``offered`` are the models that the server has."""
    failed = next((a for a in answers if a.failure not in (None, Failure.UNREADABLE)), None)
    if failed is None:
        return []
    if failed.failure is Failure.UNREACHABLE:
        return [_about_reaching(failed, spec)]
    if failed.failure is Failure.PROTOCOL:
        return _about_answering(failed, spec, offered)
    if failed.failure is Failure.TRUNCATED and "in the middle" in failed.detail:
        return ["the server broke off in the middle of an answer; its own log says why"]
    return [_REMEDIES[failed.failure or Failure.PROTOCOL]]


def _about_reaching(failed: Answer, spec: ModelSpec) -> str:
    if failed.status is not None:
        said = f": {failed.detail}" if failed.detail else ""
        what = f"answered with an error (HTTP {failed.status}{said})"
    elif failed.detail.startswith(_NO_CONNECTION):
        return f"start the server at {spec.url}, or name another with --base-url"
    elif failed.detail == _NO_TRUST:
        return f"{_NO_TRUST}: name the file of its authority in SSL_CERT_FILE"
    else:
        what = f"is there, but failed ({failed.detail})"
    why = "ask again later" if spec.url in _VENDORS else "its own log says why"
    return f"the server at {spec.url} {what}; {why}"


def _about_answering(failed: Answer, spec: ModelSpec, offered: Sequence[str]) -> list[str]:
    variable = key_name(spec)
    export = [f"export the right key as {variable}"] if variable and "key" in failed.detail else []
    if failed.status == _KEY_REFUSED and export:
        return export
    detail = failed.detail
    if detail.startswith(_CONTENT_TYPE):
        end = " (mostly it ends in /v1)" if spec.vendor is Vendor.OPENAI else ""
        detail = f"check the base URL{end}: {detail}"
    return [f"{detail}{_instead(offered)}", *export]


def _instead(offered: Sequence[str]) -> str:
    if not offered:
        return ""
    more = ", …" if len(offered) > _MOST_NAMES else ""
    return f" (the server offers {', '.join(offered[:_MOST_NAMES])}{more})"


_REMEDIES: Final = {
    Failure.TIMEOUT_FIRST_TOKEN: "raise first_token_s under [limits], or choose a smaller model",
    Failure.TIMEOUT_STALLED: "raise between_s under [limits]; the stream stops in its middle",
    Failure.TIMEOUT_TOTAL: "raise total_s under [limits], lower --max-tokens, or choose a smaller "
    "model",
    Failure.REFUSED: "the provider's policy refuses a plain question; choose another model",
    Failure.RATE_LIMITED: "lower concurrent under [limits], or ask the provider for a higher rate",
    Failure.OVER_QUOTA: "the account has nothing left; top it up or choose another model",
    Failure.EMPTY: "the model says nothing; a chat or instruct model is needed",
    Failure.TRUNCATED: "raise --max-tokens; the answer breaks off before anything in it is whole",
    Failure.CANCELLED: "something cancelled the question; ask again",
    Failure.OVER_BUDGET: "raise the limits under [budget]",
}


def about_reading(answers: Sequence[Answer], max_tokens: int) -> list[str]:
    """What makes answers unusable that came."""
    came = [a for a in answers if a.route is not None]
    advice = []
    if came and sum(a.readable for a in came) * 2 < len(came):
        advice.append("most answers are no JSON; a larger model, or one tuned to instructions")
    if any(a.truncated for a in came):
        advice.append(f"answers are cut off at {max_tokens} tokens; raise --max-tokens")
    if any(a.readable and not a.admissible for a in came):
        advice.append("some answers choose an action that was not offered; a larger model")
    return advice


def about_schema(style: str | None, spec: ModelSpec) -> list[str]:
    """Which setting saves the server from being asked in a way it refuses."""
    if spec.vendor is not Vendor.OPENAI or style is None or style == spec.schema_style:
        return []
    where = "under its [models.NAME] in a file for --models"
    what = f"takes the schema as {style}"
    if style == SchemaStyle.NONE:
        where += ", or with --llm give `mindot run` --no-schema"
        what = "takes no schema, and is asked in plain text"
    return [f'set schema_style = "{style}" {where}: the server {what}']


def about_time(answers: Sequence[Answer], rate_hz: float) -> list[str]:
    """What to set when answers come too late to be served."""
    took = [a.latency_ms / 1000 for a in answers if a.readable and a.latency_ms is not None]
    fresh_s = FRESH_SWEEPS / rate_hz
    late = [seconds for seconds in took if seconds > fresh_s]
    if len(late) * 2 <= len(took):
        return []
    middle = median(took)
    says = (
        f"most answers come late: {middle:.1f} s each, where one stays fresh for {fresh_s:.1f} s "
        f"at --rate {rate_hz:g}; set --rate {_slower(middle)} or raise verdict_fresh_s to "
        f"{math.ceil(middle * SPARE * rate_hz * SWEEP_SECONDS)} (the world's seconds, at "
        f"{SWEEP_SECONDS:g} a sweep)"
    )
    return [says]


def _slower(seconds: float) -> str:
    """A rate at which an answer of that many seconds comes in time, with some to spare."""
    return f"{FRESH_SWEEPS / (seconds * SPARE):.2g}"
