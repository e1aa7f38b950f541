"""Days on which the demo salon is open, on whatever day the tests run."""

from datetime import UTC, date, datetime, timedelta


def next_tuesday() -> date:
    """Return a Tuesday about a week ahead or later: the salon is open then, for no Tuesday has special hours."""
    today = datetime.now(UTC).date()
    return today + timedelta(days=(1 - today.weekday()) % 7 + 7)
