"""Calendars of people's own that cannot be read: who is busy then, and whose connection is to blame."""

from datetime import timedelta

import pytest

from switchboard.contract.business.calendar import CalendarEntry
from switchboard.contract.error import ErrorType, ToolError, source_of
from switchboard.contract.revoked import noting_in
from switchboard.desk.bookings.booking import Booking
from switchboard.desk.bookings.hours import Stretch
from switchboard.desk.calendars.calendars import calendar_in_use, calendar_of, outside_entries, outside_times
from switchboard.desk.calendars.grid import steps_between
from switchboard.desk.calendars.outside_entries import told_apart
from switchboard.integrations.caldav.failures import refused
from switchboard.integrations.http_session import HttpAnswer
from tests.desk.calendar_house import TEN
from tests.desk.front_desk import salon
from tests.desk.house_of_resources import PEOPLE, SERVICES
from tests.desk.memory_calendar import MemoryCalendar
from tests.each import each

HOUR = Stretch(TEN, TEN + timedelta(hours=1))
ALL = frozenset(steps_between(HOUR.start, HOUR.end))
OWN = {"integration": "caldavCalendar", "calendarUrl": "https://dav.example.com/marcus/"}
ROSA, MARCUS, DANA = PEOPLE
ON = {"isConnected": True}


class TwoVendors:
    """A calendar at each of two vendors."""

    def __init__(self) -> None:
        self.kept = {"googleCalendar": MemoryCalendar(), "caldavCalendar": MemoryCalendar()}

    async def of(self, business):
        return self.kept[business.calendar]

    def fail(self, name, type):
        self.kept[name].fail_before = {"busy": ToolError(type, "no"), "entries": ToolError(type, "no")}


class TwoCalendars:
    """Two calendars of one account, of which Marcus's refuses whatever is asked."""

    def __init__(self, no):
        self.house, self.marcus = MemoryCalendar(), MemoryCalendar()
        self.marcus.fail_before = dict.fromkeys(("busy", "entries", "insert"), no)

    async def of(self, business):
        url = business.integrations[business.calendar].settings["calendarUrl"]
        return self.marcus if url == OWN["calendarUrl"] else self.house


def booking_in(url):
    """Return an appointment that is entered in such a calendar."""
    settings = {"calendarUrl": url}
    return Booking(
        id="bk_1",
        business_id="demo-salon",
        service="Haircut",
        start=TEN,
        minutes=30,
        customer_name="Anna",
        created_at=TEN,
        calendar="caldavCalendar",
        calendar_settings=settings,
    )


def house(chosen="googleCalendar", **state):
    return salon(
        resources=[ROSA, {**MARCUS, "calendars": [OWN]}, DANA],
        services=SERVICES,
        integrations={chosen: ON, "caldavCalendar": ON | state, "calendar": chosen},
    )


async def taken_in(calendars, business):
    """Return the steps that calendars take, by whom they keep busy."""
    return told_apart(business, await outside_times(calendars, business, HOUR), []).steps


@each("chosen", ["googleCalendar", "builtinCalendar"])
@each("type", [ErrorType.AUTH, ErrorType.PERMANENT])
async def test_whose_own_calendar_must_be_connected_again_is_busy_and_the_others_are_not(chosen, type):
    """What is revoked is noted, so that the owner is told, and only that."""
    calendars, noted = TwoVendors(), set()
    calendars.fail("caldavCalendar", type)
    noting_in(noted)
    found = await taken_in(calendars, house(chosen))
    assert {name: steps for name, steps in found.items() if steps} == {"marcus": ALL}
    assert noted == ({"caldavCalendar"} if type is ErrorType.AUTH else set())


