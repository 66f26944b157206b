"""Metrics and spans of minds, through OpenTelemetry: for those who run many of them.

Nothing of it is loaded, and nothing is measured, until :func:`instrument` is called; the packages
it needs are the extra ``otel``. Where the numbers go is the application's choice, made with
OpenTelemetry's own providers and exporters.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider

    from mindot.telemetry.instrumentation import Instrumentation

__all__ = ["TelemetryUnavailableError", "instrument"]


class TelemetryUnavailableError(RuntimeError):
    """OpenTelemetry is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "metrics and spans need OpenTelemetry: pip install 'mindot-npc[otel]', "
            "or leave the call to instrument() away"
        )


def instrument(
    *,
    meter_provider: "MeterProvider | None" = None,
    tracer_provider: "TracerProvider | None" = None,
    provider_name: str = "_OTHER",
    model: str | None = None,
) -> "Instrumentation":
    """Measure every mind that is made from now on, until the result is closed.

    Args:
        meter_provider: where metrics go; None takes the process's own.
        tracer_provider: where spans go; None takes the process's own.
        provider_name: who runs the model, as ``gen_ai.provider.name`` has it (``openai``, ...).
        model: the model asked for, as ``gen_ai.request.model`` has it, if there is only one.

    Returns:
        What undoes it: ``close()`` it, or use it as a context manager.

    Raises:
        TelemetryUnavailableError: the extra ``otel`` is not installed.
        RuntimeError: minds are being measured already.
    """
    try:
        from mindot.telemetry.instrumentation import Instrumentation
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "opentelemetry":
            raise
        raise TelemetryUnavailableError from error
    return Instrumentation(
        meter_provider=meter_provider,
        tracer_provider=tracer_provider,
        provider_name=provider_name,
        model=model,
    )
