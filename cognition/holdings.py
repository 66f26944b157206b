"""What one mind holds from tick to tick: news, evidence, promises, goals, memory.

Here the rules about percepts and handoffs are put together; the executive adds who thinks when.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from cognition._document import count, rows, string, table, text
from cognition._values import thaw
from cognition.acts import Corrections
from cognition.escalation_buffer import EscalationBuffer, Requester
from cognition.executive_output import ExecutiveOutput
from cognition.goals import Goals
from cognition.handoffs import validate_handoff
from cognition.memory import Memory
from cognition.percepts import stale_percept_ids
from cognition.promises import Promise, Promises
from cognition.scene import Scene
from cognition.state import Entity, ExecutiveParams, StateView
from cognition.threads import ThreadNotes
from cognition.trace import Sink
from cognition.undertakings import CONVERSATION_SENT, same_words

__all__ = ["Holdings"]

MAX_PERCEPTS: Final = 256
"""Percepts noticed at once; the faintest gives way to a new one."""

MAX_EVIDENCE: Final = 64
"""Words sent that are remembered as evidence once they were weighed, the latest."""

EVIDENCE_TICKS: Final = 600
"""How long a word sent is remembered. Handoffs are drained within a few ticks of being made, so
what is older can prove no promise that is not proven already."""


class Holdings:
    """The lasting and the passing contents of one mind."""

    __slots__ = (
        "_evidence",
        "_params",
        "_percepts",
        "_sent",
        "buffer",
        "corrections",
        "goals",
        "memory",
        "metrics",
        "promises",
        "requester",
        "threads",
        "tick",
    )

    def __init__(self, params: ExecutiveParams, trace: Sink) -> None:
        self._params = params
        self._percepts: dict[str, Entity] = {}
        self._evidence: dict[str, Entity] = {}
        self._sent = 0
        self.tick = 0
        self.metrics: Mapping[str, float] = {}
        self.buffer = EscalationBuffer()
        self.requester: Requester | None = None
        """On whose behalf the master thinks next."""
        self.promises = Promises(params, trace)
        self.goals = Goals(params.max_goals)
        self.memory = Memory()
        self.threads = ThreadNotes()
        self.corrections = Corrections()

    def perceive(self, percept: Entity) -> None:
        """Take note of ``percept``; one with the same id gives way."""
        self._percepts.pop(percept.id, None)
        self._percepts[percept.id] = percept
        if len(self._percepts) > MAX_PERCEPTS:
            faintest = min(self._percepts.values(), key=lambda p: p.metadata.get("salience", 0.0))
            del self._percepts[faintest.id]

    def note_sent(self, target: str, tick: int, what: str | None, record: Any) -> None:
        """Remember that a word reached ``target``. It is weighed before it can be forgotten."""
        metadata: dict[str, Any] = {"targetEntityId": target, "tick": tick}
        if what is not None:
            metadata["what"] = what
        if record is not None:
            metadata["record"] = record
        sent = _evidence(f"sent-{self._sent + 1}", metadata)
        self._sent += 1
        self._evidence[sent.id] = sent

    def sweep(self, tick: int, metrics: Mapping[str, float]) -> None:
        """Move on to ``tick``: what is no news any more goes, fresh handoffs are taken up."""
        self.tick = tick
        self.metrics = dict(metrics)
        for percept_id in stale_percept_ids(self._percepts, tick):
            del self._percepts[percept_id]
        self.weigh()
        for sent_id, sent in list(self._evidence.items()):
            if tick - sent.metadata["tick"] > EVIDENCE_TICKS:
                del self._evidence[sent_id]
        while len(self._evidence) > MAX_EVIDENCE:
            del self._evidence[next(iter(self._evidence))]

    def weigh(self) -> None:
        """Take up the handoffs that wait, and settle what stands by the evidence there is."""
        if len(self.buffer) or self.promises.entities():
            drained = self.buffer.drain()
            self.requester = self.requester or drained.requester
            self.promises.reconcile(drained.percepts, self.state(self.tick))

    def rewind(self, tick: int) -> None:
        """Time went back to ``tick``: what was noticed or sent later has not happened.

        Promises stand on: what a mind gave its word on is not lost by loading a save.
        """
        self._percepts = {k: p for k, p in self._percepts.items() if p.metadata["tick"] <= tick}
        self._evidence = {k: e for k, e in self._evidence.items() if e.metadata["tick"] <= tick}
        self.promises.rewind(tick)
        self.buffer.rewind(tick)
        self.tick = tick

    def close_thread(self, key: str) -> None:
        """The thread ``key`` is not open any more: it is neither told of nor corrected."""
        self.threads.drop(key)
        self.corrections.drop(key)

    def percepts(self, tick: int) -> list[Entity]:
        """What is news at ``tick``, with what the mind is told about its misnamed acts."""
        return [*self._percepts.values(), *self.corrections.percepts(tick)]

    def state(self, tick: int) -> StateView:
        """Everything at ``tick``, read-only."""
        entities = {percept.id: percept for percept in self.percepts(tick)}
        entities |= self._evidence
        entities |= self.promises.entities()
        return StateView(tick=tick, entities=entities, metrics=self.metrics, params=self._params)

    def scene(
        self,
        tick: int,
        thoughts: Iterable[str],
        master_thoughts: Iterable[str] = (),
        *,
        own_key: str | None = None,
    ) -> Scene:
        """What a prompt may show at ``tick``; whoever asks knows its own thread already."""
        return Scene(
            tick=tick,
            metrics=self.metrics,
            percepts=self.percepts(tick),
            threads=tuple(n for n in self.threads.all() if n.key != own_key),
            goals=self.goals.all(),
            promises=self.promises.all(),
            tasks=self.promises.tasks(),
            memory=self.memory,
            thoughts=tuple(thoughts),
            master_thoughts=tuple(master_thoughts),
        )

    def adopt(
        self, output: ExecutiveOutput, tick: int, requester: Requester | None, *, as_master: bool
    ) -> None:
        """Take over what a thought's blocks say.

        A facet speaks for its own thread: only the master lets promises go.
        """
        self.memory.remember(output)
        for item in _items(output.new_goals):
            promise = self._promise_behind(item)
            on_behalf = requester
            if promise is not None and promise.subject is not None:
                on_behalf = Requester(entity_id=promise.subject, thread_id=promise.thread)
            goal = self.goals.add(
                item,
                tick=tick,
                requester=on_behalf,
                promise=None if promise is None else promise.what,
            )
            if goal is not None and promise is not None:
                self.promises.became_goal(promise, goal.what, tick)
        for item in _items(output.goals_to_abandon):
            if self.goals.abandon(item) is None and as_master:
                self.promises.let_go(_name(item), tick)
        for item in _items(output.goals_to_reprioritize):
            self.goals.reprioritise(item)

    def to_json(self) -> dict[str, Any]:
        """What should outlive the process, as JSON values."""
        return {
            "goals": self.goals.to_json(),
            "promises": self.promises.to_json(),
            "memory": self.memory.to_json(),
            "handoffs": [h.model_dump(exclude_none=True) for h in self.buffer.waiting()],
            "drained": self.buffer.drained,
            "sent": self._sent,
            "evidence": [
                {"id": sent.id, "metadata": thaw(sent.metadata)} for sent in self._evidence.values()
            ],
        }

    @classmethod
    def from_json(
        cls, document: Mapping[str, Any], params: ExecutiveParams, trace: Sink
    ) -> "Holdings":
        """Holdings as :meth:`to_json` gave them, at the document's tick. Raises ValueError where
        the document is none of its making."""
        fresh = cls(params, trace)
        fresh.tick = count(document, "tick")
        fresh.goals = Goals.from_json(table(document, "goals"), capacity=params.max_goals)
        fresh.promises.restore(table(document, "promises"))
        fresh.memory = Memory.from_json(table(document, "memory"))
        fresh.buffer = EscalationBuffer(drained_before=count(document, "drained"))
        for row in rows(document, "handoffs"):
            fresh.buffer.push(validate_handoff(row))
        if "evidence" in document:  # documents of earlier releases have none
            for row in rows(document, "evidence"):
                sent = _evidence(string(row, "id"), table(row, "metadata"))
                fresh._evidence[sent.id] = sent
        fresh._sent = count(document, "sent")
        return fresh

    def _promise_behind(self, item: Any) -> Promise | None:
        """The standing promise a new goal comes from: by its short id, else by its words."""
        if isinstance(item, Mapping) and isinstance(item.get("promise"), str):
            found = self.promises.named(item["promise"])
            if found is not None:
                return found
        words = _name(item)
        return next((p for p in self.promises.all() if same_words(p.what, words)), None)


def _evidence(sent_id: str, metadata: Mapping[str, Any]) -> Entity:
    """A word that reached somebody: ``targetEntityId``, ``tick``, and perhaps ``what`` and
    ``record``."""
    string(metadata, "targetEntityId")
    count(metadata, "tick")
    text(metadata, "what")
    return Entity(id=sent_id, type=CONVERSATION_SENT, metadata=metadata)


def _items(value: Any) -> Iterable[Any]:
    if value is None:
        return ()
    return value if isinstance(value, list | tuple) else (value,)


def _name(item: Any) -> str:
    if isinstance(item, Mapping):
        item = next(
            (
                item[k]
                for k in ("id", "what", "goal", "description")
                if isinstance(item.get(k), str)
            ),
            "",
        )
    return item if isinstance(item, str) else ""
