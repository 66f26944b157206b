"""What a facet hands up to the whole mind: a promise it made, or work too big for it.

:func:`validate_handoff` is where a handoff from outside is checked, before anybody acts on it.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    StrictInt,
    StrictStr,
    ValidationError,
    field_validator,
)

from cognition._values import is_blank, is_count, shown

__all__ = [
    "Escalation",
    "Handoff",
    "HandoffBody",
    "HandoffError",
    "Undertaking",
    "validate_handoff",
]

KINDS: Final = ("escalation", "undertaking")


class HandoffError(ValueError):
    """A handoff that cannot be taken up. ``field`` names what is wrong with it."""

    def __init__(self, field: str, problem: str) -> None:
        self.field = field
        super().__init__(f"{field} {problem}")


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Escalation(_Frozen):
    """Work for the whole mind, in a sentence."""

    kind: Literal["escalation"] = "escalation"
    reasoning: StrictStr

    @field_validator("reasoning")
    @classmethod
    def _says_something(cls, value: str) -> str:
        if is_blank(value):
            raise ValueError("must not be blank: it is what the whole mind is told")
        return value


class Undertaking(_Frozen):
    """A promise, in the mind's own words."""

    kind: Literal["undertaking"] = "undertaking"
    what: StrictStr
    """What was promised: mend the axe by Friday."""
    target: StrictStr | None = None
    """Whom to reach, by id; given when contact itself keeps the promise."""
    gist: StrictStr | None = None
    """What it meant to tell them."""
    reasoning: StrictStr = ""

    @field_validator("what")
    @classmethod
    def _promises_something(cls, value: str) -> str:
        if is_blank(value):
            raise ValueError("must not be blank: it is the promise itself")
        return value

    @field_validator("target")
    @classmethod
    def _names_somebody(cls, value: str | None) -> str | None:
        if value is not None and is_blank(value):
            raise ValueError("must not be blank: name somebody, or leave it out")
        return value


HandoffBody = Annotated[Escalation | Undertaking, Field(discriminator="kind")]


def _wire(name: str) -> Any:
    head, *rest = name.split("_")
    camel = head + "".join(part.title() for part in rest)
    return Field(default=None, validation_alias=AliasChoices(name, camel))


class Handoff(_Frozen):
    """A handoff with where and when it arose."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    body: HandoffBody
    tick: StrictInt
    facet_id: StrictStr | None = _wire("facet_id")
    subject_entity_id: StrictStr | None = _wire("subject_entity_id")
    """Whom the facet was speaking with."""
    subject_name: StrictStr | None = _wire("subject_name")
    thread_id: StrictStr | None = _wire("thread_id")
    """The thread of attention it arose in."""

    @field_validator("tick", mode="before")
    @classmethod
    def _counts(cls, value: object) -> object:
        if value is not None and not is_count(value):
            raise ValueError(f"must be a non-negative int, got {shown(value)}")
        return value


def validate_handoff(mapping: Mapping[str, Any]) -> Handoff:
    """The handoff that ``mapping`` describes, its keys in camelCase or snake_case.

    Raises HandoffError, which names the one field to put right first.
    """
    if not isinstance(mapping, Mapping):
        raise HandoffError("handoff", f"must be a mapping, got {type(mapping).__name__}")
    body = mapping.get("body")
    if body is None:
        raise HandoffError("body", "is missing: a handoff carries an undertaking or an escalation")
    checked = body if isinstance(body, Escalation | Undertaking) else _body_fields(body)
    try:
        return Handoff.model_validate({**mapping, "body": checked})
    except ValidationError as error:
        raise _first_defect(error) from None


def _body_fields(body: object) -> dict[str, Any]:
    if not isinstance(body, Mapping):
        raise HandoffError("body", f"must be a mapping, got {type(body).__name__}")
    kind = body.get("kind")
    if kind is None:
        raise HandoffError("kind", f"is missing: use one of {', '.join(KINDS)}")
    if kind not in KINDS:
        raise HandoffError("kind", f"{kind!r} is unknown: use one of {', '.join(KINDS)}")
    fields = dict(body)
    if kind == "undertaking" and fields.get("reasoning") is None:
        fields.pop("reasoning", None)
    return fields


def _first_defect(error: ValidationError) -> HandoffError:
    """The first thing pydantic found, in words that say what to do."""
    defect = error.errors(include_url=False)[0]
    # pydantic puts the branch of the union between the field names
    field = next((str(part) for part in reversed(defect["loc"]) if part not in KINDS), "handoff")
    got = defect.get("input")
    match defect["type"]:
        case "missing":
            problem = "is missing: this kind of handoff needs one"
        case "string_type" if got is None:
            problem = "is missing: this kind of handoff needs one"
        case "string_type":
            problem = f"must be a string, got {got!r}"
        case "int_type":
            problem = f"must be a non-negative int, got {shown(got)}"
        case "value_error":
            problem = str(defect["ctx"]["error"])
        case _:
            problem = defect["msg"]
    return HandoffError(field, problem)
