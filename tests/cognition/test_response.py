"""Reading a response, sentence by sentence of what it promises."""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cognition.executive_output import Action, ExecutiveOutput
from cognition.reflex import Vitals, reflex_fallback
from cognition.response import parse_response
from llm_wire.contracts import BLOCK_FIELDS
from llm_wire.problems import PROBLEM_LIMIT, ProblemCode

DATA = Path(__file__).parents[1] / "data" / "responses"
ACTION = {"type": "flee", "reasoning": "they are armed", "expectedOutcome": "safe"}


def answer(**changes: Any) -> str:
    whole = {"actions": [ACTION], "reasoning": "I should go.", "confidence": 0.7}
    return json.dumps(whole | changes)


def types(text: str) -> list[str]:
    return [action.type for action in parse_response(text).actions]


def route(text: str) -> str:
    return parse_response(text).route


def codes(output: ExecutiveOutput) -> set[str]:
    return {problem.code.value for problem in output.problems}


CASES = json.loads((DATA / "cases.json").read_bytes())


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_named_case(case: dict[str, Any]) -> None:
    output = parse_response(case["text"])
    for key, expected in case["expect"].items():
        match key:
            case "route_in":
                assert output.route in expected
            case "types":
                assert [action.type for action in output.actions] == expected
            case "action0":
                action = output.actions[0]
                got = {"reasoning": action.reasoning, "expectedOutcome": action.expected_outcome}
                assert expected.items() <= got.items()
            case "blocks":
                assert {name: getattr(output, name) for name in expected} == expected
            case "blocks_present":
                assert all(getattr(output, name) is not None for name in expected)
            case "reply_has":
                assert all(words in (output.reply_text or "") for words in expected)
            case "reply_not":
                assert not any(words in (output.reply_text or "") for words in expected)
            case "problems":
                assert bool(output.problems) is expected
            case _:
                assert getattr(output, key) == expected


def test_corpus() -> None:
    """Every row is right; where the generator keeps prose after an unclosed tag, we do not."""
    wrong: Counter[tuple[str, str]] = Counter()
    for line in gzip.decompress((DATA / "corpus.jsonl.gz").read_bytes()).splitlines():
        row = json.loads(line)
        truth, output = row["truth"], parse_response(row["text"])
        checks: dict[str, bool] = {
            "reply": output.reply_text == truth["replyText"],
            "silence": output.no_message == truth["noMessage"],
            "blocks": all(
                getattr(output, name) == truth["blocks"].get(key)
                for key, name in BLOCK_FIELDS.items()
                if name not in ("undertakings", "escalation")
            ),
        }
        if truth["actions"] is not None:
            checks["actions"] = [
                (action.type, action.reasoning, action.expected_outcome)
                for action in output.actions
            ] == [
                (a["type"], a.get("reasoning", ""), a.get("expectedOutcome", ""))
                for a in truth["actions"]
            ]
        if truth["confidence"] is not None:
            checks["confidence"] = output.confidence == truth["confidence"]
        if truth["prose"] is not None:
            checks["prose"] = output.reasoning == truth["prose"]
        wrong.update((what, row["category"]) for what, right in checks.items() if not right)
    assert set(wrong) <= {("prose", "unclosed_midprose"), ("prose", "tag_in_strings")}


# -- which object ----------------------------------------------------------------------------------

