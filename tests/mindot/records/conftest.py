"""What the tests of the records share."""

from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all examples of a property: making a directory takes longer than most of them."""
    return tmp_path_factory.mktemp("files")
