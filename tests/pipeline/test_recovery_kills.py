"""A process is killed at every step of a call, from its admission to its settlement: what was admitted is driven on.

The row is the proof that the caller said yes, so nobody is asked again; what nobody knew at first becomes known, under
the same call id, within a minute or two.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from switchboard.contract.error import ErrorType
from switchboard.contract.store import Update
from switchboard.desk.bookings.booking import CANCELLED, CONFIRMED
from switchboard.pipeline.ledger.row import CallRow
from tests.pipeline.killed_house import BUILT_IN, GOOGLE, SESSION, WITHIN, Process, World, killed

TEN, NOON = "2027-03-16T10:00", "2027-03-16T12:00"
BOOK = {"service": "Haircut", "start_time": TEN, "customer_name": "Anna Whitfield"}
PAUSE_S, PASSES = 20.0, 6


async def _booked(world: World) -> None:
    (booking,) = await world.bookings()
    assert booking.status == CONFIRMED
    await _calendar_shows(world, [booking.start] if booking.calendar_settings is not None else [])


async def _cancelled(world: World) -> None:
    (booking,) = await world.bookings()
    assert (booking.status, booking.is_under_way) == (CANCELLED, False)
    await _calendar_shows(world, [])


async def _moved(world: World) -> None:
    (booking,) = await world.bookings()
    assert (booking.status, booking.is_under_way) == (CONFIRMED, False)
    assert booking.start.astimezone(booking.created_at.tzinfo).hour == 16
    await _calendar_shows(world, [booking.start] if booking.calendar_settings is not None else [])


async def _calendar_shows(world: World, starts: list[Any]) -> None:
    assert [entry.start for entry in world.calendar.shown] == starts


async def _one_text(world: World) -> None:
    assert len(world.network.sent) == 1


async def _one_message(world: World) -> None:
    assert [found["kind"] for found in await world.outbox()].count("message") == 1


@dataclass(frozen=True)
class Deed:
    """Something that a caller has done: the call, whether it needs a booking and a yes, and what must hold after it."""

    name: str
    args: Callable[[str], dict[str, Any]]
    ends: Callable[[World], Awaitable[None]]
    is_on_a_booking: bool = False

    async def world(self, calendar: dict[str, Any]) -> tuple[World, dict[str, Any], int]:
        """Return a world in which the call is to be made next, its arguments, and its turn."""
        world = await World.open(calendar)
        if not self.is_on_a_booking:
            return world, self.args(""), 1
        house = Process(world)
        booked = await house.call("book_appointment", BOOK)
        assert booked.data is not None, booked
        args = self.args(booked.data["bookingId"])
        await house.agree(self.name, args)
        return world, args, 2


DEEDS = {
    "book": Deed("book_appointment", lambda id: BOOK, _booked),
    "cancel": Deed("cancel_appointment", lambda id: {"booking_id": id}, _cancelled, is_on_a_booking=True),
    "move": Deed(
        "reschedule_appointment", lambda id: {"booking_id": id, "new_start_time": NOON}, _moved, is_on_a_booking=True
    ),
    "text": Deed("send_sms", lambda id: {"message": "See you soon."}, _one_text),
    "message": Deed("take_message", lambda id: {"caller_name": "Anna", "message": "Call me."}, _one_message),
}
CALENDARS = {"the built-in calendar": BUILT_IN, "an outside calendar": GOOGLE}


@pytest.mark.parametrize("by", ["redelivery", "reaper"])
@pytest.mark.parametrize("calendar", list(CALENDARS))
@pytest.mark.parametrize("deed", list(DEEDS))
async def test_a_call_whose_process_is_killed_is_carried_out_once_and_told(deed, calendar, by):
    """At whatever step it was killed, if only it had been admitted; a redelivery gets the truth, never "not known"."""
    what, steps = DEEDS[deed], 0
    while True:
        world, args, turn = await what.world(CALENDARS[calendar])
        life = await killed(world, steps, what.name, args, turn)
        was_admitted = await world.row("c1") is not None
        house = Process(world)
        for _ in range(PASSES if by == "reaper" else 0):
            await house.passes()
            world.clock.wait(PAUSE_S)
        if by == "redelivery":
            await house.call(what.name, args, turn, "c1")
            world.clock.wait(2 * PAUSE_S)
            await house.passes()
        if was_admitted and by == "reaper":
            row = await world.row("c1")
            assert row is not None, steps
            assert row.state == "finished", (steps, row.response)
            await what.ends(world)
        if was_admitted or by == "redelivery":
            answer = await house.call(what.name, args, turn, "c1")
            assert answer.ok, (steps, answer)
            assert answer.meta["receipt"], steps
            await what.ends(world)
        if life.left >= 0:
            break
        steps += 1
    assert steps >= 4


async def killed_once_admitted(world: World, what: Deed, args: dict[str, Any], turn: int) -> CallRow:
    """Kill a process right after the commit that lets the call in, and return the call's row."""
    for steps in range(10):
        await killed(world, steps, what.name, args, turn)
        row = await world.row("c1")
        if row is not None:
            return row
    raise AssertionError("it was never admitted")


async def test_a_call_that_nobody_had_agreed_to_is_not_carried_out_because_its_row_is_there():
    """Admission records what it refuses too: the row says whether there was a yes, and without one nothing is done."""
    what = DEEDS["cancel"]
    world = await World.open(BUILT_IN)
    booked = await Process(world).call("book_appointment", BOOK)
    args = {"booking_id": booked.data["bookingId"]}
    row = await killed_once_admitted(world, what, args, 2)
    assert row.state == "started"
    house = Process(world)
    await house.passes()
    (booking,) = await world.bookings()
    assert booking.status == CONFIRMED
    row = await world.row("c1")
    assert row.state == "failed"
    assert row.response.failure.partial_side_effects is False
    session = await world.store.get(WITHIN.document("sessions", SESSION))
    assert "proposal" not in session.data


async def test_an_appointment_that_was_changed_meanwhile_is_left_as_it_is():
    """The yes was to what the caller was told; nobody waits any more who could be asked about what it is now."""
    what = DEEDS["cancel"]
    world, args, turn = await what.world(BUILT_IN)
    await killed_once_admitted(world, what, args, turn)
    (booking,) = await world.bookings()
    house = Process(world)
    await world.store.commit([Update(WITHIN.document("bookings", booking.id), {"customerName": "Bo Whitfield"})])
    await house.passes()
    (booking,) = await world.bookings()
    assert booking.status == CONFIRMED
    row = await world.row("c1")
    assert row.state == "failed"
    assert row.response.failure.type is ErrorType.CONFLICT
    assert row.response.failure.partial_side_effects is False
