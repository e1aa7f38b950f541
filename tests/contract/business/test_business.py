"""A business document is read tolerantly: what is wrong is reported, the rest keeps working."""

import unicodedata
from datetime import date, time

import pytest

from switchboard.contract.business.business import CALENDARS, read_business
from switchboard.contract.business.working_hours import WEEKDAYS
from tests.each import each

WHOLE = {
    "name": "Salon",
    "timezone": "America/New_York",
    "ai": {"tone": "warm", "language": "de", "callerVerification": "match"},
    "services": [{"name": " Hair  cut ", "durationMinutes": 30, "price": "$40", "bufferAfterMinutes": 5}],
    "workingHours": {
        "monday": [{"open": "13:00", "close": "18:00"}, {"open": "09:00", "close": "12:00"}],
        "tuesday": {"open": "00:00", "close": "24:00"},
        "sunday": "closed",
        "exceptions": {"2026-12-24": [{"open": "09:00", "close": "11:00"}], "2026-12-25": []},
    },
    "integrations": {"builtinCalendar": {"isConnected": True, "minNoticeMinutes": 60}},
    "escalation": {"rules": [{"action": "transfer", "id": "owner"}]},
    "features": {"records": True, "beta": False},
    "enabledTools": ["end_call"],
}


def test_a_whole_business_is_read_without_problems():
    """Hours are sorted, names tidied, switches read."""
    business = read_business("b", WHOLE)
    assert business.problems == ()
    assert business.service_named("HAIR CUT") is business.services[0]
    monday = business.working_hours.on(date(2026, 11, 23))
    assert [(o.opens, o.closes) for o in monday] == [(time(9), time(12)), (time(13), time(18))]
    assert business.working_hours.on(date(2026, 11, 24))[0].closes == time.max
    assert business.working_hours.on(date(2026, 12, 25)) == ()
    assert business.working_hours.on(date(2026, 12, 24))[0].closes == time(11)
    assert business.integrations["builtinCalendar"].is_usable
    assert (business.features, business.enabled_tools) == (frozenset({"records"}), frozenset({"end_call"}))


@pytest.mark.requirement("004-929")
def test_a_day_without_its_year_is_of_every_year():
    """Before the weekday and behind a day that is named itself; February 29 is there when there is one."""
    own = {"12-25": "closed", "02-29": "closed", "12-24": {"open": "09:00", "close": "11:00"}, "2027-12-25": None}
    opens = {"open": "09:00", "close": "18:00"}
    special = own | {"2028-12-25": [opens]}
    hours = read_business("b", {"workingHours": dict.fromkeys(WEEKDAYS, opens) | {"exceptions": special}}).working_hours
    open_days = [day for year in (2026, 2027, 2028, 2031) if hours.on(day := date(year, 12, 25))]
    assert (open_days, hours.on(date(2044, 12, 24))[0].closes) == ([date(2028, 12, 25)], time(11))
    assert (hours.on(date(2028, 2, 29)), hours.on(date(2027, 2, 28))[0].closes) == ((), time(18))
    assert [hours.is_special(date(2030, 12, day)) for day in (23, 24, 25)] == [False, True, True]


@pytest.mark.requirement("004-929")
@pytest.mark.parametrize("day", ["02-30", "13-01", "1-1", "12.25", "12-25-2026", "--12-25", "١٢-٢٥"])
def test_what_is_no_day_of_any_year_is_named(day):
    """With how either kind is written; the other days count."""
    business = read_business("b", {"workingHours": {"exceptions": {day: "closed", "12-26": "closed"}}})
    (problem,) = [one for one in business.problems if "exceptions" in one]
    assert repr(day) in problem and "2026-12-24" in problem and "12-25 for every year" in problem
    assert set(business.working_hours.yearly) == {(12, 26)}


