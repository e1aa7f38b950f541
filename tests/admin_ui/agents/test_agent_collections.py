"""Collections of a business's own records, given to an agent on the agents' page: the tool is made by that."""

import pytest

from switchboard.contract.store import Set
from tests.admin_ui.conftest import field, labels, press, said
from tests.admin_ui.premises import PATHS, SALON, LiveServer, token
from tests.admin_ui.tool_building import errors, own, server


@pytest.fixture
def salon(salon: LiveServer) -> LiveServer:
    """The salon with one agent and some properties, and without own tools."""
    salon.empty(SALON, "tools", "agentTools", "agents")
    items = PATHS.within(SALON).items("properties")
    rows = [{"town": "Albany", "price": 5}, {"town": "Troy", "price": 7}, {"town": "Troy", "price": 9}]
    salon.put(*(Set(f"{items}/p{at}", row) for at, row in enumerate(rows)))
    server(salon).send("POST", f"/admin/businesses/{SALON}/agents", {"name": "Ada"})
    salon.house.catalog.forget(SALON)
    return salon


def attach(app, name: str):
    field(app, "text_input", "collection").set_value(name)
    return press(app, "Attach it")


def test_a_collection_is_attached_by_its_name(opened, salon):
    """The tool that searches it is there, and the agent has it."""
    app = attach(opened("agents"), "properties")
    (tool,) = own(salon)
    assert tool["configMetadata"]["knowledge"]["collection"] == "properties"
    assert "Your own tools attached: 1." in said(app)
    assert errors(app) == []
    attach(app, "properties")
    assert own(salon) == [tool], "one collection has one tool"


def test_a_collection_that_holds_nothing_is_told_below_the_field_which_stays(opened, salon):
    """It is mended in place."""
    app = attach(opened("agents"), "propertys")
    assert "has no items; write some first" in errors(app)[0]
    assert field(app, "text_input", "collection").value == "propertys"
    assert own(salon) == []
    attach(app, "properties")
    assert errors(app) == []


def test_without_a_name_it_asks_for_one(opened, salon):
    """Nothing is made."""
    assert errors(attach(opened("agents"), " "))[0] == "This must be the name of one of your collections."
    assert own(salon) == []


def test_a_viewer_is_not_offered_to_attach_anything(opened, salon):
    """The server would say no."""
    assert "Attach it" not in labels(opened("agents", {SALON: token("viewer")}))
