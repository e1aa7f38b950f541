"""Gemini: both encodings of a declaration, calls and answers."""

from typing import Any

import pytest

from switchboard.contract.call import ToolCall
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.response import Failure, ToolResponse
from switchboard.formats import FORMATS, gemini
from tests.each import each
from tests.formats.definitions import one, tool

EMPTY = {"type": "object", "properties": {}}


def anything(levels: int = 2) -> dict[str, Any]:
    """Return how the native encoding says that any value will do."""
    kinds: list[Any] = [{"type": "STRING"}, {"type": "NUMBER"}, {"type": "BOOLEAN"}, {"type": "OBJECT"}]
    if levels:
        kinds.append({"type": "ARRAY", "items": anything(levels - 1)})
    return {"anyOf": kinds, "nullable": True}


def native(inner: Any, **beside: Any) -> Any:
    """Return how the native encoding says one property."""
    return gemini.declare(tool(one(inner) | beside))["parameters"]["properties"]["x"]


def as_json(inner: Any, **beside: Any) -> Any:
    """Return how the JSON encoding says one property."""
    return gemini.declare_json(tool(one(inner) | beside))["parametersJsonSchema"]["properties"]["x"]


@pytest.mark.requirement("003-87", "003-45")
def test_the_native_declaration_has_upper_case_types():
    """Seed 003 ("Provider Abstraction"): `Type.*` names, and no `additionalProperties`, which the SDK refuses."""
    assert gemini.declare(tool()) == {
        "name": "book_appointment",
        "description": "Book it.",
        "parameters": {
            "type": "OBJECT",
            "properties": {
                "service": {"type": "STRING", "minLength": 1, "description": "What to book."},
                "start_time": {"type": "STRING", "format": "date-time"},
                "duration_minutes": {"type": "INTEGER", "minimum": 15, "maximum": 240, "default": 30},
                "kind": {"type": "STRING", "enum": ["first visit", "follow-up"]},
            },
            "required": ["service", "start_time"],
        },
    }


