"""A question that was open when the line dropped: it is asked again, by whichever instance has the caller back."""

from datetime import timedelta

import pytest

from switchboard.channels.phone.voice import _SENTENCES, Sentence
from switchboard.contract.store import StoreError, Update
from switchboard.pipeline.confirmation.approvals import Approvals
from switchboard.pipeline.confirmation.pending_call import PendingCall
from tests.channels.phone.house import RELAY_URL, WITHIN, PhoneInstance, Twilio, open_store
from tests.channels.phone.relay_client import call_up
from tests.channels.phone.test_relay_drops import CUT_OFF, GO_ON, call_again, dropped
from tests.conversation.scripted import calls, says
from tests.pipeline.planted import done

pytestmark = pytest.mark.requirement("004-2201")
WISH = ("book", {"what": "lunch"})
AGAIN = f"{CUT_OFF} Book lunch?"


@pytest.fixture
async def two():
    """Two instances over one store, and one call that reaches either."""
    store = await open_store()
    async with PhoneInstance(store, RELAY_URL).serving() as one, PhoneInstance(store, RELAY_URL).serving() as other:
        first = Twilio(one)
        yield first, Twilio(other, first.call_sid)


async def asked(caller):
    """Call, and be asked; return the socket."""
    caller.instance.model.answers = [calls(WISH)]
    client = await call_up(caller)
    await client.say("Lunch")
    assert await client.answered() == "Book lunch?"
    return client


async def test_the_instance_that_has_the_caller_back_asks_again_and_their_yes_counts(two):
    """The one that asked has died with the socket."""
    first, second = two
    await asked(first)
    second.instance.model.answers = [calls(WISH), says("It is booked.")]
    greeting, heard = await dropped(second)
    assert greeting == AGAIN
    new = await call_again(second, heard)
    await new.say("Yes")
    assert await new.answered() == "It is booked."
    assert done == ["lunch"]
    await new.leave()


async def test_the_same_instance_asks_again_as_well_and_a_key_is_an_answer(caller):
    """Of a question whose last words were on their way nobody knew whether they were heard."""
    old = await asked(caller)
    caller.instance.model.answers += [calls(WISH), says("It is booked.")]
    old.socket.transport.abort()
    greeting, heard = await dropped(caller)
    assert greeting == AGAIN
    new = await call_again(caller, heard)
    await new.send(type="dtmf", digit="1")
    assert await new.answered() == "It is booked."
    assert done == ["lunch"]
    await new.leave()


async def test_a_yes_before_the_question_was_heard_again_is_none(two):
    """It is to whatever they did hear."""
    first, second = two
    await asked(first)
    greeting, heard = await dropped(second)
    new = await call_again(second, heard)
    await new.send(type="interrupt", utteranceUntilInterrupt=CUT_OFF)
    await new.say("Yes")
    assert await new.answered() == "Book lunch?"
    assert (greeting, done) == (AGAIN, [])
    await new.leave()


async def test_a_line_that_drops_twice_is_asked_in_turns_without_a_socket(two):
    """Behind the question that is played there, a yes counts as behind any."""
    first, second = two
    await asked(first)
    await dropped(first)
    _, heard = await dropped(second, SessionId="VX2")
    assert heard.said == AGAIN
    second.instance.model.answers = [calls(WISH), says("It is booked.")]
    said, _ = await second.finish(await second.ask(heard.action, SpeechResult="Yes"))
    assert (said, done) == ("It is booked.", ["lunch"])


@pytest.mark.parametrize("how", ["late", "elsewhere", "away"])
async def test_what_no_yes_can_count_for_any_more_is_not_asked_again(two, monkeypatch, how):
    """It is too late, something else was asked since, or nobody can tell."""
    first, second = two
    await asked(first)
    store, path = first.instance.store, WITHIN.document("sessions", first.call_sid)
    if how == "late":
        now = first.instance.clock.now()
        await store.commit([Update(path, {"proposal.expiresAt": now + timedelta(seconds=10)})])
    elif how == "elsewhere":
        await store.commit([Update(path, {"proposal.readBack": "Book dinner?"})])
    else:

        async def unreadable(*_):
            raise StoreError("away")

        monkeypatch.setattr(Approvals, "waits", unreadable)
    greeting, heard = await dropped(second)
    assert greeting == f"{CUT_OFF} {GO_ON}"
    new = await call_again(second, heard)
    second.instance.model.answers = [calls(WISH)]
    await new.say("Yes")
    assert await new.answered() == "Book lunch?"
    assert done == []
    await new.leave()


async def test_what_was_answered_already_is_not_asked_again(two):
    """The caller has said no, and something else."""
    first, second = two
    old = await asked(first)
    first.instance.model.answers += [says("What else?")]
    await old.say("No")
    await old.answered(2)
    assert (await dropped(second))[0] == f"{CUT_OFF} {GO_ON}"


@pytest.mark.parametrize("language", _SENTENCES)
def test_what_is_said_before_the_question_turns_no_yes_round(language):
    """In every language in which a caller is told that the line was cut off."""
    call = PendingCall("book", "k", "Shall I book lunch?", 1, None)
    assert call.was_asked(f"{_SENTENCES[language][Sentence.CUT_OFF]} {call.read_back}")
