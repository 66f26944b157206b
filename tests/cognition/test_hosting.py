"""A mind in a task group: only cancellation surfaces, and nothing is lost."""

import asyncio
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from cognition import (
    Answered,
    Ask,
    Escalation,
    Handoff,
    MindHost,
    NotAnswered,
    Outcome,
    ThoughtFailure,
)
from cognition.testing import answer_text
from tests.cognition.rig import DILEMMA, TALK, Rig, talk


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


pytestmark = pytest.mark.anyio


async def test_asks_are_thought_about_and_land_at_the_next_step() -> None:
    rig = Rig(answer_text("stay", reply="Good day."))
    async with anyio.create_task_group() as tasks:
        with MindHost(rig.mind, rig.deliberation.think, tasks) as host:
            rig.mind.report(TALK, talk(), tick=0)
            assert host.step(1, {}) == []
            assert host.thinking == 1
            await host.settled()
            (decision,) = host.step(2, {})
            assert decision.reply == "Good day."
    assert [e["reason"] for e in rig.sink.of_type("destroy")] == ["explicit"]


async def test_a_thought_that_raises_costs_that_thought_only() -> None:
    rig = Rig()

    async def broken(ask: Ask) -> Outcome:
        raise RuntimeError("a secret of the server")

    async with anyio.create_task_group() as tasks:
        with MindHost(rig.mind, broken, tasks) as host:
            rig.mind.report(TALK, talk(), tick=0)
            host.step(1, {})
            await host.settled()
            (decision,) = host.step(2, {})
    assert decision.failure is ThoughtFailure.PROTOCOL
    assert "secret" not in decision.output.reasoning


async def test_closing_a_thread_stops_its_thought() -> None:
    rig = Rig()
    stopped: list[str] = []

    async def think(ask: Ask) -> Outcome:
        try:
            await anyio.sleep_forever()
        finally:
            stopped.append(ask.ask_id)
        return NotAnswered(ask_id=ask.ask_id, failure=ThoughtFailure.CANCELLED)

    async with anyio.create_task_group() as tasks:
        with MindHost(rig.mind, think, tasks) as host:
            rig.mind.report(TALK, talk(), tick=0)
            host.step(1, {})
            await anyio.wait_all_tasks_blocked()
            rig.mind.close_thread(TALK, 1)
            host.step(2, {})
            await host.settled()
            assert stopped == ["mock:gerdur/1"]
            assert host.executive.statistics().stale == 0


class Cancelled(BaseException):
    """Stands for whatever made the host stop."""


def _awaiting(steps: int) -> Callable[[Ask], object]:
    async def think(ask: Ask) -> Outcome:
        for _ in range(steps):
            await anyio.lowlevel.checkpoint()
        return Answered(ask_id=ask.ask_id, text=answer_text("stay", escalation="raised"))

    return think


@pytest.mark.parametrize("after", range(12))
async def test_cancelling_at_any_point_closes_every_facet_and_loses_no_handoff(
    after: int,
) -> None:
    rig = Rig()
    reached = 0
    pushed = 0
    raised = 0

    async def play() -> None:
        nonlocal reached, pushed, raised
        async with anyio.create_task_group() as tasks:
            with MindHost(rig.mind, _awaiting(3), tasks) as host:  # type: ignore[arg-type]
                for tick in range(1, 50):
                    rig.mind.report(TALK, talk(), tick=tick)
                    rig.mind.report(DILEMMA, talk(), tick=tick)
                    rig.mind.push(Handoff(body=Escalation(reasoning=f"task {tick}"), tick=tick))
                    pushed += 1
                    raised += sum(len(d.raised) for d in host.step(tick, {}))
                    reached = tick
                    await anyio.lowlevel.checkpoint()

    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(play)
            for _ in range(after):
                await anyio.lowlevel.checkpoint()
            scope.cancel()
    assert scope.cancelled_caught
    assert reached < 49
    spawned = {e["facetId"] for e in rig.sink.of_type("spawn")}
    ended = {e["facetId"]: e["reason"] for e in rig.sink.of_type("destroy")}
    assert ended == dict.fromkeys(spawned, "explicit")
    statistics = rig.mind.statistics()
    assert (statistics.facets.live, statistics.outstanding) == (0, 0)
    held = statistics.waiting_handoffs + sum(
        e.metadata["category"] == "task-escalation" for e in rig.mind.entities().values()
    )
    assert held == pushed + raised
    calls, responses = rig.sink.of_type("call"), rig.sink.of_type("response")
    assert [c["askId"] for c in calls] == sorted(
        (r["askId"] for r in responses), key=lambda a: int(a.rsplit("/", 1)[1])
    )


async def test_only_cancellation_surfaces() -> None:
    rig = Rig()

    async def think(ask: Ask) -> Outcome:
        await anyio.sleep_forever()
        raise AssertionError("unreachable")

    async def play() -> None:
        async with anyio.create_task_group() as tasks:
            with MindHost(rig.mind, think, tasks) as host:
                rig.mind.report(TALK, talk(), tick=0)
                host.step(1, {})
                await anyio.wait_all_tasks_blocked()
                raise Cancelled

    with pytest.raises(BaseException) as caught:  # noqa: PT011 - a group on both backends
        await play()
    assert isinstance(caught.value, BaseExceptionGroup)
    assert [type(e) for e in caught.value.exceptions] == [Cancelled]
    assert [e["reason"] for e in rig.sink.of_type("destroy")] == ["explicit"]


@pytest.mark.parametrize(
    "given",
    [
        None,
        "an answer",
        Answered(ask_id="mock:gerdur/99", text=answer_text("stay")),
    ],
)
async def test_what_is_no_outcome_of_the_ask_costs_that_thought_only(given: Any) -> None:
    rig = Rig()

    async def think(ask: Ask) -> Any:
        return given if ask.key == TALK else rig.deliberation.answer(ask)

    async with anyio.create_task_group() as tasks:
        with MindHost(rig.mind, think, tasks) as host:
            rig.mind.report(TALK, talk(), tick=0)
            rig.mind.report(DILEMMA, talk(), tick=0)
            host.step(1, {})
            await host.settled()
            decisions = host.step(2, {})
    assert [d.failure for d in decisions] == [ThoughtFailure.PROTOCOL, None]


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_cancellation_from_elsewhere_costs_that_thought_only(anyio_backend: str) -> None:
    rig = Rig()
    shared = asyncio.ensure_future(asyncio.sleep(3600))

    async def think(ask: Ask) -> Outcome:
        if ask.key == TALK:
            await shared
        return rig.deliberation.answer(ask)

    async with anyio.create_task_group() as tasks:
        with MindHost(rig.mind, think, tasks) as host:
            rig.mind.report(TALK, talk(), tick=0)
            rig.mind.report(DILEMMA, talk(), tick=0)
            host.step(1, {})
            await anyio.wait_all_tasks_blocked()
            shared.cancel()
            await host.settled()
            decisions = host.step(2, {})
            await anyio.lowlevel.checkpoint()  # the group lives on
    assert [d.failure for d in decisions] == [ThoughtFailure.CANCELLED, None]


def test_an_outcome_says_what_came_in_the_kinds_it_names() -> None:
    with pytest.raises(ValueError, match="text must be a string, got None"):
        Answered(ask_id="a", text=None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="latency_ms must be a finite number, got nan"):
        Answered(ask_id="a", text="", latency_ms=float("nan"))
    with pytest.raises(ValueError, match="latency_ms must be a finite number, got '5'"):
        NotAnswered(ask_id="a", failure=ThoughtFailure.LATE, latency_ms="5")  # type: ignore[arg-type]
