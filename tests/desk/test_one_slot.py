"""A hundred callers, one slot: one booking, 99 clean conflicts with alternatives (design §9, reliability.md row 4)."""

import asyncio
import time
from collections import Counter
from datetime import timedelta
from itertools import pairwise

import pytest

from switchboard.contract import policy
from switchboard.contract.error import ToolError
from switchboard.desk.bookings import Wish
from switchboard.desk.desk import open_desk
from switchboard.state.firestore import FirestoreStore
from switchboard.state.memory import MemoryStore
from tests.desk.front_desk import StoppedClock, WatchedStore, at, call, salon, stored

CALLERS = 100
SALON = salon()


@pytest.fixture
async def firestore(emulator_host, emulator_project, monkeypatch):
    # What is asked here is who gets the slot, also on a machine that is busy with something else.
    for name in ("STORE_READ_S", "STORE_WRITE_S", "STORE_FIRST_CALL_S"):
        monkeypatch.setattr(policy, name, 30.0)
    store = FirestoreStore(emulator_project, emulator_host=emulator_host)
    await store.warm()
    yield store
    await store.close()


@pytest.fixture(params=["memory", pytest.param("firestore", marks=pytest.mark.emulator)])
def watched(request):
    """Each kind of store, counting."""
    return WatchedStore(MemoryStore() if request.param == "memory" else request.getfixturevalue("firestore"))


async def burst(desks, *, minutes_apart=(0,)):
    """Let a hundred callers book at once; return how many got which answer, and the seconds it took."""

    async def one(n):
        start = at(SALON, "2027-03-16T10:00") + timedelta(minutes=minutes_apart[n % len(minutes_apart)])
        ctx = call(SALON, session=f"s{n}", phone=f"+1518555{n:04}")
        try:
            await desks[n % len(desks)].bookings.book(
                ctx, Wish(service="Haircut", start=start, customer_name=f"Caller {n}")
            )
        except ToolError as error:
            assert len(error.meta["alternatives"]) == 3
            assert error.partial_side_effects is False
            return error.type.value
        return "booked"

    began = time.perf_counter()
    answers = Counter(await asyncio.gather(*(one(n) for n in range(CALLERS))))
    return answers, time.perf_counter() - began


@pytest.mark.parametrize("desks", [1, 4], ids=["one desk", "four desks"])
@pytest.mark.requirement("004-02")
async def test_one_of_a_hundred_callers_gets_the_slot_and_99_get_other_times(watched, desks, record_property):
    """No other error, no orphan slot, within a second; two queries and one claim per desk.

    Several desks share nothing but the store, as several instances of the function do.
    """
    answers, seconds = await burst([open_desk(watched, StoppedClock()) for _ in range(desks)])
    record_property("seconds", round(seconds, 3))
    asked = dict(watched.asked)
    assert answers == {"booked": 1, "CONFLICT": CALLERS - 1}
    (booking,) = (await stored(watched, SALON.id, "bookings")).values()
    slots = await stored(watched, SALON.id, "slots")
    assert len(slots) == 6
    assert {slot["bookingId"] for slot in slots.values()} == {booking["id"]}
    assert asked["query"] <= 2 * desks
    assert asked["commit"] <= desks
    # The target is one second; five leave room for a machine that does something else as well.
    assert seconds < 5


async def test_overlapping_wishes_leave_bookings_that_do_not_overlap(watched):
    """Starts at 10:00, 10:15, 10:30 and 10:45: whoever wins, every slot belongs to exactly one booking."""
    answers, _ = await burst([open_desk(watched, StoppedClock()) for _ in range(4)], minutes_apart=(0, 15, 30, 45))
    bookings = await stored(watched, SALON.id, "bookings")
    slots = await stored(watched, SALON.id, "slots")
    assert set(answers) == {"booked", "CONFLICT"}
    assert answers["booked"] == len(bookings) in (1, 2)
    assert Counter(slot["bookingId"] for slot in slots.values()) == dict.fromkeys(bookings, 6)
    starts = sorted(b["start"] for b in bookings.values())
    assert all(b - a >= timedelta(minutes=30) for a, b in pairwise(starts))
