"""Answers wait for the boundary, and come out in the order of asking."""

from hypothesis import given
from hypothesis import strategies as st

from cognition import Answered, Ask, AskKind, NotAnswered, Outcome, ThoughtFailure
from cognition.completion_inbox import CompletionInbox


def ask(number: int) -> Ask:
    return Ask(
        ask_id=f"a{number}",
        mind="m",
        facet_id="facet-1",
        key=None,
        tick=number,
        system="",
        prompt="?",
        kind=AskKind.FACET,
    )


def taken(inbox: CompletionInbox) -> list[tuple[Ask, Outcome]]:
    return [found for i in inbox.arrived() if (found := inbox.take(i)) is not None]


@given(st.permutations(range(6)), st.integers(0, 6))
def test_the_order_of_coming_does_not_matter(order: list[int], arrived: int) -> None:
    inbox = CompletionInbox()
    for number in range(6):
        inbox.expect(ask(number))
    came = order[:arrived]
    for number in came:
        assert inbox.deliver(Answered(ask_id=f"a{number}", text=str(number)))
    assert [a.tick for a, _ in taken(inbox)] == sorted(came)
    assert [a.tick for a in inbox.outstanding()] == sorted(order[arrived:])
    assert taken(inbox) == []


def test_only_the_first_outcome_of_an_ask_that_is_out_counts() -> None:
    inbox = CompletionInbox()
    inbox.expect(ask(1))
    assert "a1" in inbox
    assert inbox.waiting_for("a1") == ask(1)
    assert inbox.deliver(Answered(ask_id="a1", text="first"))
    assert inbox.waiting_for("a1") is None
    assert not inbox.deliver(Answered(ask_id="a1", text="second"))
    assert not inbox.deliver(Answered(ask_id="a2", text="nobody"))
    ((_, outcome),) = taken(inbox)
    assert isinstance(outcome, Answered)
    assert outcome.text == "first"
    assert not inbox.deliver(Answered(ask_id="a1", text="late"))
    assert len(inbox) == 0


def test_what_is_cancelled_comes_to_nothing_at_the_boundary() -> None:
    inbox = CompletionInbox()
    for number in (1, 2):
        inbox.expect(ask(number))
    inbox.deliver(Answered(ask_id="a1", text="arrived"))
    assert inbox.cancel("a1")
    assert not inbox.cancel("a2")
    assert not inbox.cancel("a3")
    assert not inbox.deliver(Answered(ask_id="a2", text="late"))
    assert [outcome for _, outcome in taken(inbox)] == [
        NotAnswered(ask_id=f"a{n}", failure=ThoughtFailure.CANCELLED) for n in (1, 2)
    ]


def test_what_is_forgotten_is_not_waited_for() -> None:
    inbox = CompletionInbox()
    inbox.expect(ask(1))
    assert inbox.forget("a1") == ask(1)
    assert inbox.forget("a1") is None
    assert taken(inbox) == []


def test_what_is_called_off_while_others_land_is_not_taken() -> None:
    inbox = CompletionInbox()
    for number in (1, 2):
        inbox.expect(ask(number))
        inbox.deliver(Answered(ask_id=f"a{number}", text="x"))
    first, second = inbox.arrived()
    assert inbox.take(first) == (ask(1), Answered(ask_id="a1", text="x"))
    inbox.forget(second)
    assert inbox.take(second) is None
    assert inbox.take(first) is None
