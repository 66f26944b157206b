"""Which models there are and who thinks with which: one of them, or a TOML file of many.

The file's tables: ``[models.NAME]`` with ``llm``, ``base_url``, ``key_env``, ``schema_style`` and
``then``; ``[[routes]]`` with ``character``, ``kind`` and ``model``; ``[limits]`` with the fields of
:class:`~llm_wire.transports.resilient.stack.Resilience`; and ``[budget]``, which each character has
for itself, with ``calls_per_minute``, ``tokens_per_minute``, ``calls_per_day``, ``tokens_per_day``.
"""

import random
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from llm_wire.allowance import UNLIMITED, Allowance
from llm_wire.transport import Priority
from llm_wire.transports.clock import Clock
from llm_wire.transports.recorded import RecordedTransport
from llm_wire.transports.resilient.stack import Resilience, Stack
from llm_wire.transports.routed import Route
from llm_wire.transports.scripted import Script, ScriptedTransport
from llm_wire.transports.spec import ModelSpec, SpecError, open_model, parse_model

__all__ = ["LlmConfig", "load_config", "open_transport"]

_KINDS: Final = frozenset({"facet", "master", "rank", *(p.name.lower() for p in Priority)})
"""What minds ask for. A route of another kind would wait for ever, so it is a slip of the pen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmConfig:
    """Models by name, who uses which, and how they are held to it."""

    models: Mapping[str, ModelSpec]
    default: str
    then: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    routes: tuple[Route, ...] = ()
    resilience: Resilience = field(default_factory=Resilience)

    @classmethod
    def of(cls, spec: ModelSpec) -> "LlmConfig":
        """One model for everything."""
        return cls(models={str(spec): spec}, default=str(spec))

    @property
    def limits_spending(self) -> bool:
        return (self.resilience.per_minute, self.resilience.per_day) != (UNLIMITED, UNLIMITED)

    @property
    def takes_time(self) -> bool:
        return any(spec.takes_time for spec in self.models.values())


def load_config(path: Path) -> LlmConfig:
    """Read a TOML file of models. Raises :class:`SpecError` naming the file and what is wrong."""
    try:
        with path.open("rb") as file:
            value = tomllib.load(file)
        return _config(value)
    except OSError as error:
        raise SpecError(f"{str(path)!r} cannot be read: {error.strerror}") from None
    except (SpecError, tomllib.TOMLDecodeError) as error:
        raise SpecError(f"{str(path)!r}: {error}") from None


def _config(value: Mapping[str, Any]) -> LlmConfig:
    _only(value, {"default", "models", "routes", "limits", "budget"}, "the file")
    tables = _table(value, "models", "the file")
    if not tables:
        raise SpecError("the file has no models; add a table like [models.small] with llm = '...'")
    models = {name: _model(name, table) for name, table in tables.items()}
    then = {name: _names(name, table) for name, table in tables.items()}
    default = value.get("default", next(iter(models)))
    routes = value.get("routes", [])
    if not isinstance(routes, list):
        raise SpecError("routes is no list; write each as a table under [[routes]]")
    parsed = tuple(_route(route) for route in routes)
    for name in (default, *(r.to for r in parsed), *(n for ns in then.values() for n in ns)):
        if name not in models:
            known = ", ".join(map(repr, models))
            raise SpecError(f"no model is named {name!r}; there are {known}")
    return LlmConfig(
        models=models, default=default, then=then, routes=parsed, resilience=_resilience(value)
    )


def _model(name: str, table: object) -> ModelSpec:
    where = f"models.{name}"
    if not isinstance(table, Mapping):
        raise SpecError(f"{where} is no table; write [{where}] with llm = '...'")
    _only(table, {"llm", "base_url", "key_env", "schema_style", "then"}, where)
    words = {key: table[key] for key in table if key != "then"}
    for key, word in words.items():
        if not isinstance(word, str):
            raise SpecError(f"{where}.{key} is no text: {word!r}")
    if "llm" not in words:
        raise SpecError(f"{where} has no llm; add one like llm = 'openai:MODEL'")
    try:
        return parse_model(words.pop("llm"), **words)
    except SpecError as error:
        raise SpecError(f"{where}: {error}") from None


def _names(name: str, table: Mapping[str, Any]) -> tuple[str, ...]:
    then = table.get("then", [])
    if not isinstance(then, list) or not all(isinstance(n, str) for n in then):
        raise SpecError(f"models.{name}.then is no list of models' names: {then!r}")
    return tuple(then)


def _route(table: object) -> Route:
    if not isinstance(table, Mapping):
        raise SpecError(f"a route is no table: {table!r}")
    _only(table, {"character", "kind", "model"}, "routes")
    for key in ("character", "kind", "model"):
        if not isinstance(table.get(key, ""), str):
            raise SpecError(f"routes.{key} is no text: {table[key]!r}")
    if "model" not in table:
        raise SpecError(f"a route has no model: {dict(table)!r}")
    if table.get("kind", "facet") not in _KINDS:
        known = ", ".join(sorted(_KINDS))
        raise SpecError(f"routes.kind {table['kind']!r} is none of {known}")
    return Route(to=table["model"], character=table.get("character"), kind=table.get("kind"))


def _resilience(value: Mapping[str, Any]) -> Resilience:
    limits = _table(value, "limits", "the file")
    budget = _table(value, "budget", "the file")
    known = {f.name: f.type for f in fields(Resilience) if not f.name.startswith("per_")}
    _only(limits, set(known), "limits")
    _only(
        budget, {f"{w}_per_{p}" for w in ("calls", "tokens") for p in ("minute", "day")}, "budget"
    )
    for name, number in (*limits.items(), *budget.items()):
        if name == "streams":
            if not isinstance(number, bool):
                raise SpecError(f"streams is neither true nor false: {number!r}")
        elif isinstance(number, bool) or not isinstance(number, int | float) or not number >= 0:
            raise SpecError(f"{name} is no number of 0 or more: {number!r}")
        elif not name.endswith("_s") and not isinstance(number, int):
            raise SpecError(f"{name} is no whole number: {number!r}")
    for name in ("attempts", "breaker_failures", "concurrent"):
        if limits.get(name, 1) < 1:
            raise SpecError(f"{name} must be at least 1, not {limits[name]!r}")
    per = {
        f"per_{p}": Allowance(
            calls=budget.get(f"calls_per_{p}"), tokens=budget.get(f"tokens_per_{p}")
        )
        for p in ("minute", "day")
    }
    return Resilience(**{**limits, **per})


def _table(value: Mapping[str, Any], name: str, where: str) -> Mapping[str, Any]:
    table = value.get(name, {})
    if not isinstance(table, Mapping):
        raise SpecError(f"{name} in {where} is no table; write it as [{name}]")
    return table


def _only(table: Mapping[str, Any], known: set[str], where: str) -> None:
    for name in table:
        if name not in known:
            raise SpecError(f"{where} does not know {name!r}; it knows {', '.join(sorted(known))}")


def _endpoint(url: str) -> str:
    """One word for an address, however it is spelled."""
    parts = urlsplit(url)
    host = "127.0.0.1" if parts.hostname == "localhost" else parts.hostname
    port = f":{parts.port}" if parts.port else ""
    path = "/".join(["", *(part for part in parts.path.split("/") if part)])
    return f"{parts.scheme}://{host}{port}{path}"


def open_transport(
    config: LlmConfig,
    *,
    env: Mapping[str, str],
    rng: random.Random,
    script: Script | None = None,
    clock: Clock | None = None,
) -> ScriptedTransport | RecordedTransport | Stack:
    """All of a configuration behind the wrappers; the script or a recording alone stays bare.

    Those two take no time and fail as they are told to: a wrapper could only get in their way.
    A budget holds for the script all the same.
    """
    if len(config.models) == 1 and not config.takes_time:
        (spec,) = config.models.values()
        bare = open_model(spec, env=env, script=script)
        if isinstance(bare, RecordedTransport):
            return bare
        if isinstance(bare, ScriptedTransport) and not config.limits_spending:
            return bare
    models = {
        name: open_model(spec, env=env, script=script, clock=clock)
        for name, spec in config.models.items()
    }
    return Stack(
        models,
        config.resilience,
        default=config.default,
        routes=config.routes,
        then=config.then,
        endpoints={name: _endpoint(spec.url) for name, spec in config.models.items() if spec.url},
        rng=rng,
        clock=clock,
    )
