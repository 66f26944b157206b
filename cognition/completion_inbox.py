"""Where answers wait for the next tick boundary.

Answers come whenever a model is done; a mind takes them up only between two ticks, in the order
in which it asked, so that what it does depends on what came back and never on the moment.
"""

from cognition.asking import Ask, NotAnswered, Outcome, ThoughtFailure

__all__ = ["CompletionInbox"]


class CompletionInbox:
    """The asks of one mind that are out, and the outcomes that came for them."""

    __slots__ = ("_arrived", "_out")

    def __init__(self) -> None:
        self._out: dict[str, Ask] = {}  # in order of asking
        self._arrived: dict[str, Outcome] = {}

    def __len__(self) -> int:
        """Asks that are out, whether or not something came back for them."""
        return len(self._out)

    def __contains__(self, ask_id: object) -> bool:
        return ask_id in self._out

    def expect(self, ask: Ask) -> None:
        """Wait for an outcome of ``ask``."""
        self._out[ask.ask_id] = ask

    def waiting_for(self, ask_id: str) -> Ask | None:
        """The ask that is out under this id and has no outcome yet."""
        return None if ask_id in self._arrived else self._out.get(ask_id)

    def cancel(self, ask_id: str) -> bool:
        """Let an ask come to nothing at the next boundary, whatever came or still comes for it.

        True when an outcome had arrived and is lost with that.
        """
        if ask_id not in self._out:
            return False
        lost = ask_id in self._arrived
        self._arrived[ask_id] = NotAnswered(ask_id=ask_id, failure=ThoughtFailure.CANCELLED)
        return lost

    def forget(self, ask_id: str) -> Ask | None:
        """Stop waiting for an ask: whatever still comes for it has no effect."""
        self._arrived.pop(ask_id, None)
        return self._out.pop(ask_id, None)

    def outstanding(self) -> tuple[Ask, ...]:
        """The asks that are out, in order of asking."""
        return tuple(self._out.values())

    def deliver(self, outcome: Outcome) -> bool:
        """Take in an outcome. False when nobody waits for it, or one is there already."""
        if outcome.ask_id not in self._out or outcome.ask_id in self._arrived:
            return False
        self._arrived[outcome.ask_id] = outcome
        return True

    def arrived(self) -> tuple[str, ...]:
        """Ids of the asks for which something came, in order of asking."""
        return tuple(ask_id for ask_id in self._out if ask_id in self._arrived)

    def take(self, ask_id: str) -> tuple[Ask, Outcome] | None:
        """One ask with what came for it. None when it was called off, or nothing came.

        They are taken one by one: while one takes effect another may still be called off.
        """
        if ask_id not in self._arrived:
            return None
        return self._out.pop(ask_id), self._arrived.pop(ask_id)
