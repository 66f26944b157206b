"""Which acts of a thought the mind can carry out, and what it is told of the others."""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from cognition._values import is_blank
from cognition.asking import Focus, FocusKind
from cognition.executive_output import Action
from cognition.handoffs import Undertaking
from cognition.percepts import PerceptFacts, Provenance, percept_entity
from cognition.state import Entity

__all__ = ["Correction", "Corrections", "Judged", "Judgement", "canonical_verb"]

CORRECTION_SALIENCE: Final = 0.5
MAX_CORRECTIONS: Final = 16
"""Misnamed acts the mind is told of at once; the oldest gives way."""

_log = logging.getLogger(__name__)

_GIST_KEYS: Final = ("gist", "message", "say", "text", "content")


class Correction(StrEnum):
    """What was wrong with an act."""

    VERB = "act-unknown"
    ADDRESSEE = "addressee-unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A thought's acts, sorted."""

    admissible: tuple[Action, ...]
    promised: tuple[Undertaking, ...]
    """Acts toward somebody else than the one being spoken with: to be done later, by the whole
    mind."""
    wrong: dict[Correction, str]
    """What the mind has to be told, by what was wrong; the last of each kind."""
    right: frozenset[Correction]
    """What was named well, so that an earlier correction has done its work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Knows what may be named: verbs with meanings, and addressees."""

    affordances: Mapping[str, str]
    resolver: Callable[[str], str | None]
    """The host's: the id of whoever a name or id speaks of, None when nobody is known by it."""
    self_id: str

    def resolve(self, name: str) -> str | None:
        """The id of whoever ``name`` speaks of, None when nobody is known by it.

        A resolver that raises knows nobody by that name.
        """
        try:
            found = self.resolver(name)
        except Exception:  # noqa: BLE001 - whatever a resolver does wrong stays with it
            _log.exception("resolve_name raised on %r; nobody is known by that name", name)
            return None
        return None if found is None or is_blank(found) else found

    def judge(self, actions: Iterable[Action], focus: Focus | None) -> Judged:
        """Sort ``actions`` by what can be done with them."""
        verbs = (focus.options if focus is not None else None) or self.affordances
        admissible: list[Action] = []
        promised: list[Undertaking] = []
        wrong: dict[Correction, str] = {}
        right: set[Correction] = set()
        for action in actions:
            verb = canonical_verb(action.type, verbs)
            if verb is None:
                wrong[Correction.VERB] = action.type
                continue
            right.add(Correction.VERB)
            target = action.target
            if target is None or is_blank(target) or self.is_interlocutor(target, focus):
                admissible.append(_named(action, verb, target))
                continue
            found = self.resolve(target)
            if found is None:
                wrong[Correction.ADDRESSEE] = target
                if not _speaks_with_somebody(focus):
                    # The deed itself may be sound; it is the body's, aimed at nobody.
                    admissible.append(_named(action, verb, None))
                continue
            right.add(Correction.ADDRESSEE)
            if _speaks_with_somebody(focus) and found != self.self_id:
                promised.append(_promise(action, verb, found))
            else:
                admissible.append(_named(action, verb, found))
        return Judged(
            admissible=tuple(admissible),
            promised=tuple(promised),
            wrong=wrong,
            right=frozenset(right),
        )

    def is_interlocutor(self, target: str, focus: Focus | None) -> bool:
        """Whether ``target`` is the one the facet speaks with, by id or by name in any case."""
        if focus is None or focus.interlocutor_id is None:
            return False
        names = {focus.interlocutor_id.casefold()}
        if focus.interlocutor_name is not None:
            names.add(focus.interlocutor_name.casefold())
        return target.strip().casefold() in names or self.resolve(target) == focus.interlocutor_id


class Corrections:
    """What the mind was told about acts it misnamed, thread by thread.

    A correction stands as a percept until the thread names something real or is closed; it is
    noticed anew at each tick, since a percept lasts only a few.
    """

    __slots__ = ("_percepts", "_standing", "_tick", "told")

    def __init__(self) -> None:
        self._standing: dict[tuple[str, Correction], tuple[str, str]] = {}
        self._percepts: list[Entity] = []
        self._tick: int | None = None  # the tick _percepts were made for
        self.told = 0
        """Acts and addressees told back so far."""

    def __len__(self) -> int:
        return len(self._standing)

    def take_up(self, thread: str, judged: Judged, act_id: str) -> None:
        """Clear what ``judged`` put right, and let stand what it got wrong."""
        self._tick = None
        for kind in judged.right:
            self._standing.pop((thread, kind), None)
        for kind, said in judged.wrong.items():
            self._standing.pop((thread, kind), None)
            self._standing[thread, kind] = (said, act_id)
            self.told += 1
        while len(self._standing) > MAX_CORRECTIONS:
            del self._standing[next(iter(self._standing))]

    def drop(self, thread: str) -> None:
        """The thread is not open any more: nothing it names could put a mistake right."""
        self._tick = None
        for kind in Correction:
            self._standing.pop((thread, kind), None)

    def percepts(self, tick: int) -> list[Entity]:
        """What stands, as percepts of ``tick``."""
        if self._tick != tick:
            self._percepts = self._made(tick)
            self._tick = tick
        return self._percepts

    def _made(self, tick: int) -> list[Entity]:
        return [
            percept_entity(
                PerceptFacts(
                    id=f"{kind}-{thread}",
                    tick=tick,
                    salience=CORRECTION_SALIENCE,
                    category=kind.value,
                    summary=_summary(kind),
                    provenance=Provenance.REAFFERENT,
                    source_intent_id=act_id,
                ),
                {"data": {"named": said[:200]}},
            )
            for (thread, kind), (said, act_id) in self._standing.items()
        ]


def canonical_verb(named: str, verbs: Mapping[str, str]) -> str | None:
    """The verb that ``named`` means: as it stands, else whatever its case and word breaks."""
    if named in verbs:
        return named
    wanted = _folded(named)
    return next((verb for verb in verbs if _folded(verb) == wanted), None)


def _folded(verb: str) -> str:
    return "_".join(verb.casefold().replace("-", " ").replace("_", " ").split())


def _summary(kind: Correction) -> str:
    if kind is Correction.VERB:
        return "I meant to do something that I have no way of doing; nothing came of it"
    return "I meant somebody whom I cannot place by that name; nobody was reached"


def _named(action: Action, verb: str, target: str | None) -> Action:
    return Action(
        type=verb,
        reasoning=action.reasoning,
        expected_outcome=action.expected_outcome,
        target=target,
        args=action.args,
    )


def _promise(action: Action, verb: str, target: str) -> Undertaking:
    words = next(
        (text for text in (action.expected_outcome, action.reasoning) if not is_blank(text)),
        f"{verb.replace('_', ' ')} {target}",
    )
    gist = next(
        (
            action.args[key]
            for key in _GIST_KEYS
            if isinstance(action.args.get(key), str) and not is_blank(action.args[key])
        ),
        None,
    )
    return Undertaking(what=words, target=target, gist=gist, reasoning=action.reasoning)


def _speaks_with_somebody(focus: Focus | None) -> bool:
    return (
        focus is not None
        and focus.kind is FocusKind.CONVERSATION
        and focus.interlocutor_id is not None
    )
