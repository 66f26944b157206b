"""Reading a game author's TOML: typed, complete, and with errors that say where and what.

A :class:`TomlTable` is one table of a file. Each reading method takes a key once and checks it;
:meth:`TomlTable.close` then refuses whatever was not asked for, with the nearest key that would
have been right. Every mistake becomes one :class:`TomlError`.
"""

import difflib
import math
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

__all__ = ["TomlError", "TomlTable", "parse_toml", "read_toml"]

_TYPE_NAMES: Final[tuple[tuple[type, str], ...]] = (
    (bool, "a boolean"),
    (str, "a string"),
    (int, "a whole number"),
    (float, "a number"),
    (list, "a list"),
    (dict, "a table"),
)


class TomlError(ValueError):
    """A data file says something it may not. Mend the named key and load again.

    ``file`` and ``key`` say where (``key`` is dotted, empty when the file as a whole cannot be
    read), ``problem`` says what, ``nearest`` is the valid name that comes closest, if any does.
    """

    def __init__(self, file: str, key: str, problem: str, nearest: str | None = None) -> None:
        self.file = file
        self.key = key
        self.problem = problem
        self.nearest = nearest
        where = f"{file}: {key}" if key else file
        hint = f"; did you mean {nearest!r}?" if nearest is not None else ""
        super().__init__(f"{where}: {problem}{hint}")


def _type_of(value: object) -> str:
    for kind, words in _TYPE_NAMES:
        if isinstance(value, kind):
            return words
    return "a date or time"


def _nearest(name: str, valid: Iterable[str]) -> str | None:
    close = difflib.get_close_matches(name, sorted(valid), n=1, cutoff=0.5)
    return close[0] if close else None


