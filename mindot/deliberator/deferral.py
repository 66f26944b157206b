"""What happened while a plan stood, and waits for its turn."""

from dataclasses import dataclass, replace

from mindot.deliberator.wake import Wake, WakeClass

__all__ = ["Deferred", "alike", "is_wrong_of"]


@dataclass(frozen=True, slots=True)
class _Waiting:
    wake: Wake
    not_before: float


class Deferred:
    """Waiting wakes by name key: bounded, each only for a while.

    A promise is given longer than the rest: it is the mind's word, and nothing else repeats it.
    For the same reason promises have places of their own, as many as everything else.
    """

    def __init__(self, *, limit: int, max_age_s: float, promise_age_s: float) -> None:
        self._limit = limit
        self._max_age_s = max_age_s
        self._promise_age_s = promise_age_s
        self._waiting: dict[str, list[_Waiting]] = {}

    def __len__(self) -> int:
        return sum(len(waiting) for waiting in self._waiting.values())

    def put(self, wake: Wake, t: float, *, wait_s: float = 0.0) -> None:
        """Let a wake wait from ``t`` on, for ``wait_s`` at least.

        Of its like only the newest waits, or the gravest of wrongs; over the limit, the least
        grave of all goes.
        """
        # the game may have gone back since it happened
        came = replace(wake, t=min(wake.t, t), waited=True)
        others = self._waiting.get(wake.key, [])
        like = [w for w in others if alike(w.wake, came)]
        if came.cls is WakeClass.WRONG and any(w.wake.gravity > came.gravity for w in like):
            return
        waiting = [w for w in others if w not in like]
        waiting.append(_Waiting(came, t + wait_s))
        waiting.sort(key=lambda w: (-w.wake.gravity, w.wake.t))
        self._waiting[wake.key] = self._within_limits(waiting)

    def _within_limits(self, waiting: list[_Waiting]) -> list[_Waiting]:
        promises = [w for w in waiting if _is_promise(w.wake)][: self._limit]
        rest = [w for w in waiting if not _is_promise(w.wake)][: self._limit]
        return [w for w in waiting if w in promises or w in rest]

    def rewind(self, t: float) -> None:
        """The game went back to ``t``: what was to come or has happened later is of now."""
        for key, waiting in self._waiting.items():
            self._waiting[key] = [
                _Waiting(replace(w.wake, t=min(w.wake.t, t)), min(w.not_before, t)) for w in waiting
            ]

    def names(self) -> list[str]:
        """The name keys for whom something waits, sorted."""
        return sorted(self._waiting)

    def of(self, key: str, t: float) -> list[Wake]:
        """Whose turn may come at this time, the gravest first; what is stale is gone."""
        self._keep(key, [w for w in self._waiting.get(key, []) if not self._stale(w.wake, t)])
        return [w.wake for w in self._waiting.get(key, []) if w.not_before <= t]

    def take(self, wake: Wake) -> None:
        """Let a wake wait no more."""
        self._keep(wake.key, [w for w in self._waiting.get(wake.key, []) if w.wake != wake])

    def kept(self, key: str, party: str) -> None:
        """The character reached ``party`` (a name key or a role): promises to them wait no more."""
        waiting = self._waiting.get(key, [])
        self._keep(key, [w for w in waiting if not _promised_to(w.wake, party)])

    def forgiven(self, key: str, offender: str, t: float) -> None:
        """The character forgave ``offender``: wrongs of theirs up to then wait no more."""
        waiting = self._waiting.get(key, [])
        self._keep(key, [w for w in waiting if w.wake.t > t or not is_wrong_of(w.wake, offender)])

    def _stale(self, wake: Wake, t: float) -> bool:
        return t - wake.t > (self._promise_age_s if _is_promise(wake) else self._max_age_s)

    def _keep(self, key: str, waiting: list[_Waiting]) -> None:
        if waiting:
            self._waiting[key] = waiting
        else:
            self._waiting.pop(key, None)


def _is_promise(wake: Wake) -> bool:
    return wake.cls is WakeClass.UNDERTAKING


def _promised_to(wake: Wake, party: str) -> bool:
    return _is_promise(wake) and wake.subject_key == party


def is_wrong_of(wake: Wake, offender: str) -> bool:
    """Whether it is a wrong that ``offender`` (a name key) did."""
    return wake.cls is WakeClass.WRONG and wake.subject_key == offender


def alike(one: Wake, other: Wake) -> bool:
    """Whether two wakes of one character speak of the same thing."""
    return (one.cls, one.kind, one.subject_key, one.need) == (
        other.cls,
        other.kind,
        other.subject_key,
        other.need,
    ) and (one.cls is not WakeClass.UNDERTAKING or one.text == other.text)
