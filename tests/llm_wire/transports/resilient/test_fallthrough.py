import pytest

from llm_wire.transport import Completion, Failure, TransportError
from llm_wire.transports.resilient import Fallthrough
from tests.llm_wire.transports.players import Player, failed, heard, request_of

pytestmark = pytest.mark.anyio


async def test_the_next_model_is_asked_when_one_fails() -> None:
    first, second = Player(failed(Failure.OVER_QUOTA)), Player("Hello")
    models = Fallthrough([first, second])
    assert (await models.ask(request_of())).text == "Hello"
    assert models.statistics().answered_by == (0, 1)


async def test_the_first_that_answers_is_the_last_asked() -> None:
    first, second = Player("Hello"), Player("Hi")
    said: list[str | Completion] = []
    await heard(Fallthrough([first, second]), said)
    assert said[0] == "Hello"
    assert not second.calls


async def test_the_last_failure_is_raised() -> None:
    models = Fallthrough([Player(failed(Failure.UNREACHABLE)), Player(failed(Failure.EMPTY))])
    with pytest.raises(TransportError) as caught:
        await models.ask(request_of())
    assert caught.value.failure is Failure.EMPTY
    assert models.statistics().failed == 1


@pytest.mark.parametrize("failure", [Failure.CANCELLED, Failure.OVER_BUDGET])
async def test_the_askers_own_ends_are_final(failure: Failure) -> None:
    second = Player("Hello")
    with pytest.raises(TransportError):
        await Fallthrough([Player(failed(failure)), second]).ask(request_of())
    assert not second.calls


async def test_words_that_are_out_are_not_said_again() -> None:
    second = Player("Hello")
    models = Fallthrough([Player(["Hel", failed(Failure.UNREACHABLE)]), second])
    said: list[str | Completion] = []
    with pytest.raises(TransportError):
        await heard(models, said)
    assert said == ["Hel"]
    assert not second.calls


async def test_closing_closes_them_all() -> None:
    players = [Player("Hello"), Player("Hi")]
    await Fallthrough(players).aclose()
    assert all(player.closed for player in players)


def test_an_empty_list() -> None:
    with pytest.raises(ValueError, match="at least one transport"):
        Fallthrough([])
