"""Tools that hand over to another agent, as owners save and attach them, here and at Vapi (seed 002)."""

from types import SimpleNamespace
from typing import Any

import pytest

from stand_ins.vapi.document import problems
from switchboard.contract.store import Delete, Update
from switchboard.desk.escalation.transfers import Handovers
from tests.admin.owners_office import OWN
from tests.admin.tool_house import LOOKUP, PUBLIC_URL, WITHIN, ToolHouse

TO_BOB: dict[str, Any] = {
    "type": "transfer_call",
    "label": "Hand over to Bob",
    "description": "Hands the caller over to Bob, who knows about invoices.",
    "destination": {"type": "agent", "agentId": "bob", "message": "One moment, {{caller_phone_number}}."},
}


def to(agent_id: str, **more: Any) -> dict[str, Any]:
    return {**TO_BOB, "destination": {"type": "agent", "agentId": agent_id}, **more}


@pytest.mark.requirement("002-20")
async def test_an_agent_that_does_not_exist_is_refused_with_those_that_do(house: ToolHouse):
    """Nothing is stored, here or at Vapi."""
    error = await house.refused("POST", "tools", to("bert"), 400)
    assert error["problems"][0]["field"] == "destination.agentId"
    assert error["problems"][0]["message"] == (
        "destination.agentId is none of your agents; use one of ada (Ada), bob (Bob), cy (Cy)."
    )
    assert await house.stored() == {} and house.theirs == {}


@pytest.mark.requirement("002-20")
async def test_the_only_agent_has_nobody_who_could_hand_over_to_it(house: ToolHouse):
    """Another has to be made first."""
    await house.store.commit([Delete(WITHIN.document("agents", id)) for id in ("bob", "cy")])
    error = await house.refused("POST", "tools", to("ada"), 400)
    assert "is your only agent" in error["problems"][0]["message"]
    assert error["problems"][0]["message"].endswith("make another agent first.")


@pytest.mark.requirement("002-20")
async def test_an_agent_cannot_hand_over_to_itself(house: ToolHouse):
    """Neither by attaching the tool nor by changing where it leads."""
    tool = await house.make(TO_BOB)
    error = await house.refused("POST", "agents/bob/tools/attach", {"toolId": tool["id"]}, 409)
    assert "cannot hand over to itself" in error["message"]
    await house.attach(tool, "ada")
    error = await house.refused("PUT", f"tools/{tool['id']}", to("ada"), 400)
    assert "is an agent that has this tool" in error["problems"][0]["message"]
    assert "use one of bob (Bob), cy (Cy)." in error["problems"][0]["message"]


@pytest.mark.requirement("002-20")
async def test_a_tool_whose_agent_is_gone_can_still_be_switched_off_and_renamed(house: ToolHouse):
    """Only where it leads anew is looked at."""
    tool = await house.make(TO_BOB)
    await house.store.commit([Delete(WITHIN.document("agents", "bob"))])
    path = f"tools/{tool['id']}"
    assert (await house.done("PATCH", path, {"enabled": False}))["tool"]["enabled"] is False
    assert (await house.done("PATCH", path, {"label": "To nobody"}))["tool"]["label"] == "To nobody"
    error = await house.refused("PATCH", path, {"destination": to("bert")["destination"]}, 400)
    assert error["problems"][0]["field"] == "destination.agentId"


@pytest.mark.requirement("002-20")
async def test_vapi_has_it_as_a_handover_that_asks_us_to_whom(house: ToolHouse):
    """By Vapi's own document, with the owner's message before it and no secret in what is stored here."""
    tool = await house.make(TO_BOB)
    (there,) = house.theirs.values()
    assert problems("HandoffTool", there) == []
    (destination,) = there["destinations"]
    assert there["type"] == "handoff" and there["function"]["name"] == tool["name"]
    assert destination["type"] == "dynamic"
    assert destination["server"]["url"] == f"{PUBLIC_URL}/api/tools/{tool['id']}/execute"
    key = destination["server"]["headers"]["X-Vapi-Secret"]
    assert key == str(await house.secrets.reveal(OWN, "vapi", "toolKey"))
    assert key not in repr([await house.stored(), tool])
    assert there["messages"] == [
        {"type": "request-start", "blocking": True, "content": "One moment, {{customer.number}}."}
    ]
    assert there["function"]["parameters"]["required"] == ["destination"]
    assert (await house.done("GET", "vapi"))["findings"] == []


