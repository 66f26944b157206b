"""The hand-set weights of the default reflex head, readable by name.

Each action has a constant and what speaks for it (above 0) or against it (below 0). The scale is
loose: an action leads clearly from a lead of about 1.
"""

from typing import Final

__all__ = ["BIAS", "SHARPNESS", "WEIGHTS"]

SHARPNESS: Final = 6.0
"""How steep the softmax is: a lead of 1 over all others is near certainty."""

BIAS: Final[dict[str, float]] = {
    "stay": 1.0,
    "watch": 0.1,
    "idle_social": -0.2,
    "greet_approach": -0.8,
    "serve": -1.0,
    "warn_say": -1.0,
    "investigate": -1.0,
    "flee": -1.0,
    "confront": -1.0,
    "call_help": -1.0,
    "claim_task": -0.8,
    "resume_task": -0.8,
    "complain": -1.0,
    "demand": -1.0,
    "guard_player": -1.2,
    "go_station": -0.6,
}

WEIGHTS: Final[dict[str, dict[str, float]]] = {
    "stay": {"threat": -0.8, "at_station": 0.3, "night": 0.2},
    "watch": {"player_near": 0.5, "stranger_near": 0.2, "curious": 0.3},
    "idle_social": {"crowd_n": 0.5, "need_company": 0.8, "others_talk": 0.5, "warm": 0.3},
    "greet_approach": {"player_near": 0.6, "player_trust": 0.6, "warm": 0.5, "player_speaks": 1.0},
    "serve": {"customer_waiting": 2.6, "dutiful": 0.4},
    "warn_say": {"armed_close": 1.5, "dutiful": 0.6, "trespass_seen": 1.4},
    "investigate": {"theft_seen": 1.3, "alarm": 0.8, "curious": 0.6},
    "flee": {"threat": 2.6, "brave": -1.2, "hurt": 1.0},
    "confront": {"grudge": 1.0, "assault_seen": 1.2, "brave": 0.8, "insult_heard": 1.2},
    "call_help": {"theft_seen": 1.4, "assault_seen": 1.4, "brave": -0.6, "alarm": 0.4},
    "claim_task": {"task_open": 2.2, "dutiful": 0.5},
    "resume_task": {"task_paused": 2.4, "dutiful": 0.3},
    "complain": {"unmet_need": 1.2, "temper": 0.5, "insult_heard": 1.0},
    "demand": {"need_food": 0.8, "temper": 0.4, "grudge": 0.8},
    "guard_player": {"player_trust": 0.6, "assault_seen": 0.8, "dutiful": 0.3},
    "go_station": {"off_station": 1.0, "sleep_n": 0.8},
}
