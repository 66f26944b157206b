"""The events of a mind's thoughts, as its trace has them.

``askId`` pairs the three events of one thought. ``undertakings`` and ``goals`` are there when the
thought made promises or took up goals.
"""

from typing import Any

from cognition.asking import Answered, Ask, Outcome, ThoughtFailure
from cognition.executive_output import ExecutiveOutput
from cognition.goals import Goal
from cognition.handoffs import Handoff, Undertaking
from cognition.reading import ReadThought
from cognition.trace import MASTER, Event, shortened

__all__ = ["call_event", "called_off_event", "output_event", "response_event"]


def call_event(ask: Ask, tokens: int) -> Event:
    """A question leaves."""
    return {
        "type": "executive.facet.call",
        "tick": ask.tick,
        "facetId": ask.facet_id or MASTER,
        "promptChars": len(ask.system) + len(ask.prompt),
        "promptTokensEst": tokens,
        "askId": ask.ask_id,
    }


def response_event(ask: Ask, outcome: Outcome, thought: ReadThought, tick: int) -> Event:
    """Something came back, or the name of what came instead."""
    event: Event = {
        "type": "executive.facet.response",
        "tick": tick,
        "facetId": ask.facet_id or MASTER,
        "latencyMs": round(outcome.latency_ms, 3),
    }
    if isinstance(outcome, Answered):
        event["responseChars"] = len(outcome.text)
        if outcome.prompt_tokens is not None:
            event["promptTokens"] = outcome.prompt_tokens
        if outcome.completion_tokens is not None:
            event["completionTokens"] = outcome.completion_tokens
        if outcome.truncated:
            event["truncated"] = True
    if thought.failure is not None:
        event["error"] = thought.failure.value
    event["askId"] = ask.ask_id
    return event


def called_off_event(ask: Ask, tick: int) -> Event:
    """A question that is out will not be waited for any more."""
    return {
        "type": "executive.facet.response",
        "tick": tick,
        "facetId": ask.facet_id or MASTER,
        "latencyMs": 0,
        "error": ThoughtFailure.CANCELLED.value,
        "askId": ask.ask_id,
    }


def output_event(
    ask: Ask, output: ExecutiveOutput, raised: list[Handoff], taken: list[Goal], tick: int
) -> Event:
    """What was read, with the promises it made and the goals it took up."""
    event: Event = {
        "type": "executive.facet.output",
        "tick": tick,
        "facetId": ask.facet_id or MASTER,
        "confidence": round(output.confidence, 4),
        "reasoning": shortened(output.reasoning),
        "actions": [action.type for action in output.actions],
        "route": str(output.route),
        "askId": ask.ask_id,
    }
    promised = [_promise_fields(h, h.body) for h in raised if isinstance(h.body, Undertaking)]
    if promised:
        event["undertakings"] = promised
    if taken:
        event["goals"] = [_goal_fields(goal) for goal in taken]
    return event


def _promise_fields(handoff: Handoff, promise: Undertaking) -> dict[str, Any]:
    fields = {
        "what": promise.what,
        "target": promise.target,
        "promisedTo": handoff.subject_name or handoff.subject_entity_id,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _goal_fields(goal: Goal) -> dict[str, Any]:
    fields = {
        "id": goal.id,
        "what": goal.what,
        "requester": None if goal.requester is None else goal.requester.entity_id,
        "promise": goal.promise,
    }
    return {name: value for name, value in fields.items() if value is not None}
