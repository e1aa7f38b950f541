"""What the tests of every integration start with."""

import pytest

from switchboard.contract.deadline import bounded
from switchboard.integrations import http_session

LONG_S = 600.0
"""Longer than any test waits: where a limit of time has been turned up to this, what ends does not end by it."""

LIMITS = {
    "switchboard.integrations.egress.egress": ("TOTAL_S", "CONNECT_S"),
    "switchboard.integrations.http_session": ("CONNECT_S",),
    "switchboard.integrations.mcp.egress": ("TOTAL_S",),
    "switchboard.integrations.pipedream.actions": ("_ACCOUNT_S",),
    "switchboard.integrations.smtp.mailer": ("SEND_S", "_GOODBYE_S"),
    "switchboard.integrations.twilio.transport": ("ANSWERS_WITHIN_S",),
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
