"""When a promise is kept, and when a new one only repeats what already stands.

:func:`reconcile_undertakings` looks at evidence, identity and ``seenAt``, and at nothing else:
that a promise grew old, was let go or gave way to others is the master's business
(:mod:`cognition.promises`).
"""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from cognition._values import as_count, is_blank
from cognition.percepts import HANDOFF_CATEGORIES, UNDERTAKING, category_of
from cognition.state import Entity, StateView

__all__ = [
    "CONVERSATION_SENT",
    "SEEN_AT",
    "PromiseIdentity",
    "Reconciled",
    "evidence_for",
    "promise_identity",
    "reconcile_undertakings",
    "same_words",
]

CONVERSATION_SENT: Final = "conversation.sent"
"""Type of the entities that prove a word reached somebody."""

SEEN_AT: Final = "seenAt"
"""Metadata of a handoff percept: the tick of the master's first completed thought with it."""


class PromiseIdentity(NamedTuple):
    """What makes two promises the same promise."""

    target: str | None
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciled:
    """What became of fresh handoffs and standing promises."""

    keep: list[Entity]
    """Of the incoming ones: those that stand from now on, in their order."""
    discharge: list[str]
    """Ids of standing ones that are over."""


def promise_identity(entity: Entity) -> PromiseIdentity:
    """Target as it stands, and the words without case, blanks and end punctuation."""
    data = entity.metadata.get("data")
    what = data.get("what") if isinstance(data, Mapping) else None
    if not isinstance(what, str):
        what = str(entity.metadata.get("summary", ""))
    return PromiseIdentity(_target(entity), _words(what))


def same_words(one: str, other: str) -> bool:
    """Whether two promises say the same, case, blanks and end punctuation aside."""
    return _words(one) == _words(other)


def evidence_for(promise: Entity, state: StateView) -> Entity | None:
    """The first entity in ``state`` that proves ``promise`` kept, or None."""
    return _proof(promise, _sent(state.entities.values()))


def reconcile_undertakings(incoming: Iterable[Entity], state: StateView) -> Reconciled:
    """Sort ``incoming`` handoff percepts and the standing ones of ``state``.

    A promise to somebody is over when a ``conversation.sent`` to them is there from its tick or
    later. One to nobody, and a task, are over once a completed thought has seen them. An incoming
    promise is refused when it is proven already, or when the same one still stands.
    """
    sent = _sent(state.entities.values())
    discharge: list[str] = []
    standing: dict[str, Entity] = {}
    for key, entity in state.entities.items():
        if category_of(entity) not in HANDOFF_CATEGORIES:
            continue
        if _is_over(entity, sent):
            discharge.append(key)
        else:
            standing[entity.id] = entity
    keep: list[Entity] = []
    identities: set[PromiseIdentity] | None = None  # made out only when something came in
    for entity in incoming:
        if entity.id in standing:
            continue
        if _promises(entity):
            if identities is None:
                identities = {promise_identity(e) for e in standing.values() if _promises(e)}
            identity = promise_identity(entity)
            if identity in identities or _proof(entity, sent) is not None:
                continue
            identities.add(identity)
        standing[entity.id] = entity
        keep.append(entity)
    return Reconciled(keep=keep, discharge=discharge)


def _promises(entity: Entity) -> bool:
    return category_of(entity) == UNDERTAKING


def _is_over(entity: Entity, sent: Mapping[str, list[Entity]]) -> bool:
    if _promises(entity) and _target(entity) is not None:
        return _proof(entity, sent) is not None
    return as_count(entity.metadata.get(SEEN_AT)) is not None


def _sent(entities: Iterable[Entity]) -> dict[str, list[Entity]]:
    """The words that were sent, by whom they reached."""
    sent: dict[str, list[Entity]] = {}
    for entity in entities:
        if entity.type == CONVERSATION_SENT:
            target = entity.metadata.get("targetEntityId")
            if isinstance(target, str):
                sent.setdefault(target, []).append(entity)
    return sent


def _proof(promise: Entity, sent: Mapping[str, list[Entity]]) -> Entity | None:
    target = _target(promise)
    promised = as_count(promise.metadata.get("tick"))
    if target is None or promised is None:
        return None
    for word in sent.get(target, ()):
        reached = as_count(word.metadata.get("tick"))
        if reached is None or reached < promised:
            continue
        about = word.metadata.get("what")
        if about is None or (
            isinstance(about, str) and _words(about) == promise_identity(promise).words
        ):
            return word
    return None


def _target(entity: Entity) -> str | None:
    target = entity.metadata.get("undertakingTarget")
    return target if isinstance(target, str) and not is_blank(target) else None


def _words(what: str) -> str:
    words = " ".join(what.casefold().split())
    end = len(words)
    while end and (words[end - 1].isspace() or unicodedata.category(words[end - 1])[0] == "P"):
        end -= 1
    # a promise of punctuation only is still told apart from another one
    return words[:end] or words
