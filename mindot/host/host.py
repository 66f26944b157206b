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
from cognition.reflex import Vitals
from cognition.response import Action
from llm_wire.transport import Transport
from mindot.deliberator.coach import Coach
from mindot.deliberator.deliberator import Deliberator
from mindot.deliberator.ranker import RankFailure
from mindot.deliberator.settings import DeliberatorSettings
from mindot.deliberator.wake import Wake, WakeClass, Wakened
from mindot.game.contract import ACTIONS, TIERS, Family
from mindot.game.frame import PLAYER, Character, Command, Frame, GameEvent, name_key
from mindot.game.manifest import SAY, Manifest, load_manifests, manifest_of
from mindot.host.afference import (
    AfferenceIds,
    act_percept,
    frame_percepts,
    record_percept,
    row_percept,
)
from mindot.host.clock import RunClock
from mindot.host.promises import PromiseLedger
from mindot.host.ranking import Rankings
from mindot.host.record_book import RecordSink
from mindot.host.situation import situation_in_words
from mindot.host.statistics import HostStatistics, Tally
from mindot.host.thinking import Thinking
from mindot.mind import Mind, conversation_key, dilemma_key, mind_id
from mindot.records.logs import Log
from mindot.student.features import feature_matrix
from mindot.student.head import DefaultHead, Head
from mindot.student.ladder import LadderSettings
from mindot.student.situation import situation_tuple
from mindot.student.sweep import Dilemma, Sweep, SweepRow
from mindot.student.verdicts import ParkedVerdict, VerdictShelf

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
    answer_tokens: int = 700


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
        persona_of: Callable[[Character], Persona] | None = None,
        keep_thought: Callable[[float, Ask, Outcome], None] | None = None,
        lasting: Path | None = None,
        head: Head | None = None,
        landed: Callable[[Ask, int], None] | None = None,
        schema: bool = False,
    ) -> None:
        """A host without characters yet; it meets them in the frames.

        Args:
            head: scores the actions; None takes the default one.
            keep_thought: gets the time with each question and what came of it.
            lasting: where minds keep what outlives a run; taken up when a character is met.
            landed: hears of each ask whose outcome was taken in, with the tick.
            schema: ask servers that can to hold the model to the answer's schema.
        """
        self.settings = settings or HostSettings()
        self._transport = transport
        self._thinking = thinking
        self._records = records
        self._manifests = load_manifests() if manifests is None else manifests
        self._persona_of = persona_of or _plain_persona
        self._keep_thought = keep_thought
        self._lasting = lasting
        self._landed = landed
        self._schema = schema
        self._clock = RunClock()
        self._minds: dict[str, Mind] = {}
        self._frame: Frame | None = None
        self._before: Frame | None = None
        self._tuples: tuple[Frame, dict[str, str]] | None = None
        self._ids = AfferenceIds()
        self._tally = Tally()
        self._busy: dict[str, int] = {}
        self._shelf = VerdictShelf()
        self._verdict_acts: dict[str, str] = {}
        self._latency_ms: dict[str, float] = {}
        self._stances: dict[str, int] = {}
        """By name key, the tick at which a fallback last had a say."""
        self._promises = PromiseLedger()
        self._coach = Coach(self._add_flywheel, tuple_of=self._tuple_of)
        self._deliberator = Deliberator(
            coach=self._coach,
            clock=self._clock.now,
            manifests=self._manifests,
            settings=self.settings.deliberator,
        )
        self._rankings = Rankings(self._deliberator, self.settings.deliberator.deadline_s)
        self._sweep = Sweep(head or DefaultHead(), self._manifests, self.settings.ladder)

    # ------------------------------------------------------------------ the step

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
        self._records.flush()
        return tuple(commands)

    def close(self) -> None:
        """End every facet and save what lasts; thoughts still under way have no effect."""
        if self._frame is not None:
            self._rankings.cancel()
            for mind in self._minds.values():
                mind.close(self._frame.tick)
                if self._lasting is not None:
                    mind.save(self._lasting)
        self._records.flush()

    def statistics(self) -> HostStatistics:
        return self._tally.frozen()

    def mind_of(self, name: str) -> Mind | None:
        """The mind of a character, once it was met."""
        return self._minds.get(name_key(name))

    def busiest(self) -> str | None:
        """The name with most receipts that are not quiet; None before the first of those."""
        return max(sorted(self._busy), key=self._busy.__getitem__, default=None)

    @property
    def deliberator(self) -> Deliberator:
        return self._deliberator

    # ------------------------------------------------------------------ minds

    def _meet(self, frame: Frame) -> None:
        for character in frame.characters:
            if character.alive and character.key not in self._minds:
                self._minds[character.key] = self._new_mind(frame, character)
                self._tally.characters += 1
        gone = [k for k in self._minds if k not in frame.by_key or not frame.by_key[k].alive]
        for key in gone:
            mind = self._minds.pop(key)
            self._rankings.cancel(mind)
            self._promises.forget(mind)
            mind.close(frame.tick)

    def _new_mind(self, frame: Frame, character: Character) -> Mind:
        keep = self._keep_thought
        mind = Mind(
            character.name,
            world=frame.world,
            transport=self._transport,
            persona=self._persona_of(character),
            manifest=manifest_of(self._manifests, character.archetype),
            params=self.settings.params,
            trace=partial(self._add_trace, mind_id(frame.world, character.name)),
            keep_thought=None if keep is None else lambda a, o: keep(self._clock.now(), a, o),
            resolve_name=self._resolve,
            answer_tokens=self.settings.answer_tokens,
            schema=self._schema,
        )
        if self._lasting is not None:
            mind.load(self._lasting, tick=frame.tick)
        return mind

    def _rewind(self) -> None:
        """The game loaded an older save: what was thought since has no effect."""
        self._tally.stale += self._thinking.drop()
        self._rankings.cancel()
        self._shelf = VerdictShelf()
        self._verdict_acts.clear()
        self._latency_ms.clear()

    def _resolve(self, name: str) -> str | None:
        """The entity id of whom a mind names; None when nobody of that name is known."""
        key = name_key(name.strip())
        frame = self._frame
        if frame is None:
            return None
        if key in frame.by_key:
            return key
        if frame.player is not None and key in (PLAYER, name_key(frame.player.name)):
            return PLAYER
        roles = {c.archetype for c in frame.characters}
        return key if key in roles else None

    def _vitals_of(self, key: str) -> Vitals:
        character = self._frame.by_key.get(key) if self._frame else None
        return Vitals() if character is None else _vitals(character)

    def _tick(self) -> int:
        return self._frame.tick if self._frame else 0

    # ------------------------------------------------------------------ landing

    def _land(self, frame: Frame) -> list[Command]:
        for due in self._thinking.due(frame.tick):
            if self._landed is not None:
                self._landed(due.ask, frame.tick)
            if self._minds.get(name_key(due.mind.name)) is not due.mind:
                self._tally.stale += 1
                continue
            self._latency_ms[due.ask.ask_id] = due.outcome.latency_ms
            due.mind.deliver(due.outcome)
        commands: list[Command] = []
        for mind in list(self._minds.values()):
            for decision in mind.land(frame.tick):
                commands += self._take(frame, mind, decision)
        self._rankings.expire(frame.t)
        return commands

    def _take(self, frame: Frame, mind: Mind, decision: Decision) -> list[Command]:
        """What one landed decision comes to."""
        self._count(decision)
        if self._rankings.take(decision):
            return []
        latency_ms = self._latency_ms.pop(decision.ask_id, 0.0)
        if decision.failure is not None:
            return self._fall_back(frame, mind, decision)
        act = next((a for a in decision.actions if a.type in ACTIONS), None)
        focus = decision.focus
        if focus is None:
            if act is not None:
                self._park(frame, mind, decision, act)
            return []
        if focus.kind is FocusKind.DILEMMA and act is not None:
            self._settle_dilemma(frame, mind, decision, act, latency_ms)
        elif focus.kind is FocusKind.CONVERSATION:
            if act is not None:
                self._park(frame, mind, decision, act)
            return self._say(frame, mind, decision, focus)
        return []

    def _count(self, decision: Decision) -> None:
        if decision.failure is None:
            self._tally.answered += 1
        else:
            self._tally.fall_back(decision.failure.value)

    def _settle_dilemma(
        self, frame: Frame, mind: Mind, decision: Decision, act: Action, latency_ms: float
    ) -> None:
        """The answer to a dilemma goes on record whether or not a sweep will serve it."""
        data = decision.focus.data if decision.focus is not None else {}
        tup = str(data["situation"])
        (first, _), (second, _) = data["torn_between"]
        self._coach.record(
            "student_escalation_verdict",
            {
                "name": mind.name,
                "tuple": tup,
                "verb": act.type,
                "because": decision.output.because,
                "ms": round(latency_ms, 1),
            },
            t=frame.t,
            tuple=tup,
        )
        self._park(frame, mind, decision, act, tup, (first, second))

    def _park(
        self,
        frame: Frame,
        mind: Mind,
        decision: Decision,
        act: Action,
        tup: str = "",
        top2: tuple[str, str] = ("", ""),
    ) -> None:
        """What a thought decided waits for the sweep, and the ladder gives it its turn."""
        self._verdict_acts[name_key(mind.name)] = decision.ask_id
        self._shelf.park(
            ParkedVerdict(
                name=mind.name,
                verb=act.type,
                tup=tup,
                top2=top2,
                t_parked=frame.t,
                because=decision.output.because,
                target=act.target,
            )
        )

    def _say(self, frame: Frame, mind: Mind, decision: Decision, focus: Focus) -> list[Command]:
        if decision.reply is None:
            return []
        whom = focus.interlocutor_id or focus.interlocutor_name
        command = Command(cmd=SAY, name=mind.name, target=whom, say=decision.reply)
        sent = self._deliberator.send(command, frame, "raw")
        if sent is None:
            return []
        if whom is not None:
            self._promises.reached(frame, mind, whom, {"t": round(frame.t, 2), "cmd": SAY})
        return [sent]

    def _fall_back(self, frame: Frame, mind: Mind, decision: Decision) -> list[Command]:
        """No thought came back: at most a bodily stance, as the manifest enacts it.

        One a boundary is enough, however many thoughts failed.
        """
        character = frame.by_key.get(name_key(mind.name))
        if character is None or character.order is not None or character.lease is not None:
            return []
        if self._stances.get(character.key) == frame.tick:
            return []
        self._stances[character.key] = frame.tick
        manifest = manifest_of(self._manifests, character.archetype)
        sent: list[Command] = []
        for act in decision.output.actions:
            if act.type not in ("rest", "withdraw"):
                continue
            stance: Any = act.type
            command = manifest.stance_command(stance, character, frame)
            passed = self._deliberator.send(command, frame, "raw")
            if passed is not None:
                sent.append(passed)
        return sent

    # ------------------------------------------------------------------ waking and noticing

    def _wake(self, frame: Frame) -> None:
        for wake in self._deliberator.wakes_from(frame):
            self._judge(wake, frame)
        for key, mind in self._minds.items():
            for promise in self._promises.fresh(mind):
                if promise.target is None:
                    continue
                wake = Wake(
                    name=frame.by_key[key].name,
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
        mind = self._minds.get(wake.key)
        if mind is None:
            self._deliberator.settle(begun, RankFailure(where="mind", err="no-mind"))
        else:
            self._rankings.ask(mind, begun, frame.tick)

    def _notice(self, frame: Frame) -> None:
        for character in frame.characters:
            mind = self._minds.get(character.key)
            if mind is None:
                continue
            for percept in frame_percepts(self._before, frame, character, self._ids):
                mind.perceive(percept)
            for event in frame.events:
                if event.kind in _SPOKEN_TO and character.name in event.concerns:
                    self._converse(frame, mind, character, event)

    def _converse(self, frame: Frame, mind: Mind, character: Character, event: GameEvent) -> None:
        speaker = frame.by_key.get(name_key(event.actor))
        if speaker is not None:
            name, entity = speaker.name, speaker.key
        elif event.actor == PLAYER and frame.player is not None:
            name, entity = frame.player.name, PLAYER
        else:
            name, entity = event.actor or "somebody", name_key(event.actor or "somebody")
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

    # ------------------------------------------------------------------ serving

    def _serve(self, frame: Frame) -> list[Command]:
        moves = self._deliberator.moves(frame)
        rows = self._sweep.run(frame, moves, self._shelf, self._deliberator.grudges())
        for late in self._shelf.settle(rows):
            self._expire(frame, late)
        commands: list[Command] = []
        for row in rows:
            commands += self._serve_row(frame, row)
        return commands

    def _serve_row(self, frame: Frame, row: SweepRow) -> list[Command]:
        self._tally.serve(row.served)
        tier = TIERS.get(row.served)
        if tier is None or tier.family is not Family.QUIET:
            self._busy[row.name] = self._busy.get(row.name, 0) + 1
        sent = [
            passed
            for command in row.commands
            if (passed := self._deliberator.send(command, frame, row.source)) is not None
        ]
        if len(sent) < len(row.commands):
            row.receipt.pop("cmds", None)
            if sent:
                row.receipt["cmds"] = [command.to_json() for command in sent]
        self._records.add(Log.RECEIPTS, row.receipt)
        mind = self._minds.get(row.key)
        if mind is None:
            return sent
        act = self._verdict_acts.pop(row.key, None) if row.served == "llm-verdict" else None
        percept = row_percept(row, act, frame.tick, self._ids)
        if percept is not None:
            mind.perceive(percept)
        self._promises.receipt(frame, mind, row, tuple(sent))
        if row.dilemma is not None:
            self._ask_about(frame, mind, row.name, row.dilemma)
        return sent

    def _ask_about(self, frame: Frame, mind: Mind, name: str, dilemma: Dilemma) -> None:
        """Put a dilemma on record as a training example, and to the mind."""
        self._coach.record(
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
        character = frame.by_key[name_key(name)]
        first, second = dilemma.pair
        focus = Focus(
            kind=FocusKind.DILEMMA,
            text=f"{situation_in_words(frame, character)} "
            f"I am torn between {first.replace('_', ' ')} and {second.replace('_', ' ')}.",
            options={verb: ACTIONS[verb].meaning for verb in dilemma.options},
            data={
                "situation": dilemma.tup,
                "torn_between": [list(pair) for pair in dilemma.top2],
            },
        )
        self._report(mind, dilemma_key(frame.world, name), focus, frame)

    def _expire(self, frame: Frame, verdict: ParkedVerdict) -> None:
        self._tally.late += 1
        act = self._verdict_acts.pop(verdict.key, None)
        mind = self._minds.get(verdict.key)
        if mind is not None:
            mind.perceive(
                act_percept(
                    f"I had decided to {verdict.verb.replace('_', ' ')}, but the moment was over.",
                    0.3,
                    act,
                    frame.tick,
                    self._ids,
                )
            )

    # ------------------------------------------------------------------ thinking

    async def _think(self, frame: Frame) -> None:
        for key, mind in list(self._minds.items()):
            asks = mind.pump(
                frame.tick,
                _vitals(frame.by_key[key]),
                free_attention=self.settings.free_attention,
            )
            self._tally.thoughts += len(asks)
            if asks:
                await self._thinking.launch(mind, asks, frame.tick)

    # ------------------------------------------------------------------ records

    def _add_flywheel(self, row: dict[str, Any]) -> None:
        self._records.add(Log.FLYWHEEL, row)
        mind = self._minds.get(name_key(str(row["decision"].get("name", ""))))
        if mind is not None:
            percept = record_percept(row, self._tick(), self._ids)
            if percept is not None:
                mind.perceive(percept)

    def _add_trace(self, mind: str, row: dict[str, Any]) -> None:
        wall = round(self._clock.now() * 1000)
        self._records.add(
            Log.TRACE,
            {"type": row["type"], "wallTime": wall, "tick": row["tick"], "mind": mind}
            | {k: v for k, v in row.items() if k not in ("type", "tick")},
        )

    def _tuple_of(self, frame: Frame, name: str) -> str | None:
        if self._tuples is None or self._tuples[0] is not frame:
            features = feature_matrix(frame, self._deliberator.grudges())
            self._tuples = (
                frame,
                {
                    c.key: situation_tuple(c.archetype, features[i].tolist())
                    for i, c in enumerate(frame.characters)
                },
            )
        return self._tuples[1].get(name_key(name))


def _vitals(character: Character) -> Vitals:
    return Vitals(
        energy=character.energy, sleep_pressure=character.sleep_pressure, stress=character.stress
    )


def _plain_persona(character: Character) -> Persona:
    return Persona(
        name=character.name,
        entity_id=character.key,
        archetype=character.archetype,
        traits=character.traits,
    )
