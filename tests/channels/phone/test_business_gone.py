"""Calls to a business that is being taken away: they hear once that nobody is there any more, and are ended."""

import logging
from datetime import UTC, datetime
from typing import Any

import pytest

from switchboard.channels.phone.voice import Sentence, Voice
from switchboard.contract.business.business import read_business
from switchboard.contract.store import Delete, Set, Update
from switchboard.conversation.speech.house_phrases import gone_words
from tests.channels.phone.house import BUSINESS, NUMBER, SALON, WITHIN, Twilio
from tests.channels.phone.relay_client import call_up, dial_in, set_up, token_of
from tests.conversation.scripted import says

pytestmark = pytest.mark.requirement("004-1905")

NOT_IN_USE = "This number is not in use any more. Goodbye."
FAREWELL = "I have to end this conversation: we cannot be reached here any more. Goodbye."


async def taken_away(twilio: Twilio) -> None:
    """Take the business away, as this instance has just read it."""
    await twilio.instance.store.inner.commit([Delete(WITHIN.business)])
    twilio.instance.office.catalog.forget(BUSINESS)


def errors(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.message for record in caplog.records if record.levelno >= logging.ERROR]


async def test_a_new_call_hears_once_that_the_number_is_not_in_use(twilio: Twilio, caplog: pytest.LogCaptureFixture):
    """And is hung up, with no turn to begin; nobody at the log has to do anything."""
    await twilio.ask("/phone/incoming")
    await taken_away(twilio)
    heard = await Twilio(twilio.instance).ask("/phone/incoming")
    assert (heard.names, heard.said) == (["Say", "Hangup"], NOT_IN_USE)
    assert errors(caplog) == [] and twilio.instance.model.prompts == []


@pytest.mark.requirement("004-2405")
@pytest.mark.parametrize("read_again", ["whose the number is", "what it is signed with", "both"])
async def test_a_number_is_not_in_use_at_once_and_for_as_long_as_it_is_called(twilio: Twilio, read_again: str):
    """Its number and its secrets are gone with the business: what was let in with them before is still Twilio's."""
    instance = twilio.instance
    await twilio.ask("/phone/incoming")
    await taken_away(twilio)
    instance.secrets.kept.clear()
    lines = instance.phone.door._lines
    for cache in {"both": (lines._main, lines._keys), "whose the number is": (lines._main,)}.get(
        read_again, (lines._keys,)
    ):
        cache.drop(NUMBER)
        cache.drop(BUSINESS)
    for _ in range(2):
        heard = await Twilio(instance).ask("/phone/incoming")
        assert (heard.names, heard.said) == (["Say", "Hangup"], NOT_IN_USE)
    assert (await Twilio(instance).post("/phone/incoming", token="forged")).status_code == 403


@pytest.mark.requirement("004-2405")
async def test_what_was_let_in_before_lets_nobody_in_to_a_business_that_is_there(twilio: Twilio):
    """Whoever takes its token away, or its number, wants no calls from there; and another's number is another's."""
    instance = twilio.instance
    await twilio.ask("/phone/incoming")
    kept = dict(instance.secrets.kept)
    instance.secrets.kept.clear()
    instance.phone.door._lines._keys.drop(BUSINESS)
    assert (await Twilio(instance).post("/phone/incoming")).status_code == 403
    instance.secrets.kept |= kept
    await instance.store.inner.commit([Update(WITHIN.business, {"twilioNumber": "+15185550199"})])
    instance.phone.door._lines._main.drop(NUMBER)
    assert (await Twilio(instance).post("/phone/incoming")).status_code == 403
    other = instance.phone.paths.within("another")
    await instance.store.inner.commit([Delete(WITHIN.business), Set(other.business, SALON)])
    instance.phone.door._lines._main.drop(NUMBER)
    assert (await Twilio(instance).post("/phone/incoming")).status_code == 403


