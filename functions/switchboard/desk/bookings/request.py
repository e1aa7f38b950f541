"""What a caller asks to have booked, and the booking that it would make."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from switchboard.contract.business.names import folded, letters
from switchboard.contract.caller.strangers import proven_number
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.vendors import OUTSIDE_CALENDARS
from switchboard.desk.bookings.assignment import Assignment
from switchboard.desk.bookings.booking import CONFIRMED, PENDING, Booking, booking_id
from switchboard.desk.bookings.booking_records import AT_REST, taken_up
from switchboard.desk.bookings.date_text import iso
from switchboard.desk.bookings.duration import VisitLength
from switchboard.desk.bookings.hours import check_year
from switchboard.desk.bookings.ownership import was_made_here
from switchboard.desk.bookings.staff_changes import AT_THE_DESK
from switchboard.desk.calendars.calendars import entered_in
from switchboard.desk.calendars.grid import last_step_until, slot_id
from switchboard.desk.contact.cost_warnings import costs_extra
from switchboard.desk.contact.phone import costly_numbers, to_e164
from switchboard.desk.untrusted_text import quoted

# What turns the direction of writing round, so that a text reads as another one.
_DIRECTIONS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F])
# Seen by nobody, and part of how some scripts are written.
_JOINERS = "\u200c\u200d"
_MOST_NAME_WORDS = 8
# Behind a word, and not behind an initial or a title, as in "Dr. J. St. John".
_SENTENCE = re.compile(r"(?<!\b\w)(?<!\b[DFMS][rts])(?<!\bMrs)(?<!\bProf)\.\s")
# What the slots begin with that keep a wish from being fulfilled twice.
_WISH = "wish-"
_NO_NAME = frozenset('?!:;<>{}[]|\\"\u2026\u00bf\u00a1')

NOBODY_REACHED = (
    "none: nobody can reach the customer about this appointment. Ask once for a number or an e-mail address, for "
    "update_appointment; whoever wants to give none is booked all the same."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BookingRequest:
    """What a caller asks to be booked; `start` is aware. Without minutes the service's own duration holds.

    `with_person` is a name, or a word for anyone or for whoever it was last time, as callers say it.
    """

    service: str
    start: datetime
    customer_name: str
    duration_minutes: int | None = None
    customer_phone: str | None = None
    customer_email: str | None = None
    notes: str | None = None
    with_person: str | None = None
    party_size: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class EventWish:
    """What a caller asks to be entered under a title; `start` is aware. Without minutes the calendar's default holds.

    Attributes:
        attendees: E-mail addresses of those who take part.
    """

    title: str
    start: datetime
    duration_minutes: int | None = None
    attendees: tuple[str, ...] = ()
    description: str = ""


def draft_of(ctx: CallContext, wish: BookingRequest, visit: VisitLength) -> Booking:
    """Return the booking that a wish would make, before anybody and anything is assigned to it.

    Raises:
        ToolError: VALIDATION for an empty name, an unusable phone number or an absurd year.
    """
    draft = replace(
        _draft(ctx, wish.start, visit),
        customer_name=customer_named(wish.customer_name),
        customer_email=wish.customer_email,
        customer_notes=wish.notes,
    )
    if wish.customer_phone:
        draft = replace(draft, customer_phone=to_e164(wish.customer_phone, ctx.business))
    return cautioned(ctx, draft)


def customer_named(text: str) -> str:
    """Return a name as it is recorded, on one line.

    Raises:
        ToolError: VALIDATION, it is empty, or no name.
    """
    # What nobody can see or say is no part of it.
    name = " ".join("".join(c for c in one_line(text) if c.isprintable() or c in _JOINERS).split())
    if not any(map(str.isalpha, name)):
        what = "holds no letter" if name else "is empty"
        raise ToolError(ErrorType.VALIDATION, f"customer_name {what}. Ask the caller for the name.")
    if len(name.split()) > _MOST_NAME_WORDS or _NO_NAME.intersection(name) or _SENTENCE.search(name):
        # Names are read out in questions and texts: a sentence in place of one would be heard as ours.
        raise ToolError(
            ErrorType.VALIDATION,
            f"customer_name is the name alone, of at most {_MOST_NAME_WORDS} words without ? ! : ; and the like. Put "
            "anything else into notes.",
        )
    return name


def draft_of_event(ctx: CallContext, wish: EventWish, visit: VisitLength) -> Booking:
    """Return the booking that stands for an event, before anybody is assigned to it.

    Its title is the name of no service, whatever it says: whoever is there takes it.

    Raises:
        ToolError: VALIDATION for an empty title or an absurd year.
    """
    title = one_line(wish.title)
    if not title:
        raise ToolError(ErrorType.VALIDATION, "title is empty. Say in a few words what the event is.")
    draft = _draft(ctx, wish.start, visit)
    draft = replace(draft, service=title, attendees=wish.attendees, customer_notes=wish.description or None)
    return cautioned(ctx, draft)


def assigned(ctx: CallContext, draft: Booking, taken: Assignment, now: datetime) -> Booking:
    """Return a draft with what it takes up: pending, with a lease from `now`, where its calendar is outside."""
    name, settings = entered_in(ctx.business, taken.ids)
    draft = replace(draft, taken=taken, calendar=name)
    draft = replace(draft, taken=guarded(draft, taken))
    if name not in OUTSIDE_CALENDARS:
        return replace(draft, status=CONFIRMED, confirmed_at=ctx.now, calendar_settings=None, **AT_REST)
    return replace(draft, status=PENDING, confirmed_at=None, calendar_settings=dict(settings), **taken_up(now))


def guarded(booking: Booking, taken: Assignment) -> Assignment:
    """Return what a booking takes up, with slots that keep the same wish from being fulfilled twice at once.

    Where there is one chair, its slots do that. Where there are several, two processes that are told the same wish in
    other words at the same moment would find a chair each.
    """
    if not taken.resources:
        return taken
    taken = replace(taken, slots=tuple(slot for slot in taken.slots if not slot.startswith(_WISH)))
    whose = {
        "session": booking.session_id,
        "record": booking.caller_id or "",
        "number": (booking.is_proven and booking.caller_phone) or "",
        # Nobody is at two chairs at once: whoever shows that number is not handed what is booked, and books no second.
        "shown": (not booking.is_proven and booking.caller_phone) or "",
    }
    words = f"{booking.service.casefold()}|{booking.customer_name.casefold()}"
    wishes = (f"{kind}|{value}|{words}" for kind, value in whose.items() if value)
    hashes = (hashlib.sha256(wish.encode("utf-8", "replace")).hexdigest()[:20] for wish in wishes)
    step = last_step_until(booking.start)
    return replace(taken, slots=(*taken.slots, *(slot_id(step, f"{_WISH}{hash}") for hash in hashes)))


def is_same_wish(known: Booking, draft: Booking) -> bool:
    """Tell whether a booking is the one that a draft would make again, perhaps in other words."""
    if known.effect_key and known.effect_key == draft.effect_key:
        return True
    # An unknown session or record is nobody's, and so never the same one twice. Anybody can have a number shown: by one
    # that is not proven, a stranger would be handed somebody else's booking for naming its time and name.
    same_session = bool(known.session_id) and known.session_id == draft.session_id
    same_record = known.caller_id is not None and known.caller_id == draft.caller_id
    is_proven = known.is_proven and draft.is_proven and draft.caller_phone is not None
    same_caller = same_session or same_record or (is_proven and known.caller_phone == draft.caller_phone)
    return (
        same_caller
        and known.start == draft.start
        and folded(known.service) == folded(draft.service)
        and folded(known.customer_name) == folded(draft.customer_name)
    )


def require_first(bookings: Iterable[Booking], draft: Booking) -> None:
    """Make sure that nobody who only shows the same number has booked the same, who is not handed that.

    Raises:
        ToolError: CONFLICT; nothing was made.
    """
    for known in bookings:
        is_shown = draft.caller_phone is not None and not known.is_proven and not draft.is_proven
        same = is_shown and known.caller_phone == draft.caller_phone and known.start == draft.start
        same = same and folded(known.service) == folded(draft.service)
        if same and known.stands and folded(known.customer_name) == folded(draft.customer_name):
            raise ToolError(
                ErrorType.CONFLICT,
                "That is booked already, under the number of this call, for the same name and time. No second one was "
                "made. Say so. Another time, or the same for somebody else by their own name, can be booked.",
            )


def differing(known: Booking, draft: Booking, wish: BookingRequest | EventWish) -> list[str]:
    """Return which arguments of a wish say something else than the booking that it had made before.

    What is left out asks for nothing; in notes, case, blanks and punctuation make no difference.
    """
    asked: dict[str, list[Any]] = {"duration_minutes": [known.minutes, draft.minutes]}
    notes = [letters(each.customer_notes or "") for each in (known, draft)]
    if isinstance(wish, BookingRequest):
        asked["customer_phone"] = [known.customer_phone, draft.customer_phone]
        asked["customer_email"] = [(each.customer_email or "").strip().casefold() for each in (known, draft)]
        asked["notes"] = notes
    else:
        asked["attendees"] = [{email.casefold() for email in each.attendees} for each in (known, draft)]
        asked["description"] = notes
    return [name for name, (stands, wished) in asked.items() if getattr(wish, name) and stands != wished]


def one_line(text: str) -> str:
    """Return text on one line, composed, without needless blanks."""
    return " ".join(unicodedata.normalize("NFC", text).translate(_DIRECTIONS).split())


def cautioned(ctx: CallContext, draft: Booking) -> Booking:
    """Return a draft that warns whoever at the business would call a number in it that costs extra."""
    words = (draft.customer_phone, draft.customer_name, draft.customer_notes, draft.service)
    numbers = costly_numbers("\n".join(text for text in words if text), ctx.business)
    return replace(draft, caution=costs_extra(ctx.business, numbers).strip())


def _draft(ctx: CallContext, start: datetime, visit: VisitLength) -> Booking:
    check_year(start)
    facts = ctx.facts
    # What people of the business enter is as good as what is on file.
    is_shown = facts.caller_phone is not None and facts.caller_phone == proven_number(facts, ctx.business)
    is_proven = is_shown or facts.staff is not None
    # Of a verified caller who calls from elsewhere, or has another number shown, the one on file is the contact.
    own_phone = facts.caller_phone if is_proven else facts.verified_phone or facts.caller_phone
    return Booking(
        id=booking_id(ctx.effect_key),
        business_id=ctx.business.id,
        service=visit.service,
        start=start.astimezone(UTC),
        minutes=visit.minutes,
        before=visit.before,
        after=visit.after,
        timezone=ctx.business.timezone.key,
        customer_name="",
        customer_phone=own_phone,
        price=visit.price,
        created_at=ctx.now,
        confirmed_at=ctx.now,
        caller_phone=facts.caller_phone,
        is_proven=is_proven,
        caller_id=facts.caller_id if facts.caller_verified else None,
        effect_key=ctx.effect_key,
        calendar=ctx.business.calendar,
        call_id=facts.interaction_id,
        session_id=facts.session_id,
        channel=AT_THE_DESK if facts.staff is not None else facts.channel.value,
        party=visit.party,
        language=facts.language,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What shall be recorded instead; what is None stays."""

    customer_name: str | None = None
    customer_phone: str | None = None
    customer_email: str | None = None
    notes: str | None = None

    def changes(self, ctx: CallContext) -> dict[str, Any]:
        """Return the fields that change.

        Raises:
            ToolError: VALIDATION, nothing is given, or it cannot be recorded.
        """
        changes: dict[str, Any] = {}
        if self.customer_name is not None:
            changes["customer_name"] = customer_named(self.customer_name)
        if self.customer_phone is not None:
            changes["customer_phone"] = to_e164(self.customer_phone, ctx.business)
        if self.customer_email is not None:
            changes["customer_email"] = self.customer_email
        if self.notes is not None:
            changes["customer_notes"] = self.notes
        if not changes:
            raise ToolError(ErrorType.VALIDATION, "Nothing to correct: give a name, a number, an e-mail or notes.")
        return changes


