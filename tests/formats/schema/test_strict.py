"""OpenAI's strict mode: what it can say, what it cannot, and how its nulls are read."""

import json
from typing import Any

import pytest

from switchboard.contract.call import ToolCall
from switchboard.formats import FORMATS, openai
from switchboard.formats.schema.strict import strictly, without_nulls
from tests.each import each
from tests.formats.definitions import BOOKING, accepts, one, tool

STRICT_BOOKING = {
    "type": "object",
    "properties": {
        "service": {"type": "string", "description": "What to book. (not empty)"},
        "start_time": {"type": "string", "format": "date-time"},
        "duration_minutes": {
            "type": ["integer", "null"],
            "minimum": 15,
            "maximum": 240,
            "description": "default 30",
        },
        "kind": {"type": ["string", "null"], "enum": ["first visit", "follow-up", None]},
    },
    "required": ["service", "start_time", "duration_minutes", "kind"],
    "additionalProperties": False,
}


def test_everything_is_required_and_the_optional_is_nullable():
    """Closed, all keys required, optional = union with null, no defaults, no length limits."""
    declared = openai.declare_strict(tool())["function"]
    assert declared["strict"] is True
    assert declared["parameters"] == STRICT_BOOKING
    assert len(openai.lowerings_strict(tool())) == 2


@each(
    ("inner", "strict"),
    [
        ({"const": "a"}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"enum": [1, 2.5]}, {"type": ["integer", "number", "null"], "enum": [1, 2.5, None]}),
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        ({"type": "string", "enum": ["a", None]}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"anyOf": [{"type": "string"}]}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ({"oneOf": [{"type": "null"}, {"type": "string"}]}, {"anyOf": [{"type": "null"}, {"type": "string"}]}),
        ({"anyOf": [{"type": ["string", "null"]}]}, {"anyOf": [{"type": ["string", "null"]}]}),
        (
            {"type": ["string", "integer"], "anyOf": [{"const": "a"}, {"minimum": 2}]},
            {
                "anyOf": [
                    {"const": "a", "type": ["string", "integer"]},
                    {"minimum": 2, "type": ["string", "integer"]},
                    {"type": "null"},
                ]
            },
        ),
        ({"$ref": "#/$defs/a"}, {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "null"}]}),
        (
            {"type": "array", "items": {"type": "object", "properties": {}}},
            {
                "type": ["array", "null"],
                "items": {"type": "object", "properties": {}, "required": [], "additionalProperties": False},
            },
        ),
    ],
)
def test_an_optional_value_is_nullable(inner: dict[str, Any], strict: dict[str, Any]):
    """Every form of optional value gets its null, every word fits its type, and inner objects are closed too."""
    schema = one(inner) | {"$defs": {"a": {"type": "object", "properties": {"b": {"type": "string"}}}}}
    parameters = strictly(schema).schema
    assert parameters is not None
    assert parameters["properties"]["x"] == strict
    if "$ref" in inner:
        assert parameters["$defs"]["a"]["required"] == ["b"]


def test_what_stands_beside_any_of_is_moved_into_its_branches():
    """Two closed objects that must both hold would take nothing at all."""
    inner = {
        "type": "object",
        "properties": {"amount": {"type": "number"}},
        "required": ["amount"],
        "anyOf": [{"properties": {"iban": {"type": "string"}}}, {"required": ["amount"]}],
    }
    strict = strictly(one(inner) | {"required": ["x"]}).schema
    assert strict is not None
    assert accepts(strict, {"x": {"amount": 2, "iban": None}})
    assert accepts(strict, {"x": {"amount": 2}})
    assert strict["properties"]["x"].keys() == {"anyOf"}


@pytest.mark.parametrize(
    "inner",
    [
        pytest.param({}, id="any value"),
        pytest.param({"type": "object"}, id="an open object"),
        pytest.param({"type": "object", "properties": {}, "additionalProperties": True}, id="open on purpose"),
        pytest.param(
            {"type": "object", "properties": {}, "unevaluatedProperties": {"type": "string"}}, id="open in other words"
        ),
        pytest.param(
            {"type": "object", "properties": {}, "patternProperties": {"^a": {"type": "string"}}}, id="names by pattern"
        ),
        pytest.param({"type": "array"}, id="any items"),
        pytest.param({"type": "array", "prefixItems": [{"type": "string"}], "items": False}, id="a tuple"),
        pytest.param({"enum": [[1], [2]]}, id="lists as words"),
        pytest.param({"type": "integer", "enum": ["a"]}, id="no word of the type"),
        pytest.param({"enum": [f"word {n}" for n in range(1001)]}, id="too many words"),
        pytest.param({"enum": ["x" * 100 + str(n) for n in range(251)]}, id="too long a list of words"),
    ],
)
def test_what_it_cannot_say_is_declared_as_not_strict_with_the_reason(inner: dict[str, Any]):
    """The tool is offered all the same: as `openai` declares it, and a linter can show why."""
    definition = tool(one(inner))
    assert openai.declare_strict(definition) == openai.declare(definition)
    assert openai.lowerings_strict(definition)[0].startswith("not strict: /")
    call = ToolCall("book_appointment", {"x": None}, "c")
    assert openai.restore_strict(definition, call) == call


