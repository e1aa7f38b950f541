"""What callers get who have not shown who they are, and that nothing of it is taken from those who have."""

import asyncio
from typing import Any

import pytest

from switchboard.contract.business.business import Business
from switchboard.contract.caller.caller_identity import Standing
from switchboard.contract.error import ErrorType, Refused, ToolError
from switchboard.contract.policy import STRANGERS, TEXTS_ON_FILE_PER_HOUR, Thing
from switchboard.contract.store import Set
from switchboard.desk.bookings.request import BookingRequest, EventWish
from switchboard.desk.limits.rate_limits import RateLimits, text_keys, text_rules
from switchboard.desk.services import open_desk
from tests.desk.calendar_house import SALON as OUTSIDE_SALON
from tests.desk.calendar_house import CalendarHouse
from tests.desk.front_desk import NOW, StoppedClock, at, salon, stored
from tests.desk.front_desk import call as vouched_call
from tests.desk.memory_calendar import MemoryCalendar
from tests.desk.phone_network import phone_salon


def call(business: Any, wish: str = "wish", **facts: Any) -> Any:
    """Return the context of a call whose number nobody vouches for, unless it is said otherwise."""
    return vouched_call(business, wish, **{"attestation": None, **facts})


SALON = salon()
OPEN, MESSAGES = STRANGERS[Thing.OPEN_BOOKINGS], STRANGERS[Thing.OWNER_MESSAGES]
pytestmark = pytest.mark.requirement("004-60", "004-62")


def wish(n: int, business: Business = SALON) -> BookingRequest:
    """Return the n-th wish: no two overlap."""
    day, half_hour = divmod(n, 15)
    start = at(business, f"2027-03-{16 + day}T{9 + half_hour // 2:02}:{30 * (half_hour % 2):02}:00")
    return BookingRequest(service="haircut", start=start, customer_name=f"Somebody {n}")


async def booked(desk, n, **who) -> str:
    """Book; return `booked`, or the scope that refused."""
    try:
        await desk.bookings.book(call(SALON, f"wish {n}", **who), wish(n))
    except Refused as refused:
        assert refused.type is ErrorType.RATE_LIMIT
        assert "Nothing was booked" in refused.message and "Verify the caller" in refused.message
        return str(refused.meta["reason"])
    return "booked"


async def test_an_unverified_visit_or_number_holds_three_open_bookings(desk):
    """Whatever number of conversations it has, one after the other; another number has its own."""
    visit = {"portal": True, "phone": None, "session": "web"}
    assert [await booked(desk, n, **visit) for n in range(5)] == ["booked"] * 3 + ["visit"] * 2
    calls = [await booked(desk, 5 + n, session=f"s{n}") for n in range(5)]
    assert calls == ["booked"] * 3 + ["number"] * 2
    assert await booked(desk, 11, session="s9", phone="+15185550999") == "booked"


@pytest.mark.requirement("004-1304")
async def test_who_only_shows_a_number_books_the_same_for_it_once(store):
    """Without a conversation of theirs, also at once on several servers; what there is they are not handed."""
    people = [{"id": id, "kind": "person", "name": id.upper()} for id in "abcdef"]
    business, desks = salon(resources=people), [open_desk(store, StoppedClock()) for _ in range(3)]
    start = at(business, "2027-03-16T09:00:00")

    async def book(n: int, **more: Any) -> str:
        names = {"service": "haircut", "customer_name": "Ada"} | more
        try:
            ctx = call(business, f"wish {n}", session=f"session {n}")
            return (await desks[n % 3].bookings.book(ctx, BookingRequest(start=start, **names))).id
        except ToolError as error:
            assert error.type is ErrorType.CONFLICT and "No second one was made" in error.message, error
            return ""

    found = await asyncio.gather(*(book(n) for n in range(6)))
    assert len([id for id in found if id]) == 1
    assert not await book(7)
    assert await book(8, customer_name="Her child")
    assert len(await stored(store, business.id, "bookings")) == 2


