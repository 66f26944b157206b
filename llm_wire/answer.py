"""The answer in a text: what it is, and which values count as one."""

from typing import Any, Final

from llm_wire.lenient_json import read_lenient
from llm_wire.markers import MarkerMap

__all__ = ["Answer", "Route", "flat_actions", "has_action", "has_type", "is_answer"]


class Route:
    """How an answer was had, from best to none; the values are plain strings."""

    JSON: Final = "json"
    REPAIRED: Final = "repaired"
    SALVAGED: Final = "salvaged"
    FALLBACK: Final = "fallback"


class Answer:
    """The object that was chosen, and where it stood.

    What most answers do not need is left to the class, because one is made for every answer.
    """

    closed = True
    """Whether the object's own closing brace was seen."""
    unwhole: dict[int, Any] | None = None
    """Containers that were cut, by ``id``; None when there are none."""
    unkept = 0
    """Values that lie too deep, or are numbers that nothing can hold."""
    inside: list[tuple[int, int]]
    """Stretches of the text whose blocks do not stand outside, in order."""
    markers: MarkerMap | None = None
    """The text's markers, where the search needed them."""

    def __init__(self, route: str, value: dict[str, Any], start: int, end: int) -> None:
        self.route = route
        self.value = value
        self.start = start
        self.end = end

    def exactly(self, text: str) -> dict[str, Any] | None:
        """The same object by the reader that rounds no integer and keeps no value too deep."""
        value = read_lenient(text, self.start).value
        if type(value) is list and len(value) == 1 and type(value[0]) is dict:
            value = value[0] if "actions" in value[0] else {"actions": value}
        elif type(value) is list:
            value = {"actions": value}
        elif type(value) is dict and "actions" not in value and len(value) == 1:
            (value,) = value.values()
            if type(value) is list:
                value = {"actions": value}
        return value if type(value) is dict and is_answer(value) else None


def is_answer(value: dict[str, Any]) -> bool:
    """Whether the object has actions of its own, in any shape that is understood."""
    if "actions" not in value:
        return False
    actions = value["actions"]
    kind = type(actions)
    return kind is list or kind is dict or kind is str or actions is None


def has_type(item: dict[str, Any]) -> bool:
    """Whether an action says what it is: its ``type`` is text and not blank."""
    kind = item.get("type")
    return type(kind) is str and kind != "" and not kind.isspace()


def flat_actions(actions: Any) -> list[Any]:
    """What the ``actions`` of an answer list, whatever shape they came in, in order."""
    if actions is None:
        return []
    if type(actions) is not list:
        return [actions]
    if list not in map(type, actions):
        return actions
    flat: list[Any] = []
    waiting = [iter(actions)]
    while waiting:
        for item in waiting[-1]:
            if type(item) is list:
                waiting.append(iter(item))
                break
            flat.append(item)
        else:
            waiting.pop()
    return flat


def has_action(actions: Any, unwhole: dict[int, Any] | None) -> bool:
    """Whether one of ``actions`` can be used: it is whole and names what to do."""
    return any(
        (has_type(item) and not (unwhole and id(item) in unwhole))
        if type(item) is dict
        else type(item) is str and item.strip() != ""
        for item in flat_actions(actions)
    )
