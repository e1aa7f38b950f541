"""Free times: one moment, a day, and the nearest others."""

import asyncio
from datetime import date, datetime, timedelta

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.bookings.duration import VisitLength, visit_for
from switchboard.desk.bookings.obstacles import Obstacle
from switchboard.desk.bookings.request import BookingRequest
from switchboard.desk.services import open_desk
from tests.desk.front_desk import NOW, SALON, at, calendar, call, salon, stored, write_down
from tests.desk.memory_calendar import AUTH, MemoryCalendar, MemoryCalendars, event

TUESDAY, WEDNESDAY = date(2027, 3, 16), date(2027, 3, 17)
HALF_HOUR = VisitLength(30)


async def book(desk, business, text, service="Haircut", name="Ada"):
    """Book through the desk, each time as another caller."""
    ctx = call(business, text + name, session=text + name, phone=None)
    return await desk.bookings.book(ctx, BookingRequest(service=service, start=at(business, text), customer_name=name))


def shown(business, moments):
    return [f"{m.astimezone(business.timezone):%d %H:%M}" for m in moments]


@pytest.mark.requirement("001-52", "000-57")
async def test_a_free_time_is_available_without_conflicts(desk):
    """Nothing overlaps: available, no conflicts, and the time itself as the open one (seed 001)."""
    business = salon()
    answer = await desk.availability.at(call(business), HALF_HOUR, at(business, "2027-03-16T10:00"))
    assert (answer.is_available, answer.conflicts, shown(business, answer.starts)) == (True, (), ["16 10:00"])


@pytest.mark.requirement("001-53")
async def test_a_taken_time_tells_the_overlap_and_three_other_times(desk):
    """The overlap is cut to what was asked, so that another's booking cannot be read off it."""
    business = salon()
    await book(desk, business, "2027-03-16T09:30", "Color")
    answer = await desk.availability.at(call(business), HALF_HOUR, at(business, "2027-03-16T10:45"))
    (conflict,) = answer.conflicts
    assert not answer.is_available
    assert conflict.reason is Obstacle.TAKEN
    assert shown(business, [conflict.time.start, conflict.time.end]) == ["16 10:45", "16 11:00"]
    assert shown(business, answer.starts) == ["16 11:00", "16 11:15", "16 11:30"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2027-03-10T09:00", Obstacle.PAST),
        ("2027-03-10T10:30", Obstacle.SHORT_NOTICE),
        ("2027-05-12T10:00", Obstacle.TOO_FAR),
        ("2027-03-14T02:30", Obstacle.NO_SUCH_TIME),
        ("2027-03-16T10:03", Obstacle.OFF_GRID),
        ("2027-03-16T08:59", Obstacle.OFF_GRID),
        ("2027-03-16T08:55", Obstacle.CLOSED),
        ("2027-03-16T17:45", Obstacle.CLOSED),
        ("2027-03-18T12:15", Obstacle.CLOSED),
        ("2027-03-15T10:00", Obstacle.CLOSED),
        ("2027-03-24T10:00", Obstacle.CLOSED),
    ],
)
async def test_each_reason_against_a_time_is_told(desk, text, reason):
    """Past, too soon, too far, skipped, off the grid, before opening, past closing, into a break, on a closed day."""
    business = salon()
    answer = await desk.availability.at(call(business), HALF_HOUR, at(business, text))
    assert [conflict.reason for conflict in answer.conflicts] == [reason]
    assert not answer.is_available
    assert len(answer.starts) == (0 if reason is Obstacle.TOO_FAR else 3)


async def test_the_last_visit_of_the_day_may_end_at_closing_time(desk):
    """17:30 to 18:00 is inside."""
    business = salon()
    assert (await desk.availability.at(call(business), HALF_HOUR, at(business, "2027-03-16T17:30"))).is_available


async def test_buffers_keep_other_visits_away_but_may_lie_outside_the_opening_times(desk):
    """Highlights need 10 minutes before and 20 after; the doors may be closed by then."""
    business = salon()
    highlights = visit_for(business, "highlights", None)
    assert (await desk.availability.at(call(business), highlights, at(business, "2027-03-16T16:00"))).is_available
    await book(desk, business, "2027-03-16T12:00", "Highlights")
    for text, is_available in [
        ("2027-03-16T11:15", True),
        ("2027-03-16T11:25", False),
        ("2027-03-16T14:15", False),
        ("2027-03-16T14:20", True),
    ]:
        answer = await desk.availability.at(call(business), HALF_HOUR, at(business, text))
        assert answer.is_available is is_available, text


