"""A phone call that a person of the business has had put through: how it ends, and how it comes back."""

import pytest

from switchboard.admin.conversations.records import RINGING
from switchboard.contract.conclusion import TAKEN_OVER
from switchboard.contract.store import Set
from switchboard.conversation.record.endings import SilentConversations
from tests.channels.phone.house import WITHIN, PhoneInstance, Twilio
from tests.channels.phone.test_relay import call_up
from tests.conversation.scripted import says

IN_VAIN = {"DialCallStatus": "no-answer"}


async def take_over(twilio: Twilio) -> None:
    """Have it written down that somebody has had the caller put through."""
    taken_over = {"by": {"name": "Rosa"}, "to": "Front desk", "at": twilio.instance.clock.now(), "state": RINGING}
    path = WITHIN.document("interactions", twilio.call_sid)
    await twilio.instance.store.inner.commit([Set(path, {TAKEN_OVER: taken_over}, merge=True)])


async def call(twilio: Twilio) -> None:
    """Say something, and be answered."""
    twilio.instance.model.answers = [says("We open at nine.")]
    heard = await twilio.ask("/phone/incoming", CallStatus="ringing")
    assert (await twilio.ask(heard.action, SpeechResult="When do you open?")).said == "We open at nine."


@pytest.mark.requirement("004-872")
async def test_a_call_that_a_person_has_taken_over_ends_as_handed_over(twilio):
    """On whichever instance its end is told."""
    await call(twilio)
    await take_over(twilio)
    heard = await twilio.ask("/phone/transfer-result?taken=1", DialCallStatus="completed", DialBridged="true")
    assert heard.names == ["Hangup"]
    async with PhoneInstance(twilio.instance.store).serving() as elsewhere:
        await Twilio(elsewhere, twilio.call_sid).ask("/phone/status", CallStatus="completed", CallDuration="95")
    record = await twilio.instance.record(twilio.call_sid)
    assert (record["outcome"], record["durationSeconds"]) == ("handed_over", 95)
    assert record[TAKEN_OVER]["to"] == "Front desk"


@pytest.mark.requirement("004-872")
async def test_a_call_over_the_relay_that_a_person_has_taken_over_ends_as_handed_over(caller):
    """Twilio closes the socket, in the middle of whatever is said."""
    caller.instance.model.answers = [says("We open at nine.")]
    client = await call_up(caller)
    await client.say("When do you open?")
    await client.answered()
    await take_over(caller)
    await client.leave()
    await caller.ask("/phone/status", CallStatus="completed", CallDuration="95")
    assert (await caller.instance.record(caller.call_sid))["outcome"] == "handed_over"


@pytest.mark.requirement("004-872")
async def test_where_nobody_answers_the_caller_is_back_with_the_receptionist(twilio):
    """And it ends as it would have."""
    await call(twilio)
    await take_over(twilio)
    heard = await twilio.ask("/phone/transfer-result?taken=1", **IN_VAIN)
    assert heard.said.startswith("I'm sorry, nobody could be reached.")
    assert (await twilio.instance.record(twilio.call_sid))[TAKEN_OVER] is None
    twilio.instance.model.answers = [says("At nine, every day.")]
    assert (await twilio.ask(heard.action, SpeechResult="At nine?")).said == "At nine, every day."
    await twilio.ask("/phone/status", CallStatus="completed", CallDuration="95")
    record = await twilio.instance.record(twilio.call_sid)
    assert record["outcome"] == "answered"


@pytest.mark.requirement("004-872")
async def test_a_call_whose_end_nobody_tells_is_handed_over_all_the_same(twilio):
    """Silence ends it, hours later."""
    await call(twilio)
    await take_over(twilio)
    store, path = twilio.instance.store.inner, WITHIN.document("interactions", twilio.call_sid)
    record = await twilio.instance.record(twilio.call_sid)
    await store.commit([Set(path, {"heardAt": record["heardAt"].replace(year=2020)}, merge=True)])
    assert (await SilentConversations(store, twilio.instance.clock).end())["ended"] == 1
    assert (await twilio.instance.record(twilio.call_sid))["outcome"] == "handed_over"


@pytest.mark.requirement("004-872")
async def test_a_call_without_a_record_that_comes_back_goes_on(twilio):
    """Somebody is forgotten while a person is rung for them."""
    heard = await twilio.ask("/phone/transfer-result?taken=1", **IN_VAIN)
    assert heard.said.startswith("I'm sorry, nobody could be reached.")