@each(
    ("wanted", "service"),
    [
        ("cafe creme", "Café Crème"),
        ("CAFE\u0301  CRE\u0300ME", "Café Crème"),
        ("x ray", "X-Ray"),
        ("Cut", "Cut"),
        ("cut +", "Cut +"),
        ("resume", "Resume"),
        ("résumé", "Résumé"),
        ("reSUMÉ", None),
        ("!", None),
        ("", None),
    ],
)
def test_a_service_is_found_however_its_name_is_spelt(wanted: str, service: str | None):
    """Both are folded alike; marks tell where there are two of the same letters, and nothing is guessed."""
    names = ("Cafe\u0301 Cre\u0300me", "X-Ray", "Cut", "Cut +", "Resume", "Résumé", "?")
    business = read_business("b", {"services": [{"name": name, "durationMinutes": 30} for name in names]})
    found = business.service_named(wanted)
    assert (found and unicodedata.normalize("NFC", found.name)) == service


def test_somebody_does_a_service_in_whatever_way_its_letters_are_composed():
    """A page and a file may have typed the same name in two ways."""
    rosa = {"id": "rosa", "name": "Rosa", "services": ["cafe\u0301 CRÈME"]}
    (resource,) = read_business("b", {"resources": [rosa]}).resources
    assert [resource.does(name) for name in ("Café Cre\u0300me", "Cafe Creme", "")] == [True, False, True]


def test_an_empty_document_is_a_business_that_offers_little():
    """A tenant that has filled in nothing yet is still served; that its clock is not known is told."""
    business = read_business("b", {})
    zone = "timezone: is missing: name an IANA zone such as Europe/Berlin"
    assert (business.name, business.timezone.key, business.zone_problem) == ("b", "UTC", zone)
    assert business.problems == (zone,)


@each(
    "broken",
    [
        {"timezone": "Mars/Olympus"},
        {"timezone": 5},
        {"timezone": "../../etc/passwd"},
        {"services": "Haircut"},
        {"services": [{"name": "x", "durationMinutes": -5}]},
        {"services": [{"durationMinutes": 5}, "Haircut"]},
        {"services": [{"name": "x", "durationMinutes": 5, "bufferAfterMinutes": "soon"}]},
        {"workingHours": []},
        {"workingHours": {"monday": [{"open": "9", "close": "25:00"}]}},
        {"workingHours": {"monday": [{"open": "18:00", "close": "09:00"}]}},
        {"workingHours": {"exceptions": {"christmas": []}}},
        {"workingHours": {"exceptions": ["2026-12-25"]}},
        {"integrations": {"googleCalendar": True}},
        {"integrations": []},
        {"escalation": {"rules": "transfer"}},
        {"features": "records"},
        {"enabledTools": "all"},
        {"name": 7},
    ],
)
def test_a_malformed_field_is_reported_and_costs_only_itself(broken):
    """One tenant's slip must not take its receptionist off the air."""
    business = read_business("b", {"email": "hello@example.com"} | broken)
    assert business.problems
    assert business.email == "hello@example.com"


@each("zone", ["Mars/Olympus", "", None])
def test_without_a_known_time_zone_there_is_no_calendar_and_everything_else_goes_on(zone):
    """An appointment in the wrong zone is worse than none; a text and a message need no clock."""
    connected = {name: {"isConnected": True} for name in (*CALENDARS, "twilio", "email")}
    business = read_business("b", WHOLE | {"timezone": zone, "integrations": connected})
    assert sorted(business.integrations) == ["email", "twilio"]
    assert business.usable_calendar == ""


@each(
    ("broken", "named"),
    [
        ({"timezone": "Europe/Belrin"}, "Europe/Berlin comes nearest"),
        ({"timezone": None, "timezonee": "America/New_York"}, "'timezonee', which nothing reads"),
        ({"timezone": None, "timeZone": "America/New_York"}, "'timeZone', which nothing reads"),
    ],
)
def test_a_mistyped_zone_is_told_with_what_it_seems_to_mean(broken, named):
    """Whoever reads why nothing is offered knows what to correct."""
    assert named in read_business("b", WHOLE | broken).zone_problem


def test_an_owners_fillers_are_read_and_one_that_is_no_text_is_left_out() -> None:
    """One bad entry must not silence the others."""
    read = read_business("salon", {"ai": {"fillers": [" Hang  on. ", 5, ""]}})
    assert read.fillers == ("Hang on.",)
    assert "ai.fillers: every entry must be text; 2 left out" in read.problems
    assert read_business("salon", {"ai": {"fillers": "Hang on."}}).fillers == ()
