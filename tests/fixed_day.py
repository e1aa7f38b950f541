"""A day for tests that name dates: a Sunday before the salon's open days in December 2026, whenever they are run."""

from datetime import UTC, datetime

import pytest

from switchboard.app.clients import SystemClock

SUNDAY = datetime(2026, 11, 29, 15, tzinfo=UTC)


def begin(monkeypatch: pytest.MonkeyPatch) -> datetime:
    """Have every house in this process take it for that day, on which time goes on; return its first moment."""
    ahead = datetime.now(UTC) - SUNDAY
    monkeypatch.setattr(SystemClock, "now", lambda self: datetime.now(UTC) - ahead)
    return SUNDAY
