"""The commands that leave because of a served row."""

from mindot.game.contract import CALM_ACTIONS
from mindot.game.frame import Character, Command, Frame
from mindot.game.moves import IntentionMove
from mindot.student.binding import bind
from mindot.student.verdicts import ParkedVerdict

__all__ = ["commands_of"]


def commands_of(
    served: str,
    action: str,
    character: Character,
    frame: Frame,
    move: IntentionMove | None,
    verdict: ParkedVerdict | None,
) -> tuple[Command, ...]:
    """What to tell the game; empty where the tier asks for no deed.

    ``action`` is the head's leaning. A plan brings its own commands; the others are bound to a
    target here. A verdict for a calm action is carried out by letting the game go on.
    """
    if served == "emitted":
        return (_bound(action, character, frame),)
    if served == "routine":
        return (_bound("go_station", character, frame),)
    if served == "recast" and character.lease is not None:
        return (Command(cmd=character.lease.pose, name=character.name),)
    if served == "llm-verdict" and verdict is not None and verdict.verb not in CALM_ACTIONS:
        if verdict.target is None:
            return (_bound(verdict.verb, character, frame),)
        return (Command(cmd=verdict.verb, name=character.name, target=verdict.target),)
    if served in ("intention", "intention-over-order") and move is not None:
        return move.commands
    return ()


def _bound(verb: str, character: Character, frame: Frame) -> Command:
    return Command(cmd=verb, name=character.name, target=bind(verb, character, frame))
