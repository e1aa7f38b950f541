"""OpenAI Chat: what is declared, read and answered."""

import json
from typing import Any

import pytest

from switchboard.contract.call import ToolCall
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.response import Failure, Intent, IntentType, ToolResponse
from switchboard.formats import openai
from tests.formats.definitions import BOOKING, one, tool


@pytest.mark.requirement("003-88", "003-45")
def test_a_tool_is_declared_as_a_function_that_is_not_strict():
    """The declaration is a function with the canonical schema, and `strict` is said."""
    assert openai.declare(tool()) == {
        "type": "function",
        "function": {
            "name": "book_appointment",
            "description": "Book it.",
            "parameters": BOOKING,
            "strict": False,
        },
    }
    assert openai.lowerings(tool()) == ()


def test_the_tools_of_a_request_are_the_plain_list():
    """What stands under `tools` is the list of declarations."""
    declared = openai.declare(tool())
    assert openai.declare_all([declared, declared]) == [declared, declared]
    assert openai.declare_all([]) == []


def test_a_tool_without_arguments_keeps_its_empty_object():
    """Chat Completions takes an object without properties."""
    empty = {"type": "object", "properties": {}}
    assert openai.declare(tool(empty))["function"]["parameters"] == empty


def test_declaring_leaves_the_definition_as_it_was():
    """Lowering works on copies: the canonical schema is shared by every dialect."""
    schema = one({"allOf": [{"$ref": "#/$defs/a"}, {"x-hint": 1}]}) | {"$defs": {"a": {"type": "string"}}}
    before = json.dumps(schema)
    openai.declare(tool(schema))
    openai.declare_strict(tool(schema))
    assert json.dumps(schema) == before


@pytest.mark.parametrize(
    ("schema", "lowered", "notes"),
    [
        pytest.param(one({"type": "string", "x-label": "Name"}), one({"type": "string"}), 1, id="our annotations"),
        pytest.param(
            {"type": "object", "properties": {"a": {}, "b": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
            {"type": "object", "properties": {"a": {}, "b": {}}, "description": "needs a or b"},
            1,
            id="no anyOf at the top",
        ),
        pytest.param(
            {"type": "object", "allOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}]},
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
            0,
            id="allOf is merged, which loses nothing",
        ),
        pytest.param(
            one({"allOf": [{"type": "number", "minimum": 1}, {"type": "integer", "minimum": 3, "maximum": 9}]}),
            one({"type": "integer", "minimum": 3, "maximum": 9}),
            0,
            id="the tighter limit wins",
        ),
        pytest.param(
            {
                "type": "object",
                "allOf": [
                    {"properties": {"a": {"items": {"minimum": 1}}}, "required": ["a"]},
                    {"properties": {"a": {"items": {"maximum": 5}}, "b": {}}, "required": ["b", "a"]},
                ],
            },
            {
                "type": "object",
                "properties": {"a": {"items": {"minimum": 1, "maximum": 5}}, "b": {}},
                "required": ["a", "b"],
            },
            0,
            id="objects are merged property by property",
        ),
        pytest.param(
            one({"allOf": [{"properties": {"a": {}}, "additionalProperties": False}, {"properties": {"b": {}}}]}),
            one({"properties": {"a": {}}, "additionalProperties": False, "allOf": [{"properties": {"b": {}}}]}),
            0,
            id="what cannot be merged stays",
        ),
        pytest.param(
            one({"allOf": [{"enum": ["a", "b"]}, {"enum": ["b", "c"]}]}), one({"enum": ["b"]}), 0, id="words in both"
        ),
        pytest.param(
            one({"$ref": "#/$defs/a", "description": "Mine."}) | {"$defs": {"a": {"type": "string"}}},
            one({"description": "Mine.", "type": "string"}),
            0,
            id="a reference with words beside it is written out",
        ),
        pytest.param(
            one({"$ref": "#/$defs/a"}) | {"$defs": {"a": {"type": "string"}}},
            one({"$ref": "#/$defs/a"}) | {"$defs": {"a": {"type": "string"}}},
            0,
            id="a bare reference stays",
        ),
        pytest.param(
            one({"$ref": "#/definitions/A%20b"}) | {"definitions": {"A b": {"type": "string"}, "unused": {}}},
            one({"$ref": "#/$defs/A_b_a760b0e1"}) | {"$defs": {"A_b_a760b0e1": {"type": "string"}}},
            0,
            id="references lead to $defs at the top, under names that every vendor takes",
        ),
        pytest.param(
            {"type": "object", "properties": {"a": {"type": "string"}, "others": {"items": {"$ref": "#"}}}},
            {
                "type": "object",
                "properties": {"a": {"type": "string"}, "others": {"items": {"$ref": "#/$defs/arguments"}}},
                "$defs": {
                    "arguments": {
                        "type": "object",
                        "properties": {"a": {"type": "string"}, "others": {"items": {"$ref": "#/$defs/arguments"}}},
                    }
                },
            },
            0,
            id="the whole may contain itself",
        ),
        pytest.param(
            one({"$ref": "#/$defs/n"})
            | {"$defs": {"n": {"properties": {"next": {"$ref": "#/$defs/n", "description": "Next."}}}}},
            one({"$ref": "#/$defs/n"})
            | {"$defs": {"n": {"properties": {"next": {"description": "Next.", "anyOf": [{"$ref": "#/$defs/n"}]}}}}},
            0,
            id="a recursion keeps the words beside it",
        ),
        pytest.param(
            one({"allOf": [{"$ref": "#/$defs/a"}, {"properties": {"b": {"type": "string"}}}]})
            | {"$defs": {"a": {"type": "object", "properties": {"a": {"type": "string"}}}}},
            one({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}),
            0,
            id="what extends a definition is told as one object",
        ),
        pytest.param(
            {
                "type": "object",
                "properties": {"amount": {"type": "number"}},
                "required": ["amount"],
                "oneOf": [
                    {"properties": {"by": {"const": "card"}, "card": {"type": "string"}}, "required": ["by", "card"]},
                    {"properties": {"by": {"const": "iban"}, "iban": {"type": "string"}}, "required": ["by", "iban"]},
                ],
            },
            {
                "type": "object",
                "properties": {
                    "amount": {"type": "number"},
                    "by": {"enum": ["card", "iban"]},
                    "card": {"type": "string"},
                    "iban": {"type": "string"},
                },
                "required": ["amount", "by"],
            },
            2,
            id="what only branches at the top name can still be given",
        ),
        pytest.param(
            one({"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/properties/x/$defs/a"}], "$defs": {"a": {"const": 1}}})
            | {"$defs": {"a": {"const": 2}}},
            one({"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a_"}]})
            | {"$defs": {"a": {"const": 2}, "a_": {"const": 1}}},
            0,
            id="two definitions of one name stay two",
        ),
        pytest.param(
            one({"anyOf": [{"type": "string"}, False]}),
            one({"anyOf": [{"type": "string"}]}),
            0,
            id="a branch that nothing fits is no branch",
        ),
        pytest.param(one(True), one({}), 0, id="anything goes"),
        pytest.param(one(False), {"type": "object", "properties": {}}, 1, id="nothing goes"),
        pytest.param(
            one({"oneOf": [{"type": "string"}, {"type": "integer"}], "not": {"const": ""}}),
            one({"oneOf": [{"type": "string"}, {"type": "integer"}], "not": {"const": ""}}),
            0,
            id="the rest is tolerated",
        ),
        pytest.param(
            {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"},
            {"type": "object"},
            1,
            id="the dialect's name",
        ),
    ],
)
def test_what_chat_cannot_say_is_lowered_and_noted(schema: dict[str, Any], lowered: dict[str, Any], notes: int):
    """Wire-formats §6.1: almost everything is tolerated; what is not goes, with a note each."""
    assert openai.declare(tool(schema))["function"]["parameters"] == lowered
    assert len(openai.lowerings(tool(schema))) == notes


