"""From a frame's events to wakes."""

from collections.abc import Mapping

from mindot.deliberator.laws import EventRule
from mindot.deliberator.wake import Wake
from mindot.game.frame import Character, Frame, GameEvent, name_key

__all__ = ["wakes_of_events"]


def wakes_of_events(frame: Frame, rules: Mapping[str, EventRule]) -> list[Wake]:
    """One wake for each event and each living character it concerns, in the frame's order.

    Nobody is woken by what they did themselves, nor by a kind of event that no rule names.
    """
    wakes = []
    for event in frame.events:
        rule = rules.get(event.kind)
        if rule is None:
            continue
        for key in dict.fromkeys(name_key(name) for name in event.concerns):
            character = frame.by_key.get(key)
            if character is None or not character.alive:
                continue
            if character.key != name_key(event.actor):
                wakes.append(_wake(event, rule, character, frame))
    return wakes


def _wake(event: GameEvent, rule: EventRule, character: Character, frame: Frame) -> Wake:
    need = event.need if event.need is not None else rule.need
    gravity = event.gravity
    if gravity <= 0.0:
        gravity = max(rule.gravity, character.needs.get(need, 0.0) if need is not None else 0.0)
    return Wake(
        name=character.name,
        cls=rule.cls,
        text=event.text,
        t=frame.t,
        subject=event.actor or None,
        kind=event.kind,
        gravity=min(1.0, max(0.0, gravity)),
        need=need,
        event_id=event.id,
    )
