"""Customers on their page: found, entered, corrected, joined, flagged, told and forgotten."""

import pytest

from switchboard.contract.store import Query, Set
from tests.admin_ui.conftest import labelled, labels, press, said
from tests.admin_ui.premises import PATHS, SALON
from tests.admin_ui.team import TEAM, booked, furnish

pytestmark = pytest.mark.requirement("004-652")
WITHIN = PATHS.within(SALON)


@pytest.fixture
def alone(salon):
    """The salon with one customer on file, and another of whom appointments alone know."""
    salon.empty(SALON, "callers", "outbox", "sessions")
    furnish(salon, *TEAM)
    booked(salon, "7", 1, TEAM[0])
    record = {"name": "Jürgen Müller", "phone": "+15185550161", "nameKeys": ["mu", "mul", "mull", "mulle", "muller"]}
    salon.put(Set(WITHIN.document("callers", "clr_1"), record | {"phoneNormalised": "+15185550161"}))
    yield salon
    salon.empty(SALON, "callers")


def on_file(live) -> list[str]:
    """Return the names on file."""
    documents = live.within(live.house.store.query(Query(WITHIN.collection("callers"))))
    return sorted(document.data.get("name") or "" for document in documents)


def test_a_customer_is_found_and_corrected(opened, alone):
    """What is wrong stands below its field."""
    app = opened("customers")
    app.text_input(key="customers_text").set_value("mueller").run()
    press(app, "Open")
    press(app, "Correct")
    labelled(app, "text_input", "Phone").set_value("12")
    press(app, "Save")
    assert "This is not a number that can be called" in said(app)
    labelled(app, "text_input", "Phone").set_value("518 555 0169")
    labelled(app, "text_input", "Name").set_value("Georg Müller")
    press(app, "Save")
    assert on_file(alone) == ["Georg Müller"]
    assert "+15185550169" in said(app)


def test_whoever_is_known_by_appointments_alone_is_put_on_file(opened, alone):
    """With what is known of them."""
    app = opened("customers")
    app.text_input(key="customers_text").set_value("customer").run()
    assert "Known by appointments alone" in said(app)
    press(app, "Put on file")
    assert labelled(app, "text_input", "Name").value == "Customer 7"
    press(app, "Enter the customer")
    assert on_file(alone) == ["Customer 7", "Jürgen Müller"]


def enter_lena_with_his_number(opened, alone, kind, field, number):
    """Enter somebody with a number of somebody else's, which is asked about; twice is a yes."""
    app = opened("customers")
    press(app, "New customer")
    labelled(app, "text_input", "Name").set_value("Lena Müller")
    labelled(app, kind, field).set_value(number)
    press(app, "Enter the customer")
    assert "is on file already: Jürgen Müller" in said(app)
    press(app, "Enter the customer")
    assert on_file(alone) == ["Jürgen Müller", "Lena Müller"]


def test_a_number_that_is_on_file_is_asked_about_once(opened, alone):
    """Entered again, it is somebody else's as well."""
    enter_lena_with_his_number(opened, alone, "text_input", "Phone", "(518) 555-0161")


@pytest.mark.requirement("004-921")
def test_a_further_number_of_somebody_else_is_asked_about_once_as_well(opened, alone):
    """Where somebody is entered, and where somebody is corrected; other numbers are asked about anew."""
    enter_lena_with_his_number(opened, alone, "text_area", "Other numbers, one in a line", "518 555 0161")
    app = opened("customers")
    press(app, "New customer")
    labelled(app, "text_input", "Name").set_value("Anna Ott")
    labelled(app, "text_input", "Phone").set_value("518 555 0168")
    press(app, "Enter the customer")
    press(app, "Correct")
    labelled(app, "text_area", "Other numbers, one in a line").set_value("518 555 0161")
    press(app, "Save")
    # Two have it by now, who are named in no order.
    (asked,) = (line for line in said(app).splitlines() if "is on file already" in line)
    assert "Jürgen Müller" in asked and "Lena Müller" in asked and "Save it again" in asked
    press(app, "Save")
    assert "Save it again" not in said(app) and "+15185550161" in said(app)


def test_a_customer_is_forgotten_after_a_second_question(opened, alone):
    """And told all that is kept before, if that is wanted."""
    app = opened("customers")
    press(app, "Open")
    press(app, "Export")
    assert "Export" not in labels(app)
    press(app, "Forget them")
    assert on_file(alone) == ["Jürgen Müller"]
    press(app, "Yes, forget them")
    assert on_file(alone) == []
    assert "Nobody is on file yet." in said(app)


@pytest.mark.requirement("004-900")
def test_who_shares_a_number_is_not_told_with_somebody_else_and_both_are_named(opened, alone):
    """In place of the export, with the page as it was; neither is deleted."""
    other = {"name": "Anna Ott", "phone": "+15185550161", "phoneNormalised": "+15185550161", "nameKeys": ["ott"]}
    alone.put(Set(WITHIN.document("callers", "clr_2"), other))
    app = opened("customers", customer="clr_1")
    press(app, "Export")
    assert not app.exception
    assert any("Anna Ott" in error.value for error in app.error), said(app)
    assert "Correct" in labels(app) and on_file(alone) == ["Anna Ott", "Jürgen Müller"]
