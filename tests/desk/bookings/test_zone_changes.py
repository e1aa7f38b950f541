"""Every change of the clocks from 2026 to 2028, in every zone that has one: people's hours and absences stay local.

And another zone of the business itself: texts are told in the one that everything else is told in.
"""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from switchboard.contract.business.business import Business, read_business
from switchboard.contract.business.working_hours import WEEKDAYS
from switchboard.desk.bookings.duration import visit_for
from switchboard.desk.bookings.hours import Stretch, day_bounds
from switchboard.desk.bookings.request import BookingRequest, assigned, draft_of
from switchboard.desk.calendars.outside_entries import OutsideTime
from switchboard.desk.resources.occupancy import Occupancy
from switchboard.desk.services import open_desk
from switchboard.state.memory.store import MemoryStore
from tests.desk.bookings.test_daylight_saving import changes
from tests.desk.front_desk import StoppedClock, at, calendar, call, salon, stored

STEP = timedelta(minutes=15)


def week(closes: str) -> dict[str, list[dict[str, str]]]:
    """Return hours from midnight on, on every day."""
    return {day: [{"open": "00:00", "close": closes}] for day in WEEKDAYS}


def rules() -> list[tuple[str, datetime]]:
    """Return a zone for every different change: many zones have the same."""
    seen: dict[tuple[datetime, timedelta | None, timedelta | None], str] = {}
    for name, moment in changes():
        zone = ZoneInfo(name)
        before, after = ((moment + timedelta(hours=hours)).astimezone(zone).utcoffset() for hours in (-1, 1))
        seen.setdefault((moment, before, after), name)
    return [(name, moment) for (moment, _, _), name in seen.items()]


def house(zone: str, day: str) -> Business:
    """Return a house that is open day and night, with somebody away from one to four and somebody there until three."""
    people = [
        {"id": "rosa", "name": "Rosa", "absences": [{"start": f"{day}T01:00", "end": f"{day}T04:00"}]},
        {"id": "dana", "name": "Dana", "hours": week("03:00")},
    ]
    return read_business(
        "b",
        {
            "timezone": zone,
            "resources": people,
            "services": [{"name": "Cut", "durationMinutes": 30}],
            "workingHours": week("24:00"),
            "integrations": {"builtinCalendar": {"isConnected": True}},
        },
    )


def test_no_hour_and_no_absence_is_off_on_a_day_on_which_the_clocks_change():
    """At every quarter of an hour of such a day: whoever is free is there by what the clocks show, all the while."""
    found = rules()
    assert len(found) > 60
    for zone_name, moment in found:
        zone = ZoneInfo(zone_name)
        day = moment.astimezone(zone).date()
        business = house(zone_name, day.isoformat())
        bounds = day_bounds(zone, day, day)
        occupancy = Occupancy(business, bounds, [], OutsideTime())
        for person in ("Rosa", "Dana"):
            visit = visit_for(business, "Cut", None, person)
            starts = {datetime.fromtimestamp(300 * s, UTC) for s in occupancy.starts(visit, steps_of(bounds))}
            start = bounds.start
            while start + timedelta(minutes=30) <= bounds.end:
                clocks = [shown(start + timedelta(minutes=m), zone) for m in range(0, 30, 5)]
                is_there = all(map(THERE[person], clocks))
                assert (start in starts) is is_there, (zone_name, person, start.astimezone(zone))
                start += STEP
        # What is booked there lasts as long as it should, by the sun.
        ctx = call(business, now=bounds.start - timedelta(days=1))
        free = occupancy.starts(visit_for(business, "Cut", None), steps_of(bounds))
        start = datetime.fromtimestamp(300 * free[len(free) // 2], UTC)
        visit = visit_for(business, "Cut", None)
        taken = occupancy.assignment(visit, start)
        assert taken is not None
        draft = draft_of(ctx, BookingRequest(service="Cut", start=start.astimezone(zone), customer_name="Ann"), visit)
        made = assigned(ctx, draft, taken, ctx.now)
        assert (made.start, made.end - made.start) == (start, timedelta(minutes=30))


THERE = {
    "Rosa": lambda clock: not time(1) <= clock < time(4),
    "Dana": lambda clock: clock < time(3),
}


def shown(moment: datetime, zone: ZoneInfo) -> time:
    """Return what the clocks show."""
    return moment.astimezone(zone).time()


def steps_of(bounds: Stretch) -> list[int]:
    """Return every third step of a stretch."""
    return list(range(int(bounds.start.timestamp()) // 300, int(bounds.end.timestamp()) // 300, 3))


async def texts_after_another_zone(changed: dict[str, str]) -> list[str]:
    """Return the texts of an appointment that was booked in New York, then moved and cancelled in another zone."""
    texting = calendar(textConfirmations=True, maxDaysAhead=60)
    before, after = salon(integrations=texting), salon(integrations=texting, **changed)
    store = MemoryStore()
    desk = open_desk(store, StoppedClock())
    wish = BookingRequest(service="Haircut", start=at(before, "2027-03-16T14:00"), customer_name="Ann")
    booking = await desk.bookings.book(call(before), wish)
    await desk.appointments.reschedule(call(after, "move"), booking.id, at(before, "2027-03-17T13:00"))
    await desk.appointments.cancel(call(after, "cancel"), booking.id)
    texts = (await stored(store, before.id, "outbox")).values()
    return sorted(text["body"].partition(": your appointment ")[2] for text in texts)


async def test_texts_are_told_in_the_zone_that_the_business_has_now():
    """As the question, the receipt and the page tell it; with its name, since the customer has noted another."""
    assert await texts_after_another_zone({"timezone": "America/Los_Angeles"}) == [
        "is booked: Haircut, Tue 2027-03-16 at 14:00.",
        "was cancelled: Haircut, Wed 2027-03-17 at 10:00 (PDT).",
        "was moved: Haircut, now Wed 2027-03-17 at 10:00 (PDT).",
    ]


async def test_where_another_zone_shows_the_same_clocks_its_name_is_left_out():
    """Toronto is as late as New York."""
    bodies = await texts_after_another_zone({"timezone": "America/Toronto"})
    assert bodies[-1] == "was moved: Haircut, now Wed 2027-03-17 at 13:00."
