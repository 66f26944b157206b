"""Every name that crosses between the game and its records, and what each one means.

This is the only place where the 16 actions, the 12 tiers, the record kinds, their fields, the
codes and the lanes are spelled out. ``mindot why``, ``watch``, ``check``, ``sync`` and the
reference docs render from these tables, so a word changed here changes everywhere.

The module imports nothing but ``typing``: the reading commands load it on every start.
"""

from enum import StrEnum
from typing import Final, NamedTuple

__all__ = [
    "ACTIONS",
    "CALM_ACTIONS",
    "CODES",
    "DECISION_FIELDS",
    "FEATURES",
    "FEATURE_MEANINGS",
    "INTENTION_TIERS",
    "KINDS",
    "LANES",
    "MOCK_WORLD",
    "RECEIPT_FIELDS",
    "RECORD_VERSION",
    "TIERS",
    "TRACE_FIELDS",
    "TRACE_TYPES",
    "UNSURE_TIERS",
    "Action",
    "Code",
    "Family",
    "Feature",
    "Field",
    "Kind",
    "Lane",
    "Tier",
    "TraceType",
]

RECORD_VERSION: Final = 1
"""The ``v`` this project writes. A reader goes as far as it can with a higher one."""

MOCK_WORLD: Final = "mock"
"""The world id of the built-in village."""


class Action(NamedTuple):
    """One of the 16 things the reflex head can lean to."""

    name: str
    calm: bool
    """A calm action needs no command: the game simply goes on."""
    meaning: str


ACTIONS: Final[dict[str, Action]] = {
    a.name: a
    for a in (
        Action("stay", True, "remains where it is"),
        Action("watch", True, "keeps an eye on what goes on"),
        Action("idle_social", True, "passes the time with whoever is near"),
        Action("greet_approach", False, "walks up to somebody with a greeting"),
        Action("serve", False, "attends to a customer or a guest"),
        Action("warn_say", False, "speaks a warning"),
        Action("investigate", False, "goes to see what that was"),
        Action("flee", False, "gets away from danger"),
        Action("confront", False, "stands up to somebody, face to face"),
        Action("call_help", False, "calls for others to come"),
        Action("claim_task", False, "takes up a piece of work that lies open"),
        Action("resume_task", False, "returns to the work it had put aside"),
        Action("complain", False, "voices what is wrong"),
        Action("demand", False, "asks for what it is owed"),
        Action("guard_player", False, "stays close to the player to protect them"),
        Action("go_station", False, "walks to the place where it belongs now"),
    )
}
"""The actions by name, in the order in which the head scores them."""

CALM_ACTIONS: Final = frozenset(a.name for a in ACTIONS.values() if a.calm)


class Family(StrEnum):
    """What the twelve tiers come down to when somebody counts them."""

    ACTED = "acted"
    QUIET = "quiet"
    REFUSAL = "refusal"
    UNSURE = "unsure"


class Code(NamedTuple):
    """A condition that has a number, so that people can look it up."""

    code: str
    title: str
    meaning: str
    advice: str


CODES: Final[dict[str, Code]] = {
    c.code: c
    for c in (
        Code(
            "LW3002",
            "reflex refused",
            "the head was sure of an action, but an order or a scene lease holds the body",
            "expected while somebody else directs the character; lift the order or end the scene",
        ),
        Code(
            "LW3010",
            "forbidden at the last moment",
            "a step was due and a never-rule stood against it, so the plan passed over it",
            "read the rule named in the record; change it, or give the law another plan",
        ),
        Code(
            "LW3021",
            "nobody to act on",
            "a step was due and the one it needs was not there, so the plan passed over it",
            "check that the character the step binds to exists and is within reach",
        ),
        Code(
            "LW4001",
            "starving for a decision",
            "one character stays undecided again and again and no intention ever comes of it",
            "see whether its thoughts come back (`mindot why`) and whether a law covers its case",
        ),
    )
}


class Tier(NamedTuple):
    """A rung of the ladder: which part of the brain had the say in a sweep."""

    name: str
    family: Family
    meaning: str
    code: str | None = None


