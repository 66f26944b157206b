"""The promises and tasks that stand in a mind, and how each of them ends.

Evidence is weighed by :func:`cognition.reconcile_undertakings`; here live the ends that need a
clock or a will: age, the limit, and being let go. Each end of a promise is in the trace.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from cognition._document import count, number_of, rows, string, table, text
from cognition._values import as_count, shown, thaw
from cognition.percepts import HANDOFF_CATEGORIES, UNDERTAKING, category_of, rebuilt_percept
from cognition.state import Entity, ExecutiveParams, StateView
from cognition.trace import Sink
from cognition.undertakings import (
    SEEN_AT,
    evidence_for,
    promise_identity,
    reconcile_undertakings,
)

__all__ = ["Promise", "PromiseEnd", "Promises"]

MAX_TASKS: Final = 32
"""Tasks for the whole mind that wait at once; the oldest gives way."""


class PromiseEnd(StrEnum):
    """Why a promise no longer stands."""

    KEPT = "kept"
    SEEN = "seen"
    """It names nobody to reach, and a completed thought of the master has had it before it."""
    LET_GO = "let-go"
    AGE = "age"
    LIMIT = "limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """A promise that stands."""

    short_id: str
    """``p1``, ``p2``, …: how a thought refers to it."""
    what: str
    target: str | None
    """Whom to reach, by id."""
    since: int
    """Tick of the promise."""
    promised_to: str | None
    """Whom it was said to."""
    gist: str | None
    seen_at: int | None
    """Tick of the first completed thought of the master that had it in its prompt."""
    goal: str | None
    """The goal the master made of it."""
    entity_id: str
    """The percept that carries it."""
    subject: str | None
    """Id of the one it was said to."""
    thread: str | None


class Promises:
    """Standing handoff percepts by entity id, oldest first."""

    __slots__ = ("_goals", "_last_number", "_params", "_short_ids", "_standing", "_trace")

    def __init__(self, params: ExecutiveParams, trace: Sink) -> None:
        self._params = params
        self._trace = trace
        self._standing: dict[str, Entity] = {}
        self._short_ids: dict[str, str] = {}
        self._goals: dict[str, str] = {}
        self._last_number = 0

    def __len__(self) -> int:
        return sum(1 for entity in self._standing.values() if _is_promise(entity))

    def entities(self) -> Mapping[str, Entity]:
        """What stands, promises and tasks, oldest first."""
        return self._standing

    def all(self) -> tuple[Promise, ...]:
        """The promises that stand, oldest first."""
        return tuple(
            self._promise(entity) for entity in self._standing.values() if _is_promise(entity)
        )

    def tasks(self) -> tuple[Entity, ...]:
        """The tasks that wait for the whole mind, oldest first."""
        return tuple(e for e in self._standing.values() if not _is_promise(e))

    def unseen(self) -> int:
        """Handoffs that no completed thought of the master has had before it yet."""
        return sum(1 for e in self._standing.values() if e.metadata.get(SEEN_AT) is None)

    def named(self, short_id: str) -> Promise | None:
        """The standing promise with this short id."""
        wanted = short_id.strip().lower()
        return next((p for p in self.all() if p.short_id == wanted), None)

    def reconcile(self, incoming: Iterable[Entity], state: StateView) -> None:
        """Take up fresh handoffs and end what is proven, seen, too old or too much."""
        fresh = list(incoming)
        standing_before = dict(self._standing)
        result = reconcile_undertakings(fresh, state)
        for entity_id in result.discharge:
            promise = standing_before.get(entity_id)
            if promise is not None:
                proof = evidence_for(promise, state)
                reason = PromiseEnd.SEEN if proof is None else PromiseEnd.KEPT
                self._end(promise, reason, state.tick, proof)
        kept = {entity.id for entity in result.keep}
        for entity in fresh:
            if entity.id in kept:
                self._stand(entity, state.tick)
            elif _is_promise(entity):
                # A promise whose proof was there before it could stand still has its end told.
                proof = evidence_for(entity, state)
                if proof is not None:
                    self._trace_end(entity, PromiseEnd.KEPT, state.tick, proof)
        self._expire(state.tick)
        self._make_room(state.tick)

    def mark_seen(self, entity_ids: Iterable[str], tick: int) -> None:
        """A completed thought of the master has had these in its prompt."""
        for entity_id in entity_ids:
            entity = self._standing.get(entity_id)
            if entity is not None and as_count(entity.metadata.get(SEEN_AT)) is None:
                self._standing[entity_id] = rebuilt_percept(
                    entity_id, entity.metadata, {SEEN_AT: tick}
                )

    def let_go(self, short_id: str, tick: int) -> Promise | None:
        """End the promise with this short id. None when none has it."""
        promise = self.named(short_id)
        if promise is not None:
            self._end(self._standing[promise.entity_id], PromiseEnd.LET_GO, tick)
        return promise

    def rewind(self, tick: int) -> None:
        """Time went back to ``tick``. What stands goes on standing, as promised at that tick at
        the latest, so that evidence from now on can prove it."""
        for entity in list(self._standing.values()):
            if entity.metadata["tick"] > tick:
                self._standing[entity.id] = rebuilt_percept(
                    entity.id, entity.metadata, {"tick": tick}
                )

    def became_goal(self, promise: Promise, goal: str, tick: int) -> None:
        """Note which goal the master made of a promise; the trace and its end will say so."""
        if promise.entity_id in self._standing and self._goals.get(promise.entity_id) != goal:
            self._goals[promise.entity_id] = goal
            self._tell("goal", self._promise(self._standing[promise.entity_id]), tick)

    def to_json(self) -> dict[str, Any]:
        """What stands, as JSON values."""
        return {
            "lastNumber": self._last_number,
            "standing": [
                {
                    "id": entity.id,
                    "metadata": thaw(entity.metadata),
                    "shortId": self._short_ids.get(entity.id),
                    "goal": self._goals.get(entity.id),
                }
                for entity in self._standing.values()
            ],
        }

    def restore(self, document: Mapping[str, Any]) -> None:
        """Take over :meth:`to_json` into an empty one. Raises ValueError on anything else."""
        self._last_number = count(document, "lastNumber")
        for row in rows(document, "standing"):
            entity = _standing_from(row)
            self._standing[entity.id] = entity
            if _is_promise(entity):
                short_id = string(row, "shortId")
                self._last_number = max(self._last_number, number_of(short_id, "p"))
                self._short_ids[entity.id] = short_id
            goal = text(row, "goal")
            if goal is not None:
                self._goals[entity.id] = goal

    def _stand(self, entity: Entity, tick: int) -> None:
        self._standing[entity.id] = entity
        if _is_promise(entity):
            self._last_number += 1
            self._short_ids[entity.id] = f"p{self._last_number}"
            self._tell("start", self._promise(entity), tick)

    def _expire(self, tick: int) -> None:
        for entity in [e for e in self._standing.values() if _is_promise(e)]:
            if tick - entity.metadata["tick"] > self._params.promise_lifetime_ticks:
                self._end(entity, PromiseEnd.AGE, tick)

    def _make_room(self, tick: int) -> None:
        promises = [e for e in self._standing.values() if _is_promise(e)]
        for entity in _oldest_beyond(promises, self._params.max_promises):
            self._end(entity, PromiseEnd.LIMIT, tick)
        for entity in _oldest_beyond(self.tasks(), MAX_TASKS):
            self._end(entity, PromiseEnd.LIMIT, tick)

    def _end(
        self, entity: Entity, reason: PromiseEnd, tick: int, proof: Entity | None = None
    ) -> None:
        self._standing.pop(entity.id, None)
        if _is_promise(entity):
            self._trace_end(entity, reason, tick, proof)
        self._short_ids.pop(entity.id, None)
        self._goals.pop(entity.id, None)

    def _trace_end(
        self, entity: Entity, reason: PromiseEnd, tick: int, proof: Entity | None
    ) -> None:
        record = None if proof is None else proof.metadata.get("record")
        how: dict[str, Any] = {"reason": reason.value}
        if record is not None:
            how["by"] = thaw(record)
        self._tell("end", self._promise(entity), tick, how)

    def _tell(
        self, event: str, promise: Promise, tick: int, how: Mapping[str, Any] | None = None
    ) -> None:
        """One event of a promise: ``what`` and ``since`` (with the target) say which one."""
        row: dict[str, Any] = {
            "type": f"executive.undertaking.{event}",
            "tick": tick,
            "what": promise.what,
        }
        if promise.target is not None:
            row["target"] = promise.target
        row |= how or {}
        row["since"] = promise.since
        if promise.promised_to is not None:
            row["promisedTo"] = promise.promised_to
        if promise.goal is not None:
            row["goal"] = promise.goal
        self._trace(row)

    def _promise(self, entity: Entity) -> Promise:
        meta = entity.metadata
        data = meta.get("data") or {}
        return Promise(
            short_id=self._short_ids.get(entity.id, ""),
            what=data.get("what", meta["summary"]),
            target=promise_identity(entity).target,
            since=meta["tick"],
            promised_to=data.get("promisedTo"),
            gist=data.get("gist"),
            seen_at=as_count(meta.get(SEEN_AT)),
            goal=self._goals.get(entity.id),
            entity_id=entity.id,
            subject=meta.get("entityId"),
            thread=meta.get("threadId"),
        )


def _standing_from(row: Mapping[str, Any]) -> Entity:
    """The percept of a promise or a task, from a document."""
    metadata = table(row, "metadata")
    entity = rebuilt_percept(string(row, "id"), metadata)
    if category_of(entity) not in HANDOFF_CATEGORIES:
        raise ValueError(f"category must be a handoff's, got {shown(metadata.get('category'))}")
    for field in ("entityId", "threadId", "facetId", "undertakingTarget"):
        text(metadata, field)
    if metadata.get(SEEN_AT) is not None:
        count(metadata, SEEN_AT)
    if _is_promise(entity):
        data = table(metadata, "data")
        string(data, "what")
        for field in ("promisedTo", "target", "gist", "reasoning"):
            text(data, field)
    return entity


def _is_promise(entity: Entity) -> bool:
    return entity.metadata.get("category") == UNDERTAKING


def _oldest_beyond(entities: Iterable[Entity], limit: int) -> list[Entity]:
    by_age = sorted(entities, key=lambda e: e.metadata["tick"])  # stable: order of standing
    return by_age[: max(0, len(by_age) - limit)]