async def test_a_whole_day_is_told_in_stretches_and_a_few_starts(desk):
    """A list of all would be too long for anybody; without what is taken."""
    business = salon()
    await book(desk, business, "2027-03-16T10:00")
    answer = await desk.availability.on(call(business), HALF_HOUR, TUESDAY)
    [free] = answer.days
    assert [shown(business, run) for run in free.runs] == [["16 09:00", "16 09:30"], ["16 10:30", "16 17:30"]]
    few = shown(business, answer.starts)
    assert (answer.is_available, few[0], few[-1], len(few)) == (True, "16 09:00", "16 17:30", 8)
    assert all(start.endswith(":00") for start in few[:-1])


async def test_a_short_list_is_finer(desk):
    """With little left, every quarter of an hour is told."""
    business = salon()
    answer = await desk.availability.on(call(business), HALF_HOUR, date(2027, 3, 25))
    assert shown(business, answer.starts) == [
        f"25 {t}" for t in ("10:00", "10:15", "10:30", "10:45", "11:00", "11:15", "11:30")
    ]


async def test_today_lists_only_what_notice_allows(desk):
    """At 10:00 with an hour's notice, the first start is 11:00."""
    business = salon()
    answer = await desk.availability.on(call(business), HALF_HOUR, date(2027, 3, 10))
    assert shown(business, answer.starts)[0] == "10 11:00"


@pytest.mark.parametrize(
    ("day", "reason", "first"),
    [
        (date(2027, 3, 15), Obstacle.CLOSED, "16 09:00"),
        (date(2027, 3, 9), Obstacle.PAST, "10 11:00"),
        (date(2027, 5, 12), Obstacle.TOO_FAR, None),
        (date(9000, 12, 30), Obstacle.TOO_FAR, None),
    ],
)
async def test_a_day_without_free_times_says_why_and_offers_others(desk, day, reason, first):
    """Closed, past or too far ahead; the nearest days that would do follow."""
    business = salon()
    answer = await desk.availability.on(call(business), HALF_HOUR, day)
    assert not answer.is_available
    assert {conflict.reason for conflict in answer.conflicts} == {reason}
    assert next(iter(shown(business, answer.starts)), None) == first


async def test_instead_of_a_day_that_is_past_the_same_time_of_day_is_offered(desk):
    """Whoever asked for two in the afternoon is not sent to the morning because it is morning now."""
    business = salon()
    answer = await desk.availability.at(call(business), HALF_HOUR, at(business, "2027-03-02T14:00"))
    assert shown(business, answer.starts) == ["10 13:45", "10 14:00", "10 14:15"]


async def test_a_full_day_is_taken(desk):
    """All four hours of the short day are booked."""
    business = salon()
    await book(desk, business, "2027-03-25T10:00", "Highlights")
    answer = await desk.availability.on(call(business), HALF_HOUR, date(2027, 3, 25))
    assert [c.reason for c in answer.conflicts] == [Obstacle.TAKEN]
    assert shown(business, answer.starts) == ["26 09:00", "26 09:15", "26 09:30"]


async def test_a_visit_longer_than_any_opening_finds_the_day_closed(desk):
    """Four hours do not fit into the short day's two."""
    business = salon()
    answer = await desk.availability.on(call(business), VisitLength(240), date(2027, 3, 25))
    assert [c.reason for c in answer.conflicts] == [Obstacle.CLOSED]


async def starts_instead(desk, ctx, visit, around, **more):
    """Return when a visit could begin instead."""
    return [choice.start for choice in await desk.availability.choices(ctx, visit, around, **more)]


async def test_alternatives_are_the_nearest_on_the_same_day(desk):
    """Earlier and later ones alike, told in order of time."""
    business = salon()
    await book(desk, business, "2027-03-16T11:00", "Haircut")
    found = await starts_instead(desk, call(business), HALF_HOUR, at(business, "2027-03-16T11:00"))
    assert shown(business, found) == ["16 10:15", "16 10:30", "16 11:30"]


