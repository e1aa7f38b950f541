"""What an owner's document may say of a connected server's tool, and what a call of it comes to."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.catalog.definitions.variables import PhoneNumbers
from switchboard.catalog.tenant_tools.binding import bind
from switchboard.catalog.tenant_tools.config import DefinitionErrors, build, read_config
from switchboard.contract.definitions.tenant_tool import BoundMcpCall, SecretText
from tests.each import each

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"q": {"$ref": "#/$defs/text"}, "space": {"type": "string"}},
    "required": ["q", "space"],
    "$defs": {"text": {"type": "string"}},
}
DOCUMENT: dict[str, Any] = {
    "type": "mcp_tool",
    "label": "Find",
    "server": {
        "name": "crm",
        "url": "https://mcp.example.com/mcp",
        "headers": {"Authorization": {"secret": "key", "prefix": "Bearer "}, "X-Team": "front"},
    },
    "tool": "find/All",
    "inputSchema": SCHEMA,
    "annotations": {"readOnlyHint": True},
}
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.sampled_from(["object", "https://a.b", "{{x}}"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "properties", "url", "headers", "secret", "mode", "x-from"]), inner)
    ),
    max_leaves=12,
)


def test_a_call_comes_to_the_tool_under_its_own_name_with_the_owners_values_in_place():
    """Secrets stay references; fixed values are filled, and never shown."""
    params = {"space": {"mode": "fixed", "value": "of {{caller_phone_number}}"}}
    config = read_config(DOCUMENT | {"params": params})
    function, static = build(config)
    assert function["parameters"]["properties"].keys() == {"q"}
    assert function["parameters"]["required"] == ["q"]
    assert static["tool"] == "find/All"
    assert bind(config, {"q": "Ana"}, PhoneNumbers("+12015550123", proven_phone="+12015550123")) == BoundMcpCall(
        "https://mcp.example.com/mcp",
        {"Authorization": SecretText("Bearer ", "key"), "X-Team": "front"},
        "find/All",
        {"q": "Ana", "space": "of +12015550123"},
        is_reading=True,
    )


@each(
    ("changes", "field"),
    [
        ({"tool": ""}, "tool"),
        ({"tool": "x" * 129}, "tool"),
        ({"inputSchema": None}, "inputSchema"),
        ({"inputSchema": {"type": "array"}}, "inputSchema.type"),
        ({"inputSchema": {"type": "object", "properties": {"a": {"x-secret": True}}}}, "inputSchema.properties.a"),
        ({"inputSchema": {"type": "object", "description": "{{caller_phone_number}}"}}, "inputSchema"),
        ({"inputSchema": {"type": "object", "properties": {"a": {"enum": [[[1]]]}}}}, "inputSchema"),
        ({"annotations": {"readOnlyHint": "yes"}}, "annotations.readOnlyHint"),
        ({"annotations": {"trusted": True}}, "annotations.trusted"),
        ({"params": {"q": {"mode": "ai", "prompt": "x"}}}, "params.q"),
        ({"params": {"other": {"mode": "fixed", "value": 1}}}, "params.other"),
        ({"server": {"url": "https://a.example/", "headers": {"a b": "x"}}}, "server.headers.a b"),
        ({"server": {"url": "https://a.example/", "headers": {"a": 7}}}, "server.headers.a"),
        ({"server": {"url": "https://a.example/", "headers": {f"h{n}": "x" for n in range(30)}}}, "server.headers"),
    ],
)
def test_what_cannot_be_used_is_named(changes: dict[str, Any], field: str):
    """By its place in the owner's document."""
    with pytest.raises(DefinitionErrors) as caught:
        read_config(DOCUMENT | changes)
    assert field in [error.field for error in caught.value.errors]


@given(st.dictionaries(st.sampled_from(["server", "tool", "inputSchema", "annotations", "params"]), JSON))
def test_any_document_is_read_or_ends_in_problems(parts: dict[str, Any]):
    """Owners' documents come from the internet."""
    try:
        config = read_config(DOCUMENT | parts)
    except DefinitionErrors as errors:
        assert errors.errors
    else:
        assert build(config)[0]["parameters"]["type"] == "object"
