"""Texts to a caller are in the language of their call: confirmations, codes, links, also those that are sent later."""

from dataclasses import replace
from typing import Any

import pytest

from switchboard.contract.business.languages import HOUSE_LANGUAGES
from switchboard.contract.channel import Channel
from switchboard.contract.context import CallContext, StaffMember
from switchboard.contract.store import Set
from switchboard.desk.bookings.booking import Booking
from switchboard.desk.bookings.refusal import under_way
from switchboard.desk.callers.one_time_codes import LASTS, code_text
from switchboard.desk.callers.verification import SaidFacts
from switchboard.desk.messaging.sms_body import segments
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths
from tests.desk.calendar_house import GOOGLE, NOON, TEN, CalendarHouse, Dies, Life
from tests.desk.front_desk import SALON, StoppedClock, WatchedStore, salon, stored
from tests.desk.memory_calendar import MemoryCalendar
from tests.desk.reception import Reception

pytestmark = pytest.mark.requirement("004-1702")
BUILT_IN = {"builtinCalendar": {"isConnected": True, "textConfirmations": True}}
OUTSIDE = {"googleCalendar": {**GOOGLE["googleCalendar"], "textConfirmations": True}}
BOOKED = {
    "en": "your appointment is booked: Haircut, Tue 2027-03-16 at 10:00.",
    "de": "Ihr Termin ist gebucht: Haircut, Di, 16.03.2027 um 10:00 Uhr.",
    "es": "su cita queda reservada: Haircut, mar 16/03/2027 a las 10:00.",
    "fr": "votre rendez-vous est réservé : Haircut, mar 16/03/2027 à 10h00.",
    "it": "il suo appuntamento è prenotato: Haircut, mar 16/03/2027 alle 10:00.",
    "pt": "a sua marcação está feita: Haircut, ter 16/03/2027 às 10:00.",
    "nl": "uw afspraak is geboekt: Haircut, di 16-03-2027 om 10:00 uur.",
}
CODES = {
    "en": "is your code for",
    "de": "ist Ihr Code für",
    "es": "es su clave para",
    "fr": "est votre code pour",
    "it": "è il suo codice per",
    "pt": "é a sua senha para",
    "nl": "is uw code voor",
}


@pytest.fixture
def store() -> WatchedStore:
    return WatchedStore(MemoryStore())


@pytest.fixture
def calendar() -> MemoryCalendar:
    return MemoryCalendar()


def spoken(ctx: CallContext, language: str) -> CallContext:
    """Return the same call of somebody who has been heard to speak a language."""
    return replace(ctx, facts=replace(ctx.facts, language=language))


async def texts(store: WatchedStore, business_id: str) -> list[str]:
    """Return what was ordered to be texted, the oldest first."""
    found = (await stored(store, business_id, "outbox")).values()
    return [text["body"] for text in sorted(found, key=lambda text: text["createdAt"])]


@pytest.mark.parametrize("own", ["en", "de"])
@pytest.mark.parametrize("integrations", [BUILT_IN, OUTSIDE])
@pytest.mark.parametrize("language", HOUSE_LANGUAGES)
async def test_an_appointment_is_confirmed_in_the_language_of_the_call(
    store: WatchedStore, calendar: MemoryCalendar, integrations: dict[str, Any], own: str, language: str
) -> None:
    """Whatever the business speaks, and in its own where the caller has shown no other."""
    business = salon(integrations=integrations, ai={"language": own})
    house = CalendarHouse(store, calendar, StoppedClock())
    for shown, start, phone in ((language, TEN, "+15185550177"), ("", NOON, "+15185550178")):
        ctx = house.call(shown or "other", business=business, session=f"of {shown}", phone=phone)
        booking = await house.book(spoken(ctx, shown), start=start)
        assert (await _again(house, business.id, booking)).language == shown
        house.clock.wait(1)
    first, second = await texts(store, business.id)
    assert first.endswith(BOOKED[language])
    assert second.endswith(BOOKED[own].replace("10:00", "12:00"))