TIERS: Final[dict[str, Tier]] = {
    t.name: t
    for t in (
        Tier("emitted", Family.ACTED, "the reflex was sure, and what it leaned to was done"),
        Tier("calm", Family.QUIET, "nothing calls for action; life goes on without a command"),
        Tier(
            "held",
            Family.REFUSAL,
            "the reflex was sure, yet the body is under an order or a scene, so nothing was done",
            "LW3002",
        ),
        Tier("routine", Family.QUIET, "the hour of the day sends the character to its station"),
        Tier("intention", Family.ACTED, "a step of the standing plan was carried out"),
        Tier(
            "intention-over-order",
            Family.ACTED,
            "a step of the plan was carried out in defiance of an order, and said aloud",
        ),
        Tier("intention-hold", Family.QUIET, "a plan stands and bides its time"),
        Tier(
            "escalated",
            Family.UNSURE,
            "no action was sure enough; the dilemma is kept for training and put to the mind",
        ),
        Tier(
            "escalation-held",
            Family.UNSURE,
            "still the dilemma of a moment ago; the mind is not asked twice",
        ),
        Tier(
            "quiet-dilemma",
            Family.UNSURE,
            "torn between two things that both need no deed; settled without asking",
        ),
        Tier("llm-verdict", Family.ACTED, "what the mind had decided a moment ago was done"),
        Tier("recast", Family.ACTED, "a scene put the character back into the pose of its role"),
    )
}
"""The tiers by name. A record may hold others: they are shown as they stand."""

UNSURE_TIERS: Final = frozenset(t.name for t in TIERS.values() if t.family is Family.UNSURE)
INTENTION_TIERS: Final = frozenset(t for t in TIERS if t.startswith("intention"))


class Feature(NamedTuple):
    """One input of the reflex head, scaled to 0..1."""

    name: str
    meaning: str


_FEATURE_TABLE: Final = (
    Feature("dist_n", "distance to the player; 1 is out of reach"),
    Feature("player_near", "the player is within a few steps"),
    Feature("player_armed", "the player carries a drawn weapon"),
    Feature("armed_close", "a drawn weapon, weighed by how near it is"),
    Feature("player_speaks", "the player is talking to this character"),
    Feature("player_known", "how well the character knows the player"),
    Feature("player_trust", "trust in the player; one half is neutral"),
    Feature("grudge", "the strongest grudge that is still open"),
    Feature("crowd_n", "how many others are around"),
    Feature("ally_near", "somebody trusted is near"),
    Feature("guard_near", "a guard is near"),
    Feature("child_near", "a child is near"),
    Feature("stranger_near", "somebody unknown is near"),
    Feature("others_talk", "people around are talking"),
    Feature("theft_seen", "a theft was noticed"),
    Feature("insult_heard", "an insult was heard"),
    Feature("assault_seen", "an assault was noticed"),
    Feature("trespass_seen", "somebody is where they should not be"),
    Feature("alarm", "the alarm is raised"),
    Feature("threat", "all present danger, taken together"),
    Feature("energy_n", "energy of the body"),
    Feature("sleep_n", "pressure to sleep"),
    Feature("stress_n", "stress load"),
    Feature("hurt", "how badly the character is hurt"),
    Feature("unmet_need", "the most pressing need nobody has met"),
    Feature("need_food", "need for food"),
    Feature("need_rest", "need for rest"),
    Feature("need_company", "need for company"),
    Feature("need_safety", "need for safety"),
    Feature("on_duty", "it is the character's hour of work"),
    Feature("at_station", "the character is where the day wants it"),
    Feature("off_station", "the day wants it somewhere else"),
    Feature("task_open", "a piece of work lies open nearby"),
    Feature("task_paused", "its own work was interrupted"),
    Feature("customer_waiting", "somebody waits to be served"),
    Feature("has_command", "an order binds the character"),
    Feature("lease_held", "a scene has borrowed the character"),
    Feature("night", "it is dark"),
    Feature("brave", "trait: courage"),
    Feature("warm", "trait: warmth toward others"),
    Feature("temper", "trait: quickness to anger"),
    Feature("dutiful", "trait: sense of duty"),
    Feature("curious", "trait: curiosity"),
)
FEATURE_MEANINGS: Final[dict[str, str]] = {f.name: f.meaning for f in _FEATURE_TABLE}
FEATURES: Final[tuple[str, ...]] = tuple(FEATURE_MEANINGS)
"""The 43 inputs of the default head, in the order of its columns."""


class Field(NamedTuple):
    """One field of a record: its JSON type, what it says, and when it is there."""

    name: str
    type: str
    meaning: str
    when: str = "always"


