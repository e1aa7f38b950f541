"""Details, hours, services, people, caller checks and connections: what is saved is what the server then has."""

from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from admin_ui.business import calendar_names
from admin_ui.business.hours_text import NotHours, read, read_days, written, written_days
from switchboard.contract.business.business import CALENDARS
from switchboard.contract.store import Query, Set
from switchboard.contract.vendors import OUTSIDE_CALENDARS
from switchboard.desk.escalation.transfers import destinations
from switchboard.integrations.caldav.calendars import CaldavCalendars
from switchboard.integrations.caldav.discovery import Listed
from tests.admin_ui.conftest import labelled, labels, part, press, said
from tests.admin_ui.premises import PATHS, SALON, LiveServer, token


def stored(live: LiveServer) -> dict:
    return dict(live.within(live.house.store.get(PATHS.within(SALON).business)).data)


def field(app, kind: str, name: str):
    """Return a field by the end of its key, the beginning of which changes with each reading."""
    return next(one for one in getattr(app, kind) if str(one.key).endswith(f"/{name}"))


def test_a_detail_is_changed_and_the_rest_stays(opened, salon):
    """Only what was touched is sent."""
    before = stored(salon)
    app = opened("business")
    field(app, "text_input", "ai.greeting").set_value("Hello, Maple Street.")
    press(app, "Save")
    after = stored(salon)
    assert after["ai"] == before["ai"] | {"greeting": "Hello, Maple Street."}
    assert after["services"] == before["services"]
    assert field(app, "text_input", "ai.greeting").value == "Hello, Maple Street."


def test_the_words_while_something_takes_a_moment_are_written_a_line_each(opened, salon):
    """Empty again, and the usual ones are said."""
    app = opened("business")
    field(app, "text_area", "ai.fillers").set_value("One moment, please.\n\n  Let me see.  ")
    press(app, "Save")
    assert stored(salon)["ai"]["fillers"] == ["One moment, please.", "Let me see."]
    field(app, "text_area", "ai.fillers").set_value(" ")
    press(app, "Save")
    assert not stored(salon)["ai"].get("fillers")


def test_saving_nothing_says_so(opened, salon):
    """Nothing is written and nothing is audited."""
    entries = Query(PATHS.within(SALON).collection("audit"))
    before = salon.within(salon.house.store.count(entries))
    app = opened("business")
    press(app, "Save")
    assert "There is nothing to save" in said(app)
    assert salon.within(salon.house.store.count(entries)) == before


def test_what_cannot_be_kept_is_told_in_the_server_s_words(opened, salon):
    """Every problem at once, and what was typed stays."""
    app = opened("business")
    field(app, "text_input", "email").set_value("nobody")
    field(app, "text_input", "website").set_value("maple")
    press(app, "Save")
    assert "Email must be an address such as hello@example.com." in said(app)
    assert "Website must be a web address" in said(app)
    assert "Nothing was changed." in said(app)
    assert field(app, "text_input", "email").value == "nobody"


def test_hours_are_read_as_people_write_them(opened, salon):
    """A break, a day off and a special day; one that is taken out is gone."""
    app = part(opened("business"), "Hours")
    assert field(app, "text_input", "thursday").value == "09:00-12:30, 13:30-18:00"
    field(app, "text_input", "monday").set_value("8 - 12, 13:30 to 17")
    field(app, "text_input", "sunday").set_value("")
    field(app, "text_area", "special").set_value("2027-05-01 closed")
    press(app, "Save")
    hours = stored(salon)["workingHours"]
    assert hours["monday"] == [{"open": "08:00", "close": "12:00"}, {"open": "13:30", "close": "17:00"}]
    assert hours["sunday"] == "closed"
    assert hours["exceptions"] == {"2027-05-01": "closed"}


