"""Stored bookings to look up."""

from datetime import UTC, datetime
from typing import Any

from tests.desk.front_desk import NOW

CALLER, STRANGER = "+15185550171", "+15185550199"
# Ten in the morning of a Tuesday in New York; a time that no guide books.
START = datetime(2027, 3, 30, 14, tzinfo=UTC)


def booking(**changes: Any) -> dict[str, Any]:
    """Return a booking's document, the caller's unless said otherwise."""
    return {
        "customerName": "Sarah M",
        "customerPhone": CALLER,
        "customerEmail": "sarah@mail.example",
        "service": "Haircut",
        "bookingDatetime": START,
        "start": START,
        "durationMinutes": 30,
        "status": "confirmed",
        "price": "$48",
        "customerNotes": "Just the ends.",
        "internalNotes": "Pays late.",
        "callerPhone": CALLER,
        "createdAt": NOW,
        **changes,
    }
