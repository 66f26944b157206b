"""Imports run only downward: mindot over cognition over llm_wire."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAY_IMPORT = {
    "llm_wire": {"llm_wire"},
    "cognition": {"llm_wire", "cognition"},
    "mindot": {"llm_wire", "cognition", "mindot"},
}


def modules(package: str) -> Iterator[Path]:
    yield from sorted((ROOT / package).rglob("*.py"))


def imported_packages(source: str) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide the layer they reach"
            found.add((node.module or "").partition(".")[0])
    return found


@pytest.mark.parametrize("package", sorted(MAY_IMPORT))
def test_a_package_imports_only_what_lies_below_it(package: str) -> None:
    upward = {
        str(path.relative_to(ROOT)): sorted(reached)
        for path in modules(package)
        if (
            reached := imported_packages(path.read_text()) & MAY_IMPORT.keys() - MAY_IMPORT[package]
        )
    }
    assert upward == {}


def test_the_check_sees_an_import_inside_a_function() -> None:
    assert imported_packages("def f():\n    from mindot.cli import main\n") == {"mindot"}


def test_only_mindot_opens_files_or_sockets() -> None:
    """``cognition`` and ``llm_wire`` leave files to the product, but for what a recording needs."""
    opening = {
        str(path.relative_to(ROOT))
        for package in ("cognition", "llm_wire")
        for path in modules(package)
        if {"socket", "tempfile", "shutil", "subprocess"} & imported_packages(path.read_text())
    }
    assert opening == set()
