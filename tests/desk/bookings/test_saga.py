"""Bookings that were left under way: each is tried by itself, and those that cannot be read keep no other waiting."""

from datetime import UTC, datetime, timedelta

import pytest

from switchboard.contract.store import Set, Update
from switchboard.desk.bookings.saga import BookingRecovery
from switchboard.state.paths import FirestorePaths
from tests.desk.calendar_house import SALON, all_bookings
from tests.desk.front_desk import NOW, stored, write_down
from tests.desk.memory_calendar import SILENT

PATHS = FirestorePaths()
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
UNUSABLE = {"customerName": "Nobody", "status": "pending", "leaseUntil": LONG_AGO, "businessId": SALON.id}


async def under_way(house, calendar):
    """Leave a booking that the calendar has not confirmed, and let its lease run out."""
    calendar.fail_after["insert"] = calendar.fail_before["find"] = SILENT
    with pytest.raises(Exception, match="asked again"):
        await house.book()
    calendar.recover()
    house.clock.wait(61)
    (booking,) = await all_bookings(house.availability._busy._store)
    return booking


async def test_more_than_a_page_of_unusable_ones_keeps_no_sound_one_waiting(house, store, calendar):
    """They stand in front of it, sixty of them, and the very first pass comes to it."""
    await under_way(house, calendar)
    spoilt = {f"bad{n}": UNUSABLE | ({"start": "soon"} if n % 2 else {}) for n in range(60)}
    await write_down(store, SALON.id, "bookings", spoilt)
    assert await house.reap() == 1
    (booking,) = (b for b in await all_bookings(store) if b.customer_name == "Anna Whitfield")
    assert (booking.status, booking.is_under_way) == ("confirmed", False)


async def test_an_unusable_one_is_tried_less_and_less_often_and_then_left_for_people_to_see(house, store):
    """A pass every ten seconds for three hours; what is wrong with it stands on it."""
    await write_down(store, SALON.id, "bookings", {"bad": UNUSABLE})
    wrong = UNUSABLE | {"start": NOW + timedelta(days=9), "durationMinutes": 30, "businessId": "another"}
    await write_down(store, SALON.id, "bookings", {"elsewhere": wrong})
    tries = []
    for _ in range(3 * 360):
        house.clock.wait(10)
        await house.reap()
        tries.append((await stored(store, SALON.id, "bookings"))["bad"].get("recoveries"))
    assert tries[-1] == 12
    found = await stored(store, SALON.id, "bookings")
    assert "leaseUntil" not in found["bad"]
    assert found["bad"]["givenUp"] == "it has no usable time, or names no business"
    assert found["elsewhere"]["givenUp"] == "it names another business than the one it lies in"
    assert found["bad"]["givenUpAt"] > NOW


async def test_one_that_breaks_what_tries_it_keeps_no_other_waiting(house, store, calendar):
    """It keeps its time, is tried again later, and is confirmed once it no longer breaks anything."""
    booking = await under_way(house, calendar)
    path = PATHS.within(SALON.id).document("bookings", booking.id)
    await store.commit([Set(PATHS.within(SALON.id).business, {"name": "Salon"})])

    class Breaks:
        """A saga that nobody foresaw."""

        async def finish(self, place, booking):
            raise AssertionError

    broken = BookingRecovery(store, PATHS, Breaks())
    for _ in range(3 * 360):
        house.clock.wait(10)
        assert await broken.recover(house.clock.now()) == 0
    found = (await store.get(path)).data
    assert (found["givenUp"], found["leaseUntil"] > house.clock.now()) == ("AssertionError", True)
    await store.commit([Update(path, {"leaseUntil": house.clock.now()})])
    assert await house.reap() == 1
    (booking,) = await all_bookings(store)
    assert booking.status == "confirmed"
    assert not {"recoveries", "givenUp", "givenUpAt"} & (await store.get(path)).data.keys()