def test_hours_that_cannot_be_read_say_how_to_write_them(opened, salon):
    """Nothing is sent."""
    app = part(opened("business"), "Hours")
    field(app, "text_input", "monday").set_value("in the morning")
    press(app, "Save")
    assert "Write 09:00-18:00, or closed." in said(app)
    assert stored(salon)["workingHours"]["monday"] == "closed"


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("", "closed"),
        ("Closed", "closed"),
        ("9-17", [{"open": "09:00", "close": "17:00"}]),
        ("9.30\u201317:15", [{"open": "09:30", "close": "17:15"}]),
        ("09:00 to 12:00 , 13-18", [{"open": "09:00", "close": "12:00"}, {"open": "13:00", "close": "18:00"}]),
    ],
)
def test_hours_in_every_spelling(text, hours):
    """What is written back is read as the same."""
    assert read(text) == hours
    assert read(written(hours)) == hours
    assert read_days(written_days({"2027-01-01": hours})) == {"2027-01-01": hours}


@pytest.mark.parametrize("text", ["9", "9-", "morning", "9-17-18", "9-12 13-18"])
def test_what_is_no_hours_is_refused(text):
    """Nothing is guessed."""
    with pytest.raises(NotHours):
        read(text)
    with pytest.raises(NotHours):
        read_days(f"2027-01-01 {text}")


@pytest.mark.parametrize(
    ("text", "opening"),
    [
        ("9am-6pm", ("09:00", "18:00")),
        ("9 AM to 12:30 p.m.", ("09:00", "12:30")),
        ("12pm-3pm", ("12:00", "15:00")),
        ("6pm-12am", ("18:00", "24:00")),
        ("18-0", ("18:00", "24:00")),
        ("12am-8am", ("00:00", "08:00")),
    ],
)
def test_hours_of_a_clock_of_twelve_hours_are_understood(text, opening):
    """As they stand on many doors; midnight ends the day that it follows."""
    assert read(text) == [dict(zip(("open", "close"), opening, strict=True))]


@pytest.mark.parametrize(("text", "opening"), [("9-5pm", ("09:00", "17:00")), ("9:30-12 pm", ("09:30", "12:00"))])
def test_a_beginning_that_can_only_be_in_the_morning_needs_no_word_for_it(text, opening):
    """It would be behind the end otherwise."""
    assert read(text) == [dict(zip(("open", "close"), opening, strict=True))]


@pytest.mark.parametrize("text", ["1-5pm", "9-10 p.m.", "12-5am"])
def test_a_beginning_that_may_be_before_or_after_noon_is_asked_for(text):
    """A salon that opens from one to five in the afternoon must not be booked at one in the morning."""
    with pytest.raises(NotHours, match="am or pm behind both"):
        read(text)


@pytest.mark.parametrize("text", ["22:00-02:00", "9-5", "6pm-9am"])
def test_hours_that_end_before_they_begin_are_told_how_to_be_written(text):
    """Both for those who mean the afternoon and for those who are open past midnight."""
    with pytest.raises(NotHours, match=r"18:00 or 6pm.*-24:00, and 00:00-0\d:00 for the day after"):
        read(text)


def test_a_special_day_is_written_once():
    """Of two lines nobody could tell which counts."""
    with pytest.raises(NotHours, match="2026-12-24 is there twice"):
        read_days("2026-12-24: 9-13\n2026-12-31: closed\n2026-12-24: closed")


@pytest.mark.requirement("004-929")
def test_a_special_day_of_every_year_is_written_without_its_year(opened, salon):
    """It is kept and shown so, beside days of one year; the API says what it comes to."""
    app = part(opened("business"), "Hours")
    field(app, "text_area", "special").set_value("12-25: closed\n02-29 9-12\n2027-12-25: 9-12")
    press(app, "Save")
    nine = [{"open": "09:00", "close": "12:00"}]
    assert stored(salon)["workingHours"]["exceptions"] == {"12-25": "closed", "02-29": nine, "2027-12-25": nine}
    shown = field(part(opened("business"), "Hours"), "text_area", "special").value
    assert shown == "02-29: 09:00-12:00\n12-25: closed\n2027-12-25: 09:00-12:00"


def test_a_special_day_must_be_a_day():
    """It says which line."""
    with pytest.raises(NotHours, match="Christmas"):
        read_days("Christmas closed")
    with pytest.raises(NotHours, match=r"02-30.*or 12-25 for every year"):
        read_days("02-30: closed")


