"""What is typed in the forms of own tools, until it is saved and not for longer."""

from typing import Any

import pytest

from admin_ui.shell.server import Server, Unreachable
from tests.admin_ui.conftest import labelled, press, said
from tests.admin_ui.premises import LiveServer
from tests.admin_ui.tool_building import begin, fill, made, open_tool, own, without_own_tools

TRANSFER = {"type": "transfer_call", "label": "Put through to the manager", "description": "Puts a caller through."}
MANAGER = {"type": "number", "number": "+15185550143", "label": "Manager", "message": "One moment."}


@pytest.fixture
def salon(salon: LiveServer) -> LiveServer:
    """The salon without own tools."""
    return without_own_tools(salon)


def test_what_no_server_took_is_sent_by_the_next_press_on_save(opened, salon, monkeypatch):
    """It is still to be saved: a press that says there is nothing would have it lost. Behind that there is nothing."""
    tool = made(salon, **TRANSFER, destination=MANAGER)
    app = open_tool(opened("own_tools"), tool)
    fill(app, "text_input", "What you call it", "Put through to Rosa")
    send = Server.send

    def away(self: Server, method: str, path: str, *given: Any, **more: Any) -> Any:
        raise Unreachable("timed out")

    monkeypatch.setattr(Server, "send", away)
    press(app, "Save")
    assert "No server answers" in said(app)
    assert own(salon)[0]["label"] == TRANSFER["label"]
    monkeypatch.setattr(Server, "send", send)
    press(app, "Save")
    assert own(salon)[0]["label"] == "Put through to Rosa"
    assert "Saved. It is used at once." in app.toast[0].value
    press(app, "Save")
    assert "Nothing was changed, so there is nothing to save." in app.toast[0].value


def test_the_form_for_the_next_new_tool_is_empty(opened, salon):
    """What was made is made: its label and texts in the form again would have it made twice by a press."""
    app = begin(opened("own_tools"), "sms", "Text our address")
    fill(app, "text_area", "When a model should use it, and what for", "Texts the caller where we are when they ask.")
    fill(app, "text_input", "Value", "We are at 48 Maple Street.")
    press(app, "Make the tool")
    press(app, "All your tools")
    press(app, "Add a tool")
    next(one for one in app.get("button_group") or app.get("pills") if one.key == "new_kind").set_value("sms").run()
    for kind, label in (
        ("text_input", "What you call it"),
        ("text_area", "When a model should use it, and what for"),
        ("text_input", "Value"),
    ):
        assert not labelled(app, kind, label).value
    assert len(own(salon)) == 1
