"""What a caller's model is told when an appointment was not made, or when nobody knows."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from switchboard.contract.business.business import Business
from switchboard.contract.business.languages import language_of
from switchboard.contract.business.resources import PERSON
from switchboard.contract.business.working_hours import WEEKDAYS
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, NothingNew, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.store import StoreError
from switchboard.desk.bookings.availability import MOST_DAYS, Availability, Choice, days_that_bind
from switchboard.desk.bookings.booking import CANCELLING, Booking
from switchboard.desk.bookings.date_text import as_choices, in_words
from switchboard.desk.bookings.duration import VisitLength, not_there
from switchboard.desk.bookings.free_days import BoundDays
from switchboard.desk.bookings.obstacles import Obstacle, horizon
from switchboard.desk.messaging.due_times import told_pause

# CONFLICT where another time would have been fine, VALIDATION where the argument itself is wrong.
_REFUSALS: dict[Obstacle, tuple[ErrorType, str]] = {
    Obstacle.PAST: (ErrorType.VALIDATION, "That time is past: it is now {now}."),
    Obstacle.TOO_FAR: (ErrorType.VALIDATION, "That is too far ahead: appointments start until {last}."),
    Obstacle.NO_SUCH_TIME: (
        ErrorType.VALIDATION,
        "That time does not exist: the clocks go forward past it on that day. Ask the caller for another.",
    ),
    Obstacle.OFF_GRID: (ErrorType.VALIDATION, "Appointments start on a full five minutes, such as 10:00 or 10:05."),
    Obstacle.SHORT_NOTICE: (ErrorType.CONFLICT, "That is too soon: {business} needs more notice."),
    Obstacle.CLOSED: (ErrorType.CONFLICT, "{business} is not open then for as long as the visit takes."),
    Obstacle.AWAY: (ErrorType.CONFLICT, "Nobody who could do that is there then."),
    Obstacle.TAKEN: (ErrorType.CONFLICT, "That time is already taken."),
}

_DAY = timedelta(days=1)
# Of a person who was asked for.
_ABOUT_PERSONS = {Obstacle.TAKEN: "is taken then", Obstacle.AWAY: "is not there then"}


async def refused(
    availability: Availability,
    ctx: CallContext,
    visit: VisitLength,
    start: datetime,
    reason: Obstacle,
    preferred: Sequence[str] = (),
) -> ToolError:
    """Return why a visit was not booked at a moment, with what is free instead as far as that can be found out.

    What is offered instead is with those who are `preferred`, such as whom an appointment is with, if they have time.
    """
    choices: Sequence[Choice] | None
    try:
        choices = await availability.choices(ctx, visit, start, reason, preferred)
        is_about_room = visit.party > 1 and reason is Obstacle.TAKEN and not visit.person
        room = await availability.room(ctx, visit, start) if is_about_room else None
    except ToolError:
        # The no stands without them.
        choices, room = None, None
    return refusal(ctx, visit, start, reason, choices, room)


def refusal(
    ctx: CallContext,
    visit: VisitLength,
    start: datetime,
    reason: Obstacle,
    choices: Sequence[Choice] | None,
    room: int | None = None,
) -> ToolError:
    """Return why a visit was not booked, with what to offer instead; `room`: how many can come then, where that is why.

    What to offer is None where it could not be found out.

    `meta` holds `reason` and `alternatives`, a list of `{start, end}` in local ISO form, and `with` where it would be
    with somebody. Nothing was written.
    """
    zone, span = ctx.business.timezone, horizon(ctx.business, ctx.now)
    looked_until = min(max(start, span.earliest), span.latest) + MOST_DAYS * _DAY
    is_all = choices is None or looked_until >= span.latest
    choices = choices or ()
    type, template = _REFUSALS[reason]
    message = template.format(
        now=in_words(ctx.now, zone),
        last=in_words(span.latest, zone),
        business=ctx.business.name,
    )
    wished = next((person.name for person in ctx.business.people if person.id == visit.person), "")
    if wished and reason in _ABOUT_PERSONS:
        then = [choice.person for choice in choices if choice.start == start.astimezone(UTC)]
        also = f"; {then[0]} is free at that time" if then else ""
        message = f"{wished} {_ABOUT_PERSONS[reason]}{also}."
    elif visit.party > 1 and reason is Obstacle.TAKEN:
        message = f"There is no room for {visit.party} then{f', only for {room}' if room else ''}."
    only_on = days_that_bind(ctx, visit) if reason is Obstacle.AWAY else BoundDays()
    if only_on and start.astimezone(zone).date() not in only_on:
        days = [WEEKDAYS[day].capitalize() for day in only_on.weekdays]
        days += [f"{day:%A, %B} {day.day}" for day in only_on.dates]
        message += f" It can only be on {' or '.join(days)}."
    if choices:
        message += f" Free instead: {'; '.join(_in_words(choice, zone) for choice in choices)}."
    elif type is ErrorType.CONFLICT and is_all:
        message += " No other time can be offered."
    elif type is ErrorType.CONFLICT:
        # Not looked through: on a day behind these there may well be one.
        message += f" Nothing else is free in the {MOST_DAYS} days from then on. Later days may be: look there as well."
    meta: JsonObject = {"alternatives": as_choices(choices, visit, zone), "reason": reason.value}
    meta |= {"room": room} if room is not None else {}
    return ToolError(type, message, meta=meta, instead=not choices and type is ErrorType.CONFLICT)


def without_the_one_gone(ctx: CallContext, booking: Booking, error: ToolError) -> ToolError:
    """Return a refusal to change an appointment, which says so where whoever it is with is not there any more.

    Then who is can be had instead: that a time is taken would have the caller ask for the next one, as much in vain.
    """
    there = {person.id for person in ctx.business.people}
    gone = [taken.name for taken in booking.taken.resources if taken.kind == PERSON and taken.id not in there]
    if not gone or error.meta.get("reason") not in (Obstacle.TAKEN.value, Obstacle.AWAY.value):
        return error
    message = f"{not_there(ctx.business, booking.service, gone)} {error.message}"
    return ToolError(error.type, message, meta=error.meta, instead=error.instead)


def _in_words(choice: Choice, zone: ZoneInfo) -> str:
    words = in_words(choice.start, zone)
    return f"{words} with {choice.person}" if choice.person else words


def unknown_outcome(ctx: CallContext, draft: Booking, error: StoreError, done: str = "booked") -> ToolError:
    """Return the error for a commit that the store did not answer: it may or may not have been carried out."""
    return ToolError(
        ErrorType.TRANSIENT,
        f"It is not known yet whether {draft.service} on {in_words(draft.start, ctx.business.timezone)} was {done}: "
        f"nothing has confirmed it. Do not tell the caller that it is {done}. Asking for exactly the same again is "
        "safe, and tells once the calendar answers.",
        retryable=True,
        partial_side_effects=True,
        detail=repr(error),
    )


# By language: what the caller hears while a booking is made, moved or cancelled and the calendar does not answer.
_BEING_DONE = {
    "en": (
        "I have noted it, and it is being confirmed right now.",
        "I have noted the change, and it is being confirmed right now.",
        "I have noted it, and the appointment is being cancelled right now.",
    ),
    "de": (
        "Ich habe es notiert, und es wird gerade bestätigt.",
        "Ich habe die Änderung notiert, und sie wird gerade bestätigt.",
        "Ich habe es notiert, und der Termin wird gerade abgesagt.",
    ),
    "es": (
        "Lo he anotado, y se está confirmando ahora mismo.",
        "He anotado el cambio, y se está confirmando ahora mismo.",
        "Lo he anotado, y la cita se está cancelando ahora mismo.",
    ),
    "fr": (
        "C'est noté, et la confirmation est en cours.",
        "Le changement est noté, et la confirmation est en cours.",
        "C'est noté, et l'annulation est en cours.",
    ),
    "it": (
        "Ho preso nota, e la conferma è in corso.",
        "Ho preso nota della modifica, e la conferma è in corso.",
        "Ho preso nota, e l'appuntamento viene annullato proprio ora.",
    ),
    "pt": (
        "Já anotei, e está a ser confirmado neste momento.",
        "Já anotei a alteração, e está a ser confirmada neste momento.",
        "Já anotei, e a marcação está a ser cancelada neste momento.",
    ),
    "nl": (
        "Ik heb het genoteerd, en het wordt nu bevestigd.",
        "Ik heb de wijziging genoteerd, en die wordt nu bevestigd.",
        "Ik heb het genoteerd, en de afspraak wordt nu geannuleerd.",
    ),
}


def cancelled_since(ctx: CallContext, booking: Booking) -> ToolError:
    """Return why a booking is not made that was asked for before the appointment was cancelled."""
    when = in_words(booking.start, ctx.business.timezone)
    return ToolError(
        ErrorType.CONFLICT,
        f"That appointment ({when}) was booked as it was asked for, and has been cancelled since. It is not booked "
        "again unless the caller asks for it now.",
    )


def under_way(business: Business, booking: Booking, detail: str = "", left: timedelta | None = None) -> ToolError:
    """Return the honest answer while something about a booking is decided and not done: it will be, by itself.

    `left` is how long somebody else has it to himself; before that it makes no sense to ask again.
    """
    phrases = _BEING_DONE.get(language_of(booking.language or business.language), _BEING_DONE["en"])
    when = in_words(booking.start, business.timezone)
    if booking.status == CANCELLING:
        what, phrase = f"{booking.service} on {when} is being cancelled", phrases[2]
    elif booking.move is not None:
        target = in_words(booking.move.start, business.timezone)
        what, phrase = f"{booking.service} is being moved from {when} to {target}", phrases[1]
    else:
        what, phrase = f"{booking.service} on {when} is being confirmed", phrases[0]
    # What the calendar did wrong stands in the detail.
    return (ToolError if detail else NothingNew)(
        ErrorType.TRANSIENT,
        f"{what}: the calendar has not confirmed it yet, and is asked again by itself. Do not say that it is done. "
        "Asking for exactly the same again is safe, and tells once the calendar answers.",
        retryable=True,
        partial_side_effects=True,
        say=phrase,
        detail=detail,
        meta=told_pause(left),
        instead=False,
    )