@pytest.mark.requirement("003-33", "003-07")
def test_the_json_declaration_has_lower_case_types_under_its_own_key():
    """Seed 003 ("Gemini 3 Format Handling"); limits it cannot check are told in words."""
    declared = gemini.declare_json(tool())
    assert "parameters" not in declared
    assert declared["parametersJsonSchema"] == {
        "type": "object",
        "properties": {
            "service": {"type": "string", "description": "What to book. (not empty)"},
            "start_time": {"type": "string", "format": "date-time"},
            "duration_minutes": {"type": "integer", "minimum": 15, "maximum": 240, "description": "default 30"},
            "kind": {"type": "string", "enum": ["first visit", "follow-up"]},
        },
        "required": ["service", "start_time"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize("schema", [EMPTY, {"type": "object"}, EMPTY | {"additionalProperties": False}])
def test_a_tool_without_arguments_declares_no_parameters(schema: dict[str, Any]):
    """An object without properties was refused by older backends."""
    bare = {"name": "book_appointment", "description": "Book it."}
    assert gemini.declare(tool(schema)) == bare
    assert gemini.declare_json(tool(schema)) == bare


def test_all_declarations_stand_in_one_element():
    """Under `tools` stands one object with all declarations, or nothing at all."""
    declared = gemini.declare(tool())
    assert gemini.declare_all([declared, declared]) == [{"functionDeclarations": [declared, declared]}]
    assert gemini.declare_all([]) == []


@each(
    ("inner", "lowered"),
    [
        ({"type": ["string", "null"]}, {"type": "STRING", "nullable": True}),
        ({"type": "null"}, {"type": "NULL"}),
        (
            {"anyOf": [{"type": "integer", "minimum": 2}, {"type": "null"}]},
            {"type": "INTEGER", "minimum": 2, "nullable": True},
        ),
        ({"enum": ["a", "b", None]}, {"type": "STRING", "enum": ["a", "b"], "nullable": True}),
        ({"enum": ["a", ""]}, {"type": "STRING", "description": 'one of a, ""'}),
        (
            {"enum": ["a", 2, None]},
            {
                "anyOf": [
                    {"type": "STRING", "enum": ["a"]},
                    {"type": "INTEGER", "minimum": 2, "maximum": 2, "description": "one of 2"},
                ],
                "nullable": True,
            },
        ),
        ({"enum": [1, 2.5]}, {"type": "NUMBER", "minimum": 1, "maximum": 2.5, "description": "one of 1, 2.5"}),
        ({"enum": [None]}, {"type": "NULL"}),
        (
            {"type": "object", "properties": {"a": {"type": "string"}}, "anyOf": [{"required": ["a"]}, {"title": "B"}]},
            {
                "anyOf": [
                    {"type": "OBJECT", "properties": {"a": {"type": "STRING"}}, "required": ["a"]},
                    {"type": "OBJECT", "properties": {"a": {"type": "STRING"}}, "title": "B"},
                ]
            },
        ),
        (
            {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}], "items": False},
            {"type": "ARRAY", "items": {"anyOf": [{"type": "STRING"}, {"type": "NUMBER"}]}, "maxItems": 2},
        ),
        ({"const": "a"}, {"type": "STRING", "enum": ["a"]}),
        ({"const": 5}, {"type": "INTEGER", "minimum": 5, "maximum": 5, "description": "one of 5"}),
        ({"const": True}, {"type": "BOOLEAN", "description": "one of true"}),
        (
            {"type": "integer", "enum": [15, 60, 30]},
            {"type": "INTEGER", "minimum": 15, "maximum": 60, "description": "one of 15, 60, 30"},
        ),
        ({"type": "integer", "exclusiveMinimum": 2.5}, {"type": "INTEGER", "minimum": 3}),
        ({"type": "integer", "exclusiveMaximum": 5}, {"type": "INTEGER", "maximum": 4}),
        ({"type": "number", "exclusiveMinimum": 0}, {"type": "NUMBER", "minimum": 0}),
        ({"type": "integer", "multipleOf": 5}, {"type": "INTEGER", "description": "a multiple of 5"}),
        ({"type": "string", "format": "email"}, {"type": "STRING", "description": "format email"}),
        ({"type": "integer", "format": "int32"}, {"type": "INTEGER", "format": "int32"}),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, {"anyOf": [{"type": "STRING"}, {"type": "INTEGER"}]}),
        (
            {"type": ["string", "array"], "minLength": 2, "items": {"type": "string"}, "description": "Who."},
            {
                "description": "Who.",
                "anyOf": [{"type": "STRING", "minLength": 2}, {"type": "ARRAY", "items": {"type": "STRING"}}],
            },
        ),
        ({"type": "array"}, {"type": "ARRAY", "items": anything()}),
        ({"minimum": 3}, {"type": "NUMBER", "minimum": 3}),
        (
            {"properties": {"a": {"items": {}}}},
            {"type": "OBJECT", "properties": {"a": {"type": "ARRAY", "items": anything()}}},
        ),
        ({"type": "string", "enum": [""]}, {"type": "STRING", "description": 'one of ""'}),
        (
            {"type": ["string", "integer"], "enum": ["a", 5]},
            {
                "anyOf": [
                    {"type": "STRING", "enum": ["a"]},
                    {"type": "INTEGER", "minimum": 5, "maximum": 5, "description": "one of 5"},
                ]
            },
        ),
        (
            {"type": ["string", "integer"], "anyOf": [{"const": "a"}, {"minimum": 2}]},
            {
                "anyOf": [
                    {"type": "STRING", "enum": ["a"]},
                    {"anyOf": [{"type": "STRING"}, {"type": "INTEGER", "minimum": 2}]},
                ]
            },
        ),
        ({"description": "Anything."}, {"description": "Anything."} | anything()),
        ({"pattern": "^a$"}, {"type": "STRING", "pattern": "^a$"}),
        ({"type": "string", "x-label": "Name", "title": "Name"}, {"type": "STRING", "title": "Name"}),
        (
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a", "gone"]},
            {"type": "OBJECT", "properties": {"a": {"type": "STRING"}}, "required": ["a"]},
        ),
        ({"type": "string", "properties": {}, "minimum": 3}, {"type": "STRING"}),
        ({"type": "object", "required": ["gone"]}, {"type": "OBJECT"}),
        (
            {
                "allOf": [
                    {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
                    {"type": "object", "properties": {"b": {"type": "number"}}, "required": ["b"]},
                ],
                "unevaluatedProperties": False,
            },
            {
                "type": "OBJECT",
                "properties": {"a": {"type": "STRING"}, "b": {"type": "NUMBER"}},
                "required": ["a", "b"],
            },
        ),
    ],
)
def test_the_native_encoding_says_what_it_can(inner: dict[str, Any], lowered: dict[str, Any]):
    """Wire-formats §6.1, column `parameters`: same meaning where possible, wider where not, words for the rest."""
    assert native(inner) == lowered


