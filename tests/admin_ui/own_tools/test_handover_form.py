"""The form of a tool that hands over to another agent."""

import pytest

from switchboard.contract.store import Set
from tests.admin_ui.conftest import labelled, press
from tests.admin_ui.premises import SALON, LiveServer
from tests.admin_ui.tool_building import begin, fill, made, open_tool, own, without_own_tools
from tests.pipeline.conftest import PATHS


@pytest.fixture
def salon(salon: LiveServer) -> LiveServer:
    """The salon without own tools, and with a second agent."""
    salon.put(Set(PATHS.within(SALON).document("agents", "accounts"), {"name": "Accounts desk"}))
    return without_own_tools(salon)


@pytest.mark.requirement("002-20", "002-57")
def test_the_other_agent_is_chosen_by_name(opened, salon):
    """Nobody knows the ids; the message is said before."""
    app = begin(opened("own_tools"), "transfer_call", "Hand over to accounts")
    fill(app, "selectbox", "Put callers through to", "agent")
    fill(app, "selectbox", "Agent", "accounts")
    assert "Accounts desk" in labelled(app, "selectbox", "Agent").options
    fill(app, "text_input", "What is said before (optional)", "One moment.")
    press(app, "Make the tool")
    (tool,) = own(salon)
    destination = {"type": "agent", "agentId": "accounts", "message": "One moment."}
    assert tool["configMetadata"]["destination"] == destination


def test_a_tool_of_the_api_is_shown_as_what_it_is_and_keeps_its_agent(opened, salon):
    """Also one whose type was left out."""
    tool = made(salon, type="transfer_call", label="Hand over to accounts", destination={"agentId": "accounts"})
    app = open_tool(opened("own_tools"), tool)
    assert labelled(app, "selectbox", "Put callers through to").value == "agent"
    assert labelled(app, "selectbox", "Agent").value == "accounts"
