"""What the document says of a tool's configuration is what is taken of one, type by type."""

from typing import Any

import jsonschema_rs
import pytest
from pydantic import TypeAdapter

from switchboard.admin.access.refusal import NotValid
from switchboard.admin.tenant_tools.config_models import AnyToolBody, AnyToolReplacement, ToolParts
from switchboard.admin.tenant_tools.form import read_form
from switchboard.contract.json import JsonObject

CALLER = "{{caller_phone_number}}"
SMS: dict[str, Any] = {"type": "sms", "label": "Text", "text": "Hello", "recipients": [CALLER]}
REQUEST: dict[str, Any] = {"type": "api_request", "label": "Order", "request": {"url": "https://orders.example.com/1"}}
TRANSFER: dict[str, Any] = {"type": "transfer_call", "label": "Rob", "destination": {"number": "+1 201 555 0123"}}
QUERY: dict[str, Any] = {"type": "query", "label": "Look up"}
IN_HOMES: dict[str, Any] = {"type": "collection", "collection": "homes"}
ACTION: dict[str, Any] = {
    "type": "pipedream_action",
    "label": "Mail",
    "pipedreamMetadata": {"app": "gmail", "accountId": "apn_1", "actionKey": "gmail-send-email"},
}
MCP: dict[str, Any] = {
    "type": "mcp_tool",
    "label": "Search",
    "server": {"url": "https://mcp.example.com/mcp"},
    "tool": "search",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
}
ASKED = {"mode": "ai", "prompt": "What to say"}
LISTED = {"mode": "array_extendable", "fixedValues": ["+12015550123"], "aiExtension": {"enabled": True}}


def asking(parameter: Any) -> JsonObject:
    """Return a request that sends one parameter."""
    return {**REQUEST, "params": {"given": parameter}}


def filtered(row: Any) -> JsonObject:
    """Return a look-up in a collection with one condition."""
    return {**QUERY, "knowledge": {**IN_HOMES, "filters": [row]}}


