"""A phone call in the caller's language: it is heard and spoken in that from the turn on that has shown it."""

import pytest

from tests.channels.phone.relay_client import call_up, dial_in, set_up, token_of
from tests.conversation.scripted import says

pytestmark = pytest.mark.requirement("004-1502")
SPANISH = {"type": "language", "ttsLanguage": "es-ES", "transcriptionLanguage": "es-ES"}
ENGLISH = {"type": "language", "ttsLanguage": "en-US", "transcriptionLanguage": "en-US"}
WISH, BACK = "Quería cambiar la cita del viernes.", "Sorry, can you say that in English?"
DROPPED = {"SessionStatus": "failed", "CallStatus": "in-progress"}


async def test_the_relay_is_told_once_before_the_first_word_and_again_when_the_caller_goes_back(caller):
    """An "okay" between changes nothing."""
    caller.instance.model.answers = [says("Claro."), says("Bien."), says("Of course.")]
    client = await call_up(caller)
    for number, said in enumerate((WISH, "Okay.", BACK), 1):
        await client.say(said)
        await client.answered(number)
    told = [message.get("token") or message for message in client.messages]
    assert [each for each in told if isinstance(each, str) or each["type"] == "language"] == [
        *(SPANISH, "Claro.", "Bien.", ENGLISH, "Of course.")
    ]
    await client.leave()


async def test_a_call_whose_line_dropped_goes_on_in_the_callers_language(caller):
    """The new socket's TwiML, and what is said there, are in it; another instance reads it from the record."""
    caller.instance.model.answers = [says("Claro."), says("Sí, dígame.")]
    client = await call_up(caller)
    await client.say(WISH)
    await client.answered()
    await client.leave()
    caller.instance.conversations._kept.clear()
    heard = await caller.ask("/phone/relay-ended", **DROPPED)
    assert heard.attribute("ConversationRelay", "language") == "es-ES"
    greeting = heard.attribute("ConversationRelay", "welcomeGreeting")
    assert greeting == "Perdone, se ha cortado un momento. Siga, por favor."
    client = await dial_in(caller)
    await set_up(client, caller, token_of(heard))
    await client.say("sí")
    assert await client.answered() == "Sí, dígame."
    assert client.messages[0] == SPANISH
    await client.leave()
    record = await caller.instance.record(caller.call_sid)
    assert record["spokenIn"] == {"phone": "es"}


async def test_without_a_relay_the_next_turn_is_listened_to_in_the_callers_language(twilio):
    """Also where they say nothing; the voice that reads the answer is one of that language."""
    twilio.instance.model.answers = [says("Claro."), says("Of course.")]
    heard = await twilio.ask("/phone/incoming")
    assert heard.attribute("Gather", "language") == "en-US"
    heard = await twilio.ask(heard.action, SpeechResult=WISH)
    assert (heard.said, heard.attribute("Gather", "language")) == ("Claro.", "es-ES")
    assert heard.attribute("Say", "language") == "es-ES"
    silent = await twilio.ask(heard.redirect)
    assert (silent.said, silent.attribute("Gather", "language")) == ("¿Sigue usted ahí?", "es-ES")
    heard = await twilio.ask(silent.action, SpeechResult=BACK)
    assert (heard.said, heard.attribute("Gather", "language")) == ("Of course.", "en-US")


async def test_a_call_in_the_agents_own_language_is_told_nothing_of_it(caller):
    """Nothing is sent, and nothing is kept."""
    caller.instance.model.answers = [says("Of course.")]
    client = await call_up(caller)
    await client.say("I would like to move my appointment.")
    await client.answered()
    assert not any(message["type"] == "language" for message in client.messages)
    await client.leave()
    assert "spokenIn" not in await caller.instance.record(caller.call_sid)
