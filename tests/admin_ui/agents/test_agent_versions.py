"""An agent's versions on its page: what differs since, and the way back."""

import pytest

from admin_ui.shell.server import Server
from tests.admin_ui.conftest import labels, press, said
from tests.admin_ui.premises import SALON, LiveServer, token

OWNER = {SALON: token("owner")}
PATH = f"/admin/businesses/{SALON}/agents"


@pytest.fixture
def ada(salon: LiveServer) -> Server:
    """The salon with one agent, saved twice."""
    salon.empty(SALON, "agents", "audit")
    server = Server(salon.url, token("owner"))
    server.send("POST", PATH, {"name": "Ada", "language": "en"})
    server.send("PATCH", f"{PATH}/ada", {"language": "de"}, server.get(f"{PATH}/ada").revision)
    return server


def opened_versions(opened, person=OWNER):
    """Return the page on which Ada's versions are seen."""
    app = opened("agents", person)
    app.toggle(key="versions/ada").set_value(True).run()
    assert not app.exception
    return app


def test_versions_are_listed_compared_and_one_is_brought_back(opened, ada):
    """With who saved each and what differs from now; what it was in between stays a version."""
    app = opened_versions(opened)
    text = said(app)
    assert ":green-badge[as it is now]" in text and 'language: "en" → "de"' in text
    press(app, "Compare")
    assert "Then" in said(app)
    press(app, "Bring this back")
    assert "be again as it was then?" in said(app)
    press(app, "Yes, bring it back")
    assert ada.get(f"{PATH}/ada").body["language"] == "en"
    assert len(ada.get(f"{PATH}/ada/versions").body["versions"]) == 3


def test_whoever_only_looks_sees_versions_and_brings_none_back(opened, ada):
    app = opened_versions(opened, {SALON: token("viewer")})
    press(app, "Compare")
    assert "Bring this back" not in labels(app)


def test_without_a_version_it_says_when_there_will_be_one(opened, salon, ada):
    salon.empty(SALON, "audit")
    assert "The next save is the first version" in said(opened_versions(opened))
