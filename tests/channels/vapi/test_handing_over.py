"""A phone call at Vapi that another agent takes over: Vapi asks to whom, and is told who stands for it there."""

from typing import Any

import pytest

from stand_ins.vapi.asking import handover_of, message_of
from stand_ins.vapi.document import problems
from switchboard.contract.store import Delete, Update
from tests.channels.vapi.house import BUSINESS, KEY, VARIABLES, WITHIN, House, agent, one
from tests.conversation.two_agents import staff

BILLING = "assistant-billing"
SECRET = {"x-vapi-secret": KEY}


@pytest.fixture
async def staffed(house: House) -> House:
    """The salon's phone is answered by reception, which Vapi knows, and so is billing."""
    await staff(house.office, BUSINESS, vapiAssistantId=BILLING)
    reception = Update(WITHIN.document("agents", "reception"), agent(name="Reception"))
    await house.store.inner.commit([reception, Delete(WITHIN.document("agents", "echo"))])
    house.office.catalog.forget(BUSINESS)
    return house


async def asked(house: House, tool: str = "t_to", at: int = 1, by: str = "assistant-1", **variables: str) -> Any:
    """Return what Vapi is told; it shows the key in the header that the tool has."""
    answer = await house.execute(tool, handover_of(VARIABLES | variables, by, at), **SECRET)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.requirement("002-20")
async def test_vapi_is_told_the_assistant_that_stands_for_the_agent(staffed):
    """In the words of its own document; that assistant knows what was said."""
    told = await asked(staffed)
    assert told == {
        "destination": {"type": "assistant", "assistantId": BILLING, "contextEngineeringPlan": {"type": "all"}}
    }
    assert problems("ServerMessageResponseHandoffDestinationRequest", told) == []
    assert problems("HandoffDestinationAssistant", told["destination"]) == []


async def test_a_message_that_comes_twice_is_one_handover_and_a_later_one_is_another(staffed):
    """Two agents may hand a call back and forth within half a minute, which an `apiRequest` would not do."""
    first = await asked(staffed, at=1)
    assert await asked(staffed, at=1) == first
    assert "destination" in await asked(staffed, "t_back", at=2, by=BILLING)
    assert await asked(staffed, at=3) == first


@pytest.mark.requirement("002-20")
async def test_assistants_who_hand_over_to_each_other_without_end_are_stopped_by_what_a_turn_may_cost(staffed):
    """The fourth call of a human turn is refused, and the assistant that has the call goes on."""
    told = []
    for number in range(6):
        tool, by = ("t_to", "assistant-1") if number % 2 == 0 else ("t_back", BILLING)
        body = handover_of(VARIABLES, by, number + 1)
        body["message"]["artifact"] = {"messages": [{"role": "user", "message": "My invoice"}]}
        told.append((await staffed.execute(tool, body, **SECRET)).json())
    assert ["destination" in answer for answer in told] == [True, True, True, False, False, False]
    assert "\n" not in told[-1]["error"]


@pytest.mark.requirement("002-20")
async def test_the_tools_of_whoever_has_taken_over_are_callable_in_the_same_phone_call(staffed):
    """Vapi says which assistant asks; the phone call itself stays that of the first."""
    assert "destination" in await asked(staffed, "t_back", by=BILLING)
    assert "error" in await asked(staffed, "t_to", at=2, by=BILLING)


@pytest.mark.requirement("002-20")
@pytest.mark.parametrize(
    "change", [{"vapiAssistantId": None}, {"channels": ["portal"]}], ids=["no assistant", "not on the phone"]
)
async def test_an_agent_that_cannot_go_on_at_vapi_is_not_handed_over_to(staffed, change):
    """The model there is told that it still answers."""
    await staffed.store.inner.commit([Update(WITHIN.document("agents", "billing"), change)])
    staffed.office.catalog.forget(BUSINESS)
    told = await asked(staffed)
    assert told.keys() == {"error"} and told["error"]


async def test_the_usual_assistant_stands_for_the_default_agent_alone(staffed):
    """Anybody else would be answered by somebody wrong."""
    setting = {"integrations.vapi.assistantId": "assistant-usual"}
    agents = WITHIN.document("agents", "reception"), WITHIN.document("agents", "billing")
    await staffed.store.inner.commit([Update(WITHIN.business, setting)])
    await staffed.store.inner.commit([Update(path, {"vapiAssistantId": None}) for path in agents])
    staffed.office.catalog.forget(BUSINESS)
    assert "error" in await asked(staffed, by="")
    # Nobody at Vapi stands for billing, so that reception is named as the caller of its own tool's way back.
    await staffed.store.inner.commit([Update(agents[1], {"vapiAssistantId": BILLING})])
    staffed.office.catalog.forget(BUSINESS)
    told = await asked(staffed, "t_back", at=2, by=BILLING)
    assert told["destination"]["assistantId"] == "assistant-usual"


async def test_a_tool_that_hands_over_to_nobody_is_no_way_to_hand_over(staffed):
    """Nor is one that does not exist; without a proof nothing is said at all."""
    assert (await staffed.execute("t_unknown", handover_of(VARIABLES), **SECRET)).status_code == 404
    told = (await staffed.execute("look", handover_of(VARIABLES), **SECRET)).json()
    assert told.keys() == {"error"}
    answer = await staffed.execute("t_to", handover_of(VARIABLES), **{"x-vapi-secret": "sb_wrong"})
    assert answer.status_code == 401


@pytest.mark.requirement("002-20")
async def test_a_plain_tool_call_does_not_hand_over_since_nothing_would_come_of_it(staffed):
    """Vapi goes on with another assistant only where it has asked to whom."""
    body = message_of(one("to_billing", {}), VARIABLES)
    [row] = (await staffed.execute("t_to", body)).json()["results"]
    assert "error" in row and "handedOver" not in str(row)
