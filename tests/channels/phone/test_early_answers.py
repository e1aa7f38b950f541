"""An answer that comes before anybody can have heard the question is none: it is asked again."""

import asyncio

import pytest

from switchboard.conversation.speech import playhead
from tests.channels.phone.house import until
from tests.channels.phone.relay_client import call_up
from tests.conversation.scripted import calls, says
from tests.pipeline.planted import done

pytestmark = pytest.mark.requirement("004-2451")
WISH = ("book", {"what": "lunch"})
QUESTION = "Book lunch?"
# At this speed the question takes 0.4 seconds, and at the other one longer than any test.
SPEED, SLOW = len(QUESTION) / 0.4, 1e-3


async def asked(caller):
    """Call, and be asked; return the socket."""
    caller.instance.model.answers = [calls(WISH)]
    client = await call_up(caller)
    await client.say("Lunch")
    assert await client.answered() == QUESTION
    return client


@pytest.mark.parametrize("answer", ["Yes", "yeah, please", "1"])
async def test_a_yes_before_the_question_can_have_been_heard_is_none_and_it_is_asked_again(caller, monkeypatch, answer):
    """Whoever begins to say yes just before it is played interrupts nothing, so that no interruption is told."""
    monkeypatch.setattr(playhead, "FASTEST_CHARACTERS_PER_S", SLOW)
    client = await asked(caller)
    await (client.send(type="dtmf", digit="1") if answer == "1" else client.say(answer))
    assert await client.answered(2) == QUESTION * 2
    assert done == []
    await client.leave()


async def test_a_yes_behind_most_of_the_question_counts_at_once(caller, monkeypatch):
    """People answer before its last words."""
    monkeypatch.setattr(playhead, "FASTEST_CHARACTERS_PER_S", SPEED)
    client = await asked(caller)
    caller.instance.model.answers = [calls(WISH), says("It is booked.")]
    await asyncio.sleep(0.4 * playhead.HEARD_SHARE)
    await client.say("Yes")
    assert (await client.answered(2)).endswith("It is booked.")
    assert done == ["lunch"]
    await client.leave()


async def test_the_yes_to_what_was_asked_again_counts(caller, monkeypatch):
    """It is not asked for ever."""
    monkeypatch.setattr(playhead, "FASTEST_CHARACTERS_PER_S", SPEED)
    client = await asked(caller)
    await client.say("Yes")
    assert await client.answered(2) == QUESTION * 2
    caller.instance.model.answers = [calls(WISH), says("It is booked.")]
    await asyncio.sleep(0.4)
    await client.say("Yes")
    assert (await client.answered(3)).endswith("It is booked.")
    assert done == ["lunch"]
    await client.leave()


async def test_a_no_counts_however_early_it_comes(caller, monkeypatch):
    """To do nothing nobody has to have heard anything."""
    monkeypatch.setattr(playhead, "FASTEST_CHARACTERS_PER_S", SLOW)
    client = await asked(caller)
    caller.instance.model.answers = [says("All right, then not.")]
    await client.say("No")
    assert (await client.answered(2)).endswith("All right, then not.")
    assert done == []
    await client.leave()


async def test_a_yes_that_began_before_the_question_did_is_none(caller, monkeypatch):
    """Where the relay tells when they began to speak, it is known what that cannot be to."""
    monkeypatch.setattr(playhead, "FASTEST_CHARACTERS_PER_S", SPEED)
    caller.instance.model.answers = [calls(WISH)]
    client = await call_up(caller)
    await client.say("Lunch")
    await client.send(type="prompt", voicePrompt="Ye", last=False)
    assert await client.answered() == QUESTION
    await asyncio.sleep(0.4)
    await client.say("Yes")
    assert await client.answered(2) == QUESTION * 2
    assert done == []
    await client.leave()


async def test_what_is_told_late_of_a_question_that_was_cut_off_still_takes_its_yes_back(caller):
    """The interruption comes behind the yes: what was not carried out by then is not, and is asked about anew."""
    client = await asked(caller)
    thinking = asyncio.Event()
    caller.instance.model.answers = [[thinking], calls(WISH)]
    await client.say("Yes")
    await until(lambda: len(caller.instance.model.prompts) == 2)
    await client.send(type="interrupt", utteranceUntilInterrupt="Book")
    await client.answered(2)
    assert client.said.endswith(QUESTION)
    assert done == []
    await client.leave()
