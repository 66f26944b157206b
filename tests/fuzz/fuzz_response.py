"""Fuzz the response reader: ``python -m tests.fuzz.fuzz_response CORPUS -max_total_time=600``.

Needs the ``fuzz`` extra. An input is a text in UTF-8 (lone surrogates let through) whose bytes
also say how to cut it for the stream; what has to hold is in :func:`check`.
"""

import json
import sys
from typing import Any

from cognition.response import full_reading, parse_response
from llm_wire import ReplyStream, strip_protocol_markers, strip_tagged_blocks
from llm_wire.contracts import MARKER

__all__ = ["check", "main"]


def check(data: bytes) -> None:
    """Every law of reading that needs no knowledge of what the text was meant to say."""
    text = data.decode("utf-8", errors="surrogatepass" if _passes(data) else "replace")
    output = parse_response(text)
    shown = [_shown(output), [list(problem) for problem in output.problems]]
    json.dumps(shown, ensure_ascii=False).encode()
    if MARKER.search(output.reasoning):
        raise AssertionError(f"a marker is left in the sentence {output.reasoning!r}")

    slow = full_reading(text)
    if _shown(slow) != _shown(output):
        raise AssertionError(f"two readings differ: {output!r} and {slow!r}")

    stream, said, at = ReplyStream(), "", 0
    while at < len(text):
        step = 1 + data[at % len(data)] % 9
        said += stream.feed(text[at : at + step])
        at += step
    said += stream.close()
    if (said or None, stream.no_message) != (output.reply_text, output.no_message):
        raise AssertionError(f"the stream says {said!r}, the whole {output.reply_text!r}")

    once = strip_tagged_blocks(text)
    if strip_tagged_blocks(once) != once or MARKER.search(once):
        raise AssertionError(f"stripping is not done in one go: {once!r}")
    if MARKER.search(strip_protocol_markers(text)):
        raise AssertionError("a marker is left")


def _passes(data: bytes) -> bool:
    try:
        data.decode("utf-8", errors="surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def _shown(output: Any) -> list[Any]:
    """All of an output but its problems, whose order depends on the way it was read."""
    return [
        getattr(output, name) if name != "actions" else [repr(action) for action in output.actions]
        for name in type(output).__slots__
        if name != "problems"
    ]


def main() -> None:
    import atheris

    with atheris.instrument_imports():
        # Nothing new: what was imported above is instrumented function by function.
        pass
    atheris.instrument_all()
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
