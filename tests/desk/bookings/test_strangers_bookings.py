"""How many bookings strangers hold and make, and how long: by whatever they show, name, hide or ask for."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from switchboard.contract.caller.caller_identity import Standing
from switchboard.contract.caller.strangers import VOUCHED_FOR
from switchboard.contract.context import PhoneContext
from switchboard.contract.error import ErrorType, Refused, ToolError
from switchboard.contract.policy import STRANGERS, Thing
from switchboard.contract.store import Set
from switchboard.desk.bookings.request import BookingRequest, EventWish
from switchboard.desk.services import open_desk
from tests.desk.front_desk import NOW, StoppedClock, WatchedStore, at, salon, stored
from tests.desk.front_desk import call as vouched_call
from tests.each import each

SALON = salon(ai={})
HANNAH = "+15185550123"
OPEN, MADE = STRANGERS[Thing.OPEN_BOOKINGS], STRANGERS[Thing.BOOKINGS]


def call(wish: str, *, is_withheld: bool = False, business: Any = SALON, **facts: Any) -> Any:
    """Return the context of a call whose number nobody vouches for, unless it is said otherwise."""
    ctx = vouched_call(business, wish, **{"attestation": None, **facts})
    assert not is_withheld or isinstance(ctx.facts, PhoneContext)
    return replace(ctx, facts=replace(ctx.facts, is_withheld=True)) if is_withheld else ctx


def wish(n: int, **more: Any) -> BookingRequest:
    """Return the n-th wish: no two overlap, and eighteen are in a day."""
    day, half_hour = divmod(n, 18)
    date = ("16", "17", "19", "20", "23", "26", "27", "30")[day]
    start = at(SALON, f"2027-03-{date}T{9 + half_hour // 2:02}:{30 * (half_hour % 2):02}:00")
    return BookingRequest(service="haircut", start=start, customer_name=f"Somebody {n}", **more)


async def booked(desk: Any, n: int, named: str | None = None, **who: Any) -> str:
    """Book; return `booked`, or the scope that refused."""
    try:
        await desk.bookings.book(call(f"wish {n}", **who), wish(n, customer_phone=named))
    except Refused as refused:
        assert refused.type is ErrorType.RATE_LIMIT and "Verify the caller" in refused.message
        # Nobody verifies who has never been there.
        assert (refused.instead and "call the business" in refused.message) or refused.meta["reason"] == "business"
        assert "Nothing was booked" in refused.message or "Nothing was done" in refused.message
        return str(refused.meta["reason"])
    return "booked"


@pytest.mark.requirement("004-162")
async def test_a_number_that_bookings_name_counts_like_one_that_is_shown(desk):
    """Calls with a number each, from everywhere, that all book for Hannah: three, in any spelling."""
    spelled = (HANNAH, "(518) 555-0123", "518-555-0123", HANNAH, "+1 518 555 0123")
    found = [await booked(desk, n, named, session=f"f{n}", phone=f"+1518555{n:04}") for n, named in enumerate(spelled)]
    assert found == ["booked"] * OPEN.number + ["named"] * 2
    web = {"portal": True, "phone": None, "session": "web", "address": "198.51.100.7"}
    assert await booked(desk, 6, HANNAH, **web) == "named"
    # Whoever calls from it herself has her own three: she could not cancel what others named her in.
    own = [await booked(desk, 20 + n, session=f"own{n}", phone=HANNAH) for n in range(OPEN.number + 1)]
    assert own == ["booked"] * OPEN.number + ["number"]
    assert await booked(desk, 8, session="other", phone="+15185550188") == "booked"


@pytest.mark.requirement("004-162")
async def test_who_names_a_number_uses_nothing_of_its_known_owner(desk):
    """Neither where the carrier vouches for her, nor where she is verified."""
    for n in range(4):
        await booked(desk, n, HANNAH, session=f"f{n}", phone=f"+1518555{n:04}")
    vouched = [await booked(desk, 5 + n, session="h", phone=HANNAH, attestation=VOUCHED_FOR) for n in range(3)]
    verified = [await booked(desk, 9 + n, HANNAH, session="v", phone=HANNAH, verified=True) for n in range(5)]
    assert vouched + verified == ["booked"] * 8


@pytest.mark.requirement("004-163")
async def test_calls_whose_number_is_withheld_hold_so_many_together(desk):
    """Each is a call of its own, and nobody can be told from another."""
    hidden = [await booked(desk, n, session=f"h{n}", phone=None, is_withheld=True) for n in range(OPEN.withheld + 2)]
    assert hidden == ["booked"] * OPEN.withheld + ["withheld"] * 2
    assert await booked(desk, 20, session="shown") == "booked"
    assert await booked(desk, 21, session="known", phone=None, is_withheld=True, verified=True) == "booked"


@pytest.mark.requirement("004-164")
@each("n, service, minutes", [(0, "haircut", 480), (4, "Haircut", 31), (8, "Color", 95)])
async def test_a_stranger_has_a_service_at_its_own_length(desk, store, n, service, minutes):
    """What is longer is refused, with what would work; what is known may be longer."""
    longer = replace(wish(n), service=service, duration_minutes=minutes)
    before = await stored(store, SALON.id, "bookings")
    with pytest.raises(ToolError, match="Leave duration_minutes out") as refused:
        await desk.bookings.book(call(f"longer {n}"), longer)
    assert refused.value.type is ErrorType.VALIDATION
    assert await stored(store, SALON.id, "bookings") == before
    usual = await desk.bookings.book(call(f"usual {n}"), replace(longer, duration_minutes=None))
    assert usual.minutes in (30, 90)
    later = replace(longer, start=wish(18 * (1 + n // 4)).start)
    known = call(f"known {n}", verified=True, session="v")
    assert (await desk.bookings.book(known, later)).minutes == minutes


@pytest.mark.requirement("004-164")
async def test_without_a_service_a_stranger_has_the_default_length(desk):
    """Also as an event, and where the business lists no services at all."""
    plain = salon(ai={}, services=[])
    for n, business in enumerate((SALON, plain)):
        event = EventWish(title="Talk", start=wish(n).start, duration_minutes=480)
        with pytest.raises(ToolError, match="takes 30 minutes"):
            await desk.bookings.enter(call(f"event {n}", business=business), event)
    with pytest.raises(ToolError, match="takes 30 minutes"):
        await desk.bookings.book(call("plain", business=plain), wish(2, duration_minutes=31))
    assert (await desk.bookings.book(call("plain", business=plain), wish(2, duration_minutes=30))).minutes == 30


@pytest.mark.requirement("004-164")
async def test_who_was_verified_in_the_conversation_has_it_longer(desk, store):
    """What the session has established counts as well."""
    session = call("x", session="s").paths.document("sessions", "s")
    await store.commit([Set(session, Standing("match", "c1", None, NOW).to_fields())])
    assert (await desk.bookings.book(call("long", session="s"), wish(0, duration_minutes=60))).minutes == 60


@pytest.mark.requirement("004-165")
async def test_all_strangers_together_make_so_many_bookings_in_a_day(desk, store):
    """Each with a number of its own; the refusal says why, and known callers, counted nowhere, are served."""
    session = call("x", session="s").paths.document("sessions", "s")
    await store.commit([Set(session, Standing("match", "c1", None, NOW).to_fields())])
    known = [await booked(desk, 100 + n, session="s", phone=None) for n in range(5)]
    found = [await booked(desk, n, session=f"f{n}", phone=f"+1518555{n:04}") for n in range(MADE.business + 2)]
    assert found == ["booked"] * MADE.business + ["business"] * 2
    with pytest.raises(Refused, match="all of them together may make") as refused:
        await desk.bookings.book(call("one more", session="m", phone="+15185559999"), wish(70))
    assert f"({MADE.business} in 1 day)" in refused.value.message and "retryAfterS" in refused.value.meta
    known += [await booked(desk, 105 + n, session="s", phone=None) for n in range(5)]
    known += [await booked(desk, 110 + n, session="v", verified=True) for n in range(5)]
    known += [await booked(desk, 116, session="a", attestation=VOUCHED_FOR)]
    assert known == ["booked"] * 16
    tomorrow = {"now": NOW.replace(day=NOW.day + 1)}
    assert await booked(desk, 71, session="t", phone="+15185558888", **tomorrow) == "booked"


@pytest.mark.requirement("004-165")
async def test_of_strangers_at_once_in_several_processes_no_more_book_in_a_day(store, monkeypatch):
    """What was one too many is taken back before anybody is told, and its time is free."""
    monkeypatch.setitem(STRANGERS, Thing.BOOKINGS, replace(MADE, business=5))
    desks = [open_desk(store, StoppedClock()) for _ in range(4)]
    found = await asyncio.gather(
        *(booked(desks[n % 4], n, session=f"f{n}", phone=f"+1518555{n:04}") for n in range(24))
    )
    made = await stored(store, SALON.id, "bookings")
    assert found.count("booked") == len(made) == 5 and set(found) == {"booked", "business"}
    assert {slot["bookingId"] for slot in (await stored(store, SALON.id, "slots")).values()} == set(made)
    free = found.index("business")
    assert (await desks[0].bookings.book(call("known", verified=True), wish(free))).stands


@pytest.mark.requirement("004-165")
async def test_counting_a_day_costs_a_booking_no_round_trip(desk, store: WatchedStore):
    """It is read with what its holders hold, and written with the booking."""
    await booked(desk, 0, verified=True)
    store.asked.clear()
    await booked(desk, 1, verified=True, session="k")
    of_known = dict(store.asked)
    store.asked.clear()
    await booked(desk, 2, session="s", phone="+15185550188")
    assert store.asked["commit"] == of_known["commit"] == 1
    assert sum(store.asked.values()) <= sum(of_known.values()) + 1


async def test_what_somebody_holds_is_read_only_where_a_time_can_be_had(desk, store: WatchedStore):
    """Of a hundred who want one time, most are told that it is taken without it."""
    await booked(desk, 0, session="first", phone="+15185550199")
    store.paths.clear()
    for n in range(3):
        with pytest.raises(ToolError) as no:
            await desk.bookings.book(call("same", session=f"s{n}", phone=f"+1518555{n:04}"), wish(0))
        assert (no.value.type, bool(no.value.meta["alternatives"])) == (ErrorType.CONFLICT, True)
    assert not [path for path in store.paths if "/tickets/" in path]
