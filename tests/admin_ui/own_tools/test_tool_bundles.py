"""Tools of one business taken to another: what would happen is told first, and nobody's tool is overwritten."""

import json
from typing import Any

import pytest

from tests.admin.whole_house import SMS
from tests.admin_ui.conftest import field, labels, part, press, said
from tests.admin_ui.premises import SALON, LiveServer, token
from tests.admin_ui.tool_building import errors, made, own, server, without_own_tools

NAME = "text_the_address"
CRM = {
    "type": "api_request",
    "label": "Find a customer",
    "request": {"url": "https://api.example.com/c", "headers": {"X-Key": {"secret": "crm_key"}}},
}


@pytest.fixture
def salon(salon: LiveServer) -> LiveServer:
    """The salon without own tools."""
    salon.empty(SALON, "agents")
    return without_own_tools(salon)


def bundle(live: LiveServer, *configs: dict[str, Any]) -> dict[str, Any]:
    """Return the bundle of some tools, which are gone again."""
    for config in configs:
        made(live, **config)
    found: dict[str, Any] = server(live).get(f"/admin/businesses/{SALON}/tools/export", {"as": "bundle"}).body
    live.empty(SALON, "tools", "agentTools")
    live.house.catalog.forget(SALON)
    return found


def look(app, document: Any):
    """Paste a bundle, and ask what would happen."""
    text = document if isinstance(document, str) else json.dumps(document)
    field(app, "text_area", "bundle_text").set_value(text).run()
    return press(app, "See what would happen")


def exchange(opened, *who: dict[str, str]):
    return part(opened("own_tools", *who), "Bring in, take out")


@pytest.mark.requirement("002-57")
def test_a_bundle_is_taken_in_after_it_was_told_what_would_happen(opened, salon):
    """Nothing is changed by looking; then the tools are there, with what they still need named."""
    document = bundle(salon, SMS, CRM)
    app = look(exchange(opened), document)
    text = said(app)
    assert f"will be made] Tool **`{NAME}`**" in text
    assert "It needs these secrets: crm_key" in text
    assert own(salon) == []
    press(app, "Take it in")
    assert {tool["name"] for tool in own(salon)} == {NAME, "find_a_customer"}
    assert "Take it in" not in labels(app)


def test_what_is_there_already_stays_as_it_is(opened, salon):
    """What was taken in once needs no second time."""
    document = bundle(salon, SMS)
    app = press(look(exchange(opened), document), "Take it in")
    look(app, document)
    assert f"is there already] Tool **`{NAME}`**" in said(app)
    assert "All of it is here already." in said(app)
    assert "Take it in" not in labels(app)


def test_a_name_that_is_taken_is_left_out_and_nobodys_tool_is_overwritten(opened, salon):
    """The button says what is left out."""
    document = bundle(salon, SMS, CRM)
    mine = made(salon, **SMS | {"text": "Another text altogether."})
    app = look(exchange(opened), document)
    assert f"its name is taken] Tool **`{NAME}`**" in said(app)
    press(app, f"Take in all but {NAME}")
    assert {tool["name"] for tool in own(salon)} == {NAME, "find_a_customer"}
    assert next(tool for tool in own(salon) if tool["name"] == NAME) == mine


def test_a_bundle_of_nothing_but_taken_names_cannot_be_taken_in(opened, salon):
    """There is nothing to press."""
    document = bundle(salon, SMS)
    made(salon, **SMS | {"text": "Another text altogether."})
    app = look(exchange(opened), document)
    assert not [label for label in labels(app) if label.startswith("Take in")]
    assert "Nothing of it can be taken in" in said(app)


@pytest.mark.requirement("002-58")
@pytest.mark.parametrize("text", ["nonsense", "{}", '{"format": "another"}', "[1]"])
def test_what_is_no_bundle_is_told_below_the_text_which_stays(opened, salon, text):
    """Nothing can be taken in then."""
    app = look(exchange(opened), text)
    assert len(errors(app)) == 2
    assert field(app, "text_area", "bundle_text").value == text
    assert "Take it in" not in labels(app)


def test_another_text_than_was_looked_at_is_not_taken_in_unseen(opened, salon):
    """What was told belongs to the text that it was told of."""
    document = bundle(salon, SMS)
    app = look(exchange(opened), document)
    field(app, "text_area", "bundle_text").set_value("something else").run()
    assert "Take it in" not in labels(app)


def test_an_agent_of_a_bundle_comes_with_its_tools(opened, salon):
    """And both are told before."""
    server(salon).send("POST", f"/admin/businesses/{SALON}/agents", {"name": "Ada"})
    tool = made(salon, **SMS)
    server(salon).send("POST", f"/api/{SALON}/agents/ada/tools/attach", {"toolId": tool["id"]})
    document = bundle(salon)
    salon.empty(SALON, "agents")
    app = look(exchange(opened), document)
    assert "will be made] Agent **`ada`**" in said(app)
    press(app, "Take it in")
    (agent,) = server(salon).get(f"/admin/businesses/{SALON}/agents").body["agents"]
    assert (agent["id"], len(agent["attachedTools"])) == ("ada", 1)


def test_tools_are_taken_out_in_three_forms(opened, salon):
    """By everybody who may look; bringing in is for editors."""
    app = exchange(opened, {SALON: token("viewer")})
    assert {button.label for button in app.get("download_button")} == {
        "For another business here",
        "As OpenAPI",
        "As MCP tools",
    }
    assert not app.text_area
