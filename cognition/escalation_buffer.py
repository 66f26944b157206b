"""Where handoffs wait until the whole mind looks at them."""

from dataclasses import dataclass
from typing import Any, Final

from cognition._values import is_blank
from cognition.handoffs import Escalation, Handoff, Undertaking
from cognition.percepts import (
    TASK_ESCALATION,
    UNDERTAKING,
    PerceptFacts,
    Provenance,
    percept_entity,
)
from cognition.state import Entity

__all__ = ["Drained", "EscalationBuffer", "Requester"]

HANDOFF_SALIENCE: Final = 0.85
"""A promise of one's own stands out more than most news, and less than a threat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Requester:
    """On whose behalf the mind takes something up."""

    entity_id: str
    thread_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drained:
    """What one drain gives."""

    percepts: list[Entity]
    """One for each handoff, in the order in which they were pushed."""
    requester: Requester | None
    """Subject and thread of the first handoff that has a subject."""


class EscalationBuffer:
    """Handoffs in the order of their coming. Draining says what is open and advises nothing."""

    __slots__ = ("_drained", "_waiting")

    def __init__(self, *, drained_before: int = 0) -> None:
        self._waiting: list[Handoff] = []
        self._drained = drained_before

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def drained(self) -> int:
        """Handoffs drained so far; the number in the next percept's id."""
        return self._drained

    def push(self, handoff: Handoff) -> None:
        """Let ``handoff`` wait for the next drain."""
        if not isinstance(handoff, Handoff):
            raise TypeError(
                f"push takes a Handoff, got {type(handoff).__name__}; validate_handoff makes one"
            )
        self._waiting.append(handoff)

    def waiting(self) -> tuple[Handoff, ...]:
        """What waits, oldest first; it goes on waiting."""
        return tuple(self._waiting)

    def rewind(self, tick: int) -> None:
        """Time went back to ``tick``. What waits goes on waiting, as of that tick at the latest, so
        that evidence from now on can prove it."""
        self._waiting = [
            h if h.tick <= tick else h.model_copy(update={"tick": tick}) for h in self._waiting
        ]

    def drain(self) -> Drained:
        """Empty the buffer into percepts, one for each handoff."""
        taken, self._waiting = self._waiting, []
        percepts = []
        for handoff in taken:
            percepts.append(_percept(handoff, self._drained))
            self._drained += 1
        return Drained(percepts=percepts, requester=_requester(taken))


def _requester(handoffs: list[Handoff]) -> Requester | None:
    for handoff in handoffs:
        subject = _given(handoff.subject_entity_id)
        if subject is not None:
            return Requester(entity_id=subject, thread_id=_given(handoff.thread_id))
    return None


def _percept(handoff: Handoff, number: int) -> Entity:
    subject = _given(handoff.subject_entity_id)
    origin = subject or _given(handoff.facet_id) or "self"
    extra: dict[str, Any] = {"source": "executive-facet"}
    for key, value in (("threadId", handoff.thread_id), ("facetId", handoff.facet_id)):
        known = _given(value)
        if known is not None:
            extra[key] = known
    body = handoff.body
    if isinstance(body, Undertaking):
        summary = _promise_summary(body, handoff)
        if body.target is not None:
            extra["undertakingTarget"] = body.target
        extra["data"] = _promise_data(body, handoff)
    else:
        summary = _task_summary(body, handoff)
    return percept_entity(
        PerceptFacts(
            id=f"escalation-percept-{origin}-{handoff.tick}-{number}",
            tick=handoff.tick,
            salience=HANDOFF_SALIENCE,
            category=UNDERTAKING if isinstance(body, Undertaking) else TASK_ESCALATION,
            summary=summary,
            provenance=Provenance.REAFFERENT,
            entity_id=subject,
        ),
        extra,
    )


def _promise_summary(promise: Undertaking, handoff: Handoff) -> str:
    with_whom = _with_whom(handoff)
    where = "In the middle of other work" if with_whom is None else f"Talking with {with_whom}"
    promised = f"{where}, I promised this: {promise.what}"
    if promise.target is None:
        return promised
    said = "saying so" if with_whom is None else f"saying it to {with_whom}"
    return (
        f"{promised.rstrip('.')}. No word of it has reached {promise.target} yet; "
        f"{said} was not saying it to {promise.target}."
    )


def _promise_data(promise: Undertaking, handoff: Handoff) -> dict[str, Any]:
    data: dict[str, Any] = {"what": promise.what, "promisedAt": handoff.tick}
    with_whom = _with_whom(handoff)
    if with_whom is not None:
        data["promisedTo"] = with_whom
    if promise.target is not None:
        data["target"] = promise.target
    if promise.gist is not None:
        data["gist"] = promise.gist
    if not is_blank(promise.reasoning):
        data["reasoning"] = promise.reasoning
    if promise.target is not None:
        data["contactedSince"] = False
    return data


def _task_summary(task: Escalation, handoff: Handoff) -> str:
    return f"[Raised by {_with_whom(handoff) or 'my own focused work'}] {task.reasoning}"


def _with_whom(handoff: Handoff) -> str | None:
    return _given(handoff.subject_name) or _given(handoff.subject_entity_id)


def _given(text: str | None) -> str | None:
    return None if text is None or is_blank(text) else text
