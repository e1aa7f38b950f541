"""A business's own tools: made with the three ways in which a parameter gets its value, given to agents, exchanged."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from tests.admin_ui.conftest import field, labelled, labels, part, press, said
from tests.admin_ui.premises import SALON, LiveServer, token
from tests.admin_ui.tool_building import begin, fill, made, open_tool, own, without_own_tools


@pytest.fixture
def salon(salon: LiveServer) -> LiveServer:
    """The salon without own tools."""
    return without_own_tools(salon)


def make(live: LiveServer, **config) -> dict:
    document = {
        "type": "api_request",
        "label": "Find a customer",
        "request": {"url": "https://api.example.com/customers/{{number}}"},
        "params": {
            "number": {"mode": "ai", "prompt": "The customer's number"},
            "region": {"mode": "fixed", "value": "east"},
            "tags": {"mode": "array_extendable", "fixedValues": ["vip"], "aiExtension": {"enabled": True}},
        },
    }
    return made(live, **document | config)


def begun(opened) -> AppTest:
    """Begin a tool that asks another system for a customer, whose number nothing gives yet."""
    app = begin(opened("own_tools"), "api_request", "Find a customer")
    return fill(app, "text_input", "Address", "https://api.example.com/customers/{{number}}")


def test_without_tools_it_says_what_one_is_good_for(opened, salon):
    """Nothing is no error, and the way on is one button."""
    app = opened("own_tools")
    assert "There is no tool of your own yet." in said(app)
    assert "Add a tool" in labels(app)


@pytest.mark.requirement("002-57")
def test_a_request_to_another_system_is_made(opened, salon):
    """The label gives the name; the parameter that the model fills in is in its schema, with what it is told."""
    app = begun(opened)
    press(app, "Add a parameter")
    fill(app, "text_input", "Name", "number")
    fill(app, "text_input", "What it is, for the model", "The customer's number")
    press(app, "Make the tool")
    (tool,) = own(salon)
    assert tool["name"] == "find_a_customer"
    assert tool["functionSchema"]["parameters"]["properties"]["number"]["description"] == "The customer's number"
    assert "Give it" in labels(app)
    press(app, "Give it")
    assert "has it" in said(app)


@pytest.mark.requirement("002-58")
def test_what_is_not_whole_is_not_even_sent(opened, salon):
    """Everything that is missing is named at once, and nothing that was typed is lost."""
    app = opened("own_tools")
    press(app, "Add a tool")
    fill(app, "text_input", "What a model calls it (optional)", "find_it")
    press(app, "Add a parameter")
    press(app, "Make the tool")
    assert [error.value for error in app.error][:-1] == [
        "Write what you call the tool\\.",
        "Write the address of the other system, beginning with https\\://\\.",
        "Give the parameter a name, or remove it\\.",
    ]
    assert labelled(app, "text_input", "What a model calls it (optional)").value == "find_it"
    assert not own(salon)


def test_what_cannot_be_made_says_why(opened, salon):
    """In the server's words, with everything that is wrong."""
    app = begun(opened)
    press(app, "Make the tool")
    assert "This cannot be kept." in said(app)
    assert not own(salon)


def test_opening_and_leaving_a_tool_changes_nothing(opened, salon):
    """The form shows all three ways of giving a value, and what it shows is what is kept."""
    tool = make(salon)
    app = open_tool(opened("own_tools"), tool)
    assert "Undo what I typed" not in labels(app)
    press(app, "Save")
    assert "Nothing was changed" in app.toast[0].value
    assert {"region", "tags", "number"} <= {one.value for one in app.text_input}
    assert labelled(app, "text_area", "Always in it, one in a line").value == "vip"
    press(app, "All your tools")
    assert own(salon) == [tool]


@pytest.mark.requirement("002-96")
def test_a_fixed_value_is_changed_and_stays_hidden(opened, salon):
    """It is saved at once, and no model is shown it."""
    tool = make(salon)
    app = open_tool(opened("own_tools"), tool)
    fill(app, "text_input", "Value", "west")
    press(app, "Save")
    (now,) = own(salon)
    assert now["staticConfig"]["region"] == "west"
    part(app, "What models see")
    seen, hidden = (code.value for code in app.code)
    assert "west" not in seen
    assert '"region": "west"' in hidden


def test_two_who_edit_one_tool_see_both_versions(opened, salon):
    """The second is not told that all is well."""
    tool = make(salon)
    first, second = (open_tool(opened("own_tools"), tool) for _ in range(2))
    for app, value in ((first, "west"), (second, "north")):
        fill(app, "text_input", "Value", value)
        press(app, "Save")
    text = said(second)
    assert "has changed this since you opened it" in text
    assert "west" in text
    assert "north" in text


@pytest.mark.requirement("002-102")
def test_a_tool_is_deleted_only_after_a_question(opened, salon):
    """And then it is gone from the list."""
    tool = make(salon)
    app = open_tool(opened("own_tools"), tool)
    press(app, "Delete this tool")
    press(app, "Yes, delete it")
    assert not own(salon)
    assert "There is no tool of your own yet." in said(app)


