"""The names of metrics, spans and attributes.

They follow OpenTelemetry's rules: lower case, dots between namespaces, no unit and no ``total`` in
a name, durations in seconds. What its conventions for generative AI and for errors name already
keeps that name; the rest is under ``mindot``. A name once released keeps its meaning.
"""

from typing import Final

__all__ = [
    "AGENT_ID",
    "ANSWER_PARSED",
    "ANSWER_ROUTE",
    "ASK",
    "ASK_KIND",
    "CONVERSATION_ID",
    "END_REASON",
    "ERROR_TYPE",
    "FACET_BUSY",
    "FACET_DURATION",
    "FACET_ENDED",
    "FACET_LIVE",
    "FACET_SPAWNED",
    "INPUT_TOKENS",
    "LAND",
    "OPERATION",
    "OPERATION_DURATION",
    "OUTPUT_TOKENS",
    "PARSE",
    "POPULATION",
    "PROVIDER",
    "REQUEST_MODEL",
    "THOUGHT_DURATION",
    "THOUGHT_FALLBACK",
    "THOUGHT_OUTCOME",
    "TOKEN_TYPE",
    "TOKEN_USAGE",
    "WAKE",
    "WAKE_CLASS",
    "WAKE_OUTCOME",
]

# Metrics
FACET_SPAWNED: Final = "mindot.facet.spawned"
FACET_ENDED: Final = "mindot.facet.ended"
FACET_LIVE: Final = "mindot.facet.live"
FACET_BUSY: Final = "mindot.facet.busy"
FACET_DURATION: Final = "mindot.facet.duration"
THOUGHT_DURATION: Final = "mindot.thought.duration"
THOUGHT_FALLBACK: Final = "mindot.thought.fallback"
ANSWER_PARSED: Final = "mindot.answer.parsed"
OPERATION_DURATION: Final = "gen_ai.client.operation.duration"
TOKEN_USAGE: Final = "gen_ai.client.token.usage"  # noqa: S105  (a model's tokens)

# Spans
WAKE: Final = "wake"
ASK: Final = "ask"
PARSE: Final = "parse"
LAND: Final = "land"

# Attributes
POPULATION: Final = "mindot.facet.population"
END_REASON: Final = "mindot.facet.end_reason"
THOUGHT_OUTCOME: Final = "mindot.thought.outcome"
ANSWER_ROUTE: Final = "mindot.answer.route"
ASK_KIND: Final = "mindot.ask.kind"
WAKE_CLASS: Final = "mindot.wake.class"
WAKE_OUTCOME: Final = "mindot.wake.outcome"
ERROR_TYPE: Final = "error.type"
AGENT_ID: Final = "gen_ai.agent.id"
CONVERSATION_ID: Final = "gen_ai.conversation.id"
OPERATION: Final = "gen_ai.operation.name"
PROVIDER: Final = "gen_ai.provider.name"
REQUEST_MODEL: Final = "gen_ai.request.model"
TOKEN_TYPE: Final = "gen_ai.token.type"  # noqa: S105  (a model's tokens)
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
