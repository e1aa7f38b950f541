"""When two people's calendars are one: with what they have from the business, and however its address is written."""

from typing import Any

from switchboard.desk.calendars.calendars import is_same_calendar, keys_of
from tests.desk.front_desk import salon
from tests.each import each

GOOGLE = {"googleCalendar": {"isConnected": True, "calendarId": "front"}}
CALDAV = {"caldavCalendar": {"isConnected": True, "calendarUrl": "https://cloud.example/rosa"}}


def google(**more: str) -> dict[str, Any]:
    return {"integration": "googleCalendar", **more}


def caldav(url: str = "") -> dict[str, Any]:
    return {"integration": "caldavCalendar", **({"calendarUrl": url} if url else {})}


@each(
    ("integrations", "one", "other", "is_same"),
    [
        (GOOGLE, google(), google(calendarId="front"), True),
        (GOOGLE, google(), google(calendarId="rosa"), False),
        ({"googleCalendar": {"isConnected": True}}, google(), google(calendarId="primary"), True),
        (GOOGLE, google(calendarId="front"), {"integration": "microsoftCalendar", "calendarId": "front"}, False),
        (CALDAV, caldav(), caldav("https://cloud.example/rosa/"), True),
        (CALDAV, caldav("https://cloud.example/cal"), caldav("https://Cloud.example/cal/"), True),
        (CALDAV, caldav("https://cloud.example/cal"), caldav("https://cloud.example/Cal"), False),
        (CALDAV, caldav("https://cloud.example:443/cal"), caldav("HTTPS://cloud.example./cal"), True),
        (CALDAV, caldav("https://cloud.example:8443/cal"), caldav("https://cloud.example/cal"), False),
        (
            CALDAV,
            caldav("https://cloud.example/me%40x.example/cal"),
            caldav("https://cloud.example/me@x.example/cal"),
            True,
        ),
        (CALDAV, {**caldav("https://cloud.example/a"), "calendarId": "x"}, caldav("https://cloud.example/a"), True),
    ],
)
def test_calendars_are_one_by_where_they_lead(
    integrations: dict[str, Any], one: dict[str, Any], other: dict[str, Any], is_same: bool
):
    """Not by how they are written down."""
    business = salon(integrations=integrations)
    assert bool(keys_of(business, [one]) & keys_of(business, [other])) == is_same


def test_an_appointments_calendar_is_known_again_however_its_address_is_written():
    """So that its entry is not taken for one of another calendar."""
    plain, slashed = ({"calendarUrl": f"https://cloud.example/cal{end}"} for end in ("", "/"))
    assert is_same_calendar(("caldavCalendar", plain), ("caldavCalendar", slashed))
    assert not is_same_calendar(("caldavCalendar", plain), ("googleCalendar", plain))
