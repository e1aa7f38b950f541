"""Vapi: what is declared, read and answered."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stand_ins.vapi.asking import SHAPES, Shape, call_in
from stand_ins.vapi.document import CREATED, problems
from switchboard.contract.call import ToolCall
from switchboard.contract.definitions.definition import DefinitionError
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.response import Failure, Intent, IntentType, ToolResponse
from switchboard.formats import FORMATS
from switchboard.formats.vapi import tools
from switchboard.formats.vapi.call_facts import CALL_FACTS, HIDDEN
from switchboard.formats.vapi.tools import Callback
from tests.each import each
from tests.formats.definitions import BOOKING, one, tool

URL = "https://a.example/api/tools/t1/execute"
# What Vapi's `JsonSchema` can say of the booking.
SAID = {
    "type": "object",
    "properties": {
        "service": {"type": "string", "description": "What to book. (not empty)"},
        "start_time": {"type": "string", "format": "date-time"},
        "duration_minutes": {"type": "integer", "description": "at least 15; at most 240; default 30"},
        "kind": {"type": "string", "enum": ["first visit", "follow-up"]},
    },
    "required": ["service", "start_time"],
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def accepted(declared: dict[str, Any]) -> bool:
    """Tell whether Vapi's own document takes a tool."""
    return problems(CREATED[declared["type"]], declared) == []


@pytest.mark.requirement("003-45")
def test_a_tool_is_declared_as_a_function_in_the_keywords_that_vapi_knows():
    """Limits that it cannot check are told in the description; the document takes what is declared."""
    declared = tools.declare(tool())
    assert declared == {
        "type": "function",
        "async": False,
        "function": {"name": "book_appointment", "description": "Book it.", "parameters": SAID},
    }
    assert accepted(declared)
    assert tools.lowerings(tool()) != ()
    assert tools.declare_all([declared]) == [declared]


@pytest.mark.requirement("002-02", "002-64", "002-79")
def test_a_mirrored_tool_is_an_api_request_that_calls_back_with_the_phone_calls_facts():
    """What the model fills stands in `body`, what Vapi fills in `parameters`, hidden."""
    declared = tools.declare_callback(tool(), Callback(URL, credential_id="cred", tool_key="key", timeout_s=25))
    assert declared == {
        "type": "apiRequest",
        "name": "book_appointment",
        "description": "Book it.",
        "method": "POST",
        "url": URL,
        "body": SAID,
        "parameters": [
            {"key": "callId", "value": "{{call.id}}"},
            {"key": "callerNumber", "value": "{{customer.number}}"},
            {"key": "calledNumber", "value": "{{phoneNumber.number}}"},
            {"key": "providerCallSid", "value": "{{transport.callSid}}"},
            {"key": "assistantId", "value": "{{assistant.id}}"},
            {"key": "toolKey", "value": "key"},
        ],
        "timeoutSeconds": 25,
        "credentialId": "cred",
    }
    assert accepted(declared)


@pytest.mark.requirement("002-02")
def test_an_asynchronous_tool_is_a_function_because_an_api_request_cannot_be():
    """It has the same hidden parameters, and its own server."""
    declared = tools.declare_callback(replace(tool(), is_async=True), Callback(URL, credential_id="cred"))
    assert (declared["type"], declared["async"]) == ("function", True)
    assert declared["server"] == {"url": URL, "timeoutSeconds": 20, "credentialId": "cred"}
    assert [row["key"] for row in declared["parameters"]] == list(CALL_FACTS)
    assert accepted(declared)


def test_without_key_and_credential_nothing_stands_for_them():
    """An empty credential id would be an unknown credential, and an empty key would be one that everybody knows."""
    for is_async in (False, True):
        declared = tools.declare_callback(replace(tool(), is_async=is_async), Callback(URL))
        assert "credentialId" not in json.dumps(declared)
        assert "toolKey" not in json.dumps(declared)


@each("name", [*sorted(HIDDEN), "filter[status]", "größe", "1st", "a.b", "x" * 65])
def test_an_argument_that_no_vendor_would_take_is_told_and_read_back_under_another_name(name: str):
    """So is one that Vapi itself fills in: it would overwrite what the model says, or the model what Vapi knows."""
    definition = tool({"type": "object", "properties": {name: {"type": "string"}}, "required": [name]})
    for declared in (tools.declare(definition), tools.declare_callback(definition, Callback(URL))):
        schema = declared.get("body") or declared["function"]["parameters"]
        [told] = schema["properties"]
        assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,63}", told) and told not in HIDDEN
        assert schema["required"] == [told]
        assert schema["properties"][told]["description"] == f'called "{name}"'
        assert accepted(declared)
    call = FORMATS["vapi"].read(call_in("text", "c1", definition.name, {told: "x"}), {definition.name: definition})
    assert call == ToolCall(definition.name, {name: "x"}, "c1")


