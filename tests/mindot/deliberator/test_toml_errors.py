"""Bad data files: one clear error each, and the laws in force stay in force."""

import contextlib
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindot.deliberator import Lawbook, load_lawbook
from mindot.deliberator.lawbook import FILES
from mindot.game.manifest import load_manifests
from mindot.game.toml_table import TomlError
from tests.mindot.deliberator.stage import Stage, person, theft

MANIFESTS = """
[manifest.guard]
allows = ["stay", "confront", "call_help", "go_station"]
rest = { action = "go_station", station = "bed" }
withdraw = { action = "stay" }
[manifest.child]
allows = ["stay", "flee"]
"""

OPERATORS = """
[roles]
watch = ["guard"]
[operator.tell]
meaning = "tell the watch"
actions = ["call_help"]
binds = ["watch"]
ttl_s = 30
serves = ["safety"]
say = "{target}! {text}"
[operator.bide]
meaning = "bide"
waits = true
[operator.walk]
meaning = "walk home"
actions = ["go_station"]
binds = ["station"]
stations = ["bed"]
[operator.hurry]
meaning = "hurry"
actions = ["stay"]
ttl_s = 4
"""

LAWS = """
[event.theft]
cls = "wrong"
gravity = 0.5
[defiance]
at = 0.5
line = "No."
[[law]]
id = "robbed"
cls = "wrong"
when = { kind = ["theft"], traits = { brave = { min = 0.2 } }, flags = { night = false } }
plan = [{ steps = ["bide", "tell"], base = 0.5, traits = { brave = 0.1 } }]
"""

NEVER = """
[[never]]
id = "no-shouting"
words = "nobody shouts at night"
actions = ["call_help"]
when = { flags = { night = true } }
"""

FORGIVENESS = """
[grudges]
half_life_s = 100
[[forgiveness]]
id = "sorry"
excul = 0.5
because = "they were sorry"
when = { words = ["sorry"] }
"""

GOOD = dict(zip(FILES, (MANIFESTS, OPERATORS, LAWS, NEVER, FORGIVENESS), strict=True))


class Slip(NamedTuple):
    """A mistake: in ``file``, ``old`` was written as ``new``."""

    file: str
    old: str
    new: str
    key: str
    says: str
    nearest: str | None = None


