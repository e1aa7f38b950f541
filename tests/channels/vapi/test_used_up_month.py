"""A month that is used up at Vapi: a starting call reaches a person, or is told another way, and no assistant."""

import pytest

from switchboard.contract.store import Set
from tests.channels.phone.house import Heard
from tests.channels.vapi.house import BUSINESS, NUMBER, WITHIN, agent, business
from tests.channels.vapi.test_incoming import answered, begun
from tests.desk.front_desk import NOW


async def stop(house, unit="phoneMinutes", **changes):
    """Note that this is used up, at a business with such fields."""
    note = {"month": f"{NOW:%Y-%m}", "since": {unit: NOW}}
    await house.store.inner.commit([Set(WITHIN.business, business(NUMBER, **changes) | {"monthStop": note})])
    house.office.catalog.forget(BUSINESS)


@pytest.mark.requirement("004-844")
@pytest.mark.parametrize("unit", ["phoneMinutes", "modelTokens", "cost"])
async def test_a_starting_call_is_not_handed_to_vapi_and_reaches_a_person(house, unit, caplog):
    """From Twilio and from Vapi; that is no fault of what is set up."""
    await stop(house, unit)
    assert Heard((await house.call()).text).dialled == "+15185550143"
    assert await answered(house) == {"destination": {"type": "number", "number": "+15185550143"}}
    assert not begun(house)
    assert not [line for line in caplog.records if line.levelname == "ERROR"]


@pytest.mark.requirement("004-844")
async def test_whoever_is_there_by_the_business_s_rules_is_rung(opened):
    house = await opened("transfer_call")
    rule = {"action": "transfer", "id": "desk", "destination": "+15185550149", "hours": "always"}
    await house.store.inner.commit([Set(WITHIN.document("agents", "echo"), agent())])
    await stop(house, escalation={"rules": [rule]})
    assert Heard((await house.call()).text).dialled == "+15185550149"
    assert (await answered(house))["destination"]["number"] == "+15185550149"


@pytest.mark.requirement("004-844")
async def test_without_a_person_the_call_ends_in_a_sentence_in_the_business_s_language(house):
    await stop(house, escalation={}, phone="+15185550142", ai={"language": "de"})
    told = "Leider war niemand zu erreichen. Sie erreichen uns unter +1 518-555-0142."
    assert Heard((await house.call()).text).said == told
    assert (await answered(house))["error"] == told


@pytest.mark.requirement("004-844")
async def test_texts_that_are_used_up_stop_no_call(house):
    await stop(house, "texts")
    await house.call()
    assert len(begun(house)) == 1
