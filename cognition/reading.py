"""From what came back to what was thought: an answer read, or a reflex where none came."""

from collections.abc import Mapping
from dataclasses import dataclass

from cognition._values import as_number, is_blank
from cognition.asking import Ask, NotAnswered, Outcome, ThoughtFailure
from cognition.executive_output import ExecutiveOutput, Route
from cognition.reflex import Vitals, reflex_fallback
from cognition.response import parse_response

__all__ = ["ReadThought", "read_outcome", "reflex_thought", "vitals_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadThought:
    """What one outcome comes to."""

    output: ExecutiveOutput
    failure: ThoughtFailure | None
    """Why ``output`` is a reflex; None when a thought came back."""
    heard: bool
    """There is text of the model's behind it, so its blocks and its reply count."""


def vitals_of(metrics: Mapping[str, float]) -> Vitals:
    """The body in ``metrics``; what is missing or no finite number counts as unremarkable."""
    energy = as_number(metrics.get("energy.level"))
    sleep = as_number(metrics.get("sleep.pressure"))
    stress = as_number(metrics.get("stress.load"))
    return Vitals(
        energy=100.0 if energy is None else energy,
        sleep_pressure=0.0 if sleep is None else sleep,
        stress=0.0 if stress is None else stress,
    )


def read_outcome(
    ask: Ask, outcome: Outcome, vitals: Vitals, *, tick: int, deadline_ticks: int | None
) -> ReadThought:
    """Read ``outcome`` at the boundary ``tick``. Only a model's answer is ever read: what a
    failure says about itself stays outside."""
    if isinstance(outcome, NotAnswered):
        return reflex_thought(vitals, outcome.failure)
    if deadline_ticks is not None and tick - ask.tick > deadline_ticks:
        return reflex_thought(vitals, ThoughtFailure.LATE)
    if is_blank(outcome.text):
        return reflex_thought(vitals, ThoughtFailure.EMPTY)
    output = parse_response(outcome.text, vitals)
    if outcome.truncated and not _says_something(output):
        return reflex_thought(vitals, ThoughtFailure.TRUNCATED)
    failure = ThoughtFailure.UNREADABLE if output.route == Route.FALLBACK else None
    return ReadThought(output=output, failure=failure, heard=True)


def _says_something(output: ExecutiveOutput) -> bool:
    """Whether anything whole was read before the answer was cut off."""
    acts = output.actions if output.route != Route.FALLBACK else []
    said = (output.reply_text, output.no_message, output.undertakings, output.escalation)
    return bool(acts) or any(said)


def reflex_thought(vitals: Vitals, failure: ThoughtFailure) -> ReadThought:
    """What the body does where no thought came back, for the cause ``failure``."""
    return ReadThought(output=reflex_fallback(vitals), failure=failure, heard=False)
