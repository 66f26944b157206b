"""Random games: laws, manifests, never-rules, frames and interruptions, all from one seed."""

from dataclasses import replace
from random import Random
from typing import Any

from mindot.deliberator import Coach, Deliberator, Laws, NeverRules, Pending, RankFailure, Ranking
from mindot.deliberator.conditions import Condition, Range
from mindot.deliberator.forgiveness import Forgiveness, ForgivenessRule
from mindot.deliberator.intentions import Intention
from mindot.deliberator.laws import Defiance, EventRule, Law, PlanSketch, Weights
from mindot.deliberator.never import NeverRule
from mindot.deliberator.operators import BINDINGS, Operator
from mindot.deliberator.situation import FLAGS, TRAITS
from mindot.deliberator.testing import ManualClock
from mindot.deliberator.wake import Wake, WakeClass
from mindot.game.contract import ACTIONS
from mindot.game.frame import (
    Character,
    Command,
    Frame,
    GameEvent,
    Lease,
    Order,
    Player,
    Station,
)
from mindot.game.manifest import SAY, Manifest, Stance
from mindot.game.moves import IntentionMove
from tests.mindot.deliberator.stage import SWEEP_S, T0

NAMES = ("Ada", "Bo", "Cy", "Dee", "Eli")
ARCHETYPES = ("guard", "smith", "child")
NEEDS = ("food", "rest")
KINDS = ("theft", "insult", "assault", "need", "order", "amends", "greeting")
VERBS = (*ACTIONS, SAY)
ROLES = {"guard": ("guard",)}


def _some(random: Random, items: tuple[str, ...], least: int = 0) -> tuple[str, ...]:
    return tuple(random.sample(items, random.randint(least, len(items))))


def _manifest(random: Random, archetype: str) -> Manifest:
    return Manifest(
        archetype=archetype,
        actions=frozenset(("stay", *_some(random, tuple(ACTIONS), 9))),
        rest=Stance(action="stay"),
        withdraw=Stance(action="stay"),
        speaks=random.random() < 0.8,
    )


def _operator(random: Random, name: str) -> Operator:
    waits = random.random() < 0.1
    binds = _some(random, (*BINDINGS, *ROLES), 1)[:3]
    return Operator(
        name=name,
        meaning=f"do {name}",
        actions=() if waits else _some(random, VERBS, 1)[:3],
        binds=binds,
        roles=ROLES,
        stations=("food", "scheduled"),
        within=random.choice((None, 10.0, 60.0)),
        ttl_s=random.choice((2.0, 6.0, 30.0)),
        serves=_some(random, NEEDS),
        say=random.choice((None, "{subject} {target} {order} {need} {text}")),
        refuses=random.random() < 0.1,
        suits=_some(random, tuple(c.value for c in WakeClass)),
        ease=random.random(),
    )


def _condition(random: Random) -> Condition:
    maybe = random.random
    return Condition(
        archetypes=_some(random, ARCHETYPES, 1) if maybe() < 0.3 else (),
        flags=((random.choice(FLAGS), maybe() < 0.5),) if maybe() < 0.4 else (),
        traits=((random.choice(TRAITS), Range(0.0, maybe())),) if maybe() < 0.3 else (),
    )


def _weights(random: Random) -> Weights:
    return Weights(
        base=random.uniform(0.0, 1.0),
        traits=((random.choice(TRAITS), random.uniform(-0.5, 0.5)),),
        grudge=random.uniform(-0.5, 0.5),
        gravity=random.uniform(-0.5, 0.5),
        distance=random.uniform(0.0, 0.5),
    )


def _law(random: Random, i: int, operators: tuple[str, ...]) -> Law:
    plans = tuple(
        PlanSketch(
            steps=tuple(random.choices(operators, k=random.randint(1, 4))),
            weights=_weights(random),
            law=f"law-{i}",
        )
        for _ in range(random.randint(1, 3))
    )
    cls = random.choice(tuple(WakeClass))
    return Law(id=f"law-{i}", cls=cls, when=_condition(random), plans=plans)


def random_laws(random: Random) -> Laws:
    names = tuple(f"op-{i}" for i in range(random.randint(2, 8)))
    classes = {"theft": "wrong", "insult": "wrong", "assault": "wrong"}
    return Laws(
        operators={name: _operator(random, name) for name in names},
        events={
            kind: EventRule(cls=WakeClass(classes.get(kind, kind)), gravity=random.random())
            for kind in KINDS
        },
        laws=tuple(_law(random, i, names) for i in range(random.randint(0, 8))),
        defiance=Defiance(weights=_weights(random), at=random.random(), line="{order}? No."),
    )


def random_never_rules(random: Random) -> NeverRules:
    return NeverRules(
        rules=tuple(
            NeverRule(
                id=f"never-{i}",
                words="never",
                operators=(f"op-{random.randint(0, 7)}",) if random.random() < 0.5 else (),
                actions=_some(random, VERBS)[:2],
                targets=_some(random, ARCHETYPES, 1) if random.random() < 0.4 else (),
                when=_condition(random),
            )
            for i in range(random.randint(0, 3))
        )
    )


def _forgiveness(random: Random) -> Forgiveness:
    rule = ForgivenessRule(
        id="sorry",
        because="they were sorry",
        excul=random.random(),
        traits=(("warm", 0.3),),
        when=Condition(),
    )
    return Forgiveness(rules=(rule,), half_life_s=random.choice((10.0, 1000.0)))