TAKEN: list[JsonObject] = [
    *(SMS, REQUEST, TRANSFER, QUERY, ACTION, MCP),
    {**REQUEST, "type": "apiRequest"},
    {**TRANSFER, "type": "transferCall"},
    {**ACTION, "type": "externalApp"},
    {**ACTION, "type": "pipedreamAction"},
    {**REQUEST, **dict.fromkeys(("name", "description", "async", "executeOnCallStart", "attachToAgent", "params"))},
    {**REQUEST, **dict.fromkeys(("callerNumber", "deed", "repeat"), ""), "timeoutMs": None},
    {**REQUEST, "callerNumber": "proven", "deed": "ordered", "repeat": "session", "timeoutMs": 100, "enabled": False},
    {**SMS, "text": ASKED, "recipients": LISTED},
    {**SMS, "text": None, "recipients": CALLER, "params": {"text": ASKED}},
    {**SMS, "from": {"type": "specific_number", "phone_number_id": "+12015550123"}},
    {**SMS, "from": {"phoneNumberId": "+12015550123"}},
    {**SMS, "textAnyone": True},
    {**SMS, "textAnyone": None},
    {**REQUEST, "request": {"method": "post", **REQUEST["request"], "body": [1, None], "idempotent": None}},
    {**REQUEST, "request": {**REQUEST["request"], "headers": {"X-Key": {"secret": "crm", "prefix": "Bearer "}}}},
    {**REQUEST, "request": {**REQUEST["request"], "response": {"pick": {"a": "b.c"}, "from": None, "text": "{{a}}"}}},
    {**REQUEST, "request": {**REQUEST["request"], "response": {"done": {"at": "a.b", "is": "placed"}}}},
    {**REQUEST, "request": {**REQUEST["request"], "response": {"done": {"at": "a.b", "is": ["placed", True, 1]}}}},
    {**TRANSFER, "destination": {"type": "rule", "id": "rob", "label": None, "message": "One moment."}},
    {**TRANSFER, "destination": {"type": "", "agentId": "echo"}},
    {**QUERY, "knowledge": {"type": None, "limit": 20, "filters": None}},
    {**QUERY, "knowledge": {**IN_HOMES, "fields": ["town", "price"]}},
    filtered({"field": "town", "value": None}),
    {**filtered({"field": "town", "op": "in", "param": "towns"}), "params": {"towns": ASKED}},
    {**ACTION, "pipedreamMetadata": {**ACTION["pipedreamMetadata"], "appName": "Gmail", "version": "0.1.2"}},
    {**MCP, "annotations": {"readOnlyHint": True}, "outputSchema": {}, "offered": {}},
    asking({"mode": "fixed", "value": None}),
    asking({"mode": "ai", "type": "string", "maxLength": 3, "required": False}),
    asking({"mode": "ai", "schema": {"type": "datetime"}, "prompt": None}),
    asking({"mode": "ai", "type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
    asking({"mode": "ai", "schema": {"type": "integer"}, "min": 1, "max": 9}),
    asking(LISTED),
]
REFUSED: list[tuple[str, JsonObject]] = [
    ("type", {**SMS, "type": "fax"}),
    ("type", {"label": "Text"}),
    ("label", {"type": "query"}),
    ("label", {**QUERY, "label": ""}),
    ("label", {**QUERY, "label": "two\nlines"}),
    ("label", {**QUERY, "label": None}),
    ("name", {**QUERY, "name": 7}),
    ("description", {**QUERY, "description": "x" * 1_025}),
    ("async", {**REQUEST, "async": "yes"}),
    ("enabled", {**REQUEST, "enabled": None}),
    ("callerNumber", {**REQUEST, "callerNumber": "shown"}),
    ("deed", {**REQUEST, "deed": "unnamed"}),
    ("repeat", {**REQUEST, "repeat": "daily"}),
    ("timeoutMs", {**REQUEST, "timeoutMs": 99}),
    ("timeoutMs", {**REQUEST, "timeoutMs": True}),
    ("params", {**REQUEST, "params": []}),
    ("params", asking({"mode": "guessed"})),
    ("params", asking({})),
    ("params", asking("text")),
    ("params", asking({"mode": "fixed"})),
    ("params", asking({"mode": "ai", "prompt": 7})),
    ("params", asking({"mode": "ai", "schema": []})),
    ("params", asking({"mode": "ai", "required": "yes"})),
    ("params", asking({"mode": "ai", "schema": {"type": "integer"}, "min": None})),
    ("params", asking({"mode": "array_extendable", "fixedValues": None})),
    ("params", asking({"mode": "array_extendable", "fixedValues": ["a"], "aiExtension": {"enabled": 1}})),
    ("from", {**SMS, "from": None}),
    ("from", {**SMS, "from": {"type": "anybody"}}),
    ("from", {**SMS, "from": {"number": "+12015550123"}}),
    ("text", {**SMS, "text": 7}),
    ("text", {**SMS, "text": "x" * 1_601}),
    ("text", {**SMS, "text": {"mode": "guessed"}}),
    ("recipients", {**SMS, "recipients": []}),
    ("recipients", {**SMS, "recipients": [7]}),
    ("textAnyone", {**SMS, "textAnyone": "yes"}),
    ("request", {**REQUEST, "request": None}),
    ("request", {**REQUEST, "request": {"adress": "https://orders.example.com"}}),
    ("request", {**REQUEST, "request": {**REQUEST["request"], "headers": {"X-Key": 7}}}),
    ("request", {**REQUEST, "request": {**REQUEST["request"], "headers": {"X-Key": {"prefix": "Bearer "}}}}),
    ("request", {**REQUEST, "request": {**REQUEST["request"], "response": {"pick": {"a": ""}}}}),
    ("request", {**REQUEST, "request": {**REQUEST["request"], "response": {"done": {"at": "a.b"}}}}),
    ("request", {**REQUEST, "request": {**REQUEST["request"], "response": {"done": {"at": "a.b", "is": [None]}}}}),
    ("request", {**REQUEST, "request": {**REQUEST["request"], "idempotent": "yes"}}),
    ("destination", {"type": "transfer_call", "label": "Rob"}),
    ("destination", {**TRANSFER, "destination": {"type": "moon", "number": "+12015550123"}}),
    ("destination", {**TRANSFER, "destination": {"number": "+12015550123", "person": "rob"}}),
    ("knowledge", {**QUERY, "knowledge": None}),
    ("knowledge", {**QUERY, "knowledge": {"type": "internet"}}),
    ("knowledge", {**QUERY, "knowledge": {"limit": None}}),
    ("knowledge", {**QUERY, "knowledge": {**IN_HOMES, "fields": [7]}}),
    ("knowledge", filtered({"field": "town", "op": "like", "value": 1})),
    ("knowledge", filtered({"value": 1})),
    ("knowledge", {**filtered({"field": "town", "param": None}), "params": {"None": ASKED}}),
    ("knowledge", filtered("town")),
    ("pipedreamMetadata", {"type": "pipedream_action", "label": "Mail"}),
    ("pipedreamMetadata", {**ACTION, "pipedreamMetadata": {"app": "gmail", "accountId": "apn_1"}}),
    ("server", {**MCP, "server": {}}),
    ("server", {**MCP, "server": {"url": "https://mcp.example.com/mcp", "token": "x"}}),
    ("knowledge", {**QUERY, "knowledge": {"fields": {}}}),
    ("request", {**REQUEST, "request": {**REQUEST["request"], "headers": {"X": {"secret": "crm", "prefix": 7}}}}),
    ("tool", {**MCP, "tool": ""}),
    ("inputSchema", {**MCP, "inputSchema": None}),
    ("annotations", {**MCP, "annotations": {"readOnlyHint": "yes"}}),
    ("lable", {**QUERY, "lable": "Look up"}),
    ("revision", {**QUERY, "revision": 1}),
]

SCHEMAS = [
    jsonschema_rs.Draft202012Validator(TypeAdapter(type).json_schema())
    for type in (AnyToolBody, AnyToolReplacement, ToolParts)
]


@pytest.mark.parametrize("config", TAKEN)
def test_what_is_taken_is_described(config: JsonObject):
    """As a tool that is made, as one that replaces another, and as the parts of one."""
    read_form(config)
    for schema in SCHEMAS:
        assert [error.message for error in schema.iter_errors(config)] == []


@pytest.mark.parametrize(("field", "config"), REFUSED)
def test_what_is_not_as_described_is_refused(field: str, config: JsonObject):
    """At the part where the document says otherwise."""
    with pytest.raises(NotValid) as refused:
        read_form(config)
    assert field in {p.field.partition(".")[0].partition("[")[0] for p in refused.value.problems}
    assert not SCHEMAS[0].is_valid(config)


@pytest.mark.parametrize("part", [{"request": [None]}, {"inputSchema": "x"}, {"server": {}}, {"tool": 7}])
def test_what_belongs_to_another_type_is_as_described_or_was_there_before(part: JsonObject):
    """It is left alone, so that a tool can change its type; rubbish is not stored as a part of it."""
    assert read_form(SMS | {"request": REQUEST["request"]}).template == "sms"
    with pytest.raises(NotValid):
        read_form(SMS | part)
    assert read_form(SMS | part, SMS | part).template == "sms"
