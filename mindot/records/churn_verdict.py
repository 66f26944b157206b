"""What to change when conversations are being lost: sentences with the figure and the setting."""

from collections.abc import Callable, Iterator
from typing import Final

from mindot.records.churn import ChurnReport, KeyReport

__all__ = ["verdict"]

NAMED_KEYS: Final = 10
"""Keys that get sentences of their own, those lost most; the others are summed up in one."""


def verdict(report: ChurnReport, *, shown: Callable[[str], str] = str) -> list[str]:
    """One sentence a cause, the worst key first; empty when no conversation was cut in two.

    ``shown`` says how a key is written where there is little room.
    """
    worst = report.worst_keys(NAMED_KEYS)
    sentences = [sentence for key in worst for sentence in _about(key, shown(key.key))]
    evicted = report.lost_lru - sum(key.lost_lru for key in worst)
    idle = report.lost_idle - sum(key.lost_idle for key in worst)
    if evicted:
        sentences.append(f"other keys were evicted {_times(evicted)} by pressure: raise max_facets")
    if idle:
        sentences.append(
            f"other keys went idle {_times(idle)} and came back: raise facet_idle_ttl_ticks"
        )
    return sentences


def _about(key: KeyReport, name: str) -> Iterator[str]:
    if key.lost_lru:
        held = f" from {key.crowd}" if key.crowd else ""
        yield f"{name} was evicted {_times(key.lost_lru)} by pressure: raise max_facets{held}"
    if key.lost_idle:
        pause = max(1, key.idle_pause_ticks)
        yield (
            f"{name} went idle {_times(key.lost_idle)} and was back within {_ticks(pause)}: "
            f"raise facet_idle_ttl_ticks by {pause} or more"
        )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _ticks(count: int) -> str:
    return "1 tick" if count == 1 else f"{count} ticks"
