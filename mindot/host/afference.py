"""What reaches a mind from the game: the world's changes, and what became of its own acts.

Changes are *exafferent*: the world did them, and they can surprise. The fate of the character's
own acts is *reafferent*: it carries the act's id and never surprises.
"""

from collections.abc import Iterator, Mapping
from math import hypot
from typing import Any, Final

from cognition import Entity, PerceptFacts, Provenance, percept_entity
from mindot.game.contract import CODES, TIERS
from mindot.game.frame import PLAYER, Character, Frame, GameEvent, name_key
from mindot.host.situation import NEAR
from mindot.student.sweep import SweepRow

__all__ = ["AfferenceIds", "act_percept", "frame_percepts", "record_percept", "row_percept"]

_EVENT_SALIENCE: Final[Mapping[str, float]] = {
    "assault": 0.9,
    "alarm": 0.8,
    "theft": 0.7,
    "talk": 0.6,
    "trespass": 0.6,
    "amends": 0.6,
    "insult": 0.5,
    "order": 0.5,
    "greeting": 0.4,
    "need": 0.3,
}
_OTHER_EVENT: Final = 0.4
_ARRIVAL: Final = 0.3
"""Somebody passing by is noticed; it does not surprise."""
_OWN_ACT: Final = 0.3
_HINDERED_ACT: Final = 0.5


class AfferenceIds:
    """Ids for percepts, unique over the life of a host."""

    def __init__(self) -> None:
        self._n = 0

    def next(self, tick: int) -> str:
        self._n += 1
        return f"percept-{tick}-{self._n}"


def frame_percepts(
    before: Frame | None, frame: Frame, character: Character, ids: AfferenceIds
) -> Iterator[Entity]:
    """What changed for this character from one frame to the next."""
    for event in frame.by_concern.get(character.key, ()):
        yield _event(event, frame.tick, ids)
    earlier = before.by_key.get(character.key) if before is not None else None
    if before is None or earlier is None:
        return
    for category, salience, summary in _changes(before, frame, earlier, character):
        yield _exafferent(ids.next(frame.tick), frame.tick, salience, category, summary)


def row_percept(row: SweepRow, act_id: str | None, tick: int, ids: AfferenceIds) -> Entity | None:
    """What became of the act a receipt tells of; None when the row tells of none."""
    receipt = row.receipt
    if row.served == "held":
        code = TIERS["held"].code
        return act_percept(
            f"I wanted to {_words(receipt['action'])}, but my body was not mine to move ({code}: "
            f"{CODES['LW3002'].title}).",
            _HINDERED_ACT,
            act_id,
            tick,
            ids,
        )
    if row.served == "llm-verdict":
        done = ", ".join(_words(c.cmd) for c in row.commands) or "stay as I was"
        return act_percept(f"I did what I had decided: {done}.", _OWN_ACT, act_id, tick, ids)
    if row.served in ("intention", "intention-over-order"):
        whom = f" ({receipt['target']})" if "target" in receipt else ""
        against = " against the order I was given" if row.served.endswith("order") else ""
        return act_percept(
            f"I carried out my plan{against}: {_words(receipt['desire'])}{whom}.",
            _OWN_ACT,
            receipt["episode"],
            tick,
            ids,
        )
    return None


def record_percept(record: Mapping[str, Any], tick: int, ids: AfferenceIds) -> Entity | None:
    """What a flywheel record tells its character of an act that did not come about."""
    told = record["decision"]
    match record["kind"]:
        case "deliberator_bind_skip":
            text = f"I passed over a step of my plan ({told['skipped']}): {told['reason']}."
        case "deliberator_never_blocked":
            text = f"I would never do that ({told['rule']}), so I passed over {told['skipped']}."
        case "deliberator_step_advance" if told["why"] == "ttl":
            text = f"The moment for a step of my plan went by; next is {told['desire']}."
        case "manifest_blocked":
            text = f"I could not {_words(told['verb'])}: it is not mine to do."
        case _:
            return None
    return act_percept(text, _HINDERED_ACT, told.get("id"), tick, ids)


def act_percept(
    summary: str, salience: float, act_id: str | None, tick: int, ids: AfferenceIds
) -> Entity:
    """A reafferent percept of one of the character's own acts."""
    return percept_entity(
        PerceptFacts(
            id=ids.next(tick),
            tick=tick,
            salience=salience,
            category="own-act",
            summary=summary,
            provenance=Provenance.REAFFERENT,
            source_intent_id=act_id,
        )
    )


def _event(event: GameEvent, tick: int, ids: AfferenceIds) -> Entity:
    salience = max(_EVENT_SALIENCE.get(event.kind, _OTHER_EVENT), event.gravity)
    who = event.actor or None
    return _exafferent(
        ids.next(tick),
        tick,
        salience,
        "conversation" if event.kind == "talk" else event.kind,
        event.text,
        entity_id=name_key(who) if who else None,
    )


def _exafferent(
    id_: str, tick: int, salience: float, category: str, summary: str, entity_id: str | None = None
) -> Entity:
    return percept_entity(
        PerceptFacts(
            id=id_,
            tick=tick,
            salience=salience,
            category=category,
            summary=summary,
            provenance=Provenance.EXAFFERENT,
            entity_id=entity_id,
        )
    )


def _changes(
    before: Frame, frame: Frame, earlier: Character, now: Character
) -> Iterator[tuple[str, float, str]]:
    if frame.alarm != before.alarm:
        yield ("alarm", 0.8, "The alarm is raised." if frame.alarm else "The alarm is over.")
    was_near, near = _player_near(before, earlier), _player_near(frame, now)
    if near and not was_near:
        yield (PLAYER, _ARRIVAL, "The player has come near.")
    armed, was_armed = _player_armed(frame), _player_armed(before)
    if near and armed and not was_armed:
        yield (PLAYER, 0.8, "The player has drawn a weapon close to me.")
    elif near and was_armed and not armed:
        yield (PLAYER, 0.5, "The player has put the weapon away.")
    if now.order is not None and now.order != earlier.order:
        yield ("order", 0.5, f"I was given an order: {now.order.text}.")
    elif earlier.order is not None and now.order is None:
        yield ("order", 0.4, f"The order is lifted: {earlier.order.text}.")
    if now.lease is not None and earlier.lease is None:
        yield ("scene", 0.4, f"A scene has taken me up as {now.lease.role}.")
    elif earlier.lease is not None and now.lease is None:
        yield ("scene", 0.4, "The scene has let me go.")
    if now.hurt > earlier.hurt:
        yield ("body", 0.8, "I am hurt.")


def _player_near(frame: Frame, character: Character) -> bool:
    p = frame.player
    return p is not None and hypot(p.x - character.x, p.y - character.y) <= NEAR


def _player_armed(frame: Frame) -> bool:
    return frame.player is not None and frame.player.armed


def _words(verb: str) -> str:
    return verb.replace("_", " ")
