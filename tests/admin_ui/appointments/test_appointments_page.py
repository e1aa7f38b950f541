"""Appointments on their page: made, moved, corrected, cancelled, and noted as missed."""

from datetime import timedelta

import pytest

from switchboard.contract.store import Query, Update
from switchboard.desk.bookings.booking import Booking, read_booking
from tests.admin_ui.conftest import labelled, labels, part, press, said
from tests.admin_ui.team import TEAM, WITHIN, booked, furnish, in_utc

pytestmark = pytest.mark.requirement("004-652")


def stored(live) -> list[Booking]:
    """Return every appointment as it is stored."""
    documents = live.within(live.house.store.query(Query(WITHIN.collection("bookings"))))
    return [booking for booking in map(read_booking, documents) if booking is not None]


def fill(app, customer: str, phone: str = "") -> None:
    """Fill in whom a new appointment is for, tomorrow."""
    labelled(app, "text_input", "Customer").set_value(customer)
    labelled(app, "text_input", "Phone").set_value(phone)


def test_an_appointment_is_made_for_tomorrow_and_shown_there(opened, salon):
    """What is wrong stands below its field, and what was typed stays."""
    furnish(salon, *TEAM)
    in_utc(salon)
    app = part(opened("appointments"), "Tomorrow")
    press(app, "New appointment")
    fill(app, "Jürgen Müller", "12")
    press(app, "Make the appointment")
    assert "This is not a number that can be called" in said(app)
    assert (labelled(app, "text_input", "Customer").value, stored(salon)) == ("Jürgen Müller", [])
    fill(app, "Jürgen Müller", "(518) 555-0161")
    press(app, "Make the appointment")
    (booking,) = stored(salon)
    assert (booking.customer_name, booking.customer_phone, booking.channel) == ("Jürgen Müller", "+15185550161", "desk")
    assert "Jürgen Müller" in said(app)


def test_an_appointment_is_moved_corrected_and_cancelled(opened, salon):
    """Each by whoever opened it."""
    furnish(salon, *TEAM)
    in_utc(salon)
    booked(salon, "7", 1, TEAM[0])
    (before,) = stored(salon)
    app = part(opened("appointments"), "Tomorrow")
    press(app, "Open")
    press(app, "Move")
    field = next(one for one in app.date_input if one.label == "Day")
    field.set_value(field.value + timedelta(days=1))
    press(app, "Move it")
    (moved,) = stored(salon)
    assert moved.start - before.start == timedelta(days=1)
    app = part(app, "7 days")
    # What was opened stays open on another list.
    press(app, "Correct")
    labelled(app, "text_input", "Customer").set_value("Anna Meyer")
    press(app, "Save")
    assert [booking.customer_name for booking in stored(salon)] == ["Anna Meyer"]
    press(app, "Cancel it")
    press(app, "Yes, cancel it")
    assert [booking.status for booking in stored(salon)] == ["cancelled"]


@pytest.mark.requirement("004-1101")
@pytest.mark.parametrize("seats", [0, 6])
def test_how_many_come_is_changed_where_something_is_for_several(opened, salon, seats):
    """Where nothing is, nobody is asked for it."""
    furnish(salon, *TEAM)
    in_utc(salon)
    booked(salon, "7", 1, TEAM[0])
    table = {"id": "table", "name": "Table", "kind": "table", "seats": seats}
    fields = {"resources": [table], "services": [{"name": "Haircut", "needs": [{"kind": "table"}]}]}
    salon.within(salon.house.store.commit([Update(WITHIN.business, fields)]))
    app = part(opened("appointments"), "Tomorrow")
    press(app, "Open")
    press(app, "Move")
    if seats:
        labelled(app, "number_input", "How many come").set_value(4)
        press(app, "Move it")
        assert [booking.party for booking in stored(salon)] == [4]
    else:
        assert not app.number_input


@pytest.mark.requirement("004-1705")
@pytest.mark.parametrize("seats", [0, 6])
def test_how_many_come_is_asked_of_a_new_appointment_where_something_is_for_several(opened, salon, seats):
    """More than there are seats are told so below, and nothing is booked; what was typed stays."""
    furnish(salon)
    in_utc(salon)
    table = {"id": "table", "name": "Table", "kind": "table", "seats": seats}
    service = {"name": "Lunch", "durationMinutes": 60, "needs": [{"kind": "table"}]}
    salon.within(salon.house.store.commit([Update(WITHIN.business, {"resources": [table], "services": [service]})]))
    app = part(opened("appointments"), "Tomorrow")
    press(app, "New appointment")
    labelled(app, "selectbox", "Service").set_value("Lunch")
    fill(app, "Anna Whitfield")
    if not seats:
        assert not app.number_input
        press(app, "Make the appointment")
        assert [booking.party for booking in stored(salon)] == [1]
        return
    labelled(app, "number_input", "How many come").set_value(7)
    press(app, "Make the appointment")
    assert "at most 6" in said(app)
    assert (labelled(app, "number_input", "How many come").value, stored(salon)) == (7, [])
    labelled(app, "number_input", "How many come").set_value(5)
    press(app, "Make the appointment")
    assert [booking.party for booking in stored(salon)] == [5]
    assert "5 people" in said(app)


def test_who_did_not_come_is_noted(opened, salon):
    """Only of what has begun."""
    furnish(salon, *TEAM)
    in_utc(salon)
    booked(salon, "7", -2, TEAM[0])
    app = part(opened("appointments"), "Last 7 days")
    press(app, "Open")
    assert "Move" not in labels(app)
    press(app, "They did not come")
    assert [booking.status for booking in stored(salon)] == ["no_show"]
    press(app, "They came after all")
    assert [booking.status for booking in stored(salon)] == ["confirmed"]


def test_a_customers_appointments_are_found_on_any_day(opened, salon):
    """By a part of the name, however it is written."""
    furnish(salon, *TEAM)
    in_utc(salon)
    for number, days in enumerate((1, 9, 20)):
        booked(salon, str(number), days, TEAM[0])
    app = opened("appointments")
    assert "There is no appointment here." in said(app)
    app.text_input(key="appointments_text").set_value("customer").run()
    assert labels(app).count("Open") == 3


def test_a_stale_page_changes_nothing_and_shows_both_versions(opened, salon):
    """Somebody else was faster."""
    furnish(salon, *TEAM)
    in_utc(salon)
    booked(salon, "7", 1, TEAM[0])
    app = part(opened("appointments"), "Tomorrow")
    press(app, "Open")
    press(app, "Cancel it")
    document = WITHIN.document("bookings", "bk_7")
    salon.put(Update(document, {"customerName": "Somebody Else"}))
    press(app, "Yes, cancel it")
    assert "has changed this since you opened it" in said(app) or "Somebody Else" in said(app)