OTHER = '{"actions": [{"type": "rest"}]}'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"plan": ' + OTHER + ', "actions": []}', []),
        ('{"note": ' + json.dumps(OTHER) + "}", []),
        ("[" + json.dumps(OTHER) + "]", []),
        ('[PLANS]{"plans": [' + OTHER + "]}[/PLANS]", []),
        ("[PLANS]" + OTHER + "[/PLANS]", []),
        ("[REPLY_TEXT]use " + OTHER + " here[/REPLY_TEXT]", []),
        ("<think>" + OTHER + "</think>", []),
        ("<THINKING>a <think>b</think>" + OTHER + "</Thinking>", []),
        ("<think>" + OTHER, []),
        (OTHER + "</think>", []),
        ("hmm " + OTHER + "\n</think>\n" + answer(), ["flee"]),
        ('hmm {"actions": [{"type": "rest"\n</think>\n' + answer(), ["flee"]),
        ('hmm {"actions": [{"type": "rest", "reasoning": "so</think>\n' + answer(), ["flee"]),
        (answer(reasoning="no <think> and no </think> here"), ["flee"]),
        ('{"anything": ' + OTHER + "}", ["rest"]),
        ('{"a": {"b": ' + OTHER + "}}", []),
        ("[" + OTHER + "]", ["rest"]),
        ("[" + OTHER + ", " + OTHER + "]", []),
        (json.dumps(OTHER), ["rest"]),
        (json.dumps(answer() + "\n[REPLY_TEXT]hi[/REPLY_TEXT]"), ["flee"]),
        ('[{"type": "a"}, {"type": "b"}]', ["a", "b"]),
        ('I choose [{"type": "a"}].', ["a"]),
        ('{"actions": {"type": "a"}}', ["a"]),
        ('{"actions": "a"}', ["a"]),
        ('{"actions": ["a", [{"type": "b"}, ["c"]]]}', ["a", "b", "c"]),
        ('{"actions": null}', []),
        ('{"actions": [{"type": "a"}], "reasoning": "cut\n' + OTHER + "\nand more", ["rest"]),
        (OTHER + ' {"actions": [{"type": "mended"},]}', ["rest"]),
        ('{"actions": [{"type": "mended"},]} ' + OTHER, ["rest"]),
        (OTHER + answer(), ["flee"]),
        (answer() + ' {"actions": []}', ["flee"]),
        ('{"actions": []} {"actions": [7]}', []),
        ("Options {a, b} remain. " + OTHER, ["rest"]),
        ("{I think " + OTHER + " is right}", ["rest"]),
        ('["flee"]', ["flee"]),
        ('Hm.\n```json\n["flee"]\n```', []),
        ('<think>x</think>\n```json\n["a","b"]\n```', ["a", "b"]),
        ('My options are ["flee", "hide"].', []),
        ('["flee"]' + OTHER, ["rest"]),
        ('[""]', []),
        ('{"response":[{"type":"a"}]}', ["a"]),
        ('{"response":[{"type":"a"},]}', ["a"]),
        ('{"response":["a"]}', []),
        ('{"plans":[{"type":"a"}]}', []),
        ('{"response":[{"type":"a"}],"k":1}', []),
        ('"[{\\"type\\":\\"a\\"}]"', ["a"]),
        ('"[\\n  {\\"type\\":\\"a\\"}]"', ["a"]),
        ('"[\\"a\\"]"', ["a"]),
        # What an object holds that is no answer stays out, also behind a block in its reasoning.
        ('{"k":1,"reasoning":"[ACK]ok[/ACK] go","plan":{"actions":["x"]}}', []),
        ('{"reasoning":"[ACK]ok[/ACK] actions: [flee]","confidence":0.5}', []),
        ('{"reasoning":"[ACK]ok[/ACK] Possible actions: [flee, attack]. ","confidence":0.5', []),
        # The closer of a think-block is a word in a string that is written as it should be.
        ('{"actions":["z"],"reasoning":"A </think> b \\"actions\\" c",}', ["z"]),
        ('{"actions":["z"],"reasoning":"A </think> my actions","confidence":NaN}', ["z"]),
        ('{"actions":["z"],"reasoning":"A </think> b \\"actions\\" c', ["z"]),
        ('{"actions":["z"],"reasoning":"[ACK]"a"[/ACK] </think> actions c"}', ["z"]),
        ('{"actions":["z"],"reasoning":"A </think> {"actions":["y"]}', ["y"]),
    ],
)
def test_which_object(text: str, expected: list[str]) -> None:
    assert types(text) == expected


