"""The inbox on its page."""

from datetime import UTC, datetime

import pytest

from switchboard.contract.store import Set
from tests.admin_ui.conftest import labels, part, press, said
from tests.admin_ui.premises import PATHS, SALON

pytestmark = pytest.mark.requirement("004-652")


def left(live) -> None:
    """Leave one message, and nothing else."""
    live.empty(SALON, "outbox")
    fields = {"kind": "message", "state": "failed", "callerName": "Anna Whitfield", "text": "Is *noon* free?"}
    fields |= {"callbackPhone": "+15185550161", "createdAt": datetime.now(UTC), "urgency": "urgent"}
    live.put(Set(PATHS.within(SALON).document("outbox", "msg_1"), fields))


def test_a_message_is_called_back_and_done_and_comes_back(opened, salon):
    """Whatever a caller wrote is shown as it is."""
    left(salon)
    app = opened("messages")
    assert "Is *noon* free?" in said(app)
    assert "could not be brought to you" in said(app)
    press(app, "Called back")
    assert "Called back" not in labels(app)
    press(app, "Done")
    assert "There is no message to see to." in said(app)
    app = part(app, "Done")
    press(app, "Not done yet")
    app = part(app, "To do")
    assert "Is *noon* free?" in said(app)