@pytest.mark.requirement("002-20")
async def test_with_a_credential_vapi_signs_what_it_asks(house: ToolHouse):
    """The address says whose signature it is."""
    await house.set_up(credentialId="cred-1")
    await house.make(TO_BOB)
    (there,) = house.theirs.values()
    server = there["destinations"][0]["server"]
    assert (server["credentialId"], "headers" in server) == ("cred-1", False)
    assert server["url"].endswith(f"?business={OWN}")


async def test_an_edit_reaches_vapi_and_one_to_another_kind_takes_the_tools_place(house: ToolHouse):
    """A message that is taken out is taken out there, too."""
    tool = await house.make(TO_BOB)
    await house.attach(tool)
    await house.done("PUT", f"tools/{tool['id']}", to("bob"))
    (there,) = house.theirs.values()
    assert there["messages"] == []
    await house.done("PUT", f"tools/{tool['id']}", {**TO_BOB, "destination": {"number": "+15185550143"}})
    (there,) = house.theirs.values()
    assert there["type"] == "apiRequest" and there["id"] in house.model(house.ada)["toolIds"]
    assert (await house.done("GET", "vapi"))["findings"] == []


@pytest.mark.requirement("002-20")
async def test_an_agent_without_an_assistant_is_not_offered_at_vapi_and_the_comparison_says_why(house: ToolHouse):
    """Here it is; once somebody stands for the agent there, bringing it in line offers it."""
    tool = await house.make(to("cy"))
    row = await house.attach(tool)
    assert row["isVapiAttached"] is False
    assert house.model(house.ada)["toolIds"] == ["of-their-own"]
    (finding,) = (await house.done("GET", "vapi"))["findings"]
    assert finding["deviation"] == "no_assistant" and finding["toolId"] == tool["id"]
    assert "no assistant there stands for Cy, to whom it hands over" in finding["words"]
    # Attaching something else to the same assistant does not bring it there either.
    await house.attach(await house.make(LOOKUP))
    assert len(house.model(house.ada)["toolIds"]) == 2
    await house.store.commit([Update(WITHIN.document("agents", "cy"), {"vapiAssistantId": house.assistant()})])
    status = await house.done("POST", "vapi/repair")
    assert status["isInLine"] and len(house.model(house.ada)["toolIds"]) == 3


async def test_an_agent_who_loses_its_assistant_takes_the_tool_out_of_the_others(house: ToolHouse):
    """It is told as wrongly attached, and repaired."""
    tool = await house.make(TO_BOB)
    await house.attach(tool)
    await house.store.commit([Update(WITHIN.document("agents", "bob"), {"vapiAssistantId": None})])
    found = {row["deviation"] for row in (await house.done("GET", "vapi"))["findings"]}
    assert found == {"no_assistant", "wrongly_attached"}
    await house.done("POST", "vapi/repair")
    assert house.model(house.ada)["toolIds"] == ["of-their-own"]


async def test_a_trial_says_who_would_go_on(house: ToolHouse):
    """In a session of its own, in which nobody is."""
    house.office.dispatcher.runner.desk = SimpleNamespace(handovers=Handovers(house.store))
    tool = await house.make(TO_BOB)
    await house.attach(tool)
    # The message speaks of a caller.
    given = {"args": {}, "callerPhone": "+15185550171"}
    answer = await house.done("POST", f"tools/{tool['id']}/test", given)
    assert answer["response"]["data"] == {"handedOver": True, "agent": "Bob"}