def test_among_equals_the_last_counts_even_without_a_valid_action() -> None:
    text = '{"actions": [], "reasoning": "a"} {"actions": [7], "reasoning": "b"}'
    assert parse_response(text).reasoning == "b"


# -- the route -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Prose.\n```json\n" + answer() + "\n```\nMore.",
        "\ufeff" + answer(),
        "\u200b" + answer() + "\u200b",
        "<think>x</think>" + answer(),
        '{"actions": [], "n": 123456789012345678901234567890}',
        '{"actions": [], "n": 1e999}',
        '{"actions": [], "s": "\\ud800"}',
        '{"actions": [], "n": ' + "9" * 6000 + "}",
        '{"actions": [], "x": ' + "[" * 5000 + "]" * 5000 + "}",
        answer(reasoning="{[`}]"),
        '{"actions":["z"],"x":"</think>\\"actions\\ud800"}',
    ],
)
def test_strict_json_is_json_whatever_surrounds_it(text: str) -> None:
    assert route(text) == "json"


@pytest.mark.parametrize(
    "text",
    [
        '{"actions": [{"type": "flee"},],}',
        "{'actions': [{'type': 'flee', 'reasoning': 'it's fine, isn't it'}]}",
        "{“actions”: [{“type”: “flee”}]}",
        '{"actions": [{"type": "flee", "reasoning": "a\tb"}]}',
        '{"actions": [{"type": "flee", "reasoning": "C:\\qux"}]}',
        '{"actions": [/* one */ {"type": "flee"} // done\n]}',
        '{actions: [{type: "flee"}]}',
        '{"actions": [{"type": "flee"}], "a": True, "b": None, "c": NaN}',
        '{"actions": [{"type": "flee"}], "reasoning": "x [PLANS]{"plans": [1]}[/PLANS]"}',
        '{"actions": [{"type": "flee"}], "reasoning": "I am',
        '{"actions": [{"type": "flee"}], "reasoning": "she said "go" and left"}',
        '"actions": [{"type": "flee"}], "reasoning": "no brace"}',
    ],
)
def test_a_mended_object_is_repaired(text: str) -> None:
    output = parse_response(text)
    assert (output.route, [a.type for a in output.actions]) == ("repaired", ["flee"])


def test_raw_blocks_inside_reasoning_are_escaped_and_read() -> None:
    output = parse_response(
        '{"actions": [], "reasoning": "Go.\n[BELIEFS]\n{"newBeliefs": [{"s": "he said'
        ' \\"hi\\""}]}\n[/BELIEFS]", "confidence": 0.25}'
    )
    assert output.route == "repaired"
    assert output.new_beliefs == [{"s": 'he said "hi"'}]
    assert (output.reasoning, output.confidence) == ("Go.", 0.25)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('The "actions": [{"type": "a"}] it is.', ["a"]),
        ('{"reasoning" <broken>, "actions": [{"type": "a"}] < ', ["a"]),
        ('{"actions": [{"type": "a"}], reasoning is hard <', ["a"]),
    ],
)
def test_a_list_without_its_object_is_salvaged(text: str, expected: list[str]) -> None:
    output = parse_response(text)
    assert (output.route, [a.type for a in output.actions]) == ("salvaged", expected)


def test_salvaged_prose_is_what_stands_outside() -> None:
    output = parse_response(
        'I run.\n```sh\nls\n```\n[PLANS]{"plans": [1]}[/PLANS]\n'
        'So "actions": [{"type": "a"}] it is.'
    )
    assert output.reasoning == "I run.\n\nSo  it is."
    assert output.plans == [1]


@pytest.mark.parametrize(
    "text", ["", "   ", "Words.", "\x00", "{", "[", '"actions": [] is silence', '{"actions": 7}']
)
def test_nothing_to_act_on_is_the_reflex(text: str) -> None:
    output = parse_response(text, Vitals(energy=10))
    reflex = reflex_fallback(Vitals(energy=10))
    assert output.route == "fallback"
    assert (output.actions, output.reasoning, output.confidence) == (
        reflex.actions,
        reflex.reasoning,
        reflex.confidence,
    )
    assert codes(output) == {"no-answer"}


