"""Model responses for tests, each with what a right reading of it holds.

Needs ``hypothesis``, which the ``test`` extra installs. A strategy gives :class:`Sample` values:
the text, and beside it the actions, sentence, confidence, blocks and speech that were put in.
Use :func:`responses` for everything at once, or one of the others for one shape::

    @given(responses())
    def test_my_prompt_survives(sample):
        assert parse_response(sample.text).reasoning == sample.reasoning
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from hypothesis import strategies as st

from llm_wire.blocks import wrap_reply_text
from llm_wire.contracts import BLOCK_FIELDS, BLOCKS, BlockKind

__all__ = [
    "DAMAGES",
    "Sample",
    "answers",
    "clean_responses",
    "conversations",
    "cut_responses",
    "damaged_responses",
    "prose",
    "raw_block_responses",
    "responses",
    "surrounded_responses",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A response and what was put into it."""

    text: str
    shape: str
    """In a word or two, how the text came about; shown when a test fails."""
    routes: frozenset[str] = frozenset({"json"})
    """The routes by which it may be read."""
    actions: tuple[Mapping[str, Any], ...] = ()
    """The actions, by the keys of the wire."""
    reasoning: str | None = ""
    """The sentence; None where the damage leaves it open."""
    confidence: float | None = None
    """None where the damage leaves it open."""
    blocks: Mapping[str, Any] = field(default_factory=dict)
    """What blocks hold, by snake_case name."""
    reply_text: str | None = None
    no_message: str | None = None


_WORDS: Final = (
    "the", "guard", "waits", "I", "should", "go", "home,", "bridge.", "can't", "it's", "50%", "[1]",
    "[see 4.4]", "{a,", "b}", "`ls`", "a:b", "naïve", "Ödön", "橋を渡る", "🙂", "мост", "said",
    "e\u0301",
    "\\d", "C:\\new", "—", "…", "#1", "//", "and/or", "[REDACTED]", "null", "1,000",
)  # fmt: skip
_QUOTING_WORDS: Final = ('"stop"', "“so be it”", "'ay'")
_TEXT_BLOCKS: Final = tuple(block for block in BLOCKS if block.kind is BlockKind.JSON)

_verbs: Final = st.sampled_from(["flee", "rest", "serve", "confront", "warn_say", "渡る"])


def prose(*, quoting: bool = True, paragraphs: bool = True) -> st.SearchStrategy[str]:
    """Words as a mind writes them: brackets, quotes, braces and many scripts, but no marker.

    Trimmed, and without two blank lines in a row, so that a right reading gives it back whole.
    """
    words = st.sampled_from(_WORDS + _QUOTING_WORDS if quoting else _WORDS)
    sentence = st.lists(words, min_size=1, max_size=12).map(" ".join)
    if not paragraphs:
        return sentence
    return st.lists(sentence, min_size=1, max_size=3).map("\n\n".join)


