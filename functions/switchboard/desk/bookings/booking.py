"""A booking as it is stored: the fields of seed 000 ("Data Model") in camelCase, and what makes it happen once."""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from switchboard.contract.document import items, mapping, moment, text
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document
from switchboard.desk.bookings.assignment import (
    NOTHING_ASSIGNED,
    Assignment,
    Move,
    ServiceTaken,
    count,
    is_count,
    read_move,
    read_taken,
    taken_fields,
)
from switchboard.desk.calendars.grid import claimed_steps, slot_id
from switchboard.desk.callers.callers import name_keys
from switchboard.desk.derived_id import derived_id

PENDING = "pending"
CONFIRMED = "confirmed"
# Decided, but not carried out in the outside calendar yet.
CANCELLING = "cancelling"
CANCELLED = "cancelled"
# Those that hold their time; a cancelled, completed or missed one does not.
ACTIVE = frozenset({PENDING, CONFIRMED, CANCELLING})
BUILT_IN = "builtinCalendar"


@dataclass(frozen=True, slots=True, kw_only=True)
class Booking:
    """One appointment. Times are UTC; phone numbers are E.164.

    Attributes:
        id: `bk_` and 20 characters derived from the wish, so that the same wish makes the same booking.
        business_id: Whose it is.
        service: As the business spells it; the title of what is no service.
        start: When it begins.
        minutes: From start to end.
        before: Minutes kept free before it; stored, so that a later change of the service leaves its claim alone.
        after: Minutes kept free after it.
        timezone: The business's zone when it was made.
        caller_phone: The number that was shown when it was made, None where the channel knows none.
        is_proven: Whether that number was the caller's as far as the business asks for it
            (`contract/caller/strangers.py`); so it is taken of bookings by people of the business, and of those of
            earlier versions, which do not say.
        caller_id: The record of the verified caller who made it.
        customer_phone: The number to reach the customer on, which the caller may choose.
        attendees: E-mail addresses of those who take part.
        effect_key: The wish it fulfils.
        generation: Counts how often the same wish was fulfilled and cancelled before.
        calendar: The integration that keeps it.
        calendar_settings: That integration's settings when the booking was made; None where bookings are the calendar.
            Whatever is done with the booking is done in the calendar that they name.
        entry_generation: Counts the ids that its calendar entry has used up: a deleted one stays taken.
        lease_until: Until when whoever works on it has it to himself; None when nothing is under way.
        worker: Names whoever took that work up, each time anew.
        attempts: How often it was taken up.
        move: A change of its time, of how many come, or of its service, that is under way.
        cancelled_because: `caller`, `business`, `taken` (a person's entry was in the way), `calendar` (it refused) or
            `late`.
        call_id: The conversation's record in `interactions`.
        is_reworded: Whether the outside calendar still has to be told other words: a name, a number, notes.
        caution: What the people at the business are warned of in what the caller has left, such as a number that costs
            extra.
        party: How many come.
        language: In which the customer is written to: as the caller spoke who made it or changed it last; empty for the
            business's.
        taken: The people, rooms, seats and the like that it takes up.
        time_asked_at: When its latest move, or its cancellation, was asked for; None before the first.
        words_asked_at: When the latest correction of it was asked for; None before the first.
        repeated: Whether what was asked for had been done before this call; never stored.
        is_for_caller: Whether it is in the name under which the business knows the caller; never stored.
        revision: The stored document's update time, as it was read; never stored.
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
    cancelled_at: datetime | None = None
    cancelled_because: str = ""
    customer_phone: str | None = None
    customer_email: str | None = None
    customer_notes: str | None = None
    internal_notes: str | None = None
    attendees: tuple[str, ...] = ()
    price: str = ""
    caller_phone: str | None = None
    is_proven: bool = True
    caller_id: str | None = None
    effect_key: str = ""
    generation: int = 0
    calendar: str = BUILT_IN
    calendar_settings: JsonObject | None = None
    entry_generation: int = 0
    lease_until: datetime | None = None
    worker: str = ""
    attempts: int = 0
    move: Move | None = None
    is_reworded: bool = False
    call_id: str | None = None
    session_id: str = ""
    channel: str = ""
    caution: str = ""
    party: int = 1
    language: str = ""
    taken: Assignment = NOTHING_ASSIGNED
    time_asked_at: datetime | None = None
    words_asked_at: datetime | None = None
    repeated: bool = False
    is_for_caller: bool = False
    revision: datetime | None = field(default=None, compare=False)

    @property
    def end(self) -> datetime:
        """When it ends, in UTC."""
        return self.start + timedelta(minutes=self.minutes)

    @property
    def is_active(self) -> bool:
        """Whether it holds its time."""
        return self.status in ACTIVE

    @property
    def stands(self) -> bool:
        """Whether it is, or is about to become, an appointment."""
        return self.status in (PENDING, CONFIRMED)

    @property
    def is_under_way(self) -> bool:
        """Whether something about it has been decided that the outside calendar does not show yet."""
        return self.lease_until is not None

    @property
    def entry_id(self) -> str:
        """The id of its entry in an outside calendar: in base32hex, which every vendor takes."""
        digest = hashlib.sha256(f"{self.id}|{self.entry_generation}".encode()).digest()
        return base64.b32hexencode(digest).decode().rstrip("=").lower()

    @property
    def claims(self) -> range:
        """The grid steps it keeps from others, buffers included."""
        return claimed_steps(self.start, self.before, self.minutes, self.after)

    @property
    def occupied(self) -> tuple[tuple[Assignment, range], ...]:
        """What it takes up, and in which steps: as it is, and where it is being moved to."""
        return tuple((it.taken, it.claims) for it in ((self, self.moved) if self.move else (self,)))

    def overlaps(self, steps: range) -> bool:
        """Tell whether it keeps one of some steps from others, also where it is being moved to."""
        return any(own.start < steps.stop and steps.start < own.stop for _, own in self.occupied)

    @property
    def slots(self) -> frozenset[str]:
        """The ids of the slots that keep its time from others."""
        return frozenset(self.taken.slots or map(slot_id, self.claims))

    @property
    def held(self) -> frozenset[str]:
        """The slots that it holds: its own, and while it is being moved those of the new time too."""
        if not self.is_active:
            return frozenset()
        return self.slots.union(self.moved.slots if self.move else ())

    @property
    def moved(self) -> "Booking":
        """The booking as it will be once the move that is under way has ended."""
        if self.move is None:
            return self
        party = self.move.party or self.party
        target = replace(self, start=self.move.start, taken=self.move.taken, party=party, move=None)
        return target.as_service(self.move.service) if self.move.service is not None else target

    def as_service(self, of: ServiceTaken) -> "Booking":
        """Return the booking as it is for another service."""
        booking = replace(self, service=of.service, minutes=of.minutes, price=of.price)
        return replace(booking, before=of.before, after=of.after)

    @property
    def its_service(self) -> ServiceTaken:
        """Which service it is, with what is stored of that."""
        return ServiceTaken(self.service, self.minutes, self.before, self.after, self.price)

    @property
    def agreement(self) -> tuple[object, ...]:
        """What may be changed of it, and is then another appointment: when, for how many, and which service."""
        return self.start, self.party, self.its_service

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
            "callerProven": self.is_proven,
            "effectKey": self.effect_key,
            "generation": self.generation,
            "calendar": self.calendar,
            "source": {"sessionId": self.session_id, "channel": self.channel},
            "customerKeys": name_keys(self.customer_name),
            **{name: value for name, value in self._occasional().items() if value not in (None, "", 0, [])},
        }

    def _occasional(self) -> JsonObject:
        return {
            "callerId": self.caller_id,
            "attendees": list(self.attendees),
            "cancelledAt": self.cancelled_at,
            "cancelledBecause": self.cancelled_because,
            "calendarSettings": self.calendar_settings,
            "entryGeneration": self.entry_generation,
            "leaseUntil": self.lease_until,
            "worker": self.worker,
            "attempts": self.attempts,
            "move": self.move.to_document() if self.move is not None else None,
            "isReworded": self.is_reworded or None,
            "caution": self.caution,
            "partySize": self.party if self.party > 1 else None,
            "language": self.language,
            "timeAskedAt": self.time_asked_at,
            "wordsAskedAt": self.words_asked_at,
            **taken_fields(self.taken),
        }


def changes_to(booking: Booking, target: Booking) -> dict[str, Any]:
    """Return the fields by which a booking becomes `target`, in its time, its service, and what it takes up."""
    changes: dict[str, Any] = {"start": target.start, "taken": target.taken, "party": target.party}
    if booking.its_service != target.its_service:
        changes |= {"service": target.service, "minutes": target.minutes, "price": target.price}
        changes |= {"before": target.before, "after": target.after}
    return changes


def booking_id(effect_key: str, generation: int = 0) -> str:
    """Return `bk_` and 20 lower-case base32hex characters, the same for the same wish and generation."""
    text = f"{effect_key}|{generation}" if generation else effect_key
    return derived_id("bk_", text)


def read_booking(document: Document) -> Booking | None:
    """Return a stored booking, None if it has no usable time: such a document can hold no slot."""
    data = document.data
    start, minutes = data.get("start") or data.get("bookingDatetime"), data.get("durationMinutes")
    if not isinstance(start, datetime) or start.tzinfo is None or not is_count(minutes) or not minutes:
        return None
    source, settings = mapping(data.get("source")), data.get("calendarSettings")
    return Booking(
        id=document.id,
        business_id=text(data.get("businessId")),
        service=text(data.get("service")),
        start=start.astimezone(UTC),
        minutes=int(minutes),
        before=count(data.get("bufferBeforeMinutes")),
        after=count(data.get("bufferAfterMinutes")),
        timezone=_zone(data.get("timezone")),
        status=text(data.get("status")),
        confirmed_at=moment(data.get("confirmedAt")),
        created_at=moment(data.get("createdAt")) or document.create_time,
        updated_at=moment(data.get("updatedAt")) or document.update_time,
        cancelled_at=moment(data.get("cancelledAt")),
        time_asked_at=moment(data.get("timeAskedAt")),
        words_asked_at=moment(data.get("wordsAskedAt")),
        cancelled_because=text(data.get("cancelledBecause")),
        customer_name=text(data.get("customerName")),
        customer_phone=text(data.get("customerPhone")) or None,
        customer_email=text(data.get("customerEmail")) or None,
        customer_notes=text(data.get("customerNotes")) or None,
        internal_notes=text(data.get("internalNotes")) or None,
        attendees=tuple(map(str, items(data.get("attendees")))),
        price=text(data.get("price")),
        caller_phone=text(data.get("callerPhone")) or None,
        is_proven=data.get("callerProven") is not False,
        caller_id=text(data.get("callerId")) or None,
        effect_key=text(data.get("effectKey")),
        generation=count(data.get("generation")),
        calendar=text(data.get("calendar")),
        calendar_settings=dict(settings) if isinstance(settings, Mapping) else None,
        entry_generation=count(data.get("entryGeneration")),
        lease_until=moment(data.get("leaseUntil")),
        worker=text(data.get("worker")),
        attempts=count(data.get("attempts")),
        caution=text(data.get("caution")),
        move=read_move(mapping(data.get("move"))),
        is_reworded=data.get("isReworded") is True,
        party=max(1, count(data.get("partySize"))),
        language=text(data.get("language")),
        taken=read_taken(data),
        call_id=text(data.get("callId")) or None,
        session_id=text(source.get("sessionId")),
        channel=text(source.get("channel")),
        revision=document.update_time,
    )


def _zone(value: object) -> str:
    try:
        return ZoneInfo(text(value) or "UTC").key
    except (KeyError, ValueError, OSError):
        return "UTC"