def test_blocks_reply_and_silence_survive_a_fallback() -> None:
    output = parse_response(
        'Nothing. [PLANS]{"plans": [1]}[/PLANS] [REPLY_TEXT]Hi[/REPLY_TEXT] '
        "[NO_MESSAGE]x[/NO_MESSAGE]"
    )
    assert (output.route, output.plans, output.reply_text, output.no_message, output.speech) == (
        "fallback",
        [1],
        "Hi",
        "x",
        None,
    )


def test_only_whole_actions_of_a_cut_answer_are_used() -> None:
    output = parse_response('{"actions": [{"type": "a"}, {"type": "b", "args": {"to": {"x": 1}}')
    assert [action.type for action in output.actions] == ["a"]
    assert {"cut-short", "action-cut"} <= codes(output)
    assert types('{"actions": [{"type": "a", "args": {"n": 1], "reasoning": "x"}') == []


@pytest.mark.parametrize(
    "text",
    [
        '{"actions": ["flee", "r',
        '{"actions": ["flee"], "escalation": "thi',
        '{"actions": ["flee"], "undertakings": [{"what": "mend"',
        '{"actions": ["flee"], "undertakings": [{"what": "me',
    ],
)
def test_half_a_verb_or_a_promise_is_none(text: str) -> None:
    output = parse_response(text)
    assert [action.type for action in output.actions] == ["flee"]
    assert (output.undertakings, output.escalation) == ([], None)
    assert parse_response('{"actions": "fl').actions == []


def test_a_forgotten_last_brace_loses_nothing() -> None:
    output = parse_response("```json\n" + answer()[:-1] + "\n```\nDone.")
    assert (output.route, output.reasoning, output.confidence) == ("repaired", "I should go.", 0.7)
    assert codes(output) == {"cut-short"}


@pytest.mark.parametrize("sure", ["0.7;", "0.7.", "<0.7>"])
def test_one_bad_value_loses_no_other(sure: str) -> None:
    output = parse_response(f'{{"actions": ["flee"], "reasoning": "Go.", "confidence": {sure}}}')
    assert (output.route, output.reasoning, len(output.actions)) == ("repaired", "Go.", 1)


def test_half_a_thought_is_one() -> None:
    text = '{"actions": [], "reasoning": "I am go'
    assert parse_response(text).reasoning == "I am go"


@pytest.mark.parametrize("end", ['"', '"conf', '"confidence"', '"confidence":', ""])
def test_an_answer_cut_in_a_key_is_an_answer(end: str) -> None:
    output = parse_response('{"actions": [], ' + end)
    assert (output.route, output.actions, codes(output)) == ("repaired", [], {"cut-short"})


def test_a_number_cut_at_the_end_is_not_read() -> None:
    assert parse_response('{"actions": [], "confidence": 0.9').confidence == 0.5
    assert parse_response('{"actions": [], "confidence": 0.9}').confidence == 0.9


# -- actions and confidence ------------------------------------------------------------------------


def test_what_is_wrong_with_an_action_is_dropped_and_listed() -> None:
    output = parse_response(
        '{"actions": [null, 3, {}, {"type": " "}, {"type": 7},'
        ' {"type": "a", "target": 5, "args": [1], "reasoning": 4, "expectedOutcome": null},'
        ' {"type": "b", "target": "x", "args": {"n": 1}}]}'
    )
    assert output.actions == [Action("a"), Action("b", target="x", args={"n": 1})]
    assert [(p.code.value, p.where) for p in output.problems] == [
        *(("action-unusable", f"actions[{n}]") for n in range(5)),
        ("field-unusable", "actions[5].reasoning"),
        ("field-unusable", "actions[5].target"),
        ("field-unusable", "actions[5].args"),
    ]


