"""The async edge: deadlines, failures, and answers that come too late."""

import asyncio
import contextlib
from dataclasses import replace
from typing import Any

import anyio
import pytest

from mindot.deliberator import (
    Coach,
    Deliberator,
    DeliberatorSettings,
    Outcome,
    Pending,
    RankFailure,
    Ranking,
    RankQuestion,
    Wake,
    WakeClass,
    Wakened,
)
from mindot.deliberator.ranker import Ranker
from mindot.deliberator.testing import ManualClock, ScriptedRanker
from mindot.game.frame import Frame, Player
from tests.mindot.deliberator.stage import STATIONS, T0, person

pytestmark = pytest.mark.anyio

SOON = DeliberatorSettings(deadline_s=0.01)


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> Any:
    return request.param


class Scene:
    """A deliberator with a frame in view."""

    def __init__(self, ranker: Ranker | None, **options: Any) -> None:
        self.records: list[dict[str, Any]] = []
        self.clock = ManualClock()
        self.deliberator = Deliberator(
            coach=Coach(self.records.append), clock=self.clock, ranker=ranker, **options
        )
        self.deliberator.observe(
            Frame(
                world="mock",
                tab="test",
                tick=1,
                t=T0,
                characters=(person("Ylva"), person("Runa", "guard")),
                player=Player(x=10.0, y=2.0),
                stations=STATIONS,
            )
        )

    def kinds(self) -> list[str]:
        return [r["kind"] for r in self.records]

    def error(self) -> dict[str, Any]:
        (found,) = [r["decision"] for r in self.records if r["kind"] == "deliberator_rank_error"]
        return dict(found)


FOULED = Wake(
    name="Ylva",
    cls=WakeClass.WRONG,
    text="the well was fouled",
    subject="player",
    gravity=0.4,
    t=T0,
)
"""No law of the package speaks of it, so a ranker is asked."""


class Asleep:
    """A ranker that never answers."""

    cancelled = False

    async def rank(self, question: RankQuestion) -> Ranking:
        try:
            await anyio.sleep_forever()
        finally:
            self.cancelled = True
        raise AssertionError


class Deaf:
    """A ranker that does not heed its cancellation, and answers when it is let go."""

    def __init__(self) -> None:
        self.go = anyio.Event()
        self.answered = anyio.Event()

    async def rank(self, question: RankQuestion) -> Ranking:
        with anyio.CancelScope(shield=True):
            await self.go.wait()
        self.answered.set()
        return Ranking(chosen=question.candidates[-1].plan, because="I took my time")


async def test_a_ranking_that_is_late_is_cancelled_and_the_composer_decides() -> None:
    asleep = Asleep()
    scene = Scene(asleep, settings=SOON)
    done = await scene.deliberator.wake(FOULED)
    assert done.outcome is Outcome.INTENTION
    assert asleep.cancelled
    assert scene.error() == {"name": "Ylva", "where": "ranker", "err": "late"}
    assert scene.kinds()[-1] == "deliberator_wake"


async def test_a_late_answer_has_no_effect_when_it_comes() -> None:
    deaf = Deaf()
    async with anyio.create_task_group() as group:
        scene = Scene(deaf, settings=SOON, task_group=group)
        done = await scene.deliberator.wake(FOULED)
        assert not deaf.answered.is_set()
        before = list(scene.records)
        deaf.go.set()
        await deaf.answered.wait()
    assert scene.records == before
    standing = scene.deliberator.intention("Ylva")
    assert standing is not None
    assert standing.plan == done.plan


async def test_an_answer_in_spite_of_cancellation_counts_as_late() -> None:
    class Stubborn:
        async def rank(self, question: RankQuestion) -> Ranking:
            with contextlib.suppress(anyio.get_cancelled_exc_class()):
                await anyio.sleep_forever()
            return Ranking(chosen=None, because="never mind")

    scene = Scene(Stubborn(), settings=SOON)
    done = await scene.deliberator.wake(FOULED)
    assert done.outcome is Outcome.INTENTION
    assert scene.error()["err"] == "late"


async def test_the_run_s_own_clock_can_be_past_the_deadline() -> None:
    def slow(question: RankQuestion) -> int:
        scene.clock.advance(9.0)
        return 1

    scene = Scene(ScriptedRanker(slow))
    await scene.deliberator.wake(FOULED)
    assert scene.error()["err"] == "late"
    assert scene.records[-1]["decision"]["ms"] == 9000.0


async def test_an_answer_within_a_task_group_is_taken() -> None:
    async with anyio.create_task_group() as group:
        scene = Scene(ScriptedRanker(lambda q: 1), task_group=group)
        done = await scene.deliberator.wake(FOULED)
    assert scene.kinds() == ["deliberator_escalation", "deliberator_rank", "deliberator_wake"]
    assert done.reason == scene.records[1]["decision"]["because"]


async def test_a_cancelled_host_leaves_a_whole_record() -> None:
    scene = Scene(Asleep())
    with anyio.move_on_after(0):
        await scene.deliberator.wake(FOULED)
    assert scene.error()["err"] == "cancelled"
    assert scene.kinds()[-1] == "deliberator_wake"


async def test_a_host_may_judge_without_waiting() -> None:
    scene = Scene(None)
    pending = scene.deliberator.begin(FOULED)
    assert isinstance(pending, Pending)
    answer = Ranking(chosen=pending.candidates[1].plan, because="so be it")
    done = scene.deliberator.settle(pending, answer)
    assert done.plan == pending.candidates[1].plan
    again = scene.deliberator.settle(pending, RankFailure(where="ranker", err="late"))
    assert again == done
    assert scene.kinds() == ["deliberator_escalation", "deliberator_rank", "deliberator_wake"]