def test_a_service_is_added_changed_and_removed(opened, salon):
    """Fields that the form does not know stay with it."""
    app = part(opened("business"), "Services")
    count = len(stored(salon)["services"])
    press(app, "Add a service")
    labelled(app, "text_input", "Name").set_value("Perm")
    labelled(app, "text_input", "Minutes").set_value("-5")
    press(app, "Save")
    assert "must be a whole number from 1 to 1440; -5 is too little" in said(app)
    labelled(app, "text_input", "Minutes").set_value("75 min")
    press(app, "Save")
    assert stored(salon)["services"][-1] == {"name": "Perm", "durationMinutes": 75}
    app.button(key="edit/row/0").click().run()
    labelled(app, "text_input", "Price").set_value("$50")
    press(app, "Save")
    assert stored(salon)["services"][0]["price"] == "$50"
    app.button(key=f"edit/row/{count}").click().run()
    press(app, "Remove this service")
    assert len(stored(salon)["services"]) == count


def test_a_refused_service_stays_in_the_form(opened, salon):
    """What was typed is not lost."""
    app = part(opened("business"), "Services")
    press(app, "Add a service")
    labelled(app, "text_input", "Name").set_value("haircut")
    press(app, "Save")
    assert "There are two services called" in said(app)
    assert labelled(app, "text_input", "Name").value == "haircut"
    press(app, "Cancel")
    assert "Add a service" in labels(app)


def test_a_person_is_added_and_a_number_that_cannot_be_rung_is_refused(opened, salon):
    """The server says how to write it."""
    app = part(opened("business"), "People")
    press(app, "Add a person")
    labelled(app, "text_input", "Who").set_value("Night line")
    labelled(app, "text_input", "Phone number").set_value("12")
    press(app, "Save")
    assert "no number that can be rung" in said(app).replace("is no", "no")
    labelled(app, "text_input", "Phone number").set_value("+15185550149")
    press(app, "Save")
    rule = stored(salon)["escalation"]["rules"][-1]
    assert rule.pop("id").startswith("transfer-")
    assert rule == {"label": "Night line", "action": "transfer", "destination": "+15185550149"}


def people(live: LiveServer) -> dict[str, str]:
    """Return whom calls can be put through to, by the ids that tools know them by."""
    live.house.catalog.forget(SALON)
    business = live.within(live.house.catalog.tenant(SALON)).business
    return {person.id: person.label for person in destinations(business)}


def test_nobody_is_taken_for_somebody_else_once_the_list_has_changed(opened, salon):
    """Who says no id is counted by the server; tools that lead to one of them keep leading there."""
    transfers = [
        {"action": "transfer", "label": label, "destination": f"+1518555014{at}"} for at, label in enumerate("ABC")
    ]
    salon.put(Set(PATHS.within(SALON).business, {"escalation": {"rules": transfers}}, merge=True))
    before = people(salon)
    app = part(opened("business"), "People")
    app.button(key="edit/row/0").click().run()
    press(app, "Remove")
    after = people(salon)
    assert after == {id: label for id, label in before.items() if label != "A"}
    press(app, "Add a person")
    labelled(app, "text_input", "Who").set_value("D")
    labelled(app, "text_input", "Phone number").set_value("+15185550149")
    press(app, "Save")
    (new,) = people(salon).keys() - before.keys()
    assert people(salon) == after | {new: "D"}


def test_what_the_form_of_a_person_does_not_know_stays(opened, salon):
    """Such as when somebody can be rung."""
    rule = {"action": "transfer", "id": "desk", "label": "Desk", "destination": "+15185550143", "hours": "business"}
    salon.put(Set(PATHS.within(SALON).business, {"escalation": {"rules": [rule]}}, merge=True))
    app = part(opened("business"), "People")
    app.button(key="edit/row/0").click().run()
    labelled(app, "text_input", "Who").set_value("Front desk")
    press(app, "Save")
    assert stored(salon)["escalation"]["rules"] == [rule | {"label": "Front desk"}]


def test_how_callers_are_checked_is_chosen_in_words(opened, salon):
    """The level is stored as the server knows it."""
    app = part(opened("business"), "Caller checks")
    app.radio[0].set_value("code")
    press(app, "Save")
    assert stored(salon)["ai"]["callerVerification"] == "code"