RECEIPT_FIELDS: Final[dict[str, Field]] = {
    f.name: f
    for f in (
        Field("v", "int", "version of the record format"),
        Field("t", "float", "time of the sweep in unix seconds, two decimals"),
        Field("world", "str", "id of the world the feed comes from"),
        Field("tab", "str", "the adapter that delivered the feed"),
        Field("npc", "int", "position in this frame only; it names nobody"),
        Field("name", "str", "who this is about; the identity"),
        Field("served", "str", "the tier that had the say"),
        Field("action", "str", "the action with the highest probability"),
        Field("conf", "float", "that highest probability"),
        Field("tau", "float", "how sure the head has to be before it acts"),
        Field("probs", "object", "probability of each action after masking, four decimals"),
        Field("features", "object", "the head's named inputs, four decimals", "unless calm"),
        Field(
            "episode",
            "str",
            "id of the running intention, or cast:<role> while a scene has the character",
            "an intention runs or a scene leases the body",
        ),
        Field(
            "mask",
            "object",
            "what the manifest took away: pre, post and the masked verbs",
            "the manifest took something away",
        ),
        Field("desire", "str", "operator of the step that acted", "the plan acted"),
        Field("evidence", "str", "journal entry behind the intention", "the plan acted"),
        Field("plan", "list", "all operators of the plan, in order", "the plan acted"),
        Field("step", "int", "position in the plan, from 0", "the plan acted"),
        Field(
            "subject",
            "str",
            "whom the intention is about, lower-cased; missing for the player",
            "the plan acted",
        ),
        Field("target", "str", "whom or what the step found to act on", "the plan acted"),
        Field("target_handle", "int", "the engine's handle of the target", "the plan acted"),
        Field("top2", "list", "the two likeliest actions with their probabilities", "escalated"),
        Field("tup", "str", "the situation as one training string, without names", "escalated"),
        Field("why", "str", "what made it escalate", "some escalated rows"),
        Field("cmds", "list", "commands that left because of this row", "a command left"),
        Field("verdict", "str", "the action the mind decided on", "the mind's answer was served"),
        Field("because", "str", "the mind's own words for it", "the mind's answer was served"),
    )
}
"""The reflex receipt in the order in which its fields are written."""

DECISION_FIELDS: Final[dict[str, str]] = {
    "name": "the character",
    "cls": "class of what woke it",
    "outcome": "intention or declined",
    "id": "id of the intention",
    "plan": "operators of the plan, in order",
    "ms": "milliseconds it took, on the clock of the run",
    "verb": "operator that acted, or the action the mind named",
    "manifest_verb": "action the operator became",
    "step": "position in the plan, from 0",
    "target": "whom or what it acted on",
    "target_handle": "the engine's handle of the target",
    "xy": "where the target stood, in game units",
    "need": "the need it serves, or null",
    "from": "position in the plan before",
    "to": "position in the plan after; in a swap, the class that took over",
    "desire": "operator at the new position",
    "why": "cause: fires, ttl, bind-skip or never-blocked; or what made the head unsure",
    "last_step": "last position reached",
    "skipped": "operator that was passed over",
    "subject": "whom the intention is about",
    "reason": "one short clause",
    "rule": "id of the never-rule",
    "when": "condition that held",
    "arch": "archetype",
    "source": "what emptied the choice: manifest, never-rules or mask",
    "traits": "traits by name, 0 to 1",
    "wake_text": "words of what happened",
    "wake_t": "time of what happened, unix seconds",
    "situation": "the situation as a tuple-like summary",
    "candidates": "plans that were in the running, with their scores",
    "text": "words said to the character",
    "recalled": "journal entries that came to mind",
    "ambient": "what else was around",
    "chosen": "the plan the mind chose",
    "composer": "the plan the composer would have chosen",
    "because": "the chooser's own words",
    "where": "the part that failed, or that caught it",
    "err": "name of the failure",
    "excul": "how far the amends excuse the offence, 0 to 1",
    "grudge": "strength of the grudge before, 0 to 1",
    "law": "id of the forgiveness law",
    "semantic": "whether the meaning of the amends was weighed, not only their form",
    "score": "difference in gravity",
    "suppressed_say": "the line that was not spoken",
    "tuple": "the situation as one training string",
    "top2": "the two likeliest actions with their probabilities",
    "order": "text of the order",
    "line": "the words spoken",
    "cmd": "the command's verb",
    "say": "words the command speaks",
}
"""What each field of a flywheel record's ``decision`` says."""


class Kind(NamedTuple):
    """A kind of flywheel record and the fields of its ``decision``."""

    name: str
    meaning: str
    fields: tuple[str, ...]
    optional: tuple[str, ...] = ()


