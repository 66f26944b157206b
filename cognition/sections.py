"""Prompts are made of sections, and a section can lose what is least needed."""

from dataclasses import dataclass
from enum import IntEnum

__all__ = ["Keep", "Section", "fit", "joined", "size_of"]


class Keep(IntEnum):
    """How long a section is kept when a prompt gets too long: the lowest is cut first."""

    MEMORIES = 0
    THOUGHTS = 1
    THREADS = 2
    NEWS = 3
    ALWAYS = 4


@dataclass(slots=True)
class Section:
    """A heading and its lines."""

    title: str
    lines: list[str]
    keep: Keep = Keep.ALWAYS
    newest_last: bool = True
    """Where the least needed line stands: at the front when the newest is last, else at the end."""

    def drop_one(self) -> bool:
        """Lose the least needed line. False when there is none to lose."""
        if not self.lines or self.keep is Keep.ALWAYS:
            return False
        del self.lines[0 if self.newest_last else -1]
        return True

    def text(self) -> str:
        return "\n".join([f"# {self.title}", *self.lines, ""])


def size_of(section: Section) -> int:
    """Characters it takes up in a prompt; an empty section is left out."""
    return len(section.text()) + 1 if section.lines else 0


def fit(sections: list[Section], chars: int) -> bool:
    """Cut what is least needed until ``sections`` fit into ``chars``. Whether they do."""
    size = sum(size_of(section) for section in sections)
    for section in sorted(sections, key=lambda s: s.keep):
        while size > chars:
            before = size_of(section)
            if not section.drop_one():
                break
            size -= before - size_of(section)
    return size <= chars


def joined(sections: list[Section]) -> str:
    """The sections that hold something, as one text."""
    return "\n".join(section.text() for section in sections if section.lines)
