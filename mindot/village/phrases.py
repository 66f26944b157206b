"""What the script has to say: reasons, replies, and answers nobody can read."""

from typing import Final

__all__ = [
    "BELIEFS",
    "CHAT",
    "GOAL_REASONS",
    "MUSINGS",
    "OUTCOMES",
    "PREAMBLES",
    "PROMISES",
    "REASONS",
    "REFUSALS",
    "SILENCES",
    "THINKING",
    "UNREADABLE",
]

REASONS: Final[dict[str, tuple[str, ...]]] = {
    "stay": ("Nothing here needs me to move.", "If I keep still, this may pass."),
    "watch": ("I want to see what comes of it first.", "Better to look twice than act in haste."),
    "idle_social": ("There is no harm in a word with the others.",),
    "greet_approach": ("A friendly word costs nothing.", "I would rather meet them halfway."),
    "serve": ("Somebody is waiting, and that is my trade.",),
    "warn_say": ("They should hear it from me before it gets worse.", "A warning may be enough."),
    "investigate": ("I will not rest before I know what that was.",),
    "flee": ("This is more than I can stand up to.", "I am of no use to anybody hurt."),
    "confront": ("If I let this go, it will happen again.", "Somebody has to face them."),
    "call_help": ("I cannot deal with this alone.",),
    "claim_task": ("The work lies there and my hands are free.",),
    "resume_task": ("What I began I should finish.",),
    "complain": ("It has to be said, even if it changes nothing.",),
    "demand": ("I only ask for what is mine.",),
    "guard_player": ("They will need somebody beside them.",),
    "go_station": ("My place is elsewhere at this hour.",),
}
"""Why one would choose each action."""

MUSINGS: Final = (
    "I weighed the one against the other, and this seems right to me.",
    "It is not an easy choice, but I would stand by it.",
    "This suits me better than the rest.",
)
OUTCOMES: Final = (
    "Things calm down.",
    "I know more than before.",
    "The day goes on as it should.",
    "They understand where I stand.",
)
PREAMBLES: Final = (
    "Here is what I would do:",
    "Let me think about this for a moment. My answer:",
    "All right.",
)
THINKING: Final = (
    "The one thing pulls me there, the other here. What would I regret less?",
    "I should not decide this in anger.",
)
GOAL_REASONS: Final = (
    "I gave my word, so it goes on my list.",
    "I should see to what I promised.",
)
BELIEFS: Final = (
    "The stranger is not to be trusted near my things.",
    "People here look after each other.",
    "It is going to be a long day.",
    "Whoever shouts first is rarely right.",
)

PROMISES: Final = (
    "I will, {name}. You can count on it.",
    "Consider it done.",
    "Yes. I will see to it today.",
)
REFUSALS: Final = (
    "I cannot promise you that, {name}.",
    "Not today, I have my hands full.",
)
CHAT: Final = (
    "Quiet so far, {name}. I hope it stays that way.",
    "Not that I have heard of.",
    "Ask me again in the evening.",
    "People say a lot of things, {name}.",
)
SILENCES: Final = ("I have nothing to say to that.", "Better to hold my tongue.")

UNREADABLE: Final = (
    "Hmm. I honestly could not say what is best here; perhaps wait and see how it turns out?",
    '{"reasoning": "On the one hand I would',
    "I'm sorry, I lost my train of thought.",
    "```json\n```",
    "Action: the first one, or maybe the second. Confidence: middling.",
)
"""None of these holds an action that a reader could use."""