_RANKING: Final = (
    "name", "cls", "arch", "traits", "wake_text", "wake_t", "situation", "candidates",
)  # fmt: skip

KINDS: Final[dict[str, Kind]] = {
    k.name: k
    for k in (
        Kind(
            "deliberator_wake",
            "something happened and the deliberator was asked what to make of it",
            ("name", "cls", "outcome", "id", "plan", "ms"),
        ),
        Kind(
            "deliberator_decided",
            "a step of a plan acted",
            ("name", "id", "cls", "verb", "manifest_verb", "step", "target", "target_handle", "xy",
             "need"),
        ),
        Kind(
            "deliberator_step_advance",
            "the plan moved on to another step",
            ("name", "id", "plan", "from", "to", "desire", "why"),
        ),
        Kind(
            "deliberator_plan_done",
            "a plan came to its end",
            ("name", "id", "cls", "plan", "last_step", "why"),
        ),
        Kind(
            "deliberator_bind_skip",
            "a step was due and there was nobody to act on",
            ("name", "id", "step", "skipped", "subject", "need", "verb", "reason"),
        ),
        Kind(
            "deliberator_never_blocked",
            "a step was due and a never-rule forbade it",
            ("name", "id", "step", "skipped", "verb", "rule", "when"),
        ),
        Kind(
            "deliberator_no_admissible_verbs",
            "nothing the character may do was left to make a plan of",
            ("name", "arch", "cls", "source", "reason"),
        ),
        Kind(
            "deliberator_escalation",
            "no law covers this; the mind is asked to choose among the candidates",
            _RANKING,
            ("text", "recalled", "ambient"),
        ),
        Kind(
            "deliberator_plan_escalation",
            "the plans are too close to call, or one is about to give way; the mind is asked",
            _RANKING,
            ("text", "recalled", "ambient"),
        ),
        Kind(
            "deliberator_rank",
            "the mind chose a plan",
            ("name", "cls", "chosen", "composer", "because"),
        ),
        Kind(
            "deliberator_rank_error",
            "no choice came back, so the composer's order stands",
            ("name", "where", "err"),
        ),
        Kind(
            "deliberator_stand_down",
            "amends were accepted and the plan dropped",
            ("name", "excul", "grudge", "law", "semantic", "because"),
        ),
        Kind(
            "deliberator_hold_course",
            "amends were offered and did not suffice; the plan goes on",
            ("name", "excul", "grudge", "because"),
        ),
        Kind(
            "deliberator_amends_nothing_to_forgive",
            "somebody apologised and no grudge was open",
            ("name", "cls", "text"),
        ),
        Kind("deliberator_swap", "a graver wrong took the plan's place", ("name", "to", "score")),
        Kind(
            "deliberator_wait",
            "the plan waits and keeps its words back",
            ("name", "id", "desire", "suppressed_say"),
        ),
        Kind(
            "deliberator_need_unmet",
            "a need that nothing around can serve",
            ("name", "need", "reason"),
        ),
        Kind(
            "student_escalation",
            "the reflex head's dilemma, as a training example",
            ("name", "tuple", "top2"),
            ("why",),
        ),
        Kind(
            "student_escalation_verdict",
            "what the mind answered to a dilemma",
            ("name", "tuple", "verb"),
            ("because", "ms"),
        ),
        Kind(
            "obedience_broken",
            "the character refused an order in words",
            ("name", "order", "reason", "line"),
        ),
        Kind(
            "manifest_blocked",
            "the last gate before the game stopped a verb",
            ("name", "verb", "where"),
        ),
        Kind("plan", "a command left for a step of a plan", ("cmd", "name"), ("target", "say")),
        Kind(
            "raw",
            "a command left for the host, an order or a scene",
            ("cmd", "name"),
            ("target", "say"),
        ),
        Kind(
            "student",
            "a command left for the reflex head or the mind's verdict",
            ("cmd", "name"),
            ("target", "say"),
        ),
    )
}  # fmt: skip
"""The flywheel kinds by name. A record may hold others: they are shown as they stand."""


class Lane(NamedTuple):
    """What may leave the machine for one purpose. What is not listed never leaves."""

    name: str
    kinds: tuple[str, ...]
    """Kinds of flywheel record it draws from; empty: from every record, receipts too."""
    fields: tuple[str, ...]
    needs_switch: bool = False
    """It stays shut unless its own switch is given."""


