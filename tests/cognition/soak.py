"""A long day of one mind: conversations come and go, thoughts fail, promises are made and kept.

    python -m tests.cognition.soak [TICKS] [SEED]

plays it and prints what was left at the end; the suite plays a shorter one. Everything is drawn
from the seed, so the same day can be had again.
"""

import gc
import json
import random
import sys
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any

from cognition import (
    Answered,
    Ask,
    AskKind,
    Executive,
    ExecutiveParams,
    Focus,
    FocusKind,
    NotAnswered,
    Outcome,
    Persona,
    ThoughtFailure,
    dump_document,
)
from cognition.testing import answer_text
from cognition.trace import Event
from tests.cognition.rig import news, talk

__all__ = ["Day", "Peaks", "play"]

PEOPLE = [f"villager-{number}" for number in range(400)]
AFFORDANCES = {"stay": "remains", "warn_say": "speaks a warning", "go_station": "walks there"}
FULL_DAY = 100_000


@dataclass(slots=True)
class Peaks:
    """The most there ever was of each thing at the end of a tick."""

    entities: int = 0
    facets: int = 0
    carried: int = 0
    promises: int = 0
    goals: int = 0
    outstanding: int = 0
    prompt_chars: int = 0

    def see(self, executive: Executive, asks: list[Ask]) -> None:
        statistics = executive.statistics()
        self.entities = max(self.entities, statistics.entities)
        self.facets = max(self.facets, statistics.facets.live)
        self.carried = max(self.carried, statistics.facets.carried_threads)
        self.promises = max(self.promises, statistics.promises)
        self.goals = max(self.goals, statistics.goals)
        self.outstanding = max(self.outstanding, statistics.outstanding)
        longest = max((len(ask.prompt) for ask in asks), default=0)
        self.prompt_chars = max(self.prompt_chars, longest)