def test_integers_beyond_64_bits_are_kept_exactly() -> None:
    text = '{"actions": [{"type": "a", "args": {"n": 123456789012345678901234567890}}]}'
    assert parse_response(text).actions[0].args == {"n": 123456789012345678901234567890}
    block = 'x [PLANS]{"plans": [-98765432109876543210]}[/PLANS]'
    assert parse_response(block).plans == [-98765432109876543210]


def test_what_nothing_can_hold_is_dropped_with_a_problem() -> None:
    deep = '{"actions": [{"type": "a", "args": {"x": ' + "[" * 900 + "]" * 900 + "}}]}"
    output = parse_response(deep)
    assert output.route == "json"
    json.dumps(output.actions[0].args)
    huge = '{"actions": [{"type": "a", "args": {"n": ' + "9" * 6000 + "}}]}"
    output = parse_response(huge)
    assert output.actions[0].args == {"n": None}
    assert codes(output) == {"value-unkept"}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("0.3", 0.3), ("1", 1.0), ("0", 0.0), ("85", 1.0), ("-2", 0.0), ("1e-1", 0.1),
        ('"0.8"', 0.8), ('" 0.8 "', 0.8), ('"85"', 1.0), ('"85%"', 0.85), ('"8.5 %"', 0.085),
        ("85%", 0.85), ("8.5% ", 0.085), ("250%", 1.0),
        ('"250%"', 1.0), ("true", 0.5), ("false", 0.5), ('"high"', 0.5), ('""', 0.5),
        ("null", 0.5), ("NaN", 0.5), ("Infinity", 0.5), ("-Infinity", 0.5), ("1e999", 0.5),
        ("9" * 400, 0.5), ("9" * 6000, 0.5), ("1" + "0" * 30, 1.0), ('"nan"', 0.5),
        ('"inf"', 0.5), ('"1_0"', 0.5), ('"1e999"', 0.5), ("[1]", 0.5), ('{"value": 1}', 0.5),
    ],
)  # fmt: skip
def test_confidence(written: str, expected: float) -> None:
    text = '{"actions": [], "reasoning": "r", "confidence": ' + written + "}"
    assert parse_response(text).confidence == expected


def test_a_bare_percent_costs_no_other_value() -> None:
    output = parse_response(
        '{"confidence": 85%, "actions": [{"type": "a", "args": {"n": 5%}}], "reasoning": "r"}'
    )
    assert (output.route, output.confidence, output.reasoning) == ("repaired", 0.85, "r")
    assert output.actions[0].args == {"n": "5%"}


def test_absent_confidence_is_half() -> None:
    assert parse_response('{"actions": []}').confidence == 0.5


# -- undertakings and escalation -------------------------------------------------------------------


def test_undertakings_and_escalation() -> None:
    output = parse_response(
        answer(
            undertakings=[
                {"what": "mend the axe", "target": 4},
                {"what": " "},
                "word",
                {"gist": "x"},
            ],
            escalation="work for all of me",
        )
        + '\n[UNDERTAKINGS]{"undertakings": [{"what": "reach Brenna", "target": "b", "gist": '
        '"hi"}]}[/UNDERTAKINGS]'
    )
    assert output.undertakings == [
        {"what": "mend the axe"},
        {"what": "reach Brenna", "target": "b", "gist": "hi"},
    ]
    assert output.escalation == "work for all of me"
    assert codes(output) == {"undertaking-unusable", "field-unusable"}
    assert len(output.problems) == 4


def test_without_any_both_are_empty() -> None:
    output = parse_response(answer(escalation=" "))
    assert (output.undertakings, output.escalation) == ([], None)


# -- blocks ----------------------------------------------------------------------------------------