class TomlTable:
    """One table of a TOML file, read key by key."""

    def __init__(self, file: str, key: str, values: Mapping[str, Any]) -> None:
        self.file = file
        self.key = key
        self._values = values
        self._known: set[str] = set()

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def names(self) -> list[str]:
        """The keys in the order of the file."""
        return list(self._values)

    def path(self, key: str) -> str:
        """The dotted name of a key of this table."""
        return f"{self.key}.{key}" if self.key else key

    def error(self, key: str, problem: str, valid: Iterable[str] = (), got: str = "") -> TomlError:
        """An error at a key; with ``valid`` names, the one nearest to ``got`` is named too."""
        return TomlError(
            self.file, self.path(key) if key else self.key, problem, _nearest(got, valid)
        )

    def _take(self, key: str, expected: type | tuple[type, ...], words: str) -> Any:
        self._known.add(key)
        if key not in self._values:
            near = _nearest(key, (k for k in self._values if k not in self._known))
            problem = f"is missing; it has to be {words}"
            if near is not None:
                problem += f" (there is {near!r})"
            raise self.error(key, problem)
        value = self._values[key]
        wanted = expected if isinstance(expected, tuple) else (expected,)
        # bool is an int to Python; to an author `energy = true` is a slip
        if not isinstance(value, expected) or (isinstance(value, bool) and bool not in wanted):
            raise self.error(key, f"has to be {words}, not {_type_of(value)}")
        return value

    def text(self, key: str, default: str | None = None, *, one_of: Iterable[str] = ()) -> str:
        """A non-blank string, one of the given names where there are any."""
        self._known.add(key)
        if default is not None and key not in self._values:
            return default
        value: str = self._take(key, str, "a string")
        if not value.strip():
            raise self.error(key, "may not be blank")
        valid = tuple(one_of)
        if valid and value not in valid:
            raise self.error(key, f"{value!r} is none of {', '.join(valid)}", valid, value)
        return value

    def flag(self, key: str, default: bool | None = None) -> bool:
        """A boolean."""
        self._known.add(key)
        if default is not None and key not in self._values:
            return default
        value: bool = self._take(key, bool, "true or false")
        return value

    def number(
        self, key: str, default: float | None = None, *, low: float = -1e9, high: float = 1e9
    ) -> float:
        """A finite number between ``low`` and ``high``, both allowed."""
        self._known.add(key)
        if default is not None and key not in self._values:
            return default
        given: int | float = self._take(key, (int, float), "a number")
        try:
            value = float(given)
        except OverflowError as err:
            raise self.error(key, "is beyond any number that is meant") from err
        if not math.isfinite(value) or not low <= value <= high:
            raise self.error(key, f"{value:g} is not between {low:g} and {high:g}")
        return value

    def texts(
        self,
        key: str,
        default: tuple[str, ...] | None = None,
        *,
        one_of: Iterable[str] = (),
        empty: bool = False,
        repeats: bool = False,
    ) -> tuple[str, ...]:
        """A list of non-blank strings, each one of the given names where there are any.

        ``empty`` and ``repeats`` say whether it may have no item, or one item twice.
        """
        self._known.add(key)
        if default is not None and key not in self._values:
            return default
        values: list[Any] = self._take(key, list, "a list of strings")
        if not values and not empty:
            raise self.error(key, "may not be empty")
        valid = tuple(one_of)
        for i, value in enumerate(values):
            at = f"{key}[{i}]"
            if not isinstance(value, str):
                raise self.error(at, f"has to be a string, not {_type_of(value)}")
            if not value.strip():
                raise self.error(at, "may not be blank")
            if valid and value not in valid:
                raise self.error(at, f"{value!r} is none of {', '.join(valid)}", valid, value)
            if not repeats and value in values[:i]:
                raise self.error(at, f"{value!r} is there twice")
        return tuple(values)

    def table(self, key: str, *, required: bool = True) -> "TomlTable":
        """A table within this one; an absent one that is not required reads as empty."""
        self._known.add(key)
        if not required and key not in self._values:
            return TomlTable(self.file, self.path(key), {})
        return TomlTable(self.file, self.path(key), self._take(key, dict, "a table"))

    def tables(self, key: str, *, required: bool = True) -> list["TomlTable"]:
        """An array of tables (``[[key]]``)."""
        self._known.add(key)
        if not required and key not in self._values:
            return []
        values: list[Any] = self._take(key, list, f"an array of tables ([[{self.path(key)}]])")
        found = []
        for i, value in enumerate(values):
            at = f"{key}[{i}]"
            if not isinstance(value, dict):
                raise self.error(at, f"has to be a table, not {_type_of(value)}")
            found.append(TomlTable(self.file, self.path(at), value))
        if not found:
            raise self.error(key, "may not be empty")
        return found

    def named_tables(self) -> dict[str, "TomlTable"]:
        """All tables within this one by name, for a section whose keys the author chooses."""
        return {name: self.table(name) for name in self.chosen_names()}

    def chosen_names(self) -> list[str]:
        """The keys of a section whose keys the author chooses; none of them may be blank."""
        for name in self._values:
            if not name.strip():
                raise self.error(repr(name), "is a blank name; give it one")
        return self.names()

    def know(self, *keys: str) -> None:
        """Count keys as valid here that were not read, because they are not there."""
        self._known.update(keys)

    def close(self) -> None:
        """Refuse any key that nothing has asked for."""
        for key in self._values:
            if key not in self._known:
                valid = sorted(self._known)
                raise self.error(key, f"is no key here; valid are {', '.join(valid)}", valid, key)


def parse_toml(text: str, file: str) -> TomlTable:
    """The root table of a TOML text. Raises :class:`TomlError` naming line and column."""
    try:
        return TomlTable(file, "", tomllib.loads(text))
    except ValueError as err:
        # TOMLDecodeError is one; a number of thousands of digits raises the plain one
        raise TomlError(file, "", f"is no TOML: {err}") from err
    except RecursionError as err:
        raise TomlError(file, "", "is nested too deeply") from err


def read_toml(path: Path) -> TomlTable:
    """The root table of a file. What cannot be read is a :class:`TomlError` too."""
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as err:
        raise TomlError(str(path), "", f"is not UTF-8 (byte {err.start})") from err
    except OSError as err:
        raise TomlError(str(path), "", f"cannot be read: {err.strerror}") from err
    return parse_toml(text, str(path))
