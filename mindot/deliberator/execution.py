"""Carrying out an intention: one sweep, one character.

:func:`carry` goes through the steps whose turn it is until one fires, one has to wait, or the
plan is over. Its result is a value; the records it asks for come in the order in which things
happened.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Final

from mindot.deliberator.binding import Bound, bind, what_is_missing
from mindot.deliberator.composer import score
from mindot.deliberator.intentions import AdvanceWhy, Intention, IntentionState
from mindot.deliberator.laws import Defiance
from mindot.deliberator.never import NeverRule, NeverRules
from mindot.deliberator.operators import PROMISED, Operator, fill_line
from mindot.deliberator.situation import Situation, situation_of
from mindot.deliberator.wake import Wake, WakeClass
from mindot.game.contract import CALM_ACTIONS
from mindot.game.frame import Character, Command, Frame, name_key
from mindot.game.manifest import SAY, Manifest
from mindot.game.moves import IntentionMove

__all__ = ["NOBODY_ELSE", "Carried", "Terms", "breaks_order", "carry"]

NOBODY_ELSE: Final = "self"
"""The ``target`` on record of a step that acts on nobody, as receipts have it."""

_NO_MASK: Final[frozenset[str]] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a plan is carried out under."""

    manifest: Manifest
    never_rules: NeverRules
    defiance: Defiance
    grudge: float
    """Against the intention's subject, now."""
    step_pause_s: float
    masked: frozenset[str] = _NO_MASK
    """Actions that the game cannot carry out for this character now."""


@dataclass(slots=True, kw_only=True)
class Carried:
    """What a sweep made of an intention."""

    intention: Intention
    move: IntentionMove | None = None
    """What the ladder is told; None when the character is not there to be told of."""
    records: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """Kind and payload, in order."""


def breaks_order(action: str, character: Character) -> bool:
    """Whether an action would break the order that binds a character. Words alone never do."""
    order = character.order
    if order is None or action == SAY:
        return False
    return action in order.forbids if order.forbids else action not in CALM_ACTIONS


def carry(intention: Intention, character: Character | None, frame: Frame, terms: Terms) -> Carried:
    """Carry an intention through one sweep. ``character`` is None when the frame lacks it."""
    return _Carrier(intention, character, frame, terms).run()


