"""A booking as it is stored: the fields of seed 000 ("Data Model") in camelCase, and what makes it happen once."""

import base64
import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from switchboard.contract.json import JsonObject
from switchboard.contract.store import Document
from switchboard.desk.grid import claimed_steps

PENDING = "pending"
CONFIRMED = "confirmed"
# Those that hold their time; a cancelled, completed or missed one does not.
ACTIVE = frozenset({PENDING, CONFIRMED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Booking:
    """One appointment. Times are UTC; phone numbers are E.164.

    Attributes:
        id: `bk_` and 20 characters derived from the wish, so that the same wish makes the same booking.
        business_id: Whose it is.
        service: As the business spells it.
        start: When it begins.
        minutes: From start to end.
        before: Minutes kept free before it; stored, so that a later change of the service leaves its claim alone.
        after: Minutes kept free after it.
        timezone: The business's zone when it was made.
        caller_phone: The trusted number it was made from, None where the channel knows none.
        customer_phone: The number to reach the customer on, which the caller may choose.
        effect_key: The wish it fulfils.
        generation: Counts how often the same wish was fulfilled and cancelled before.
        calendar: The integration that keeps it.
        call_id: The conversation's record in `interactions`.
        repeated: Whether it had been made before this call; never stored.
    """

    id: str
    business_id: str
    service: str
    start: datetime
    minutes: int
    customer_name: str
    created_at: datetime
    before: int = 0
    after: int = 0
    timezone: str = "UTC"
    status: str = CONFIRMED
    confirmed_at: datetime | None = None
    updated_at: datetime | None = None
    customer_phone: str | None = None
    customer_email: str | None = None
    customer_notes: str | None = None
    internal_notes: str | None = None
    price: str = ""
    caller_phone: str | None = None
    effect_key: str = ""
    generation: int = 0
    calendar: str = "builtinCalendar"
    call_id: str | None = None
    session_id: str = ""
    channel: str = ""
    repeated: bool = False

    @property
    def end(self) -> datetime:
        """When it ends, in UTC."""
        return self.start + timedelta(minutes=self.minutes)

    @property
    def is_active(self) -> bool:
        """Whether it holds its time."""
        return self.status in ACTIVE

    @property
    def claims(self) -> range:
        """The grid steps it keeps from others, buffers included."""
        return claimed_steps(self.start, self.before, self.minutes, self.after)

    def to_document(self) -> JsonObject:
        """Return the stored fields."""
        return {
            "id": self.id,
            "businessId": self.business_id,
            "callId": self.call_id,
            "customerName": self.customer_name,
            "customerPhone": self.customer_phone,
            "customerEmail": self.customer_email,
            "service": self.service,
            "bookingDatetime": self.start,
            "durationMinutes": self.minutes,
            "status": self.status,
            "confirmedAt": self.confirmed_at,
            "price": self.price,
            "customerNotes": self.customer_notes,
            "internalNotes": self.internal_notes,
            "createdAt": self.created_at,
            "updatedAt": self.updated_at or self.created_at,
            "start": self.start,
            "end": self.end,
            "timezone": self.timezone,
            "bufferBeforeMinutes": self.before,
            "bufferAfterMinutes": self.after,
            "callerPhone": self.caller_phone,
            "effectKey": self.effect_key,
            "generation": self.generation,
            "calendar": self.calendar,
            "source": {"sessionId": self.session_id, "channel": self.channel},
        }


def booking_id(effect_key: str, generation: int = 0) -> str:
    """Return `bk_` and 20 lower-case base32hex characters, the same for the same wish and generation."""
    text = f"{effect_key}|{generation}" if generation else effect_key
    return "bk_" + base64.b32hexencode(hashlib.sha256(text.encode()).digest()).decode()[:20].lower()


def read_booking(document: Document) -> Booking | None:
    """Return a stored booking, None if it has no usable time: such a document can hold no slot."""
    data = document.data
    start, minutes = data.get("start") or data.get("bookingDatetime"), data.get("durationMinutes")
    if not isinstance(start, datetime) or start.tzinfo is None or not _is_count(minutes) or not minutes:
        return None
    source = data.get("source")
    source = source if isinstance(source, dict) else {}
    return Booking(
        id=document.id,
        business_id=_text(data.get("businessId")),
        service=_text(data.get("service")),
        start=start.astimezone(UTC),
        minutes=int(minutes),
        before=_count(data.get("bufferBeforeMinutes")),
        after=_count(data.get("bufferAfterMinutes")),
        timezone=_text(data.get("timezone")) or "UTC",
        status=_text(data.get("status")),
        confirmed_at=_time(data.get("confirmedAt")),
        created_at=_time(data.get("createdAt")) or document.create_time,
        updated_at=_time(data.get("updatedAt")) or document.update_time,
        customer_name=_text(data.get("customerName")),
        customer_phone=_text(data.get("customerPhone")) or None,
        customer_email=_text(data.get("customerEmail")) or None,
        customer_notes=_text(data.get("customerNotes")) or None,
        internal_notes=_text(data.get("internalNotes")) or None,
        price=_text(data.get("price")),
        caller_phone=_text(data.get("callerPhone")) or None,
        effect_key=_text(data.get("effectKey")),
        generation=_count(data.get("generation")),
        calendar=_text(data.get("calendar")),
        call_id=_text(data.get("callId")) or None,
        session_id=_text(source.get("sessionId")),
        channel=_text(source.get("channel")),
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _time(value: object) -> datetime | None:
    return value if isinstance(value, datetime) else None


def _is_count(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1440


def _count(value: object) -> int:
    return int(value) if isinstance(value, int | float) and _is_count(value) else 0