@each(
    ("inner", "lowered"),
    [
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        ({"const": 5}, {"type": "integer", "enum": [5]}),
        ({"const": True}, {"type": "boolean", "description": "one of true"}),
        ({"enum": ["a", 2]}, {"enum": ["a", 2]}),
        (
            {"type": ["string", "null"], "enum": ["a", None], "title": "A"},
            {"title": "A", "anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]},
        ),
        (
            {"type": "object", "patternProperties": {"^a": {"type": "string"}}, "additionalProperties": False},
            {"type": "object", "additionalProperties": {"type": "string"}},
        ),
        (
            {"type": "string", "pattern": "^a$", "description": "An a."},
            {"type": "string", "description": "An a. (matching ^a$)"},
        ),
        ({"type": "string", "format": "email"}, {"type": "string", "format": "email"}),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        ({"allOf": [{"type": "string"}, {"format": "date"}]}, {"type": "string", "format": "date"}),
        (
            {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
            {"type": "array", "items": {"type": "string"}, "description": "no item twice"},
        ),
    ],
)
def test_the_json_encoding_says_what_it_can(inner: dict[str, Any], lowered: dict[str, Any]):
    """Wire-formats §6.1, column `parametersJsonSchema`."""
    assert as_json(inner) == lowered


def test_references_are_written_out_only_where_they_must_be():
    """The native encoding knows none; the JSON encoding takes bare ones."""
    definitions = {"$defs": {"who": {"type": "string", "title": "Who"}}}
    assert native({"$ref": "#/$defs/who"}, **definitions) == {"type": "STRING", "title": "Who"}
    assert as_json({"$ref": "#/$defs/who"}, **definitions) == {"$ref": "#/$defs/who"}
    assert as_json({"$ref": "#/$defs/who", "description": "Me."}, **definitions) == {
        "description": "Me.",
        "type": "string",
        "title": "Who",
    }


TREE = {
    "$defs": {
        "node": {
            "type": "object",
            "title": "Node",
            "properties": {"name": {"type": "string"}, "nodes": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
            "required": ["name", "nodes"],
        }
    }
}


def test_the_native_encoding_unrolls_recursion_and_takes_anything_at_the_bottom():
    """It knows no references; two levels more are written out."""
    told = native({"$ref": "#/$defs/node"}, **TREE)
    for _ in range(3):
        assert told["required"] == ["name", "nodes"]
        told = told["properties"]["nodes"]["items"]
    assert told == {"type": "OBJECT", "title": "Node"}
    assert any("recursion" in note for note in gemini.lowerings(tool(one({"$ref": "#/$defs/node"}) | TREE)))


def test_a_recursion_that_would_grow_too_large_is_unrolled_less():
    """Vendors refuse schemas with too many states; eight ways down at each level are 585 schemas in three levels."""
    ways = {f"way_{n}": {"$ref": "#/$defs/node"} for n in range(8)}
    schema = one({"$ref": "#/$defs/node"}) | {"$defs": {"node": {"type": "object", "properties": ways}}}
    told = gemini.declare(tool(schema))["parameters"]["properties"]["x"]
    assert told["properties"]["way_0"]["properties"]["way_7"] == {"type": "OBJECT"}


def test_the_json_encoding_keeps_recursion_but_requires_no_way_back():
    """ "Cyclic references … only in non-required properties"."""
    told = gemini.declare_json(tool(one({"$ref": "#/$defs/node"}) | TREE | {"required": ["x"]}))["parametersJsonSchema"]
    assert told["required"] == ["x"]
    assert told["$defs"]["node"] == {
        "type": "object",
        "title": "Node",
        "properties": {"name": {"type": "string"}, "nodes": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
        "required": ["name"],
        "description": "always with nodes",
    }


def test_a_reference_that_leads_nowhere_leaves_anything():
    """Checked schemas have none; declaring an unchecked one works all the same."""
    assert native({"$ref": "#/$defs/gone"}) == anything()
    assert as_json({"$ref": "#/$defs/gone"}) == {}


LOSSES = [
    {"type": "string", "x-label": "a"},
    {"type": "string", "pattern": "a" * 300, "format": "uri"},
    {"type": "integer", "enum": [1, 5]},
    {"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5},
    {"type": "array", "uniqueItems": True, "prefixItems": [{"type": "string"}]},
    {"type": "object", "patternProperties": {"^a": {}}, "additionalProperties": False},
    {"not": {"type": "string"}, "if": {"const": 1}, "then": {"const": 1}, "dependentRequired": {"a": ["b"]}},
    {"allOf": [{"type": "string"}, {"type": "integer"}]},
    {"oneOf": [{"type": "string"}, {"type": "integer"}], "readOnly": True, "examples": [1]},
]


@each("inner", LOSSES)
@each("name", ["openai", "gemini", "gemini_json"])
def test_nothing_is_lost_without_a_note(name: str, inner: dict[str, Any]):
    """Every keyword that was there is there again, or a note names it."""
    dialect = FORMATS[name]
    declared, notes = str(dialect.declare(tool(one(inner)))), " ".join(dialect.lowerings(tool(one(inner))))
    for keyword in inner.keys() - {"allOf"}:
        assert f"'{keyword}'" in declared or keyword in notes
    assert "allOf" not in inner or "'allOf'" in declared or "two rules for type" in notes


@pytest.mark.requirement("003-26")
@pytest.mark.parametrize(
    ("vendor", "call"),
    [
        (
            {"functionCall": {"id": "f1", "name": "a", "args": {"b": 2.0}}, "thoughtSignature": "s"},
            ("a", {"b": 2.0}, "f1"),
        ),
        ({"functionCall": {"name": "a"}}, ("a", {}, "")),
        ({"id": "f1", "name": "a", "args": None}, ("a", {}, "f1")),
    ],
)
def test_a_call_is_read_from_a_part_or_from_the_live_api(vendor: dict[str, Any], call: tuple[Any, ...]):
    """`args` is an object and may be missing; so may the id."""
    assert gemini.parse(vendor) == ToolCall(*call)


@pytest.mark.parametrize(
    "vendor",
    [None, "a", {}, {"functionCall": None}, {"name": 3}, {"name": "a", "args": []}, {"name": "a", "args": "b"}],
)
def test_what_is_no_call_is_refused(vendor: object):
    """A malformed call is the model's mistake, not a crash."""
    with pytest.raises(Refused) as caught:
        gemini.parse(vendor)
    assert caught.value.type is ErrorType.VALIDATION


def test_an_answer_is_an_object_with_output_or_error():
    """`response` must be an object; an id that the model did not give is not made up."""
    failure = ToolResponse(failure=Failure(ErrorType.TRANSIENT, "Later.", True, False))
    assert gemini.render("f1", "a", ToolResponse(data={"b": 1}, meta={"say": "x"})) == {
        "functionResponse": {"id": "f1", "name": "a", "response": {"output": {"b": 1}}}
    }
    assert gemini.render("", "a", failure) == {
        "functionResponse": {
            "name": "a",
            "response": {
                "error": {"type": "TRANSIENT", "message": "Later.", "retryable": True, "partialSideEffects": False}
            },
        }
    }
