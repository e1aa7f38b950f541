"""An appointment becomes another service in one deed: its time is never let go before what it then needs is held."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.bookings.booking import Booking
from switchboard.desk.bookings.told_changes import told_move
from switchboard.pipeline.confirmation.assent import answer_to
from switchboard.pipeline.confirmation.prompt import read_back
from tests.desk.bookings.test_party_changes import Place
from tests.desk.calendar_house import GOOGLE, NOON, TEN, Dies, Life, all_bookings, faults
from tests.desk.front_desk import NOW, stored
from tests.desk.house_of_resources import full_house
from tests.desk.memory_calendar import SILENT, event
from tests.each import each
from tests.refused import failure
from tests.tools.folder import run
from tests.tools.guide_house import REGISTRY

pytestmark = pytest.mark.requirement("004-2413")
TEXTING = {"builtinCalendar": {"isConnected": True, "textConfirmations": True}}
SERVICES = [
    {"name": "Haircut", "durationMinutes": 30, "price": "$48", "needs": [{"kind": "person"}]},
    {"name": "Haircut and beard", "durationMinutes": 60, "price": "$65", "bufferAfterMinutes": 10},
    {"name": "Treatment", "durationMinutes": 45, "price": "$80", "needs": [{"kind": "person"}, {"kind": "room"}]},
    {"name": "Razor line-up", "durationMinutes": 15, "needs": [{"kind": "person", "any": ["marcus"]}]},
    {"name": "Styling class", "durationMinutes": 60, "needs": [{"kind": "seats"}]},
]
OWN, OUTSIDE = (full_house(services=SERVICES, integrations=kept) for kept in (TEXTING, GOOGLE))
ALONE = replace(OWN, resources=())
BEARD = "haircut and beard"


async def change(place: Place, booking: Booking, service: str, start: Any = TEN, house: Any = None) -> Booking:
    ctx = place.ctx(f"{service} at {start}")
    return await (house or place.house).appointments.reschedule(ctx, booking.id, start, None, service)


async def booked(place: Place, who: str = "Anna", **wish: Any) -> Booking:
    return await place.book(1, who, **{"service": "Haircut"} | wish)


@each("business", [OWN, ALONE])
async def test_it_becomes_the_other_service_at_its_own_time(business: Any) -> None:
    """Longer, at that one's price, with its buffers; what it holds already is not in its way."""
    place = Place(business)
    first = await booked(place)
    changed = await change(place, first, BEARD)
    assert (changed.id, changed.start, changed.repeated) == (first.id, TEN, False)
    assert (changed.service, changed.minutes, changed.price, changed.after) == ("Haircut and beard", 60, "$65", 10)
    assert changed.taken.person == first.taken.person
    (kept,) = await all_bookings(place.store)
    assert kept.its_service == changed.its_service
    assert await place.slots() == await place.held()
    # And back: what it does not need is free again.
    back = await change(place, changed, "Haircut")
    assert (back.minutes, back.price, back.held < changed.held) == (
        30,
        "$48",
        business is ALONE or back.held < changed.held,
    )
    assert await place.slots() == await place.held()


async def test_what_cannot_be_had_leaves_it_as_it_was_and_names_what_can() -> None:
    place = Place(ALONE)
    mine = await booked(place)
    await booked(place, "Bo", start=TEN + timedelta(minutes=30))
    full = await failure(change(place, mine, BEARD))
    assert (full.type, full.meta["reason"]) == (ErrorType.CONFLICT, "taken") and "Free instead: " in full.message
    assert full.meta["alternatives"][0]["end"][14:16] == full.meta["alternatives"][0]["start"][14:16]
    unknown = await failure(change(place, mine, "Massage"))
    assert unknown.type is ErrorType.VALIDATION and "Offered are: Haircut, " in unknown.message
    assert {b.service for b in await all_bookings(place.store)} == {"Haircut"}
    assert await place.slots() == await place.held()