def test_a_secret_is_entered_and_never_shown(opened, salon):
    """Only its name stands there, and it can be forgotten."""
    app = part(opened("own_tools"), "Secrets")
    field(app, "text_input", "secret_name").set_value("crm_key")
    field(app, "text_input", "secret_value").set_value("hunter2hunter2")
    press(app, "Keep it")
    assert "**`crm_key`**" in said(app)
    assert "hunter2" not in said(app)
    press(app, "Forget")
    press(app, "Yes, forget it")
    assert "There is no secret yet." in said(app)


def test_whoever_enters_a_short_secret_is_told(opened, salon):
    """That it cannot be hidden well, where its value went."""
    app = part(opened("own_tools"), "Secrets")
    field(app, "text_input", "secret_name").set_value("crm_pin")
    field(app, "text_input", "secret_value").set_value("4711")
    press(app, "Keep it")
    assert any("cannot be hidden well" in toast.value for toast in app.toast)


def test_a_tool_that_waits_for_a_secret_says_so_until_it_is_entered(opened, salon):
    """Above the form, at once, and without what was typed there being lost."""
    headers = {"Authorization": "Bearer {{secret.crm_key}}"}
    request = {"url": "https://api.example.com/orders", "headers": headers}
    tool = made(salon, type="api_request", label="Orders", request=request)
    app = open_tool(opened("own_tools"), tool)
    assert "**Header Authorization:** It needs the secret" in said(app)
    labelled(app, "text_input", "What you call it").set_value("All orders").run()
    press(app, "All your tools")
    part(app, "Secrets")
    field(app, "text_input", "secret_name").set_value("crm_key")
    field(app, "text_input", "secret_value").set_value("hunter2hunter2")
    press(app, "Keep it")
    part(app, "Tools")
    open_tool(app, tool)
    assert "needs the secret" not in said(app)
    assert labelled(app, "text_input", "What you call it").value == "All orders"


def test_an_api_s_description_becomes_tools(opened, salon):
    """Its operations are listed, and the chosen ones are made."""
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Customers", "version": "1"},
        "servers": [{"url": "https://api.example.com"}],
        "paths": {"/orders": {"get": {"operationId": "listOrders", "summary": "List orders", "responses": {}}}},
    }
    app = part(opened("own_tools"), "Bring in, take out")
    field(app, "text_area", "api_text").set_value(json.dumps(document)).run()
    press(app, "See what is in it")
    app.checkbox[0].check().run()
    press(app, "Make 1 tool")
    assert len(own(salon)) == 1


def test_a_description_that_cannot_be_read_is_told_below_it_and_stays(opened, salon):
    """And so is an address that is none, below its own field."""
    app = part(opened("own_tools"), "Bring in, take out")
    field(app, "text_area", "api_text").set_value("no: description").run()
    press(app, "See what is in it")
    first, *_, last = [error.value.replace("\\", "") for error in app.error]
    assert "openapi" in first.lower()
    assert last.endswith("What is wrong stands where it was entered.")
    field(app, "text_input", "api_server").set_value("api.example.com").run()
    press(app, "See what is in it")
    assert "This must be the API's address" in app.error[0].value.replace("\\", "")
    assert field(app, "text_area", "api_text").value == "no: description"
    assert field(app, "text_input", "api_server").value == "api.example.com"


def test_without_vapi_it_says_that_it_is_not_needed(opened, salon):
    """And where to connect it."""
    assert "Vapi is not connected." in said(part(opened("own_tools"), "Vapi"))


def test_a_viewer_changes_nothing(opened, salon):
    """Fields are closed, and no button is there."""
    tool = make(salon)
    app = opened("own_tools", {SALON: token("viewer")})
    assert "Add a tool" not in labels(app)
    open_tool(app, tool)
    assert not {"Save", "Delete this tool"} & set(labels(app))
    assert all(field.disabled for field in app.text_input)
    part(app, "Agents")
    assert "Give it" not in labels(app)


@pytest.mark.requirement("004-981")
def test_an_editor_is_told_what_of_a_tool_only_an_owner_changes(opened, salon):
    """Before it is tried, and in the words of the refusal where it is; the words of the tool are saved all the same."""
    tool = made(salon, type="transfer_call", label="Ring me", destination={"type": "number", "number": "+15185550143"})
    app = open_tool(opened("own_tools", {SALON: token("editor")}), tool)
    assert "Only an owner can change which number it rings." in said(app)
    fill(app, "text_input", "What you call it", "Ring us")
    press(app, "Save")
    assert own(salon)[0]["label"] == "Ring us"
    fill(app, "text_input", "Number", "+15185559999")
    press(app, "Save")
    assert "Your role does not allow changing which number a tool rings" in said(app)
    assert own(salon)[0]["configMetadata"]["destination"]["number"] == "+15185550143"
