"""Puts metrics and spans around the minds of this process, and takes them away again.

The engine knows nothing of telemetry. While an :class:`Instrumentation` is open, the few methods
through which every thought goes are wrapped; closed, they are the original functions again.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar, Self

from opentelemetry import metrics, trace
from opentelemetry.metrics import MeterProvider
from opentelemetry.trace import TracerProvider

import cognition.landing
import cognition.reading
from cognition.asking import Ask
from cognition.executive import Executive
from mindot.deliberator.deliberator import Deliberator
from mindot.deliberator.wake import Wake
from mindot.mind import Mind
from mindot.telemetry.metrics import MindMetrics
from mindot.telemetry.spans import MindSpans, tell_outcome, tell_read, tell_woken

__all__ = ["Instrumentation"]

_SCOPE = "mindot"


class Instrumentation:
    """Open from its making to :meth:`close`. There is at most one at a time."""

    _open: ClassVar["Instrumentation | None"] = None

    def __init__(
        self,
        *,
        meter_provider: MeterProvider | None,
        tracer_provider: TracerProvider | None,
        provider_name: str,
        model: str | None,
    ) -> None:
        if Instrumentation._open is not None:
            raise RuntimeError("minds are being measured already: close the first instrument()")
        meter = metrics.get_meter(_SCOPE, meter_provider=meter_provider)
        tracer = trace.get_tracer(_SCOPE, tracer_provider=tracer_provider)
        self.metrics = MindMetrics(meter, provider_name=provider_name, model=model)
        self.spans = MindSpans(tracer, provider_name=provider_name, model=model)
        self._originals: list[tuple[Any, str, Any]] = []
        self._wrap(Executive, "__init__", self._traced)
        self._wrap(Executive, "land", self._landing)
        self._wrap(cognition.landing, "read_outcome", self._reading)
        self._wrap(cognition.reading, "parse_response", self._parsing)
        self._wrap(Mind, "think", self._asking)
        self._wrap(Deliberator, "begin", self._waking)
        Instrumentation._open = self

    def close(self) -> None:
        """Take everything away again. Minds made meanwhile keep feeding the metrics."""
        for owner, name, original in reversed(self._originals):
            setattr(owner, name, original)
        self._originals.clear()
        if Instrumentation._open is self:
            Instrumentation._open = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _wrap(
        self, owner: Any, name: str, around: Callable[[Callable[..., Any]], Callable[..., Any]]
    ) -> None:
        original = getattr(owner, name)
        self._originals.append((owner, name, original))
        setattr(owner, name, wraps(original)(around(original)))

    def _traced(self, original: Callable[..., None]) -> Callable[..., None]:
        def begin(executive: Executive, mind: str, **given: Any) -> None:
            given["trace"] = self.metrics.sink(mind, given.get("trace"))
            original(executive, mind, **given)

        return begin

    def _landing(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def land(executive: Executive, tick: int) -> Any:
            with self.spans.land(executive.mind):
                return original(executive, tick)

        return land

    def _reading(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def read(ask: Ask, *args: Any, **given: Any) -> Any:
            self.spans.landing(ask)
            return original(ask, *args, **given)

        return read

    def _parsing(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def parse(*args: Any, **given: Any) -> Any:
            with self.spans.parse() as span:
                output = original(*args, **given)
                tell_read(span, output)
            return output

        return parse

    def _asking(self, original: Callable[..., Any]) -> Callable[..., Any]:
        async def think(mind: Mind, ask: Ask) -> Any:
            with self.spans.ask(mind.id, ask) as span:
                outcome = await original(mind, ask)
                tell_outcome(span, outcome)
            return outcome

        return think

    def _waking(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def begin(deliberator: Deliberator, wake: Wake) -> Any:
            with self.spans.wake(wake) as span:
                begun = original(deliberator, wake)
                tell_woken(span, begun)
            return begun

        return begin
