"""Every public module says what it offers, and offers what it says."""

import ast
import importlib
import pkgutil
from pathlib import Path
from types import ModuleType

import pytest

import cognition
import llm_wire
import mindot

PACKAGES: tuple[ModuleType, ...] = (llm_wire, cognition, mindot)
OPTIONAL = {"openai", "anthropic", "matplotlib", "opentelemetry"}


def public_modules() -> list[str]:
    names: list[str] = []
    for package in PACKAGES:
        names += [
            info.name
            for info in pkgutil.walk_packages(package.__path__, package.__name__ + ".")
            if not any(part.startswith("_") for part in info.name.split("."))
        ]
    return sorted(names)


@pytest.mark.parametrize("name", public_modules())
def test_all_names_exist_and_nothing_public_is_left_out(name: str) -> None:
    module = importlib.import_module(name)
    source = module.__file__
    assert source is not None
    tree = ast.parse(Path(source).read_text(encoding="utf-8"))
    defined = {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
    }
    if not tree.body or (len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr)):
        return  # a package that only says what it is
    offered = getattr(module, "__all__", None)
    assert offered is not None, f"{name} has no __all__"
    assert len(set(offered)) == len(offered)
    assert [n for n in offered if not hasattr(module, n)] == []
    assert defined - set(offered) == set()


def test_every_public_name_has_a_docstring() -> None:
    missing = []
    for name in public_modules():
        module = importlib.import_module(name)
        if not module.__doc__:
            missing.append(name)
        missing.extend(
            f"{name}.{public}"
            for public in getattr(module, "__all__", ())
            if (isinstance(obj := getattr(module, public), type) or callable(obj))
            and getattr(obj, "__module__", "").partition(".")[0] in {p.__name__ for p in PACKAGES}
            and not getattr(obj, "__doc__", None)
        )
    assert missing == []


WIRE = [
    "TAGGED_BLOCKS",
    "PROTOCOL_TAGS",
    "wrap_reply_text",
    "extract_text_block",
    "strip_tagged_blocks",
    "strip_protocol_markers",
    "render_speaker_line",
    "render_current_message_line",
    "match_conversation_focus",
    "ReplyStream",
]
COGNITION = [
    "Entity",
    "StateView",
    "ExecutiveParams",
    "Provenance",
    "PerceptFacts",
    "percept_entity",
    "can_rupture",
    "stale_percept_ids",
    "Escalation",
    "Undertaking",
    "Handoff",
    "HandoffError",
    "validate_handoff",
    "EscalationBuffer",
    "reconcile_undertakings",
    "FacetSupervisor",
    "parse_response",
    "ExecutiveOutput",
    "reflex_fallback",
    "Vitals",
]


@pytest.mark.parametrize(
    ("package", "names"),
    [(llm_wire, WIRE), (cognition, COGNITION), (mindot, ["Mind", "Village", "Deliberator"])],
    ids=lambda value: value.__name__ if isinstance(value, ModuleType) else "",
)
def test_the_names_outsiders_rely_on(package: ModuleType, names: list[str]) -> None:
    assert [name for name in names if not hasattr(package, name)] == []
    assert set(names) <= set(package.__all__)
