"""An agent's own tools on the agents' page: what it has and could have, of both kinds, attached and detached there."""

import pytest

from tests.admin_ui.conftest import labelled, labels, press, said
from tests.admin_ui.premises import SALON, LiveServer
from tests.admin_ui.tool_building import errors, made, own, server, without_own_tools


@pytest.fixture
def salon(salon: LiveServer) -> LiveServer:
    """The salon with one agent and two own tools, one for conversations and one for when calls start."""
    without_own_tools(salon).empty(SALON, "agents")
    server(salon).send("POST", f"/admin/businesses/{SALON}/agents", {"name": "Ada"})
    query = {"type": "query", "description": "Looks something up that callers ask about."}
    made(salon, label="Find a product", **query)
    at_start = {"attachToAgent": False, "executeOnCallStart": True}
    made(salon, label="Opening words", params={"question": {"mode": "fixed", "value": "hours"}}, **query, **at_start)
    salon.house.catalog.forget(SALON)
    return salon


def opened_list(app):
    toggle = next(one for one in app.toggle if one.label == "Your own tools")
    toggle.set_value(True).run()
    assert not app.exception
    return app


def attached(live: LiveServer) -> list[str]:
    (agent,) = server(live).get(f"/admin/businesses/{SALON}/agents").body["agents"]
    named = {tool["id"]: tool["label"] for tool in own(live)}
    return sorted(named[id] for id in agent["attachedTools"])


@pytest.mark.requirement("002-68", "002-69")
def test_an_agents_tools_are_shown_attached_and_detached(opened, salon):
    """Both kinds; each attachment is told at once."""
    app = opened_list(opened("agents"))
    assert "It has none of your own tools." in said(app)
    assert sorted(labelled(app, "selectbox", "Tools it could have").options) == [
        "Find a product",
        "Opening words (when a call starts)",
    ]
    for label in ("Find a product", "Opening words (when a call starts)"):
        choice = labelled(app, "selectbox", "Tools it could have")
        choice.select(label).run()
        press(app, "Attach")
        assert errors(app) == []
    assert attached(salon) == ["Find a product", "Opening words"]
    text = said(app)
    assert "Find a product" in text and "when a call starts" in text and "Your own tools attached: 2." in text
    assert "There are no others." in text
    next(one for one in app.button if one.label == "Detach").click().run()
    assert len(attached(salon)) == 1 and labels(app).count("Detach") == 1


@pytest.mark.requirement("002-69")
def test_an_agents_tools_are_read_only_by_whoever_opens_them(opened, salon):
    """A business with many agents asks for none of their lists to draw the page."""
    app = opened("agents")
    assert "Tools it could have" not in [one.label for one in app.selectbox]
    assert "Attach" not in labels(app)