async def test_alternatives_go_on_to_the_following_days_at_the_same_time_of_day(desk):
    """Who asked for the afternoon is not offered the morning."""
    business = salon(workingHours={**SALON["workingHours"], "tuesday": [{"open": "14:00", "close": "14:45"}]})
    found = await starts_instead(desk, call(business), HALF_HOUR, at(business, "2027-03-16T15:00"), count=4)
    assert shown(business, found) == ["16 14:00", "16 14:15", "17 14:45", "17 15:00"]


async def test_alternatives_are_looked_for_in_fourteen_days_and_no_further(desk):
    """A business that opens in three weeks has nothing to offer yet."""
    late = salon(workingHours={"exceptions": {"2027-03-30": [{"open": "09:00", "close": "10:00"}]}})
    ctx = call(late)
    assert len(await starts_instead(desk, ctx, HALF_HOUR, at(late, "2027-03-16T10:00"))) == 3
    assert await starts_instead(desk, ctx, HALF_HOUR, at(late, "2027-03-15T10:00")) == []


async def test_a_visit_may_last_past_midnight_where_the_business_is_open(desk):
    """The next day's bookings are looked at as well."""
    always = salon(
        workingHours={n: [{"open": "00:00", "close": "24:00"}] for n in ("tuesday", "wednesday")},
        integrations=calendar(),
    )
    await book(desk, always, "2027-03-17T00:30")
    for text, is_available in [("2027-03-16T23:45", True), ("2027-03-16T23:50", True), ("2027-03-17T00:15", False)]:
        answer = await desk.availability.at(call(always), HALF_HOUR, at(always, text))
        assert answer.is_available is is_available, text
    answer = await desk.availability.at(call(always), VisitLength(60), at(always, "2027-03-16T23:45"))
    assert not answer.is_available


async def test_a_booking_that_began_the_day_before_still_takes_its_time(desk):
    """The read reaches back as far as the longest appointment."""
    always = salon(
        workingHours={n: [{"open": "00:00", "close": "24:00"}] for n in ("tuesday", "wednesday")},
        integrations=calendar(),
    )
    ctx = call(always, phone=None, verified=True)
    wish = BookingRequest(
        service="Color", start=at(always, "2027-03-16T22:00"), customer_name="Ada", duration_minutes=480
    )
    await desk.bookings.book(ctx, wish)
    answer = await desk.availability.at(call(always), HALF_HOUR, at(always, "2027-03-17T05:45"))
    assert not answer.is_available


@pytest.mark.parametrize("status", ["cancelled", "completed", "no_show", ""])
async def test_only_pending_and_confirmed_bookings_take_time(desk, store, status):
    """A cancelled booking's time is free again."""
    business = salon()
    start = at(business, "2027-03-16T10:00")
    row = {"start": start, "durationMinutes": 30, "status": status}
    await write_down(store, business.id, "bookings", {"other": row})
    assert (await desk.availability.at(call(business), HALF_HOUR, start)).is_available
    await write_down(store, business.id, "bookings", {"other": row | {"status": "pending"}})
    desk.availability._busy.forget(call(business).paths)
    assert not (await desk.availability.at(call(business), HALF_HOUR, start)).is_available


async def test_a_malformed_booking_keeps_nobody_out(desk, store):
    """It can hold no slot either; the rest is still read."""
    business = salon()
    start = at(business, "2027-03-16T10:00")
    rows = {
        "no-length": {"start": start, "status": "confirmed"},
        "text-length": {"start": start, "durationMinutes": "30", "status": "confirmed"},
        "good": {"start": start + timedelta(hours=1), "durationMinutes": 30.0, "status": "confirmed", "source": "x"},
    }
    await write_down(store, business.id, "bookings", rows)
    assert (await desk.availability.at(call(business), HALF_HOUR, start)).is_available
    assert not (await desk.availability.at(call(business), HALF_HOUR, start + timedelta(hours=1))).is_available


