"""What a mind is after, on whose behalf, and what waits because it can only do so much."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from cognition._document import count, number_of, rows, string, table, text
from cognition._values import as_number, is_blank, shown
from cognition.escalation_buffer import Requester

__all__ = ["Goal", "GoalStatus", "Goals"]

MAX_KEPT: Final = 32
"""Goals kept in all, those on hold included; beyond it the lowest on hold is dropped."""

MAX_CHARS: Final = 400
"""Of one goal's words."""

DEFAULT_PRIORITY: Final = 0.5
_WORDS: Final = {"low": 0.25, "medium": 0.5, "normal": 0.5, "high": 0.75, "urgent": 1.0}
_TEXT_KEYS: Final = ("what", "goal", "description", "title", "name", "content", "text", "id")


class GoalStatus(StrEnum):
    """Whether a goal is pursued now."""

    PURSUED = "pursued"
    ON_HOLD = "on-hold"


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """One thing the mind is after."""

    id: str
    """``g1``, ``g2``, …: how a thought refers to it."""
    what: str
    priority: float
    """0..1"""
    since: int
    """Tick at which it was taken up."""
    requester: Requester | None = None
    """On whose behalf."""
    promise: str | None = None
    """The promise it came from, in that promise's words."""
    status: GoalStatus = GoalStatus.PURSUED


class Goals:
    """The goals of one mind: the most urgent are pursued, the others are on hold."""

    __slots__ = ("_capacity", "_goals", "_last_number")

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._goals: dict[str, Goal] = {}
        self._last_number = 0

    def __len__(self) -> int:
        return len(self._goals)

    def all(self) -> tuple[Goal, ...]:
        """The goals by falling priority, older ones first among equals."""
        return tuple(sorted(self._goals.values(), key=_rank))

    def add(
        self,
        item: Any,
        *,
        tick: int,
        requester: Requester | None = None,
        promise: str | None = None,
    ) -> Goal | None:
        """Take up what a thought named: words, or an object with words and a priority.

        None when there are no words in it. The same words again only change the priority.
        """
        what = _text(item)
        if what is None:
            return None
        priority = _priority(item)
        known = self._find(what)
        if known is not None:
            goal = replace(
                known,
                priority=known.priority if priority is None else priority,
                requester=known.requester or requester,
                promise=known.promise or promise,
            )
        else:
            self._last_number += 1
            goal = Goal(
                id=f"g{self._last_number}",
                what=what,
                priority=DEFAULT_PRIORITY if priority is None else priority,
                since=tick,
                requester=requester,
                promise=promise,
            )
        self._goals[goal.id] = goal
        self._settle()
        return self._goals.get(goal.id)

    def abandon(self, item: Any) -> Goal | None:
        """Give up the goal that ``item`` names by id or words. None when there is none."""
        goal = self._named(item)
        if goal is None:
            return None
        del self._goals[goal.id]
        self._settle()
        return goal

    def reprioritise(self, item: Any) -> Goal | None:
        """Give the goal that ``item`` names the priority it states. None when it does not."""
        goal = self._named(item)
        priority = _priority(item)
        if goal is None or priority is None:
            return None
        self._goals[goal.id] = replace(goal, priority=priority)
        self._settle()
        return self._goals[goal.id]

    def to_json(self) -> dict[str, Any]:
        """The goals as JSON values."""
        return {
            "lastNumber": self._last_number,
            "goals": [_goal_json(goal) for goal in self._goals.values()],
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any], *, capacity: int) -> "Goals":
        """Goals from :meth:`to_json`. Raises ValueError on anything else."""
        goals = cls(capacity)
        goals._last_number = count(document, "lastNumber")
        for row in rows(document, "goals"):
            goal = _goal_from(row)
            goals._goals[goal.id] = goal
            goals._last_number = max(goals._last_number, number_of(goal.id, "g"))
        goals._settle()
        return goals

    def _find(self, what: str) -> Goal | None:
        wanted = _words(what)
        return next((g for g in self._goals.values() if _words(g.what) == wanted), None)

    def _named(self, item: Any) -> Goal | None:
        if isinstance(item, Mapping):
            names = [item[key] for key in ("id", *_TEXT_KEYS) if isinstance(item.get(key), str)]
        else:
            names = [item] if isinstance(item, str) else []
        for name in names:
            goal = self._goals.get(name.strip().lower()) or self._find(name)
            if goal is not None:
                return goal
        return None

    def _settle(self) -> None:
        """Put the lowest on hold where there are too many to pursue, and take up the others."""
        ranked = self.all()
        for goal in ranked[MAX_KEPT:]:
            del self._goals[goal.id]
        for place, goal in enumerate(ranked[:MAX_KEPT]):
            status = GoalStatus.PURSUED if place < self._capacity else GoalStatus.ON_HOLD
            self._goals[goal.id] = replace(goal, status=status)


def _rank(goal: Goal) -> tuple[float, int]:
    return (-goal.priority, int(goal.id[1:]))


def _text(item: Any) -> str | None:
    if isinstance(item, Mapping):
        item = next(
            (item[k] for k in _TEXT_KEYS if isinstance(item.get(k), str) and not is_blank(item[k])),
            None,
        )
    if not isinstance(item, str) or is_blank(item):
        return None
    return " ".join(item.split())[:MAX_CHARS]


def _priority(item: Any) -> float | None:
    stated = item.get("priority", item.get("newPriority")) if isinstance(item, Mapping) else None
    if isinstance(stated, str):
        stated = _WORDS.get(stated.strip().lower())
    number = as_number(stated)
    return None if number is None else min(1.0, max(0.0, number))


def _words(what: str) -> str:
    return " ".join(what.casefold().split()).rstrip(".!…")


def _goal_json(goal: Goal) -> dict[str, Any]:
    out: dict[str, Any] = {
        "id": goal.id,
        "what": goal.what,
        "priority": goal.priority,
        "since": goal.since,
    }
    if goal.requester is not None:
        out["requester"] = {
            "entityId": goal.requester.entity_id,
            "threadId": goal.requester.thread_id,
        }
    if goal.promise is not None:
        out["promise"] = goal.promise
    return out


def _goal_from(row: Mapping[str, Any]) -> Goal:
    priority = as_number(row.get("priority"))
    if priority is None or not 0.0 <= priority <= 1.0:
        raise ValueError(f"priority must be a number in 0..1, got {shown(row.get('priority'))}")
    requester = None
    if row.get("requester") is not None:
        named = table(row, "requester")
        requester = Requester(
            entity_id=string(named, "entityId"), thread_id=text(named, "threadId")
        )
    return Goal(
        id=string(row, "id"),
        what=string(row, "what"),
        priority=priority,
        since=count(row, "since"),
        requester=requester,
        promise=text(row, "promise"),
    )
