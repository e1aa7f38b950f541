"""What a caller may know of the calendar: when it is taken, and what the caller's own appointments are."""

from dataclasses import replace
from datetime import timedelta

import pytest

from switchboard.contract.caller.strangers import VOUCHED_FOR
from switchboard.contract.error import ErrorType, ToolError
from tests.desk.calendar_house import NOON, SALON, TEN
from tests.desk.front_desk import at, salon
from tests.desk.memory_calendar import AUTH, event

BUILT_IN = salon()
DAY = at(SALON, "2027-03-16T00:00")


@pytest.fixture(params=[BUILT_IN, SALON], ids=["built-in calendar", "outside calendar"])
def business(request):
    """The salon with either calendar."""
    return request.param


async def two_bookings(house, business):
    """Anna books ten o'clock, somebody else noon."""
    mine = await house.book(house.call(business=business))
    ctx = house.call("other", session="other", phone="+15185550199", business=business)
    return mine, await house.book(ctx, customer_name="Grace Okafor", start=NOON, service="Color")


async def listed(house, business, start=DAY, end=None, limit=10, **fields):
    return await house.agenda.events(house.call(business=business, **fields), start, end, limit)


@pytest.mark.requirement("001-37", "001-39")
async def test_own_appointments_are_named_and_all_others_only_keep_their_time(house, business):
    """In order of time; no name, service or reference of anybody else."""
    mine, other = await two_bookings(house, business)
    events = await listed(house, business)
    assert [(e.start, e.end) for e in events] == [(mine.start, mine.end), (other.start, other.end)]
    assert [e.own and e.own.id for e in events] == [mine.id, None]
    assert "Grace" not in repr(events)
    assert "Color" not in repr(events)


async def test_a_caller_without_any_own_sees_times_only(house, business):
    """A stranger learns when it is busy, which check_availability tells as well."""
    await two_bookings(house, business)
    events = await listed(house, business, session="x", phone=None)
    assert [e.own for e in events] == [None, None]


async def test_where_callers_must_be_verified_a_number_alone_names_nothing(house, business):
    """Of another conversation; what this one has booked is the caller's at every level."""
    mine, _ = await two_bookings(house, business)
    strict = replace(business, caller_verification="code")
    assert [e.own for e in await listed(house, strict, session="another")] == [None, None]
    assert [e.own and e.own.id for e in await listed(house, strict, attestation=None)] == [mine.id, None]
    ctx = house.call(business=strict)
    verified = replace(ctx, facts=replace(ctx.facts, caller_verified=True))
    events = await house.agenda.events(verified, DAY, None, 10)
    assert events[0].own is not None


@pytest.mark.requirement("004-100")
@pytest.mark.parametrize(("level", "attestation", "is_named"), [("match", VOUCHED_FOR, True), ("match", None, False)])
async def test_a_number_that_is_proven_names_what_is_its_owners(house, business, level, attestation, is_named):
    """As everywhere else."""
    mine, _ = await two_bookings(house, business)
    asking = replace(business, caller_verification=level)
    events = await listed(house, asking, session="another", attestation=attestation)
    assert [e.own and e.own.id for e in events] == [mine.id if is_named else None, None]


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("10:30", None, [NOON]),
        ("10:29", None, [TEN, NOON]),
        ("08:00", "10:00", []),
        ("08:00", "10:01", [TEN]),
        ("10:15", "10:20", [TEN]),
        ("13:30", "23:00", []),
    ],
)
async def test_what_overlaps_the_range_is_listed(house, business, start, end, expected):
    """The end does not belong to it; what began before it does."""
    await two_bookings(house, business)
    moments = [at(SALON, f"2027-03-16T{text}") if text else None for text in (start, end)]
    assert [e.start for e in await listed(house, business, *moments)] == expected


@pytest.mark.requirement("001-38")
async def test_no_more_are_listed_than_asked_for(house, business):
    """The earliest ones."""
    await two_bookings(house, business)
    assert [e.start for e in await listed(house, business, limit=1)] == [TEN]


async def test_cancelled_appointments_are_not_listed(house, business):
    """Their time is free."""
    mine, other = await two_bookings(house, business)
    await house.appointments.cancel(house.call(business=business), mine.id)
    assert [e.start for e in await listed(house, business)] == [other.start]


@pytest.mark.requirement("001-40")
async def test_what_people_entered_is_listed_as_busy_without_its_title(house, calendar):
    """All-day entries too; what keeps nobody out is left out, and each occurrence stands by itself."""
    for day in ("2027-03-17", "2027-03-16"):
        calendar.put(event(SALON, day, "09:00", "09:30"))
    calendar.put(event(SALON, "2027-03-16", "00:00", "23:00", is_busy=False, title="Birthday of Devon"))
    calendar.put(event(SALON, "2027-03-18", "00:00", "23:59", is_all_day=True))
    events = await listed(house, SALON)
    assert [(e.start.day, e.is_all_day, e.own) for e in events] == [
        (16, False, None),
        (17, False, None),
        (18, True, None),
    ]
    assert not {"Dentist", "Devon"} & set(repr(events).replace(",", " ").split())


async def test_an_entry_that_claims_to_be_a_booking_names_it_only_to_its_owner(house, calendar, business):
    """Whatever a person wrote into the field."""
    _, other = await two_bookings(house, SALON)
    calendar.put(event(SALON, "2027-03-17", "09:00", "09:30", booking_id=other.id))
    calendar.put(event(SALON, "2027-03-17", "10:00", "10:30", booking_id="../../x"))
    events = await listed(house, SALON, at(SALON, "2027-03-17T00:00"))
    assert [e.own for e in events] == [None, None]


@pytest.mark.parametrize(
    ("start", "end"), [(TEN, TEN), (NOON, TEN), (TEN.replace(year=9999), None), (TEN, TEN.replace(year=9999))]
)
async def test_an_impossible_range_is_refused(house, business, start, end):
    """It ends before it begins, or lies where no zone has times."""
    with pytest.raises(ToolError) as caught:
        await listed(house, business, start, end)
    assert caught.value.type is ErrorType.VALIDATION


async def test_failures_of_the_calendar_and_the_store_are_told(house, store, calendar):
    """AUTH reaches the place that marks the calendar; the store's silence is TRANSIENT."""
    calendar.fail_before["entries"] = AUTH
    with pytest.raises(ToolError) as caught:
        await listed(house, SALON)
    assert caught.value.type is ErrorType.AUTH
    store.fail("query")
    with pytest.raises(ToolError) as caught:
        await listed(house, BUILT_IN)
    assert caught.value.type is ErrorType.TRANSIENT


async def test_a_night_shift_that_began_the_day_before_is_listed(house):
    """Eight hours from ten in the evening."""
    hours = {day: [{"open": "00:00", "close": "24:00"}] for day in ("tuesday", "wednesday")}
    business = salon(workingHours=hours)
    booking = await house.book(
        house.call(business=business), start=at(business, "2027-03-16T22:00"), duration_minutes=480
    )
    events = await listed(house, business, at(business, "2027-03-17T05:45"))
    assert [e.start for e in events] == [booking.start]
    assert booking.end - booking.start == timedelta(hours=8)