SLIPS = [
    # manifests.toml
    Slip("manifests.toml", '"confront"', '"confrunt"', "manifest.guard.allows[1]",
         "'confrunt' is none of", "confront"),
    Slip("manifests.toml", 'allows = ["stay", "flee"]', 'alows = ["stay", "flee"]',
         "manifest.child.allows", "is missing; it has to be a list of strings (there is 'alows')"),
    Slip("manifests.toml", 'allows = ["stay", "flee"]', 'allows = ["flee"]',
         "manifest.child.allows", "has to hold 'stay'"),
    Slip("manifests.toml", 'allows = ["stay", "flee"]', "allows = []",
         "manifest.child.allows", "may not be empty"),
    Slip("manifests.toml", 'allows = ["stay", "flee"]', 'allows = ["stay", "stay"]',
         "manifest.child.allows[1]", "'stay' is there twice"),
    Slip("manifests.toml", 'allows = ["stay", "flee"]', 'allows = ["stay", 3]',
         "manifest.child.allows[1]", "has to be a string, not a whole number"),
    Slip("manifests.toml", 'allows = ["stay", "flee"]', 'allows = "stay"',
         "manifest.child.allows", "has to be a list of strings, not a string"),
    Slip("manifests.toml", 'withdraw = { action = "stay" }', 'withdraw = { action = "flee" }',
         "manifest.guard.withdraw.action", "is not among what this manifest allows"),
    Slip("manifests.toml", "withdraw =", "withdrawl =", "manifest.guard.withdrawl",
         "is no key here", "withdraw"),
    Slip("manifests.toml", "[manifest.guard]", "[manifests.guard]", "manifests",
         "is no key here", "manifest"),
    Slip("manifests.toml", MANIFESTS, "[manifest]", "manifest", "names no archetype"),
    Slip("manifests.toml", MANIFESTS, "manifest = 3", "manifest", "has to be a table"),
    # operators.toml
    Slip("operators.toml", "ttl_s = 30", "ttl_s = 0", "operator.tell.ttl_s",
         "0 is not between 0.1 and 86400"),
    Slip("operators.toml", "ttl_s = 30", "ttl_s = true", "operator.tell.ttl_s",
         "has to be a number, not a boolean"),
    Slip("operators.toml", "ttl_s = 30", "ttl_s = nan", "operator.tell.ttl_s",
         "nan is not between"),
    Slip("operators.toml", "ttl_s = 30", "ttl_s = 1" + "0" * 400, "operator.tell.ttl_s",
         "is beyond any number that is meant"),
    Slip("operators.toml", "ttl_s = 30", "ttl = 30", "operator.tell.ttl",
         "is no key here", "ttl_s"),
    Slip("operators.toml", 'binds = ["watch"]', 'binds = ["wacht"]', "operator.tell.binds[0]",
         "'wacht' is none of", "watch"),
    Slip("operators.toml", "{target}!", "{taget}!", "operator.tell.say",
         "'taget' is no placeholder", "target"),
    Slip("operators.toml", "{target}!", "{target!", "operator.tell.say",
         "has a brace that stands alone"),
    Slip("operators.toml", 'meaning = "bide"', 'meaning = "  "', "operator.bide.meaning",
         "may not be blank"),
    Slip("operators.toml", 'stations = ["bed"]', "", "operator.walk.stations",
         "has to be there when 'binds' holds \"station\""),
    Slip("operators.toml", "waits = true", 'waits = true\nactions = ["stay"]',
         "operator.bide.actions", "a step that waits has no actions"),
    Slip("operators.toml", "waits = true", 'actions = ["say"]', "operator.bide.say",
         "is missing: a step that may become 'say' needs a line"),
    Slip("operators.toml", "waits = true", 'actions = ["say", "stay"]', "operator.bide.say",
         "is missing: a step that may become 'say' needs a line"),
    Slip("operators.toml", 'watch = ["guard"]', 'watch = ["gaurd"]', "roles.watch[0]",
         "'gaurd' is no archetype with a manifest", "guard"),
    Slip("operators.toml", "[operator.bide]", '[operator." "]', "operator.' '",
         "is a blank name"),
    Slip("operators.toml", 'watch = ["guard"]', '"" = ["guard"]\nwatch = ["guard"]', "roles.''",
         "is a blank name"),
    Slip("manifests.toml", "[manifest.child]", '[manifest.""]', "manifest.''",
         "is a blank name"),
    Slip("laws.toml", "[event.theft]", '[event." "]', "event.' '", "is a blank name"),
    Slip("laws.toml", '"bide", "tell"', '"tell", "hurry"', "law[0].plan[0].steps[1]",
         "'hurry' has 4 s (its ttl_s), and 4 s pass between two steps"),
    Slip("forgiveness.toml", 'words = ["sorry"]', 'kind = ["thfet"]',
         "forgiveness[0].when.kind[0]", "'thfet' is none of", "theft"),
    Slip("forgiveness.toml", 'words = ["sorry"]', 'need = ["safty"]',
         "forgiveness[0].when.need[0]", "'safty' is none of", "safety"),
    Slip("operators.toml", 'watch = ["guard"]', 'ally = ["guard"]', "roles.ally",
         "is the name of a binding"),
    Slip("operators.toml", 'actions = ["call_help"]', 'actions = ["call_halp"]',
         "operator.tell.actions[0]", "'call_halp' is none of", "call_help"),
    # laws.toml
    Slip("laws.toml", '"bide", "tell"', '"bide", "tel"', "law[0].plan[0].steps[1]",
         "'tel' is none of", "tell"),
    Slip("laws.toml", '"bide", "tell"', ", ".join(['"bide"'] * 13), "law[0].plan[0].steps",
         "has 13 steps; 12 is the most"),
    Slip("laws.toml", 'id = "robbed"\ncls = "wrong"', 'id = "robbed"\ncls = "wrog"',
         "law[0].cls", "'wrog' is none of", "wrong"),
    Slip("laws.toml", "{ brave = { min = 0.2 } }", "{ bravery = { min = 0.2 } }",
         "law[0].when.traits.bravery", "is none of", "brave"),
    Slip("laws.toml", "{ min = 0.2 }", "{ min = 0.6, max = 0.2 }", "law[0].when.traits.brave",
         "min 0.6 is above max 0.2"),
    Slip("laws.toml", "{ min = 0.2 }", "{ }", "law[0].when.traits.brave", "is empty"),
    Slip("laws.toml", "{ min = 0.2 }", "{ minimum = 0.2 }", "law[0].when.traits.brave.minimum",
         "is no key here", "min"),
    Slip("laws.toml", "{ night = false }", "{ nite = false }", "law[0].when.flags.nite",
         "is no key here", "night"),
    Slip("laws.toml", "{ night = false }", '{ night = "no" }', "law[0].when.flags.night",
         "has to be true or false, not a string"),
    Slip("laws.toml", 'kind = ["theft"]', 'kind = ["thefts"]', "law[0].when.kind[0]",
         "'thefts' is none of", "theft"),
    Slip("laws.toml", "gravity = 0.5", "gravity = 5", "event.theft.gravity",
         "5 is not between 0 and 1"),
    Slip("laws.toml", "base = 0.5", "bace = 0.5", "law[0].plan[0].bace", "is no key here", "base"),
    Slip("laws.toml", 'line = "No."', "", "defiance.line", "is missing"),
    Slip("laws.toml", "[[law]]", "[law]", "law", "has to be an array of tables"),
    Slip("laws.toml", "[defiance]", "[defiance", "", "is no TOML"),
    Slip("laws.toml", "[defiance]", LAWS[LAWS.index("[[law]]"):] + "[defiance]", "law[1].id",
         "'robbed' is there twice"),
    Slip("laws.toml", LAWS, "law = [3]\n" + LAWS[:LAWS.index("[[law]]")], "law[0]",
         "has to be a table, not a whole number"),
    Slip("laws.toml", LAWS[LAWS.index("[[law]]"):], "", "law", "is missing"),
    Slip("laws.toml", "[event.theft]", "law = []\n[event.theft]", "", "is no TOML"),
    Slip("laws.toml", LAWS, "law = []\n" + LAWS[:LAWS.index("[[law]]")], "law",
         "may not be empty"),
    # never.toml and forgiveness.toml
    Slip("never.toml", "[[never]]", NEVER + "[[never]]", "never[1].id",
         "'no-shouting' is there twice"),
    Slip("forgiveness.toml", "[[forgiveness]]",
         FORGIVENESS[FORGIVENESS.index("[[forgiveness]]"):] + "[[forgiveness]]",
         "forgiveness[1].id", "'sorry' is there twice"),
    Slip("operators.toml", OPERATORS, "[operator]", "operator", "names no operator"),
    Slip("operators.toml", "[roles]", "a = " + "[" * 5000 + "\n[roles]", "", "is "),
    Slip("never.toml", 'actions = ["call_help"]', "", "never[0].actions", "is missing"),
    Slip("never.toml", 'words = "nobody shouts at night"', "", "never[0].words", "is missing"),
    Slip("never.toml", "[[never]]", '[[never]]\ntarget = ["childe"]', "never[0].target[0]",
         "'childe' is none of", "child"),
    Slip("never.toml", "[[never]]", '[[never]]\noperators = ["talk"]', "never[0].operators[0]",
         "'talk' is none of", "walk"),
    Slip("forgiveness.toml", "excul = 0.5", "excul = 1.5", "forgiveness[0].excul",
         "1.5 is not between 0 and 1"),
    Slip("forgiveness.toml", "half_life_s = 100", "half_life = 100", "grudges.half_life",
         "is no key here", "half_life_s"),
    Slip("forgiveness.toml", "excul = 0.5", 'excul = "much"', "forgiveness[0].excul",
         "has to be a number, not a string"),
    Slip("forgiveness.toml", "excul = 0.5", "excul = 2026-01-01", "forgiveness[0].excul",
         "not a date or time"),
]  # fmt: skip


