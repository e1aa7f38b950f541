"""Who is turned away, on the business's page: a number is flagged or blocked, seen in the list, and lifted."""

from datetime import UTC, datetime

import pytest

from admin_ui.shell.server import Server
from switchboard.contract.store import Set
from switchboard.desk.messaging.sms import stop_path
from tests.admin_ui.conftest import labelled, part, press, said
from tests.admin_ui.premises import PATHS, SALON, LiveServer, token
from tests.admin_ui.tool_building import errors

PLACE = f"/admin/businesses/{SALON}/restrictions"


def listed(live: LiveServer) -> list[dict]:
    found: list[dict] = Server(live.url, token("owner")).get(PLACE).body["restrictions"]
    return found


def turned_away(opened, who: str = "owner"):
    return part(opened("business", {SALON: token(who)}), "Turned away")


@pytest.mark.requirement("004-111")
def test_a_number_is_turned_away_and_let_in_again(opened, salon):
    """The list says who it is, why and by whom; a lifted one is gone."""
    app = turned_away(opened)
    labelled(app, "text_input", "Number to turn away").set_value("(518) 555-0188")
    labelled(app, "text_input", "Why, for you and your colleagues").set_value("Shouted.")
    press(app, "Turn it away")
    (row,) = [row for row in listed(salon) if row["phone"] == "+15185550188"]
    assert row["flagged"]
    assert "5185550188" in said(app) and "Shouted." in said(app) and "flagged" in said(app)
    press(app, "Lift")
    press(app, "Yes, lift it")
    assert [row for row in listed(salon) if row["phone"] == "+15185550188"] == []


@pytest.mark.requirement("004-111")
def test_a_number_that_is_none_is_told_at_its_field(opened, salon):
    """And nobody is turned away."""
    app, before = turned_away(opened), listed(salon)
    labelled(app, "text_input", "Number to turn away").set_value("12")
    labelled(app, "text_input", "Why, for you and your colleagues").set_value("Shouted.")
    press(app, "Turn it away")
    assert "not a phone number" in " ".join(errors(app))
    assert listed(salon) == before


@pytest.mark.requirement("004-111")
def test_who_may_only_look_sees_the_list_and_no_form(opened, salon):
    """Turning callers away is the owner's."""
    app = turned_away(opened, "viewer")
    assert not [field for field in app.text_input if field.label == "Number to turn away"]


def test_a_number_gets_no_texts_and_gets_them_again(opened, salon):
    """Below those who are turned away; texting again says what the phone network still may refuse."""
    stops = f"/admin/businesses/{SALON}/text-stops"
    app = turned_away(opened)
    assert "There is no such number." in said(app)
    labelled(app, "text_input", "Number that wants no texts").set_value("12")
    press(app, "Text it no more")
    assert "not a phone number" in errors(app)[0]
    labelled(app, "text_input", "Number that wants no texts").set_value("(518) 555-0187")
    press(app, "Text it no more")
    (row,) = Server(salon.url, token("owner")).get(stops).body["textStops"]
    assert row["number"] == "+15185550187" and "+15185550187" in said(app)
    assert errors(app) == [] and "There is no such number." not in said(app)
    labelled(app, "text_input", "Number that wants no texts").set_value("(518) 555-0187")
    press(app, "Text it no more")
    assert "+15185550187 gets no texts already." in errors(app)[0]
    press(app, "Text again")
    assert "Only for whoever has told you" in said(app) and "sent STOP themselves" not in said(app)
    press(app, "Yes")
    assert Server(salon.url, token("owner")).get(stops).body["textStops"] == []


@pytest.mark.requirement("004-931")
def test_whoever_sent_stop_themselves_is_asked_about_in_these_words(opened, salon):
    """And gets texts again once somebody says that they want them."""
    stop = {"number": "+15185550187", "source": "the caller's STOP", "at": datetime(2026, 3, 10, tzinfo=UTC)}
    salon.put(Set(stop_path(PATHS.within(SALON), "+15185550187"), stop))
    app = turned_away(opened)
    press(app, "Text again")
    assert "sent STOP themselves" in said(app) and "Only for whoever has told you" in said(app)
    press(app, "Yes, they have told me")
    stops = f"/admin/businesses/{SALON}/text-stops"
    assert Server(salon.url, token("owner")).get(stops).body["textStops"] == []