class World:
    """A random game of so many sweeps, played to its end on construction."""

    def __init__(self, seed: int, sweeps: int = 40) -> None:
        self.random = random = Random(seed)
        self.records: list[dict[str, Any]] = []
        self.left: list[tuple[Frame, Command]] = []
        """Commands that passed the gate, with the frame they left in."""
        self.fired: list[tuple[Frame, Intention, IntentionMove, NeverRules]] = []
        self.manifests = {a: _manifest(random, a) for a in ARCHETYPES}
        self.never_rules = random_never_rules(random)
        self.clock = ManualClock()
        self.deliberator = Deliberator(
            coach=Coach(self.records.append),
            clock=self.clock,
            laws=random_laws(random),
            manifests=self.manifests,
            never_rules=self.never_rules,
            forgiveness=_forgiveness(random),
        )
        self._cast = [self._character(i, name) for i, name in enumerate(NAMES)]
        self._pending: list[Pending] = []
        for tick in range(sweeps):
            self._sweep(tick)

    def _character(self, i: int, name: str) -> Character:
        random = self.random
        return Character(
            name=name,
            handle=i,
            archetype=random.choice((*ARCHETYPES, "stranger")),
            x=random.uniform(0.0, 60.0),
            y=0.0,
            traits={trait: random.random() for trait in TRAITS},
            trust={other.lower(): random.uniform(-1.0, 1.0) for other in NAMES},
            scheduled=random.choice((None, "inn")),
        )

    def _lives_on(self, character: Character) -> Character:
        random = self.random
        order, lease = character.order, character.lease
        if random.random() < 0.1:
            forbids = _some(random, tuple(ACTIONS))[:5]
            order = random.choice((None, Order(text="Stay.", by="Bo", forbids=forbids)))
        if random.random() < 0.1:
            scene = Lease(role="herald", pose="stay", reapply=True)
            lease = random.choice((None, None, None, scene))
        x = random.uniform(0.0, 60.0) if random.random() < 0.2 else character.x
        alive = character.alive and random.random() > 0.003
        return replace(character, order=order, lease=lease, x=x, alive=alive)

    def _event(self, i: int) -> GameEvent:
        random = self.random
        kind = random.choice((*KINDS, "eclipse"))
        return GameEvent(
            id=f"e{i}",
            kind=kind,
            actor=random.choice((*NAMES, "player", "")),
            concerns=(random.choice(NAMES),),
            text=f"{kind} happened",
            gravity=random.random() if random.random() < 0.5 else 0.0,
            need=random.choice((*NEEDS, "quiet")) if kind == "need" else None,
        )

    def _frame(self, tick: int) -> Frame:
        random = self.random
        self._cast = [self._lives_on(c) for c in self._cast]
        return Frame(
            world="mock",
            tab="random",
            tick=tick,
            t=T0 + tick * SWEEP_S,
            characters=tuple(c for c in self._cast if random.random() > 0.05),
            player=None if random.random() < 0.1 else Player(x=random.uniform(0.0, 60.0), y=1.0),
            stations=(Station(label="inn", x=20.0, y=0.0, kind="food"),),
            events=tuple(self._event(i) for i in range(random.choice((0, 1, 2)))),
            night=random.random() < 0.3,
            alarm=random.random() < 0.3,
        )

    def _sweep(self, tick: int) -> None:
        random, deliberator = self.random, self.deliberator
        frame = self._frame(tick)
        deliberator.observe(frame)
        wakes = deliberator.wakes_from(frame)
        if random.random() < 0.1:
            wakes.append(self._promise(frame))
        for wake in wakes:
            self.clock.advance(random.random() / 10)
            begun = deliberator.begin(wake)
            if isinstance(begun, Pending):
                self._pending.append(begun)
        self._settle_some()
        if random.random() < 0.1:
            deliberator.mask(random.choice(NAMES), _some(random, VERBS)[:6])
        standing = {n.lower(): deliberator.intention(n) for n in NAMES}
        for key, move in deliberator.moves(frame).items():
            intention = standing[key]
            assert intention is not None
            if move.acts:
                self.fired.append((frame, intention, move, self.never_rules))
            for command in move.commands:
                self._send(command, frame)
        # somebody else's command, allowed or not
        self._send(Command(cmd=random.choice(VERBS), name=random.choice(NAMES), say="Hm."), frame)

    def _promise(self, frame: Frame) -> Wake:
        name, other = self.random.sample(NAMES, 2)
        return Wake(
            name=name, cls=WakeClass.UNDERTAKING, text="mend the axe", subject=other, t=frame.t
        )

    def _settle_some(self) -> None:
        """Answers come when they come, some twice."""
        random = self.random
        for pending in list(self._pending):
            if random.random() < 0.5:
                continue
            plans = [c.plan for c in pending.question.candidates]
            chosen = random.choice((None, ("nonsense",), *plans))
            answer = random.choice(
                (
                    Ranking(chosen=chosen, because="so"),
                    RankFailure(where="ranker", err="timeout-total"),
                )
            )
            self.deliberator.settle(pending, answer)
            if random.random() < 0.8:
                self._pending.remove(pending)

    def _send(self, command: Command, frame: Frame) -> None:
        sent = self.deliberator.send(command, frame)
        if sent is not None:
            self.left.append((frame, sent))
