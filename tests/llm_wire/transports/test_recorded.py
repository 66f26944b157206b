from contextlib import aclosing
from pathlib import Path

import pytest

from llm_wire.transport import Completion, Failure, Request, TransportError, Usage
from llm_wire.transports.clock import ManualClock
from llm_wire.transports.recorded import RecordedTransport, RecordingTransport, ReplayDiffers
from llm_wire.transports.recording import RecordingError
from llm_wire.transports.resilient import Allowance, Budget
from llm_wire.transports.scripted import ScriptedReply, ScriptedTransport
from tests.llm_wire.transports.dialects import KEY, OPENAI, request_of
from tests.llm_wire.transports.loopback import Loopback
from tests.llm_wire.transports.players import heard
from tests.llm_wire.transports.steps import cancelled_at_every_await

pytestmark = pytest.mark.anyio

REPLY = ScriptedReply(
    text="I open \ud800.",
    latency_ms=0.1 + 0.2,
    first_token_ms=0.1,
    usage=Usage(prompt_tokens=7, completion_tokens=3),
)


def _script(request: Request) -> ScriptedReply:
    if "fail" in request.messages[0].content:
        return ScriptedReply(failure=Failure.RATE_LIMITED, latency_ms=12.5)
    return REPLY


async def _recorded(path: Path, *requests: Request) -> list[Completion | Failure]:
    transport = RecordingTransport(ScriptedTransport(_script), path, clock=ManualClock())
    ends = [await _end(transport, request) for request in requests]
    for tick, request in enumerate(requests, start=10):
        if request.ask_id:
            transport.landed(request.asker, request.ask_id, tick)
    await transport.aclose()
    return ends


async def _end(
    transport: RecordingTransport | RecordedTransport, request: Request
) -> Completion | Failure:
    try:
        return await transport.ask(request)
    except TransportError as error:
        return error.failure


async def test_a_replay_gives_what_was_recorded(tmp_path: Path) -> None:
    requests = [
        request_of(asker="mock:gerdur", ask_id="7"),
        request_of("fail", asker="mock:gerdur", ask_id="8"),
        request_of(asker="mock:hod", ask_id="7"),
    ]
    ends = await _recorded(tmp_path / "run.jsonl", *requests)
    assert ends[1] is Failure.RATE_LIMITED
    replay = RecordedTransport(tmp_path / "run.jsonl")
    with pytest.raises(TransportError) as failed:
        await replay.ask(requests[1])
    assert failed.value.latency_ms == 12.5
    # in any order: an ask is found by its asker and its id
    assert [await _end(replay, r) for r in reversed(requests)] == ends[::-1]
    assert replay.landing_tick("mock:hod", "7") == 12
    assert replay.landing_tick("mock:hod", "8") is None
    assert replay.statistics().replayed == replay.statistics().recorded == 3
    assert replay.unasked() == ()


async def test_a_recording_has_the_same_bytes_each_time(tmp_path: Path) -> None:
    requests = [request_of(ask_id="1"), request_of("fail", ask_id="2")]
    for name in ("one", "two"):
        await _recorded(tmp_path / name, *requests)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


async def test_a_replay_tells_how_budgets_stood(tmp_path: Path) -> None:
    recorder = RecordingTransport(
        Budget(ScriptedTransport(lambda _: "Hi"), per_minute=Allowance(calls=1)),
        tmp_path / "run.jsonl",
    )
    requests = [request_of(asker="mock:gerdur", ask_id=n) for n in ("1", "2")]
    told = []
    transport: RecordingTransport | RecordedTransport = recorder
    for _ in range(2):
        answered = await transport.ask(requests[0])
        with pytest.raises(TransportError) as refused:
            await transport.ask(requests[1])
        told.append((answered.standing, refused.value.standing, refused.value.detail))
        await transport.aclose()
        transport = RecordedTransport(tmp_path / "run.jsonl")
    assert told[0] == told[1]
    assert [s.used_up for s in told[0][0] + told[0][1]] == ["calls", "calls"]


async def test_asks_without_ids_are_counted(tmp_path: Path) -> None:
    await _recorded(tmp_path / "run", request_of("one"), request_of("two"))
    replay = RecordedTransport(tmp_path / "run")
    await replay.ask(request_of("one"))
    assert [row.ask_id for row in replay.unasked()] == ["#2"]
    await replay.ask(request_of("two"))


