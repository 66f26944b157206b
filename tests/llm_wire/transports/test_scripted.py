import anyio
import pytest

from llm_wire.transport import Completion, Failure, TransportError
from llm_wire.transports.clock import ManualClock
from llm_wire.transports.scripted import ScriptedReply, ScriptedTransport
from tests.llm_wire.transports.players import heard, request_of, settled

pytestmark = pytest.mark.anyio


async def test_a_script_answers_at_once_and_says_what_it_took() -> None:
    transport = ScriptedTransport(lambda r: ScriptedReply(text=r.system, latency_ms=150))
    completion = await transport.ask(request_of())
    assert completion == Completion(text="You are Gerdur.", model="scripted", latency_ms=150)
    assert transport.statistics().answered == 1


async def test_it_streams_in_pieces_of_a_length() -> None:
    transport = ScriptedTransport(lambda _: ScriptedReply(text="abcdefg", piece_length=3))
    said: list[str | Completion] = []
    await heard(transport, said)
    assert said == ["abc", "def", "g", Completion(text="abcdefg", model="scripted")]


async def test_it_fails_by_name(stream: bool) -> None:
    transport = ScriptedTransport(
        lambda _: ScriptedReply(failure=Failure.OVER_QUOTA, latency_ms=3, retry_after_s=4)
    )
    with pytest.raises(TransportError) as caught:
        await (heard(transport, []) if stream else transport.ask(request_of()))
    assert caught.value.failure is Failure.OVER_QUOTA
    assert (caught.value.latency_ms, caught.value.retry_after_s) == (3, 4)
    assert transport.statistics().failed == 1


async def test_a_blank_text_is_no_answer(stream: bool) -> None:
    transport = ScriptedTransport(lambda _: " \n")
    with pytest.raises(TransportError, match="empty"):
        await (heard(transport, []) if stream else transport.ask(request_of()))


async def test_with_a_clock_its_answers_take_their_time(stream: bool) -> None:
    clock = ManualClock()
    reply = ScriptedReply(text="abcdef", latency_ms=300, piece_length=2)
    transport = ScriptedTransport(lambda _: reply, clock=clock)
    done: list[float] = []

    async def ask() -> None:
        await (heard(transport, []) if stream else transport.ask(request_of()))
        done.append(clock.now())

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ask)
        for _ in range(29):
            await settled()
            clock.advance(0.01)
        assert not done
        clock.advance(0.02)
    assert done