class Day:
    """One mind and the people who come to talk with it."""

    def __init__(self, seed: int = 1) -> None:
        self.random = random.Random(seed)
        self.events: dict[tuple[str, str], int] = {}
        self.live: set[str] = set()
        self.ended_twice = 0
        self.executive = Executive(
            "mock:gerdur",
            persona=Persona(name="Gerdur", about="The miller.", entity_id="gerdur"),
            affordances=AFFORDANCES,
            params=ExecutiveParams(
                facet_idle_ttl_ticks=300, promise_lifetime_ticks=5_000, thought_deadline_ticks=60
            ),
            trace=self.note,
            resolve_name=lambda name: name if name in PEOPLE else None,
        )
        self.due: dict[int, list[Outcome]] = {}
        self.talking: list[str] = []
        self.peaks = Peaks()

    def note(self, event: Event) -> None:
        """Follow the trace without keeping it: a day of it would be what grows."""
        cell = (event["type"].rsplit(".", 1)[1], str(event.get("reason", event.get("error", ""))))
        self.events[cell] = self.events.get(cell, 0) + 1
        if event["type"] == "executive.facet.spawn":
            self.live.add(event["facetId"])
        elif event["type"] == "executive.facet.destroy":
            self.ended_twice += event["facetId"] not in self.live
            self.live.discard(event["facetId"])

    def tick(self, tick: int) -> None:
        draw = self.random.random
        if draw() < 0.012 and len(self.talking) < 9:
            self.talking.append(self.random.choice(PEOPLE))
        if self.talking and draw() < 0.01:
            gone = self.talking.pop(self.random.randrange(len(self.talking)))
            if draw() < 0.7:  # the others just walk away
                self.executive.close_thread(f"conversation:{gone}", tick)
        for who in self.talking:
            if draw() < 0.04:
                self.executive.report(
                    f"conversation:{who}", talk(f"at {tick}", who, who), tick=tick
                )
        if draw() < 0.03:
            focus = Focus(kind=FocusKind.DILEMMA, text="torn", options=AFFORDANCES)
            self.executive.report("npc:gerdur", focus, tick=tick)
        if draw() < 0.02:
            self.executive.report(None, Focus(kind=FocusKind.RANK, options={"a": ""}), tick=tick)
        if draw() < 0.2:
            self.executive.perceive(news(tick, salience=round(draw(), 2), n=int(draw() * 4)))
        if draw() < 0.03:
            self.executive.note_sent(self.random.choice(PEOPLE[:40]), tick)
        for outcome in self.due.pop(tick, ()):
            self.executive.deliver(outcome)
        self.executive.land(tick)
        metrics = {"energy.level": 100.0 - tick % 100, "stress.load": tick % 90.0}
        asks = self.executive.pump(tick, metrics, free_attention=self.attention(tick))
        for ask in asks:
            self.due.setdefault(tick + 1 + int(draw() ** 4 * 80), []).append(self.answer(ask))
        self.peaks.see(self.executive, asks)

    def attention(self, tick: int) -> float:
        """Wide in the morning, narrow when there is much else to do, again and again."""
        return (1.0, 0.8, 0.3)[tick // 900 % 3]

    def answer(self, ask: Ask) -> Outcome:
        draw = self.random.random
        chance = draw()
        if chance < 0.1:
            failure = self.random.choice(list(ThoughtFailure))
            return NotAnswered(ask_id=ask.ask_id, failure=failure)
        if chance < 0.13:
            return Answered(ask_id=ask.ask_id, text="Hm. " * 20)
        fields: dict[str, Any] = {}
        reasoning = f"thought {ask.ask_id} " + "and so on " * int(draw() * 60)
        if draw() < 0.3:
            target = self.random.choice([*PEOPLE[:40], "nobody known", None])
            fields["undertakings"] = [{"what": f"promise {int(draw() * 500)}", "target": target}]
        if draw() < 0.05:
            fields["escalation"] = "this is too much for me alone"
        if ask.kind is AskKind.MASTER:
            goals = json.dumps(
                {"newGoals": [{"what": f"goal {int(draw() * 90)}", "priority": draw()}]}
            )
            belief = json.dumps({"newBeliefs": [f"belief {int(draw() * 10_000)}"]})
            reasoning += f"[GOALS_NEW]{goals}[/GOALS_NEW][BELIEFS]{belief}[/BELIEFS]"
        verb = self.random.choice([*AFFORDANCES, "dance", "a"])
        return Answered(
            ask_id=ask.ask_id,
            text=answer_text(
                {"type": verb, "target": self.random.choice([*PEOPLE[:5], None])},
                reasoning=reasoning,
                confidence=draw(),
                reply="Well met." if draw() < 0.8 else None,
                **fields,
            ),
        )


def play(ticks: int, seed: int = 1) -> Day:
    """A day of ``ticks`` ticks, and the mind at its end."""
    day = Day(seed)
    for tick in range(ticks):
        day.tick(tick)
    return day


def held_by(day: Day) -> int:
    """Bytes of everything that can be reached from the mind, types and modules aside."""
    seen: set[int] = set()
    reached: list[object] = [day.executive]
    total = 0
    while reached:
        thing = reached.pop()
        if id(thing) in seen or isinstance(thing, type | ModuleType | FunctionType):
            continue
        if thing is day:
            continue  # the bench that the mind stands on
        seen.add(id(thing))
        total += sys.getsizeof(thing)
        reached += gc.get_referents(thing)
    return total


def _main() -> None:
    ticks = int(sys.argv[1]) if len(sys.argv) > 1 else FULL_DAY
    day = Day(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    held: list[int] = []
    for tick in range(ticks):
        day.tick(tick)
        if (tick + 1) % max(1, ticks // 5) == 0:
            held.append(held_by(day))
    statistics = day.executive.statistics()
    print(f"{ticks} ticks, {statistics.asked} asks, {statistics.landed} landed")
    print(f"at the end: {statistics}")
    print(f"at most:    {day.peaks}")
    print("held by the mind at each fifth:", ", ".join(f"{h / 2**20:.2f} MiB" for h in held))
    print(f"lasting state: {len(dump_document(day.executive.snapshot())) / 1024:.1f} KiB")
    for (event, cause), count in sorted(day.events.items()):
        print(f"  {event:10} {cause:20} {count:8}")


if __name__ == "__main__":
    _main()
