"""A promise in a line or two for people."""

from mindot.cli._common import clock_time, escape
from mindot.records.promises import ENDS, PromiseStory

__all__ = ["promise_line"]


def promise_line(story: PromiseStory) -> str:
    """What, to whom, since when, and how it stands or ended, and by which record."""
    whom = f" (to reach {escape(story.target)})" if story.target else ""
    said = f", promised to {escape(story.promised_to)}" if story.promised_to else ""
    since = f" since {clock_time(story.made_t)}" if story.made_t is not None else ""
    return f"{escape(story.what)}{whom}{said}{since}: {_state(story)}{_goal(story)}"


def _goal(story: PromiseStory) -> str:
    if story.goal is None:
        return ""
    return "; it became a goal" + ("" if story.goal == story.what else f": {escape(story.goal)}")


def _state(story: PromiseStory) -> str:
    if story.ended is None:
        return "it stands"
    state = ENDS.get(story.ended, escape(story.ended))
    if story.ended_t is not None:
        state += f" at {clock_time(story.ended_t)}"
    if story.by:
        facts = [str(story.by[k]) for k in ("served", "episode", "cmd") if k in story.by]
        state += f" (by the record {escape(' '.join(facts))})" if facts else ""
    return state