async def test_streams_are_recorded_and_replayed(tmp_path: Path) -> None:
    transport = RecordingTransport(ScriptedTransport(_script), tmp_path / "run")
    said: list[str | Completion] = []
    await heard(transport, said)
    await transport.aclose()
    again: list[str | Completion] = []
    await heard(RecordedTransport(tmp_path / "run"), again)
    assert again[-1] == said[-1]
    assert "".join(map(str, again[:-1])) == "".join(map(str, said[:-1]))


async def test_the_first_difference_is_shown_with_both_sides(tmp_path: Path) -> None:
    await _recorded(
        tmp_path / "run", request_of(ask_id="1"), request_of("It is\nevening.", ask_id="2")
    )
    replay = RecordedTransport(tmp_path / "run")
    await replay.ask(request_of(ask_id="1"))
    with pytest.raises(ReplayDiffers) as caught:
        await replay.ask(request_of("It is\nmorning.", ask_id="2", asker=""))
    assert caught.value.number == 2
    assert str(caught.value) == (
        "request 2 ('', ask '2') differs:\n"
        "--- recorded\n+++ replayed\n@@ -7,3 +7,3 @@\n [user]\n It is\n-evening.\n+morning."
    )


async def test_an_ask_that_was_never_recorded(tmp_path: Path) -> None:
    await _recorded(tmp_path / "run", request_of(ask_id="1"))
    with pytest.raises(ReplayDiffers, match="the recording holds no request of 'x', ask '1'") as e:
        await RecordedTransport(tmp_path / "run").ask(request_of(ask_id="1", asker="x"))
    assert e.value.number is None
    assert "Who is at the door?" in str(e.value)


async def test_no_secret_is_recorded(tmp_path: Path) -> None:
    with Loopback([OPENAI.answer("I open.", stream=False)]).serving() as server:
        transport = RecordingTransport(OPENAI.transport(server.base_url), tmp_path / "run")
        await transport.ask(request_of())
        await transport.aclose()
        assert KEY in str(server.seen[0].headers)
    text = (tmp_path / "run").read_text()
    assert KEY not in text
    assert "127.0.0.1" not in text


async def test_a_cancelled_ask_is_recorded_as_such(tmp_path: Path, stream: bool) -> None:
    path = tmp_path / "run"
    transport = RecordingTransport(ScriptedTransport(_script), path)

    async def ask() -> None:
        if stream:
            async with aclosing(transport.stream(request_of())) as pieces:
                async for _ in pieces:
                    pass
        else:
            await transport.ask(request_of())

    awaits = await cancelled_at_every_await(ask)
    await transport.aclose()
    rows = RecordedTransport(path).unasked()
    assert [row.failure for row in rows] == [Failure.CANCELLED] * awaits + [None]


async def test_a_replay_can_be_cancelled(tmp_path: Path) -> None:
    await _recorded(tmp_path / "run", *(request_of() for _ in range(9)))
    replay = RecordedTransport(tmp_path / "run")
    assert await cancelled_at_every_await(lambda: replay.ask(request_of())) > 0


async def test_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "run"
    await _recorded(path, request_of(ask_id="1"), request_of(ask_id="2"))
    path.write_text(path.read_text()[:-40])
    assert RecordedTransport(path).landing_tick("", "1") == 10


@pytest.mark.parametrize(
    "line",
    ["{}", "[]", "x", '{"v":2}', '{"v":1,"n":1}', '{"v":1,"landed":"1","asker":"","tick":null}'],
)
def test_what_is_no_recording(tmp_path: Path, line: str) -> None:
    path = tmp_path / "run"
    path.write_text(line + "\n")
    with pytest.raises(RecordingError, match=r"run', line 1, is no line of a recording"):
        RecordedTransport(path)


async def test_the_same_ask_twice(tmp_path: Path) -> None:
    await _recorded(tmp_path / "run", request_of(ask_id="1"), request_of(ask_id="1"))
    with pytest.raises(RecordingError, match="holds ask '1' of '' twice"):
        RecordedTransport(tmp_path / "run")