async def test_of_any_number_of_bookings_at_once_in_several_processes_three_are_made(store):
    """The condition of the commit decides, and not what each process has read."""
    desks = [open_desk(store, StoppedClock()) for _ in range(4)]
    who = {"portal": True, "phone": None, "session": "web"}
    found = await asyncio.gather(*(booked(desks[n % 4], n, **who) for n in range(24)))
    assert found.count("booked") == OPEN.visit
    assert len(await stored(store, SALON.id, "bookings")) == OPEN.visit


async def test_an_address_holds_what_two_visits_may_however_many_it_begins(desk):
    """A new visit is no new person."""
    visits = [
        await booked(desk, n, portal=True, phone=None, session=f"web{n}", address="2001:db8::/64") for n in range(9)
    ]
    assert visits == ["booked"] * OPEN.address + ["address"] * 3
    assert await booked(desk, 10, portal=True, phone=None, session="x", address="198.51.100.7") == "booked"


async def test_what_is_cancelled_or_past_is_not_held(desk, clock):
    """The share is of open bookings: giving one back makes room for another."""
    first = await desk.bookings.book(call(SALON, "first"), wish(0))
    for n in (1, 2):
        await booked(desk, n)
    assert await booked(desk, 3) == "visit"
    await desk.appointments.cancel(call(SALON, "cancel"), first.id)
    assert [await booked(desk, n) for n in (3, 4)] == ["booked", "visit"]
    later = call(SALON, "later", now=wish(1).start.astimezone(NOW.tzinfo).replace(hour=23))
    assert (await desk.bookings.book(later, wish(20))).stands


async def test_the_same_wish_is_told_again_and_not_refused(desk):
    """It is no further booking."""
    for n in range(3):
        await booked(desk, n)
    assert (await desk.bookings.book(call(SALON, "wish 2"), wish(2))).repeated


async def test_a_verified_caller_is_bound_by_none_of_it(desk, store):
    """By the channel, by a carrier that the business trusts, or by what this conversation has established."""
    assert {await booked(desk, n, verified=True) for n in range(6)} == {"booked"}
    business = salon(ai={"trustCallerId": True})
    for n in range(6, 12):
        ctx = call(business, f"wish {n}", attestation="TN-Validation-Passed-A")
        assert (await desk.bookings.book(ctx, wish(n))).stands
    session = call(SALON, session="web").paths.document("sessions", "web")
    await store.commit([Set(session, Standing("match", "c1", None, NOW).to_fields())])
    assert {await booked(desk, n, session="web", phone=None) for n in range(12, 18)} == {"booked"}


async def test_a_forged_number_uses_nothing_of_its_owners(desk):
    """Counted apart: calls of one number that the carrier vouches for, and calls that only claim it."""
    assert [await booked(desk, n, session=f"forged{n}") for n in range(4)][-1] == "number"
    own = [await booked(desk, 4 + n, session=f"own{n}", attestation="TN-Validation-Passed-A") for n in range(3)]
    assert own == ["booked"] * 3


async def test_a_booking_without_its_share_is_not_begun_in_an_outside_calendar(store):
    """The calendar is asked for three entries and no fourth."""
    calendar = MemoryCalendar()
    house = CalendarHouse(store, calendar, StoppedClock())
    for n in range(5):
        try:
            await house.bookings.book(call(OUTSIDE_SALON, f"wish {n}"), wish(n, OUTSIDE_SALON))
        except Refused:
            continue
    assert len(calendar.shown) == OPEN.visit


async def test_a_share_costs_a_booking_no_commit_of_its_own(desk, store):
    """It is written with the booking."""
    assert await booked(desk, 0) == "booked"
    assert store.asked["commit"] == 1