class _Carrier:
    """One sweep of one intention, step by step."""

    def __init__(
        self, intention: Intention, character: Character | None, frame: Frame, terms: Terms
    ) -> None:
        self._me = character if character is not None and character.alive else None
        self._frame = frame
        self._terms = terms
        self._out = Carried(intention=intention.as_of(frame.t))

    @property
    def _now(self) -> Intention:
        return self._out.intention

    def run(self) -> Carried:
        while self._now.state is IntentionState.STANDING:
            if self._frame.t - self._now.since >= self._now.step.ttl_s:
                self._move_on(AdvanceWhy.TTL)
            elif self._try_step():
                return self._out
        if self._out.move is None:
            # it stood in this sweep and came to nothing: the receipt still tells of it
            self._hold()
        return self._out

    def _try_step(self) -> bool:
        """Whether the sweep is over for this plan: the step fired, or it waits."""
        me, step = self._me, self._now.step
        # a scene that has borrowed the body has it; the plan's time runs on
        if me is None or me.lease is not None:
            return self._hold()
        if step.waits:
            return self._wait_unless_forbidden(me, step)
        if self._frame.t < self._now.not_before:
            return self._hold()
        action = step.action_for(self._terms.manifest, self._terms.masked)
        if action is None:
            self._skip_unbound(step, f"{me.archetype} may do none of what this step becomes")
            return False
        found = bind(step, me, self._frame, self._now.wake.subject_key)
        if found is None:
            self._skip_unbound(step, what_is_missing(step, self._now.wake.subject_key))
            return False
        if step.within is not None and found.distance > step.within:
            return self._hold()
        return self._judge(me, step, action, found)

    def _judge(self, me: Character, step: Operator, action: str, found: Bound) -> bool:
        situation = situation_of(self._now.wake, me, self._frame, grudge=self._terms.grudge)
        rule = self._terms.never_rules.against(step.name, action, found.archetype, situation)
        if rule is not None:
            self._never(step, action, rule)
            return False
        defiant = breaks_order(action, me) and not self._obeys(me)
        if defiant and not self._resolved(situation):
            return self._hold()
        refused = step.refuses and self._is_ordered(me)
        self._fire(me, step, action, found, over_order=defiant or refused)
        return True

    def _is_ordered(self, me: Character) -> bool:
        """Whether there is an order to refuse: one that binds the body, or the one just given."""
        return me.order is not None or self._now.wake.cls is WakeClass.ORDER

    def _obeys(self, me: Character) -> bool:
        """Whether the plan is about the very order that binds the body, and carries it out."""
        order, wake = me.order, self._now.wake
        if order is None or wake.cls is not WakeClass.ORDER:
            return False
        return order.text in wake.text or name_key(order.by) == wake.subject_key

    def _resolved(self, situation: Situation) -> bool:
        resolve, _ = score(self._terms.defiance.weights, situation)
        return resolve >= self._terms.defiance.at

    def _hold(self) -> bool:
        if self._me is not None:
            self._out.move = IntentionMove(episode=self._now.id, acts=False)
        return True

    def _wait_unless_forbidden(self, me: Character, step: Operator) -> bool:
        situation = situation_of(self._now.wake, me, self._frame, grudge=self._terms.grudge)
        # waiting becomes no action and is done to nobody: only the operator's name can forbid it
        rule = self._terms.never_rules.against(step.name, "", None, situation)
        if rule is None:
            return self._wait()
        self._never(step, step.name, rule)
        return False

    def _wait(self) -> bool:
        if not self._now.announced:
            self._record(
                "deliberator_wait",
                desire=self._now.step.name,
                suppressed_say=self._next_line(),
            )
            self._out.intention = self._now.having_announced()
        return self._hold()

    def _next_line(self) -> str:
        """The words that the wait keeps back."""
        rest = self._now.steps[self._now.cursor :]
        step = next((s for s in rest if s.say is not None), None)
        if step is None or step.say is None or self._me is None:
            return ""
        found = bind(step, self._me, self._frame, self._now.wake.subject_key)
        return self._spoken(step.say, found or Bound())

    def _spoken(self, line: str, found: Bound) -> str:
        wake = self._now.wake
        return fill_line(
            line,
            subject=_called(wake, self._frame),
            target=found.name,
            order=self._order_text(),
            need=wake.need or "",
            text=wake.text,
        )

    def _order_text(self) -> str:
        """The order that the present step is about."""
        order = None if self._me is None else self._me.order
        wake = self._now.wake
        if wake.cls is WakeClass.ORDER and (order is None or order.text not in wake.text):
            return wake.text
        return "" if order is None else order.text

    def _need(self, step: Operator) -> str | None:
        need = self._now.wake.need
        return need if need in step.serves else None

    def _skip_unbound(self, step: Operator, reason: str) -> None:
        self._record(
            "deliberator_bind_skip",
            step=self._now.cursor,
            skipped=step.name,
            subject=self._now.wake.subject_key,
            need=self._need(step),
            verb=step.name,
            reason=reason,
        )
        self._move_on(AdvanceWhy.BIND_SKIP)

    def _never(self, step: Operator, action: str, rule: NeverRule) -> None:
        self._record(
            "deliberator_never_blocked",
            step=self._now.cursor,
            skipped=step.name,
            verb=action,
            rule=rule.id,
            when=rule.condition(),
        )
        self._move_on(AdvanceWhy.NEVER_BLOCKED)

    def _fire(
        self, me: Character, step: Operator, action: str, found: Bound, *, over_order: bool
    ) -> None:
        intention, wake = self._now, self._now.wake
        line = self._line(step, found, over_order=over_order)
        command = Command(cmd=action, name=me.name, target=found.target, say=line)
        self._out.move = IntentionMove(
            episode=intention.id,
            acts=True,
            over_order=over_order,
            desire=step.name,
            evidence=wake.text,
            plan=intention.plan,
            step=intention.cursor,
            subject=None if wake.about_player else wake.subject_key,
            target=found.target,
            target_handle=found.handle,
            line=line if over_order else None,
            commands=(command,),
        )
        need = self._need(step)
        self._record(
            "deliberator_decided",
            cls=wake.cls.value,
            verb=step.name,
            manifest_verb=action,
            step=intention.cursor,
            target=found.target or NOBODY_ELSE,
            target_handle=found.handle,
            xy=_place(found),
            need=need,
        )
        if over_order:
            self._out.records.append(
                (
                    "obedience_broken",
                    {
                        "name": me.name,
                        "order": self._order_text(),
                        "reason": intention.because if step.refuses else wake.text,
                        "line": line or "",
                    },
                )
            )
        if need is not None or PROMISED in step.binds:
            self._out.intention = intention.having_served()
        self._move_on(AdvanceWhy.FIRES)

    def _line(self, step: Operator, found: Bound, *, over_order: bool) -> str | None:
        line = step.say or (step.refusal if step.refuses else None)
        if over_order:
            line = step.refusal or (step.say if step.refuses else self._terms.defiance.line)
        if line is None or not self._terms.manifest.speaks:
            return None
        return self._spoken(line, found)

    def _move_on(self, why: AdvanceWhy) -> None:
        before = self._now
        if before.at_last_step:
            self._out.intention = before.ended(IntentionState.DONE)
            self._record(
                "deliberator_plan_done",
                cls=before.wake.cls.value,
                plan=list(before.plan),
                last_step=before.cursor,
                why=why.value,
            )
            self._tell_unmet(before)
            return
        # a plan is seen to unfold; only a step that came to nothing is left behind at once
        pause_s = self._terms.step_pause_s if why is AdvanceWhy.FIRES else 0.0
        after = before.advanced(self._frame.t, pause_s=pause_s)
        self._out.intention = after
        values: dict[str, Any] = {"from": before.cursor, "to": after.cursor}
        self._record(
            "deliberator_step_advance",
            plan=list(before.plan),
            **values,
            desire=after.step.name,
            why=why.value,
        )

    def _tell_unmet(self, intention: Intention) -> None:
        wake = intention.wake
        if wake.cls is WakeClass.NEED and wake.need is not None and not intention.served:
            reason = f"the plan ended and nothing in it could serve {wake.need}"
            self._out.records.append(
                (
                    "deliberator_need_unmet",
                    {"name": wake.name, "need": wake.need, "reason": reason},
                )
            )

    def _record(self, kind: str, **payload: Any) -> None:
        base: Mapping[str, Any] = {"name": self._now.wake.name, "id": self._now.id}
        self._out.records.append((kind, {**base, **payload}))


def _place(found: Bound) -> list[float] | None:
    """Where a step goes, as records have it; a game may not know where somebody is."""
    if found.xy is None or not all(isfinite(v) for v in found.xy):
        return None
    return [round(float(v), 1) for v in found.xy]


def _called(wake: Wake, frame: Frame) -> str:
    """How a spoken line calls the subject, who need not be here."""
    key = wake.subject_key
    if wake.subject is None or key is None:
        return "somebody"
    known = frame.by_key.get(key)
    if known is not None:
        return known.name
    if wake.about_player and frame.player is not None:
        return frame.player.name
    return wake.subject
