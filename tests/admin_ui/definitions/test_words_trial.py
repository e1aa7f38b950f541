"""Words that change are said to be untried, and recorded conversations are asked again on a wish."""

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime

import pytest

from admin_ui.shell.server import Server
from switchboard.app.core import Core
from switchboard.contract.model import Ended, Ending, ModelEvent, Prompt, TextPiece
from switchboard.contract.store import Set
from tests.admin_ui.conftest import press, said
from tests.admin_ui.definitions.test_tools_page import PLATFORM, as_seeded, open_tool, show
from tests.admin_ui.premises import PATHS, SALON, LiveServer

__all__ = ("as_seeded",)
WORDS = "Search what {{business.name}} has written down, before anything is said of it."


class Reader:
    """A model whose answer follows the words that it is told."""

    name, dialect = "reader", "openai"

    async def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
        yield TextPiece("I look it up at once." if "before anything is said" in str(prompt.tools) else "I look it up.")
        yield Ended(Ending.STOPPED)


@pytest.fixture
def connected(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A model beside the rehearsal, for what is asked again alone."""
    monkeypatch.setattr(Core, "open_model", lambda core, tools: Reader())
    yield


def drafted(opened):
    """Return the page on which a draft of other words is published."""
    app = open_tool(opened("tools", PLATFORM), "search_knowledge")
    app.text_area[0].set_value(WORDS).run()
    press(app, "Save draft")
    return show(app, "tool_part", "Publish")


def test_words_are_said_to_be_untried_and_without_a_model_it_says_which_setting_names_one(opened, as_seeded):
    text = said(drafted(opened))
    assert "Words change (description), and were not tried" in text
    assert "SWITCHBOARD" in text


def test_a_conversation_is_asked_again_at_a_price_that_is_told_with_words_marked(
    opened, salon: LiveServer, as_seeded, connected
):
    """Side by side; then the report says that the words were tried."""
    context = {"channel": "portal", "sessionId": "s-words", "callId": "c1", "turn": 1}
    Server(salon.url, salon.keys[SALON]).execute(SALON, "search_knowledge", {"query": "parking"}, context)
    line = {"role": "caller", "text": "Where can I park?", "turn": 1, "at": datetime.now(UTC)}
    fields = {"sessionId": "s-words", "channel": "portal", "startedAt": datetime.now(UTC), "transcript": [line]}
    salon.put(Set(PATHS.within(SALON).document("interactions", "s-words"), fields))
    app = drafted(opened)
    text = said(app)
    assert "**2** requests to reader: about" in text
    press(app, "Ask 1 again")
    text = said(app)
    assert "Caller: Where can I park?" in text and "differs]" in text
    assert ":orange-background[it up.]" in text or ":green-background[" in text
    assert "a model was asked again with them in one recorded conversation" in text
