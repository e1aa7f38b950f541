"""Whom tools reach and what with is for owners: an editor turns no secret to elsewhere and has nobody else rung."""

from copy import deepcopy
from typing import Any

import pytest

from switchboard.admin.access.access import OwnerIdentity, Permit
from switchboard.admin.access.field_rights import TOOL
from switchboard.admin.access.refusal import Forbidden
from switchboard.admin.access.roles import Operation, Role
from switchboard.admin.tenant_tools.creation import Again
from switchboard.admin.tenant_tools.store import TOOL as TOOL_KIND
from tests.admin.owners_office import OWN
from tests.admin.tool_house import LOOKUP, ToolHouse

CARRIES: dict[str, Any] = {
    "type": "api_request",
    "label": "Orders",
    "description": "Looks up an order.",
    "request": {
        "method": "POST",
        "url": "https://orders.example.com/orders/{{order}}",
        "headers": {"X-Key": {"secret": "orders_key"}},
        "body": {"order": "{{order}}", "shop": "{{shop}}"},
    },
    "params": {
        "order": {"mode": "ai", "prompt": "The order's number"},
        "shop": {"mode": "fixed", "value": "main"},
    },
}
RINGS: dict[str, Any] = {
    "type": "transfer_call",
    "label": "Ring me",
    "destination": {"type": "number", "number": "+15185550143", "message": "One moment."},
}
TEXTS: dict[str, Any] = {"type": "sms", "label": "Text me", "text": "copy", "recipients": ["+15185550143"]}
TEXTS_CALLER: dict[str, Any] = {**TEXTS, "label": "Text them", "recipients": ["{{caller_phone_number}}"]}
RUNS: dict[str, Any] = {
    "type": "pipedream_action",
    "label": "Mail it",
    "pipedreamMetadata": {"app": "gmail", "accountId": "apn_1", "actionKey": "gmail-send-email"},
    "params": {"to": {"mode": "fixed", "value": "us@example.com"}, "body": {"mode": "ai", "prompt": "What to say"}},
}
ASKS: dict[str, Any] = {
    "type": "mcp_tool",
    "label": "Search",
    "server": {"name": "Theirs", "url": "https://mcp.example.com/mcp", "headers": {"X-A": "1"}},
    "tool": "search",
    "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}},
}
# A field, the tool, and what it is changed to.
TURNED: list[tuple[str, dict[str, Any], Any]] = [
    ("request.url", CARRIES, "https://evil.example/{{order}}"),
    ("request.method", CARRIES, "PUT"),
    ("request.headers", CARRIES, {"X-Key": {"secret": "another"}}),
    ("request.headers", CARRIES, {"X-Key": "Bearer {{secret.orders_key}}"}),
    ("request.body", CARRIES, {"all": "{{order}} {{shop}}"}),
    ("params.shop", CARRIES, {"mode": "fixed", "value": "another"}),
    ("params.order", CARRIES, {"mode": "fixed", "value": "../keys"}),
    ("destination.number", RINGS, "+15185559999"),
    ("recipients", TEXTS, ["+15185559999"]),
    ("recipients", TEXTS_CALLER, ["{{caller_phone_number}}", "+15185559999"]),
    ("recipients", TEXTS_CALLER, {"mode": "fixed", "value": "+15185559999"}),
    ("recipients", TEXTS_CALLER, {"mode": "ai", "prompt": "Whom to text"}),
    ("textAnyone", TEXTS_CALLER, True),
    ("from", TEXTS_CALLER, {"type": "specific_number", "phone_number_id": "pn1"}),
    ("from", TEXTS_CALLER, {"phoneNumberId": "pn1"}),
    ("pipedreamMetadata.accountId", RUNS, "apn_2"),
    ("pipedreamMetadata.app", RUNS, "slack"),
    ("pipedreamMetadata.actionKey", RUNS, "gmail-delete-email"),
    ("pipedreamMetadata.version", RUNS, "2.0.0"),
    ("params.to", RUNS, {"mode": "fixed", "value": "me@evil.example"}),
    ("params.to", RUNS, {"mode": "ai", "schema": {"type": "string", "default": "me@evil.example"}, "required": False}),
    ("server.url", ASKS, "https://evil.example/mcp"),
    ("server.headers", ASKS, {"X-A": "2"}),
    ("tool", ASKS, "delete"),
    ("inputSchema", ASKS, {"type": "object", "properties": {"caller": {"type": "string"}}}),
]
# What an editor may go on writing, however it is written.
WORDS: list[tuple[str, dict[str, Any], Any]] = [
    ("label", CARRIES, "Find an order"),
    ("description", CARRIES, "Finds an order by its number."),
    ("enabled", CARRIES, False),
    ("request.response", CARRIES, {"pick": {"state": "order.state"}}),
    ("request.idempotent", CARRIES, True),
    ("params.order", CARRIES, {"mode": "ai", "prompt": "The number on the receipt"}),
    ("request", CARRIES, {**CARRIES["request"], "method": "post", "idempotent": None}),
    ("request.url", LOOKUP, "https://other.example.com/orders/{{order}}"),
    ("destination.message", RINGS, "I am putting you through."),
    ("destination", RINGS, {"number": "+1 518 555-0143"}),
    ("destination", RINGS, {"type": "rule", "id": "front-desk"}),
    ("text", TEXTS, "another copy"),
    ("from", TEXTS, {"type": "called_number"}),
    ("recipients", TEXTS, ["{{caller_phone_number}}"]),
    ("text", TEXTS_CALLER, "Hello"),
    ("params.body", RUNS, {"mode": "ai", "prompt": "The news"}),
    ("pipedreamMetadata.appName", RUNS, "Gmail"),
    ("server.name", ASKS, "Ours"),
    ("annotations", ASKS, {"readOnlyHint": True}),
]


