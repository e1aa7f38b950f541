"""What the tests of every integration start with."""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from switchboard.contract.deadline import bounded
from switchboard.integrations import http_session
from tests.switch import switched

LONG_S = 600.0
"""Longer than any test waits: where a limit of time has been turned up to this, what ends does not end by it."""

LIMITS = {
    "switchboard.integrations.egress.egress": ("TOTAL_S", "CONNECT_S"),
    "switchboard.integrations.http_session": ("CONNECT_S",),
    "switchboard.integrations.mcp.egress": ("TOTAL_S", "CONNECT_S"),
    "switchboard.integrations.pipedream.actions": ("_ACCOUNT_S",),
    "switchboard.integrations.smtp.mailer": ("SEND_S", "_GOODBYE_S"),
    "switchboard.integrations.twilio.transport": ("ANSWERS_WITHIN_S", "_CONNECTS_WITHIN_S"),
}
SHORT_S = (0.2, 2.0, 20.0)
"""Times for a request that is sent and then not answered: a busy machine may have to be given the longer ones."""


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a busy machine take longer than a caller would wait; a call's own deadline still counts."""
    for module, names in LIMITS.items():
        for name in names:
            monkeypatch.setattr(f"{module}.{name}", LONG_S)
    monkeypatch.setattr(http_session, "bounded", lambda seconds: bounded(max(seconds, LONG_S)))


@pytest.fixture(scope="session")
def _one_server() -> Iterator[Callable[[Any], str]]:
    with switched() as (url, switch):

        def serve(app: Any) -> str:
            switch.stand_in = SimpleNamespace(app=app)
            return url

        yield serve


@pytest.fixture
def serve(_one_server: Callable[[Any], str]) -> Callable[[Any], str]:
    """What serves an app for one test, and tells the address; the server is the same for all of them."""
    return _one_server
