"""What stands around every page: who looks, at which business, what they may do, and what is said when it fails."""

import socket
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from streamlit.testing.v1 import AppTest

from admin_ui.shell import roles
from admin_ui.shell.page_list import PAGES
from admin_ui.sign_in import firebase_session
from admin_ui.sign_in.identity_platform import SignIn
from running import run
from switchboard.admin.access.roles import ALLOWED, Operation
from switchboard.contract.store import Delete, Set
from tests.admin_ui.conftest import SLOW_S, labels, part, press, said
from tests.admin_ui.premises import PATHS, PLUMBER, SALON, LiveServer, token


def test_it_warns_that_everyone_may_use_it(opened):
    """Local mode is told loudly, at the top."""
    assert opened("overview").warning[0].value == "**Local mode**: everyone who can reach this page may use it."


def test_what_scripts_run_starts_opens_on_the_overview(pages_for):
    """The first page is how the business is doing."""
    pages_for()
    app = AppTest.from_file(str(run.ADMIN_PAGE), default_timeout=SLOW_S).run()
    assert not app.exception
    assert app.title[0].value == "Overview"


# The tools are listed to API keys only.
@pytest.mark.parametrize("page", [p for p in PAGES if p.path != "tools"], ids=lambda page: page.path)
def test_every_page_opens_for_every_role_that_sees_it(opened, page):
    """Nothing on it fails because somebody may not do it."""
    for person in ("owner", "editor", "viewer"):
        may_see = not page.operation or person in roles.MAY[page.operation]
        if may_see:
            app = opened(page.path, {SALON: token(person)})
            assert app.title[0].value == page.title
            assert not app.error, (person, app.error[0].value)


def test_the_pages_know_roles_as_the_server_does():
    """What is shown as a button is what the server would allow; its own table decides."""
    for operation, allowed in roles.MAY.items():
        assert set(allowed) == {role.value for role in ALLOWED[Operation(operation)]}, operation


CHANGES = ("Save", "Add a policy", "Add an agent", "Add a service", "Add a person", "Edit", "Undo", "Connect")


@pytest.mark.parametrize("path", ["knowledge", "business", "agents", "overview", "calls"])
def test_a_viewer_gets_no_button_that_changes_anything(opened, path):
    """What would be refused is not offered, in any part of a page."""
    app = opened(path, {SALON: token("viewer")})
    parts = app.get("segmented_control")
    for name in parts[0].options if parts and path in ("knowledge", "business") else [None]:
        if name is not None:
            part(app, name)
        assert not set(CHANGES) & set(labels(app)), name


def test_a_viewer_has_no_page_of_changes(opened):
    """Who may not see the audit is shown another page in its place."""
    app = opened("audit", {SALON: token("viewer")})
    assert app.title[0].value != "Changes"


def test_an_editor_cannot_touch_safeguards(opened):
    """Who is rung, and how callers are checked, is for owners; it says so."""
    app = opened("business", {SALON: token("editor")})
    part(app, "People")
    assert "Only an owner can change who is rung" in said(app)
    assert "Edit" not in labels(app)
    part(app, "Caller checks")
    assert "Only an owner can change how callers are checked" in said(app)
    assert "Save" not in labels(app)


def test_without_a_key_it_asks_for_one(opened, live_server: LiveServer):
    """With a real Firestore nobody hands a key over; typed in, it works, and can be put away again."""
    app = opened("tools", {})
    assert "API keys" in app.info[0].value
    press(app, "Open")
    assert "Both are needed." in said(app)
    app.text_input(key="business_id").set_value(SALON)
    app.text_input(key="api_key").set_value(live_server.keys[SALON])
    press(app, "Open")
    assert "`check_availability`" in said(app)
    press(app, "Use another key")
    assert "API keys" in app.info[0].value