_values: Final = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(-1e6, 1e6)
    | st.sampled_from(["", "plain", 'with "quotes"', "a\nb", "back\\slash", "[/BELIEFS]", "橋"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=6,
)


def _actions(words: st.SearchStrategy[str]) -> st.SearchStrategy[list[dict[str, Any]]]:
    action = st.fixed_dictionaries(
        {"type": _verbs, "reasoning": words, "expectedOutcome": words},
        optional={
            "target": st.sampled_from(["brenna", "Ödön"]),
            "args": st.dictionaries(st.sampled_from(["to", "fast"]), _values, max_size=2),
        },
    )
    return st.lists(action, max_size=3)


def answers(*, quoting: bool = True, paragraphs: bool = True) -> st.SearchStrategy[dict[str, Any]]:
    """Answer objects without blocks, in either order of their keys."""
    words = prose(quoting=quoting, paragraphs=paragraphs)
    confidence = st.integers(0, 100).map(lambda percent: percent / 100)
    both = st.tuples(_actions(words), words, confidence, st.booleans())

    def build(parts: tuple[list[dict[str, Any]], str, float, bool]) -> dict[str, Any]:
        actions, reasoning, sure, reasoning_first = parts
        answer: dict[str, Any] = {"actions": actions, "reasoning": reasoning, "confidence": sure}
        keys = ("reasoning", "actions", "confidence") if reasoning_first else tuple(answer)
        return {key: answer[key] for key in keys}

    return both.map(build)


def _sample(answer: Mapping[str, Any], text: str, shape: str) -> Sample:
    return Sample(
        text=text,
        shape=shape,
        actions=tuple(answer["actions"]),
        reasoning=answer["reasoning"],
        confidence=answer["confidence"],
    )


def clean_responses() -> st.SearchStrategy[Sample]:
    """One strict object, compact or over several lines."""
    layouts = st.sampled_from([None, 1, 2])
    return st.builds(
        lambda answer, indent, ascii_only: _sample(
            answer, json.dumps(answer, indent=indent, ensure_ascii=ascii_only), "clean"
        ),
        answers(),
        layouts,
        st.booleans(),
    )


_AROUND: Final[tuple[tuple[str, str, str], ...]] = (
    ("fenced", "```json\n", "\n```"),
    ("fenced in four", "Here it is.\n````\n", "\n````\nThat is all."),
    ("after prose", "I look around {carefully} first [see 4.4].\n\n", ""),
    ("before prose", "", "\n\nThat is what I would do, said `he`."),
    ("after another fence", "```bash\nls\n```\nNow:\n```json\n", "\n```"),
    ("after a tool call", '```json\n{"tool": "recall", "query": "bridge"}\n```\n', ""),
    ("after thinking", '<think>maybe {"actions":[{"type":"wrong"}]} hmm</think>\n', ""),
    ("after thinking twice", "<Thinking>a <think>b</think> c</THINKING>\n", ""),
    ("after a byte order mark", "\ufeff", ""),
    ("after a zero-width space", "\u200b", "\u200b"),
    ("wrapped in an object", '{"response": ', "}"),
    ("wrapped in a list", "[", "]"),
)


def surrounded_responses() -> st.SearchStrategy[Sample]:
    """A strict object with something around it that is none of its business."""
    return st.builds(
        lambda sample, around: replace(
            sample, text=around[1] + sample.text + around[2], shape=around[0]
        ),
        clean_responses(),
        st.sampled_from(_AROUND),
    )


# -- blocks and speech -----------------------------------------------------------------------------


@st.composite
def _blocks(draw: st.DrawFn) -> tuple[list[str], dict[str, Any]]:
    """A few blocks as text, each of another tag, and what they hold by snake_case name."""
    texts: list[str] = []
    held: dict[str, Any] = {}
    for block in draw(st.lists(st.sampled_from(_TEXT_BLOCKS), max_size=3, unique=True)):
        if block.tag == "UNDERTAKINGS":
            payload: dict[str, Any] = {"undertakings": [{"what": "mend the axe"}]}
        else:
            payload = {
                key: draw(_values.filter(lambda value: value is not None)) for key in block.keys
            }
        tag = draw(st.sampled_from([block.tag, block.tag.lower(), block.tag.title()]))
        pad = draw(st.sampled_from(["", "\n"]))
        texts.append(f"[{tag}]{pad}{json.dumps(payload)}{pad}[/{tag}]")
        held |= {BLOCK_FIELDS[key]: value for key, value in payload.items()}
    return texts, held


_replies: Final = prose().filter(lambda words: "{" not in words and "}" not in words)


@st.composite
def conversations(draw: st.DrawFn) -> Sample:
    """A strict answer with blocks inside and outside of it, and a reply, a silence or neither."""
    answer = draw(answers())
    inside, held = draw(_blocks())
    outside, held_outside = draw(_blocks())
    if not held.keys().isdisjoint(held_outside):
        outside, held_outside = [], {}
    spoken = "\n\n".join([answer["reasoning"], *inside])
    text = json.dumps({**answer, "reasoning": spoken}, indent=draw(st.sampled_from([None, 2])))
    sample = _sample(answer, "\n\n".join([text, *outside]), "blocks")
    sample = replace(sample, blocks=held | held_outside)
    kind = draw(st.sampled_from(["nothing", "reply", "unclosed reply", "silence", "in reasoning"]))
    words = draw(_replies)
    if kind == "reply":
        sample = replace(
            sample, text=f"{sample.text}\n{wrap_reply_text(words)}\n", reply_text=words
        )
    elif kind == "unclosed reply":
        sample = replace(sample, text=f"{sample.text}\n[reply_text]{words}\n", reply_text=words)
    elif kind == "silence":
        sample = replace(
            sample, text=f"{sample.text}\n[NO_MESSAGE]{words}[/NO_MESSAGE]", no_message=words
        )
    elif kind == "in reasoning":
        whole = {**answer, "reasoning": f"{spoken}\n{wrap_reply_text(words)}"}
        text = "\n\n".join([json.dumps(whole), *outside])
        sample = replace(sample, text=text, reply_text=words)
    return replace(sample, shape=f"blocks, {kind}")


# -- damage ----------------------------------------------------------------------------------------

_STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')


def _trailing_commas(text: str) -> str:
    return re.sub(r'("(?:[^"\\]|\\.)*")|(?<![\[{\s])(\s*[\]}])', lambda m: m[1] or "," + m[2], text)


def _quoted_by(opening: str, closing: str) -> Callable[[str], str]:
    return lambda text: _STRING.sub(lambda m: f"{opening}{m[1]}{closing}", text)


def _raw_line_breaks(text: str) -> str:
    return text.replace("\\n", "\n")


def _comments(text: str) -> str:
    return text.replace('"confidence"', '// how sure\n "confidence" /* 0 to 1 */')


def _bare_keys(text: str) -> str:
    return re.sub(
        r'"(actions|type|reasoning|confidence|expectedOutcome|target|args)":', r"\1:", text
    )


def _python_literals(text: str) -> str:
    return text[:-1] + ', "done": True, "next": None, "score": NaN}'


def _missing_commas(text: str) -> str:
    return re.sub(r',(\s*"(?:confidence|reasoning|expectedOutcome)":)', r"\n\1", text)


def _unclosed_list(text: str) -> str:
    return text[:-1] + ', "spare": [1, 2}'


DAMAGES: Final[dict[str, Callable[[str], str]]] = {
    "trailing commas": _trailing_commas,
    "single quotes": _quoted_by("'", "'"),
    "smart quotes": _quoted_by("“", "”"),
    "raw line breaks": _raw_line_breaks,
    "comments": _comments,
    "bare keys": _bare_keys,
    "Python literals": _python_literals,
    "missing commas": _missing_commas,
    "an unclosed list": _unclosed_list,
}
"""Ways to damage the JSON text of an answer whose strings hold neither quotes nor brackets."""

_plain_words: Final = st.lists(
    st.sampled_from([word for word in _WORDS if not set(word) & set("'\"\\{}[]:,`/#")]),
    min_size=1,
    max_size=8,
).map(" ".join)


@st.composite
def damaged_responses(draw: st.DrawFn, damage: str | None = None) -> Sample:
    """An answer damaged in one named way of :data:`DAMAGES`; any of them when None."""
    name = draw(st.sampled_from(sorted(DAMAGES))) if damage is None else damage
    words = draw(st.lists(_plain_words, min_size=7, max_size=7))
    count = draw(st.integers(0, 3))
    answer = {
        "actions": [
            {"type": draw(_verbs), "reasoning": words[n], "expectedOutcome": words[n + 1]}
            for n in range(count)
        ],
        "reasoning": f"{words[5]}\n\n{words[6]}" if name == "raw line breaks" else words[6],
        "confidence": draw(st.integers(0, 100)) / 100,
    }
    text = DAMAGES[name](json.dumps(answer, ensure_ascii=False))
    # A damage may find nothing to do (no comma to forget), and then the answer is strict.
    routes = frozenset({"json", "repaired"} if name == "trailing commas" else {"repaired"})
    return replace(_sample(answer, text, name), routes=routes)


@st.composite
def raw_block_responses(draw: st.DrawFn) -> Sample:
    """The commonest damage: blocks inside ``reasoning`` whose JSON was not escaped for it."""
    answer = draw(answers(paragraphs=False))
    blocks, held = draw(_blocks())
    mark = "@@@"
    text = json.dumps({**answer, "reasoning": f"{answer['reasoning']} {mark}"})
    sample = _sample(answer, text.replace(mark, "\n".join(blocks)), "raw blocks")
    return replace(sample, blocks=held, routes=frozenset({"json", "repaired"}))


@st.composite
def cut_responses(draw: st.DrawFn) -> Sample:
    """An answer cut off after its actions; what came later may be there or not."""
    sample = draw(clean_responses())
    answer = {
        "actions": list(sample.actions),
        "reasoning": sample.reasoning,
        "confidence": sample.confidence,
    }
    text = json.dumps(answer)
    whole = len(json.dumps({"actions": answer["actions"]})) - 1
    at = draw(st.integers(whole, len(text) - 1))
    return replace(
        sample,
        text=text[:at],
        shape="cut",
        routes=frozenset({"repaired", "salvaged"}),
        reasoning=None,
        confidence=None,
    )


def responses() -> st.SearchStrategy[Sample]:
    """Responses in every shape that this module knows."""
    return st.one_of(
        clean_responses(),
        surrounded_responses(),
        conversations(),
        damaged_responses(),
        raw_block_responses(),
        cut_responses(),
    )
