"""What the pages on laws and on a game of one's own promise."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mindot.deliberator import load_lawbook
from mindot.deliberator.lawbook import FILES

PAGES = Path(__file__).parents[3] / "docs" / "how-to"
GAME = (PAGES / "a-game-of-your-own.md").read_text("utf-8")
LAWS = (PAGES / "laws-and-manifests.md").read_text("utf-8")


def _fences(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def _printed_by(code: str, directory: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=directory,
        env={**os.environ, "TMPDIR": str(directory)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize("page", [GAME, LAWS])
def test_a_page_prints_what_it_says(page: str, tmp_path: Path) -> None:
    code, (printed,) = _fences(page, "python")[0], _fences(page, "text")
    assert _printed_by(code, tmp_path) == printed


def test_the_example_of_a_game_loop_is_sixty_lines() -> None:
    code, _ = _fences(GAME, "python")
    assert len(code.splitlines()) <= 60


def test_the_example_with_a_reflex_head_leaves_receipts(tmp_path: Path) -> None:
    _, code = _fences(GAME, "python")
    assert _printed_by(code, tmp_path).startswith("mindot why Ida --dir ")
    (receipts,) = tmp_path.glob("ferry-*/receipts-*.jsonl")
    assert receipts.read_text("utf-8").count('"npc":') == 19


def test_a_deliberator_needs_no_village_and_no_reflex_head() -> None:
    code = (
        "import sys, mindot.deliberator\n"
        "heavy = ('numpy', 'cognition', 'llm_wire', 'mindot.student', 'mindot.village')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_data_on_the_page_loads(tmp_path: Path) -> None:
    manifests, operators, laws, never, forgiveness = _fences(LAWS, "toml")
    packaged = Path(load_lawbook.__code__.co_filename).parent / "data"
    village = (packaged.parents[1] / "game" / "data" / "manifests.toml").read_text("utf-8")
    base = (packaged / "operators.toml").read_text("utf-8")
    own = operators.replace("[roles]\n", "").replace('guard = ["guard", "captain"]\n', "")
    parts = {
        "manifests.toml": village + manifests,
        "operators.toml": base.replace("[operator.report]", "[operator.tell]") + own,
        "laws.toml": laws + '\n[defiance]\nat = 0.5\nline = "No."\n',
        "never.toml": never,
        "forgiveness.toml": forgiveness,
    }
    assert tuple(parts) == FILES
    for name, text in parts.items():
        (tmp_path / name).write_text(text, "utf-8")
    book = load_lawbook(tmp_path)
    assert not book.manifests["dog"].speaks
    assert [len(law.plans) for law in book.laws.laws] == [2]