async def test_what_happens_while_a_mind_thinks_is_not_undone() -> None:
    scene = Scene(None)
    pending = scene.deliberator.begin(FOULED)
    assert isinstance(pending, Pending)
    struck = Wake(
        name="Ylva",
        cls=WakeClass.WRONG,
        kind="assault",
        text="struck",
        subject="player",
        gravity=0.9,
        t=T0,
    )
    meanwhile = scene.deliberator.begin(struck)
    assert isinstance(meanwhile, Wakened)
    answer = Ranking(chosen=pending.candidates[0].plan, because="so be it")
    done = scene.deliberator.settle(pending, answer)
    assert done.outcome is Outcome.DECLINED
    standing = scene.deliberator.intention("Ylva")
    assert standing is not None
    assert standing.id == meanwhile.id


async def test_the_same_thing_is_not_asked_twice() -> None:
    scene = Scene(None)
    first = scene.deliberator.begin(FOULED)
    assert isinstance(first, Pending)
    again = scene.deliberator.begin(FOULED)
    assert isinstance(again, Wakened)
    assert again.reason == "is with the mind already"
    scene.deliberator.settle(first, Ranking(chosen=None, because="let it be"))
    assert isinstance(scene.deliberator.begin(FOULED), Pending)


async def test_a_graver_wrong_takes_over_what_came_while_a_mind_thought() -> None:
    scene = Scene(None)
    graver = scene.deliberator.begin(
        Wake(name="Ylva", cls=WakeClass.WRONG, text="burnt", subject="player", gravity=0.95, t=T0)
    )
    assert isinstance(graver, Pending)
    scene.deliberator.settle(
        scene.deliberator.begin(replace(FOULED, kind="sabotage")),  # type: ignore[arg-type]
        RankFailure(where="ranker", err="late"),
    )
    scene.deliberator.settle(graver, RankFailure(where="ranker", err="late"))
    assert scene.kinds()[-2:] == ["deliberator_swap", "deliberator_wake"]


async def test_a_wake_that_says_no_time_is_of_now() -> None:
    scene = Scene(None)
    await scene.deliberator.wake(
        Wake(name="Ylva", cls=WakeClass("wrong"), text="the well was fouled", subject="player")
    )
    assert scene.records[0]["decision"]["wake_t"] == T0


async def test_who_is_not_in_the_frame_declines() -> None:
    scene = Scene(None)
    done = await scene.deliberator.wake(Wake(name="Nobody", cls=WakeClass.NEED, text="?", t=T0))
    assert (done.outcome, done.reason) == (Outcome.DECLINED, "not in the frame")
    assert scene.kinds() == ["deliberator_wake"]


async def test_a_deliberator_that_has_seen_no_frame_declines() -> None:
    records: list[dict[str, Any]] = []
    deliberator = Deliberator(coach=Coach(records.append), clock=ManualClock())
    assert deliberator.grudges() == {}
    done = await deliberator.wake(FOULED)
    assert done.outcome is Outcome.DECLINED
    assert (records[0]["t"], records[0]["state"]) == (T0, {})


def test_a_wake_says_what_is_wrong_with_it() -> None:
    with pytest.raises(ValueError, match="name may not be blank"):
        Wake(name=" ", cls=WakeClass.NEED, text="", t=T0)
    with pytest.raises(ValueError, match="gravity is between 0 and 1, not 2"):
        Wake(name="Ylva", cls=WakeClass.NEED, text="", t=T0, gravity=2)


@pytest.mark.parametrize(
    "nonsense",
    [
        None,
        "report",
        {"chosen": ["report"]},
        Ranking(chosen=None, because=None),  # type: ignore[arg-type]
        Ranking(chosen=None, because="\ud800"),
        RankFailure(where="mind", err=7),  # type: ignore[arg-type]
    ],
)
async def test_an_answer_that_is_no_ranking_is_a_failure(nonsense: Any) -> None:
    class Confused:
        async def rank(self, question: RankQuestion) -> Ranking:
            return nonsense  # type: ignore[no-any-return]

    scene = Scene(Confused())
    done = await scene.deliberator.wake(FOULED)
    assert done.outcome is Outcome.INTENTION
    assert scene.error() == {"name": "Ylva", "where": "ranking", "err": "no-ranking"}
    assert scene.kinds()[1:] == ["deliberator_rank_error", "deliberator_wake"]


@pytest.mark.parametrize("grouped", [False, True])
def test_a_cancellation_of_the_rankers_own_is_its_failure(grouped: bool) -> None:
    class Dropped:
        async def rank(self, question: RankQuestion) -> Ranking:
            raise asyncio.CancelledError

    async def play() -> None:
        async with anyio.create_task_group() as group:
            scene = Scene(Dropped(), task_group=group if grouped else None)
            done = await scene.deliberator.wake(FOULED)
        assert done.outcome is Outcome.INTENTION
        assert scene.error()["err"] == "cancelled"
        assert scene.kinds()[-1] == "deliberator_wake"

    anyio.run(play, backend="asyncio")


def test_a_task_that_is_cancelled_stays_cancelled() -> None:
    async def play() -> None:
        scene = Scene(Asleep())
        task = asyncio.ensure_future(scene.deliberator.wake(FOULED))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert scene.error()["err"] == "cancelled"
        assert scene.kinds()[-1] == "deliberator_wake"

    asyncio.run(play())
