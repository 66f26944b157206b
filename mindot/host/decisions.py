"""What a landed thought comes to: a verdict for the ladder, words, or a bodily stance."""

from typing import Final, NamedTuple

from cognition.asking import Decision, Focus, FocusKind
from cognition.response import Action
from mindot.deliberator.coach import Coach
from mindot.deliberator.deliberator import Deliberator
from mindot.game.contract import ACTIONS
from mindot.game.frame import Command, Frame, name_key
from mindot.game.manifest import SAY, STANCES, manifest_of
from mindot.host.afference import AfferenceIds, act_percept
from mindot.host.promises import PromiseLedger
from mindot.mind import Mind
from mindot.student.sweep import SweepRow
from mindot.student.verdicts import ParkedVerdict, VerdictShelf

__all__ = ["Decisions"]

_EXPIRED: Final = 0.3
"""Salience of having come too late."""


class _Act(NamedTuple):
    ask_id: str
    verb: str
    because: str


class Decisions:
    """Turns decisions into what the sweep serves and the game hears."""

    def __init__(
        self,
        deliberator: Deliberator,
        coach: Coach,
        promises: PromiseLedger,
        ids: AfferenceIds,
    ) -> None:
        self._deliberator = deliberator
        self._coach = coach
        self._promises = promises
        self._ids = ids
        self._acts: dict[str, _Act] = {}
        """By name key, what the verdict that waits goes back to."""
        self._stances: dict[str, int] = {}
        """By name key, the tick at which a fallback last had a say."""
        self.shelf = VerdictShelf()
        """The verdicts that wait for the ladder."""

    def take(self, frame: Frame, mind: Mind, decision: Decision, ms: float) -> list[Command]:
        """Carry one decision on; the commands that left at once. ``ms`` is what it took."""
        if decision.failure is not None:
            return self._fall_back(frame, mind, decision)
        act = next((a for a in decision.actions if a.type in ACTIONS), None)
        focus = decision.focus
        if focus is not None and focus.kind is FocusKind.DILEMMA:
            if act is not None:
                self._settle(frame, mind, decision, focus, act, ms)
            return []
        if act is not None:
            self._park(frame, mind, decision, act)
        if focus is not None and focus.kind is FocusKind.CONVERSATION:
            return self._say(frame, mind, decision, focus)
        return []

    def serve(self, row: SweepRow) -> str | None:
        """Tell in the receipt of a verdict what the mind wanted and why; the id of the act behind
        it, None for a row without a verdict."""
        act = self._acts.pop(row.key, None) if row.served == "llm-verdict" else None
        if act is None:
            return None
        row.receipt["verdict"] = act.verb
        row.receipt["because"] = act.because
        return act.ask_id

    def expire(self, frame: Frame, verdict: ParkedVerdict, mind: Mind | None) -> None:
        """A verdict came too late: its mind is told."""
        act = self._acts.pop(verdict.key, None)
        if mind is not None:
            what = verdict.verb.replace("_", " ")
            summary = f"I had decided to {what}, but the moment was over."
            act_id = None if act is None else act.ask_id
            mind.perceive(act_percept(summary, _EXPIRED, act_id, frame.tick, self._ids))

    def forget(self) -> None:
        """Nothing that waits is to be served: time went back."""
        self.shelf = VerdictShelf()
        self._acts.clear()

    def _settle(
        self, frame: Frame, mind: Mind, decision: Decision, focus: Focus, act: Action, ms: float
    ) -> None:
        """The answer to a dilemma goes on record whether or not a sweep will serve it."""
        tup = str(focus.data["situation"])
        (first, _), (second, _) = focus.data["torn_between"]
        self._coach.record(
            "student_escalation_verdict",
            {
                "name": mind.name,
                "tuple": tup,
                "verb": act.type,
                "because": decision.output.because,
                "ms": round(ms, 1),
            },
            t=frame.t,
            tuple=tup,
        )
        self._park(frame, mind, decision, act, tup, (first, second))

    def _park(
        self,
        frame: Frame,
        mind: Mind,
        decision: Decision,
        act: Action,
        tup: str = "",
        top2: tuple[str, str] = ("", ""),
    ) -> None:
        """What a thought decided waits for the sweep, and the ladder gives it its turn."""
        self._acts[name_key(mind.name)] = _Act(decision.ask_id, act.type, decision.output.because)
        self.shelf.park(
            ParkedVerdict(
                name=mind.name,
                verb=act.type,
                tup=tup,
                top2=top2,
                t_parked=frame.t,
                because=decision.output.because,
                target=act.target,
            )
        )

    def _say(self, frame: Frame, mind: Mind, decision: Decision, focus: Focus) -> list[Command]:
        if decision.reply is None:
            return []
        whom = focus.interlocutor_id or focus.interlocutor_name
        said = Command(cmd=SAY, name=mind.name, target=whom, say=decision.reply)
        sent = self._deliberator.send(said, frame, "raw")
        if sent is None:
            return []
        if whom is not None:
            record = {"t": round(frame.t, 2), "cmd": SAY}
            self._promises.reached(frame, mind, whom, record)
        return [sent]

    def _fall_back(self, frame: Frame, mind: Mind, decision: Decision) -> list[Command]:
        """No thought came back: at most a bodily stance, as the manifest enacts it.

        One a boundary is enough, however many thoughts failed, and none moves a body that is
        under an order or in a scene.
        """
        character = frame.by_key.get(name_key(mind.name))
        if character is None or character.order is not None or character.lease is not None:
            return []
        if self._stances.get(character.key) == frame.tick:
            return []
        self._stances[character.key] = frame.tick
        manifest = manifest_of(self._deliberator.manifests, character.archetype)
        intended = {act.type for act in decision.output.actions}
        commands = (
            manifest.stance_command(stance, character, frame)
            for stance in STANCES
            if stance in intended
        )
        sent = (self._deliberator.send(command, frame, "raw") for command in commands)
        return [command for command in sent if command is not None]
