"""Tools that hand over to another agent: where they are offered, and why not where they are not."""

from typing import Any

import pytest

from switchboard.catalog.offer.catalog import Options
from switchboard.contract.channel import Channel
from switchboard.contract.error import ErrorType
from switchboard.contract.store import Delete, Set, Update
from tests.conversation.two_agents import staff
from tests.pipeline.conftest import BUSINESS, PATHS, Instance

WITHIN = PATHS.within(BUSINESS)
BILLING = WITHIN.document("agents", "billing")
CONDITION = "handover:billing"


async def offer(office: Instance, channel: Channel = Channel.PORTAL, **options: Any) -> Any:
    office.catalog.forget(BUSINESS)
    return await office.catalog.get_tool_definitions(BUSINESS, Options(channel, **options))


@pytest.fixture
async def staffed(office: Instance) -> Instance:
    await staff(office, BUSINESS)
    return office


@pytest.mark.requirement("002-20")
@pytest.mark.parametrize("channel", tuple(Channel))
async def test_it_is_offered_on_every_channel_and_takes_no_arguments(staffed, channel):
    """No phone account is needed, and the model says nothing about where it leads."""
    found = (await offer(staffed, channel)).named("to_billing").definition
    assert found.parameters["properties"] == {} and found.toolkit is None


@pytest.mark.requirement("002-20")
@pytest.mark.parametrize(
    ("write", "options", "words"),
    [
        (Delete(BILLING), {}, "billing, who is not there any more; choose another"),
        (Update(BILLING, {"channels": ["phone"]}), {}, "the agent Billing, to whom it hands over, does not answer on"),
        (Update(BILLING, {"name": "Billing"}), {"applies_intents": False}, "cannot go on as another agent"),
        (
            Set(WITHIN.document("agentTools", "billing~t_to"), {"agentId": "billing", "toolId": "t_to"}),
            {"agent_id": "billing"},
            "the agent Billing, who answers already",
        ),
    ],
)
async def test_where_nobody_could_take_over_it_is_not_offered_and_the_reason_says_why(staffed, write, options, words):
    """The deciding condition names the agent."""
    await staffed.store.inner.commit([write])
    why = (await offer(staffed, **options)).why_not("to_billing")
    assert why.condition == CONDITION and words in why.reason


@pytest.mark.requirement("002-20")
async def test_what_is_not_offered_is_refused_too(staffed):
    """A service that carries the conversation itself is no channel that could go on as another agent."""
    refused = await staffed.call("to_billing", {})
    assert refused.failure.type is ErrorType.MODE_RESTRICTED
    assert "cannot go on as another agent" in refused.failure.message
    assert (await staffed.call("to_billing", {}, applies_intents=True)).ok


async def test_the_same_handover_later_in_the_conversation_is_no_repetition(staffed):
    """The caller may be with the other agent, come back, and be handed over once more."""
    first = await staffed.call("to_billing", {}, applies_intents=True, turn=1)
    again = await staffed.call("to_billing", {}, applies_intents=True, turn=5)
    assert [intent.payload["agentId"] for intent in (*first.intents, *again.intents)] == ["billing"] * 2
    assert "repeated" not in again.meta


@pytest.mark.requirement("002-20")
async def test_an_agents_own_language_is_that_of_what_it_is_offered(staffed):
    """Or else the business's, which is German here."""
    await staffed.store.inner.commit([Update(BILLING, {"language": "fr"})])
    languages = [(await offer(staffed, agent_id=id)).business.language for id in ("billing", "reception")]
    assert languages == ["fr", "de-AT"]