@pytest.mark.requirement("004-2405")
async def test_that_it_is_not_in_use_is_said_in_the_language_in_which_it_spoke(twilio: Twilio):
    """Nothing else is known of it any more: not whom to ring either, for another one under its id."""
    store, catalog = twilio.instance.store, twilio.instance.office.catalog
    german = {**SALON, "ai": {"language": "de"}, "escalation": {"safeNumber": "+15185550140"}}
    await store.inner.commit([Set(WITHIN.business, german)])
    catalog.forget(BUSINESS)
    await twilio.ask("/phone/incoming")
    await taken_away(twilio)
    for _ in range(2):
        heard = await Twilio(twilio.instance).ask("/phone/incoming")
        assert heard.said == Voice.of(read_business("x", {"ai": {"language": "de"}})).sentence(Sentence.GONE)
    await store.inner.commit([Set(WITHIN.business, {**SALON, "createdAt": datetime(2031, 5, 1, tzinfo=UTC)})])
    catalog.forget(BUSINESS)
    store.fail("get", "get_many", "query")
    heard = await Twilio(twilio.instance).ask("/phone/incoming")
    assert heard.dialled == "" and "technical problem" in heard.said


async def test_a_call_in_turns_ends_with_its_business(twilio: Twilio, caplog: pytest.LogCaptureFixture):
    twilio.instance.model.answers = [says("We open at nine.")]
    heard = await twilio.ask("/phone/incoming")
    heard = await twilio.ask(heard.action, SpeechResult="When do you open?")
    await taken_away(twilio)
    heard = await twilio.ask(heard.action, SpeechResult="And tomorrow?")
    assert (heard.names, heard.said) == (["Say", "Hangup"], NOT_IN_USE)
    assert errors(caplog) == []


@pytest.mark.parametrize("how", ["gone", "made anew"])
async def test_a_call_over_the_relay_ends_with_its_business(caller: Twilio, caplog: pytest.LogCaptureFixture, how: str):
    """In words that are true, said once; and of it nothing more is done, for another business under that id either."""
    caller.instance.model.answers = [says("We open at nine."), says("Not to be heard.")]
    client = await call_up(caller)
    await client.say("When do you open?")
    await client.answered()
    if how == "gone":
        await taken_away(caller)
    else:
        anew: dict[str, Any] = {**SALON, "createdAt": datetime(2031, 5, 1, tzinfo=UTC)}
        await caller.instance.store.inner.commit([Set(WITHIN.business, anew)])
        caller.instance.office.catalog.forget(BUSINESS)
    await client.say("And tomorrow?")
    await client.closed()
    assert "".join(m["token"] for m in client.messages if m["type"] == "text").endswith(FAREWELL)
    end = next(m for m in client.messages if m["type"] == "end")
    heard = await caller.ask("/phone/relay-ended", HandoffData=end["handoffData"], SessionStatus="ended")
    assert (heard.names, heard.said) == (["Hangup"], "")
    assert errors(caplog) == [] and len(caller.instance.model.prompts) == 1


async def test_a_socket_that_opens_too_late_leaves_it_to_the_call(caller: Twilio, caplog: pytest.LogCaptureFixture):
    heard = await caller.ask("/phone/incoming")
    await taken_away(caller)
    client = await dial_in(caller)
    await set_up(client, caller, token_of(heard))
    assert await client.closed() == 1008
    heard = await caller.ask("/phone/relay-ended", SessionStatus="failed")
    assert (heard.names, heard.said) == (["Say", "Hangup"], NOT_IN_USE)
    assert errors(caplog) == []


def test_it_is_said_in_seven_languages():
    languages = ("en", "de", "es", "fr", "it", "pt", "nl")
    spoken = {Voice.of(read_business("x", {"ai": {"language": one}})).sentence(Sentence.GONE) for one in languages}
    assert len(spoken) == len({gone_words(one) for one in languages}) == 7
