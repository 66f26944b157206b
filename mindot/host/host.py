"""The whole loop behind a game: a frame in, commands out, and a record of every decision.

A step does, in this order: thoughts land, events wake the deliberator, the minds notice what
changed, plans move, the reflex sweep serves everybody, and what is left open is put to the minds.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from cognition import ExecutiveParams
from cognition.asking import Ask, Decision, Focus, FocusKind, Outcome
from cognition.persona import Persona
from cognition.trace import guarded
from llm_wire.transport import Transport
from mindot.deliberator.deliberator import Deliberator
from mindot.deliberator.ranker import RankFailure
from mindot.deliberator.settings import DeliberatorSettings
from mindot.deliberator.wake import Wake, WakeClass, Wakened
from mindot.game.contract import ACTIONS
from mindot.game.frame import PLAYER, Character, Command, Frame, GameEvent, name_key
from mindot.game.manifest import Manifest, load_manifests, manifest_of
from mindot.host.afference import AfferenceIds, frame_percepts, record_percept, row_percept
from mindot.host.chronicle import Chronicle
from mindot.host.clock import RunClock
from mindot.host.company import Company, plain_persona, vitals_of
from mindot.host.decisions import Decisions
from mindot.host.promises import PromiseLedger
from mindot.host.ranking import Rankings
from mindot.host.record_book import RecordSink
from mindot.host.situation import situation_in_words
from mindot.host.statistics import HostStatistics, Tally
from mindot.host.thinking import Due, Thinking
from mindot.mind import ANSWER_TOKENS, Mind, conversation_key, dilemma_key, mind_id
from mindot.student.head import DefaultHead, Head
from mindot.student.ladder import LadderSettings
from mindot.student.sweep import Dilemma, Sweep, SweepRow

__all__ = ["Host", "HostSettings"]

_SPOKEN_TO: Final = frozenset({"talk"})
"""Event kinds that want an answer in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostSettings:
    """What a game may turn."""

    ladder: LadderSettings = field(default_factory=LadderSettings)
    deliberator: DeliberatorSettings = field(default_factory=DeliberatorSettings)
    params: ExecutiveParams = field(default_factory=ExecutiveParams)
    free_attention: float = 1.0
    """0..1, the share of its facets that each mind may use now."""
    answer_tokens: int = ANSWER_TOKENS
    """Most tokens of one answer."""