def test_the_second_of_two_owners_sees_both_versions_and_chooses(opened, salon):
    """Nothing of the second was saved; saving over it, and giving way, are one click each."""
    first, second = opened("business"), opened("business", {SALON: token("partner")})
    field(first, "text_input", "industry").set_value("barber")
    field(second, "text_input", "industry").set_value("salon and spa")
    press(first, "Save")
    press(second, "Save")
    assert stored(salon)["industry"] == "barber"
    text = said(second)
    assert "has changed this since you opened it" in text
    assert "barber" in text
    assert "salon and spa" in text
    press(second, "Save mine instead")
    assert stored(salon)["industry"] == "salon and spa"
    field(first, "text_input", "industry").set_value("third")
    press(first, "Save")
    assert "partner@example.com has changed this" in said(first)
    press(first, "Keep what is saved now")
    assert stored(salon)["industry"] == "salon and spa"
    assert field(first, "text_input", "industry").value == "salon and spa"


def test_a_connection_is_set_up_and_its_secret_is_never_shown(opened, salon):
    """Drawn from its toolkit.json; a secret goes in, and only its date comes out."""
    app = part(opened("business"), "Connections")
    assert "Not connected" in said(app)
    field(app, "text_input", "smtpServer").set_value("mail.example.com")
    field(app, "text_input", "fromEmail").set_value("hello@example.com")
    field(app, "text_input", "password").set_value("swordfish")
    save_form(app, "password")
    assert stored(salon)["integrations"]["email"]["isConnected"] is True
    kept = field(app, "text_input", "password")
    assert kept.value == ""
    assert "Kept since" in kept.placeholder
    assert "swordfish" not in str(app.main)
    assert "swordfish" not in str(stored(salon))


def save_form(app, name: str):
    """Press the button of the form that a field stands in."""
    form = field(app, "text_input", name).form_id
    next(button for button in app.button if button.form_id == form).click().run()
    assert not app.exception


def test_a_calendar_of_the_account_is_chosen_from_a_list(opened, salon, monkeypatch):
    """Once the account is set up; before that, it is said what comes first."""
    here, there = "https://cal.example.com/work/", "https://cal.example.com/holidays/"
    found = [Listed(here, "Appointments", False), Listed(there, "Holidays", True)]

    async def listed(self, business):
        return found

    monkeypatch.setattr(CaldavCalendars, "listed", listed)
    app = part(opened("business"), "Connections")
    assert "Then the account's calendars can be listed here" in said(app)
    for name, value in (("serverUrl", "https://cal.example.com"), ("appPassword", "swordfish")):
        field(app, "text_input", name).set_value(value)
    form = field(app, "text_input", "appPassword").form_id
    next(it for it in app.text_input if it.form_id == form and str(it.key).endswith("/username")).set_value("me")
    save_form(app, "appPassword")
    assert stored(salon)["integrations"]["caldavCalendar"]["isConnected"] is False
    assert "Still missing: Calendar" in said(app)
    press(app, "List its calendars")
    select = field(app, "selectbox", "calendarUrl/choice")
    assert select.options == ["Appointments", "Holidays (only for reading)"]
    select.set_value(here)
    save_form(app, "appPassword")
    own = stored(salon)["integrations"]["caldavCalendar"]
    assert (own["isConnected"], own["calendarUrl"]) == (True, here)
    found.clear()
    press(app, "List its calendars")
    assert "no calendar for events" in said(app)


def test_an_address_for_other_calendars_is_made_shown_once_and_revoked(opened, salon):
    """By an owner; an editor sees nothing of it."""
    app = part(opened("business", {SALON: token("owner")}), "Connections")
    field(app, "text_input", "feed/name").set_value("Rosa's phone")
    press(app, "Make an address")
    (url,) = [code.value for code in app.code if code.value.endswith(".ics")]
    with urlopen(url) as answer:
        assert answer.read().startswith(b"BEGIN:VCALENDAR")
    assert "shown this once" in said(app)
    press(app, "I have copied the address")
    assert url not in str(app.main) and "without customers' names" in said(app)
    press(app, "Revoke")
    press(app, "Yes, revoke it")
    with pytest.raises(HTTPError) as gone:
        urlopen(url)
    assert gone.value.code == 404
    gone.value.close()
    app = part(opened("business", {SALON: token("editor")}), "Connections")
    assert "secret address" not in said(app)


