"""SET_PENDING_MESSAGE: what a tool leaves for the next turn is said there first, by whichever instance answers it."""

from typing import Any

import pytest

from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS
from switchboard.contract.model import Noted, Spoken, UserMessage
from switchboard.conversation.event import Text, TurnEnded, TurnOutcome
from switchboard.conversation.held_conversations import Conversations
from tests.conversation.conftest import Talk, answer
from tests.conversation.record.test_interactions import Office, office
from tests.conversation.scripted import calls, says
from tests.conversation.test_conversations import parts

__all__ = ["office"]
CHAT = CONTEXTS[Channel.PORTAL](business_id="salon", session_id="s1", turn=0)


def said(events: list[Any]) -> list[str]:
    return [event.text for event in events if isinstance(event, Text)]


@pytest.mark.requirement("003-84")
async def test_the_message_is_said_at_the_beginning_of_the_next_turn_and_only_there(talk: Talk) -> None:
    """Not in the turn of the call, and not in the turn after the next."""
    conversation = talk(calls(("leave_message", {})), says("Sure."), says("At nine."), says("Bye."))
    assert said(await answer(conversation, "Remind me.")) == ["Sure."]
    second = await answer(conversation, "When do you open?")
    assert said(second) == ["Your parcel has come.", " At nine."]
    assert second[-1] == TurnEnded(TurnOutcome.ANSWERED)
    assert said(await answer(conversation, "Thanks.")) == ["Bye."]


async def test_the_model_knows_what_was_said_and_that_it_has_still_to_answer(talk: Talk) -> None:
    """The last word it is told is no word of its own: some vendors would go on with it."""
    conversation = talk(calls(("leave_message", {})), says("Sure."), says("At nine."))
    await answer(conversation)
    await answer(conversation, "When do you open?")
    heard, spoken, noted = conversation.model.prompts[-1].messages[-3:]  # type: ignore[attr-defined]
    assert (heard, spoken) == (UserMessage("When do you open?"), Spoken("Your parcel has come."))
    assert isinstance(noted, Noted)


async def test_a_message_is_no_answer_so_that_a_silent_model_is_made_up_for(talk: Talk) -> None:
    """The caller who asked something hears more than the message."""
    conversation = talk(calls(("leave_message", {})), says("Sure."), says(), says())
    await answer(conversation)
    events = await answer(conversation, "When do you open?")
    assert said(events)[0] == "Your parcel has come." and len(said(events)) == 2
    assert events[-1] == TurnEnded(TurnOutcome.FAILED)


async def test_a_message_that_was_interrupted_is_known_as_far_as_it_was_heard(talk: Talk) -> None:
    """It is a part of the turn's speech like any other."""
    conversation = talk(calls(("leave_message", {})), says("Sure."), says("At nine."))
    await answer(conversation)
    await answer(conversation, "When?")
    await conversation.interrupt("Your parcel")
    assert conversation.session.history.last_spoken == "Your parcel"


async def test_what_the_model_alone_is_told_it_is_told_in_the_same_turn(talk: Talk) -> None:
    """INJECT_CONTEXT, which nobody hears."""
    conversation = talk(calls(("whisper", {})), says("Hello Anna."))
    events = await answer(conversation)
    assert "The caller is called Anna." not in said(events)
    assert Noted("The caller is called Anna.") in conversation.model.prompts[-1].messages  # type: ignore[attr-defined]


@pytest.mark.requirement("003-84")
async def test_the_next_turn_may_be_answered_by_another_instance(office: Office) -> None:
    """A chat's record holds what is still to be said, and no longer than that."""
    here = Conversations(
        parts(office, calls(("leave_message", {})), says("Sure."), says("Later.")), office.interactions
    )
    there = Conversations(parts(office, says("At nine."), says("Bye.")), office.interactions)
    await answer(await here.open(CHAT))
    assert (await office.record())["pendingMessages"] == ["Your parcel has come."]
    assert said(await answer(await there.open(CHAT), "When?")) == ["Your parcel has come.", " At nine."]
    assert (await office.record())["pendingMessages"] == []
    assert said(await answer(await here.open(CHAT), "And?")) == ["Later."]


async def test_a_record_that_could_not_be_written_loses_no_message(office: Office) -> None:
    """It is said by this instance, and written down with the next turn."""
    here = Conversations(
        parts(office, calls(("leave_message", {})), says("Sure."), says("At nine.")), office.interactions
    )
    conversation = await here.open(CHAT)
    office.store.fail("commit")
    await answer(conversation)
    office.store.recover()
    assert said(await answer(conversation)) == ["Your parcel has come.", " At nine."]
    assert "pendingMessages" not in await office.record()
