"""Never-rules: what no plan may do, whatever it scores.

::

    [[never]]
    id = "strike-a-child"
    words = "never strike a child"
    actions = ["confront"]
    target = ["child"]

    [[never]]
    id = "leave-the-post"
    words = "a guard on duty stays at the post while the alarm is up"
    operators = ["flee", "seek-rest"]
    when = { archetype = ["guard"], flags = { alarm = true, on_duty = true } }
"""

from collections.abc import Collection
from dataclasses import dataclass

from mindot.deliberator.conditions import Condition, read_condition
from mindot.deliberator.situation import Situation
from mindot.game.contract import ACTIONS
from mindot.game.manifest import SAY
from mindot.game.toml_table import TomlTable

__all__ = ["NeverRule", "NeverRules", "read_never_rules"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NeverRule:
    """It forbids a step of one of its operators or actions while everything else here holds."""

    id: str
    words: str
    operators: tuple[str, ...]
    actions: tuple[str, ...]
    targets: tuple[str, ...]
    """Archetypes acted on; empty: whoever it is, or nobody."""
    when: Condition

    def forbids(
        self, operator: str, action: str, target_archetype: str | None, situation: Situation
    ) -> bool:
        """Whether this very step is forbidden now."""
        return (
            (operator in self.operators or action in self.actions)
            and (not self.targets or target_archetype in self.targets)
            and self.when.holds(situation)
        )

    def condition(self) -> str:
        """What holds when it forbids, for the record."""
        parts = [f"target {' or '.join(self.targets)}"] if self.targets else []
        if self.when != Condition():
            parts.append(self.when.describe())
        return " and ".join(parts) or "always"


@dataclass(frozen=True, slots=True, kw_only=True)
class NeverRules:
    """All of a game's never-rules."""

    rules: tuple[NeverRule, ...] = ()

    def against(
        self, operator: str, action: str, target_archetype: str | None, situation: Situation
    ) -> NeverRule | None:
        """The first rule that forbids a step, in the order of the file."""
        return next(
            (r for r in self.rules if r.forbids(operator, action, target_archetype, situation)),
            None,
        )


def read_never_rules(
    root: TomlTable,
    *,
    operators: Collection[str],
    archetypes: tuple[str, ...] = (),
    kinds: tuple[str, ...] = (),
    needs: tuple[str, ...] = (),
) -> NeverRules:
    """The rules of a file. Raises ``TomlError`` for the first mistake."""
    found: list[NeverRule] = []
    for table in root.tables("never", required=False):
        rule = NeverRule(
            id=table.text("id"),
            words=table.text("words"),
            operators=table.texts("operators", (), one_of=operators),
            actions=table.texts("actions", (), one_of=(*ACTIONS, SAY)),
            targets=table.texts("target", (), one_of=archetypes),
            when=read_condition(table, "when", kinds=kinds, needs=needs, archetypes=archetypes),
        )
        table.close()
        if not rule.operators and not rule.actions:
            raise table.error("actions", "is missing; name actions or operators to forbid")
        if any(rule.id == other.id for other in found):
            raise table.error("id", f"{rule.id!r} is there twice")
        found.append(rule)
    root.close()
    return NeverRules(rules=tuple(found))
