"""Schema and handler say the same when built, and an edited schema is one that the handler can serve."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any, Literal, Optional, TypedDict

import pytest

from switchboard.catalog.definitions.signature import HandlerParameter, HandlerSignature, disagreements, read_signature
from switchboard.contract.response import Result
from tests.each import each


class Person(TypedDict):
    """An object with known keys."""

    name: str


async def book(
    ctx: Any,
    desk: Any,
    *,
    service: str,
    start_time: datetime,
    minutes: int = 30,
    price: float | None = None,
    urgent: bool = False,
    channel: Literal["sms", "mail"] = "sms",
    tags: list[str] | None = None,
    times: Sequence[datetime] = (),
    who: dict[str, Any] | None = None,
    extra: Any = None,
) -> Result:
    """A handler with one parameter of every kind."""
    return Result({})


SIGNATURE, _ = read_signature(book)
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "service": {"type": "string"},
        "start_time": {"type": "string", "format": "date-time"},
        "minutes": {"type": "integer", "default": 30},
        "price": {"type": "number"},
        "urgent": {"type": "boolean", "default": False},
        "channel": {"enum": ["mail", "sms"], "default": "sms"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "times": {"type": "array", "items": {"type": "string", "format": "date-time"}, "default": []},
        "who": {"type": "object", "properties": {"name": {"type": "string"}}},
        "extra": {},
    },
    "required": ["service", "start_time"],
}


def changed(name: str, schema: Any, required: bool | None = None, **beside: Any) -> dict[str, Any]:
    """Return the schema with one property replaced (None: removed), and perhaps made required or optional."""
    properties = {key: value for key, value in SCHEMA["properties"].items() if key != name}
    names = [key for key in SCHEMA["required"] if key != name or (required is None and schema is not None)]
    return SCHEMA | {
        "properties": properties if schema is None else properties | {name: schema},
        "required": [*names, name] if required else [key for key in names if key != name or required is None],
        **beside,
    }


def fields(schema: dict[str, Any], *, edited: bool = False) -> list[str]:
    """Return the names of what disagrees."""
    found = disagreements(schema, SIGNATURE, edited=edited)
    assert all(error.problem and error.remedy for error in found)
    return [error.field.removeprefix("parameters.properties.") for error in found]


def test_a_schema_that_says_what_the_code_says_agrees():
    """Names, types, required and defaults are the same on both sides."""
    assert disagreements(SCHEMA, SIGNATURE) == []
    assert disagreements(SCHEMA, SIGNATURE, edited=True) == []


# (schema, may be built, may be edited so)
CHANGES: list[Any] = {
    "an argument the code does not know": (changed("new", {"type": "string"}), False, False),
    "an optional argument dropped": (changed("tags", None), False, True),
    "a required argument dropped": (changed("service", None), False, False),
    "required made optional": (changed("service", {"type": "string"}, required=False), False, False),
    "optional, with default": (changed("service", {"type": "string", "default": "Cut"}, required=False), False, True),
    "made required": (changed("minutes", {"type": "integer", "default": 30}, required=True), False, True),
    "default missing": (changed("minutes", {"type": "integer"}), False, True),
    "another default": (changed("minutes", {"type": "integer", "default": 45}), False, True),
    "a default of another type": (changed("urgent", {"type": "boolean", "default": 0}), False, True),
    "a limit": (changed("minutes", {"type": "integer", "default": 30, "minimum": 15}), True, True),
    "words for any text": (changed("service", {"enum": ["Cut", "Color"]}), True, True),
    "another type": (changed("service", {"type": "integer"}), False, False),
    "null where the code takes none": (changed("service", {"type": ["string", "null"]}), False, False),
    "null where the code takes it": (changed("price", {"type": ["number", "null"]}), True, True),
    "whole numbers where any number is taken": (changed("price", {"type": "integer"}), False, True),
    "numbers for whole numbers": (changed("minutes", {"type": "number", "default": 30}), False, False),
    "text where a time is taken": (changed("start_time", {"type": "string"}), False, False),
    "a time for text": (changed("service", {"type": "string", "format": "date-time"}), False, False),
    "a date stays text": (changed("service", {"type": "string", "format": "date"}), True, True),
    "anything where text is taken": (changed("service", {}), False, False),
    "text where anything is taken": (changed("extra", {"type": "string"}), True, True),
    "fewer words": (changed("channel", {"enum": ["sms"], "default": "sms"}), False, True),
    "other words": (changed("channel", {"enum": ["sms", "fax"], "default": "sms"}), False, False),
    "any word": (changed("channel", {"type": "string", "default": "sms"}), False, False),
    "items of any type": (changed("tags", {"type": "array"}), False, False),
    "other items": (changed("tags", {"type": "array", "items": {"type": "integer"}}), False, False),
    "a list for an object": (changed("who", {"type": "array"}), False, False),
    "unnamed arguments": (changed("x", None, additionalProperties=True), False, False),
    "arguments by pattern": (changed("x", None, patternProperties={"^a": {}}), False, False),
    "closed, as it is anyway": (changed("x", None, additionalProperties=False), True, True),
    "named in a branch only": (changed("x", None, anyOf=[{"properties": {"new": {}}}]), False, False),
    "named in a condition only": (
        changed("x", None, allOf=[True, {"if": {"properties": {"new": {}}}}], dependentSchemas={"tags": {}}),
        False,
        False,
    ),
    "a choice": (changed("x", None, anyOf=[{"required": ["tags"]}, {"required": ["who"]}]), True, True),
    "a reference": (changed("service", {"$ref": "#/$defs/s"}, **{"$defs": {"s": {"type": "string"}}}), True, True),
    "or null": (changed("tags", {"anyOf": [SCHEMA["properties"]["tags"], {"type": "null"}]}), True, True),
}


@each(("schema", "may_be_built", "may_be_edited"), CHANGES.values(), ids=CHANGES.keys())
def test_what_may_differ_depends_on_who_asks(schema: dict[str, Any], may_be_built: bool, may_be_edited: bool):
    """A build must agree exactly; an edit may only ask for what the handler can serve."""
    assert (fields(schema) == []) is may_be_built
    assert (fields(schema, edited=True) == []) is may_be_edited


def test_everything_that_disagrees_is_reported():
    """Whoever corrects it sees all of it at once."""
    schema = changed("service", {"type": "integer"}) | {"additionalProperties": True}
    del schema["properties"]["minutes"]
    assert fields(schema) == ["parameters.additionalProperties", "service", "minutes"]


def test_a_signature_survives_the_artifact():
    """What is written to JSON is what is read from it."""
    assert HandlerSignature.from_json(SIGNATURE.to_json()) == SIGNATURE
    assert list(SIGNATURE.to_json()) == list(SCHEMA["properties"])


@each(
    ("annotation", "types", "words"),
    [
        (str, ["string"], None),
        (int, ["integer"], None),
        (float, ["number"], None),
        (int | float, ["number"], None),
        (bool, ["boolean"], None),
        (datetime, ["date-time"], None),
        (Optional[str], ["null", "string"], None),  # noqa: UP045 - the older spelling means the same
        (str | None, ["null", "string"], None),
        (Annotated[str, "a name"], ["string"], None),
        (Literal["a", "b"], ["string"], ("a", "b")),
        (Literal[1, 2] | None, ["integer", "null"], (1, 2)),
        (list[str | int], ["array of integer|string"], None),
        (list[list[datetime]], ["array of array of date-time"], None),
        (list, ["array"], None),
        (Sequence[bool], ["array of boolean"], None),
        (dict[str, Any], ["object"], None),
        (Mapping[str, int], ["object"], None),
        (Person, ["object"], None),
        (Any, ["any"], None),
        ("datetime", ["date-time"], None),
    ],
)
def test_a_type_is_read_as_json_names_it(annotation: Any, types: list[str], words: Any):
    """The signature names types as a schema would."""

    async def execute(ctx, desk, *, x) -> Result:
        return Result({})

    execute.__annotations__["x"] = annotation
    signature, found = read_signature(execute)
    assert found == []
    assert signature.parameters == {"x": HandlerParameter(tuple(types), required=True, words=words)}


def test_a_default_is_kept_as_json():
    """Tuples are lists there, and what JSON cannot carry is reported."""

    async def execute(ctx, desk, *, a: list[int] = (1, 2), b: dict[str, Any] = {"c": [True]}) -> Result:  # noqa: B006
        return Result({})

    signature, found = read_signature(execute)
    assert found == []
    assert [parameter.default for parameter in signature.parameters.values()] == [[1, 2], {"c": [True]}]


async def without_desk(ctx: Any, *, a: str) -> Result: ...


async def open_ended(ctx: Any, desk: Any, *names: str, a: str, **rest: str) -> Result: ...


async def positional(ctx: Any, desk: Any, a: str) -> Result: ...


async def untyped(ctx: Any, desk: Any, *, a) -> Result: ...


async def with_date(ctx: Any, desk: Any, *, a: date) -> Result: ...


async def with_tuple(ctx: Any, desk: Any, *, a: tuple[int, ...]) -> Result: ...


async def with_moment(ctx: Any, desk: Any, *, a: datetime = datetime.min) -> Result: ...


async def unresolved(ctx: Any, desk: Any, *, a: "Nowhere") -> Result: ...  # noqa: F821


async def returning_nothing(ctx: Any, desk: Any) -> None: ...


async def returning_text(ctx: Any, desk: Any) -> str: ...


def synchronous(ctx: Any, desk: Any) -> Result: ...


async def silent(ctx, desk): ...


@pytest.mark.requirement("000-32", "004-43")
@each(
    ("execute", "count"),
    [
        (without_desk, 1),
        (open_ended, 2),
        (positional, 1),
        (untyped, 1),
        (with_date, 1),
        (with_tuple, 1),
        (with_moment, 1),
        (unresolved, 1),
        (returning_nothing, 1),
        (returning_text, 1),
        (synchronous, 1),
        (silent, 1),
    ],
)
def test_a_handler_of_another_form_is_refused(execute: Any, count: int):
    """Design §2: async, ctx and desk first, every argument named, typed and keyword-only, returning Result."""
    _, found = read_signature(execute)
    assert len(found) == count
    assert all(error.field == "execute" and error.remedy for error in found)