def test_a_format_that_it_does_not_know_is_told_in_words():
    """Only nine formats are taken; the model reads about the others."""
    strict = strictly(one({"type": "string", "format": "uri"}) | {"required": ["x"]})
    assert strict.schema is not None
    assert strict.schema["properties"]["x"] == {"type": "string", "description": "format uri"}
    assert strict.notes == ("/properties/x: format is told in the description only",)


def test_levels_are_counted():
    """At most ten levels of objects."""
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(10):
        schema = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
    assert strictly(schema["properties"]["a"]).schema is not None
    assert strictly(schema).schema is None


def test_an_optional_value_that_may_be_null_is_told_with_a_note():
    """Whether null or nothing was meant cannot be told apart."""
    assert strictly(one({"type": ["string", "null"]})).notes == (
        "/properties/x: leaving it out is told as null, which is also a value here",
    )


@pytest.mark.parametrize(
    "arguments",
    [
        {"service": "Cut", "start_time": "2026-03-05T14:00:00Z", "duration_minutes": None, "kind": None},
        {"service": "Cut", "start_time": "2026-03-05T14:00:00Z", "duration_minutes": 30, "kind": "follow-up"},
    ],
)
def test_a_call_is_valid_again_without_its_nulls(arguments: dict[str, Any]):
    """What strict mode makes the model send fits the canonical schema once the nulls are read as left out."""
    assert accepts(STRICT_BOOKING, arguments)
    call = FORMATS["openai_strict"].restore(tool(), ToolCall("book_appointment", json.dumps(arguments), "c"))
    assert call.arguments == {name: value for name, value in arguments.items() if value is not None} or (
        None not in arguments.values() and call.arguments == json.dumps(arguments)
    )
    assert accepts(BOOKING, json.loads(call.arguments) if isinstance(call.arguments, str) else call.arguments)


NESTED = {
    "type": "object",
    "properties": {
        "note": {"type": ["string", "null"]},
        "lines": {"type": "array", "items": {"$ref": "#/$defs/line"}},
        "how": {
            "anyOf": [
                {"type": "object", "properties": {"by": {"const": "mail"}, "to": {"type": "string"}}},
                {"type": "object", "properties": {"by": {"const": "post"}, "to": {"type": ["string", "null"]}}},
            ]
        },
    },
    "$defs": {
        "line": {
            "allOf": [
                {"type": "object", "properties": {"article": {"type": "string"}}},
                {"properties": {"more": {"$ref": "#/$defs/line"}, "size": {"enum": ["S", None]}}},
            ]
        }
    },
}


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ({"note": None}, {"note": None}),
        ({"lines": None, "how": None}, {}),
        (
            {"lines": [{"article": None, "more": {"article": "a", "more": None, "size": None}, "size": None}]},
            {"lines": [{"more": {"article": "a", "size": None}, "size": None}]},
        ),
        ({"how": {"by": "mail", "to": None}}, {"how": {"by": "mail"}}),
        ({"how": {"by": "post", "to": None}}, {"how": {"by": "post", "to": None}}),
        ({"unheard_of": None}, {"unheard_of": None}),
    ],
)
def test_a_null_is_left_out_only_where_it_is_no_value(sent: dict[str, Any], meant: dict[str, Any]):
    """Behind references, in `allOf`, in items, and in the branch that is meant."""
    assert without_nulls(sent, NESTED) == meant


@pytest.mark.parametrize("text", ['{"kind": null', "null", '["null"]', "[" * 100_000 + "null"])
def test_text_that_cannot_be_read_stays_as_it_is(text: str):
    """Whoever validates it refuses it in its own words."""
    call = ToolCall("book_appointment", text, "c")
    assert openai.restore_strict(tool(), call) == call
