"""Changes: what is in force of what was changed, in plain words, and what was done with the built-in tools."""

import pytest

from admin_ui.shell.server import Server
from tests.admin_ui.conftest import labels, press, said
from tests.admin_ui.premises import SALON, LiveServer, token

BASE = f"/admin/businesses/{SALON}"
DEFINITION = "/admin/definitions/get_policies"
OWNER, PLATFORM = {SALON: token("owner")}, {SALON: token("platform")}
SMS = {"type": "sms", "label": "Text the address", "text": "Come to us.", "recipients": ["+12015550123"]}


@pytest.fixture
def server(salon: LiveServer):
    """The salon's owner's, over HTTP."""
    return Server(salon.url, token("owner"))


def opened_kind(app, kind: str):
    app.selectbox(key="audit_kind").set_value(kind).run()
    assert not app.exception
    return app


def test_what_is_undone_says_so_on_every_page_and_is_in_force_again_after_that_is_undone(opened, server):
    """Known from the server, also where the undo stands on another page of the list."""
    server.send("PATCH", BASE, {"industry": "barber"}, server.get(BASE).revision)
    app = press(opened("audit", OWNER), "Undo")
    assert [text in said(app) for text in (":orange-badge[", "Undone")] == [True, True]
    for number in range(20):
        server.send("PATCH", BASE, {"address": f"{number} Main Street"}, server.get(BASE).revision)
    undo = server.get(f"{BASE}/audit", {"limit": 21}).body["entries"][-1]
    app = press(opened("audit", OWNER), "Older")
    assert "Undone" in said(app)
    entry = server.get(f"{BASE}/audit/{undo['id']}")
    server.send("POST", f"{BASE}/audit/{undo['id']}/undo", {}, entry.body["revision"])
    app = press(opened("audit", OWNER), "Older")
    assert "In force again" in said(app)


def test_the_settings_of_a_tool_are_called_so(opened, server):
    """No name of a stored field is shown where there is a word for it."""
    server.send("POST", f"/api/{SALON}/tools", SMS)
    app = opened_kind(opened("audit", OWNER), "tool")
    shown = said(app) + "".join(expander.label for expander in app.expander)
    assert ("Settings" in shown, "Config metadata" in shown) == (True, False)


def test_who_was_given_which_tool_is_told_by_their_names(opened, server):
    """Also where the tool is gone by now, and in what its deletion says of its agents."""
    tool = server.send("POST", f"/api/{SALON}/tools", SMS).body["tool"]
    (agent,) = server.get(f"{BASE}/agents").body["agents"]
    server.send("POST", f"/api/{SALON}/agents/{agent['id']}/tools/attach", {"toolId": tool["id"]})
    app = opened("audit", OWNER)
    given = app.expander[0]
    assert given.label == f"{SMS['label']} for {agent['name']}"
    assert [SMS["label"] in given.markdown[at].value for at in (-1, -2)] == [True, False]
    server.send("DELETE", f"/api/{SALON}/tools/{tool['id']}")
    app = opened("audit", OWNER)
    assert app.expander[1].label == f"{SMS['label']} for {agent['name']}"
    removed = " ".join(one.value for one in app.expander[0].markdown)
    assert "Agents that had it" in removed and agent["name"] in removed
    assert tool["id"] not in removed and "Agent id" not in said(app)


def test_platform_admins_see_what_was_done_with_built_in_tools_and_put_drafts_back(opened, salon):
    """Compared where that is asked for; owners have no such part."""
    server = Server(salon.url, token("platform"))
    read = server.get(DEFINITION)
    draft = {"document": read.body["builtIn"] | {"description": "Tell callers the policies of this business."}}
    server.send("PUT", f"{DEFINITION}/draft", draft, read.revision)
    app = opened_kind(opened("audit", PLATFORM), "definitions")
    assert "draft saved" in said(app) and "`get_policies`" in said(app)
    assert "Tell callers the policies" in said(press(app, "Compare"))
    press(app, "Undo")
    assert server.get(DEFINITION).body["draft"] is None
    assert "definitions" not in opened("audit", OWNER).selectbox(key="audit_kind").options
    app = opened_kind(opened("audit", PLATFORM), "definitions")
    assert "Undone" in said(app) and "Undid a change" in said(app)
    assert "Compare" in labels(app)


def test_an_owner_sees_among_the_own_changes_what_the_platform_changed_and_what_differs(opened, salon):
    """In one list; who of the platform it was stays with the platform."""
    server = Server(salon.url, token("platform"))
    read = server.get(DEFINITION)
    draft = {"document": read.body["builtIn"] | {"description": "Tell callers the policies of this business."}}
    server.send("PUT", f"{DEFINITION}/draft", draft, read.revision)
    body = {"acknowledged": server.get(f"{DEFINITION}/replay").body["hash"]}
    try:
        server.send("POST", f"{DEFINITION}/publish", body, server.get(DEFINITION).revision)
        app = opened("audit", OWNER)
        text = said(app)
        assert "**The platform** published" in text and "platform@example.com" not in text
        assert "The words or rules of get_policies changed, for all businesses." in text
        assert "Tell callers the policies" in said(press(app, "Compare"))
    finally:
        server.send("POST", f"{DEFINITION}/reset", {}, server.get(DEFINITION).revision)
