"""An appointment as it would be at another time or with somebody else, and what of the caller's own is in its way."""

from dataclasses import replace
from datetime import datetime

from switchboard.contract.business.business import Business, Service
from switchboard.contract.business.resources import PERSON
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.python.dataclass import dataclass
from switchboard.desk.bookings.assignment import ServiceTaken
from switchboard.desk.bookings.booking import Booking
from switchboard.desk.bookings.date_text import in_words
from switchboard.desk.bookings.duration import VisitLength, is_anyone, person_named
from switchboard.desk.bookings.obstacles import Obstacle
from switchboard.desk.bookings.ownership import CallerIdentity
from switchboard.desk.bookings.request import guarded
from switchboard.desk.calendars.free_busy import BusyView
from switchboard.desk.calendars.grid import last_step_until
from switchboard.desk.resources.placement import keeps_its_calendar, staying

_MOST_FREE = 3


@dataclass(frozen=True, slots=True)
class WishedAppointment:
    """What an appointment is to become.

    Attributes:
        booking: As it is.
        visit: What it would take, and with whom.
        start: When (UTC).
        is_other_service: Whether it becomes another service.
    """

    booking: Booking
    visit: VisitLength
    start: datetime
    is_other_service: bool = False


def wished_person(business: Business, booking: Booking, with_person: str | None, service: Service | None = None) -> str:
    """Return the id of whom a caller asks for in place of whom an appointment is with; empty where that is left open.

    Raises:
        ToolError: VALIDATION, there is nobody of that name, or the entry would have to go to another calendar.
    """
    if with_person is None or is_anyone(with_person):
        return ""
    wished = person_named(business, service or business.service_named(booking.service), with_person)
    there = {resource.id for resource in staying(business, booking).resources} | set(booking.taken.ids)
    if wished.id not in there:
        raise ToolError(
            ErrorType.VALIDATION,
            f"An appointment does not go over to the calendar of {wished.name}. Nothing was changed: book it anew with "
            "them, and then cancel this one, if the caller wants that.",
        )
    return wished.id


def visit_with(visit: VisitLength, booking: Booking, person: str) -> VisitLength:
    """Return the visit that a booking would be with somebody else, whom what it holds itself keeps from nothing."""
    is_other = bool(person) and person not in booking.taken.ids
    return replace(visit, person=person, instead_of=booking.id if is_other else visit.instead_of)


def placed(business: Business, view: BusyView, wish: WishedAppointment) -> Booking | Obstacle:
    """Return an appointment as it is wished for; what it holds itself is not in its way."""
    booking, visit, start = wish.booking, wish.visit, wish.start
    occupancy = view.occupancy(staying(business, booking), without=booking.id)
    taken = occupancy.assignment(visit, start, booking.taken.ids)
    if taken is None or not keeps_its_calendar(business, booking, taken):
        is_other = wish.is_other_service or (bool(visit.person) and visit.person not in booking.taken.ids)
        if start != booking.start or visit.party > booking.party or is_other:
            return Obstacle.TAKEN if occupancy.is_anybody_there(visit, [last_step_until(start)]) else Obstacle.AWAY
        # What is enough for more is enough for fewer.
        taken = booking.taken
    target = replace(booking, start=start, party=visit.party)
    if wish.is_other_service:
        its = ServiceTaken(visit.service, visit.minutes, visit.before, visit.after, visit.price)
        target = target.as_service(its)
    return replace(target, taken=guarded(target, taken))


def require_freed(
    ctx: CallContext, identity: CallerIdentity, view: BusyView, wish: WishedAppointment, target: Booking | Obstacle
) -> None:
    """Refuse what only another appointment of the same caller keeps from being with whom it shall be.

    A caller who wants that time wants the other one gone first, as where two change places, or somebody else by name:
    nobody is asked whether it shall be with a person whom they have not asked for.

    Raises:
        ToolError: CONFLICT; it says which appointment that is, and what to do first.
    """
    booking, visit, start = wish.booking, wish.visit, wish.start
    own = visit.person or next((taken.id for taken in booking.taken.resources if taken.kind == PERSON), "")
    is_with_them = isinstance(target, Booking) and (not own or own in target.taken.ids)
    if identity.is_staff or is_with_them:
        return
    claims = visit.claims(start)
    known = (b for b in view.bookings if b.id != booking.id and b.is_active and b.overlaps(claims))
    theirs = [b for b in known if identity.owns(b)]
    freed, wished = view.lacking({b.id for b in theirs}), replace(wish, visit=replace(visit, person=own))
    if not theirs or not isinstance(placed(ctx.business, freed, wished), Booking):
        return
    zone = ctx.business.timezone
    names = "; ".join(
        f"{b.service} for {b.customer_name} on {in_words(b.start, zone)} (bookingId {b.id})" for b in theirs
    )
    who = next((person.name for person in ctx.business.people if person.id == own), "")
    free = view.occupancy(staying(ctx.business, booking), without=booking.id).people_free(visit, start, _MOST_FREE)
    beside = f" If both stay, {' or '.join(free)} is free then: name them as with_person." if free else ""
    raise ToolError(
        ErrorType.CONFLICT,
        f"Nothing was changed: {f'{who} is taken then' if who else 'that time is taken'} by another appointment of "
        f"this caller: {names}. Free that first: call cancel_appointment, or reschedule_appointment, for it alone, and "
        "this again once that is done. Where two change places, cancel one, move the other, and book the first anew; "
        f"or move one to a third time first.{beside}",
        instead=False,
    )
