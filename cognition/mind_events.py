"""The events of a mind's thoughts, as its trace has them.

``askId`` pairs the three events of one thought. What a thought promised has events of its own
(:mod:`cognition.promises`).
"""

from cognition.asking import Answered, Ask, NotAnswered, Outcome, ThoughtFailure
from cognition.executive_output import ExecutiveOutput
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
    if outcome.model:
        event["model"] = shortened(outcome.model)
    if isinstance(outcome, NotAnswered) and outcome.detail:
        event["detail"] = shortened(outcome.detail)
    if outcome.budget:
        event["budget"] = dict(outcome.budget)
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
    ask: Ask, output: ExecutiveOutput, tick: int, *, dropped_promises: int = 0
) -> Event:
    """What was read. ``dropped_promises``: how many of its promises were too many."""
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
    if dropped_promises:
        event["droppedPromises"] = dropped_promises
    return event
