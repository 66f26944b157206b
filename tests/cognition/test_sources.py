"""What must hold of the sources themselves: one builder of percepts, no clock, no randomness."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("llm_wire", "cognition", "mindot")
BUILDER = ("cognition/percepts.py", "percept_entity")


def sources(*packages: str) -> Iterator[tuple[str, ast.Module]]:
    for package in packages:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8"))


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def other_percepts(path: str, tree: ast.Module) -> list[str]:
    """Where ``tree`` makes an entity that is or may be a percept, outside the builder."""
    aliases = {"Entity"}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            aliases |= {a.asname for a in node.names if a.name == "Entity" and a.asname}
        elif isinstance(node, ast.Assign) and getattr(node.value, "id", "") in aliases:
            aliases |= {t.id for t in node.targets if isinstance(t, ast.Name)}  # Thing = Entity
    inside: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and (path, node.name) == BUILDER:
            inside |= set(ast.walk(node))
    constants = {
        target.id: node.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Constant)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or node in inside:
            continue
        name = _called(node)
        if name in {"replace", "copy", "__replace__"} and any(
            keyword.arg in {"type", "metadata"} for keyword in node.keywords
        ):
            found.append(f"{path}:{node.lineno} changes an entity through {name}")
        if name == "partial" and any(getattr(a, "id", "") in aliases for a in node.args):
            found.append(f"{path}:{node.lineno} hides an entity in a partial")
        if name not in aliases:
            continue
        types = [k.value for k in node.keywords if k.arg == "type"]
        kind = types[0] if types else None
        value = kind.value if isinstance(kind, ast.Constant) else None
        if isinstance(kind, ast.Name):
            # A name counts as safe when this module, or the one it comes from, spells it out.
            value = constants.get(kind.id, KNOWN_CONSTANTS.get(kind.id))
        if not isinstance(value, str) or value == "percept":
            found.append(f"{path}:{node.lineno} makes an entity of type {value!r}")
    return found


KNOWN_CONSTANTS = {"CONVERSATION_SENT": "conversation.sent"}
"""Constants that are imported where they are used; the next test holds what they are."""


def test_percepts_are_made_in_one_place_only() -> None:
    found = [f for path, tree in sources(*PACKAGES) for f in other_percepts(path, tree)]
    assert found == []


def test_the_constants_are_what_this_test_believes() -> None:
    from cognition import undertakings

    for name, value in KNOWN_CONSTANTS.items():
        assert getattr(undertakings, name) == value


@pytest.mark.parametrize(
    "code",
    [
        'Entity(id="x", type="percept", metadata={})',
        'cognition.Entity(id="x", type="percept")',
        "Entity(id='x', type=kind)",
        "Entity(id='x', type='per' + 'cept')",
        "Entity(**fields)",
        "from cognition import Entity as E\nE(id='x', type='percept')",
        "Thing = Entity\nThing(id='x', type='percept')",
        "PERCEPT = 'percept'\nEntity(id='x', type=PERCEPT)",
        "dataclasses.replace(entity, type='percept')",
        "replace(entity, metadata={})",
        "functools.partial(Entity, type='percept')",
        "def percept_entity(facts):\n    return Entity(id='x', type='percept')",
    ],
)
def test_the_check_sees_other_ways(code: str) -> None:
    assert other_percepts("mindot/somewhere.py", ast.parse(code)) != []


def test_the_check_lets_other_entities_pass() -> None:
    code = "SENT = 'conversation.sent'\nEntity(id='x', type=SENT)\nEntity(id='y', type='belief')"
    assert other_percepts("mindot/somewhere.py", ast.parse(code)) == []


def test_the_core_has_no_clock_no_chance_and_no_file() -> None:
    forbidden = {
        "time", "datetime", "random", "secrets", "uuid", "os", "pathlib", "socket", "io", "shutil",
        "tempfile", "subprocess", "threading", "asyncio",
    }  # fmt: skip
    found = []
    for path, tree in sources("cognition"):
        own = {"hash"} if path == "cognition/state.py" else set()  # an entity's own hash
        for node in ast.walk(tree):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            found += [f"{path}: {n}" for n in names if n.partition(".")[0] in forbidden]
            if isinstance(node, ast.Call) and _called(node) in {"open", "print", "hash"} - own:
                found.append(f"{path}:{node.lineno} calls {_called(node)}")
    assert found == []


def test_only_the_edge_is_asynchronous() -> None:
    found = {
        path
        for path, tree in sources("cognition")
        if any(isinstance(node, ast.AsyncFunctionDef) for node in ast.walk(tree))
    }
    assert found == {"cognition/hosting.py", "cognition/testing.py"}