async def _again(house: CalendarHouse, business_id: str, booking: Booking) -> Booking:
    ctx = house.call(business=salon(business_id))
    found = await house.saga.records.read(ctx, booking.id)
    assert found is not None
    return found


@pytest.mark.parametrize("integrations", [BUILT_IN, OUTSIDE])
async def test_whoever_changes_an_appointment_is_told_as_they_speak_and_the_business_writes_as_was_last_spoken(
    store: WatchedStore, calendar: MemoryCalendar, integrations: dict[str, Any]
) -> None:
    """Booked in Spanish, moved at the desk, moved in Italian, cancelled in the business's English."""
    business, clock = salon(integrations=integrations), StoppedClock()
    house = CalendarHouse(store, calendar, clock)

    def ctx(language: str = "", **facts: Any) -> CallContext:
        now = spoken(house.call(business=business), language)
        return replace(now, facts=replace(now.facts, **facts))

    at_the_desk = StaffMember(id="u1", name="Maja", role="owner")
    booking = await house.book(ctx("es"))
    clock.wait(60)
    await house.appointments.reschedule(ctx(staff=at_the_desk), booking.id, NOON)
    clock.wait(60)
    await house.appointments.reschedule(ctx("it"), booking.id, TEN)
    clock.wait(60)
    await house.appointments.cancel(ctx(), booking.id)
    told = [text.partition(": ")[2].partition(":")[0] for text in await texts(store, business.id)]
    assert told == [
        "su cita queda reservada",
        "su cita ha cambiado",
        "il suo appuntamento è stato spostato",
        "your appointment was cancelled",
    ]


async def test_what_another_process_brings_to_its_end_is_told_in_the_language_of_the_call(
    store: WatchedStore, calendar: MemoryCalendar
) -> None:
    """The one that has heard the caller was killed on the way; what it says of it meanwhile is in that too."""
    business, clock = salon(integrations=OUTSIDE), StoppedClock()
    own = FirestorePaths().within(business.id).business
    await store.commit([Set(own, {**SALON, "integrations": OUTSIDE})])
    dying = CalendarHouse(store, calendar, clock, Life(3))
    with pytest.raises(Dies):
        await dying.book(spoken(dying.call(business=business), "es"))
    (pending,) = (await stored(store, business.id, "bookings")).values()
    assert pending["language"] == "es" and pending["status"] == "pending"
    house = CalendarHouse(store, calendar, clock)
    assert "anotado" in (under_way(business, replace(await _only(house, store, business.id))).say or "")
    clock.wait(600)
    assert await house.reap() == 1
    (body,) = await texts(store, business.id)
    assert "su cita queda reservada" in body


async def _only(house: CalendarHouse, store: WatchedStore, business_id: str) -> Booking:
    (id,) = await stored(store, business_id, "bookings")
    found = await house.saga.records.read(house.call(business=salon(business_id)), id)
    assert found is not None
    return found


@pytest.mark.parametrize("language", HOUSE_LANGUAGES)
async def test_a_code_comes_in_the_language_in_which_it_was_asked_for(store: WatchedStore, language: str) -> None:
    """Also where another process sends it later; one message long, so that it is read as one."""
    reception = Reception(store, StoppedClock())
    await reception.open()
    ctx = reception.asking_for("code", channel=Channel.PHONE, caller_phone="+15185550199", language=language)
    said = SaidFacts(name="Anna Whitfield", phone="518 555 0161")
    assert (await reception.verification.verify(ctx, said)).outcome == "code_needed"
    assert (await reception.codes.send(ctx)).is_asked_for
    await reception.codes.ended()
    ((_, body),) = reception.pocket.texts
    assert CODES[language] in body
    longest = replace(ctx.business, name="x" * 60)
    assert segments(code_text(longest, "123456", LASTS, language)) == 1