class Host:
    """Minds behind one world's characters. One task drives it, step after step."""

    def __init__(
        self,
        *,
        transport: Transport,
        thinking: Thinking,
        records: RecordSink,
        manifests: Mapping[str, Manifest] | None = None,
        settings: HostSettings | None = None,
        persona_of: Callable[[Character], Persona] = plain_persona,
        keep_thought: Callable[[float, Ask, Outcome], None] | None = None,
        lasting: Path | None = None,
        head: Head | None = None,
        landed: Callable[[Ask, int], None] | None = None,
        traced: Callable[[dict[str, Any]], None] | None = None,
        schema: bool = False,
    ) -> None:
        """A host without characters yet; it meets them in the frames.

        Args:
            head: scores the actions; None takes the default one.
            keep_thought: gets the time with each question and what came of it.
            lasting: where minds keep what outlives a run; taken up when a character is met.
            landed: hears of each ask whose outcome was taken in, with the tick.
            traced: gets each row of the trace besides the records; see ``cognition.trace``.
            schema: ask servers that can to hold the model to the answer's schema.
        """
        self.settings = settings or HostSettings()
        self._transport = transport
        self._thinking = thinking
        self._manifests = load_manifests() if manifests is None else manifests
        self._persona_of = persona_of
        self._keep_thought = keep_thought
        self._landed = landed
        self._schema = schema
        self._clock = RunClock()
        self._frame: Frame | None = None
        self._before: Frame | None = None
        self._ids = AfferenceIds()
        self._tally = Tally()
        self._latency_ms: dict[str, float] = {}
        self._out: set[str] = set()
        """Ids of the asks that were launched and have come to no end yet."""
        self._promises = PromiseLedger()
        self._company = Company(self._new_mind, lasting=lasting)
        self._chronicle = Chronicle(
            records,
            self._clock,
            grudges=self._grudges,
            heard=self._hear_record,
            traced=None if traced is None else guarded(traced),
        )
        self._deliberator = Deliberator(
            coach=self._chronicle.coach,
            clock=self._clock.now,
            manifests=self._manifests,
            settings=self.settings.deliberator,
        )
        self._rankings = Rankings(self._deliberator, self.settings.deliberator.deadline_s)
        self._decisions = Decisions(
            self._deliberator, self._chronicle.coach, self._promises, self._ids
        )
        self._sweep = Sweep(head or DefaultHead(), self._manifests, self.settings.ladder)

    async def step(self, frame: Frame) -> tuple[Command, ...]:
        """Decide for everybody in ``frame``; the commands that left, in the order of leaving."""
        if self._frame is not None and (frame.t, frame.tick) <= (self._frame.t, self._frame.tick):
            self._rewind()
        self._before, self._frame = self._frame, frame
        self._clock.set(frame.t)
        self._deliberator.observe(frame)
        self._tally.sweeps += 1
        self._meet(frame)
        commands = self._land(frame)
        self._wake(frame)
        self._notice(frame)
        commands += self._serve(frame)
        await self._think(frame)
        self._chronicle.flush()
        return tuple(commands)

    def reload(self, directory: Path) -> None:
        """Take laws and manifests from a directory, between two steps; see ``load_lawbook``.

        Raises ``TomlError`` for the first mistake; everything old stays in force then. A mind
        that was met before keeps what it was told it can do, and the gate holds it to the new.
        """
        self._deliberator.reload(directory)
        self._manifests = self._deliberator.manifests
        self._sweep.use_manifests(self._manifests)

    def close(self) -> None:
        """End every facet and save what lasts; thoughts still under way have no effect."""
        self._rankings.cancel()
        self._company.close()
        self._chronicle.flush()

    def statistics(self) -> HostStatistics:
        return self._tally.frozen()

    def mind_of(self, name: str) -> Mind | None:
        """The mind of a character, once it was met."""
        return self._company.mind_of(name)

    def busiest(self) -> str | None:
        """The name whose plans acted most often; None before the first that did."""
        return self._tally.busiest()

    @property
    def deliberator(self) -> Deliberator:
        return self._deliberator

    # Who is there

    def _meet(self, frame: Frame) -> None:
        new, dead = self._company.meet(frame)
        self._tally.characters += len(new)
        for mind in dead:
            self._rankings.cancel(mind)
            self._promises.forget(mind)

    def _new_mind(self, frame: Frame, character: Character) -> Mind:
        keep = self._keep_thought
        return Mind(
            character.name,
            world=frame.world,
            transport=self._transport,
            persona=self._persona_of(character),
            manifest=manifest_of(self._manifests, character.archetype),
            params=self.settings.params,
            trace=partial(self._chronicle.trace, mind_id(frame.world, character.name)),
            keep_thought=None if keep is None else lambda a, o: keep(self._clock.now(), a, o),
            resolve_name=self._company.entity_id,
            answer_tokens=self.settings.answer_tokens,
            schema=self._schema,
        )

    def _grudges(self) -> Mapping[str, float]:
        return self._deliberator.grudges()

    def _rewind(self) -> None:
        """The game loaded an older save: what was thought since has no effect."""
        self._thinking.drop()
        self._tally.stale += len(self._out)
        self._out.clear()
        self._rankings.cancel()
        self._decisions.forget()
        self._latency_ms.clear()

    # Thoughts land

    def _land(self, frame: Frame) -> list[Command]:
        delivered = []
        for due in self._thinking.due(frame.tick):
            ask_id = due.ask.ask_id
            if self._landed is not None:
                self._landed(due.ask, frame.tick)
            if self._is_awaited(due):
                self._latency_ms[ask_id] = due.outcome.latency_ms
                due.mind.deliver(due.outcome)
                delivered.append(ask_id)
            elif ask_id in self._out:
                self._out.remove(ask_id)
                self._tally.stale += 1
        commands: list[Command] = []
        for mind in self._company.all():
            for decision in mind.land(frame.tick):
                commands += self._take(frame, mind, decision)
        for ask_id in self._out.intersection(delivered):
            # answered without a decision yet: the mind weighs what it proposed
            self._out.remove(ask_id)
            self._tally.land(None)
        self._rankings.expire(frame.t)
        return commands

    def _is_awaited(self, due: Due) -> bool:
        mind = self._company.mind_of(due.mind.name)
        if mind is not due.mind:
            return False
        return any(ask.ask_id == due.ask.ask_id for ask in mind.executive.outstanding())

    def _take(self, frame: Frame, mind: Mind, decision: Decision) -> list[Command]:
        ms = self._latency_ms.pop(decision.ask_id, 0.0)
        if decision.ask_id in self._out:  # else it was never asked, or it was counted as stale
            self._out.remove(decision.ask_id)
            self._tally.land(decision.failure)
        if self._rankings.take(decision):
            return []
        return self._decisions.take(frame, mind, decision, ms)

    # The world is noticed

    def _wake(self, frame: Frame) -> None:
        for wake in self._deliberator.wakes_from(frame):
            self._judge(wake, frame)
        for character, mind in self._company.present():
            for promise in self._promises.fresh(mind):
                if promise.target is not None:
                    wake = Wake(
                        name=character.name,
                        cls=WakeClass.UNDERTAKING,
                        text=promise.what,
                        t=frame.t,
                        subject=promise.target,
                    )
                    self._judge(wake, frame)

    def _judge(self, wake: Wake, frame: Frame) -> None:
        """Laws decide, or the question goes to the character's mind with its next thoughts."""
        begun = self._deliberator.begin(wake)
        if isinstance(begun, Wakened):
            return
        mind = self._company.mind_of(wake.name)
        if mind is None:
            self._deliberator.settle(begun, RankFailure(where="mind", err="no-mind"))
        else:
            self._rankings.ask(mind, begun, frame.tick)

    def _notice(self, frame: Frame) -> None:
        for character, mind in self._company.present():
            for percept in frame_percepts(self._before, frame, character, self._ids):
                mind.perceive(percept)
            for event in frame.by_concern.get(character.key, ()):
                if event.kind in _SPOKEN_TO:
                    self._converse(frame, mind, character, event)

    def _hear_record(self, record: Mapping[str, Any]) -> None:
        """Some records tell of an act that did not come about: its mind gets to know."""
        mind = self._company.mind_of(str(record["decision"].get("name", "")))
        if mind is not None and self._frame is not None:
            percept = record_percept(record, self._frame.tick, self._ids)
            if percept is not None:
                mind.perceive(percept)

    def _converse(self, frame: Frame, mind: Mind, character: Character, event: GameEvent) -> None:
        name, entity = _speaker(frame, event)
        focus = Focus(
            kind=FocusKind.CONVERSATION,
            text=situation_in_words(frame, character),
            interlocutor_id=entity,
            interlocutor_name=name,
            current_message=event.text,
        )
        self._report(mind, conversation_key(frame.world, character.name, entity), focus, frame)

    def _report(self, mind: Mind, key: str, focus: Focus, frame: Frame) -> None:
        if not mind.report(key, focus, tick=frame.tick):
            self._tally.attention_full += 1

    # Everybody is served

    def _serve(self, frame: Frame) -> list[Command]:
        moves = self._deliberator.moves(frame)
        shelf = self._decisions.shelf
        rows = self._sweep.run(frame, moves, shelf, self._grudges())
        for late in shelf.settle(rows):
            self._tally.late += 1
            self._decisions.expire(frame, late, self._company.mind_of(late.name))
        commands: list[Command] = []
        for row in rows:
            commands += self._serve_row(frame, row)
        return commands

    def _serve_row(self, frame: Frame, row: SweepRow) -> list[Command]:
        self._tally.serve(row.name, row.served)
        sent = [
            passed
            for command in row.commands
            if (passed := self._deliberator.send(command, frame, row.source)) is not None
        ]
        if len(sent) < len(row.commands):
            # the receipt tells what left, not what was meant to
            row.receipt.pop("cmds", None)
            if sent:
                row.receipt["cmds"] = [command.to_json() for command in sent]
        act = self._decisions.serve(row)
        self._chronicle.receipt(row.receipt)
        mind = self._company.mind_of(row.name)
        if mind is not None:
            percept = row_percept(row, act, frame.tick, self._ids)
            if percept is not None:
                mind.perceive(percept)
            self._promises.receipt(frame, mind, row, tuple(sent))
            if row.dilemma is not None:
                self._ask_about(frame, mind, row.name, row.dilemma)
        return sent

    def _ask_about(self, frame: Frame, mind: Mind, name: str, dilemma: Dilemma) -> None:
        """Put a dilemma on record as a training example, and to the mind."""
        self._chronicle.coach.record(
            "student_escalation",
            {
                "name": name,
                "tuple": dilemma.tup,
                "top2": [list(pair) for pair in dilemma.top2],
                "why": dilemma.why,
            },
            t=frame.t,
            tuple=dilemma.tup,
        )
        first, second = (verb.replace("_", " ") for verb in dilemma.pair)
        where = situation_in_words(frame, frame.by_key[name_key(name)])
        focus = Focus(
            kind=FocusKind.DILEMMA,
            text=f"{where} I am torn between {first} and {second}.",
            options={verb: ACTIONS[verb].meaning for verb in dilemma.options},
            data={
                "situation": dilemma.tup,
                "torn_between": [list(pair) for pair in dilemma.top2],
            },
        )
        self._report(mind, dilemma_key(frame.world, name), focus, frame)

    # What is open is thought about

    async def _think(self, frame: Frame) -> None:
        for character, mind in self._company.present():
            asks = mind.pump(
                frame.tick, vitals_of(character), free_attention=self.settings.free_attention
            )
            self._tally.thoughts += len(asks)
            self._out.update(ask.ask_id for ask in asks)
            if asks:
                await self._thinking.launch(mind, asks, frame.tick)


def _speaker(frame: Frame, event: GameEvent) -> tuple[str, str]:
    """Name and entity id of whoever said something."""
    known = frame.by_key.get(name_key(event.actor))
    if known is not None:
        return known.name, known.key
    if event.actor == PLAYER and frame.player is not None:
        return frame.player.name, PLAYER
    name = event.actor or "somebody"
    return name, name_key(name)
