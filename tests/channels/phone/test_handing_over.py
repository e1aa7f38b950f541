"""A phone call that another agent takes over: it is heard and spoken in that agent's language from then on."""

from typing import Any

import pytest

from switchboard.contract.store import Set
from tests.channels.phone.house import BUSINESS, PhoneInstance, Twilio
from tests.channels.phone.relay_client import call_up, dial_in, set_up, token_of
from tests.conversation.scripted import calls, says
from tests.conversation.two_agents import staff
from tests.pipeline.conftest import PATHS

TO_BILLING = calls(("to_billing", {}))
GERMAN = {"type": "language", "ttsLanguage": "de-DE", "transcriptionLanguage": "de-DE"}


async def ready(caller: Twilio, *answers: Any, **billing: Any) -> PhoneInstance:
    await staff(caller.instance.office, BUSINESS, **{"language": "de"} | billing)
    caller.instance.model.answers = list(answers)
    return caller.instance


@pytest.mark.requirement("002-20")
async def test_without_a_relay_the_next_turn_is_listened_to_in_the_other_agents_language(twilio):
    """Also when the caller says nothing: the address that Twilio is given says it."""
    await ready(twilio, TO_BILLING, says("Hier ist Billing."), says("Gern."))
    heard = await twilio.ask("/phone/incoming")
    assert heard.attribute("Gather", "language") == "en-US"
    heard = await twilio.ask(heard.action, SpeechResult="My invoice is wrong")
    assert heard.said == "One moment, please. Hier ist Billing."
    assert heard.attribute("Gather", "language") == "de-DE" and "Dial" not in heard.names
    silent = await twilio.ask(heard.redirect)
    assert (silent.said, silent.attribute("Gather", "language")) == ("Sind Sie noch da?", "de-DE")
    heard = await twilio.ask(silent.action, SpeechResult="Danke")
    assert (heard.said, heard.attribute("Gather", "language")) == ("Gern.", "de-DE")


@pytest.mark.requirement("002-20")
async def test_an_agent_of_the_same_language_changes_nothing_about_it(twilio):
    """The business's own voice goes on."""
    await ready(twilio, TO_BILLING, says("This is Billing."), language="")
    heard = await twilio.ask("/phone/incoming")
    heard = await twilio.ask(heard.action, SpeechResult="My invoice is wrong")
    assert heard.attribute("Gather", "language") == "en-US"
    assert heard.said == "One moment, please. This is Billing."


async def test_a_call_is_listened_to_in_the_language_of_the_agent_that_answers_it(twilio, caller):
    """From the first word on, in turns and over the relay: it is in that language that it will be spoken to."""
    for called in (twilio, caller):
        agent = Set(PATHS.within(BUSINESS).document("agents", "echo"), {"isDefault": True, "language": "de"})
        await called.instance.store.commit([agent])
        called.instance.office.catalog.forget(BUSINESS)
    heard = await twilio.ask("/phone/incoming")
    assert heard.attribute("Gather", "language") == "de-DE"
    heard = await twilio.ask(heard.redirect)
    assert heard.said == "Sind Sie noch da?"
    heard = await caller.ask("/phone/incoming")
    assert heard.attribute("ConversationRelay", "language") == "de-DE"


async def test_a_call_that_the_other_agent_ends_ends_in_its_language(twilio):
    """Its last words are spoken as they are meant."""
    await ready(twilio, TO_BILLING, says("Guten Tag."), calls(("hang_up", {}), text="Auf Wiederhören."))
    heard = await twilio.ask("/phone/incoming")
    heard = await twilio.ask(heard.action, SpeechResult="My invoice is wrong")
    heard = await twilio.ask(heard.action, SpeechResult="Danke, tschüss")
    assert (heard.attribute("Say", "language"), heard.names) == ("de-DE", ["Say", "Hangup"])


@pytest.mark.requirement("002-20")
async def test_over_the_relay_the_language_changes_between_the_two_agents_words(caller):
    """The owner's message is still spoken in the first agent's."""
    await ready(caller, TO_BILLING, says("Hier ist Billing."), says("Gern."))
    client = await call_up(caller)
    await client.say("My invoice is wrong")
    await client.answered()
    kinds = [message.get("token") or message["type"] for message in client.messages]
    assert kinds == ["One moment, please.", "language", " Hier ist Billing.", "text"]
    assert client.messages[1] == GERMAN
    await client.say("Danke")
    await client.answered(2)
    assert client.messages.count(GERMAN) == 1
    await client.leave()


async def test_a_relay_that_was_dropped_goes_on_in_the_other_agents_language(caller):
    """The new socket's TwiML speaks the business's."""
    await ready(caller, TO_BILLING, says("Hier ist Billing."), says("Gern."))
    client = await call_up(caller)
    await client.say("My invoice is wrong")
    await client.answered()
    await client.leave()
    heard = await caller.ask("/phone/relay-ended", SessionStatus="failed")
    client = await dial_in(caller)
    await set_up(client, caller, token_of(heard))
    await client.say("Hallo?")
    await client.answered()
    assert client.messages[0] == GERMAN and client.said == "Gern."
    await client.leave()
