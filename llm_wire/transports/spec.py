"""From what a person writes to a transport: ``openai:MODEL``, and perhaps a base URL.

Keys come from the environment alone, under their usual names, and stay in the transports: no
value in here holds one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from llm_wire.transport import Transport
from llm_wire.transports.anthropic import ANTHROPIC_URL, AnthropicTransport
from llm_wire.transports.clock import Clock
from llm_wire.transports.openai import OPENAI_URL, OpenAITransport
from llm_wire.transports.recorded import RecordedTransport
from llm_wire.transports.schema_style import SchemaStyle
from llm_wire.transports.scripted import Script, ScriptedTransport

__all__ = ["KEY_NAMES", "ModelSpec", "SpecError", "Vendor", "key_name", "open_model", "parse_model"]

ANTHROPIC_KEY: Final = "ANTHROPIC_API_KEY"
OPENAI_KEY: Final = "OPENAI_API_KEY"
OPENROUTER_KEY: Final = "OPENROUTER_API_KEY"
KEY_NAMES: Final = (OPENAI_KEY, OPENROUTER_KEY, ANTHROPIC_KEY)
"""The environment's names for keys, where a file names no other."""

_EXTRA: Final = "pip install 'mindot-npc[{0}]'"


class SpecError(ValueError):
    """What was written names no usable model; the message says what to write."""


class Vendor(StrEnum):
    """Where the thinking is done."""

    SCRIPTED = "scripted"
    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    RECORDED = "recorded"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """One model, and where it is."""

    vendor: Vendor
    name: str = ""
    """The model, as its server calls it; the file of a recording; empty for the script."""
    base_url: str | None = None
    """None: the vendor's own."""
    key_env: str | None = None
    """Name of the environment's variable with the key; None: the usual one."""
    schema_style: SchemaStyle = SchemaStyle.JSON_SCHEMA

    @property
    def takes_time(self) -> bool:
        """Whether a call takes real time, so that a host has to pace its sweeps."""
        return self.vendor in (Vendor.OPENAI, Vendor.ANTHROPIC)

    @property
    def url(self) -> str | None:
        own = {Vendor.OPENAI: OPENAI_URL, Vendor.ANTHROPIC: ANTHROPIC_URL}
        return self.base_url or own.get(self.vendor)

    def __str__(self) -> str:
        return f"{self.vendor}:{self.name}" if self.name else str(self.vendor)


def parse_model(
    text: str,
    *,
    base_url: str | None = None,
    key_env: str | None = None,
    schema_style: str | None = None,
) -> ModelSpec:
    """``scripted``, ``openai:MODEL``, ``anthropic:MODEL`` or ``recorded:FILE``, as a value."""
    word, _, name = text.partition(":")
    if word not in set(Vendor):
        forms = "scripted, openai:MODEL, anthropic:MODEL or recorded:FILE"
        raise SpecError(f"{text!r} names no model; write {forms}")
    vendor = Vendor(word)
    if vendor is Vendor.SCRIPTED and name:
        raise SpecError(f"{text!r} says too much; the script is plain 'scripted'")
    if vendor is not Vendor.SCRIPTED and not name:
        what = "FILE" if vendor is Vendor.RECORDED else "MODEL"
        raise SpecError(f"{text!r} says too little; write {word}:{what}")
    if base_url is not None:
        if vendor not in (Vendor.OPENAI, Vendor.ANTHROPIC):
            raise SpecError(f"{text!r} has no server, so a base URL means nothing; leave it out")
        _check_url(base_url)
    return ModelSpec(
        vendor=vendor,
        name=name,
        base_url=base_url,
        key_env=key_env,
        schema_style=_style(schema_style),
    )


def _check_url(url: str) -> None:
    """No key may hide in an address: addresses are shown and logged."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise SpecError("the base URL is none; write it like 'http://127.0.0.1:8080/v1'")
    if parts.username is not None or parts.query or parts.fragment:
        raise SpecError(
            "the base URL may hold no user, password or query; keys come from the environment"
        )


def _style(word: str | None) -> SchemaStyle:
    if word is None:
        return SchemaStyle.JSON_SCHEMA
    if word not in set(SchemaStyle):
        raise SpecError(f"schema_style {word!r} is none of {', '.join(SchemaStyle)}")
    return SchemaStyle(word)


def key_name(spec: ModelSpec) -> str | None:
    """The environment's variable that holds the key for a model; None where there is no server."""
    if spec.key_env is not None or not spec.takes_time:
        return spec.key_env
    if spec.vendor is Vendor.ANTHROPIC:
        return ANTHROPIC_KEY
    host = urlsplit(spec.url or "").hostname or ""
    return OPENROUTER_KEY if host == "openrouter.ai" else OPENAI_KEY


def open_model(
    spec: ModelSpec,
    *,
    env: Mapping[str, str],
    script: Script | None = None,
    clock: Clock | None = None,
) -> Transport:
    """The bare transport of one model.

    Raises :class:`SpecError` where a key or an SDK is missing.
    """
    if spec.vendor is Vendor.SCRIPTED:
        if script is None:
            raise SpecError("there is no script to play a model; name one, like openai:MODEL")
        return ScriptedTransport(script)
    if spec.vendor is Vendor.RECORDED:
        return RecordedTransport(Path(spec.name))
    name = key_name(spec)
    key = env.get(name or "") or None
    if key is None and spec.url in (OPENAI_URL, ANTHROPIC_URL):
        raise SpecError(f"{name} is not set; export it (keys are read from the environment alone)")
    try:
        if spec.vendor is Vendor.OPENAI:
            return OpenAITransport(
                spec.name,
                base_url=spec.base_url,
                api_key=key,
                schema_style=spec.schema_style,
                clock=clock,
            )
        return AnthropicTransport(
            spec.name,
            api_key=key or "none",
            base_url=spec.base_url,
            schema_style=spec.schema_style,
            clock=clock,
        )
    except ImportError:
        extra = _EXTRA.format(spec.vendor)
        raise SpecError(f"the SDK for {str(spec)!r} is not installed; {extra}") from None