PAYLOADS = [
    ("PLANS", "plans"), ("BELIEFS", "newBeliefs"), ("INTROSPECTION", "introspection"),
    ("NARRATIVE", "narrative"), ("NARRATIVE", "narrativeThemes"), ("NARRATIVE", "currentSelfView"),
    ("IDENTITY", "identityUpdates"), ("KNOWN_ENTITIES", "knownEntityUpdates"),
    ("GOALS_NEW", "newGoals"), ("GOALS_ABANDON", "goalsToAbandon"),
    ("GOALS_REPRIORITIZE", "goalsToReprioritize"), ("SELF_OBS", "selfObservations"),
    ("SKILLS", "newSkills"),
]  # fmt: skip


@pytest.mark.parametrize(("tag", "key"), PAYLOADS)
@pytest.mark.parametrize("place", ["reasoning", "action", "outcome", "after", "before", "alone"])
def test_a_block_is_read_wherever_it_stands(tag: str, key: str, place: str) -> None:
    block = f"[{tag}]{json.dumps({key: ['held']})}[/{tag}]"
    text = {
        "reasoning": answer(reasoning=f"I should go. {block}"),
        "action": answer(actions=[ACTION | {"reasoning": f"they are armed {block}"}]),
        "outcome": answer(actions=[ACTION | {"expectedOutcome": f"safe {block}"}]),
        "after": answer() + block,
        "before": block + answer(),
        "alone": f"Words. {block}",
    }[place]
    output = parse_response(text)
    assert getattr(output, BLOCK_FIELDS[key]) == ["held"]
    if place != "alone":
        assert output.reasoning == "I should go."
        assert output.actions == [Action("flee", "they are armed", "safe")]
        assert output.problems == []


@pytest.mark.parametrize("tag", ["EFFECTORS", "ACK", "REPLY"])
def test_old_and_unkept_blocks_are_taken_out(tag: str) -> None:
    output = parse_response(answer(reasoning=f'I go. [{tag}]{{"a": 1}}[/{tag}] Now.'))
    assert output.reasoning == "I go.  Now."
    assert output.problems == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('{"plans": [1]}', [1]),
        ("[1, 2]", [1, 2]),
        ('"a word"', "a word"),
        ("7", 7),
        ('{"goal": "x"}', {"goal": "x"}),
        ('{\\"plans\\": [\\"a\\"]}', ["a"]),
        ('{"plans": ["\\\\d"]}', ["\\d"]),
        ('{"plans": [1,],}', [1]),
        ("```json\n[1]\n```", [1]),
        ('{"plans": ["the marker [/PLANS] closes"]}', ["the marker [/PLANS] closes"]),
        ('{\\"plans\\": [\\"the marker [/PLANS] closes\\"]}', ["the marker [/PLANS] closes"]),
        ("", None),
        ("{{{", None),
        ('{"plans": [1', None),
        ("words", None),
        ('{"plans": null}', None),
    ],
)
@pytest.mark.parametrize("inside", [True, False])
def test_payloads(body: str, expected: Any, inside: bool) -> None:
    block = f"[PLANS]{body}[/PLANS]"
    text = answer(reasoning=f"I should go. {block}") if inside else f"{answer()}\n{block}"
    output = parse_response(text)
    assert output.plans == expected
    assert output.reasoning == "I should go."
    assert [action.type for action in output.actions] == ["flee"]
    assert bool(output.problems) is (expected is None and "null" not in body)


def test_unclosed_blocks_with_whole_payloads_are_read_and_those_after_them() -> None:
    output = parse_response(
        answer(
            reasoning='Go. [PLANS]{"plans": [1]} then [BELIEFS]{"newBeliefs": [2]}[/BELIEFS]'
            " [SKILLS][3]"
        )
    )
    assert (output.plans, output.new_beliefs, output.new_skills) == ([1], [2], [3])
    assert output.reasoning == "Go."
    assert "block-cut" in codes(output)


