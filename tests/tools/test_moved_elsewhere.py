"""Moving an appointment to somebody else, and to a time that only another appointment of the caller's own takes."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.response import Proposal
from switchboard.pipeline.confirmation.prompt import read_back
from switchboard.tools.reschedule_appointment.handler import propose
from tests.desk.calendar_house import TEN
from tests.desk.front_desk import NOW, call, salon
from tests.tools.folder import run
from tests.tools.guide_house import REGISTRY

TUESDAY = "2027-03-16T"
CHAIRS = [{"id": "maja", "name": "Maja"}, {"id": "ole", "name": "Ole"}]
CUTS = [{"name": "Haircut", "durationMinutes": 30}]
TEXTING = {"builtinCalendar": {"isConnected": True, "textConfirmations": True}}
HOUSE = salon(services=CUTS, resources=CHAIRS, integrations=TEXTING)
ONE_CHAIR = salon(services=CUTS)
QUESTION = REGISTRY.tools["reschedule_appointment"].definition


def caller(wish: str, business: Any = HOUSE) -> CallContext:
    return call(business, wish, session="jana", phone="+15185550171")


async def book(desk: Any, start: str, who: str, business: Any = HOUSE, **given: Any) -> str:
    wish = {"service": "Haircut", "start_time": f"{TUESDAY}{start}", "customer_name": who, **given}
    ctx = caller(f"{start} {who}", business)
    return str((await run("book_appointment", ctx, desk, wish)).data["bookingId"])


async def move(desk: Any, booking_id: str, start: str, business: Any = HOUSE, **given: Any) -> Any:
    arguments = {"booking_id": booking_id, "new_start_time": f"{TUESDAY}{start}", **given}
    return await run("reschedule_appointment", caller(f"move {arguments}", business), desk, arguments)


async def proposed(desk: Any, booking_id: str, **given: Any) -> Proposal:
    return await propose(caller("ask"), desk, booking_id=booking_id, **given)


async def refused(desk: Any, *args: Any, **given: Any) -> ToolError:
    with pytest.raises(ToolError) as caught:
        await move(desk, *args, **given)
    return caught.value


@pytest.mark.requirement("004-2443")
async def test_an_appointment_goes_to_whom_the_caller_asks_for_at_its_time(desk):
    """What is said, the receipt and the text say who; the first one is free again, and the same again is repeated."""
    hers = await book(desk, "10:00:00", "Jana", with_person="Maja")
    facts = (await proposed(desk, hers, new_start_time=TEN, with_person="Ole")).facts
    asked = read_back(QUESTION, {"booking_id": hers, "new_start_time": TEN, **facts}, HOUSE, NOW)
    assert asked.endswith("on Tuesday, March 16 at 10:00 AM, then with Ole. Shall I go ahead?")
    done = await move(desk, hers, "10:00:00", with_person="ole")
    assert (done.data["moved"], done.data["with"], done.receipt["with"]) == (True, "Ole", "Ole")
    assert (await move(desk, hers, "10:00:00", with_person="Ole")).data["repeated"]
    assert (await move(desk, await book(desk, "11:00:00", "Ben", with_person="Maja"), "10:00:00")).data[
        "with"
    ] == "Maja"


@pytest.mark.requirement("004-2443")
async def test_of_a_new_time_and_person_both_are_asked_about_and_nobody_else_will_do(desk):
    """Whoever is asked for and taken is no reason to take somebody else."""
    hers = await book(desk, "10:00:00", "Jana", with_person="Maja")
    await run(
        "book_appointment",
        call(HOUSE, "x", session="x", phone="+15185550199"),
        desk,
        {"service": "Haircut", "start_time": f"{TUESDAY}11:00:00", "customer_name": "Eva", "with_person": "Ole"},
    )
    no = await refused(desk, hers, "11:00:00", with_person="Ole")
    assert no.type is ErrorType.CONFLICT and no.message.startswith("Ole is taken then; Maja is free")
    assert (await move(desk, hers, "12:00:00", with_person="Ole")).data["with"] == "Ole"
    assert (await refused(desk, hers, "12:00:00", with_person="Zoe")).type is ErrorType.VALIDATION
    assert (await move(desk, hers, "13:00:00", with_person="anyone")).data["with"] == "Ole"


@pytest.mark.requirement("004-2442")
async def test_what_only_the_callers_own_other_appointment_takes_is_to_be_freed_first(desk):
    """Nobody is asked whether it shall be with somebody whom they have not asked for."""
    hers = await book(desk, "10:00:00", "Jana", with_person="Maja")
    his = await book(desk, "10:30:00", "Jörg", with_person="Maja")
    for start, booking in (("10:30:00", hers), ("10:00:00", his)):
        no = await refused(desk, booking, start)
        assert no.type is ErrorType.CONFLICT
        assert "Maja is taken then by another appointment of this caller" in no.message
        assert "cancel_appointment" in no.message and "If both stay, Ole is free then" in no.message
    with pytest.raises(ToolError, match="another appointment of this caller"):
        await proposed(desk, hers, new_start_time=TEN + timedelta(minutes=30))
    assert (await move(desk, hers, "10:30:00", with_person="Ole")).data["with"] == "Ole"
    await move(desk, hers, "10:00:00", with_person="Maja")
    await run("cancel_appointment", caller("cancel"), desk, {"booking_id": his})
    moved = await move(desk, hers, "10:30:00")
    assert (moved.data["with"], moved.data["startTime"][11:16]) == ("Maja", "10:30")


@pytest.mark.requirement("004-2442")
async def test_what_somebody_else_takes_is_told_as_taken_and_not_whose_it_is(desk):
    """Nor is anybody told to free what is not theirs."""
    hers = await book(desk, "10:00:00", "Jana", business=ONE_CHAIR)
    await run(
        "book_appointment",
        call(ONE_CHAIR, "x", session="x", phone="+15185550199"),
        desk,
        {"service": "Haircut", "start_time": f"{TUESDAY}11:00:00", "customer_name": "Eva"},
    )
    no = await refused(desk, hers, "11:00:00", ONE_CHAIR)
    assert no.message.startswith("That time is already taken.") and "Eva" not in no.message
    his = await book(desk, "10:30:00", "Jörg", business=ONE_CHAIR)
    no = await refused(desk, hers, "10:30:00", ONE_CHAIR)
    assert "that time is taken by another appointment of this caller: Haircut for Jörg" in no.message
    assert his in no.message and "with_person" not in no.message


@pytest.mark.requirement("004-2444")
async def test_what_stays_at_its_time_is_told_as_changed(desk):
    """On the page, and where the house itself tells what was done."""
    hers = await book(desk, "10:00:00", "Jana", with_person="Maja")
    facts = dict((await proposed(desk, hers, new_start_time=TEN, with_person="Ole")).facts)
    arguments = {"booking_id": hers, "new_start_time": f"{TUESDAY}10:00:00", "with_person": "Ole"}
    ctx = replace(caller("agreed"), agreed=facts)
    done = await run("reschedule_appointment", ctx, desk, arguments)
    assert (done.receipt["what"], done.data["timeStays"]) == ("changed: Haircut", True)
    assert (await move(desk, hers, "12:00:00")).receipt["what"] == "moved: Haircut"
