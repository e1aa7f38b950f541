"""A conversation that another agent takes over: its tools, its language, its words, on whichever instance."""

import asyncio
from typing import Any

import pytest

from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS
from switchboard.contract.model import Noted, Spoken
from switchboard.contract.response import Intent, IntentType
from switchboard.contract.store import Set
from switchboard.conversation.claims.guard import ClaimGuards
from switchboard.conversation.event import Effect, Text, ToolFinished, TurnEnded, TurnOutcome
from switchboard.conversation.held_conversations import Conversations
from tests.conversation.conftest import answer
from tests.conversation.record.test_interactions import Office
from tests.conversation.scripted import calls, says
from tests.conversation.test_conversations import parts
from tests.conversation.two_agents import staff
from tests.pipeline.conftest import BUSINESS, PATHS
from tests.tools.guide_house import built_registry

CHANNELS = tuple(Channel)


def facts(channel: Channel = Channel.PHONE, **more: Any) -> Any:
    return CONTEXTS[channel](business_id=BUSINESS, session_id="s1", turn=0, applies_intents=True, **more)


@pytest.fixture
async def office() -> Office:
    found = Office()
    await found.store.inner.commit([Set(PATHS.within(BUSINESS).business, {"name": "Salon", "ai": {"language": "en"}})])
    await staff(found.instance, BUSINESS, language="de")
    return found


def held(office: Office, *answers: Any, guard: Any = None) -> Conversations:
    found = parts(office, *answers)
    if guard is not None:
        object.__setattr__(found, "guard", guard)
    return Conversations(found, office.interactions)


def said(events: list[Any]) -> list[str]:
    return [event.text for event in events if isinstance(event, Text)]


def tools_told(conversations: Conversations) -> list[set[str]]:
    """Return, of every request to the model, which of the two tools it was offered."""
    names = [{tool["function"]["name"] for tool in prompt.tools} for prompt in conversations._parts.model.prompts]
    return [found & {"to_billing", "to_reception"} for found in names]


@pytest.mark.requirement("002-20")
@pytest.mark.parametrize("channel", CHANNELS)
async def test_the_message_is_said_and_the_other_agent_goes_on_in_the_same_turn(office, channel):
    """With its own tools, and told who it is now; on every channel of ours."""
    conversations = held(office, calls(("to_billing", {})), says("Hello, this is Billing."))
    conversation = await conversations.open(facts(channel))
    events = await answer(conversation, "My invoice is wrong.")
    assert said(events) == ["One moment, please.", " Hello, this is Billing."]
    assert events[-1] == TurnEnded(TurnOutcome.ANSWERED)
    assert tools_told(conversations) == [{"to_billing"}, {"to_reception"}]
    assert conversation.session.facts.agent_id == "billing"
    history = conversation.session.history.messages
    (noted,) = [message.text for message in history if isinstance(message, Noted)]
    assert "you are Billing" in noted and Spoken("One moment, please.") in history


@pytest.mark.requirement("002-20")
async def test_channels_are_told_who_goes_on_and_in_which_language_after_the_message_and_before_its_first_word(office):
    """So that what each says is spoken in its own language; nobody is told twice."""
    conversation = await held(office, calls(("to_billing", {})), says("Guten Tag."), says("Gern.")).open(facts())
    events = await answer(conversation)
    wanted = Effect(
        Intent(IntentType.SWITCH_AGENT, {"agentId": "billing", "name": "Billing", "language": "de"}),
    )
    at = events.index(wanted)
    assert said(events[:at]) == ["One moment, please."] and said(events[at:]) == [" Guten Tag."]
    assert wanted not in await answer(conversation, "Danke")


@pytest.mark.requirement("002-20")
async def test_the_next_turn_is_the_other_agents_on_whichever_instance(office):
    """Its record says who answers; the channel itself knows nothing of it."""
    here = held(office, calls(("to_billing", {})), says("Guten Tag."), says("Bitte."))
    there = held(office, says("Gern."))
    await answer(await here.open(facts()))
    record = await office.record()
    told = {"agentId": "billing", "name": "Billing", "language": "de"}
    assert record["answeredBy"] == {"phone": told}
    assert [receipt["for"] for receipt in record["receipts"]] == ["Billing"]
    conversation = await there.open(facts())
    assert said(await answer(conversation, "Danke")) == ["Gern."]
    assert tools_told(there) == [{"to_reception"}]
    again = await here.open(facts())
    await answer(again, "Noch etwas")
    assert tools_told(here)[-1] == {"to_reception"} and again.session.facts.agent_id == "billing"


