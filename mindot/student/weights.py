"""The hand-set weights of the default reflex head, readable by name.

Each action has a constant and what speaks for it (above 0) or against it (below 0). The scale is
loose: an action leads clearly from a lead of about 1.
"""

from typing import Final

__all__ = ["BIAS", "SHARPNESS", "WEIGHTS"]

SHARPNESS: Final = 8.0
"""How steep the softmax is: a lead of 0.22 over one rival is a probability of 0.85."""

BIAS: Final[dict[str, float]] = {
    "stay": 0.7,
    "watch": -0.3,
    "idle_social": -0.3,
    "greet_approach": -0.8,
    "serve": -1.0,
    "warn_say": -1.0,
    "investigate": -1.0,
    "flee": -1.0,
    "confront": -1.0,
    "call_help": -1.0,
    "claim_task": -0.9,
    "resume_task": -0.9,
    "complain": -1.0,
    "demand": -1.0,
    "guard_player": -1.2,
    "go_station": -0.8,
}

WEIGHTS: Final[dict[str, dict[str, float]]] = {
    "stay": {
        "on_duty": 0.5,
        "at_station": 0.2,
        "off_station": 0.3,
        "night": 0.3,
        "others_talk": -0.2,
        "player_near": -0.5,
        "threat": -0.6,
    },
    "watch": {
        "player_near": 1.5,
        "player_known": 0.2,
        "stranger_near": 0.2,
        "curious": 0.3,
        "theft_seen": 0.8,
        "insult_heard": 0.4,
        "night": -0.2,
    },
    "idle_social": {
        "ally_near": 1.6,
        "crowd_n": 0.2,
        "others_talk": 0.3,
        "need_company": 0.2,
        "warm": 0.2,
        "on_duty": -1.0,
        "off_station": -1.2,
        "night": -0.9,
        "player_near": -0.6,
        "threat": -0.8,
    },
    "greet_approach": {
        "player_speaks": 2.2,
        "player_trust": 0.4,
        "player_armed": -1.0,
        "need_company": 1.4,
        "ally_near": 0.2,
        "warm": 0.6,
        "grudge": -1.2,
        "night": -0.6,
    },
    "serve": {"customer_waiting": 2.3, "dutiful": 0.8, "threat": -1.0, "stress_n": -0.6},
    "warn_say": {
        "armed_close": 1.5,
        "player_near": 0.7,
        "dutiful": 0.6,
        "brave": 0.5,
        "trespass_seen": 1.9,
        "insult_heard": 0.8,
        "night": 0.1,
    },
    "investigate": {
        "theft_seen": 2.2,
        "trespass_seen": 1.6,
        "alarm": 1.2,
        "curious": 0.8,
        "stress_n": -0.4,
        "night": -0.2,
    },
    "flee": {
        "threat": 2.6,
        "alarm": 0.3,
        "hurt": 1.2,
        "brave": -1.4,
        "dutiful": -0.3,
        "armed_close": 0.4,
    },
    "confront": {
        "grudge": 0.5,
        "player_near": 0.3,
        "assault_seen": 1.9,
        "theft_seen": 1.0,
        "insult_heard": 1.4,
        "brave": 0.9,
        "temper": 0.6,
        "stress_n": 0.3,
    },
    "call_help": {
        "theft_seen": 1.9,
        "assault_seen": 2.6,
        "alarm": 0.4,
        "threat": 0.5,
        "brave": -0.7,
    },
    "claim_task": {"task_open": 2.3, "dutiful": 0.9, "stress_n": -0.8, "sleep_n": -0.8},
    "resume_task": {"task_paused": 2.2, "dutiful": 0.7, "at_station": 0.4, "stress_n": -0.6},
    "complain": {"unmet_need": 1.0, "temper": 0.6, "insult_heard": 1.4, "need_company": 0.3},
    "demand": {"grudge": 0.6, "player_near": 0.5, "theft_seen": 1.4, "temper": 0.5},
    "guard_player": {"player_trust": 0.6, "assault_seen": 0.8, "player_near": 0.3},
    "go_station": {"off_station": 0.5, "sleep_n": 0.7, "need_safety": 0.5, "night": 0.1},
}
