"""What is looked up while one of our own phone calls starts: the model knows it before the first word."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import pytest

from switchboard.channels.phone import routes
from switchboard.contract.model import Noted, Spoken, UserMessage
from tests.channels.phone.house import CALLER, NUMBER, RELAY_URL, PhoneInstance, Twilio, open_store
from tests.channels.phone.relay_client import call_up
from tests.channels.vapi import planted
from tests.conversation.scripted import says


@pytest.fixture
async def instance() -> AsyncIterator[Callable[..., PhoneInstance]]:
    """What serves an instance with the call-start tools that are named."""
    planted.begun.clear()
    planted.meeting.clear()
    async with AsyncExitStack() as open:

        async def serve(*tools, relay_url="", store=None):
            made = PhoneInstance(store or await open_store(), relay_url, tools=planted.registry(*tools))
            return await open.enter_async_context(made.serving())

        yield serve


@pytest.mark.requirement("002-31", "002-90", "002-92", "002-94")
async def test_the_model_knows_what_was_found_before_the_greeting(instance):
    """One message, ahead of everything that was said."""
    phone = await instance("recall", "remark")
    twilio = Twilio(phone)
    assert (await twilio.ask("/phone/incoming")).said == "Hello, Salon."
    assert sorted(planted.begun) == ["recall", "remark"]
    phone.model.answers.append(says("Hi."))
    await twilio.ask("/phone/turn?turn=1", SpeechResult="Hello")
    noted, greeting, heard = phone.model.prompts[0].messages
    assert isinstance(noted, Noted) and isinstance(greeting, Spoken) and isinstance(heard, UserMessage)
    assert f'- recall: {{"caller":"{CALLER}","called":"{NUMBER}","start":true}}' in noted.text


@pytest.mark.requirement("002-94")
async def test_another_instance_goes_on_with_what_was_found(instance):
    """The next webhook may reach anybody."""
    phone = await instance("recall")
    twilio = Twilio(phone)
    await twilio.ask("/phone/incoming")
    other = await instance("recall", store=phone.store)
    other.model.answers.append(says("Hi."))
    await Twilio(other, twilio.call_sid).ask("/phone/turn?turn=1", SpeechResult="Hello")
    assert isinstance(other.model.prompts[0].messages[0], Noted)
    assert planted.begun == ["recall"]


async def test_over_the_relay_too(instance):
    phone = await instance("recall", relay_url=RELAY_URL)
    twilio = Twilio(phone)
    phone.model.answers.append(says("Hi."))
    client = await call_up(twilio)
    await client.say("Hello")
    await client.until(lambda c: any(m.get("last") for m in c.messages))
    await client.socket.close()
    assert isinstance(phone.model.prompts[0].messages[0], Noted)


@pytest.mark.requirement("002-91", "002-93")
@pytest.mark.parametrize("tools", [(), ("recall_broken",), ("recall_late",), ("recall_of",)])
async def test_what_fails_or_is_late_holds_nobody_up(instance, monkeypatch, tools):
    """The caller is greeted, and the model is told nothing."""
    monkeypatch.setattr(routes, "FOUND_WITHIN_S", 0.2)
    phone = await instance(*tools)
    twilio = Twilio(phone)
    assert (await twilio.ask("/phone/incoming")).said == "Hello, Salon."
    phone.model.answers.append(says("Hi."))
    await twilio.ask("/phone/turn?turn=1", SpeechResult="Hello")
    assert not [m for m in phone.model.prompts[0].messages if isinstance(m, Noted)]


async def test_a_turn_of_the_conversation_has_its_whole_budget_after_it(instance):
    """Nothing that was looked up before counts against what the caller asks for."""
    from tests.conversation.scripted import calls

    names = ("recall_1", "recall_2", "recall_3")
    phone = await instance(*names)
    twilio = Twilio(phone)
    await twilio.ask("/phone/incoming")
    phone.model.answers += [calls(("look", {"word": "a"}), ("look", {"word": "b"})), says("Here.")]
    await twilio.finish(await twilio.ask("/phone/turn?turn=1", SpeechResult="Hello"))
    answers = [m for m in phone.model.prompts[1].messages if hasattr(m, "response")]
    assert [m.response.ok for m in answers] == [True, True]