def test_blocks_of_a_kind_join_in_the_order_of_the_text() -> None:
    output = parse_response(
        "[PLANS][1][/PLANS]"
        + answer(
            reasoning='a [PLANS]{"plans": [2]}[/PLANS] [NARRATIVE]{"narrative": "x"}[/NARRATIVE]'
        )
        + '[PLANS]nothing[/PLANS][plans]{"plans": [3]}[/plans]'
        + '[NARRATIVE]{"narrative": "y"}[/NARRATIVE]'
    )
    assert output.plans == [1, 2, 3]
    assert output.narrative == "y"


def test_blocks_of_an_action_join_in_the_order_of_its_fields() -> None:
    first, second = (
        '"reasoning":"[PLANS][1][/PLANS]"',
        '"expectedOutcome":"b [1] [PLANS][2][/PLANS]"',
    )
    one = parse_response('{"actions":[{"type":"a",' + first + "," + second + "}]}")
    other = parse_response('{"actions":[{"type":"a",' + second + "," + first + "}]}")
    assert (one.plans, other.plans) == ([1, 2], [2, 1])
    assert one.actions[0].expected_outcome == other.actions[0].expected_outcome == "b [1]"


def test_an_unreadable_block_costs_nothing_else() -> None:
    output = parse_response(answer() + "[BELIEFS]no json[/BELIEFS][PLANS][1][/PLANS]")
    assert (output.new_beliefs, output.plans) == (None, [1])
    assert [(p.code, p.where, p.dropped) for p in output.problems] == [
        (ProblemCode.BLOCK_UNREADABLE, "outside: BELIEFS", "no json")
    ]


# -- the sentence ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reasoning", "expected"),
    [
        ("  plain  ", "plain"),
        ("a\n\n\n\nb\n \n\t\nc", "a\n\nb\n \nc"),
        ("a\n\nb", "a\n\nb"),
        ("a [PLANS][1][/PLANS] b", "a  b"),
        ("a [PLANS] b", "a"),
        ("a [/PLANS] b", "a  b"),
        ("see [1], [see 4.4], [REDACTED]", "see [1], [see 4.4], [REDACTED]"),
        ("I will use [reply_text] soon", "I will use"),
        ("[PLA[ACK]x[/ACK]NS] b", "b"),
        ("", ""),
        (7, ""),
        (None, ""),
        (["a"], ""),
    ],
)
def test_the_sentence(reasoning: Any, expected: str) -> None:
    assert parse_response(answer(reasoning=reasoning)).reasoning == expected


def test_because_is_the_sentence_or_the_first_actions() -> None:
    assert parse_response(answer()).because == "I should go."
    assert parse_response(answer(reasoning="")).because == "they are armed"
    assert parse_response(answer(reasoning="", actions=[])).because == ""


# -- speech ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outside", "expected"),
    [
        ("[REPLY_TEXT]Hi[/REPLY_TEXT]", "Hi"),
        ("[reply_text]Hi[/Reply_Text]", "Hi"),
        ("[REPLY_TEXT]\n Hi \n", "Hi"),
        ("[REPLY_TEXT]one[/REPLY_TEXT] [REPLY_TEXT]two[/REPLY_TEXT]", "one"),
        ("[REPLY_TEXT]a\n[PLANS]\nb[/REPLY_TEXT]", "a\nb"),
        ('[REPLY_TEXT]a [PLANS]{"plans": [1]}[/PLANS] b[/REPLY_TEXT]', "a  b"),
        ("[REPLY_TEXT]a [PLANS] [1] [/PLANS] b[/REPLY_TEXT]", "a   b"),
        ("[REPLY_TEXT]a [PLA[ACK]NS] b[/REPLY_TEXT]", "a  b"),
        ("[REPLY_TEXT] [/PLANS] [/REPLY_TEXT]", None),
        ("[REPLY_TEXT][/REPLY_TEXT]", None),
        ("[REPLY_TEXT]see [1] and [REDACTED][/REPLY_TEXT]", "see [1] and [REDACTED]"),
        ("[REPLY_TEXT]a <think>b</think> c[/REPLY_TEXT]", "a  c"),
        ("<think>[REPLY_TEXT]no[/REPLY_TEXT]</think>[REPLY_TEXT]yes[/REPLY_TEXT]", "yes"),
        ('{"x": "[REPLY_TEXT]no[/REPLY_TEXT]"}[REPLY_TEXT]yes[/REPLY_TEXT]', "yes"),
        ('{"x": "no end [REPLY_TEXT]no\n[REPLY_TEXT]yes[/REPLY_TEXT]', "yes"),
        ("{plain [REPLY_TEXT]yes[/REPLY_TEXT]", "yes"),
        ("[REPLY_TEXT]Hello [/REPLY_TE", "Hello"),
        ("[/REPLY_TEXT]", None),
    ],
)
def test_reply(outside: str, expected: str | None) -> None:
    assert parse_response(answer() + "\n" + outside).reply_text == expected


