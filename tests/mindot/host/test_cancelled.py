"""A host cancelled in the middle of a streamed answer: nothing but the cancellation surfaces."""

import random
from collections.abc import Awaitable, Callable

import anyio
import pytest
from anyio.lowlevel import checkpoint

from llm_wire.transports.clock import ManualClock
from llm_wire.transports.resilient.stack import Resilience, Stack
from llm_wire.transports.scripted import ScriptedTransport
from mindot.game.frame import Player
from mindot.host.host import Host
from mindot.host.record_book import MemoryBook
from mindot.host.thinking import Background, LockStep
from tests.llm_wire.transports.leaks import no_leaks
from tests.llm_wire.transports.steps import cancelled_at_every_await
from tests.mindot.host.stage import SURE, Leaning, a_character, a_frame, a_talk

pytestmark = pytest.mark.anyio

ANSWER = """{"actions": [], "reasoning": "Why not.", "confidence": 0.9}
[REPLY_TEXT]By all means.[/REPLY_TEXT]"""


def _conversation(
    heard: list[str], *, lock_step: bool
) -> tuple[Stack, Callable[[], Awaitable[None]]]:
    """A host that is asked something and answers, piece by piece."""
    stack = Stack(
        {"m": ScriptedTransport(lambda _: ANSWER)},
        Resilience(concurrent=1),
        rng=random.Random(7),
        clock=ManualClock(),
    )
    two = (a_character(), a_character("Hod"))
    player = Player(x=1.0, y=0.0)

    async def play() -> None:
        async with anyio.create_task_group() as tasks:
            host = Host(
                transport=stack,
                thinking=LockStep() if lock_step else Background(tasks),
                records=MemoryBook(),
                head=Leaning(SURE),
            )
            await host.step(a_frame(0, *two, player=player))
            for name in ("Gerdur", "Hod"):
                mind = host.mind_of(name)
                assert mind is not None
                mind.listen("player", heard.append)
            talks = [a_talk("Gerdur"), a_talk("Hod")]
            await host.step(a_frame(1, *two, events=talks, player=player))
            for _ in range(40):  # a stream has some ten pieces, and one waits for the other
                await checkpoint()
            await host.step(a_frame(2, *two, player=player))
            host.close()
            tasks.cancel_scope.cancel()

    return stack, play


@pytest.mark.parametrize("lock_step", [True, False], ids=["lock-step", "background"])
async def test_cancelled_at_any_await_of_a_streamed_conversation(lock_step: bool) -> None:
    heard: list[str] = []
    stack, play = _conversation(heard, lock_step=lock_step)
    await play()
    assert sorted("".join(heard)) == sorted("By all means." * 2)
    async with no_leaks():
        awaits = await cancelled_at_every_await(play)
    assert awaits > 20
    statistics = stack.statistics()
    assert statistics.limit.running == statistics.limit.queued == 0
    assert statistics.limit.served > awaits // 2  # most of them were under way
    assert statistics.models[0].breaker.failures_in_a_row == 0
    heard.clear()
    await play()
    assert sorted("".join(heard)) == sorted("By all means." * 2)