@pytest.fixture
def laws(tmp_path: Path) -> Path:
    """A directory with a good file of each kind."""
    for name, text in GOOD.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_the_good_files_load(laws: Path) -> None:
    book = load_lawbook(laws)
    assert list(book.manifests) == ["guard", "child"]
    assert list(book.laws.operators) == ["tell", "bide", "walk", "hurry"]
    assert book.never_rules.rules[0].condition() == "night"
    assert book.forgiveness.half_life_s == 100


@pytest.mark.parametrize("slip", SLIPS, ids=lambda s: f"{s.file[:-5]}-{s.key}-{s.says[:20]}")
def test_a_slip_is_one_clear_error(laws: Path, slip: Slip) -> None:
    assert slip.old in GOOD[slip.file]
    path = laws / slip.file
    path.write_text(GOOD[slip.file].replace(slip.old, slip.new, 1), "utf-8")
    with pytest.raises(TomlError) as caught:
        load_lawbook(laws)
    error = caught.value
    assert error.file == str(path)
    assert error.key == slip.key
    assert slip.says in error.problem
    assert error.nearest == slip.nearest
    assert str(error).startswith(f"{path}: ")
    if slip.nearest is not None:
        assert str(error).endswith(f"; did you mean {slip.nearest!r}?")


def test_there_are_thirty_kinds_of_slips() -> None:
    assert len({(s.file, s.key, s.says) for s in SLIPS}) >= 30


