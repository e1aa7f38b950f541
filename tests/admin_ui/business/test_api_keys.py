"""API keys on the business's page: made with their text shown once, listed, revoked after a question."""

from datetime import date, datetime, timedelta

import pytest

from admin_ui.shell.server import Refused, Server
from tests.admin_ui.conftest import labelled, labels, part, press, said
from tests.admin_ui.premises import SALON, LiveServer, token
from tests.admin_ui.tool_building import errors

KEYS = f"/admin/businesses/{SALON}/keys"


def listed(live: LiveServer) -> dict[str, dict]:
    """Return the keys by name, the newest of each."""
    return {key["name"]: key for key in Server(live.url, token("owner")).get(KEYS).body["keys"]}


def keys(opened, who: str = "owner"):
    return part(opened("business", {SALON: token(who)}), "API keys")


def made(app, name: str) -> str:
    """Make a key, and return its text."""
    labelled(app, "text_input", "What it is for").set_value(name)
    press(app, "Make the key")
    return str(app.code[0].value)


def lets_in(live: LiveServer, text: str) -> bool:
    """Tell whether a key is good for what services do."""
    try:
        return bool(Server(live.url, text).definitions(SALON, "portal")["tools"])
    except Refused as error:
        assert error.status == 401
        return False


def test_a_key_is_made_shown_once_and_works(opened, salon):
    """It may do what services do unless something else is chosen; its text is gone with the next look."""
    app = keys(opened)
    text = made(app, "Till")
    assert "shown this once" in said(app)
    assert lets_in(salon, text)
    key = listed(salon)["Till"]
    assert (key["scopes"], key["expiresAt"]) == (["tools:read", "tools:execute"], None)
    assert "**Till** :green-badge[works]" in said(app)
    assert "may see which tools there are, use tools" in said(app)
    press(app, "I have copied it")
    assert not app.code
    assert text not in said(app) + said(keys(opened))


@pytest.mark.requirement("004-1104")
def test_beside_the_keys_stands_who_may_change_what(opened):
    """As the server answers it, in words: each kind of thing, and who is needed for which fields."""
    told = said(keys(opened))
    for words in ("Who may change what", "**Business**", "**Team and rooms**", "**Agents**", "**Your own tools**"):
        assert words in told
    assert "**An owner or editor:** Name, Industry, Phone, Address, Website" in told
    # In parts only where others may change the rest.
    assert "Receptionist (Tone, Language" in told and "Opening hours, Services." in told
    owners = next(line for line in told.splitlines() if line.startswith("**An owner:** People"))
    assert "Portal address" in owners and "Email" in owners
    assert "**A platform admin:** Number that callers dial." in told


def test_the_text_of_a_key_is_gone_once_another_part_is_looked_at(opened, salon):
    """Whoever sits down at the screen later does not find it."""
    app = keys(opened)
    made(app, "Kiosk")
    part(app, "Hours")
    assert not part(app, "API keys").code


def test_a_key_works_until_the_end_of_a_day_where_the_business_is(opened, salon):
    """The salon's midnight is not UTC's."""
    app, day = keys(opened), date.today() + timedelta(days=30)
    app.date_input[0].set_value(day)
    app.multiselect[0].set_value(["owner"])
    made(app, "Partner")
    key = listed(salon)["Partner"]
    assert key["scopes"] == ["owner"]
    ends = datetime.fromisoformat(key["expiresAt"])
    assert (ends.date(), ends.hour in (4, 5)) == (day + timedelta(days=1), True)
    assert "works until" in said(app)


def test_a_key_without_a_name_or_anything_it_may_do_is_told_at_its_fields(opened, salon):
    """And what was chosen stays."""
    app = keys(opened)
    before = listed(salon)
    app.multiselect[0].set_value([])
    press(app, "Make the key")
    name, scopes, end = errors(app)
    assert name.startswith("This must tell what the key is for")
    assert scopes.startswith("This must be a list of at least one")
    assert "stands where it was entered" in end
    assert app.multiselect[0].value == []
    assert listed(salon) == before
    app.multiselect[0].set_value(["tools:read"])
    made(app, "Screen")
    assert errors(app) == []


def test_a_key_is_revoked_after_a_question_and_lets_nobody_in_any_more(opened, salon):
    """It stays listed, and cannot be revoked again."""
    app = keys(opened)
    text = made(app, "Lost phone")
    id = listed(salon)["Lost phone"]["id"]
    app.button(key=f"revoke/{id}/ask").click().run()
    assert "Whatever uses it is let in no more" in said(app)
    press(app, "No, leave it")
    assert listed(salon)["Lost phone"]["works"] is True
    app.button(key=f"revoke/{id}/ask").click().run()
    press(app, "Yes, revoke it")
    assert not lets_in(salon, text)
    assert "**Lost phone** :red-badge[revoked]" in said(app)
    assert f"revoke/{id}/ask" not in [button.key for button in app.button]


def test_a_key_that_somebody_else_has_revoked_is_not_revoked_unseen(opened, salon):
    """Both versions are shown."""
    first = keys(opened)
    made(first, "Shared")
    second = keys(opened, "partner")
    id = listed(salon)["Shared"]["id"]
    for app in (first, second):
        app.button(key=f"revoke/{id}/ask").click().run()
        press(app, "Yes, revoke it")
    assert "has changed this since you opened it" in said(second)
    press(second, "Keep what is saved now")
    assert "**Shared** :red-badge[revoked]" in said(second)


@pytest.mark.parametrize("who", ["editor", "viewer"])
def test_keys_are_for_owners_alone(opened, salon, who):
    """Nobody else sees that there is such a part."""
    app = opened("business", {SALON: token(who)})
    assert "API keys" not in app.get("segmented_control")[0].options
    assert "Make the key" not in labels(app)


def test_a_service_account_is_let_in_without_a_key(opened, salon):
    """There is no text to copy; it is listed by its address, and revoked as a key is."""
    app, email = keys(opened), "kiosk@my-project.iam.gserviceaccount.com"
    by = next(radio for radio in app.radio if radio.label == "It is let in by")
    assert by.options == ["A key", "A Google service account"]
    by.set_value("A Google service account").run()
    labelled(app, "text_input", "What it is for").set_value("Kiosk robot")
    labelled(app, "text_input", "Its e-mail address").set_value("kiosk@example.com")
    press(app, "Let it in")
    assert errors(app)[0].startswith("This must be its e-mail address")
    labelled(app, "text_input", "Its e-mail address").set_value(email)
    press(app, "Let it in")
    assert not app.code
    key = listed(salon)["Kiosk robot"]
    assert (key["serviceAccount"], key["works"]) == (email, True)
    assert f"{email} · may see which tools there are, use tools" in said(app)
