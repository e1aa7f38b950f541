"""An agent that speaks in its own way: its model, its instructions, and what it says while a caller waits."""

import pytest

from switchboard.catalog.offer.prompts import Prompts
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS
from switchboard.contract.store import Set
from switchboard.conversation.event import Text
from switchboard.conversation.held_conversations import Conversations
from switchboard.conversation.record.record import record_path
from switchboard.pipeline.metrics.model_use import MODEL_USE
from tests.conversation.conftest import answer
from tests.conversation.record.test_interactions import Office
from tests.conversation.scripted import ScriptedModel, calls, says
from tests.conversation.test_conversations import parts
from tests.conversation.two_agents import staff
from tests.pipeline.conftest import BUSINESS, PATHS

FACTS = CONTEXTS[Channel.PORTAL](business_id=BUSINESS, session_id="s1", turn=0, applies_intents=True)
BILLING = {"model": "gemini:own", "prompt": "You only speak of invoices of {{business.name}}.", "fillers": ["Hm."]}


class Gemini(ScriptedModel):
    """Another vendor's."""

    name, dialect = "gemini:own", "gemini"


@pytest.fixture
async def office() -> Office:
    found = Office()
    fields = {"name": "Salon", "ai": {"language": "en", "fillers": ["Moment."]}}
    await found.store.inner.commit([Set(PATHS.within(BUSINESS).business, fields)])
    await staff(found.instance, BUSINESS, **BILLING)
    return found


def said(events):
    return "".join(event.text for event in events if isinstance(event, Text) and not event.is_filler)


@pytest.mark.requirement("004-860")
async def test_each_agent_of_a_conversation_answers_with_its_own_model(office: Office):
    """Told of its tools in that one's dialect; what it wrote is counted as that one's."""
    other = Gemini(says("This is Billing."))
    house = parts(office, calls(("to_billing", {})))
    object.__setattr__(house, "models", {"gemini:own": other}.get)
    conversation = await Conversations(house, office.interactions).open(FACTS)
    assert said(await answer(conversation, "My invoice is wrong.")).endswith("This is Billing.")
    assert [len(model.prompts) for model in (house.model, other)] == [1, 1]
    assert ["functionDeclarations" in str(model.prompts[0].tools) for model in (house.model, other)] == [False, True]
    record = await office.store.get(record_path(PATHS, conversation.session.facts))
    assert [use["model"] for use in record.data[MODEL_USE]] == ["scripted", "gemini:own"]


async def test_where_an_agents_model_cannot_be_had_any_more_the_houses_answers(office: Office):
    house = parts(office, calls(("to_billing", {})), says("This is Billing."))
    conversation = await Conversations(house, office.interactions).open(FACTS)
    assert said(await answer(conversation, "My invoice is wrong.")).endswith("This is Billing.")


@pytest.mark.requirement("004-860")
async def test_an_agents_instructions_stand_below_the_houses_rules_and_no_others(office: Office):
    """With the business's facts filled in; who has none is told nothing of the kind."""
    prompts = Prompts(office.store, PATHS, {"system": "The rules."}, office.instance.clock)
    house = parts(office)
    told = {}
    for agent_id in ("billing", "reception"):
        facts = CONTEXTS[Channel.PORTAL](business_id=BUSINESS, session_id="s2", agent_id=agent_id)
        told[agent_id] = await prompts.system(await house.offer(facts), facts)
    assert told["billing"].index("The rules.") < told["billing"].index("You only speak of invoices of Salon.")
    assert "invoices" not in told["reception"]


@pytest.mark.requirement("004-860")
async def test_what_an_agent_says_while_a_caller_waits_goes_before_its_businesss(office: Office):
    house = parts(office)
    said = {}
    for agent_id in ("billing", "reception"):
        facts = CONTEXTS[Channel.PORTAL](business_id=BUSINESS, session_id="s2", agent_id=agent_id)
        said[agent_id] = (await house.offer(facts)).business.fillers
    assert said == {"billing": ("Hm.",), "reception": ("Moment.",)}
