"""A tool that was made over the API, in any way it can be written there, changes only where its owner changes it."""

from typing import Any

import pytest

from switchboard.catalog.definitions.variables import PhoneNumbers
from switchboard.catalog.tenant_tools.binding import bind
from switchboard.catalog.tenant_tools.config import read_config
from tests.admin_ui.conftest import press
from tests.admin_ui.premises import LiveServer
from tests.admin_ui.tool_building import errors, fill, made, open_tool, own, without_own_tools

NUMBERS = PhoneNumbers("+15185550161", "+15185550100", proven_phone="+15185550169")
ABOUT = "Tells where an order is. Use it when a caller asks about an order."
URL = "https://orders.example.com/orders"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
ORDER = {"mode": "ai", "prompt": "The order's number"}
CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "as docs/tools.md writes it": (
        {
            "request": {"method": "GET", "url": URL + "/{{order}}", "headers": {"X-Key": {"secret": "orders"}}},
            "params": {"order": {"mode": "ai", "type": "string", "description": "Its number.", "required": True}},
        },
        {"order": "K-1"},
    ),
    "bounds beside the mode": (
        {
            "request": {"url": URL},
            "params": {"count": {"mode": "ai", "type": "integer", "min": 1, "max": 9, "prompt": "How many"}},
        },
        {"count": 3},
    ),
    "a default beside the mode": (
        {"request": {"url": URL}, "params": {"kind": {"mode": "ai", "enum": ["a", "b"], "default": "a"}}},
        {},
    ),
    "an object with required fields": (
        {
            "request": {"method": "POST", "url": URL},
            "params": {
                "person": {
                    "mode": "ai",
                    "type": "object",
                    "properties": {"name": {"type": "string"}},
                    "required": ["name"],
                }
            },
        },
        {"person": {"name": "Anna"}},
    ),
    "a list that nobody adds to": (
        {
            "request": {"url": URL},
            "params": {"ids": {"mode": "array_extendable", "fixedValues": ["{{caller_phone_number}}", "7"]}},
        },
        {},
    ),
    "an address that is a parameter": (
        {"params": {"url": {"mode": "fixed", "value": URL + "?phone={{caller_phone_number}}"}}},
        {},
    ),
    "a number by which nothing is selected": (
        {"request": {"url": URL + "?phone={{caller_phone_number}}"}, "callerNumber": "contact"},
        {},
    ),
    "a method that is a parameter": (
        {"params": {"url": {"mode": "fixed", "value": URL}, "method": {"mode": "fixed", "value": "PUT"}}},
        {},
    ),
    "a deletion with a body": (
        {"request": {"method": "DELETE", "url": URL, "body": {"order": "{{order}}"}}, "params": {"order": ORDER}},
        {"order": "K-1"},
    ),
    "a form": (
        {
            "request": {"method": "POST", "url": URL, "headers": FORM, "body": {"order": "{{order}}", "of": "us"}},
            "params": {"order": ORDER},
        },
        {"order": "K & 1"},
    ),
    "a body and no method": ({"request": {"url": URL, "body": {"of": "us"}}}, {}),
    "a text whose words and recipients are parameters": (
        {
            "type": "sms",
            "params": {
                "message": {"mode": "ai", "prompt": "The message"},
                "recipients": {
                    "mode": "array_extendable",
                    "fixedValues": ["+15185550143"],
                    "aiExtension": {"enabled": True, "prompt": "More numbers"},
                },
            },
        },
        {"message": "Hello", "recipients": ["+15185550144"]},
    ),
    "a text that is written plainly": (
        {"type": "sms", "text": "From {{called_phone_number}}", "recipients": "{{caller_phone_number}}"},
        {},
    ),
}


@pytest.fixture
def salon(salon: LiveServer) -> LiveServer:
    """The salon without own tools."""
    return without_own_tools(salon)


@pytest.mark.requirement("002-96")
@pytest.mark.parametrize("case", CASES)
def test_a_tool_does_the_same_after_its_label_was_changed(opened, salon, case: str):
    """A model sees the same of it, and the same call comes of the same arguments."""
    config, values = CASES[case]
    before = made(salon, **{"type": "api_request", "label": "Order", "description": ABOUT} | config)
    app = open_tool(opened("own_tools"), before)
    fill(app, "text_input", "What you call it", "The order")
    press(app, "Save")
    assert errors(app) == []
    (after,) = own(salon)
    assert (after["label"], after["revision"]) == ("The order", 2)
    assert after["functionSchema"] == before["functionSchema"]
    calls = [bind(read_config(tool["configMetadata"]), values, NUMBERS) for tool in (before, after)]
    assert calls[0] == calls[1]
