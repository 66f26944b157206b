"""What a sweep of the reflex brain costs: features, head, mask, ladder and receipts.

Run ``python -m tests.benchmarks.bench_sweep``. The crowd is seeded: nine of ten characters are
content, the rest have something on their mind, some of them an intention or a parked verdict.
Every sweep meets a fresh frame; building it is not timed. The peer is the same brain asked about
one character at a time, which is what a task for each of them would come to; the yardstick is
what orjson takes to write the same receipts as JSON. On a machine that does other things besides,
the CPU column is the one to look at.
"""

import gc
import random
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import orjson

from mindot.game.contract import TIERS
from mindot.game.frame import Character, Frame, GameEvent, Order, Player
from mindot.game.manifest import load_manifests
from mindot.game.moves import IntentionMove
from mindot.student.features import feature_matrix
from mindot.student.head import DefaultHead
from mindot.student.sweep import Sweep
from mindot.student.verdicts import ParkedVerdict

__all__ = ["main"]

ARCHETYPES = ("guard", "smith", "merchant", "farmer", "healer", "child")
AREA_EACH = 40.0
"""Square units of ground for each character, so that a bigger crowd is no denser."""
TARGETS_MS = {1_000: 15.0, 10_000: 150.0}
SWEEPS = 30


def _character(i: int, n: int, dice: random.Random) -> Character:
    side = (n * AREA_EACH) ** 0.5
    busy = dice.random() < 0.06
    needs = {need: dice.random() * 0.3 for need in ("food", "rest", "company", "safety")}
    return Character(
        name=f"Villager {i}",
        handle=i,
        archetype=ARCHETYPES[i % len(ARCHETYPES)],
        x=dice.random() * side,
        y=dice.random() * side,
        energy=60 + 40 * dice.random(),
        sleep_pressure=30 * dice.random(),
        stress=20 * dice.random(),
        needs=needs | ({"food": 0.9, "company": 0.8} if busy else {}),
        traits={t: dice.random() for t in ("brave", "warm", "temper", "dutiful", "curious")},
        trust={f"villager {(i + k) % n}": dice.random() for k in (1, 2, 5)},
        station="home",
        scheduled="home" if dice.random() < 0.98 else "field",
        task="open" if busy else None,
        customer=busy and i % 2 == 0,
        order=Order(text="stay here") if i % 20 == 0 else None,
    )


def crowd(n: int, tick: int) -> Frame:
    """A seeded frame of ``n`` characters."""
    dice = random.Random(f"{n}:{tick}")
    people = tuple(_character(i, n, dice) for i in range(n))
    thefts = tuple(
        GameEvent(
            id=f"e{tick}-{i}",
            kind="theft" if i % 2 else "talk",
            actor=f"Villager {i}",
            concerns=(f"Villager {i + 1}",),
            text="something happened",
        )
        for i in range(0, n - 1, 50)
    )
    return Frame(
        world="bench",
        tab="bench",
        tick=tick,
        t=1_000_000.0 + 2 * tick,
        characters=people,
        player=Player(x=10.0, y=10.0, armed=tick % 2 == 0),
        events=thefts,
    )


def standing(frame: Frame) -> tuple[dict[str, IntentionMove], dict[str, ParkedVerdict]]:
    """A plan for every thirtieth character, a verdict for every fiftieth."""
    moves = {
        c.key: IntentionMove(
            episode=f"{c.key}-1", acts=c.handle % 60 == 0, desire="demand", plan=("demand",)
        )
        for c in frame.characters[::30]
    }
    verdicts = {
        c.key: ParkedVerdict(
            name=c.name, verb="go_station", tup="", top2=("stay", "watch"), t_parked=frame.t
        )
        for c in frame.characters[::50]
    }
    return moves, verdicts


