"""Reading a model's answer: whatever the text, what it meant and what had to be dropped."""

import re
from typing import Any, Final

from cognition.executive_output import Action, ExecutiveOutput, Route
from cognition.reflex import Vitals, reflex_fallback
from llm_wire.answer import Answer, flat_actions
from llm_wire.answer_search import find_answer
from llm_wire.blocks import fold_blank_lines, prose_around, sentence_of
from llm_wire.contracts import BLOCK_FIELDS, MARKER, Block
from llm_wire.harvest import Harvest, joined
from llm_wire.json_text import kept_exactly, replace_surrogates
from llm_wire.markers import MarkerMap
from llm_wire.plain_answer import MAY_BE_LIST, plain_answer
from llm_wire.plain_blocks import PlainBlocks, plain_blocks
from llm_wire.problems import ProblemCode, ProblemLog
from llm_wire.quoted_text import unquoted
from llm_wire.reply_words import words_of
from llm_wire.speech import NO_REASON, NO_SPEECH, Speech, speech_inside, speech_outside

__all__ = ["Action", "ExecutiveOutput", "Route", "full_reading", "parse_response"]

_CONFIDENCE_UNKNOWN: Final = 0.5
_NUMERAL: Final = re.compile(
    r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?\s*+(%?)", re.ASCII
)
_NUMERAL_LIMIT: Final = 400
"""Characters of a number in a string that are looked at; a longer one is beyond a float."""


def parse_response(text: str, vitals: Vitals | None = None) -> ExecutiveOutput:
    """Read a model's answer; any string is one, none raises, and time is linear in its length.

    Without usable actions the result is :func:`~cognition.reflex.reflex_fallback` of ``vitals``
    (a body at ease when None), with what blocks, reply and silence the text held all the same.
    """
    answer = plain_answer(text)
    if answer is not None:
        out = _Reading(text, answer).plain_output()
        if out is not None:
            return out
    return full_reading(text, vitals)


def full_reading(text: str, vitals: Vitals | None = None) -> ExecutiveOutput:
    """:func:`parse_response` without its short way; slower, and the same but for its problems."""
    text = unquoted(replace_surrogates(text))
    return _Reading(text, find_answer(text)).full_output(vitals)


