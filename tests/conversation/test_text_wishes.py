"""Whoever says that they want no more texts gets none, and the model is told what became of it."""

from dataclasses import replace

import pytest

from switchboard.contract.model import Noted
from tests.conversation.conftest import Talk, answer
from tests.conversation.scripted import says
from tests.conversation.test_turn import messages

pytestmark = pytest.mark.requirement("004-2455")


def notes(conversation):
    return [m.text for m in messages(conversation) if isinstance(m, Noted)]


@pytest.mark.parametrize("is_kept", [True, False])
async def test_a_wish_for_no_more_texts_is_kept_and_the_model_is_told_whether_it_was(talk: Talk, is_kept):
    """Before it says a word: otherwise it promises what nobody has done."""
    asked, conversation = [], talk(says("You get no more."), says("Hello."))

    async def stop(facts, business):
        asked.append(business.id)
        return is_kept

    conversation._parts = replace(conversation._parts, stop_texts=stop)
    await answer(conversation, "Please stop texting me.")
    told = conversation.model.prompts[0].messages[-1]
    assert len(asked) == 1
    assert ("that is done" in told.text) is is_kept
    assert ("by texting STOP" in told.text) is not is_kept
    await answer(conversation, "And don't text me the address now.")
    assert len(asked) == 1
    assert len(notes(conversation)) == 1
