"""Every Python snippet in the README and the docs runs as it stands."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")


def snippets() -> list[tuple[str, str]]:
    return [
        (
            f"{page.relative_to(ROOT)}:{page.read_text()[: match.start()].count(chr(10)) + 1}",
            match[1],
        )
        for page in PAGES
        for match in FENCE.finditer(page.read_text())
    ]


@pytest.mark.parametrize("code", [pytest.param(code, id=name) for name, code in snippets()])
def test_a_snippet_runs(code: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr


def test_there_are_snippets() -> None:
    assert any(name.startswith("README.md") for name, _ in snippets())


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    dead = [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()]
    assert dead == []


def test_the_docs_have_their_four_parts() -> None:
    for part in ("tutorial", "how-to", "reference", "explanation"):
        assert list((ROOT / "docs" / part).glob("*.md")), part
