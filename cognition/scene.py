"""What a prompt shows of a mind: its state, its news, its intentions, what it knows and thought."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cognition._values import as_number
from cognition.goals import Goal
from cognition.memory import Memory
from cognition.promises import Promise
from cognition.quoting import quoted, quoted_json
from cognition.sections import Keep, Section
from cognition.state import Entity
from cognition.threads import ThreadNote

__all__ = ["Scene", "intentions", "scene_sections", "told_whole"]

SUMMARY_CHARS: Final = 400
WORDS_CHARS: Final = 2000
"""Of a promise or a task: one that is not read whole cannot be taken for read."""
DATA_CHARS: Final = 600
NAME_CHARS: Final = 100
BRIEF_CHARS: Final = 60
"""Of each intention when a prompt is short of room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Everything a prompt may show of a mind at one tick."""

    tick: int
    metrics: Mapping[str, float]
    percepts: Sequence[Entity]
    threads: Sequence[ThreadNote] = ()
    goals: Sequence[Goal] = ()
    promises: Sequence[Promise] = ()
    tasks: Sequence[Entity] = ()
    memory: Memory
    thoughts: Sequence[str] = ()
    """Of whoever asks, oldest first."""
    master_thoughts: Sequence[str] = ()
    """What the whole mind thought, for a facet; oldest first."""


def scene_sections(scene: Scene) -> list[Section]:
    """The sections of ``scene``, in the order of a prompt; some may be empty."""
    return [
        Section("My state", _state(scene.metrics)),
        Section("What I notice", _news(scene.percepts), Keep.NEWS, newest_last=False),
        Section("In conversation now", _threads(scene), Keep.THREADS),
        intentions(scene),
        Section("What I hold to be true", _memories(scene.memory), Keep.MEMORIES),
        Section("What I thought lately", _thoughts(scene), Keep.THOUGHTS),
    ]


def intentions(scene: Scene, *, brief: bool = False) -> Section:
    """Goals, promises and tasks. None is ever left out: a promise that stands is shown, if need
    be in ``brief``."""
    if brief:
        lines = [
            *(f"- goal {goal.id}: {quoted(goal.what, BRIEF_CHARS)}" for goal in scene.goals),
            *(f"- promise {p.short_id}: {quoted(p.what, BRIEF_CHARS)}" for p in scene.promises),
            *(f"- task {quoted(_task(task), BRIEF_CHARS)}" for task in scene.tasks),
        ]
    else:
        lines = [
            *(_goal_line(goal) for goal in scene.goals),
            *(_promise_line(promise, scene.tick) for promise in scene.promises),
            *(f"- task {quoted(_task(task), WORDS_CHARS)}" for task in scene.tasks),
        ]
    return Section("My intentions", lines)


def told_whole(scene: Scene, *, brief: bool) -> tuple[str, ...]:
    """Ids of the promises and tasks all of whose words :func:`intentions` shows."""
    limit = BRIEF_CHARS if brief else WORDS_CHARS
    return (
        *(p.entity_id for p in scene.promises if len(p.what) <= limit),
        *(task.id for task in scene.tasks if len(_task(task)) <= limit),
    )


def _task(task: Entity) -> str:
    return str(task.metadata["summary"])


def _state(metrics: Mapping[str, float]) -> list[str]:
    lines = []
    for name in sorted(metrics):
        number = as_number(metrics[name])
        if number is not None:
            lines.append(f"- {name}: {number:.1f}")
    return lines


def _news(percepts: Sequence[Entity]) -> list[str]:
    ranked = sorted(percepts, key=lambda p: (-p.metadata["salience"], -p.metadata["tick"], p.id))
    return ["\n".join(_percept_lines(percept)) for percept in ranked]


def _percept_lines(percept: Entity) -> list[str]:
    meta = percept.metadata
    lines = [f"- {quoted(meta['summary'], SUMMARY_CHARS)}"]
    data = meta.get("data")
    if data is not None:
        lines.append(f"  data: {quoted_json(data, DATA_CHARS)}")
    return lines


def _threads(scene: Scene) -> list[str]:
    lines = []
    for note in scene.threads:
        line = "- on my own" if note.name is None else f"- with {quoted(note.name, NAME_CHARS)}"
        if note.worked_out:
            line += f", I worked out {quoted(note.worked_out, SUMMARY_CHARS)}"
        if note.promised:
            line += ", and promised " + ", ".join(quoted(p, SUMMARY_CHARS) for p in note.promised)
        lines.append(line)
    return lines


def _goal_line(goal: Goal) -> str:
    line = f"- goal {goal.id}, {goal.status}, priority {goal.priority:.2f}: "
    line += quoted(goal.what, SUMMARY_CHARS)
    if goal.requester is not None:
        line += f", for {quoted(goal.requester.entity_id, NAME_CHARS)}"
    return line


def _promise_line(promise: Promise, tick: int) -> str:
    line = f"- promise {promise.short_id}: {quoted(promise.what, WORDS_CHARS)}"
    if promise.promised_to is not None:
        line += f", given to {quoted(promise.promised_to, NAME_CHARS)}"
    line += f" {tick - promise.since} ticks ago"
    if promise.target is not None:
        line += f"; {quoted(promise.target, NAME_CHARS)} has not been reached since"
    if promise.gist is not None:
        line += f"; to tell: {quoted(promise.gist, SUMMARY_CHARS)}"
    if promise.goal is not None:
        line += "; it is a goal of mine now"
    return line


def _memories(memory: Memory) -> list[str]:
    lines = [
        f"- {title}: {quoted(entry)}"
        for title, entries in (
            ("a plan", memory.plans),
            ("a skill", memory.skills),
            ("a theme", memory.themes),
            ("of myself", memory.self_observations),
        )
        for entry in entries
    ]
    lines += [
        f"- {quoted(name, NAME_CHARS)}: {quoted(text)}" for name, text in memory.identity.items()
    ]
    lines += [
        f"- {quoted(name, NAME_CHARS)}: {quoted(text)}"
        for name, text in memory.known_entities.items()
    ]
    lines += [f"- I believe {quoted(belief)}" for belief in memory.beliefs]
    for title, text in (
        ("looking inward", memory.introspection),
        ("my story", memory.narrative),
        ("how I see myself", memory.self_view),
    ):
        if text:
            lines.append(f"- {title}: {quoted(text)}")
    return lines


def _thoughts(scene: Scene) -> list[str]:
    return [
        *(f"- as a whole: {quoted(entry)}" for entry in scene.master_thoughts),
        *(f"- {quoted(entry)}" for entry in scene.thoughts),
    ]