async def test_an_event_of_a_stranger_is_counted_and_given_back_where_it_is_not_made(desk):
    """One in a visit; a time that is taken costs nothing."""
    await desk.bookings.book(call(SALON, "taken", session="other", phone="+15185550188"), wish(0))

    async def entered(n: int, start: int) -> str:
        event = EventWish(title=f"Call back {n}", start=wish(start).start)
        try:
            await desk.bookings.enter(call(SALON, f"event {n}"), event)
        except ToolError as error:
            return error.type.value
        return "entered"

    assert [await entered(n, start) for n, start in enumerate((0, 1, 2))] == ["CONFLICT", "entered", "RATE_LIMIT"]


async def test_a_stranger_leaves_three_messages_and_a_known_caller_as_many_as_they_like(desk, store):
    """Written in the commit that counts them; what is refused leaves none, and says what would work."""

    async def left(n: int, **who) -> str:
        try:
            await desk.messages.take(call(SALON, f"message {n}", **who), "Anna", f"Please call back, {n}.")
        except Refused as refused:
            assert "Do not take another one" in refused.message
            return str(refused.meta["reason"])
        return "taken"

    assert [await left(n) for n in range(5)] == ["taken"] * 3 + ["visit"] * 2
    assert len(await stored(store, SALON.id, "outbox")) == MESSAGES.visit
    assert {await left(n, verified=True, session="own") for n in range(8)} == {"taken"}
    store.asked.clear()
    await left(99, session="next", phone=None)
    assert store.asked["commit"] == 1


async def test_twenty_five_addresses_lock_nobody_else_out(store, clock):
    """Where all have had what they may have together, a newcomer from any address still has what is assured."""
    limits = RateLimits(store, clock)
    share = STRANGERS[Thing.ACTIONS]

    async def spent(n: int, session: str) -> bool:
        ctx = call(SALON, portal=True, phone=None, session=session, address=f"198.51.100.{n}")
        try:
            await limits.spend_as_stranger(ctx, Thing.ACTIONS)
        except Refused:
            return False
        return True

    floods = [await spent(n, f"{n}-{visit}") for n in range(25) for visit in range(3) for _ in range(share.visit)]
    # Behind the cell of the business, each has no more than it is assured of.
    assert share.business <= floods.count(True) <= share.business + 25 * share.assured
    assert [await spent(200, "newcomer") for _ in range(share.assured + 1)] == [True] * share.assured + [False]


@pytest.mark.requirement("004-1302")
async def test_messages_of_who_was_verified_in_the_conversation_count_for_nobody(store, clock):
    """It is read before they are counted, and what was not counted is not given back."""
    limits, who = RateLimits(store, clock), {"portal": True, "phone": None, "address": "192.0.2.7"}
    known = call(SALON, session="known", **who)
    session = known.paths.document("sessions", "known")
    await store.commit([Set(session, Standing("match", "c1", None, NOW).to_fields())])
    for _ in range(MESSAGES.business + 1):
        assert not await limits.spend_as_stranger(known, Thing.OWNER_MESSAGES)
    assert await stored(store, SALON.id, "tickets") == {}
    assert await limits.spend_as_stranger(call(SALON, session="new", **who), Thing.OWNER_MESSAGES)


async def test_strangers_texts_leave_codes_and_known_callers_theirs(store, clock):
    """Their flood has half of what a business sends in an hour, and nothing of what goes to numbers on file."""
    limits, business = RateLimits(store, clock), phone_salon()

    async def sent(n: int, what: str = "text", **how) -> bool:
        number = f"+1518{n:07}"
        try:
            await limits.spend(call(business), text_rules(business, **how), text_keys(number), what=what)
        except Refused:
            return False
        return True

    numbers = range(2_000_000, 4_000_000, 10_000)
    assert [await sent(n, by_stranger=True) for n in numbers].count(True) == 15
    assert [await sent(n) for n in numbers].count(True) == 15
    assert [await sent(n, "on-file", on_file=True) for n in numbers].count(True) == TEXTS_ON_FILE_PER_HOUR
