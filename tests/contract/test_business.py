"""A business document is read tolerantly: what is wrong is reported, the rest keeps working."""

from datetime import date, time

from switchboard.contract.business import read_business
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


def test_an_empty_document_is_a_business_that_offers_little():
    """A tenant that has filled in nothing yet is still served."""
    business = read_business("b", {})
    assert (business.name, business.timezone.key, business.problems) == ("b", "UTC", ())


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


def test_an_unknown_time_zone_disconnects_every_integration():
    """An appointment in the wrong zone is worse than none."""
    assert read_business("b", WHOLE | {"timezone": "Mars/Olympus"}).integrations == {}


def test_an_owners_fillers_are_read_and_one_that_is_no_text_is_left_out() -> None:
    """One bad entry must not silence the others."""
    read = read_business("salon", {"ai": {"fillers": [" Hang  on. ", 5, ""]}})
    assert read.fillers == ("Hang on.",)
    assert "ai.fillers: every entry must be text; 2 left out" in read.problems
    assert read_business("salon", {"ai": {"fillers": "Hang on."}}).fillers == ()
