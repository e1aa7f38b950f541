"""With whom an appointment is: in the text to the customer, in the outside calendar, in questions and their answers."""

from datetime import UTC
from typing import Any

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.bookings.told_changes import told_facts, told_move
from switchboard.pipeline.confirmation.assent import answer_to
from switchboard.pipeline.confirmation.prompt import read_back
from switchboard.state.memory.store import MemoryStore
from tests.desk.calendar_house import GOOGLE, NOON, SALON, TEN, CalendarHouse, faults
from tests.desk.front_desk import NOW, StoppedClock, WatchedStore, salon, stored
from tests.desk.memory_calendar import SILENT, MemoryCalendar
from tests.each import each
from tests.refused import failure
from tests.tools.guide_house import REGISTRY

PEOPLE: list[dict[str, Any]] = [{"id": "rosa", "name": "Rosa"}, {"id": "marcus", "name": "Marcus"}]
HAIRCUT = [{"name": "Haircut", "durationMinutes": 30}, {"name": "Class", "needs": [{"kind": "seats"}]}]
TEXTING = {"builtinCalendar": {"isConnected": True, "textConfirmations": True}}
SEATS = {"id": "class", "name": "Class", "kind": "seats", "capacity": 6}
QUESTIONS = {
    "en": ("with Rosa", "then with Marcus"),
    "de": ("bei Rosa", "dann bei Marcus"),
    "es": ("con Rosa", "entonces con Marcus"),
    "fr": ("avec Rosa", "alors avec Marcus"),
}


@pytest.fixture
def store() -> WatchedStore:
    return WatchedStore(MemoryStore())


@pytest.fixture
def calendar() -> MemoryCalendar:
    return MemoryCalendar()


def house_with(store: WatchedStore, calendar: MemoryCalendar | None = None) -> CalendarHouse:
    return CalendarHouse(store, calendar, StoppedClock())


@pytest.mark.requirement("004-516")
@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "is booked: Haircut with Rosa, Tue 2027-03-16 at 10:00."),
        ("de", "ist gebucht: Haircut bei Rosa, Di, 16.03.2027 um 10:00 Uhr."),
        ("es", "queda reservada: Haircut con Rosa, mar 16/03/2027 a las 10:00."),
        ("fr", "est réservé : Haircut avec Rosa, mar 16/03/2027 à 10h00."),
    ],
)
async def test_a_customer_is_texted_with_whom_it_is(store, language, told):
    """In the language of the business."""
    own = salon(services=HAIRCUT, resources=PEOPLE, integrations=TEXTING, ai={"language": language})
    house = house_with(store)
    await house.book(house.call(business=own), with_person="Rosa")
    (text,) = (await stored(store, SALON.id, "outbox")).values()
    assert text["body"].endswith(told)


@pytest.mark.requirement("004-516")
async def test_a_party_is_texted_for_how_many_it_is(store):
    """Nobody in particular gives the class."""
    own = salon(services=HAIRCUT, resources=[*PEOPLE, SEATS], integrations=TEXTING)
    house = house_with(store)
    await house.book(house.call(business=own), service="class", party_size=3)
    (text,) = (await stored(store, SALON.id, "outbox")).values()
    assert "is booked: Class for 3 people, Tue" in text["body"]


@pytest.mark.requirement("004-516")
async def test_an_outside_calendars_entry_says_with_whom_it_is_also_after_a_move_to_somebody_else(store, calendar):
    """Rosa is away at the new time; a calendar that does not answer about the words is asked again."""
    away = {"start": "2027-03-16T11:00", "end": "2027-03-16T18:00"}
    people = [{**PEOPLE[0], "absences": [away]}, PEOPLE[1]]
    own = salon(services=HAIRCUT, resources=people, integrations=GOOGLE)
    house = house_with(store, calendar)
    booking = await house.book(house.call(business=own), with_person="Rosa")
    assert "With: Rosa" in calendar.shown[0].description.splitlines()
    calendar.fail_before["reword"] = SILENT
    error = await failure(house.appointments.reschedule(house.call(business=own), booking.id, NOON))
    assert error.partial_side_effects
    calendar.recover()
    house.clock.wait(31)
    moved = await house.appointments.reschedule(house.call(business=own), booking.id, NOON)
    assert (moved.taken.person, calendar.shown[0].start) == ("Marcus", NOON)
    assert "With: Marcus" in calendar.shown[0].description.splitlines()
    assert await faults(store, calendar) == []


@pytest.mark.requirement("004-516")
@each("language", sorted(QUESTIONS))
async def test_a_question_names_the_person_and_only_they_may_be_named_in_a_yes(language: str) -> None:
    """Of a move to somebody else the new one: "yes, with Rosa" is none to Marcus."""
    store = WatchedStore(MemoryStore())
    away = {"start": "2027-03-16T11:00", "end": "2027-03-16T18:00"}
    people = [{**PEOPLE[0], "absences": [away]}, PEOPLE[1]]
    own = salon(services=HAIRCUT, resources=people, ai={"language": language})
    house = house_with(store)
    ctx = house.call(business=own)
    booking = await house.book(ctx, with_person="Rosa")
    now, target = await house.appointments.movable(ctx, booking.id, NOON)
    before, then = QUESTIONS[language]
    yes, preposition = {"en": "yes", "de": "ja", "es": "sí", "fr": "oui"}[language], before.split()[0]
    for tool, told, expected, person in (
        ("cancel_appointment", told_facts(booking), before, "Rosa"),
        ("book_appointment", told_facts(booking), before, "Rosa"),
        ("reschedule_appointment", {**told_move(now, target), "new_start_time": NOON}, then, "Marcus"),
    ):
        definition = REGISTRY.tools[tool].definition
        question = read_back(definition, told, own, NOW)
        assert expected in question
        deeds = [deed.value for deed in definition.deeds]
        other = ({"Rosa", "Marcus"} - {person}).pop()
        assert other not in question
        assert answer_to(f"{yes}, {preposition} {person}", language, question, deeds) == "yes"
        assert answer_to(f"{yes}, {preposition} {other}", language, question, deeds) == "unclear"


async def test_somebody_else_than_was_agreed_to_is_not_booked(store):
    """A yes to Rosa is no yes to Marcus, where Rosa is taken meanwhile."""
    own = salon(services=HAIRCUT, resources=PEOPLE)
    house = house_with(store)
    await house.book(house.call("other", business=own, session="other", phone="+15185550190"), with_person="Rosa")
    ctx = house.call(business=own)
    object.__setattr__(ctx, "agreed", {"with": "Rosa", "start_time": TEN.astimezone(UTC)})
    with pytest.raises(ToolError, match="Rosa is taken then; Marcus is free") as caught:
        await house.book(ctx)
    assert caught.value.type is ErrorType.CONFLICT
