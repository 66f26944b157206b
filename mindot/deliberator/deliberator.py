"""The deliberator: from something that happened to a plan carried out over many sweeps."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from anyio.abc import TaskGroup

from mindot.deliberator._state import State
from mindot.deliberator.asking import LATE, ask
from mindot.deliberator.coach import Coach, CommandSource
from mindot.deliberator.events import wakes_of_events
from mindot.deliberator.execution import Terms, carry
from mindot.deliberator.forgiveness import Forgiveness
from mindot.deliberator.intentions import Intention, IntentionState
from mindot.deliberator.judging import begin, settle
from mindot.deliberator.lawbook import Lawbook, load_lawbook
from mindot.deliberator.laws import Laws
from mindot.deliberator.never import NeverRules
from mindot.deliberator.questions import Pending
from mindot.deliberator.ranker import Ranker, RankFailure, Ranking
from mindot.deliberator.settings import DeliberatorSettings
from mindot.deliberator.wake import Wake, Wakened
from mindot.game.frame import Character, Command, Frame, name_key
from mindot.game.manifest import Manifest, manifest_of
from mindot.game.moves import IntentionMove

__all__ = ["Deliberator", "DeliberatorStatistics"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliberatorStatistics:
    """A deliberator in figures, as of the last frame."""

    standing: int
    """Intentions under way."""
    waiting: int
    """Wakes that wait for a plan to end."""
    grudges: int
    """Characters with an open grudge."""
    records: Mapping[str, int]
    """Flywheel records written by kind, by everybody who shares the coach."""


class Deliberator:
    """Every character's deliberator in one world.

    The core is synchronous: ``begin`` judges a wake and either settles it or gives back the
    question for a ranker, ``settle`` takes the answer. ``wake`` does both and waits in between,
    never past the deadline. Once a sweep, ``moves`` carries out what stands.

    ``clock`` gives seconds; it times the ``ms`` of wakes and nothing else. Everything else goes
    by the time of the frames. ``lawbook`` is the package's unless given; ``laws``, ``manifests``,
    ``never_rules`` and ``forgiveness`` each replace their part of it. With a ``task_group`` a
    ranking is left behind at the deadline even when it does not heed its cancellation.
    """

    def __init__(
        self,
        *,
        coach: Coach,
        clock: Callable[[], float],
        lawbook: Lawbook | None = None,
        laws: Laws | None = None,
        manifests: Mapping[str, Manifest] | None = None,
        never_rules: NeverRules | None = None,
        forgiveness: Forgiveness | None = None,
        ranker: Ranker | None = None,
        settings: DeliberatorSettings | None = None,
        task_group: TaskGroup | None = None,
    ) -> None:
        tuned = settings or DeliberatorSettings()
        book = load_lawbook(step_pause_s=tuned.step_pause_s) if lawbook is None else lawbook
        book = Lawbook(
            manifests=book.manifests if manifests is None else manifests,
            laws=book.laws if laws is None else laws,
            never_rules=book.never_rules if never_rules is None else never_rules,
            forgiveness=book.forgiveness if forgiveness is None else forgiveness,
        )
        self._ranker = ranker
        self._task_group = task_group
        self._state = State(book=book, coach=coach, clock=clock, settings=tuned)

    @property
    def manifests(self) -> Mapping[str, Manifest]:
        """The manifests in force; they change with :meth:`reload`."""
        return self._state.book.manifests

    def intention(self, name: str) -> Intention | None:
        """The intention that stands for a character, as of the last sweep."""
        return self._state.standing.get(name_key(name))

    def grudges(self) -> dict[str, float]:
        """The strongest open grudge of each character that has one, 0..1, by name key."""
        frame = self._state.frame
        return {} if frame is None else self._state.grudges.strongest(frame.t)

    def statistics(self) -> DeliberatorStatistics:
        """Figures for a status line; nothing is computed that is not kept anyway."""
        state = self._state
        return DeliberatorStatistics(
            standing=len(state.standing),
            waiting=len(state.deferred),
            grudges=len(self.grudges()),
            records=state.coach.counts(),
        )

    def observe(self, frame: Frame) -> None:
        """Take the last frame: what wakes are judged by and records carry."""
        self._state.see(frame)

    def mask(self, name: str, verbs: Iterable[str]) -> None:
        """Take actions away from a character for now; an empty mask gives them back."""
        self._state.masks[name_key(name)] = frozenset(verbs)

    def reload(self, directory: Path) -> None:
        """Take laws and manifests from a directory; see ``load_lawbook`` for its files.

        Raises ``TomlError`` for the first mistake; the old ones stay in force then. Plans under
        way keep the operators they were made of, and are held to the new manifests.
        """
        pause_s = self._state.settings.step_pause_s
        self._state.replace_book(load_lawbook(directory, step_pause_s=pause_s))

    def wakes_from(self, frame: Frame) -> list[Wake]:
        """The wakes that a frame's events ask for, and those that waited and may come now.

        Of what waited for a character only the one whose plan scores best comes, and only when
        nothing stands and nothing new happened to the character.
        """
        state = self._state
        wakes = wakes_of_events(frame, state.book.laws.events)
        busy = {w.key for w in wakes} | state.standing.keys()
        for key in state.deferred.names():
            character = frame.by_key.get(key)
            if key in busy or character is None or not character.alive:
                continue
            waiting = state.deferred.of(key, frame.t)
            if waiting:
                chosen = min(waiting, key=lambda w: (-self._appeal(w, frame), -w.gravity, w.t))
                state.deferred.take(chosen)
                wakes.append(chosen)
        return wakes

    def _appeal(self, wake: Wake, frame: Frame) -> float:
        """The composer's best score for a wake that waits."""
        character = frame.by_key[wake.key]
        situation = self._state.situation(wake, character, frame)
        choice = self._state.gather(wake, situation, character, frame)
        return choice.candidates[0].score if choice.candidates else float("-inf")

    def begin(self, wake: Wake) -> Wakened | Pending:
        """Judge a wake as far as laws go: settled, or the question for a ranker."""
        return begin(self._state, wake)

    def settle(self, pending: Pending, answer: Ranking | RankFailure) -> Wakened:
        """Take the answer to a question. A second answer, a late one, changes nothing."""
        return settle(self._state, pending, answer)

    async def wake(self, wake: Wake) -> Wakened:
        """Judge a wake, asking the ranker where no law decides.

        Takes no longer than ``settings.deadline_s``: a ranking that is late counts as failed,
        and when it comes it has no effect.
        """
        begun = self.begin(wake)
        if isinstance(begun, Wakened):
            return begun
        deadline_s = self._state.settings.deadline_s
        answer: Ranking | RankFailure = RankFailure(where="ranker", err="cancelled")
        try:
            answer = await ask(
                self._ranker, begun.question, deadline_s=deadline_s, task_group=self._task_group
            )
            if self._state.clock() - begun.began > deadline_s:
                # a run with a clock of its own measures lateness on that
                answer = LATE
        finally:
            # a host that is cancelled here still leaves a whole record behind
            done = self.settle(begun, answer)
        return done

    def moves(self, frame: Frame) -> dict[str, IntentionMove]:
        """One sweep: carry out what stands, and say what each intention does, by name key.

        Call it once a sweep. Steps that are due fire here and leave their records; whoever sends
        their commands passes each through :meth:`gate` or :meth:`send`.
        """
        self.observe(frame)
        state = self._state
        found = {}
        for key in sorted(state.standing):
            intention = state.standing[key]
            character = frame.by_key.get(key)
            carried = carry(intention, character, frame, self._terms(intention, character, frame))
            for kind, payload in carried.records:
                state.coach.record(kind, payload, t=frame.t)
            if carried.intention.state is IntentionState.STANDING:
                state.standing[key] = carried.intention
            else:
                del state.standing[key]
                self._try_again_later(carried.intention, frame.t)
            if carried.move is not None:
                found[key] = carried.move
        return found

    def _try_again_later(self, ended: Intention, t: float) -> None:
        """A promise whose plan found nobody is not forgotten with the plan."""
        if ended.owes_a_promise:
            retry_s = self._state.settings.promise_retry_s
            self._state.deferred.put(ended.wake, t, wait_s=retry_s)

    def _terms(self, intention: Intention, character: Character | None, frame: Frame) -> Terms:
        state, wake = self._state, intention.wake
        return Terms(
            manifest=manifest_of(
                state.book.manifests, "" if character is None else character.archetype
            ),
            never_rules=state.book.never_rules,
            defiance=state.book.laws.defiance,
            grudge=state.grudge(wake.key, wake.subject_key, frame.t),
            step_pause_s=state.settings.step_pause_s,
            masked=state.masked(wake.key),
        )

    def gate(self, command: Command, frame: Frame, *, where: str = "gate") -> Command | None:
        """The last gate before the game, for every command wherever it comes from.

        Gives the command, without its words for an archetype that does not speak, or None and a
        ``manifest_blocked`` record when the manifest or the mask stops it. Nobody who is dead or
        whom the frame lacks gets a command.
        """
        state, key = self._state, name_key(command.name)
        character = frame.by_key.get(key)
        if character is not None and character.alive:
            manifest = state.manifest(character)
            if manifest.allows(command.cmd) and command.cmd not in state.masked(key):
                return command if manifest.speaks else replace(command, say=None)
        blocked = {"name": command.name, "verb": command.cmd, "where": where}
        state.coach.record("manifest_blocked", blocked, t=frame.t)
        return None

    def send(
        self, command: Command, frame: Frame, source: CommandSource = "plan"
    ) -> Command | None:
        """Gate a command and put it on record as sent; None when it was stopped.

        A command that reaches somebody is evidence of promises kept to them: those wait no more.
        """
        passed = self.gate(command, frame)
        if passed is not None:
            self._state.coach.command(passed, source, t=frame.t)
            if passed.target is not None:
                party = passed.target.removeprefix("ally:").removeprefix("subject:")
                self._state.deferred.kept(name_key(passed.name), name_key(party))
        return passed
