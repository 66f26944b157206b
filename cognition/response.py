"""Reading a model's answer."""

import orjson

from cognition.executive_output import Action, ExecutiveOutput, Route
from cognition.reflex import Vitals, reflex_fallback
from llm_wire.blocks import extract_text_block, strip_tagged_blocks

__all__ = ["Action", "ExecutiveOutput", "Route", "parse_response"]


def parse_response(text: str, vitals: Vitals | None = None) -> ExecutiveOutput:
    """Read ``text``, whatever it is."""
    start, end = text.find("{"), text.rfind("}")
    try:
        read = orjson.loads(text[start : end + 1])
    except ValueError:
        read = None
    if not isinstance(read, dict) or not isinstance(read.get("actions"), list):
        out = reflex_fallback(vitals or Vitals())
        out.reply_text = extract_text_block(text, "REPLY_TEXT")
        return out
    actions = [
        Action(
            item["type"],
            str(item.get("reasoning", "")),
            str(item.get("expectedOutcome", "")),
            item.get("target"),
            item.get("args"),
        )
        for item in read["actions"]
        if isinstance(item, dict) and isinstance(item.get("type"), str)
    ]
    confidence = read.get("confidence")
    out = ExecutiveOutput(
        actions,
        strip_tagged_blocks(str(read.get("reasoning", ""))),
        confidence if isinstance(confidence, float) else 0.5,
        Route.JSON,
    )
    out.undertakings = read.get("undertakings") or []
    out.escalation = read.get("escalation")
    out.reply_text = extract_text_block(text[end + 1 :], "REPLY_TEXT")
    out.no_message = extract_text_block(text[end + 1 :], "NO_MESSAGE")
    return out