@pytest.mark.parametrize(
    ("settings", "earliest", "latest"),
    [
        ({}, timedelta(0), timedelta(days=90)),
        ({"minNoticeMinutes": 120, "maxDaysAhead": 7}, timedelta(hours=2), timedelta(days=7)),
        ({"minNoticeMinutes": -5, "maxDaysAhead": "many"}, timedelta(0), timedelta(days=90)),
        ({"minNoticeMinutes": True, "maxDaysAhead": 1e9}, timedelta(0), timedelta(days=90)),
    ],
    ids=["defaults", "as set", "unusable", "absurd"],
)
async def test_notice_and_horizon_follow_the_calendars_settings(desk, settings, earliest, latest):
    """Every start from the earliest to the latest allowed moment, and none outside."""
    days = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
    always = salon(
        workingHours={day: [{"open": "00:00", "close": "24:00"}] for day in days}, integrations=calendar(**settings)
    )
    step = timedelta(minutes=5)
    for moment, is_available in [
        (NOW + earliest, True),
        (NOW + earliest - step, False),
        (NOW + latest, True),
        (NOW + latest + step, False),
    ]:
        answer = await desk.availability.at(call(always), HALF_HOUR, moment.astimezone(always.timezone))
        assert answer.is_available is is_available, moment


async def test_an_absurd_year_is_refused(desk):
    """Zone arithmetic would overflow."""
    for year in (1, 9999):
        moment = datetime(year, 1, 1, 12, tzinfo=salon().timezone)
        for asked in (
            desk.availability.at(call(salon()), HALF_HOUR, moment),
            desk.availability.on(call(salon()), HALF_HOUR, moment.date()),
        ):
            with pytest.raises(ToolError) as caught:
                await asked
            assert caught.value.type is ErrorType.VALIDATION


async def test_a_store_that_does_not_answer_is_transient(desk, store):
    """Nothing is called free that could not be looked up."""
    store.fail("query")
    with pytest.raises(ToolError) as caught:
        await desk.availability.at(call(salon()), HALF_HOUR, at(salon(), "2027-03-16T10:00"))
    assert (caught.value.type, caught.value.retryable) == (ErrorType.TRANSIENT, True)


async def test_a_hundred_askers_within_a_second_cost_one_query(desk, store, clock):
    """For the same business and day; a second later it is read again."""
    business = salon()

    async def ask(hour):
        return await desk.availability.at(call(business), HALF_HOUR, at(business, f"2027-03-16T{hour:02}:00"))

    await asyncio.gather(*(ask(9 + n % 9) for n in range(100)))
    assert store.asked["query"] == 1
    clock.seconds += 1
    await ask(10)
    assert store.asked["query"] == 2


async def test_a_booking_made_here_is_seen_here_at_once(desk, store):
    """The shared read is forgotten when it is known to be outdated."""
    business = salon()
    ask = lambda: desk.availability.at(call(business), HALF_HOUR, at(business, "2027-03-16T10:00"))  # noqa: E731
    assert (await ask()).is_available
    await book(desk, business, "2027-03-16T10:00")
    assert not (await ask()).is_available


async def test_what_the_outside_calendar_reports_takes_time_too(store, clock):
    """Bookings and events together; an event's title goes nowhere."""
    business = salon(integrations={"googleCalendar": {"isConnected": True}})
    outside = MemoryCalendar(event(business, "2027-03-16", "10:10", "10:20"))
    desk = open_desk(store, clock, MemoryCalendars(outside))
    answer = await desk.availability.at(call(business), HALF_HOUR, at(business, "2027-03-16T10:00"))
    (conflict,) = answer.conflicts
    assert shown(business, [conflict.time.start, conflict.time.end]) == ["16 10:10", "16 10:20"]
    assert "Dentist" not in repr(answer)
    assert outside.asked == {"busy": 1}


async def test_the_outside_calendars_failure_is_passed_on(store, clock):
    """AUTH must reach the place that marks the calendar as needing re-authorisation."""
    business = salon(integrations={"googleCalendar": {"isConnected": True}})
    outside = MemoryCalendar()
    outside.fail_before["busy"] = AUTH
    desk = open_desk(store, clock, MemoryCalendars(outside))
    with pytest.raises(ToolError) as caught:
        await desk.availability.at(call(business), HALF_HOUR, at(business, "2027-03-16T10:00"))
    assert caught.value.type is ErrorType.AUTH


