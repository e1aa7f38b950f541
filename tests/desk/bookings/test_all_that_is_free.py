"""Random businesses around days on which something is odd: what is told to be free is what can be booked, to a minute.

Held against the wall clock, which knows the business's document and no code of ours.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from random import Random
from typing import Any

import pytest

from switchboard.contract.business.business import Business
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.desk import Desk
from switchboard.desk.services import open_desk
from switchboard.state.memory.store import MemoryStore
from switchboard.tools.book_appointment.handler import execute as book
from switchboard.tools.check_availability.handler import execute as look
from tests.desk.bookings.wall_clock import DAY, WEEKDAYS, Held, WallClock, moments, told_starts
from tests.desk.front_desk import StoppedClock, calendar, call, salon, stored

pytestmark = pytest.mark.requirement("004-331")
ZONES = ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu"]
ZONES += ["America/Sao_Paulo", "UTC", "America/St_Johns", "America/Santiago"]
# Clocks change, the year turns, February has a day more.
DAYS = [date(2027, 3, 14), date(2027, 3, 28), date(2027, 10, 31), date(2027, 11, 7), date(2028, 2, 29)]
DAYS += [date(2027, 12, 31), date(2027, 4, 4), date(2027, 10, 3), date(2027, 9, 5), date(2027, 6, 16)]
SPANS = ["", "00:00-24:00", "00:00-02:00 18:00-24:00", "09:00-12:30 13:15-18:00", "09:10-11:55"]
SPANS += ["01:00-03:30 22:40-24:00", "08:00-14:00", "10:05-19:20"]
QUESTIONS = 8


def hours(draw: Random, day: date) -> dict[str, Any]:
    """Return hours for a week, and what differs around a day."""

    def openings() -> list[dict[str, str]]:
        return [dict(zip(("open", "close"), span.split("-"), strict=True)) for span in draw.choice(SPANS).split()]

    week: dict[str, Any] = {name: openings() for name in WEEKDAYS}
    days = [(day + draw.randrange(-1, 3) * DAY).isoformat(), day.strftime("%m-%d")]
    return {**week, "exceptions": {one: draw.choice(["closed", openings()]) for one in days if draw.random() < 0.3}}


def document(draw: Random, day: date) -> dict[str, Any]:
    """Return a business with one chair, or with people and a class."""
    services: list[dict[str, Any]] = [
        {"name": "Short", "durationMinutes": draw.choice([5, 10])},
        {"name": "Cut", "durationMinutes": 30},
        {"name": "Odd", "durationMinutes": draw.choice([7, 22, 33])},
        {"name": "Long", "durationMinutes": 50, "bufferBeforeMinutes": 5, "bufferAfterMinutes": 20},
    ]
    resources: list[dict[str, Any]] = []
    for name in ("Anna", "Boris", "Cleo")[: draw.choice([0, 1, 2, 3])]:
        person: dict[str, Any] = {"id": name.lower(), "name": name, "kind": "person"}
        person |= {"hours": hours(draw, day)} if draw.random() < 0.4 else {}
        person |= {"services": ["Cut", "Pair"]} if draw.random() < 0.2 else {}
        if draw.random() < 0.4:
            first, last = draw.choice([("00:30", "02:30"), ("11:20", "15:40")])
            person["absences"] = [{"start": f"{day}T{first}", "end": f"{day}T{last}"}]
        resources.append(person)
    if resources:
        resources.append({"id": "class", "name": "Class", "kind": "seats", "capacity": 4})
        services.append({"name": "Class", "durationMinutes": 45, "needs": [{"kind": "seats"}]})
        services.append({"name": "Pair", "durationMinutes": 40, "needs": [{"kind": "person", "perPerson": True}]})
    rules = calendar(minNoticeMinutes=draw.choice([0, 60, 1440]), maxDaysAhead=draw.choice([2, 14, 60]))
    known = {"services": services, "resources": resources, "integrations": rules}
    return {**known, "timezone": draw.choice(ZONES), "workingHours": hours(draw, day)}


class House:
    """One business with its desk, its appointments, and the wall clock beside it."""

    def __init__(self, seed: int) -> None:
        self.draw = Random(seed)
        self.day = self.draw.choice(DAYS)
        midday = datetime.combine(self.day, time(12), UTC)
        self.now = midday - timedelta(minutes=self.draw.choice([self.draw.randrange(1800), 60 * 24 * 11]))
        self.store, self.document = MemoryStore(), document(self.draw, self.day)
        self.clock = WallClock(self.document, self.now)
        self.business: Business = salon(f"house-{seed}", **self.document)
        still = StoppedClock()
        still.moment = self.now
        self.desk: Desk = open_desk(self.store, still)
        self.calls: dict[str, CallContext] = {}

    def call(self, number: int) -> CallContext:
        return call(self.business, f"wish {number}", session=f"s{number}", phone=f"+1518555{number:04}", now=self.now)

    def question(self) -> tuple[dict[str, Any], str, int]:
        """Return arguments, and the person and party in them."""
        service = self.draw.choice(self.document["services"])["name"]
        party = self.draw.choice([1, 2, 3]) if service in ("Class", "Pair") else 1
        people = [r for r in self.document["resources"] if r["kind"] == "person"] if service != "Class" else []
        wished = self.draw.choice(people) if people and party == 1 and self.draw.random() < 0.3 else None
        asked = {"service": service} | ({"party_size": party} if party > 1 else {})
        return (asked | {"with_person": wished["name"]}, wished["id"], 1) if wished else (asked, "", party)

    async def book(self, ctx: CallContext, start: datetime, asked: dict[str, Any]) -> bool:
        """Book it, and tell whether it was; what is offered instead can be had."""
        try:
            made = await book(ctx, self.desk, start_time=start, customer_name="Ada", **asked)
        except ToolError as error:
            assert error.type in (ErrorType.VALIDATION, ErrorType.CONFLICT)
            for one in error.meta.get("alternatives", ()):
                other, whose = datetime.fromisoformat(one["start"]).astimezone(UTC), one.get("with", "").lower()
                assert self.clock.is_free(asked["service"], other, whose, asked.get("party_size", 1)), one
            return False
        assert datetime.fromisoformat(made.data["startTime"]) == start
        self.calls[made.data["bookingId"]] = ctx
        await self.note(made.data["bookingId"])
        return True

    async def note(self, id: str) -> None:
        """Tell the wall clock of an appointment as it is stored."""
        row = (await stored(self.store, self.business.id, "bookings"))[id]
        taken = tuple((one["id"], one.get("units", 1)) for one in row.get("resources", ()))
        self.clock.held[id] = Held(self.clock.service(row["service"]), row["start"], taken)

    async def change(self) -> None:
        """Cancel or move an appointment now and then: what it held can be had again."""
        coming = [id for id, held in self.clock.held.items() if held.start > self.now]
        if not coming or self.draw.random() < 0.5:
            return
        id = self.draw.choice(coming)
        ctx = replace(self.calls[id], effect_key=f"change {self.draw.random()}")
        if self.draw.random() < 0.5:
            await self.desk.appointments.cancel(ctx, id)
            del self.clock.held[id]
            return
        target = self.draw.choice(moments(self.clock.zone, self.day + self.draw.randrange(2) * DAY))
        try:
            await self.desk.appointments.reschedule(ctx, id, target.astimezone(self.clock.zone))
        except ToolError as error:
            assert error.type in (ErrorType.VALIDATION, ErrorType.CONFLICT)
        else:
            await self.note(id)


def told(house: House, data: JsonObject, person: str, party: int, service: str) -> Iterator[tuple[str, set[datetime]]]:
    """Yield each day that is told with its starts; with whom and for how many it is told must be so as well."""
    for row in data.get("free", ()):
        day, (weekday, times) = date.fromisoformat(row["date"]), row["times"].split(" ", 1)
        assert weekday.lower() == WEEKDAYS[day.weekday()]
        starts = told_starts(times, day, house.clock.zone)
        for entry in row.get("with", ()):
            name, _, own = entry.partition(" ")
            theirs = told_starts(own, day, house.clock.zone) if own else starts
            assert theirs == house.clock.starts(service, day, name.lower(), party), entry
        for entry in row["room"].split("; ") if "room" in row else ():
            own, _, count = entry.rpartition(": ")
            for start in told_starts(own, day, house.clock.zone) if own else starts:
                rooms = [house.clock.is_free(service, start, person, int(count) + more) for more in (0, 1)]
                assert rooms == [True, False], entry
        yield row["date"], starts


@pytest.mark.parametrize("seed", range(40))
async def test_what_is_told_to_be_free_is_all_that_can_be_booked(seed: int) -> None:
    """Of a day and of a moment, with whom and for how many; before and after others are booked, moved and cancelled."""
    house = House(seed)
    for number in range(QUESTIONS):
        asked, person, party = house.question()
        ctx, service = house.call(number), asked["service"]
        day = house.day + house.draw.randrange(-1, 3) * DAY
        truth = house.clock.starts(service, day, person, party)
        try:
            data = (await look(ctx, house.desk, date=datetime.combine(day, time.min, house.clock.zone), **asked)).data
        except ToolError as error:
            # Nobody does it, or never for so many.
            assert error.type is ErrorType.VALIDATION
            assert not truth
            continue
        assert data["available"] is bool(truth)
        for other, starts in told(house, data, person, party, service):
            assert starts == house.clock.starts(service, date.fromisoformat(other), person, party), other
        assert not truth or [row["date"] for row in data["free"]] == [day.isoformat()]
        start = house.draw.choice(sorted(truth) or moments(house.clock.zone, day)[1:])
        if house.draw.random() < 0.3:
            start = house.draw.choice(moments(house.clock.zone, day)[1:])
        local, is_free = start.astimezone(house.clock.zone), house.clock.is_free(service, start, person, party)
        if local.time() != time.min:
            assert (await look(ctx, house.desk, date=local, **asked)).data["available"] is is_free
        assert await house.book(ctx, local, asked) is is_free
        await house.change()
