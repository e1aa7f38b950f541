"""When something was said: a model is told the day of what was said on another one, whoever has the conversation."""

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from switchboard.contract.model import Prompt, UserMessage
from switchboard.contract.store import Set
from switchboard.conversation.conversation import Conversation
from switchboard.conversation.held_conversations import Conversations
from switchboard.conversation.history import History
from switchboard.conversation.speech.utterance import Utterance
from tests.conversation.conftest import answer
from tests.conversation.record.test_interactions import Office, office
from tests.conversation.scripted import says
from tests.conversation.test_conversations import FACTS, parts
from tests.pipeline.conftest import BUSINESS, PATHS

__all__ = ["office"]
pytestmark = pytest.mark.requirement("004-2202")
ZONE = ZoneInfo("America/New_York")
BEFORE_MIDNIGHT = datetime(2026, 11, 23, 23, 58, tzinfo=ZONE)
SAID = "This was said on Monday, 2026-11-23, 23:58."


def beside(prompt: Prompt) -> list[str]:
    """Return what stands beside what the caller said, turn by turn."""
    return [message.moment for message in prompt.messages if isinstance(message, UserMessage)]


async def held(office: Office, *answers: object) -> Conversation:
    """Return the conversation as an instance holds it that has just been started."""
    moment = replace(parts(office, *answers), moment=lambda *_: "It is now.")
    return await Conversations(moment, office.interactions).open(FACTS)


@pytest.fixture
async def evening(office: Office) -> Conversation:
    """A conversation in New York that began two minutes before midnight."""
    document = {"name": "Salon", "timezone": "America/New_York"}
    await office.store.commit([Set(PATHS.within(BUSINESS).business, document)])
    office.clock.moment = BEFORE_MIDNIGHT.astimezone(UTC)
    conversation = await held(office, says("What is your name?"), says("Fine."), says("Bye."))
    await answer(conversation, "Tomorrow at ten.")
    return conversation


@pytest.mark.parametrize("is_elsewhere", [False, True])
async def test_what_was_said_before_midnight_tells_its_day_once_it_is_another(
    office: Office, evening: Conversation, is_elsewhere: bool
) -> None:
    """By the business's clocks, and also where the record tells it; within a day nothing stands there."""
    office.clock.wait(60)
    await answer(evening, "Ann.")
    assert beside(evening._parts.model.prompts[-1]) == ["", "It is now."]  # type: ignore[attr-defined]
    office.clock.wait(180)
    conversation = await held(office, says("Bye.")) if is_elsewhere else evening
    await answer(conversation, "And tomorrow?")
    later = SAID.replace("58", "59")
    assert beside(conversation._parts.model.prompts[-1]) == [SAID, later, "It is now."]  # type: ignore[attr-defined]


async def test_what_was_said_over_an_interruption_tells_its_day_as_well(office: Office, evening: Conversation) -> None:
    """It was never told to a model in its own turn."""
    await evening.begin(Utterance("Ann."))
    await evening.interrupt(None)
    evening.session.hear_unheard()
    office.clock.wait(180)
    await answer(evening, "And tomorrow?")
    assert beside(evening._parts.model.prompts[-1])[:2] == [SAID, SAID]  # type: ignore[attr-defined]


def test_what_nobody_knows_the_time_of_tells_none() -> None:
    """As in records of an earlier version."""
    history = History()
    history.heard("Tomorrow.")
    history.heard("Ann.", BEFORE_MIDNIGHT)
    assert history.told("It is now.", ZONE) == [UserMessage("Tomorrow."), UserMessage("Ann.", "It is now.")]
