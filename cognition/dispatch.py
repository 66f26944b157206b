"""The questions of one mind: made, sent out, waited for, called off."""

from collections.abc import Mapping

from cognition.asking import Ask, AskKind, Focus, FocusKind, Outcome, ThoughtFailure
from cognition.completion_inbox import CompletionInbox
from cognition.mind_events import call_event, called_off_event
from cognition.persona import Persona
from cognition.prompt import estimate_tokens
from cognition.speech import Speech
from cognition.statistics import Tally
from cognition.system_text import render_system
from cognition.trace import Sink

__all__ = ["Dispatch"]


class Dispatch:
    """Numbers the asks of one mind and knows which of them are out.

    Every ask comes to exactly one end: it lands, or it is called off.
    """

    __slots__ = (
        "_affordances",
        "_inbox",
        "_leaving",
        "_mind",
        "_persona",
        "_speech",
        "_systems",
        "_tally",
        "_trace",
        "asked",
    )

    def __init__(
        self,
        mind: str,
        persona: Persona,
        affordances: Mapping[str, str],
        *,
        speech: Speech,
        tally: Tally,
        trace: Sink,
    ) -> None:
        self._mind = mind
        self._persona = persona
        self._affordances = affordances
        self._speech = speech
        self._tally = tally
        self._trace = trace
        self._systems: dict[FocusKind | None, str] = {}
        self._leaving: list[Ask] = []
        self._inbox = CompletionInbox()
        self.asked = 0
        """Asks so far; the number of the last one."""

    def __len__(self) -> int:
        """Asks that are out."""
        return len(self._inbox)

    def send(
        self,
        facet_id: str | None,
        key: str | None,
        focus: Focus | None,
        prompt: str,
        tick: int,
    ) -> Ask:
        """Let a question leave with the next batch. No facet and no focus: the master's."""
        ask = self._make(facet_id, key, focus, prompt, tick)
        self._leaving.append(ask)
        self._inbox.expect(ask)
        self._trace(call_event(ask, estimate_tokens(len(ask.system) + len(ask.prompt))))
        return ask

    def never_sent(self, facet_id: str, key: str | None, focus: Focus, tick: int) -> None:
        """A question that will not be asked any more: its owner hears so at the next boundary."""
        ask = self._make(facet_id, key, focus, "", tick)
        self._inbox.expect(ask)
        self._inbox.cancel(ask.ask_id)
        self._tally.dropped_reports += 1

    def leaving(self) -> list[Ask]:
        """The questions that leave now, in order of asking."""
        asks, self._leaving = self._leaving, []
        return asks

    def outstanding(self) -> tuple[Ask, ...]:
        """The asks that are out, in order of asking."""
        return self._inbox.outstanding()

    def waiting_for(self, ask_id: str) -> Ask | None:
        """The ask that is out under this id and has no outcome yet."""
        return self._inbox.waiting_for(ask_id)

    def deliver(self, outcome: Outcome) -> None:
        """Take in an outcome; what nobody waits for is counted and dropped."""
        if not self._inbox.deliver(outcome):
            self._tally.stale += 1

    def arrived(self) -> tuple[str, ...]:
        """Ids of the asks for which something came, in order of asking."""
        return self._inbox.arrived()

    def take(self, ask_id: str) -> tuple[Ask, Outcome] | None:
        """One ask with what came for it; None when it was called off meanwhile."""
        return self._inbox.take(ask_id)

    def cancel(self, ask_id: str) -> None:
        """Let an ask come to nothing at the next boundary, whatever came for it."""
        if self._inbox.cancel(ask_id):
            self._tally.stale += 1

    def call_off(self, ask_id: str, tick: int) -> None:
        """Stop waiting for an ask on purpose: nobody will hear of it again."""
        ask = self._inbox.forget(ask_id)
        if ask is None:
            return
        self._speech.discard(ask_id)
        self._leaving = [waiting for waiting in self._leaving if waiting.ask_id != ask_id]
        self._tally.failed(ThoughtFailure.CANCELLED)
        if ask.prompt:
            self._trace(called_off_event(ask, tick))

    def _make(
        self, facet_id: str | None, key: str | None, focus: Focus | None, prompt: str, tick: int
    ) -> Ask:
        self.asked += 1
        kind = None if focus is None else focus.kind
        if kind not in self._systems:
            self._systems[kind] = render_system(self._persona, self._affordances, kind)
        return Ask(
            ask_id=f"{self._mind}/{self.asked}",
            mind=self._mind,
            facet_id=facet_id,
            key=key,
            tick=tick,
            system=self._systems[kind],
            prompt=prompt,
            kind=_ask_kind(kind),
            focus=focus,
        )


def _ask_kind(kind: FocusKind | None) -> AskKind:
    if kind is None:
        return AskKind.MASTER
    return AskKind.RANK if kind is FocusKind.RANK else AskKind.FACET
