"""The template `transfer_call` (seed 002, "Transfer Call"): to whom the owner chose, and to nobody else."""

from dataclasses import replace

import pytest

from switchboard.contract.context import PhoneContext
from switchboard.contract.definitions.tenant_tool import BoundTransfer
from switchboard.contract.error import ErrorType
from switchboard.contract.response import Intent, IntentType
from switchboard.contract.store import Set
from switchboard.state.paths import FirestorePaths
from switchboard.tools.templates.transfer_call import execute
from switchboard.tools.transfer_call.handler import execute as built_in
from tests.desk.front_desk import StoppedClock, call, salon
from tests.desk.memory_actions import MemoryActions
from tests.desk.phone_network import CALLER, LOST, SENDER, phone_salon
from tests.refused import failure
from tests.tools.templates.bound_desk import bound_desk

SALON = phone_salon()
SALES = "+15185550149"


@pytest.fixture
def desk(store, network):
    return bound_desk(store, network, MemoryActions(), StoppedClock())


def live(ctx, **facts):
    known = {"caller_phone": CALLER, "call_sid": "CA1", "called_phone": SENDER}
    return replace(ctx, facts=PhoneContext(business_id=ctx.business.id, session_id="s", **known | facts))


@pytest.mark.requirement("002-19")
async def test_a_call_is_put_through_to_the_owners_number(desk):
    """`{transferred: true}`, and the intent that the channel applies."""
    result = await execute(call(SALON), desk, bound=BoundTransfer(number=SALES, label="Sales", message="One moment."))
    assert result.data == {"transferred": True, "destination": "Sales"}
    payload = {
        "destinationId": "number",
        "number": SALES,
        "fallback": "message",
        "fallbackNumber": None,
        "timeoutS": 20,
        "callerId": CALLER,
        "reason": "",
        "applied": False,
        "message": "One moment.",
    }
    assert result.intents == (Intent(IntentType.TRANSFER_CALL, payload),)
    assert result.receipt == {
        "what": "transfer",
        "for": "Sales",
        "when": "2027-03-10T10:00:00-05:00",
        "effectIds": ["number"],
    }


@pytest.mark.requirement("002-19")
async def test_a_rule_leads_where_the_built_in_tool_would_lead(desk):
    """The same data, intent and receipt."""
    result = await execute(call(SALON), desk, bound=BoundTransfer(rule_id="front-desk"))
    assert result == await built_in(call(SALON), desk, destination="front-desk")


async def test_a_number_without_a_name_is_not_shown_to_the_model(desk):
    """It is for the channel."""
    result = await execute(call(SALON), desk, bound=BoundTransfer(number=SALES))
    assert result.data == {"transferred": True, "destination": SALON.name}


@pytest.mark.requirement("002-53")
async def test_the_phone_call_of_this_context_is_redirected_and_no_other(desk, network):
    """Where somebody else carries it; the intent says that it was done."""
    result = await execute(live(call(SALON)), desk, bound=BoundTransfer(number=SALES))
    ((sid, twiml),) = network.redirected
    assert sid == "CA1" and SALES in twiml
    assert result.intents[0].payload["applied"] is True


async def test_what_the_network_did_not_confirm_is_not_claimed(desk, network):
    """No data, no intent: the caller still hears the model."""
    network.fail(LOST)
    error = await failure(execute(live(call(SALON)), desk, bound=BoundTransfer(number=SALES)))
    assert error.partial_side_effects is True


@pytest.mark.parametrize(
    "bound",
    [
        BoundTransfer(number="(518) 555-0149"),
        BoundTransfer(number="5185550149"),
        BoundTransfer(number="+15185550149;ext=1"),
        BoundTransfer(number="+19005550123"),
        BoundTransfer(number="+1911"),
        BoundTransfer(number=SENDER),
        BoundTransfer(number=CALLER),
        BoundTransfer(number="sip:a@example.com"),
        BoundTransfer(rule_id="no-such-rule"),
        BoundTransfer(rule_id="Front desk"),
        BoundTransfer(rule_id="owner-message"),
        BoundTransfer(),
    ],
)
async def test_what_leads_nowhere_transfers_nobody(desk, network, bound):
    """PERMANENT: not E.164, not to be dialled, back here or to the caller, or a rule that is gone."""
    error = await failure(execute(live(call(SALON)), desk, bound=bound))
    assert error.type is ErrorType.PERMANENT
    assert network.redirected == []


async def test_a_rule_whose_hours_are_over_says_when_somebody_is_there(desk):
    """CONFLICT, as the built-in tool."""
    rule = {"id": "desk", "action": "transfer", "destination": SALES, "hours": {"friday": []}}
    error = await failure(execute(call(phone_salon(rules=[rule])), desk, bound=BoundTransfer(rule_id="desk")))
    assert error.type is ErrorType.CONFLICT


async def agent(store, id="billing", **fields):
    document = {"name": "Billing"} | fields
    await store.commit([Set(FirestorePaths().within(SALON.id).document("agents", id), document)])


@pytest.mark.requirement("002-20")
async def test_an_agent_takes_the_conversation_over_and_nobody_is_dialled(desk, store, network):
    """The intent says who goes on and what is said first; the receipt says who."""
    await agent(store)
    bound = BoundTransfer(agent_id="billing", message="One moment.")
    result = await execute(live(call(SALON), applies_intents=True), desk, bound=bound)
    assert result.data == {"handedOver": True, "agent": "Billing"}
    payload = {"agentId": "billing", "name": "Billing", "message": "One moment."}
    assert result.intents == (Intent(IntentType.SWITCH_AGENT, payload),)
    assert (result.receipt["what"], result.receipt["for"], result.receipt["effectIds"]) == (
        "transfer",
        "Billing",
        ["billing"],
    )
    assert network.redirected == []


async def test_what_the_owner_calls_the_agent_is_what_the_caller_is_told(desk, store):
    """Before the agent's own name."""
    await agent(store)
    bound = BoundTransfer(agent_id="billing", label="our accounts desk")
    result = await execute(live(call(SALON), applies_intents=True), desk, bound=bound)
    assert result.data["agent"] == result.receipt["for"] == "our accounts desk"


@pytest.mark.parametrize(
    ("facts", "fields", "type"),
    [
        ({"applies_intents": False}, {}, ErrorType.PERMANENT),
        ({"agent_id": "billing"}, {}, ErrorType.CONFLICT),
        ({}, {"channels": ["portal"]}, ErrorType.PERMANENT),
        ({}, None, ErrorType.PERMANENT),
    ],
)
async def test_an_agent_who_cannot_take_over_leaves_the_conversation_where_it_is(desk, store, facts, fields, type):
    """Nobody here who could go on as another, the same agent, one who is not on the phone, one who is gone."""
    if fields is not None:
        await agent(store, **fields)
    ctx = live(call(SALON), **{"applies_intents": True} | facts)
    assert (await failure(execute(ctx, desk, bound=BoundTransfer(agent_id="billing")))).type is type


async def test_a_number_needs_no_rule_of_the_business(desk):
    """Saving the tool was the owner's word."""
    result = await execute(call(salon(rules=[])), desk, bound=BoundTransfer(number=SALES))
    assert result.intents[0].payload["number"] == SALES
