"""A phone call at Vapi that is to be put through: Vapi asks to whom, and is told a number, or why there is none."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from stand_ins.vapi.asking import message_of
from switchboard.channels.http.idempotency import delivery_key
from switchboard.channels.vapi import server_messages
from switchboard.contract.context import PhoneContext
from switchboard.contract.error import ErrorType
from switchboard.contract.store import Set
from tests.channels.vapi.house import BUSINESS, KEY, LINE_ID, NUMBER, VARIABLES, WITHIN, House, business

BEARER = {"authorization": f"Bearer {KEY}"}
DESK = {"action": "transfer", "id": "desk", "label": "Front desk", "destination": "+15185550143", "hours": "always"}
OWNER = {"action": "transfer", "id": "owner", "label": "Owner", "destination": "+15185550144", "hours": "always"}
NEVER = {"monday": []}


def request_of(at: int = 1) -> dict[str, Any]:
    """Return the message in which a phone call, another one each time, asks where to put it through."""
    message = message_of([], VARIABLES)["message"] | {"type": "transfer-destination-request", "timestamp": at}
    message["call"] = message["call"] | {"id": f"vapi-call-{at}"}
    del message["toolCallList"]
    return {"message": message}


async def asked(house: House, rules: list[dict[str, Any]], at: int = 1, **changes: Any) -> Any:
    """Return what Vapi is told by the address of a tool, where these rules hold."""
    document = business(NUMBER, escalation={"rules": rules}, **changes)
    await house.store.inner.commit([Set(WITHIN.business, document)])
    house.office.catalog.forget(BUSINESS)
    answer = await house.execute("t_order", request_of(at), **BEARER)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.fixture
async def ringing(opened: Any) -> House:
    """A house whose callers can be put through."""
    found: House = await opened("transfer_call")
    return found


async def test_vapi_is_told_the_business_s_destination(ringing):
    """At the address of a tool or of the phone number; with what is said meanwhile, in the business's language."""
    assert await asked(ringing, [DESK]) == {"destination": {"type": "number", "number": "+15185550143"}}
    path = f"/api/phone-number/{LINE_ID}/incoming"
    there = await ringing.client.post(path, json=request_of(2), headers=BEARER)
    assert there.json()["destination"]["number"] == "+15185550143"
    told = await asked(ringing, [DESK], 3, ai={"language": "de"})
    assert told["destination"]["message"] == "Ich stelle Sie durch."


async def test_of_several_people_the_first_who_is_there_is_rung(ringing):
    """In the owner's order: nobody can be asked which is meant."""
    assert (await asked(ringing, [OWNER, DESK]))["destination"]["number"] == "+15185550144"
    told = await asked(ringing, [OWNER | {"hours": NEVER}, DESK], 2)
    assert told["destination"]["number"] == "+15185550143"


@pytest.mark.parametrize(
    "rules",
    [[], [{"action": "message"}], [DESK | {"hours": NEVER}], [DESK | {"hours": NEVER}, OWNER | {"hours": NEVER}]],
)
async def test_where_nobody_is_there_vapi_is_told_why(ringing, rules):
    """On one line; the model then says so, and does not claim that it puts anybody through."""
    told = await asked(ringing, rules)
    assert told.keys() == {"error"} and told["error"] and "\n" not in told["error"]
    assert "Choose" not in told["error"]


async def test_a_number_that_leads_back_here_is_nobody_s(ringing):
    """The caller would ring themselves, or the same assistant."""
    assert (await asked(ringing, [DESK | {"destination": NUMBER}])).keys() == {"error"}


async def test_a_request_that_comes_twice_is_one_transfer_and_without_a_store_there_is_an_answer(ringing):
    """Never silence, and never an error of HTTP, which Vapi does not read."""
    first = await asked(ringing, [DESK])
    assert (await ringing.execute("t_order", request_of(1), **BEARER)).json() == first
    ringing.store.fail("commit")
    assert (await ringing.execute("t_order", request_of(2), **BEARER)).json().keys() <= {"error", "destination"}
    assert (await ringing.execute("t_order", request_of(2), authorization="Bearer nothing")).status_code == 401


async def test_two_requests_in_one_millisecond_that_name_no_call_are_two(ringing):
    """The second caller is put through to whom the rules name now, not where the first one was."""
    unnamed = request_of(1)
    del unnamed["message"]["call"]
    numbers = []
    for rules in ([DESK], [OWNER]):
        document = business(NUMBER, escalation={"rules": rules})
        await ringing.store.inner.commit([Set(WITHIN.business, document)])
        ringing.office.catalog.forget(BUSINESS)
        numbers.append((await ringing.execute("t_order", unnamed, **BEARER)).json()["destination"]["number"])
    assert numbers == ["+15185550143", "+15185550144"]


async def test_a_request_that_another_instance_still_answers_has_an_answer_in_time(ringing, monkeypatch):
    """Vapi waits no longer, and the caller hears silence meanwhile."""
    monkeypatch.setattr(server_messages, "TRANSFER_ANSWERED_WITHIN_S", 0.2)
    key = delivery_key("vapi", server_messages.TRANSFER_REQUEST, "vapi-call-7", "7")
    claimed = Set(WITHIN.document("tickets", f"delivery:{key}"), {"at": ringing.clock.now()})
    await ringing.store.inner.commit([claimed])
    async with asyncio.timeout(30):
        told = await asked(ringing, [DESK], 7)
    assert "still answer it" in told["error"]


async def test_what_the_model_has_looked_up_before_keeps_nobody_from_being_put_through(ringing):
    """Vapi asks by itself: neither the look-ups of the turn nor its own earlier requests are used up by it."""

    def again(at: int) -> dict[str, Any]:
        message = request_of(at)
        message["message"]["call"]["id"] = "vapi-call-1"
        message["message"]["artifact"] = {"messages": [{"role": "user", "message": "A person, please."}]}
        return message

    await asked(ringing, [DESK])
    facts = PhoneContext(business_id=BUSINESS, session_id="vapi-call-1", interaction_id="vapi-call-1", turn=1)
    for number in range(4):
        own = replace(facts, call_id=f"look-up-{number}")
        spent = await ringing.office.dispatcher.execute_tool("look", {"word": f"q{number}"}, BUSINESS, own)
    assert spent.failure is not None and spent.failure.type is ErrorType.BUDGET_EXCEEDED
    for at in range(2, 7):
        told = (await ringing.execute("t_order", again(at), **BEARER)).json()
        assert told["destination"]["number"] == "+15185550143"
    await ringing.store.inner.commit([Set(WITHIN.business, business(NUMBER, escalation={"rules": [OWNER]}))])
    ringing.office.catalog.forget(BUSINESS)
    told = (await ringing.execute("t_order", again(7), **BEARER)).json()
    assert told["destination"]["number"] == "+15185550144"