async def test_it_goes_to_whoever_does_the_other_service() -> None:
    """With whom it is then is told; it takes up a room where that one needs one."""
    place = Place(OWN)
    mine = await booked(place, with_person="Rosa Lindqvist")
    now, target = await place.house.appointments.movable(place.ctx(), mine.id, TEN, None, "Razor line-up")
    assert told_move(now, target)["new_with"] == "Marcus"
    assert (await change(place, mine, "razor line-up")).taken.person == "Marcus"
    treated = await change(place, mine, "Treatment")
    assert sorted(one.kind for one in treated.taken.resources) == ["person", "room"]
    assert await place.slots() == await place.held()


async def test_time_and_service_change_together_or_not_at_all() -> None:
    place = Place(ALONE)
    mine = await booked(place)
    await booked(place, "Bo", start=NOON)
    assert (await failure(change(place, mine, BEARD, NOON - timedelta(minutes=30)))).type is ErrorType.CONFLICT
    moved = await change(place, mine, BEARD, NOON + timedelta(hours=1))
    assert (moved.start, moved.minutes) == (NOON + timedelta(hours=1), 60)


async def test_the_same_wish_again_is_told_to_be_done_and_is_done_once() -> None:
    """Also in several processes at once; the service that it is asks for nothing."""
    place = Place(OWN)
    mine = await booked(place)
    assert (await change(place, mine, "haircut")).repeated
    done = await asyncio.gather(*(change(place, mine, BEARD, house=place.process()) for _ in range(3)))
    assert {one.service for one in done} == {"Haircut and beard"} and sum(not one.repeated for one in done) == 1
    texts = [text["body"] for text in (await stored(place.store, OWN.id, "outbox")).values()]
    (told,) = [text for text in texts if "was changed" in text]
    assert "your appointment was changed: Haircut and beard" in told and "1 person" not in told
    assert await place.slots() == await place.held()


async def test_result_and_receipt_say_what_it_is_and_what_it_costs() -> None:
    place = Place(OWN)
    mine = await booked(place)
    given = {"booking_id": mine.id, "new_start_time": "2027-03-16T10:00:00", "service": BEARD}
    result = await run("reschedule_appointment", place.ctx("beard"), place.house, given)
    assert (result.data["service"], result.data["price"]) == ("Haircut and beard", "$65")
    assert result.data["endTime"] == "2027-03-16T11:00:00-04:00"
    assert "Haircut and beard" in result.receipt["what"] and result.receipt["effectIds"] == [mine.id]


async def test_a_look_at_its_own_place_is_for_the_other_service() -> None:
    place = Place(ALONE)
    mine = await booked(place)
    given = {"date": "2027-03-16T10:00:00", "booking_id": mine.id, "service": BEARD}
    look = (await run("check_availability", place.ctx(), place.house, given)).data
    assert (look["available"], look["durationMinutes"], look["service"]) == (True, 60, "Haircut and beard")
    await booked(place, "Bo", start=TEN + timedelta(minutes=30))
    assert (await run("check_availability", place.ctx(), place.house, given)).data["available"] is False


@each(
    "language, stays, moves",
    [
        (
            "en",
            "10:00 AM to Haircut and beard, 60 minutes long, at $65. Shall",
            "then as Haircut and beard, 60 minutes",
        ),
        ("de", "10:00 Uhr in „Haircut and beard“ mit 60 Minuten für $65 ändern.", "als „Haircut and beard“ mit 60"),
        ("es", "10:00 a Haircut and beard, de 60 minutos, por $65. ¿", "entonces como Haircut and beard, de 60"),
        ("fr", "10h00 en « Haircut and beard », de 60 minutes, à $65. Ê", "alors « Haircut and beard », de 60"),
        ("it", "10:00 in «Haircut and beard», di 60 minuti, a $65. Va", "allora «Haircut and beard», di 60"),
        ("pt", "10:00 para Haircut and beard, de 60 minutos, por $65. Está", "então como Haircut and beard, de 60"),
        ("nl", "10:00 uur in „Haircut and beard” van 60 minuten voor $65 wijzigen.", "als „Haircut and beard” van 60"),
    ],
)
async def test_the_caller_is_asked_about_service_length_and_price(language: str, stays: str, moves: str) -> None:
    place = Place(full_house(services=SERVICES, ai={"language": language}))
    mine = await booked(place)
    definition = REGISTRY.tools["reschedule_appointment"].definition

    async def asked(start: Any) -> str:
        now, target = await place.house.appointments.movable(place.ctx(), mine.id, start, None, BEARD)
        given = {"booking_id": mine.id, "new_start_time": start, "service": BEARD}
        return read_back(definition, {**given, **told_move(now, target)}, place.business, NOW)

    question = await asked(TEN)
    assert stays in question and moves in await asked(NOON), (question, await asked(NOON))
    yes = {"en": "yes please", "de": "ja bitte", "es": "sí, por favor", "fr": "oui s'il vous plaît"}.get(language)
    deeds = [deed.value for deed in definition.deeds]
    assert yes is None or answer_to(yes, language, question, deeds) == "yes"
    if language == "en":
        assert answer_to("yes, change it", language, question, deeds) == "yes"
        assert answer_to("yes, the haircut and beard", language, question, deeds) == "yes"


