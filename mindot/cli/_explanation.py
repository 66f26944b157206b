"""An explanation as text for a person, and as JSON."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import click

from mindot.cli._common import clock_time, escape
from mindot.cli._records import tier_style
from mindot.game.contract import CODES, KINDS
from mindot.records.explain import Explanation
from mindot.records.fields import commands_of, decision_of, kind_of, shown, time_of
from mindot.records.thinking import Budget, FailedThought, Standing

__all__ = ["decision_line", "explanation_json", "explanation_text"]

_SHOWN_IN_DECISION: Final = 160
"""Characters of a flywheel record's fields on its line."""
_PERIODS: Final = {"minute": "this minute", "day": "today"}
_ALLOWED: Final = {"calls": "callsAllowed", "tokens": "tokensAllowed"}
"""By what is counted the field with its limit."""


def explanation_json(
    explanation: Explanation, failed: FailedThought | None = None, standing: Standing | None = None
) -> dict[str, Any]:
    """The records stand in it byte for byte as they stand in the files.

    Args:
        failed: the thought that did not come, near the decision.
        standing: what had been used of the allowances by then.
    """
    return {
        "receipt": explanation.receipt.text,
        "meaning": explanation.meaning,
        "deed": explanation.deed,
        "code": explanation.code,
        "flywheel": [record.text for record in explanation.flywheel],
        "thought": failed.to_json() if failed is not None else None,
        "budget": standing.budget if standing is not None else None,
        "budget_at": standing.at if standing is not None else None,
    }


def explanation_text(
    explanation: Explanation, failed: FailedThought | None = None, standing: Standing | None = None
) -> str:
    """A paragraph: the decision on its first line, and one line for each thing known of it.

    The arguments are those of :func:`explanation_json`.
    """
    row = explanation.receipt.value
    lines = [decision_line(row, explanation.deed), f"  {escape(explanation.meaning)}"]
    details = (*_details(explanation), *_thinking(failed, standing))
    lines += [f"  {label + ':':<14} {escape(words)}" for label, words in details]
    lines += [f"  {'record:':<14} {words}" for words in _flywheel(explanation)]
    return "\n".join(lines) + "\n"


def decision_line(row: Mapping[str, Any], deed: str | None, *, colour: bool = True) -> str:
    """One row in one line: when, who, which tier, and the deed."""
    name, served = escape(shown(row.get("name"))), escape(shown(row.get("served")))
    if colour:
        name, served = click.style(name, bold=True), tier_style(served)
    return f"{clock_time(row.get('t'))}  {name}  {served}  {escape(deed) if deed else '-'}"


def _details(explanation: Explanation) -> Iterator[tuple[str, str]]:
    row = explanation.receipt.value
    if explanation.code is not None:
        code = CODES[explanation.code]
        yield "code", f"{code.code}, {code.title}: {code.meaning}"
    yield "leaning", _leaning(row)
    if pairs := _pairs(row.get("top2")):
        yield "torn between", pairs
    for label, field in (("why", "why"), ("situation", "tup"), ("episode", "episode")):
        if isinstance(row.get(field), str):
            yield label, row[field]
    if plan := _plan(explanation):
        yield "plan", plan
    for label, field in (("about", "subject"), ("evidence", "evidence")):
        if isinstance(row.get(field), str):
            yield label, row[field]
    if mask := _mask(row.get("mask")):
        yield "mask", mask
    for words in _said(explanation):
        yield "said", words
    if explanation.because is not None:
        yield "because", explanation.because


def _thinking(failed: FailedThought | None, standing: Standing | None) -> Iterator[tuple[str, str]]:
    if failed is not None:
        seen = f" ({failed.detail})" if failed.detail else ""
        yield "thought", f"did not come: {failed.error}{seen}"
    if standing is not None and (words := ", ".join(_used(standing.budget))):
        yield "budget", f"{words} (as of {clock_time(standing.at)})"


def _used(budget: Budget) -> Iterator[str]:
    """How much of each allowance was used; what has no limit is left out."""
    for period, used in budget.items():
        for what, limit in _ALLOWED.items():
            count, allowed = used.get(what), used.get(limit)
            if _is_count(count) and _is_count(allowed):
                when = _PERIODS.get(period, f"this {period}")
                yield f"{count:,} of {allowed:,} {what} {when}"


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _said(explanation: Explanation) -> list[str]:
    """The lines spoken, each once: a receipt's commands have records of their own."""
    commands = commands_of(explanation.receipt.value)
    commands += [decision_of(record) for record in explanation.flywheel]
    return list(dict.fromkeys(c["say"] for c in commands if isinstance(c.get("say"), str)))


def _leaning(row: dict[str, Any]) -> str:
    action, conf, tau = row.get("action"), row.get("conf"), row.get("tau")
    gate = f", sure enough from {tau}" if isinstance(tau, (int, float)) else ""
    return f"{shown(action)} {shown(conf)}{gate}"


def _pairs(top2: object) -> str:
    if not isinstance(top2, list):
        return ""
    pairs = [pair for pair in top2 if isinstance(pair, list) and len(pair) == 2]
    return ", ".join(f"{shown(action)} {shown(probability)}" for action, probability in pairs)


def _plan(explanation: Explanation) -> str:
    """The plan with its cursor: the receipt's own, else as its records had left it by then."""
    row = explanation.receipt.value
    plan, step = row.get("plan"), row.get("step")
    if not isinstance(plan, list):
        now = time_of(row)
        for record in explanation.flywheel:
            when, decision = time_of(record.value), decision_of(record)
            if now is not None and when is not None and when <= now and "plan" in decision:
                plan, step = decision["plan"], decision.get("to", decision.get("last_step", 0))
    if not isinstance(plan, list):
        return ""
    return " > ".join(
        f"[{shown(op)}]" if place == step else shown(op) for place, op in enumerate(plan)
    )


def _mask(mask: object) -> str:
    if not isinstance(mask, dict) or not isinstance(masked := mask.get("masked"), list):
        return ""
    pre = mask.get("pre")
    before = pre if isinstance(pre, dict) else {}
    words = [_masked(verb, before) for verb in masked]
    return "the manifest took away " + ", ".join(words) if words else ""


def _masked(verb: object, before: Mapping[str, Any]) -> str:
    if isinstance(verb, str) and verb in before:
        return f"{verb} ({shown(before[verb])})"
    return shown(verb)


def _flywheel(explanation: Explanation) -> Iterator[str]:
    for record in explanation.flywheel:
        kind = kind_of(record)
        decision = decision_of(record)
        # The situation is long and the same for question and answer; what differs comes first.
        names = sorted((f for f in decision if f != "name"), key=lambda field: field == "tuple")
        fields = [f"{field}={_short(decision[field])}" for field in names]
        words = escape(" ".join(fields))
        if len(words) > _SHOWN_IN_DECISION:
            words = words[: _SHOWN_IN_DECISION - 3] + "..."
        meaning = KINDS[kind].meaning if kind in KINDS else "an unknown kind"
        yield f"{escape(kind)} ({meaning}) {words}".rstrip()


def _short(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(shown, value)) + "]"
    return shown(value)