def test_a_property_may_be_called_like_a_keyword():
    """Names of properties are data: `$ref` and `x-axis` are kept where they name an argument."""
    schema = {"type": "object", "properties": {"$ref": {"type": "string"}, "x-axis": {"type": "number"}}}
    assert openai.declare(tool(schema))["function"]["parameters"] == schema


def test_a_reference_may_point_into_a_list():
    """JSON pointers count the elements of `anyOf` and its like."""
    schema = one({"$ref": "#/$defs/a/anyOf/1", "title": "B"}) | {"$defs": {"a": {"anyOf": [{}, {"type": "string"}]}}}
    assert openai.declare(tool(schema))["function"]["parameters"]["properties"]["x"] == {"title": "B", "type": "string"}
    astray = one({"$ref": "#/$defs/a/anyOf/2", "title": "B"}) | {"$defs": {"a": {"anyOf": [{}, {"type": "string"}]}}}
    assert openai.lowerings(tool(astray)) == ("/properties/x: #/$defs/a/anyOf/2 leads nowhere and is left out",)


@pytest.mark.requirement("003-26")
@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ({"name": "a", "arguments": '{"b": 1}'}, '{"b": 1}'),
        ({"name": "a", "arguments": ""}, ""),
        ({"name": "a", "arguments": None}, ""),
        ({"name": "a"}, ""),
        ({"name": "a", "arguments": {"b": 1}}, {"b": 1}),
    ],
)
def test_a_call_keeps_its_arguments_as_the_model_wrote_them(function: dict[str, Any], arguments: object):
    """Arguments are JSON text, perhaps empty; some compatible servers send the object."""
    assert openai.parse({"id": "call_1", "type": "function", "function": function}) == ToolCall(
        "a", arguments, "call_1"
    )  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "vendor", [None, [], {}, {"function": {}}, {"function": {"name": 3}}, {"function": {"name": "a", "arguments": [1]}}]
)
def test_what_is_no_call_is_refused(vendor: object):
    """A malformed call is the model's mistake, not a crash."""
    with pytest.raises(Refused) as caught:
        openai.parse(vendor)
    assert caught.value.type is ErrorType.VALIDATION


def test_a_success_is_answered_without_intents_and_meta():
    """The model sees the data; what is for the channel and the ear stays out."""
    response = ToolResponse(
        data={"free": "ja, für Sie"}, intents=(Intent(IntentType.END_CALL),), meta={"say": "One moment."}
    )
    assert openai.render("call_1", "check", response) == {
        "role": "tool",
        "tool_call_id": "call_1",
        "content": '{"ok":true,"data":{"free":"ja, für Sie"}}',
    }


def test_a_failure_is_answered_with_its_error():
    """There is no error convention: the content says that it failed and why."""
    response = ToolResponse(failure=Failure(ErrorType.CONFLICT, "Taken.", False, False), meta={"detail": "x"})
    assert json.loads(openai.render("c", "book", response)["content"]) == {
        "ok": False,
        "error": {"type": "CONFLICT", "message": "Taken.", "retryable": False, "partialSideEffects": False},
    }
