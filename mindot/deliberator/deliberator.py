"""The deliberator: from something that happened to a plan carried out over many sweeps."""

from collections.abc import Callable, Mapping
from pathlib import Path

from mindot.deliberator.coach import Coach, CommandSource
from mindot.deliberator.ranker import Ranker
from mindot.deliberator.wake import Outcome, Wake, Wakened
from mindot.game.frame import Command, Frame
from mindot.game.manifest import Manifest, load_manifests, manifest_of
from mindot.game.moves import IntentionMove

__all__ = ["Deliberator"]


class Deliberator:
    """Every character's deliberator in one world."""

    def __init__(
        self,
        *,
        coach: Coach,
        clock: Callable[[], float],
        manifests: Mapping[str, Manifest] | None = None,
        ranker: Ranker | None = None,
    ) -> None:
        self._coach = coach
        self._clock = clock
        self._manifests = load_manifests() if manifests is None else manifests
        self._ranker = ranker

    def observe(self, frame: Frame) -> None:
        """Take the last frame: what wakes are judged by and records carry."""
        self._coach.see(frame)

    def wakes_from(self, frame: Frame) -> list[Wake]:
        """The wakes that a frame's events ask for, and those that waited and may come now."""
        del frame
        return []

    async def wake(self, wake: Wake) -> Wakened:
        """Judge one wake. Never takes longer than the deadline of the settings."""
        start = self._clock()
        done = Wakened(outcome=Outcome.DECLINED, reason="no law covers it")
        self._coach.record(
            "deliberator_wake",
            {
                "name": wake.name,
                "cls": wake.cls.value,
                "outcome": done.outcome.value,
                "id": done.id,
                "plan": list(done.plan),
                "ms": round((self._clock() - start) * 1000.0, 1),
            },
            t=wake.t,
        )
        return done

    def moves(self, frame: Frame) -> dict[str, IntentionMove]:
        """One sweep: what each standing intention does now, by name key."""
        self.observe(frame)
        return {}

    def grudges(self) -> dict[str, float]:
        """The strongest open grudge of each character, 0..1, by name key."""
        return {}

    def gate(self, command: Command, frame: Frame, *, where: str = "gate") -> Command | None:
        """The last gate before the game: the command, or None when the manifest stops it."""
        character = frame.by_key.get(command.name.lower())
        manifest = manifest_of(self._manifests, character.archetype if character else "*")
        if character is not None and manifest.allows(command.cmd):
            return command
        self._coach.record(
            "manifest_blocked",
            {"name": command.name, "verb": command.cmd, "where": where},
            t=frame.t,
        )
        return None

    def send(
        self, command: Command, frame: Frame, source: CommandSource = "plan"
    ) -> Command | None:
        """Gate a command and record it as sent; None when it was stopped."""
        passed = self.gate(command, frame)
        if passed is not None:
            self._coach.command(passed, source, t=frame.t)
        return passed

    def reload(self, directory: Path) -> None:
        """Take laws and manifests from a directory; on any error the old ones stay."""
        self._manifests = load_manifests(directory / "manifests.toml")