@each("where", ["caldavCalendar", "builtinCalendar"])
async def test_an_own_calendar_that_is_closed_to_a_good_account_leaves_the_connection_as_it_is(where):
    """Its owner alone is busy, and what is entered there is refused as by other vendors; that of the house is all."""
    calendars, noted = TwoVendors(), set()
    closed = refused(HttpAnswer(403, {}, b""), is_write=True)
    people = [ROSA, {**MARCUS, "calendars": [OWN]}]
    state = {"caldavCalendar": {**ON, "calendarUrl": "https://dav.example.com/house/"}, "calendar": where}
    business = salon(resources=people, services=SERVICES, integrations=state)
    place = TwoCalendars(closed)
    noting_in(noted)
    assert {name: steps for name, steps in (await taken_in(place, business)).items() if steps} == {"marcus": ALL}
    entries = await outside_entries(place, business, HOUR, 9)
    assert [len(found) for calendar, found in entries if calendar.whose == {"marcus"}] == [1]
    assert noted == set()
    calendar = await calendar_of(place, business, booking_in(OWN["calendarUrl"]))
    with pytest.raises(ToolError) as no:
        await calendar.insert(None)
    assert (no.value.type, source_of(no.value)) == (ErrorType.PERMANENT, "caldavCalendar")
    calendars.kept["caldavCalendar"].fail_before["busy"] = closed
    house_of_it = salon(integrations=state | {"calendar": "caldavCalendar"})
    with pytest.raises(ToolError) as no:
        await outside_times(calendars, house_of_it, HOUR)
    assert no.value.type is ErrorType.AUTH


async def test_what_is_known_to_be_revoked_is_not_noted_again():
    """It would only be looked up in vain, with every call."""
    calendars, noted = TwoVendors(), set()
    calendars.fail("caldavCalendar", ErrorType.AUTH)
    noting_in(noted)
    assert (await taken_in(calendars, house(needsReauth=True)))["marcus"] == ALL
    assert noted == set()


@each("type", [ErrorType.TRANSIENT, ErrorType.RATE_LIMIT])
async def test_an_own_calendar_that_may_answer_in_a_moment_is_no_free_time(type):
    """The call fails, and names the calendar that did."""
    calendars = TwoVendors()
    calendars.fail("caldavCalendar", type)
    with pytest.raises(ToolError) as no:
        await outside_times(calendars, house(), HOUR)
    assert source_of(no.value) == "caldavCalendar"


async def test_a_calendar_that_is_not_read_whole_is_no_free_time():
    """However many entries it has beside those that keep nobody out."""
    calendars = TwoVendors()
    marcus = calendars.kept["caldavCalendar"]
    for number in range(3_000):
        start = HOUR.start + timedelta(seconds=number)
        end = start + timedelta(seconds=1)
        marcus.put(CalendarEntry(id=f"e{number}", start=start, end=end, is_busy=number == 2_999))
    last = max(steps_between(start, end))
    assert (await taken_in(calendars, house()))["marcus"] == {last}
    marcus.most = 2_999
    with pytest.raises(ToolError) as no:
        await outside_times(calendars, house(), HOUR)
    assert no.value.type is ErrorType.TRANSIENT


@each("type", [ErrorType.AUTH, ErrorType.PERMANENT, ErrorType.TRANSIENT])
async def test_the_calendar_of_the_house_keeps_everybody_waiting(type):
    """Also where a person has it for their own as well."""
    calendars = TwoVendors()
    calendars.fail("googleCalendar", type)
    people = [{**ROSA, "calendars": [{"integration": "googleCalendar"}]}, MARCUS]
    shared = salon(resources=people, services=SERVICES, integrations={"googleCalendar": ON})
    for business in (house(), shared):
        with pytest.raises(ToolError) as no:
            await outside_times(calendars, business, HOUR)
        assert (no.value.type, source_of(no.value)) == (type, "googleCalendar")


async def test_whatever_a_calendar_refuses_names_its_integration_and_so_does_what_is_made_of_it():
    """Errors are put into other words on their way to the caller."""
    calendars = TwoVendors()
    calendar = await calendar_in_use(calendars, house("caldavCalendar"))
    assert calendar is not None
    for method in ("find", "insert", "move", "reword", "delete"):
        calendars.kept["caldavCalendar"].fail_before[method] = ToolError(ErrorType.AUTH, "no")
    asked = (
        calendar.find("x"),
        calendar.insert(None),
        calendar.move("x", TEN, TEN, ""),
        calendar.reword("x", "", "", ""),
        calendar.delete("x"),
    )
    for one in asked:
        with pytest.raises(ToolError) as no:
            await one
        other = ToolError(ErrorType.TRANSIENT, "in other words")
        other.__cause__ = no.value
        assert source_of(other) == "caldavCalendar"
    assert source_of(ToolError(ErrorType.AUTH, "no")) == ""