@settings(max_examples=100, deadline=None)
@given(
    file=st.sampled_from(FILES),
    at=st.floats(min_value=0.0, max_value=1.0),
    length=st.integers(min_value=0, max_value=12),
    graft=st.sampled_from(
        (
            "",
            "{",
            "]",
            '"',
            "=",
            "\n",
            "[x]",
            "1e999",
            "1" * 400,
            "\u2028",
            "nan",
            "[[law]]\n",
            "{a={}}",
        )
    ),
)
def test_whatever_is_done_to_a_file_it_loads_or_says_what_is_wrong(
    file: str, at: float, length: int, graft: str
) -> None:
    text = GOOD[file]
    cut = int(at * len(text))
    mangled = {**GOOD, file: text[:cut] + graft + text[cut + length :]}
    with tempfile.TemporaryDirectory() as name:
        for other, content in mangled.items():
            (Path(name) / other).write_text(content, "utf-8")
        with contextlib.suppress(TomlError):
            load_lawbook(Path(name))


def test_a_role_may_stand_for_archetypes_without_a_manifest(laws: Path) -> None:
    own = OPERATORS.replace('watch = ["guard"]', 'watch = ["guard", "captain"]')
    (laws / "operators.toml").write_text(own, "utf-8")
    assert load_lawbook(laws).laws.operators["tell"].roles["watch"] == ("guard", "captain")


def test_a_step_may_be_short_where_no_pause_is_before_it(laws: Path) -> None:
    for steps in ('["hurry", "tell"]', '["bide", "hurry"]'):
        (laws / "laws.toml").write_text(LAWS.replace('["bide", "tell"]', steps), "utf-8")
        load_lawbook(laws)
    (laws / "laws.toml").write_text(LAWS.replace('"bide", "tell"', '"tell", "hurry"'), "utf-8")
    load_lawbook(laws, step_pause_s=3.0)


