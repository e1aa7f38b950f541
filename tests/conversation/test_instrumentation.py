"""Conversations at the meter: sessions, turns, and what the model is told at first (seed 003)."""

import pytest

from switchboard.conversation.conversation import Conversation
from switchboard.conversation.instrumentation import measured
from switchboard.pipeline.metrics.meter import Meter
from tests.conversation.conftest import Talk, answer
from tests.conversation.scripted import calls, says
from tests.desk.front_desk import StoppedClock
from tests.pipeline.conftest import BUSINESS

KEY = (BUSINESS, "s1")


def counted(conversation: Conversation) -> tuple[Conversation, Meter]:
    clock = StoppedClock()
    meter = Meter(clock)
    found = Conversation(measured(conversation._parts, meter, clock), conversation.session)
    return found, meter


@pytest.mark.requirement("003-119")
async def test_a_session_is_open_from_its_first_turn_to_its_end_with_its_turns_counted(talk: Talk) -> None:
    """However many calls were made in them."""
    conversation, meter = counted(talk(calls(("look", {})), says("Hi."), says("Bye.")))
    await answer(conversation)
    await answer(conversation)
    summary = meter.session(KEY)
    assert summary is not None
    assert summary.turns == 2
    await conversation.close()
    assert meter.snapshot()["sessions"]["ended"] == 1


async def test_what_the_model_is_told_at_first_is_noted_once(talk: Talk) -> None:
    """System prompt and declarations, in estimated tokens."""
    conversation, meter = counted(talk(says("Hi."), says("Bye.")))
    await answer(conversation)
    context = meter.snapshot()["context"]
    assert context["systemPromptTokens"] == 4  # "You are Echo."
    assert context["toolDeclTokens"] > 100
    assert context["sessionInitTokens"] == context["systemPromptTokens"] + context["toolDeclTokens"]
