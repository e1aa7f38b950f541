"""Servers that lend their tools: connected, looked at again, and what they have changed taken over."""

from typing import Any

import pytest

from tests.admin.connected import URL, tool
from tests.admin_ui.conftest import field, labelled, labels, part, press, said
from tests.admin_ui.premises import SALON, LiveServer, token
from tests.admin_ui.tool_building import errors, fill, open_tool, own, without_own_tools


@pytest.fixture
def salon(salon: LiveServer) -> LiveServer:
    """The salon without own tools, and a server that offers two."""
    salon.remote.tools, salon.remote.error = [tool("find"), tool("drop", description="Drop something.")], None
    return without_own_tools(salon)


def servers(opened, *who: dict[str, str]):
    return part(opened("own_tools", *who), "Connected servers")


def look(app, url: str = URL, **typed: str):
    """Ask a server what it offers."""
    field(app, "text_input", "mcp_url").set_value(url)
    for name, value in typed.items():
        field(app, "text_input", f"mcp_{name}").set_value(value)
    return press(app, "See what it offers")


def connected(opened) -> Any:
    """Take over one tool."""
    app = look(servers(opened), name="crm")
    field(app, "checkbox", "mcp/find").check().run()
    return press(app, "Take over 1")


@pytest.mark.requirement("002-57")
def test_the_chosen_tools_of_a_server_are_taken_over(opened, salon):
    """What it offers is listed first; nothing that was not chosen is made, and what was made is told on the page."""
    app = look(servers(opened), name="crm")
    assert {"find", "drop"} <= {box.label for box in app.checkbox}
    assert "Drop something." in said(app)
    assert "Take over 0" not in labels(app)
    field(app, "checkbox", "mcp/find").check().run()
    press(app, "Take over 1")
    (made,) = own(salon)
    assert (made["type"], made["configMetadata"]["server"]) == ("mcp_tool", {"name": "crm", "url": URL})
    assert f"**{URL}**" in said(app)
    assert "1 of its tools is yours" in said(app)


@pytest.mark.parametrize(("hints", "usual"), [({}, "(turn)"), ({"idempotentHint": True}, "(never the same)")])
def test_what_is_usual_for_a_server_s_tool_is_told_and_can_be_left(opened, salon, hints, usual):
    """Its server's word says so; what the owner says comes before it."""
    salon.remote.tools = [tool("find", annotations=hints)]
    connected(opened)
    (made,) = own(salon)
    app = part(open_tool(opened("own_tools"), made), "Settings")
    choice = labelled(app, "selectbox", "The same call is done")
    assert choice.options[0].startswith("as usual: ") and choice.options[0].endswith(usual)
    for chosen in ("turn", "session", ""):
        fill(app, "selectbox", "The same call is done", chosen)
        press(app, "Save")
        assert own(salon)[0]["configMetadata"].get("repeat", "") == chosen


def test_what_is_taken_over_already_is_not_offered_again(opened, salon):
    """It says so."""
    connected(opened)
    app = look(servers(opened), name="crm")
    assert field(app, "checkbox", "mcp/find").disabled
    assert "yours already" in said(app)


@pytest.mark.requirement("002-58")
def test_an_address_that_is_none_is_told_below_the_field_and_stays_there(opened, salon):
    """And so is a secret that was never entered; once both are mended the tools are listed."""
    app = look(servers(opened), "mcp.example.com", name="crm")
    assert errors(app) == [
        "This must be an address such as https://mcp.example.com/mcp.",
        "**This cannot be kept.** Nothing was changed. What is wrong stands where it was entered.",
    ]
    assert field(app, "text_input", "mcp_url").value == "mcp.example.com"
    assert field(app, "text_input", "mcp_name").value == "crm"
    look(app, secret="warehouse_key")
    assert errors(app)[0] == "There is no secret named warehouse_key; enter it first."
    assert field(app, "text_input", "mcp_secret").value == "warehouse_key"
    look(app, secret="")
    assert errors(app) == []
    assert "offers" in said(app)


def test_without_an_address_nobody_is_asked(opened, salon):
    """It says what is missing."""
    salon.remote.asked.clear()
    app = look(servers(opened), "")
    assert "must be an address" in errors(app)[0]
    assert salon.remote.asked == []


def test_a_secret_is_named_and_only_the_server_is_shown_it(opened, salon):
    """As a bearer token."""
    salon.within(salon.house.secrets.keep(SALON, "tools", "warehouse_key", "hunter2hunter2"))
    salon.remote.asked.clear()
    app = look(servers(opened), secret="warehouse_key")
    assert salon.remote.asked[-1].headers == {"Authorization": "Bearer hunter2hunter2"}
    field(app, "checkbox", "mcp/find").check().run()
    press(app, "Take over 1")
    (made,) = own(salon)
    kept = made["configMetadata"]["server"]["headers"]
    assert kept == {"Authorization": {"secret": "warehouse_key", "prefix": "Bearer "}}
    assert "hunter2" not in str(made) + said(app)


def test_a_tool_that_cannot_be_used_cannot_be_chosen(opened, salon):
    """And says why."""
    salon.remote.tools = [tool("find", input_schema={"type": "string"})]
    app = look(servers(opened))
    assert field(app, "checkbox", "mcp/find").disabled
    assert "cannot be used] Input schema / Type must be object" in said(app)


def test_what_a_server_has_changed_is_shown_and_taken_over_only_on_a_click(opened, salon):
    """A changed tool, one that is gone there, and one that is new."""
    connected(opened)
    (before,) = own(salon)
    app = press(servers(opened), "Look for changes")
    assert "as you took it over" in said(app)
    assert "Take the changes over" not in labels(app)
    salon.remote.tools = [tool("find", description="Find it at once."), tool("lift")]
    press(app, "Look for changes")
    text = said(app)
    assert "has changed" in text and "Find it at once." in text
    assert "New there, and not yours: lift" in text
    assert own(salon) == [before]
    press(app, "Take the changes over")
    (after,) = own(salon)
    assert after["description"] == "Find it at once."
    assert "as you took it over" in said(app)
    salon.remote.tools = []
    press(app, "Look for changes")
    assert "is gone there" in said(app)
    press(app, "Take the changes over")
    assert own(salon)[0]["enabled"] is False


def test_what_changed_while_it_was_looked_at_is_not_taken_over_unseen(opened, salon):
    """How it is now is shown instead."""
    connected(opened)
    salon.remote.tools = [tool("find", description="Find it at once.")]
    app = press(servers(opened), "Look for changes")
    salon.remote.tools = [tool("find", description="Find it never.")]
    press(app, "Take the changes over")
    assert own(salon)[0]["description"] == "Find something."
    assert "Find it never." in said(app)
    press(app, "Take the changes over")
    assert own(salon)[0]["description"] == "Find it never."


def test_an_editor_may_look_and_not_connect(opened, salon):
    """Whose address a business's callers' words go to is an owner's decision; the server says no to them."""
    connected(opened)
    app = servers(opened, {SALON: token("editor")})
    assert f"**{URL}**" in said(app)
    assert "Only an owner can connect servers." in said(app)
    assert not {"See what it offers", "Look for changes"} & set(labels(app))