def test_amends_may_be_weighed_by_how_pressing_a_need_is(laws: Path) -> None:
    pressed = FORGIVENESS.replace('words = ["sorry"]', "needs = { safety = { min = 0.5 } }")
    (laws / "forgiveness.toml").write_text(pressed, "utf-8")
    (rule,) = load_lawbook(laws).forgiveness.rules
    assert rule.when.pressures[0][0] == "safety"


def test_a_file_that_is_no_text(laws: Path) -> None:
    (laws / "laws.toml").write_bytes(b'[defiance]\nline = "\xff"\n')
    with pytest.raises(TomlError, match="is not UTF-8"):
        load_lawbook(laws)


def test_a_file_that_cannot_be_read(laws: Path) -> None:
    (laws / "laws.toml").unlink()
    (laws / "laws.toml").mkdir()
    with pytest.raises(TomlError, match="cannot be read"):
        load_lawbook(laws)


def test_a_misnamed_file_is_not_passed_over(laws: Path) -> None:
    (laws / "laws.toml").rename(laws / "law.toml")
    with pytest.raises(TomlError) as caught:
        load_lawbook(laws)
    assert (caught.value.key, caught.value.nearest) == ("law.toml", "laws.toml")


def test_a_directory_without_data(tmp_path: Path) -> None:
    with pytest.raises(TomlError, match="holds none of"):
        load_lawbook(tmp_path)
    with pytest.raises(TomlError, match="cannot be read"):
        load_lawbook(tmp_path / "nowhere")


def test_files_that_are_missing_come_from_the_package(tmp_path: Path) -> None:
    (tmp_path / "manifests.toml").write_text('[manifest.orc]\nallows = ["stay", "confront"]\n')
    book = load_lawbook(tmp_path)
    assert list(book.manifests) == ["orc"]
    assert book.laws == load_lawbook().laws


def test_a_file_of_manifests_alone(tmp_path: Path) -> None:
    path = tmp_path / "any-name.toml"
    path.write_text('[manifest.orc]\nallows = ["stay", "confrunt"]\n')
    with pytest.raises(TomlError, match="did you mean 'confront'"):
        load_manifests(path)
    path.write_text('[manifest.orc]\nallows = ["stay", "confront"]\n')
    assert load_manifests(path)["orc"].allowed_actions() == ("stay", "confront")


def _in_force(stage: Stage) -> list[str]:
    stage.sweep(theft("Runa"))
    return list(stage.payloads("deliberator_wake")[-1]["plan"])


def test_a_reload_that_fails_keeps_the_old_laws(laws: Path) -> None:
    book: Lawbook = load_lawbook(laws)
    stage = Stage(person("Runa", "guard"), lawbook=book)
    (laws / "manifests.toml").write_text(MANIFESTS.replace('"call_help", ', ""), "utf-8")
    (laws / "forgiveness.toml").write_text("[[forgiveness]]\n", "utf-8")
    with pytest.raises(TomlError):
        stage.deliberator.reload(laws)
    assert stage.deliberator.manifests is book.manifests
    assert _in_force(stage) == ["bide", "tell"]


def test_a_reload_takes_hold_and_leaves_plans_under_way_their_operators(laws: Path) -> None:
    stage = Stage(person("Runa", "guard"), person("Torben", "guard"))
    stage.sweep(theft("Runa"))
    before = stage.deliberator.intention("Runa")
    assert before is not None
    stage.deliberator.reload(laws)
    assert stage.deliberator.intention("Runa") == before
    assert list(stage.deliberator.manifests) == ["guard", "child"]
    stage.sweeps(60)
    assert stage.deliberator.intention("Runa") is None
    assert _in_force(stage) == ["bide", "tell"]