async def test_what_was_agreed_to_is_what_is_done() -> None:
    """Its price is part of that."""
    place = Place(OWN)
    mine = await booked(place)
    ctx = place.ctx("beard")
    agreed = replace(ctx, agreed=told_move(*await place.house.appointments.movable(ctx, mine.id, TEN, None, BEARD)))
    dearer = [row | {"price": "$70"} if row["name"] == "Haircut and beard" else row for row in SERVICES]
    changed = replace(agreed, business=full_house(services=dearer, integrations=TEXTING))
    with pytest.raises(ToolError) as no:
        await place.house.appointments.reschedule(changed, mine.id, TEN, None, BEARD)
    assert no.value.type is ErrorType.CONFLICT
    assert (await place.house.appointments.reschedule(agreed, mine.id, TEN, None, BEARD)).price == "$65"


@each("before, after", [("Haircut", "Haircut and beard"), ("Haircut and beard", "Haircut")])
async def test_wherever_a_process_dies_the_calendar_agrees(before: str, after: str) -> None:
    """Killed before and after each commit and each call of the calendar; then the reaper, and the wish once more."""
    life, step = Life(), 0
    while step <= life.lived:
        place = Place(OUTSIDE)
        mine = await booked(place, service=before)
        life = Life(step)
        with suppress(Dies, ToolError):
            await change(place, mine, after, house=place.process(life))
        place.clock.wait(21)
        await place.process().reap()
        assert await faults(place.store, place.calendar) == [], step
        (kept,) = await all_bookings(place.store)
        assert entry(place).title == f"{kept.service}: Anna", step
        assert (await change(place, mine, after)).service == after
        assert entry(place).title == f"{after}: Anna"
        assert (entry(place).end - entry(place).start).seconds == (60 if "beard" in after else 30) * 60
        assert await faults(place.store, place.calendar) == [], step
        step += 1
    assert step > 6


def entry(place: Place) -> Any:
    (one,) = (each for each in place.calendar.shown if each.booking_id)
    return one


async def test_a_calendar_that_does_not_answer_is_told_later() -> None:
    """Nobody is told that it is done before; what both take up is held until then."""
    place = Place(OUTSIDE)
    mine = await booked(place)
    place.calendar.fail_before["move"] = SILENT
    assert (await failure(change(place, mine, BEARD))).partial_side_effects
    place.calendar.recover()
    place.clock.wait(31)
    await place.house.reap()
    assert entry(place).title == "Haircut and beard: Anna"
    assert await faults(place.store, place.calendar) == []


async def test_whoever_enters_something_in_that_moment_keeps_the_longer_one_out() -> None:
    """The entry says again what it was, at its old length."""
    place = Place(OUTSIDE)
    mine = await booked(place)

    async def person(place: Place = place) -> None:
        place.calendar.put(event(OUTSIDE, "2027-03-16", "10:40", "10:50"))

    place.calendar.meanwhile["move"] = person
    with suppress(ToolError):
        await change(place, mine, BEARD)
    (kept,) = await all_bookings(place.store)
    assert (kept.service, kept.minutes, kept.move) == ("Haircut", 30, None)
    assert entry(place).title == "Haircut: Anna" and (entry(place).end - entry(place).start).seconds == 30 * 60
    assert await faults(place.store, place.calendar) == []