@pytest.mark.parametrize("name", ["x" * 41, "Book", "book it", ""])
def test_a_name_that_vapi_does_not_take_is_refused(name: str):
    """At most forty characters."""
    with pytest.raises(DefinitionError):
        tools.declare_callback(replace(tool(), name=name), Callback(URL))


def test_a_description_says_the_two_variables_in_vapis_words():
    """One that Vapi does not know would be said as nothing; others are the owner's own."""
    words = "Text {{caller_phone_number}}, not {{ called_phone_number }} or {{ other }}."
    declared = tools.declare(replace(tool(), description=words))
    assert declared["function"]["description"] == (
        "Text {{customer.number}}, not {{phoneNumber.number}} or {{ other }}."
    )


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        pytest.param({}, {"type": "string"}, id="anything is told as text"),
        pytest.param({"type": ["string", "null"]}, {"type": "string"}, id="null cannot be said"),
        pytest.param({"type": ["integer", "string"]}, {"type": "string"}, id="text will do for most"),
        pytest.param({"const": "a"}, {"type": "string", "enum": ["a"]}, id="a constant is a list of one word"),
        pytest.param({"type": "array"}, {"type": "array", "items": {"type": "string"}}, id="items have a type"),
        pytest.param(
            {"oneOf": [{"const": "a"}, {"const": "b"}]}, {"type": "string", "enum": ["a", "b"]}, id="words apart"
        ),
        pytest.param(
            {"anyOf": [{"type": "object", "properties": {"a": {"type": "boolean"}}}, {"type": "integer"}]},
            {"type": "object", "properties": {"a": {"type": "boolean"}}},
            id="the first of several forms",
        ),
        pytest.param({"type": "object"}, {"type": "object"}, id="an open object"),
        pytest.param(
            {"type": "object", "properties": {"a": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
            {"type": "object", "properties": {"a": {"type": "string"}}},
            id="a choice of rules forbids nothing",
        ),
        pytest.param(
            {"type": "string", "format": "uri"}, {"type": "string", "description": "format uri"}, id="formats"
        ),
        pytest.param({"type": "string", "pattern": "^a$"}, {"type": "string", "pattern": "^a$"}, id="patterns"),
    ],
)
def test_a_value_has_exactly_one_type(schema: dict[str, Any], said: dict[str, Any]):
    """Vapi's `JsonSchema` must have one, and has ten keywords."""
    declared = tools.declare(tool(one(schema)))
    assert declared["function"]["parameters"]["properties"]["x"] == said
    assert accepted(declared)


SCHEMAS = st.recursive(
    st.sampled_from(
        [
            {},
            True,
            {"type": "string", "minLength": 2},
            {"type": ["integer", "null"]},
            {"enum": [1, "a", None]},
            {"type": "number", "format": "float", "exclusiveMinimum": 0},
            {"const": 3},
            {"type": "null"},
            {"$ref": "#/$defs/node"},
            {"type": "boolean", "default": True},
            {"type": "string", "format": "uri"},
        ]
    ),
    lambda inner: st.one_of(
        st.builds(lambda x: {"type": "array", "items": x, "uniqueItems": True}, inner),
        st.builds(lambda x: {"type": "object", "properties": {"a": x}, "required": ["a", "b"]}, inner),
        st.builds(lambda x, y: {"anyOf": [x, y], "description": "d"}, inner, inner),
        st.builds(lambda x, y: {"oneOf": [x, {"type": "null"}], "allOf": [y]}, inner, inner),
        st.builds(lambda x: {"type": "object", "additionalProperties": x, "patternProperties": {"^a": x}}, inner),
    ),
    max_leaves=6,
)
NODE = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}, "value": {"type": ["string", "integer"]}}}


@given(SCHEMAS, st.booleans())
def test_whatever_a_tools_parameters_say_vapi_takes_the_tool(schema: Any, is_async: bool):
    """Held against Vapi's own document, in which every schema is closed."""
    definition = replace(tool(one(schema) | {"$defs": {"node": NODE}}), is_async=is_async)
    for declared in (tools.declare(definition), tools.declare_callback(definition, Callback(URL, tool_key="k"))):
        assert problems(CREATED[declared["type"]], declared) == []


@pytest.mark.requirement("003-26")
@each("shape", SHAPES)
@each("inside", [False, True])
def test_a_call_is_read_in_all_four_shapes(shape: Shape, inside: bool):
    """Text or object, inside the function or beside the name; also with the tool around it."""
    vendor = call_in(shape, "call_1", "take_note", {"text": "Grüße\nB", "n": [1, {"a": None}]})
    vendor = {"type": "function", "name": "take_note", "toolCall": vendor} if inside else vendor
    assert tools.parse(vendor) == ToolCall("take_note", {"text": "Grüße\nB", "n": [1, {"a": None}]}, "call_1")


