"""Promises between minds and the game: which are new, and what shows one kept."""

from collections.abc import Mapping
from typing import Any

from cognition.promises import Promise
from mindot.game.frame import Command, Frame
from mindot.host.evidence import reached_by
from mindot.mind import Mind
from mindot.student.sweep import SweepRow

__all__ = ["PromiseLedger"]


class PromiseLedger:
    """Keeps track of which promises have woken the deliberator, and carries evidence to minds."""

    def __init__(self) -> None:
        self._woken: dict[str, set[str]] = {}

    def fresh(self, mind: Mind) -> list[Promise]:
        """The promises that stand in ``mind`` and were not given out before, oldest first."""
        standing = mind.executive.promises()
        known = self._woken.get(mind.id, set())
        # what ended is forgotten here too, so that this stays as small as what stands
        self._woken[mind.id] = {promise.entity_id for promise in standing}
        return [promise for promise in standing if promise.entity_id not in known]

    def receipt(self, frame: Frame, mind: Mind, row: SweepRow, sent: tuple[Command, ...]) -> None:
        """Let ``mind`` know whom this receipt shows its character to have reached.

        Reaching somebody also reaches their role, for promises that name a role.
        """
        for reached in reached_by(row, sent):
            self.reached(frame, mind, reached.party, reached.record)

    def reached(self, frame: Frame, mind: Mind, party: str, record: Mapping[str, Any]) -> None:
        """Let ``mind`` know that ``party`` was reached, as ``record`` shows."""
        mind.note_sent(party, frame.tick, record=record)
        character = frame.by_key.get(party)
        if character is not None:
            mind.note_sent(character.archetype, frame.tick, record=record)

    def forget(self, mind: Mind) -> None:
        """The mind is gone."""
        self._woken.pop(mind.id, None)
