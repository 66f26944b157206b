"""What happened while a plan stood, and waits for its turn."""

from mindot.deliberator.wake import Wake, WakeClass

__all__ = ["Deferred", "alike"]


class Deferred:
    """Waiting wakes by name key: bounded, each only for a while."""

    def __init__(self, *, limit: int, max_age_s: float) -> None:
        self._limit = limit
        self._max_age_s = max_age_s
        self._waiting: dict[str, list[Wake]] = {}

    def __len__(self) -> int:
        return sum(len(waiting) for waiting in self._waiting.values())

    def put(self, wake: Wake) -> None:
        """Let a wake wait. Its like takes its place; over the limit, the least grave goes."""
        waiting = [w for w in self._waiting.get(wake.key, []) if not alike(w, wake)]
        waiting.append(wake)
        waiting.sort(key=lambda w: (-w.gravity, w.t))
        self._waiting[wake.key] = waiting[: self._limit]

    def names(self) -> list[str]:
        """The name keys for whom something waits, sorted."""
        return sorted(self._waiting)

    def of(self, key: str, t: float) -> list[Wake]:
        """What waits for a character at this time, the gravest first; what is stale is gone."""
        fresh = [w for w in self._waiting.get(key, []) if t - w.t <= self._max_age_s]
        if fresh:
            self._waiting[key] = fresh
        else:
            self._waiting.pop(key, None)
        return fresh

    def take(self, wake: Wake) -> None:
        """Let a wake wait no more."""
        left = [w for w in self._waiting.get(wake.key, []) if w is not wake]
        if left:
            self._waiting[wake.key] = left
        else:
            self._waiting.pop(wake.key, None)


def alike(one: Wake, other: Wake) -> bool:
    """Whether two wakes of one character speak of the same thing."""
    return (one.cls, one.kind, one.subject_key, one.need) == (
        other.cls,
        other.kind,
        other.subject_key,
        other.need,
    ) and (one.cls is not WakeClass.UNDERTAKING or one.text == other.text)