@each(
    ("vendor", "arguments"),
    [
        ({"function": {"name": "a", "arguments": ""}}, {}),
        ({"function": {"name": "a", "arguments": "  "}}, {}),
        ({"function": {"name": "a", "arguments": None}}, {}),
        ({"function": {"name": "a"}}, {}),
        ({"name": "a"}, {}),
        ({"function": {"name": "a", "parameters": {"b": 1}}}, {"b": 1}),
        ({"function": {"name": "a", "parameters": '{"b": 1}'}}, {"b": 1}),
        ({"name": "a", "arguments": '{"b": 1}'}, {"b": 1}),
        ({"function": {"name": "a"}, "arguments": {"b": 1}}, {"b": 1}),
        ({"function": {"name": "a", "arguments": {"b": 1}}, "parameters": {"b": 2}}, {"b": 1}),
        ({"name": "a", "arguments": {}, "parameters": {"b": 2}}, {}),
    ],
)
def test_the_first_place_that_holds_arguments_counts(vendor: dict[str, Any], arguments: dict[str, Any]):
    """In Vapi's order; empty text is no arguments."""
    assert tools.parse({"id": "c", **vendor}) == ToolCall("a", arguments, "c")


def test_what_vapi_merged_into_the_arguments_is_not_the_models():
    """The handler never sees it, and a model that writes it says nothing."""
    merged = {"text": "x", "callerNumber": "+15185550171", "toolKey": "k", "callId": "c"}
    call, facts = tools.parse_with_facts(call_in("object", "1", "take_note", merged))
    assert call.arguments == {"text": "x"}
    assert (facts.caller_number, facts.tool_key, facts.call_id) == ("+15185550171", "k", "c")
    assert "'k'" not in repr(facts)


@each(
    "vendor",
    [None, [], "x", {}, {"toolCall": None}, {"function": {}}, {"function": {"name": 3}}, {"name": ""}]
    + [{"name": "a", "arguments": wrong} for wrong in ([1], 3, True, "[1]", "null", "{", '"x"', "[" * 100_000)],
)
def test_what_is_no_call_is_refused(vendor: object):
    """A malformed call is the model's mistake, not a crash."""
    with pytest.raises(Refused) as caught:
        tools.parse(vendor)
    assert caught.value.type is ErrorType.VALIDATION


@pytest.mark.requirement("002-84")
def test_a_success_is_a_result_and_a_failure_an_error_each_on_one_line():
    """What is for the channel and the ear stays out."""
    good = ToolResponse(data={"a": "für\nSie"}, intents=(Intent(IntentType.END_CALL),), meta={"say": "x"})
    bad = ToolResponse(failure=Failure(ErrorType.CONFLICT, "Taken.", False, False), meta={"detail": "x"})
    assert tools.render("1", "check", good) == {
        "toolCallId": "1",
        "name": "check",
        "result": '{"a":"für\\nSie"}',
    }
    rendered = tools.render("2", "book", bad)
    assert json.loads(rendered.pop("error")) == {
        "type": "CONFLICT",
        "message": "Taken.",
        "retryable": False,
        "partialSideEffects": False,
    }
    assert rendered == {"toolCallId": "2", "name": "book"}


@pytest.mark.requirement("002-84")
@given(st.lists(st.tuples(st.sampled_from(["1", "2", "3"]), st.booleans(), JSON), max_size=5))
def test_an_answer_is_what_vapis_document_asks_for(rows: list[tuple[str, bool, Any]]):
    """Each id exactly once, every text on one line, and the line says what was said."""
    rendered = []
    for id, ok, value in rows:
        failure = Failure(ErrorType.INTERNAL, json.dumps(value), False, True)
        response = ToolResponse(data={"value": value}) if ok else ToolResponse(failure=failure)
        rendered.append(tools.render(id, "take_note", response))
    body = tools.render_all(rendered)
    assert problems("ServerMessageResponseToolCalls", body) == []
    assert [row["toolCallId"] for row in body["results"]] == list(dict.fromkeys(id for id, _, _ in rows))
    json.dumps(body, ensure_ascii=False).encode()
    first = {id: (ok, value) for id, ok, value in reversed(rows)}
    for row in body["results"]:
        ok, value = first[row["toolCallId"]]
        text = row["result" if ok else "error"]
        assert len(text.splitlines()) == 1
        if ok:
            assert json.loads(text) == {"value": value}


def test_a_text_that_no_encoder_takes_is_still_answered():
    """Half a character may come back from what a model wrote."""
    rendered = tools.render("1", "a", ToolResponse(data={"echo": "a\ud800\u2028b"}))
    assert rendered["result"] == '{"echo":"a?\\u2028b"}'


def test_an_api_request_is_answered_with_the_bare_envelope():
    """Vapi gives the model whatever JSON comes."""
    assert tools.render_request(ToolResponse(data={"a": 1}, meta={"x": 1})) == {"ok": True, "data": {"a": 1}}


def test_declaring_leaves_the_definition_as_it_was():
    """The canonical schema is shared by every dialect."""
    before = json.dumps(BOOKING)
    tools.declare_callback(tool(), Callback(URL))
    assert json.dumps(BOOKING) == before