def test_the_pages_know_every_calendar_that_can_keep_appointments():
    """By a name of its own, wherever one is spoken of."""
    assert tuple(calendar_names.ALL) == CALENDARS
    assert tuple(calendar_names.OUTSIDE) == tuple(OUTSIDE_CALENDARS)


def test_settings_that_cannot_be_kept_name_the_field(opened, salon):
    """In words: neither the name that it is stored under is shown, nor the pattern that it is held to."""
    app = part(opened("business"), "Connections")
    field(app, "text_input", "accountSid").set_value("AC1")
    save_form(app, "accountSid")
    told = app.error[0].value.replace("\\", "")
    assert "Account sid is not written as it has to be" in told
    assert "accountSid" not in told and "^AC" not in told


def test_disconnecting_is_asked_first_and_names_the_tools_that_go(opened, salon):
    """Saying no keeps everything."""
    app = part(opened("business"), "Connections")
    app.button(key="off/twilio").click().run()
    assert "Disconnect Twilio?" in said(app)
    assert "send_sms" in said(app)
    press(app, "No, keep it")
    assert stored(salon)["integrations"]["twilio"]["isConnected"] is True
    app.button(key="off/twilio").click().run()
    press(app, "Yes, disconnect")
    assert "twilio" not in stored(salon)["integrations"]


def test_an_editor_may_not_connect(opened, salon):
    """States are shown, buttons are not."""
    app = part(opened("business", {SALON: token("editor")}), "Connections")
    assert "only an owner can connect accounts" in said(app)
    assert not {"Connect", "Disconnect", "Save"} & set(labels(app))


def test_a_calendar_that_cannot_be_connected_here_says_why(opened, salon):
    """A deployment without Google's client is no dead button."""
    app = part(opened("business"), "Connections")
    press(app, "Connect")
    assert "Google Calendar is not set up here" in said(app)


def test_two_who_set_up_one_account_see_both_versions_and_no_secret(opened, salon):
    """As with everything else that two may change at once."""
    first, second = (part(opened("business", {SALON: token(who)}), "Connections") for who in ("owner", "partner"))
    for app, server in ((first, "mail.example.com"), (second, "post.example.com")):
        field(app, "text_input", "smtpServer").set_value(server)
        field(app, "text_input", "fromEmail").set_value("hello@example.com")
        field(app, "text_input", "password").set_value("swordfish")
        save_form(app, "password")
    text = said(second)
    assert "has changed this since you opened it" in text
    assert "mail.example.com" in text and "post.example.com" in text
    assert "swordfish" not in text
    press(second, "Keep what is saved now")
    assert stored(salon)["integrations"]["email"]["smtpServer"] == "mail.example.com"


@pytest.mark.requirement("004-773")
def test_settings_that_take_tools_away_are_saved_only_after_that_was_said(opened, salon):
    """Going back leaves them as they were; what takes nothing away is saved at once."""
    before = stored(salon)
    for answer, is_on in (("No, go back", True), ("Save it all the same", False)):
        app = part(opened("business", {SALON: token("owner")}), "Settings")
        field(app, "toggle", "feature/records").set_value(False)
        press(app, "Save")
        assert "not saved yet: callers would lose tools by it" in said(app)
        assert "the feature records is switched off" in said(app)
        assert stored(salon) == before
        press(app, answer)
        assert stored(salon)["features"]["records"] is is_on


def test_the_portal_and_the_features_are_set(opened, salon):
    """Only what was touched is sent; a number is assigned by whoever looks after every business."""
    app = part(opened("business", {SALON: token("owner")}), "Settings")
    assert field(app, "text_input", "twilioNumber").disabled
    field(app, "text_input", "greeting").set_value("Welcome to Maple Street!")
    field(app, "toggle", "visitors").set_value(not field(app, "toggle", "visitors").value)
    was_open = (stored(salon).get("portal") or {}).get("visitors") is True
    field(app, "toggle", "feature/records").set_value(True)
    press(app, "Save")
    after = stored(salon)
    assert after["portal"] == {"visitors": not was_open, "greeting": "Welcome to Maple Street!"}
    assert after["features"]["records"] is True
    app = part(opened("business", {SALON: token("owner")}), "Settings")
    press(app, "Save")
    assert "There is nothing to save" in said(app)


