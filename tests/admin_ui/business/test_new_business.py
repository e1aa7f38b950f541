"""A business is made on a page: of a template, with its key shown once and what is left to do."""

from collections.abc import Iterator
from urllib.parse import quote

import pytest

from admin_ui.shell.server import Refused, Server
from tests.admin_ui.conftest import labelled, part, press, said
from tests.admin_ui.premises import SALON, LiveServer, token

pytestmark = pytest.mark.requirement("004-680")


@pytest.fixture(autouse=True)
def taken_away(live_server: LiveServer) -> Iterator[None]:
    """Leave the businesses that there were."""
    yield
    for id in ("cedar-dental", "werkstatt-ost"):
        live_server.without(id)


@pytest.fixture
def form(opened, salon):
    """The page as whoever runs all businesses sees it."""
    return opened("new_business", {SALON: token("platform")})


def business(live: LiveServer, id: str) -> dict:
    """Return a business as it is stored."""
    return dict(Server(live.url, token("platform")).get(f"/admin/businesses/{quote(id)}").body["business"])


def test_a_business_is_made_with_its_key_shown_once(form, salon):
    """It has the template's services and what was typed; the key works."""
    labelled(form, "selectbox", "Trade").set_value("practice-en")
    labelled(form, "text_input", "Name").set_value("Cedar Dental")
    labelled(form, "text_input", "Number that rings when a caller wants a person").set_value("+15185550123")
    press(form, "Make the business")
    made = business(salon, "cedar-dental")
    assert made["services"] and [rule["destination"] for rule in made["escalation"]["rules"]] == ["+15185550123"]
    key = str(form.code[0].value)
    assert Server(salon.url, key).definitions("cedar-dental", "portal")["tools"]
    assert "Somebody of the business can sign in" in said(form)
    press(form, "Make another")
    assert not form.code


def test_what_is_wrong_stands_at_its_field_and_what_was_typed_stays(form, salon):
    """In words for people; nothing was made."""
    labelled(form, "text_input", "Name").set_value("Elm Dental")
    labelled(form, "text_input", "Number that callers dial").set_value("518 555 0110")
    labelled(form, "text_input", "Their address, for an e-mail about each message").set_value("elm")
    press(form, "Make the business")
    errors = [error.value for error in form.error]
    assert any("+15185550100" in text for text in errors), errors
    assert not any("twilioNumber" in text or "escalation.rules" in text for text in errors), errors
    assert labelled(form, "text_input", "Name").value == "Elm Dental"
    with pytest.raises(Refused):
        business(salon, "elm-dental")


def test_the_page_is_in_nobody_elses_menu(opened, salon):
    """An owner who opens its address is told that it takes somebody else."""
    app = opened("new_business", {SALON: token("owner")})
    assert not any(button.label == "Make the business" for button in app.button)


def test_a_business_that_nobody_has_called_shows_what_is_left(opened, salon):
    """On its overview."""
    body = {"template": "garage-de", "name": "Werkstatt Ost"}
    Server(salon.url, token("platform")).send("POST", "/admin/businesses", body)
    app = opened("overview", {"werkstatt-ost": token("platform")})
    assert "Before callers can call" in said(app)
    assert "Enter whom they are put through to" in said(app)


@pytest.mark.requirement("004-878")
def test_a_business_is_taken_away_once_what_goes_and_stays_was_seen_and_its_id_was_written(opened, salon):
    """Written wrong, nothing happens and it is said why; then another one is looked at, and it is gone."""
    Server(salon.url, token("platform")).send(
        "POST", "/admin/businesses", {"template": "practice-en", "name": "Cedar Dental", "phone": "+15185550123"}
    )
    page = opened("business", {SALON: token("platform")})
    page.selectbox(key="business").set_value("cedar-dental").run()
    part(page, "Take away")
    assert "What goes" in said(page) and "API keys: 1" in said(page)
    assert "scripts/grant --revoke" in said(page)
    labelled(page, "text_input", "To take it away, write its id: cedar-dental").set_value("cedar")
    press(page, "Take it away")
    assert any("written just so" in error.value for error in page.error)
    assert business(salon, "cedar-dental")
    labelled(page, "text_input", "To take it away, write its id: cedar-dental").set_value("cedar-dental")
    press(page, "Take it away")
    assert not page.exception
    assert page.selectbox(key="business").value == SALON
    with pytest.raises(Refused):
        business(salon, "cedar-dental")


@pytest.mark.requirement("004-878")
def test_an_owner_is_not_shown_how_a_business_is_taken_away(opened, salon):
    page = opened("business", {SALON: token("owner")})
    (parts,) = page.get("segmented_control")
    assert "Take away" not in parts.options
