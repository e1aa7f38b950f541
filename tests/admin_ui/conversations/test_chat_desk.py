"""Writing in a running chat on its page: what is kept when it goes wrong, and who is shown nothing of it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from switchboard.contract.store import Set
from tests.admin_ui.conftest import field, labels, press, said
from tests.admin_ui.conversations.test_calls_page import opened_at
from tests.admin_ui.premises import PATHS, SALON, LiveServer
from tests.admin_ui.shell.test_pages import have_called

pytestmark = pytest.mark.requirement("004-898")
SEND = "Send"


@pytest.fixture
def chat(salon: LiveServer) -> LiveServer:
    """A chat that goes on, in which the visitor has just written."""
    now = datetime.now(UTC)
    said_now = {"role": "caller", "text": "When do you open?", "turn": 1, "at": now, "channel": "portal"}
    have_called(salon, 1, channel="portal", endedAt=None, outcome="answered", turns=1, transcript=[said_now])
    return salon


def record(live: LiveServer) -> dict[str, Any]:
    """Return what is stored of the chat."""
    found = live.within(live.house.store.get(PATHS.within(SALON).document("interactions", "call000")))
    assert found is not None
    return found.data


def answering(opened: Any, person: str = "owner") -> Any:
    """Return the page of whoever has just taken the chat over."""
    return press(opened_at(opened, person, call="call000"), "Answer myself")


def written(live: LiveServer) -> list[str]:
    """Return what people of the business have written."""
    return [row["text"] for row in record(live)["transcript"] if row["role"] == "person"]


def draft(app: Any, text: str) -> Any:
    """Write something, and send it."""
    field(app, "text_area", "chat_draft").set_value(text)
    return press(app, SEND)


def test_who_takes_a_chat_over_writes_in_it_and_the_field_is_empty_then(opened, chat):
    app = draft(answering(opened), "We open at eight.")
    assert (written(chat), field(app, "text_area", "chat_draft").value) == (["We open at eight."], "")
    assert "We open at eight." in said(app) and "and not the assistant" in said(app)
    assert "owner@example.com answers in this chat" in said(app)


@pytest.mark.parametrize("text", ["  ", "x" * 4_001])
def test_what_is_refused_stays_in_the_field(opened, chat, text):
    app = draft(answering(opened), text)
    assert app.error and field(app, "text_area", "chat_draft").value == text
    assert written(chat) == [] and not draft(app, "We open at eight.").error


def test_who_was_away_for_too_long_keeps_their_words_and_is_told(opened, chat):
    app = answering(opened)
    path = PATHS.within(SALON).document("interactions", "call000")
    long_ago = datetime.now(UTC) - timedelta(minutes=5)
    chat.put(Set(path, {"answeringPerson": record(chat)["answeringPerson"] | {"at": long_ago}}, merge=True))
    app = draft(app, "Sorry, I was away")
    assert written(chat) == []
    assert "nobody had written for 3 minutes" in said(app)
    assert field(app, "text_area", "chat_draft").value == "Sorry, I was away"
    app = press(press(app, "Answer myself"), SEND)
    assert written(chat) == ["Sorry, I was away"]


def test_somebody_else_reads_who_answers_and_can_hand_it_back(opened, chat):
    answering(opened)
    app = opened_at(opened, "editor", call="call000")
    assert "owner@example.com answers in this chat" in said(app)
    press(app, "Hand back to the assistant")
    assert "answeringPerson" not in record(chat)


@pytest.mark.parametrize(
    ("person", "fields"), [("viewer", {}), ("owner", {"endedAt": datetime.now(UTC)}), ("owner", {"channel": "phone"})]
)
def test_nobody_is_shown_a_field_that_would_not_be_taken(opened, salon, person, fields):
    have_called(salon, 1, **{"channel": "portal", "endedAt": None, "transcript": [], **fields})
    app = opened_at(opened, person, call="call000")
    assert not app.text_area and "Answer myself" not in labels(app)