def test_the_calendar_that_keeps_the_appointments_is_chosen(opened, salon):
    """In words that say what follows while it cannot be used; by an owner."""
    before = stored(salon)["integrations"]
    app = part(opened("business", {SALON: token("owner")}), "Settings")
    field(app, "selectbox", "calendar").set_value("builtinCalendar")
    press(app, "Save")
    assert stored(salon)["integrations"] == before | {"calendar": "builtinCalendar"}
    app = part(opened("business", {SALON: token("owner")}), "Settings")
    assert "offered no appointments" in field(app, "selectbox", "calendar").help
    field(app, "selectbox", "calendar").set_value("")
    press(app, "Save")
    assert stored(salon)["integrations"] == before
    app = part(opened("business", {SALON: token("editor")}), "Settings")
    assert field(app, "selectbox", "calendar").disabled


def test_a_platform_admin_assigns_the_number_that_callers_dial(opened, salon):
    """Another one than was there."""
    app = part(opened("business", {SALON: token("platform")}), "Settings")
    field(app, "text_input", "twilioNumber").set_value("+15185550199")
    press(app, "Save")
    assert stored(salon)["twilioNumber"] == "+15185550199"


def test_pipedream_says_what_to_do(opened, salon):
    """There is nothing to fill in, and yet something to be done."""
    text = said(part(opened("business"), "Connections"))
    assert "Apps of yours, such as a sheet, are connected at Pipedream" in text


@pytest.mark.requirement("003-443")
def test_the_limits_of_a_turn_are_set_within_what_the_house_allows_and_taken_out_again(opened, salon):
    """Empty means as the house says, which stands in the field."""
    app = part(opened("business"), "Limits")
    look_ups = field(app, "text_input", "limits/phone/lookUpsPerTurn")
    assert (look_ups.value, look_ups.placeholder) == ("", "2, at most 6")
    look_ups.set_value("7")
    press(app, "Save")
    assert "from 1 to 6" in said(app) and "limits" not in stored(salon)
    field(app, "text_input", "limits/phone/lookUpsPerTurn").set_value("5")
    press(app, "Save")
    assert stored(salon)["limits"] == {"phone": {"lookUpsPerTurn": 5}}
    field(app, "text_input", "limits/phone/lookUpsPerTurn").set_value("")
    press(app, "Save")
    assert not (stored(salon).get("limits") or {}).get("phone")


ODD = {
    "phone": 15185550143,
    "timezone": None,
    "ai": "friendly",
    "workingHours": ["09:00-18:00"],
    "services": ["Haircut", {"name": "Colour", "durationMinutes": "an hour", "price": 95}],
    "escalation": {"rules": [5, {"action": "transfer", "label": ["Rosa"], "destination": 15185550144}]},
    "limits": [5],
    "integrations": {"calendar": ["googleCalendar"], "builtinCalendar": True},
    "portal": "open",
    "features": "all",
}


@pytest.mark.parametrize(
    "odd", [ODD, {name: [5] for name in ODD}, {"ai": {"fillers": "Yes?", "tone": {}}, "limits": {"phone": 5}}]
)
def test_what_stands_there_by_hand_keeps_no_form_from_being_drawn(opened, salon, odd):
    """Each part can be opened, and saving mends it; a number is a text without its quotes."""
    salon.put(Set(PATHS.within(SALON).business, stored(salon) | odd))
    salon.house.catalog.forget(SALON)
    app = opened("business")
    if odd is ODD:
        assert field(app, "text_input", "phone").value == "15185550143"
    for name in ("Hours", "Caller checks", "Limits", "Settings"):
        assert "Save" in labels(part(app, name))
    for name in ("Services", "People"):
        part(app, name)
        if odd is ODD:
            app.button(key="edit/row/0").click().run()
            assert not app.exception
    assert "Something in this business's settings cannot be used." in said(opened("overview"))
    app = part(opened("business"), "Hours")
    field(app, "text_input", "monday").set_value("9-17")
    press(app, "Save")
    assert stored(salon)["workingHours"]["monday"] == [{"open": "09:00", "close": "17:00"}], said(app)