async def test_a_google_calendar_that_cannot_be_asked_is_never_called_free(desk):
    """Without a client for it the answer is an honest no."""
    business = salon(integrations={"googleCalendar": {"isConnected": True}})
    with pytest.raises(ToolError) as caught:
        await desk.availability.at(call(business), HALF_HOUR, at(business, "2027-03-16T10:00"))
    assert caught.value.type is ErrorType.PERMANENT


async def test_the_same_hours_in_two_businesses_are_two_calendars(desk, store):
    """A booking of one leaves the other free."""
    one, other = salon("one"), salon("other")
    await book(desk, one, "2027-03-16T10:00")
    assert not (await desk.availability.at(call(one), HALF_HOUR, at(one, "2027-03-16T10:00"))).is_available
    assert (await desk.availability.at(call(other), HALF_HOUR, at(other, "2027-03-16T10:00"))).is_available
    assert await stored(store, "other", "slots") == {}


@pytest.mark.parametrize(
    ("service", "minutes", "expected"),
    [
        ("haircut", None, VisitLength(30, 0, 0, "Haircut", "$48")),
        ("  HAIRCUT ", 45, VisitLength(45, 0, 0, "Haircut", "$48")),
        ("Highlights", None, VisitLength(120, 10, 20, "Highlights")),
        (None, 60, VisitLength(60)),
        (None, None, VisitLength(30)),
    ],
)
def test_a_visit_is_as_long_as_its_service_unless_said_otherwise(service, minutes, expected):
    """Names in any case; buffers and price come with the service."""
    assert visit_for(salon(), service, minutes) == expected


SPELT = {"services": [{"name": n, "durationMinutes": 25} for n in ("Kids' cut", "Coloración", "Coupe-homme", "Cut 1")]}


@pytest.mark.parametrize(
    ("said", "service"),
    [
        ("Kids\u2019 cut", "Kids' cut"),
        ("kids cut", "Kids' cut"),
        ("coloracion", "Coloración"),
        ("COLORACIO\u0301N", "Coloración"),
        ("coupe homme", "Coupe-homme"),
    ],
)
def test_a_service_is_known_without_its_accents_and_marks(said, service):
    """A transcript has none, and models write typographic ones; the business's own spelling is what is booked."""
    assert visit_for(salon(**SPELT), said, None).service == service


@pytest.mark.parametrize("said", ["Cut", "Kid", "\u2019", "", "Color"])
def test_a_service_that_is_only_like_another_is_not_taken_for_it(said):
    """Nor where two have the same letters: then only the exact name tells them apart."""
    with pytest.raises(ToolError):
        visit_for(salon(**SPELT), said, None)
    twins = salon(services=[{"name": "Re-cut", "durationMinutes": 10}, {"name": "Recut", "durationMinutes": 20}])
    assert visit_for(twins, "recut", None).minutes == 20
    with pytest.raises(ToolError):
        visit_for(twins, "re cut", None)


def test_an_unknown_service_is_refused_with_those_offered():
    """So that the model can ask again."""
    with pytest.raises(ToolError) as caught:
        visit_for(salon(), "Massage", None)
    assert caught.value.type is ErrorType.VALIDATION
    assert all(name in caught.value.message for name in ("Haircut", "Color", "Beard trim", "Highlights"))


@pytest.mark.parametrize(("value", "minutes"), [(45, 45), ("45", 30), (3, 30), (None, 30)])
def test_a_business_without_services_books_what_the_caller_says(value, minutes):
    """For the calendar's default duration, 30 minutes if there is no usable one (seed 001)."""
    business = salon(services=[], integrations=calendar(defaultEventDuration=value))
    assert visit_for(business, " Oil  change", None) == VisitLength(minutes, service="Oil change")


def test_what_no_commit_could_claim_is_refused():
    """A claim is one document per five minutes, and a commit takes 500."""
    endless = salon(services=[{"name": "Retreat", "durationMinutes": 1440, "bufferAfterMinutes": 1440}])
    with pytest.raises(ToolError) as caught:
        visit_for(endless, "Retreat", None)
    assert caught.value.type is ErrorType.VALIDATION