def told_appointment(ctx: CallContext, booking: Booking) -> JsonObject:
    """Return what a caller is told of an appointment that was made or moved for them just now."""
    zone = ctx.business.timezone
    return {
        "bookingId": booking.id,
        "service": booking.service,
        "startTime": iso(booking.start, zone),
        "endTime": iso(booking.end, zone),
        "timezone": zone.key,
        "customerName": booking.customer_name,
        "repeated": booking.repeated,
        **told_company(booking),
        **told_contact(ctx, booking),
    }


def receipt_of(ctx: CallContext, booking: Booking, what: str) -> JsonObject:
    """Return the receipt for what was done with an appointment, named in a word or two."""
    return {
        "what": what,
        "for": booking.customer_name,
        "when": iso(booking.start, ctx.business.timezone),
        "effectIds": [booking.id],
        **told_company(booking),
    }


def told_company(booking: Booking) -> JsonObject:
    """Return with whom an appointment is, and how many come; neither where it is with nobody in particular, or one."""
    return {
        **({"with": booking.taken.person} if booking.taken.person else {}),
        **({"partySize": booking.party} if booking.party > 1 else {}),
    }


def told_in_records(booking: Booking) -> JsonObject:
    """Return the same in the fields of seed 000, in words that a model cannot take for ours."""
    names = {"with": "with", "partySize": "party_size"}
    company = told_company(booking).items()
    return {names[name]: quoted(value) if isinstance(value, str) else value for name, value in company}


def told_contact(ctx: CallContext, booking: Booking) -> JsonObject:
    """Return how the customer of a booking of this conversation can be reached, to be read back; or that nobody can.

    What was recorded elsewhere may be somebody else's to tell, and is left out.
    """
    if not was_made_here(ctx.facts, booking):
        return {}
    contact = {"customerPhone": booking.customer_phone, "customerEmail": booking.customer_email}
    known: JsonObject = {name: value for name, value in contact.items() if value}
    return known or {"contact": NOBODY_REACHED}