LANES: Final[dict[str, Lane]] = {
    lane.name: lane
    for lane in (
        Lane(
            "student",
            ("student_escalation", "student_escalation_verdict"),
            ("tuple", "top2", "verb"),
        ),
        Lane(
            "ranker",
            ("deliberator_escalation", "deliberator_plan_escalation", "deliberator_rank"),
            ("cls", "arch", "traits", "situation", "candidates", "chosen", "composer"),
        ),
        Lane(
            "gate",
            (),
            (
                "wake_text",
                "text",
                "recalled",
                "ambient",
                "evidence",
                "line",
                "because",
                "suppressed_say",
                "say",
            ),
            needs_switch=True,
        ),
    )
}

TRACE_FIELDS: Final[dict[str, str]] = {
    "type": "what happened",
    "wallTime": "unix milliseconds, on the clock of the run",
    "tick": "the mind's own count of sweeps",
    "mind": "world and name of whose mind it is",
    "facetId": "id of the facet, unique within its mind",
    "key": "the thread of attention a keyed facet serves",
    "totalFacets": "live facets after the event",
    "reason": "why it ended",
    "what": "the promise, in the mind's own words",
    "target": "whom the promise is to reach",
    "since": "tick at which the promise was made",
    "promisedTo": "whom it was made to",
    "goal": "the goal the mind made of it",
    "by": "the record that proves it kept",
    "truncated": "true when the model was cut off before it had finished",
    "askId": "the question it belongs to",
    "promptChars": "length of the prompt in characters",
    "promptTokensEst": "estimated prompt tokens",
    "latencyMs": "milliseconds until the answer was complete",
    "responseChars": "length of the answer in characters",
    "promptTokens": "prompt tokens as the server counted them",
    "completionTokens": "answer tokens as the server counted them",
    "error": "name of the failure when no thought came back",
    "detail": "what was seen of the failure",
    "model": "the model that answered or failed, as its server names it",
    "budget": "what the asker has used of its allowances, by period: minute, day",
    "confidence": "the answer's confidence, 0 to 1",
    "reasoning": "the answer's sentence, at most 500 characters",
    "actions": "the actions it named",
    "part": "which part of the mind asked: facet, master or rank",
    "system": "the stable part of the prompt",
    "prompt": "the rest of the prompt",
    "answer": "the model's answer as it came",
    "route": "how the answer was read: json, repaired, salvaged or fallback",
}


class TraceType(NamedTuple):
    """A type of event in a mind's trace."""

    name: str
    meaning: str
    fields: tuple[str, ...]
    optional: tuple[str, ...] = ()


TRACE_TYPES: Final[dict[str, TraceType]] = {
    t.name: t
    for t in (
        TraceType(
            "executive.facet.spawn",
            "a facet came to life",
            ("facetId", "totalFacets"),
            ("key",),
        ),
        TraceType(
            "executive.facet.destroy",
            "a facet ended: explicit (its owner closed it), idle or lru (pushed out)",
            ("facetId", "reason", "totalFacets"),
            ("key",),
        ),
        TraceType(
            "executive.thought",
            "a question word for word, with the raw answer, in a file of its own",
            ("askId", "part", "system", "prompt", "latencyMs"),
            ("facetId", "key", "answer", "error", "detail"),
        ),
        TraceType(
            "executive.undertaking.start",
            "a promise was taken up and stands from now on",
            ("what", "since"),
            ("target", "promisedTo"),
        ),
        TraceType(
            "executive.undertaking.goal",
            "the mind made a goal of a promise that stands",
            ("what", "since", "goal"),
            ("target", "promisedTo"),
        ),
        TraceType(
            "executive.undertaking.end",
            "a promise ended: kept, seen, let-go, age or limit",
            ("what", "reason"),
            ("target", "since", "promisedTo", "goal", "by"),
        ),
        TraceType(
            "executive.facet.call",
            "a facet asked the model",
            ("facetId", "promptChars", "promptTokensEst"),
            ("askId",),
        ),
        TraceType(
            "executive.facet.response",
            "an answer came back, or the failure that came instead",
            ("facetId", "latencyMs"),
            (
                "responseChars",
                "promptTokens",
                "completionTokens",
                "truncated",
                "model",
                "error",
                "detail",
                "budget",
                "askId",
            ),
        ),
        TraceType(
            "executive.facet.output",
            "what was read in the answer",
            ("facetId", "confidence", "reasoning", "actions", "route"),
            ("askId",),
        ),
    )
}
