"""The file of a recording: one JSON object a line, a request with its outcome, or a landing.

A request's line carries its bytes, their hash and what came of it; a landing's line says at which
tick the asker took the answer in. Nothing in it is a clock's time but the latencies, and nothing
a secret: keys and addresses are the transports', not the requests'.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from llm_wire.allowance import Allowance, Standing
from llm_wire.transport import (
    Completion,
    Failure,
    FinishReason,
    Request,
    TransportError,
    Usage,
)

__all__ = [
    "RECORDING_VERSION",
    "Landing",
    "Recorded",
    "RecordingError",
    "RunHeader",
    "read_recording",
]

RECORDING_VERSION: Final = 1


class RecordingError(ValueError):
    """A file that is no recording, or a broken one; names the file and the line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunHeader:
    """How the recorded run was set up, in the host's own JSON values; the first line, if given."""

    settings: Mapping[str, Any]

    def line(self) -> str:
        row = {"v": RECORDING_VERSION, "run": dict(self.settings)}
        return json.dumps(row, sort_keys=True, separators=(",", ":")) + "\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """One request of a recording, and its outcome: a completion or a failure."""

    number: int
    """From 1, in the order in which the requests were made."""
    asker: str
    ask_id: str
    kind: str
    digest: str
    request: Mapping[str, Any]
    """What :meth:`Request.wire_bytes` holds."""
    completion: Completion | None = None
    failure: Failure | None = None
    detail: str = ""
    model: str = ""
    """The model that failed."""
    standing: tuple[Standing, ...] = ()
    latency_ms: float = 0.0

    @classmethod
    def of(
        cls,
        number: int,
        request: Request,
        ask_id: str,
        outcome: Completion | TransportError,
        latency_ms: float,
    ) -> "Recorded":
        completion = outcome if isinstance(outcome, Completion) else None
        error = outcome if isinstance(outcome, TransportError) else None
        return cls(
            number=number,
            asker=request.asker,
            ask_id=ask_id,
            kind=request.kind,
            digest=request.digest,
            request=json.loads(request.wire_bytes()),
            completion=completion,
            failure=error.failure if error is not None else None,
            detail=error.detail if error is not None else "",
            model=outcome.model,
            standing=outcome.standing,
            latency_ms=latency_ms,
        )

    def outcome(self) -> Completion:
        """The completion, or the failure raised again."""
        if self.completion is not None:
            return self.completion
        error = TransportError(
            self.failure or Failure.PROTOCOL,
            self.detail,
            model=self.model,
            latency_ms=self.latency_ms,
        )
        error.standing = self.standing
        raise error

    def line(self) -> str:
        row: dict[str, Any] = {
            "v": RECORDING_VERSION,
            "n": self.number,
            "asker": self.asker,
            "ask_id": self.ask_id,
            "kind": self.kind,
            "digest": self.digest,
            "request": self.request,
            "latency_ms": self.latency_ms,
        }
        if self.completion is not None:
            c = self.completion
            row["completion"] = {
                "text": c.text,
                "finish_reason": c.finish_reason.value,
                "model": c.model,
                "latency_ms": c.latency_ms,
                "first_token_ms": c.first_token_ms,
                "usage": {
                    "prompt_tokens": c.usage.prompt_tokens,
                    "completion_tokens": c.usage.completion_tokens,
                    "cache_read_tokens": c.usage.cache_read_tokens,
                },
            }
        else:
            row["failure"] = {"name": self.failure, "detail": self.detail, "model": self.model}
        if self.standing:
            row["standing"] = [asdict(standing) for standing in self.standing]
        return json.dumps(row, separators=(",", ":")) + "\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing:
    """An answer (or the lack of one) was taken in by its asker at ``tick``."""

    asker: str
    ask_id: str
    tick: int

    def line(self) -> str:
        row = {"v": RECORDING_VERSION, "landed": self.ask_id, "asker": self.asker}
        return json.dumps({**row, "tick": self.tick}, separators=(",", ":")) + "\n"


def read_recording(path: Path) -> Iterator[RunHeader | Recorded | Landing]:
    """What ``path`` holds, line by line. A last line without its end was being written: left out.

    Raises :class:`RecordingError` for anything else that is no line of a recording, and
    ``OSError`` where the file cannot be read.
    """
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.endswith("\n"):
                return
            try:
                yield _row(json.loads(line))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise RecordingError(
                    f"{str(path)!r}, line {number}, is no line of a recording "
                    f"({type(error).__name__}: {error}); record anew, or remove the line"
                ) from None


def _row(row: Mapping[str, Any]) -> RunHeader | Recorded | Landing:
    if row["v"] != RECORDING_VERSION:
        raise ValueError(f"version {row['v']!r}, this reader knows {RECORDING_VERSION}")
    if "run" in row:
        return RunHeader(settings=dict(row["run"]))
    if "landed" in row:
        return Landing(asker=row["asker"], ask_id=row["landed"], tick=int(row["tick"]))
    failure = row.get("failure")
    standing = tuple(map(_standing, row.get("standing", ())))
    return Recorded(
        number=int(row["n"]),
        asker=row["asker"],
        ask_id=row["ask_id"],
        kind=row["kind"],
        digest=row["digest"],
        request=row["request"],
        completion=_completion(row["completion"], standing) if failure is None else None,
        failure=None if failure is None else Failure(failure["name"]),
        detail="" if failure is None else failure["detail"],
        model="" if failure is None else failure["model"],
        standing=standing,
        latency_ms=float(row["latency_ms"]),
    )


def _standing(row: Mapping[str, Any]) -> Standing:
    return Standing(**{**row, "allowance": Allowance(**row["allowance"])})


def _completion(row: Mapping[str, Any], standing: tuple[Standing, ...]) -> Completion:
    return Completion(
        text=row["text"],
        finish_reason=FinishReason(row["finish_reason"]),
        usage=Usage(**row["usage"]),
        model=row["model"],
        latency_ms=row["latency_ms"],
        first_token_ms=row["first_token_ms"],
        standing=standing,
    )
