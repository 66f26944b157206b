"""What minds cost that do not think, and what a thought costs beside the model's own time.

Run it with ``python -m tests.benchmarks.bench_minds``. Peers: an empty Python object for memory, a
call of an empty method for the pump, ``json.loads`` of the same answer for the thought.
"""

import gc
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cognition import FacetSupervisor, StateView
from cognition.asking import Answered, Focus, FocusKind
from cognition.executive import Executive
from cognition.persona import Persona
from mindot.game.contract import ACTIONS

MINDS = 10_000
VERBS = {action.name: action.meaning for action in ACTIONS.values()}
BODY = {"energy.level": 80.0, "sleep.pressure": 10.0, "stress.load": 10.0}
ANSWER = json.dumps(
    {
        "actions": [
            {"type": "confront", "reasoning": "Enough is enough.", "expectedOutcome": "It ends."}
        ],
        "reasoning": "I have let it pass twice, and a third time would be one too many.",
        "confidence": 0.7,
    }
)


class _Empty:
    def pump(self, state: StateView) -> None: ...


def resident_mib() -> float:
    status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    line = next(line for line in status if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def best_ms(work: Callable[[], Any], rounds: int = 7) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1000)
    return min(times)


def memory() -> None:
    gc.collect()
    before = resident_mib()
    minds = [
        Executive(f"mock:n{n}", persona=Persona(name=f"N{n}"), affordances=VERBS)
        for n in range(MINDS)
    ]
    for mind in minds:
        mind.pump(1, BODY)
    after = resident_mib()
    print(f"{MINDS:,} idle minds: {after - before:.0f} MiB more than none (target at most 300)")
    once = best_ms(lambda: [mind.pump(2, BODY) for mind in minds])
    print(f"  one tick of all of them: {once:.1f} ms")


def _no_facet(facet_id: str, key: str | None) -> Any:
    raise AssertionError((facet_id, key))


def pump() -> None:
    state = StateView(tick=10)
    supervisors = [FacetSupervisor(_no_facet, trace=lambda event: None) for _ in range(MINDS)]
    empty = [_Empty() for _ in range(MINDS)]

    def run(pumped: list[Any]) -> None:
        for one in pumped:
            one.pump(state)

    idle, call = best_ms(lambda: run(supervisors)), best_ms(lambda: run(empty))
    print(
        f"pump of {MINDS:,} idle supervisors: {idle:.2f} ms (target at most 2), "
        f"{idle / call:.1f} times as many empty calls"
    )


def thought() -> None:
    mind = Executive("mock:gerdur", persona=Persona(name="Gerdur"), affordances=VERBS)
    spent: list[float] = []
    for tick in range(1, 2001):
        start = time.process_time()
        mind.report(
            "npc:mock:gerdur",
            Focus(kind=FocusKind.DILEMMA, text="A stranger at the gate.", options=VERBS),
            tick=tick,
        )
        for ask in mind.pump(tick, BODY):
            mind.deliver(Answered(ask_id=ask.ask_id, text=ANSWER, latency_ms=500.0))
        landed = mind.land(tick)
        spent.append((time.process_time() - start) * 1000 / max(1, len(landed)))
    peer = best_ms(lambda: [json.loads(ANSWER) for _ in range(1000)]) / 1000
    spent.sort()
    p50, p99 = statistics.median(spent), spent[int(len(spent) * 0.99)]
    print(
        f"a thought: p50 {p50:.3f} ms, p99 {p99:.3f} ms of CPU (target at most 1), "
        f"{p50 / peer:.0f} times json.loads of its answer"
    )


def main() -> None:
    pump()
    thought()
    memory()


if __name__ == "__main__":
    main()
