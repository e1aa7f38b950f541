"""What an agent sets for itself: its assistant at Vapi, and accounts over the business's own."""

import pytest

from admin_ui.shell.server import Server
from tests.admin_ui.conftest import labels, press, said
from tests.admin_ui.premises import SALON, LiveServer, token

AGENTS = f"/admin/businesses/{SALON}/agents"


@pytest.fixture
def ada(salon: LiveServer) -> Server:
    """The salon with one agent, Ada, as its owner reaches it."""
    server = Server(salon.url, salon.keys[SALON])
    server.send("POST", AGENTS, {"name": "Ada"})
    return server


def field(app, kind: str, name: str):
    return next(one for one in getattr(app, kind) if str(one.key).endswith(f"/{name}"))


def choose(app, account: str):
    app.selectbox(key="own accounts/ada/account").set_value(account).run()
    assert not app.exception
    return app


def own(server: Server, account: str = "email"):
    return server.get(f"{AGENTS}/ada/toolkits/{account}").body


def test_an_agent_is_joined_to_its_assistant_at_vapi(opened, ada):
    """And set free again by an empty field."""
    for typed, kept in (("asst_123", "asst_123"), ("", None)):
        app = opened("agents")
        app.button(key="edit/agent/ada").click().run()
        field(app, "text_input", "vapi").set_value(typed)
        press(app, "Save")
        assert ada.get(f"{AGENTS}/ada").body["vapiAssistantId"] == kept


def test_an_agent_has_an_account_of_its_own_and_gives_it_back(opened, ada):
    """Settings and a secret of its own, which is never shown; what is left empty is the business's."""
    app = choose(opened("agents"), "email")
    field(app, "text_input", "fromEmail").set_value("ada@example.com")
    field(app, "text_input", "password").set_value("swordfish")
    press(app, "Save")
    kept = own(ada)
    assert (kept["config"], kept["enabled"]) == ({"fromEmail": "ada@example.com"}, True)
    assert kept["sensitiveConfig"]["password"]["isSet"] is True
    app = choose(opened("agents"), "email")
    assert field(app, "text_input", "fromEmail").value == "ada@example.com"
    assert "swordfish" not in said(app)
    press(app, "Use the business's settings")
    kept = own(ada)
    assert (kept["config"], kept["sensitiveConfig"]["password"]["isSet"]) == ({}, False)


def test_an_account_is_taken_from_an_agent(opened, ada):
    """Nothing is set that nobody has touched: not even a switch."""
    app = choose(opened("agents"), "twilio")
    field(app, "toggle", "enabled").set_value(False)
    press(app, "Save")
    # Those of the tools that it would take away are asked about first.
    assert "not saved yet: callers would lose tools by it" in said(app) and "send_sms" in said(app)
    assert own(ada, "twilio")["enabled"]
    press(app, "Save it all the same")
    assert (own(ada, "twilio")["enabled"], own(ada, "twilio")["config"]) == (False, {})
    assert "Does not use: Twilio" in said(opened("agents"))


def test_two_who_set_up_an_agent_s_account_see_both_versions(opened, ada):
    """As with everything else that two may change at once."""
    first, second = (choose(opened("agents", {SALON: token(who)}), "email") for who in ("owner", "partner"))
    for app, sender in ((first, "one@example.com"), (second, "two@example.com")):
        field(app, "text_input", "fromEmail").set_value(sender)
        press(app, "Save")
    text = said(second)
    assert "has changed this since you opened it" in text
    press(second, "Keep what is saved now")
    assert own(ada)["config"] == {"fromEmail": "one@example.com"}


def test_whoever_may_not_connect_sets_up_no_account(opened, ada):
    """Another server there would be told the business's own password."""
    app = opened("agents", {SALON: token("editor")})
    assert "Edit" in labels(app)
    assert "own accounts/ada/account" not in [one.key for one in app.selectbox]
