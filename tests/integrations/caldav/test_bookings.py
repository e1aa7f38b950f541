"""Appointments of a business whose calendar is on a CalDAV server: from the desk to the disk and back."""

from datetime import timedelta

import pytest
from starlette.responses import Response

from switchboard.contract.error import ErrorType
from switchboard.contract.store import Set
from switchboard.integrations.caldav.account import INTEGRATION, PASSWORD, TOOLKIT
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths
from tests.desk.calendar_house import NOON, TEN, CalendarHouse, all_bookings
from tests.desk.front_desk import SALON as SALON_DOCUMENT
from tests.desk.front_desk import StoppedClock, salon
from tests.desk.memory_calendar import MemoryCalendar
from tests.integrations.caldav import radicale_server
from tests.integrations.caldav.front import Wrong
from tests.integrations.caldav.premises import Premises, times
from tests.refused import failure


class House(CalendarHouse):
    """A salon whose appointments are in the calendar of the premises."""

    def __init__(self, premises: Premises) -> None:
        super().__init__(MemoryStore(), MemoryCalendar(), StoppedClock())
        self.settings = premises.business().integrations[INTEGRATION].settings
        self.salon = salon(integrations={INTEGRATION: {"isConnected": True, **self.settings}})
        self.busy.calendars = premises.calendars
        self.premises = premises

    @property
    def store(self) -> MemoryStore:
        return self.busy._store  # type: ignore[no-any-return]

    def ask(self):
        """Return the context of a call that comes now."""
        return self.call(business=self.salon)

    def entries(self) -> list[str]:
        """Return the titles that a person sees."""
        listed = self.premises.person.request("PROPFIND", self.premises.path, headers={"Depth": "1"}).text
        names = [part.split(".ics")[0].rpartition("/")[2] for part in listed.split("<href>") if ".ics" in part]
        texts = [self.premises.text_of(name) for name in names]
        return [
            row.removeprefix("SUMMARY:") for text in texts for row in text.splitlines() if row.startswith("SUMMARY")
        ]


@pytest.fixture
async def house(premises: Premises) -> House:
    """A salon whose owner has set its calendar up."""
    found = House(premises)
    document = {**SALON_DOCUMENT, "integrations": {INTEGRATION: {"isConnected": True, **found.settings}}}
    await found.store.commit([Set(FirestorePaths().within(found.salon.id).business, document)])
    await premises.secrets.keep(found.salon.id, TOOLKIT, PASSWORD, radicale_server.PASSWORD)
    return found


@pytest.mark.requirement("001-91")
async def test_an_appointment_is_entered_moved_and_removed(house: House):
    """Under one name all the way; people see what callers were told."""
    booking = await house.book(house.ask())
    assert (booking.status, booking.calendar) == ("confirmed", INTEGRATION)
    assert house.entries() == ["Haircut: Anna Whitfield"]
    moved = await house.appointments.reschedule(house.ask(), booking.id, NOON)
    found = await house.premises.calendars.of(house.salon)
    assert found is not None
    (entry,) = await found.entries(TEN, TEN + timedelta(days=1))
    assert (entry.start, entry.booking_id, entry.id) == (moved.start, booking.id, booking.entry_id)
    await house.appointments.cancel(house.ask(), booking.id)
    assert house.entries() == []


async def test_what_a_person_has_entered_is_not_booked_over(house: House):
    """And the caller hears that the time is taken."""
    house.premises.put(times(TEN - timedelta(minutes=10)))
    assert (await failure(house.book(house.ask()))).type is ErrorType.CONFLICT
    assert house.entries() == ["a person's"]


async def test_an_answer_that_is_lost_leaves_one_appointment(house: House):
    """It was entered; whoever looks by its id finds it, and enters it no second time."""
    house.premises.front.wrong.append(Wrong(("PUT",), None, 1))
    booking = await house.book(house.ask())
    assert booking.status == "confirmed"
    assert house.entries() == ["Haircut: Anna Whitfield"]
    assert house.premises.front.methods().count("PUT") == 1


async def test_while_nobody_can_say_whether_it_was_entered_it_is_held_and_ended_later(house: House):
    """The caller is told that it is not confirmed; the next look brings it to its end."""
    wrong, broken = house.premises.front.wrong, Wrong(("REPORT",), Response("broken", 500))
    wrong.append(Wrong(("PUT",), None, 1, then=broken))
    assert (await failure(house.book(house.ask()))).partial_side_effects
    wrong.clear()
    house.clock.wait(31)
    assert await house.reap() == 1
    (booking,) = await all_bookings(house.store)
    assert booking.status == "confirmed"
    assert house.entries() == ["Haircut: Anna Whitfield"]


async def test_an_appointment_that_a_person_put_elsewhere_is_moved_from_there(house: House):
    """From wherever it stands now; what the person added stays."""
    booking = await house.book(house.ask())
    name = booking.entry_id
    text = house.premises.text_of(name)
    rows = [row for row in text.splitlines() if not row.startswith(("DTSTART", "DTEND"))]
    at = rows.index("BEGIN:VEVENT") + 1
    rows[at:at] = [*times(TEN + timedelta(hours=3)).splitlines(), "COLOR:teal"]
    path = f"{house.premises.path}{name}.ics"
    assert house.premises.person.put(path, content="\r\n".join([*rows, ""]).encode()).is_success
    await house.appointments.reschedule(house.ask(), booking.id, NOON)
    after = house.premises.text_of(name)
    assert "COLOR:teal" in after and "DTSTART:20270316T160000Z" in after
