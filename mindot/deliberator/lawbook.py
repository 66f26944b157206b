"""All data of a deliberator, loaded together or not at all."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

from mindot.deliberator.forgiveness import Forgiveness, read_forgiveness
from mindot.deliberator.laws import Laws, read_laws
from mindot.deliberator.never import NeverRules, read_never_rules
from mindot.deliberator.settings import DeliberatorSettings
from mindot.game.manifest import Manifest, parse_manifests
from mindot.game.toml_table import TomlError, TomlTable, parse_toml, read_toml

__all__ = ["FILES", "Lawbook", "load_lawbook"]

FILES: Final = (
    "manifests.toml",
    "operators.toml",
    "laws.toml",
    "never.toml",
    "forgiveness.toml",
)
"""The files of a law directory. One that is missing is taken from the package."""

_STEP_PAUSE_S: Final = DeliberatorSettings().step_pause_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Lawbook:
    """What a game author says: who may do what, and what anybody does about things."""

    manifests: Mapping[str, Manifest]
    laws: Laws
    never_rules: NeverRules
    forgiveness: Forgiveness


def load_lawbook(directory: Path | None = None, *, step_pause_s: float = _STEP_PAUSE_S) -> Lawbook:
    """The data of a directory, file by file, else that of the package.

    ``step_pause_s``: the seconds that the deliberator's settings put between two steps.
    Raises ``TomlError`` for the first mistake in any file, also for a name in one file that
    another does not have; nothing is half loaded.
    """
    own = frozenset() if directory is None else _own_files(directory)

    def read(name: str) -> TomlTable:
        if directory is not None and name in own:
            return read_toml(directory / name)
        return _packaged(name)

    manifests = parse_manifests(read("manifests.toml"))

    def archetypes(name: str) -> tuple[str, ...]:
        # the package's own files speak of the village's archetypes, which a game need not have
        return tuple(manifests) if name in own or not own else ()

    laws = read_laws(
        read("laws.toml"),
        read("operators.toml"),
        archetypes=archetypes("laws.toml"),
        role_archetypes=archetypes("operators.toml"),
        step_pause_s=step_pause_s,
    )
    never_rules = read_never_rules(
        read("never.toml"),
        operators=tuple(laws.operators),
        archetypes=archetypes("never.toml"),
        kinds=tuple(laws.events),
        needs=laws.needs(),
    )
    forgiveness = read_forgiveness(
        read("forgiveness.toml"),
        archetypes=archetypes("forgiveness.toml"),
        kinds=tuple(laws.events),
        needs=laws.needs(),
    )
    return Lawbook(manifests=manifests, laws=laws, never_rules=never_rules, forgiveness=forgiveness)


def _own_files(directory: Path) -> frozenset[str]:
    """The data files a directory has. A TOML file by another name is a slip, and refused."""
    try:
        found = sorted(p.name for p in directory.iterdir() if p.suffix == ".toml")
    except OSError as err:
        raise TomlError(str(directory), "", f"cannot be read: {err.strerror}") from err
    root = TomlTable(str(directory), "", dict.fromkeys(found))
    root.know(*FILES)
    root.close()
    if not found:
        raise TomlError(str(directory), "", f"holds none of {', '.join(FILES)}")
    return frozenset(found)


def _packaged(name: str) -> TomlTable:
    package = "mindot.game" if name == "manifests.toml" else "mindot.deliberator"
    text = (resources.files(package) / "data" / name).read_text("utf-8")
    return parse_toml(text, name)
