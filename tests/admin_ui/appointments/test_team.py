"""The team, its rooms and absences, and appointments: what would break is asked before it is saved."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.admin_ui.conftest import labelled, labels, part, press, said
from tests.admin_ui.team import TEAM, WITHIN, booked, furnish, team


@pytest.mark.requirement("004-535")
def test_somebody_is_entered_changed_and_removed(opened, salon):
    """In plain words; hours of one's own are written as the business's are."""
    furnish(salon)
    app = part(opened("business"), "Team and rooms")
    assert "There is nobody yet" in said(app)
    press(app, "Add somebody or something")
    labelled(app, "text_input", "Name").set_value("Rosa Díaz")
    labelled(app, "multiselect", "Services").set_value(["Haircut", "Color"])
    press(app, "Save")
    # Of the services some would be done by nobody: that is asked first.
    assert "This is not saved yet" in said(app) and "Nobody would do" in said(app)
    assert team(salon) == []
    press(app, "Save it all the same")
    rosa = {"id": "rosa-diaz", "name": "Rosa Díaz", "kind": "person", "services": ["Haircut", "Color"]}
    assert team(salon) == [rosa]
    app.button(key="edit/team/rosa-diaz").click().run()
    labelled(app, "multiselect", "Services").set_value([])
    labelled(app, "toggle", "Own hours").set_value(True)
    labelled(app, "text_input", "Monday").set_value("9am-1pm")
    press(app, "Save")
    (now,) = team(salon)
    assert (now.get("services"), now["hours"]["monday"], now["hours"]["sunday"]) == (
        *(None, [{"open": "09:00", "close": "13:00"}], "closed"),
    )
    app.button(key="edit/team/rosa-diaz").click().run()
    press(app, "Remove")
    assert team(salon) == []


@pytest.mark.requirement("004-535")
def test_what_is_wrong_stands_below_its_field(opened, salon):
    """Nothing is saved, and what was typed stays."""
    furnish(salon, *TEAM)
    app = part(opened("business"), "Team and rooms")
    press(app, "Add somebody or something")
    labelled(app, "text_input", "Name").set_value("rosa")
    press(app, "Save")
    assert "There is somebody called 'rosa' already; add a surname" in said(app)
    assert (labelled(app, "text_input", "Name").value, team(salon)) == ("rosa", TEAM)
    press(app, "Cancel")
    assert "Add somebody or something" in labels(app)


@pytest.mark.requirement("004-535")
def test_the_appointments_that_lose_somebody_are_shown_before_it_is_saved(opened, salon):
    """With who could take each; saved all the same, they are given to somebody else on their page."""
    furnish(salon, *TEAM)
    booked(salon, "7", 2, TEAM[1])
    app = part(opened("business"), "Team and rooms")
    app.button(key="edit/team/marcus").click().run()
    press(app, "Remove")
    text = said(app)
    assert "1 appointment would lose its person or room." in text
    assert "· Haircut · Customer 7" in text and "Marcus is not there any more. Free then: Rosa." in text
    press(app, "No, go back")
    assert team(salon) == TEAM
    press(app, "Remove")
    press(app, "Save it all the same")
    assert team(salon) == TEAM[:1]
    app = opened("appointments")
    assert "1 appointment needs somebody." in said(app)
    # Whoever searches wants somebody in particular; afterwards it is told as before.
    for words, is_told in (("customer", False), ("", True)):
        app.text_input(key="appointments_text").set_value(words).run()
        assert ("1 appointment needs somebody." in said(app)) is is_told
    press(app, "Rosa")
    assert "needs somebody" not in said(app)
    stored = salon.within(salon.house.store.get(WITHIN.document("bookings", "bk_7"))).data
    assert stored["resourceIds"] == ["rosa"]


@pytest.mark.requirement("004-535")
def test_an_absence_is_entered_and_removed(opened, salon):
    """Whole days or a part of one; a wrong one is told below its field."""
    furnish(salon, *TEAM)
    booked(salon, "8", 3, TEAM[0])
    day = (datetime.now(UTC) + timedelta(days=3)).date()
    app = part(opened("business"), "Team and rooms")
    labelled(app, "date_input", "First day").set_value(day)
    labelled(app, "date_input", "Last day").set_value(day - timedelta(days=1))
    press(app, "Enter the absence")
    assert "ends before it begins" in said(app)
    labelled(app, "date_input", "Last day").set_value(day)
    labelled(app, "text_input", "Why, for you and your colleagues").set_value("Dentist")
    press(app, "Enter the absence")
    assert "Customer 8" in said(app) and "Rosa is away then." in said(app)
    press(app, "Save it all the same")
    (absence,) = team(salon)[0]["absences"]
    assert (absence["start"], absence["end"], absence["reason"]) == (day.isoformat(), day.isoformat(), "Dentist")
    app = part(opened("business"), "Team and rooms")
    assert "Dentist" in said(app)
    press(app, "Remove")
    press(app, "Yes, remove it")
    assert "absences" not in team(salon)[0] or not team(salon)[0]["absences"]


@pytest.mark.requirement("004-535")
def test_a_service_says_what_it_takes_up(opened, salon):
    """A person and a room; what is usual is not written down."""
    furnish(salon, *TEAM, {"id": "east", "name": "East room", "kind": "room"})
    app = part(opened("business"), "Services")
    app.button(key="edit/row/0").click().run()
    labelled(app, "number_input", "Of the kind room").set_value(1)
    labelled(app, "multiselect", "Only these").set_value(["marcus"])
    press(app, "Save")
    services = salon.within(salon.house.store.get(WITHIN.business)).data["services"]
    assert services[0]["needs"] == [{"kind": "person", "any": ["marcus"]}, {"kind": "room"}]
    app.button(key="edit/row/1").click().run()
    press(app, "Save")
    services = salon.within(salon.house.store.get(WITHIN.business)).data["services"]
    assert "needs" not in services[1]


@pytest.mark.requirement("004-535")
def test_a_day_that_is_closed_over_appointments_is_asked_about(opened, salon):
    """Each is shown with why it could not be made any more; nobody else is offered for it."""
    furnish(salon, *TEAM)
    booked(salon, "7", 2, TEAM[0])
    # At noon where the salon is, or near it.
    weekday = f"{datetime.now(UTC) + timedelta(days=2):%A}"
    app = part(opened("business"), "Hours")
    labelled(app, "text_input", weekday).set_value("closed")
    press(app, "Save")
    text = said(app)
    assert "1 appointment would be at a time when the business is closed." in text
    assert "The business is closed then." in text and "free then" not in text.casefold()
    press(app, "Save it all the same")
    assert salon.within(salon.house.store.get(WITHIN.business)).data["workingHours"][weekday.casefold()] == "closed"


@pytest.mark.requirement("004-535")
def test_what_a_service_needs_is_asked_about_where_an_appointment_would_lose_by_it(opened, salon):
    """As for people: shown first, and saved only if that is wanted."""
    furnish(salon, *TEAM)
    before = salon.within(salon.house.store.get(WITHIN.business)).data["services"]
    booked(salon, "7", 2, TEAM[0])
    app = part(opened("business"), "Services")
    app.button(key="edit/row/0").click().run()
    labelled(app, "multiselect", "Only these").set_value(["marcus"])
    press(app, "Save")
    assert "1 appointment would lose its person or room." in said(app) and "Free then: Marcus." in said(app)
    press(app, "No, go back")
    labelled(app, "multiselect", "Only these").set_value(["marcus"])
    press(app, "Save")
    assert salon.within(salon.house.store.get(WITHIN.business)).data["services"] == before
    press(app, "Save it all the same")
    services = salon.within(salon.house.store.get(WITHIN.business)).data["services"]
    assert services[0]["needs"] == [{"kind": "person", "any": ["marcus"]}]
    assert "not saved yet" not in said(app)


@pytest.mark.requirement("004-535")
def test_a_viewer_looks_and_changes_nothing(opened, salon):
    """With whom each appointment is can be seen by everybody of the business."""
    furnish(salon, *TEAM)
    booked(salon, "9", 2, TEAM[0])
    app = part(opened("appointments"), "7 days")
    assert "Customer 9" in said(app)
    assert "needs somebody" not in said(app)
