"""A function that plays the language model for the village's minds."""

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["ScriptedAnswer", "VillageScript"]

_OPTION: Final = re.compile(r"^- ([a-z][a-z0-9_-]*): ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ScriptedAnswer:
    """What the stand-in says, and how long it seems to take."""

    text: str
    latency_ms: float


class VillageScript:
    """Answers a prompt as a language model might, from the seed and the prompt's bytes alone."""

    def __init__(self, seed: int = 7) -> None:
        self._seed = seed

    def answer(self, system: str, prompt: str) -> ScriptedAnswer:
        """The answer to a prompt; the same prompt gets the same answer."""
        digest = hashlib.sha256(f"{self._seed}\0{system}\0{prompt}".encode()).digest()
        verbs = _OPTION.findall(prompt)
        actions: list[dict[str, Any]] = []
        if verbs:
            verb = verbs[digest[0] % len(verbs)]
            actions.append(
                {"type": verb, "reasoning": "It fits.", "expectedOutcome": "It is settled."}
            )
        body = {"actions": actions, "reasoning": "I weighed it.", "confidence": 0.7}
        return ScriptedAnswer(json.dumps(body), 200.0 + digest[1])
