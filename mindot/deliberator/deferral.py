"""What happened while a plan stood, and waits for its turn."""

from dataclasses import dataclass

from mindot.deliberator.wake import Wake, WakeClass

__all__ = ["Deferred", "alike"]


@dataclass(frozen=True, slots=True)
class _Waiting:
    wake: Wake
    not_before: float


class Deferred:
    """Waiting wakes by name key: bounded, each only for a while.

    A promise is given longer than the rest: it is the mind's word, and nothing else repeats it.
    """

    def __init__(self, *, limit: int, max_age_s: float, promise_age_s: float) -> None:
        self._limit = limit
        self._max_age_s = max_age_s
        self._promise_age_s = promise_age_s
        self._waiting: dict[str, list[_Waiting]] = {}

    def __len__(self) -> int:
        return sum(len(waiting) for waiting in self._waiting.values())

    def put(self, wake: Wake, *, not_before: float = float("-inf")) -> None:
        """Let a wake wait. Its like takes its place; over the limit, the least grave goes."""
        waiting = [w for w in self._waiting.get(wake.key, []) if not alike(w.wake, wake)]
        waiting.append(_Waiting(wake, not_before))
        waiting.sort(key=lambda w: (-w.wake.gravity, w.wake.t))
        self._waiting[wake.key] = waiting[: self._limit]

    def names(self) -> list[str]:
        """The name keys for whom something waits, sorted."""
        return sorted(self._waiting)

    def of(self, key: str, t: float) -> list[Wake]:
        """Whose turn may come at this time, the gravest first; what is stale is gone."""
        self._keep(key, [w for w in self._waiting.get(key, []) if not self._stale(w.wake, t)])
        return [w.wake for w in self._waiting.get(key, []) if w.not_before <= t]

    def take(self, wake: Wake) -> None:
        """Let a wake wait no more."""
        self._keep(wake.key, [w for w in self._waiting.get(wake.key, []) if w.wake is not wake])

    def kept(self, key: str, party: str) -> None:
        """The character reached ``party`` (a name key or a role): promises to them wait no more."""
        waiting = self._waiting.get(key, [])
        self._keep(key, [w for w in waiting if not _promised_to(w.wake, party)])

    def _stale(self, wake: Wake, t: float) -> bool:
        promised = wake.cls is WakeClass.UNDERTAKING
        return t - wake.t > (self._promise_age_s if promised else self._max_age_s)

    def _keep(self, key: str, waiting: list[_Waiting]) -> None:
        if waiting:
            self._waiting[key] = waiting
        else:
            self._waiting.pop(key, None)


def _promised_to(wake: Wake, party: str) -> bool:
    return wake.cls is WakeClass.UNDERTAKING and wake.subject_key == party


def alike(one: Wake, other: Wake) -> bool:
    """Whether two wakes of one character speak of the same thing."""
    return (one.cls, one.kind, one.subject_key, one.need) == (
        other.cls,
        other.kind,
        other.subject_key,
        other.need,
    ) and (one.cls is not WakeClass.UNDERTAKING or one.text == other.text)