def named(row: tuple[str, dict[str, Any], Any]) -> str:
    """Return what a row is called."""
    return f"{row[1]['type']}:{row[0]}"


def changed(config: dict[str, Any], field: str, value: Any) -> dict[str, Any]:
    """Return a configuration in which a field is something else."""
    turned = deepcopy(config)
    top, _, inner = field.partition(".")
    if inner:
        turned.setdefault(top, {})[inner] = value
    else:
        turned[top] = value
    return turned


def test_the_rows_hold_every_field_that_needs_more():
    """So that none is only said to be decided."""
    turned = {field if not field.startswith("from") else field[:4] for field, _, _ in TURNED}
    beyond = {field for field, right in TOOL.items() if right is not Operation.EDIT_TOOLS}
    assert {field if not field.startswith("from.") else "from" for field in beyond} <= turned


@pytest.mark.requirement("004-980", "004-981")
@pytest.mark.parametrize(("field", "config", "value"), TURNED, ids=map(named, TURNED))
async def test_an_editor_turns_nothing_to_elsewhere(house: ToolHouse, field: str, config: dict[str, Any], value: Any):
    """Neither by a change, nor by replacing it, nor by making such a tool; the owner may, and nothing is half done."""
    tool, turned = await house.make(config), changed(config, field, value)
    before = await house.stored()
    for method, path, body in (
        ("PUT", f"tools/{tool['id']}", turned),
        ("PATCH", f"tools/{tool['id']}", {name: turned[name] for name in turned if turned[name] != config.get(name)}),
        ("POST", "tools", {**turned, "label": "One more"}),
    ):
        error = await house.refused(method, path, body, 403, by="editor")
        assert "Your role does not allow changing" in error["message"]
    assert await house.stored() == before
    await house.done("PUT", f"tools/{tool['id']}", turned)


@pytest.mark.requirement("004-980")
@pytest.mark.parametrize(("field", "config", "value"), WORDS, ids=map(named, WORDS))
async def test_an_editor_goes_on_writing_the_words(house: ToolHouse, field: str, config: dict[str, Any], value: Any):
    """Of the same tools, and whom they reach may be written in another way, or be taken out."""
    tool = await house.make(config)
    await house.done("PUT", f"tools/{tool['id']}", changed(config, field, value), by="editor")


@pytest.mark.requirement("004-980")
@pytest.mark.parametrize("config", [CARRIES, RINGS, TEXTS, RUNS, ASKS], ids=lambda config: str(config["type"]))
async def test_an_editor_makes_no_such_tool_and_may_delete_one(house: ToolHouse, config: dict[str, Any]):
    """What reaches nobody any more needs nobody's leave."""
    await house.refused("POST", "tools", config, 403, by="editor")
    assert await house.stored() == {}
    tool = await house.make(config)
    await house.done("DELETE", f"tools/{tool['id']}", by="editor")


async def test_a_number_that_lies_beside_a_rule_is_not_rung_by_an_editor(house: ToolHouse):
    """Naming the other type would ring it."""
    to_rule = {"type": "rule", "id": "front-desk", "number": "+15185559999"}
    tool = await house.make({**RINGS, "destination": to_rule})
    await house.refused(
        "PATCH", f"tools/{tool['id']}", {"destination": {**to_rule, "type": "number"}}, 403, by="editor"
    )


@pytest.mark.requirement("004-980")
@pytest.mark.parametrize("config", [CARRIES, RINGS, TEXTS], ids=lambda config: str(config["type"]))
async def test_undoing_gives_an_editor_no_more_than_doing(house: ToolHouse, config: dict[str, Any]):
    """Neither is such a tool brought back, nor put back to where it led; the audit tells so before."""
    tools, editor = house.room.tools, Permit(OwnerIdentity("user:editor", "editor"), OWN, Role.EDITOR)
    with pytest.raises(Forbidden):
        await tools.bring_back(editor, config, Again("an-id", "an-entry"))
    tool = await house.make(LOOKUP)
    with pytest.raises(Forbidden):
        await tools.edit(editor, tool["id"], lambda _: config, undoes="an-entry")
    led = {"configMetadata": config}
    assert TOOL_KIND.needs({}, led).keys() <= {Operation.CONNECT, Operation.EDIT_SAFEGUARDS}
    assert TOOL_KIND.needs({}, led)
    assert not TOOL_KIND.needs(led, {})