async def test_a_chat_that_follows_the_phone_call_is_answered_by_its_own_agent(office):
    """They share a record, and not who answers."""
    await answer(await held(office, calls(("to_billing", {})), says("Guten Tag.")).open(facts()))
    chat = held(office, says("Hello."))
    await answer(await chat.open(facts(Channel.PORTAL)))
    assert tools_told(chat) == [{"to_billing"}]


@pytest.mark.requirement("004-1203")
@pytest.mark.parametrize(
    ("one", "other"), [(Channel.PORTAL, Channel.BROWSER_VOICE), (Channel.BROWSER_VOICE, Channel.PORTAL)]
)
async def test_whoever_goes_on_with_a_chat_by_voice_is_answered_by_whom_it_was_handed_to(office, one, other):
    """One token opens both; on the line the phone's own agent answers all the same."""
    await answer(await held(office, calls(("to_billing", {})), says("Guten Tag.")).open(facts(one)))
    beside = held(office, says("Gern."), says("Hello."))
    await answer(await beside.open(facts(other)))
    await answer(await beside.open(facts()))
    assert tools_told(beside) == [{"to_reception"}, {"to_billing"}]


@pytest.mark.requirement("002-20")
async def test_agents_who_hand_over_to_each_other_without_end_are_stopped_by_what_a_turn_may_cost(office):
    """The third call of a turn on the phone is its last; whoever has the conversation then answers."""
    there_and_back = [calls(("to_billing", {})), calls(("to_reception", {}))] * 3
    conversation = await held(office, *there_and_back, says("Here I am."), says("Here I am.")).open(facts())
    events = await answer(conversation)
    finished = [event.response for event in events if isinstance(event, ToolFinished)]
    assert [response.ok for response in finished[:4]] == [True, True, True, False]
    assert not any(response.ok for response in finished[3:])
    assert events[-1].outcome is TurnOutcome.ANSWERED and said(events)[-1].strip() == "Here I am."
    # In the next turn a human has spoken, and may be handed over again.
    second = held(office, calls(("to_reception", {})), says("Reception again."))
    assert said(await answer(await second.open(facts()), "Back, please"))[-1].strip() == "Reception again."


async def test_nothing_more_is_begun_by_the_agent_who_has_handed_over(office):
    """What it had asked for behind it is answered as not begun."""
    conversation = await held(office, calls(("to_billing", {}), ("act", {"what": "x"})), says("Hi.")).open(facts())
    events = await answer(conversation)
    (_, late) = [event.response for event in events if isinstance(event, ToolFinished)]
    assert "was not begun" in late.failure.message


async def test_what_cannot_be_handed_over_is_answered_by_the_same_agent(office):
    """The model is told so, and speaks on."""
    conversations = held(office, calls(("to_billing", {})), says("I can help you myself."))
    conversation = await conversations.open(facts())
    original = conversation._parts.execute

    async def gone(call: Any, known: Any) -> Any:
        await office.store.inner.commit([Set(PATHS.within(BUSINESS).document("agents", "billing"), {"channels": []})])
        return await original(call, known)

    object.__setattr__(conversation._parts, "execute", gone)
    events = await answer(conversation)
    assert said(events) == ["I can help you myself."]
    assert conversation.session.successor is None and tools_told(conversations) == [{"to_billing"}] * 2


async def test_a_caller_who_interrupts_the_handover_hears_its_message_first_in_the_next_turn(office):
    """An action is never broken off, and what it came to holds."""
    gate, begun = asyncio.Event(), asyncio.Event()
    conversation = await held(office, calls(("to_billing", {})), says("Guten Tag.")).open(facts())
    original = conversation._parts.execute

    async def slow(call: Any, known: Any) -> Any:
        begun.set()
        await gate.wait()
        return await original(call, known)

    object.__setattr__(conversation._parts, "execute", slow)
    turn = asyncio.ensure_future(answer(conversation, "My invoice"))
    await begun.wait()
    await conversation.interrupt("")
    gate.set()
    await turn
    events = await answer(conversation, "Hello?")
    assert said(events) == ["One moment, please.", " Guten Tag."]
    assert conversation.session.facts.agent_id == "billing"


@pytest.mark.requirement("002-20")
async def test_that_somebody_was_put_through_may_be_said_once_it_is_so_and_not_before(office):
    """The words are those of the built-in tool, in whichever business it is offered."""
    built = [tool.definition for tool in built_registry().tools.values()]
    guard = ClaimGuards(office.clock, built)
    claim = "You have been transferred to Billing."
    before = held(office, says(claim), says("How can I help?"), guard=guard)
    assert "transferred" not in "".join(said(await answer(await before.open(facts()))))
    after = held(office, calls(("to_billing", {})), says(claim), guard=guard)
    assert "".join(said(await answer(await after.open(facts()), "My invoice"))).endswith(claim)
