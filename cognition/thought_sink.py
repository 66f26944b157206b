"""Keeping each question with what came of it, for whoever debugs a mind."""

import logging
from collections.abc import Callable

from cognition.asking import Ask, Outcome

__all__ = ["ThoughtSink", "guarded_sink"]

ThoughtSink = Callable[[Ask, Outcome], None]

_log = logging.getLogger(__name__)


def guarded_sink(sink: ThoughtSink | None) -> ThoughtSink:
    """``sink``, except that an exception in it is logged once and goes no further."""
    reported = False

    def keep(ask: Ask, outcome: Outcome) -> None:
        nonlocal reported
        if sink is None:
            return
        try:
            sink(ask, outcome)
        except Exception:  # noqa: BLE001 - whatever a sink does wrong stays with the sink
            if not reported:
                reported = True
                _log.exception("a thought sink raised on %r", ask.ask_id)

    return keep
