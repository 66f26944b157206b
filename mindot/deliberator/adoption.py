"""Making a plan the character's own: what it takes, and what gives way or has to wait."""

from mindot.deliberator._state import State
from mindot.deliberator.composer import Candidate
from mindot.deliberator.deferral import alike
from mindot.deliberator.intentions import Intention, IntentionState
from mindot.deliberator.wake import Wake, WakeClass, Wakened

__all__ = ["adopt", "defer", "outweighs"]


def outweighs(state: State, wake: Wake, standing: Intention) -> bool:
    """Whether a wake is so much graver a wrong that the standing plan gives way."""
    return (
        wake.cls is WakeClass.WRONG
        and wake.gravity > standing.wake.gravity + state.settings.swap_margin
    )


def defer(state: State, wake: Wake, began: float, standing: Intention) -> Wakened:
    """Decline a wake for now. What is worth it waits for the standing plan to end."""
    if alike(wake, standing.wake):
        return state.finish(wake, began, reason=f"{standing.id} already sees to it")
    if wake.cls is WakeClass.GREETING:
        return state.finish(wake, began, reason=f"{standing.id} comes first")
    state.deferred.put(wake, state.now(wake))
    return state.finish(wake, began, reason=f"waits for {standing.id} to end")


def adopt(
    state: State, wake: Wake, began: float, chosen: Candidate, *, because: str | None = None
) -> Wakened:
    """Let a plan stand, unless it is not worth it or something as grave stands by now.

    ``because``: the words of a mind that chose it. A mind's choice needs no score.
    """
    if because is None and chosen.score < state.settings.act_at:
        return state.finish(wake, began, reason="no plan is worth it")
    # asked again here: while a ranker thought, the world went on
    standing = state.standing.get(wake.key)
    if standing is not None:
        if not outweighs(state, wake, standing):
            return defer(state, wake, began, standing)
        _swap(state, wake, standing)
    law = chosen.law or "improvised"
    intention = _make(state, wake, chosen, because or f"{law}: {chosen.explain()}")
    state.standing[wake.key] = intention
    return state.finish(wake, began, intention, reason=because or law, explained=chosen.explain())


def _swap(state: State, wake: Wake, standing: Intention) -> None:
    standing.ended(IntentionState.SWAPPED)
    if standing.owes_a_promise:
        state.deferred.put(standing.wake, state.now(wake))
    gained = round(wake.gravity - standing.wake.gravity, 4)
    payload = {"name": wake.name, "to": wake.cls.value, "score": gained}
    state.record("deliberator_swap", payload, wake)


def _make(state: State, wake: Wake, chosen: Candidate, because: str) -> Intention:
    t = state.now(wake)
    number = state.made[wake.key] = state.made.get(wake.key, 0) + 1
    operators = state.book.laws.operators
    return Intention(
        id=f"{wake.key}-{number}",
        wake=wake,
        steps=tuple(operators[name] for name in chosen.plan),
        began=t,
        since=t,
        because=because,
    )