class _Times(NamedTuple):
    """Milliseconds of each run, sorted."""

    wall: list[float]
    cpu: list[float]
    """Without the time in which other processes had the processor."""

    def line(self, what: str) -> str:
        p50, p99 = (
            _middle(self.wall),
            self.wall[min(len(self.wall) - 1, len(self.wall) * 99 // 100)],
        )
        return f"{what:<34}{p50:9.2f} ms p50 {p99:9.2f} ms p99 {_middle(self.cpu):9.2f} ms CPU"


def _middle(times: list[float]) -> float:
    return times[len(times) // 2]


def _times(frames: list[Frame], run: Callable[[Frame], object]) -> _Times:
    wall, cpu = [], []
    for frame in frames:
        start, busy = time.perf_counter(), time.thread_time()
        run(frame)
        wall.append((time.perf_counter() - start) * 1000)
        cpu.append((time.thread_time() - busy) * 1000)
    return _Times(sorted(wall), sorted(cpu))


def _measure(n: int) -> float:
    frames = [crowd(n, tick) for tick in range(SWEEPS if n <= 1_000 else 10)]
    standings = {frame.tick: standing(frame) for frame in frames}
    head, sweep = DefaultHead(), Sweep(DefaultHead(), load_manifests())
    rows = sweep.run(frames[0], *standings[0], {})
    calm = sum(row.served == "calm" for row in rows) / len(rows)
    tiers = sum(any(row.served == tier for row in rows) for tier in TIERS)
    print(f"\n{n} characters, {calm:.0%} calm, {tiers} tiers, {len(frames)} sweeps")
    # the frames of all sweeps are here at once only for this benchmark
    gc.collect()
    gc.freeze()

    def run(frame: Frame) -> object:
        return sweep.run(frame, *standings[frame.tick], {})

    whole, pauses = _with_pauses(frames, run)
    gc.disable()
    without = _times(frames, run)
    gc.enable()
    inputs = feature_matrix(frames[0], {})
    print(whole.line("  whole sweep"))
    print(f"  {'of it the collector, worst pause':<34}{max(pauses, default=0.0):9.2f} ms")
    print(without.line("  whole sweep, collector off"))
    print(_times(frames, lambda f: feature_matrix(f, {})).line("  of it features"))
    print(_times(frames, lambda _: head.probabilities(inputs)).line("  of it head"))
    gc.unfreeze()
    written = _times(frames, lambda _: [orjson.dumps(row.receipt) for row in rows])
    print(written.line("  beside it: its receipts as JSON"))
    ratio = _middle(whole.cpu) / _middle(written.cpu)
    print(f"  deciding takes {ratio:.1f} x as long as writing it down with orjson (CPU)")
    middle = _middle(whole.wall)
    target = TARGETS_MS.get(n)
    if target is not None:
        print(f"  target {target:.0f} ms: {middle / target:.2f} of it used")
    return middle


def _with_pauses(frames: list[Frame], run: Callable[[Frame], object]) -> tuple[_Times, list[float]]:
    """Times of the runs, and of every collection meanwhile, in milliseconds."""
    pauses: list[float] = []
    started = 0.0

    def watch(phase: str, _: object) -> None:
        nonlocal started
        if phase == "start":
            started = time.perf_counter()
        else:
            pauses.append((time.perf_counter() - started) * 1000)

    gc.callbacks.append(watch)
    try:
        return _times(frames, run), pauses
    finally:
        gc.callbacks.remove(watch)


def _one_by_one(n: int) -> float:
    """The same crowd with a sweep for each character, in milliseconds."""
    sweep = Sweep(DefaultHead(), load_manifests())
    singles = [
        Frame(world="bench", tab="bench", tick=0, t=1e6, characters=(c,))
        for c in crowd(n, 0).characters
    ]
    start = time.perf_counter()
    for frame in singles:
        sweep.run(frame, {}, {}, {})
    return (time.perf_counter() - start) * 1000


def main() -> None:
    """Print what a sweep costs for 100, 1,000 and 10,000 characters."""
    print(f"Python {sys.version.split()[0]}, collector thresholds {gc.get_threshold()}")
    costs = {n: _measure(n) for n in (100, 1_000, 10_000)}
    growth = costs[10_000] / costs[1_000]
    print(f"\ngrowth from 1,000 to 10,000 characters: {growth:.1f} x (10 is linear)")
    print(f"1,000 sweeps of one character: {_one_by_one(1_000) / costs[1_000]:.1f} x as long")


if __name__ == "__main__":
    main()