class _Reading:
    """One answer on its way from text to output."""

    __slots__ = ("_answer", "_harvest", "_problems", "_speech", "_text")

    def __init__(self, text: str, answer: Answer) -> None:
        self._text = text
        self._answer = answer
        self._problems: ProblemLog | None = None
        self._harvest: Harvest | None = None
        self._speech = NO_SPEECH
        """What the object's own reasoning holds; it counts when none stands outside."""

    def plain_output(self) -> ExecutiveOutput | None:
        """The output where nothing around the object is unusual, else None."""
        answer, text = self._answer, self._text
        rest: PlainBlocks | None = None
        if answer.end < len(text):
            if text.find("[", answer.end) >= 0:
                rest = plain_blocks(replace_surrogates(text), answer.end)
                if rest is None:
                    return None
                for gap in rest.prose:
                    if not gap.isspace() and ("{" in gap or MAY_BE_LIST.search(gap)):
                        return None
            elif text.find("{", answer.end) >= 0:
                return None
        out = self._from_object(answer.value)
        speech = self._speech
        if rest is not None:
            self._keep(rest.values, "outside")
            if rest.reply is not None or rest.silence is not None:
                speech = _plain_speech(rest)
        return self._finished(out, speech)

    def full_output(self, vitals: Vitals | None) -> ExecutiveOutput:
        answer, text = self._answer, self._text
        markers = answer.markers
        if markers is not None and not markers.found:
            markers = None
        if markers is not None:
            self._gather(markers, answer.inside, "outside", stop=answer.start)
        if answer.route == Route.FALLBACK:
            out = reflex_fallback(vitals or Vitals())
            self._problem(ProblemCode.NO_ANSWER, "answer", text[:200])
        else:
            out = self._from_object(answer.value)
        speech = self._speech
        if markers is not None:
            self._gather(markers, answer.inside, "outside", begin=answer.start)
            strict = answer.route == Route.JSON
            outside = speech_outside(text, (answer.start, answer.end) if strict else None)
            if outside.stood:
                speech = outside
        return self._finished(out, speech)

    def _finished(self, out: ExecutiveOutput, speech: Speech) -> ExecutiveOutput:
        if speech is not NO_SPEECH:
            out.reply_text = speech.reply_text
            out.no_message = speech.no_message
        if self._harvest is not None:
            self._fill(out, self._harvest)
        if self._problems is not None:
            out.problems = self._problems.listed()
        return out

    def _problem(self, code: ProblemCode, where: str, dropped: object = "") -> None:
        self._log().add(code, where, dropped)

    def _log(self) -> ProblemLog:
        if self._problems is None:
            self._problems = ProblemLog()
        return self._problems

    def _keep(self, values: list[tuple[Block, Any]], where: str) -> None:
        if not values:
            return
        if self._harvest is None:
            self._harvest = Harvest(self._log())
        for block, value in values:
            if not self._harvest.keep(block, value):
                self._problem(ProblemCode.BLOCK_UNREADABLE, f"{where}: {block.tag}", value)

    def _gather(
        self,
        markers: MarkerMap,
        inside: list[tuple[int, int]],
        where: str,
        *,
        begin: int = 0,
        stop: int | None = None,
    ) -> None:
        if self._harvest is None:
            self._harvest = Harvest(self._log())
        self._harvest.gather(markers, inside, where, begin=begin, stop=stop)

    # -- the object ----------------------------------------------------------------------------

    def _from_object(self, value: dict[str, Any]) -> ExecutiveOutput:
        answer = self._answer
        if not answer.closed:
            self._problem(ProblemCode.CUT_SHORT, "answer", self._text[answer.end - 80 : answer.end])
        if answer.unkept:
            self._problem(ProblemCode.VALUE_UNKEPT, "answer", f"{answer.unkept} values")
        actions: list[Action] = []
        reasoning = ""
        # In the order of the object, because blocks join in the order of the text.
        for key, item in value.items():
            if key == "actions":
                actions = self._actions(item)
            elif key == "reasoning":
                if type(item) is str:
                    reasoning = self._prose(item, "reasoning")
                elif item is not None:
                    self._problem(ProblemCode.FIELD_UNUSABLE, "reasoning", item)
        if answer.route == Route.SALVAGED:
            reasoning = prose_around(self._text, answer.inside)
        out = ExecutiveOutput(
            actions, reasoning, self._confidence(value.get("confidence")), answer.route
        )
        if "undertakings" in value:
            out.undertakings = self._undertakings(value["undertakings"])
        if "escalation" in value:
            out.escalation = self._escalation([value["escalation"]])
        return out

    def _prose(self, text: str, where: str) -> str:
        """The sentence in a string of the object, once its blocks are read."""
        if "[" not in text:
            return fold_blank_lines(text)
        plain = plain_blocks(text)
        if plain is None:
            markers = MarkerMap(text)
            self._gather(markers, [], where)
            if where == "reasoning":
                self._speech = speech_inside(text)
            return sentence_of(markers, self._log(), where)
        self._keep(plain.values, where)
        if where == "reasoning" and (plain.reply is not None or plain.silence is not None):
            self._speech = _plain_speech(plain)
        return fold_blank_lines("".join(plain.prose))

    def _actions(self, listed: Any) -> list[Action]:
        unwhole = self._answer.unwhole
        actions: list[Action] = []
        for number, item in enumerate(flat_actions(listed)):
            if type(item) is dict:
                verb = item.get("type")
                if unwhole and id(item) in unwhole:
                    self._problem(ProblemCode.ACTION_CUT, f"actions[{number}]", verb)
                elif type(verb) is not str or verb == "" or verb.isspace():
                    self._problem(ProblemCode.ACTION_UNUSABLE, f"actions[{number}]", item)
                else:
                    actions.append(self._action(verb, item, number))
            elif type(item) is str and item.strip():
                actions.append(Action(item))
            else:
                self._problem(ProblemCode.ACTION_UNUSABLE, f"actions[{number}]", item)
        return actions

    def _action(self, verb: str, item: dict[str, Any], number: int) -> Action:
        reasoning, outcome = item.get("reasoning", ""), item.get("expectedOutcome", "")
        if type(outcome) is str and "[" in outcome and _stands_first(item, "expectedOutcome"):
            outcome = self._action_prose(outcome, number, "expectedOutcome")
        if type(reasoning) is not str or "[" in reasoning:
            reasoning = self._action_prose(reasoning, number, "reasoning")
        if type(outcome) is not str or "[" in outcome:
            outcome = self._action_prose(outcome, number, "expectedOutcome")
        target, args = item.get("target"), item.get("args")
        if target is not None and type(target) is not str:
            self._unusable(number, "target", target)
            target = None
        if args is not None:
            if type(args) is not dict:
                self._unusable(number, "args", args)
                args = None
            elif not kept_exactly(args):
                args = self._exact_args(args, number)
        return Action(verb, reasoning, outcome, target, args)

    def _action_prose(self, value: Any, number: int, field: str) -> str:
        if type(value) is not str:
            if value is not None:
                self._unusable(number, field, value)
            return ""
        return self._prose(value, f"actions[{number}].{field}") if MARKER.search(value) else value

    def _unusable(self, number: int, field: str, value: Any) -> None:
        self._problem(ProblemCode.FIELD_UNUSABLE, f"actions[{number}].{field}", value)

    def _exact_args(self, args: dict[str, Any], number: int) -> dict[str, Any]:
        """The arguments as the text has them, where the fast reading may have rounded them."""
        exact = self._answer.exactly(self._text)
        if exact is None:
            return args
        item = flat_actions(exact["actions"])[number]
        again = item.get("args") if type(item) is dict else None
        return again if type(again) is dict else args

    # -- single values -------------------------------------------------------------------------

    def _confidence(self, value: Any) -> float:
        if type(value) is float and 0.0 < value <= 1.0:
            return value
        number = _number(value)
        if number is None or number - number != 0.0:  # not there, no number, or not finite
            if value is not None:
                self._problem(ProblemCode.FIELD_UNUSABLE, "confidence", value)
            return _CONFIDENCE_UNKNOWN
        return 0.0 if number <= 0.0 else min(number, 1.0)

    def _undertakings(self, listed: Any) -> list[dict[str, Any]]:
        if listed is None:
            return []
        kept: list[dict[str, Any]] = []
        for item in listed if type(listed) is list else [listed]:
            what = item.get("what") if type(item) is dict else None
            cut = self._answer.unwhole is not None and id(item) in self._answer.unwhole
            if type(what) is not str or not what.strip() or cut:
                self._problem(ProblemCode.UNDERTAKING_UNUSABLE, "undertakings", item)
                continue
            for field in ("target", "gist"):
                value = item.get(field)
                if value is not None and (type(value) is not str or not value.strip()):
                    self._problem(ProblemCode.FIELD_UNUSABLE, f"undertakings.{field}", value)
                    item = {key: kept for key, kept in item.items() if key != field}
            kept.append(item)
        return kept

    def _escalation(self, values: list[Any]) -> str | None:
        """The last usable of several."""
        for value in reversed(values):
            if type(value) is str and value.strip():
                return value.strip()
            if value is not None:
                self._problem(ProblemCode.FIELD_UNUSABLE, "escalation", value)
        return None

    def _fill(self, out: ExecutiveOutput, harvest: Harvest) -> None:
        for key, values in harvest.found.items():
            if key == "undertakings":
                for value in values:
                    out.undertakings += self._undertakings(value)
            elif key == "escalation":
                out.escalation = self._escalation(values) or out.escalation
            else:
                setattr(out, BLOCK_FIELDS[key], joined(values))


def _plain_speech(blocks: PlainBlocks) -> Speech:
    reply, silence = blocks.reply, blocks.silence
    return Speech(
        None if reply is None else words_of(reply, closed=True),
        None if silence is None else words_of(silence, closed=True) or NO_REASON,
        stood=True,
    )


def _stands_first(item: dict[str, Any], field: str) -> bool:
    """Whether ``field`` comes before the action's reasoning: blocks join in order of the text."""
    return next(key for key in item if key == field or key == "reasoning") == field


def _number(value: Any) -> float | None:
    kind = type(value)
    if kind is float:
        number: float = value
        return number
    if kind is int:
        try:
            return float(value)
        except OverflowError:
            return None
    if kind is str and len(value) <= _NUMERAL_LIMIT:
        numeral = _NUMERAL.fullmatch(value.strip())
        if numeral:
            percent = numeral.group(1) == "%"
            return float(value.strip().rstrip("% ")) / (100.0 if percent else 1.0)
    return None