def test_a_refused_key_is_told(opened):
    """What the server says about the key, and what to do."""
    app = opened("overview", {SALON: "wrong"})
    assert "does not know this API key" in app.error[0].value
    assert "unknown, revoked or expired" in said(app)
    assert "Look again" in labels(app)


def test_a_key_that_may_only_use_tools_is_told(opened, live_server: LiveServer):
    """Its tools are shown; of the business the server says in its own words that it may not be seen."""
    keys = {SALON: live_server.service_key}
    assert "`check_availability`" in said(opened("tools", keys))
    app = opened("overview", keys)
    assert "You may not do this for this business." in said(app)
    assert "owner" in said(app)


def test_a_missing_server_is_told(opened):
    """Where it was looked for and how to start it; looking again is one click."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        app = opened("overview", url=f"http://127.0.0.1:{unused.getsockname()[1]}")
    assert "No server answers at" in app.error[0].value
    assert "scripts/run" in said(app)
    assert "Look again" in labels(app)


def test_somebody_else_s_server_is_told(opened, tmp_path):
    """An answer that is not ours is no answer."""
    folder = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), folder) as server, ThreadPoolExecutor(1) as pool:
        pool.submit(server.serve_forever)
        app = opened("overview", url=f"http://127.0.0.1:{server.server_port}")
        server.shutdown()
    assert "No server answers at" in app.error[0].value
    assert "Somebody else answers there" in said(app)


@pytest.fixture
def signed_in(monkeypatch: pytest.MonkeyPatch, opened):
    """Open a page as somebody who has signed in; signing in itself is gone through elsewhere."""

    def open_page(person: str, path: str = "overview") -> AppTest:
        found = SignIn(token(person), "", 0, f"{person}@example.com")
        monkeypatch.setattr(firebase_session, "is_configured", lambda: True)
        monkeypatch.setattr(firebase_session, "current", lambda: found)
        return opened(path, {})

    return open_page


def test_whoever_signs_in_sees_their_businesses_and_no_others(signed_in):
    """In each with the role they have there; nobody is warned of local mode."""
    app = signed_in("owner")
    choice = app.selectbox(key="business")
    assert set(choice.options) == {"Maple Street Hair Studio", "Klempnerei Lindhorst"}
    assert not app.warning
    choice.set_value(PLUMBER).run()
    assert "Viewer" in said(app)
    choice = app.selectbox(key="business").set_value(SALON).run()
    assert "You are here as: **Owner**" in said(app)


def test_whoever_has_no_business_is_told_whom_to_ask(signed_in):
    """An empty list is no dead end."""
    app = signed_in("nobody")
    assert "no business that you may look at" in app.info[0].value
    assert "nobody@example.com" in said(app)


def test_a_platform_admin_finds_one_of_hundreds_of_businesses(signed_in, live_server: LiveServer):
    """The first hundred are in the list; all are found by words of their names, whatever the case and the accents."""
    names = {f"crowd-{n:03}": f"Crowd {n:03}" for n in range(320)} | {"zoe": "Café Zoë", "zora": "Zora's Café"}
    live_server.put(*(Set(PATHS.within(id).business, {"name": name}) for id, name in names.items()))
    try:
        app = signed_in("platform", "knowledge")
        assert len(app.selectbox(key="business").options) == 100
        app.text_input(key="business_find").set_value("nobody").run()
        assert "No business of yours is called so." in said(app)
        app.text_input(key="business_find").set_value("crowd").run()
        assert "These are the first 100; write more of the name." in said(app)
        app.text_input(key="business_find").set_value("CAFE z").run()
        assert app.selectbox(key="business").options == ["Café Zoë", "Zora's Café", "Crowd 000"]
        app.selectbox(key="business").set_value("zoe").run()
        assert "There is no policy yet." in said(app)
        assert "Café Zoë" in said(app)
        app.text_input(key="business_find").set_value("").run()
        assert app.selectbox(key="business").value == "zoe"
    finally:
        live_server.put(*(Delete(PATHS.within(id).business) for id in names))