def test_an_unclosed_reply_does_not_speak_the_answer_after_it() -> None:
    output = parse_response("[REPLY_TEXT]Hello there.\n" + answer())
    assert output.reply_text == "Hello there."
    assert [action.type for action in output.actions] == ["flee"]


@pytest.mark.parametrize(
    ("reasoning", "outside", "reply", "silence"),
    [
        ("x [REPLY_TEXT]in[/REPLY_TEXT]", "", "in", None),
        ("x [REPLY_TEXT]in[/REPLY_TEXT]", "[REPLY_TEXT]out[/REPLY_TEXT]", "out", None),
        ("x [REPLY_TEXT]in", "", None, None),
        ("x [NO_MESSAGE]in[/NO_MESSAGE]", "", None, "in"),
        ("x [NO_MESSAGE]in", "", None, None),
        ("x [NO_MESSAGE]in[/NO_MESSAGE]", "[REPLY_TEXT]out[/REPLY_TEXT]", "out", None),
        ("in [REPLY_TEXT] [NO_MESSAGE]in[/NO_MESSAGE]", "", None, "in"),
        ("x", "[NO_MESSAGE]", None, "(no reason given)"),
        ("x", "[NO_MESSAGE]a\n[PLANS][1][/PLANS]", None, "a"),
        ("x", "[REPLY_TEXT]a [NO_MESSAGE]b[/NO_MESSAGE] c[/REPLY_TEXT]", "a b c", None),
        ("x", "[REPLY_TEXT]a[/REPLY_TEXT][NO_MESSAGE]b[/NO_MESSAGE]", "a", "b"),
        ("x", "[NO_MESSAGE]b[/NO_MESSAGE][REPLY_TEXT]a[/REPLY_TEXT]", "a", "b"),
    ],
)
def test_where_speech_counts(
    reasoning: str, outside: str, reply: str | None, silence: str | None
) -> None:
    output = parse_response(answer(reasoning=reasoning) + outside)
    assert (output.reply_text, output.no_message) == (reply, silence)
    assert output.speech == (reply if silence is None else None)
    assert output.reasoning in ("x", "in")


# -- always ----------------------------------------------------------------------------------------


def test_problems_are_capped_and_counted() -> None:
    problems = parse_response(answer(actions=[None] * 250)).problems
    assert len(problems) == PROBLEM_LIMIT + 1
    assert problems[-1] == (ProblemCode.MORE, "", "150 more")


def test_lone_surrogates_encode() -> None:
    output = parse_response(
        '{"actions": [{"type": "\\ud800"}], "reasoning": "\ud800"} [REPLY_TEXT]\ud800[/REPLY_TEXT]'
    )
    assert (output.actions[0].type, output.reasoning, output.reply_text) == ("\ufffd",) * 3


def test_outputs_compare_and_show_their_fields() -> None:
    one, other = parse_response(answer()), parse_response(answer())
    assert one == other
    other.plans = [1]
    assert one != other
    assert "plans=[1]" in repr(other)
    with pytest.raises(AttributeError, match="'ExecutiveOutput' object has no attribute 'plan'"):
        one.plan  # noqa: B018
