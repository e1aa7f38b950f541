"""Whether those whom appointments are with can still take them, after somebody has left, is away, or does less."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum
from zlib import crc32

from switchboard.contract.business.business import Business, Service
from switchboard.contract.business.names import folded
from switchboard.contract.business.resources import PERSON, SEATS, Need, Resource, candidates
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.python.dataclass import dataclass
from switchboard.desk.bookings.assignment import Assignment, TakenResource
from switchboard.desk.bookings.booking import Booking
from switchboard.desk.bookings.date_text import in_words
from switchboard.desk.bookings.duration import VisitLength, check_party, not_there, service_offered, visit_for
from switchboard.desk.bookings.hours import Stretch, day_bounds, local_days
from switchboard.desk.bookings.obstacles import Obstacle
from switchboard.desk.bookings.request import BookingRequest, EventWish, differing, is_same_wish
from switchboard.desk.calendars.calendars import entered_in, is_same_calendar, own_calendar
from switchboard.desk.calendars.free_busy import BusyView
from switchboard.desk.calendars.grid import MOST_SLOTS, last_step_until
from switchboard.desk.calendars.outside_entries import OutsideTime
from switchboard.desk.resources.occupancy import Occupancy

_DAY = timedelta(days=1)

# Each loss tells something new: an own earlier booking, a rival, or a cancellation in that very moment.
_ATTEMPTS = 4
_MOST_RIVALS = 40
# What update_appointment corrects; the rest of an appointment is another appointment.
_CORRECTABLE = frozenset({"customer_phone", "customer_email", "notes"})
# What reschedule_appointment changes at its time.
_MOVABLE = frozenset({"party_size", "with_person"})
_OF_EVENTS = frozenset({"attendees", "description"})


class Lack(StrEnum):
    """Why somebody, or something, cannot take an appointment any more."""

    NOBODY = "nobody"
    """It was made before people and rooms were entered, and nobody was found for it yet."""
    GONE = "gone"
    AWAY = "away"
    SERVICE = "service"
    """It is not among the services that are done."""
    FULL = "full"
    SMALL = "small"
    """More come than there are seats."""
    INCOMPLETE = "incomplete"
    """The service needs more than the appointment has."""


@dataclass(frozen=True, slots=True)
class Lost:
    """Somebody or something that an appointment is with and that cannot take it; nameless where it has nobody."""

    id: str
    kind: str
    name: str
    why: Lack


class Placement:
    """Tells which appointments of a business have lost somebody or something."""

    def __init__(self, business: Business, bookings: Sequence[Booking], now: datetime) -> None:
        """Look at those that stand among some bookings; what is full is told as far as these say.

        Whatever has begun by `now` keeps what it has.
        """
        self._business = business
        self._known = {resource.id: resource for resource in business.resources}
        self._days: dict[tuple[object, object], Occupancy] = {}
        self._overfull = self._too_many([booking for booking in bookings if booking.is_active], now)

    def lost(self, booking: Booking) -> tuple[Lost, ...]:
        """Return what a booking has lost; nothing where all is well, or it does not stand."""
        if not booking.stands:
            return ()
        booking = booking.moved if booking.move is not None and not booking.move.is_undone else booking
        taken = booking.taken.resources
        if not self._known:
            return tuple(Lost(one.id, one.kind, one.name, Lack.GONE) for one in taken)
        if not taken:
            return (Lost("", "", "", Lack.NOBODY),)
        visit = visit_of(self._business, booking)
        lacks = [(one, self._lack(booking, visit, one)) for one in taken]
        lost = tuple(Lost(one.id, one.kind, one.name, why) for one, why in lacks if why is not None)
        if lost or self._is_enough(booking, visit):
            return lost
        # Where a service has come to need somebody else, those it has are named, and not one more of their kind.
        if misfits := tuple(one for one in taken if self._is_misfit(visit, one)):
            return tuple(Lost(one.id, one.kind, one.name, Lack.SERVICE) for one in misfits)
        had = {one.kind for one in taken}
        kind = next((need.kind for need in visit.needs if need.kind not in had), visit.needs[0].kind)
        return (Lost("", kind, "", Lack.INCOMPLETE),)

    def _lack(self, booking: Booking, visit: VisitLength, taken: TakenResource) -> Lack | None:
        resource = self._known.get(taken.id)
        if resource is None or resource.kind != taken.kind:
            return Lack.GONE
        if not resource.does(visit.service):
            return Lack.SERVICE
        if (booking.id, resource.id) in self._overfull:
            return Lack.FULL
        if (
            taken.kind != SEATS
            and resource.seats
            and booking.party > resource.seats
            and not _is_per_person(visit, taken)
        ):
            return Lack.SMALL
        alone = replace(visit, needs=(Need(resource.kind, (resource.id,)),), service="", party=1)
        return None if self._around(booking).is_anybody_there(alone, [last_step_until(booking.start)]) else Lack.AWAY

    def _is_enough(self, booking: Booking, visit: VisitLength) -> bool:
        """Tell whether what a booking has meets what its service needs."""
        own = booking.taken.ids
        needs = []
        for need in visit.needs:
            ids = tuple(r.id for r in candidates(need, self._business.resources, visit.service) if r.id in own)
            if not ids:
                return False
            needs.append(replace(need, any=ids))
        step = last_step_until(booking.start)
        return bool(self._around(booking).starts(replace(visit, needs=tuple(needs)), [step]))

    def _is_misfit(self, visit: VisitLength, taken: TakenResource) -> bool:
        """Tell whether a service needs something of a kind, and this is of it but none that will do."""
        needs = [need for need in visit.needs if need.kind == taken.kind]
        among = {r.id for need in needs for r in candidates(need, self._business.resources, visit.service)}
        return bool(needs) and taken.id not in among

    def _around(self, booking: Booking) -> Occupancy:
        """Return the days of a booking with nothing in them: only who is there matters."""
        zone = self._business.timezone
        days = local_days(zone, Stretch(booking.start, booking.end))
        if days not in self._days:
            bounds = day_bounds(zone, *days)
            self._days[days] = Occupancy(
                self._business, Stretch(bounds.start - _DAY, bounds.end + _DAY), (), OutsideTime()
            )
        return self._days[days]

    def _too_many(self, bookings: Sequence[Booking], now: datetime) -> set[tuple[str, str]]:
        """Return booking and resource where more is taken of it than it has, those made last first to go."""
        used: dict[str, Counter[int]] = {id: Counter() for id in self._known}
        seats = set()
        for booking in sorted(bookings, key=lambda b: (b.start > now, b.created_at, b.id)):
            for taken in booking.taken.resources:
                resource = self._known.get(taken.id)
                if resource is None:
                    continue
                counted = used[resource.id]
                if any(counted[step] + taken.units > resource.capacity for step in booking.claims):
                    seats.add((booking.id, resource.id))
                else:
                    counted.update(dict.fromkeys(booking.claims, taken.units))
        return seats


def visit_of(business: Business, booking: Booking) -> VisitLength:
    """Return the visit that a booking is, with what its service needs today."""
    service = business.service_named(booking.service)
    # An event has a title in place of a service, and what was a service may be none any more, or be spelt otherwise.
    name = service.name if service is not None else ""
    visit = VisitLength(booking.minutes, booking.before, booking.after, name, booking.price)
    return replace(visit, needs=business.needs_of(service), party=booking.party)


def service_then(business: Business, booking: Booking, service: str | None) -> Service | None:
    """Return the service to which a booking would be changed; None where it stays what it is.

    Raises:
        ToolError: VALIDATION, there is none of that name.
    """
    offered = service_offered(business, service) if service is not None else None
    return offered if offered is not None and folded(offered.name) != folded(booking.service) else None


def visit_then(business: Business, booking: Booking, party: int, service: Service | None = None) -> VisitLength:
    """Return the visit that a booking would be if so many came, and for another service.

    Where that is a change, it is not in its own way.

    Raises:
        ToolError: VALIDATION, more come than can ever come together, or nobody does the service.
    """
    if service is not None:
        return replace(visit_for(business, service.name, None, None, party), instead_of=booking.id)
    visit = visit_of(business, booking)
    if party > booking.party:
        check_party(business, business.service_named(booking.service), party)
    return visit if party == booking.party else replace(visit, party=party, instead_of=booking.id)


def keeps_its_calendar(business: Business, booking: Booking, taken: Assignment) -> bool:
    """Tell whether a booking's entry would stand in the right calendar if it took up something else.

    An entry is not taken from one calendar to another: it stays, or the booking does not change hands.
    """
    was, now = (own_calendar(business, assigned.ids) for assigned in (booking.taken, taken))
    if now is None:
        return was is None
    return is_same_calendar((booking.calendar, booking.calendar_settings or {}), now)


def staying(business: Business, booking: Booking) -> Business:
    """Return a business with only those who can take a booking without its entry going to another calendar."""
    now, was = (booking.calendar, booking.calendar_settings or {}), own_calendar(business, booking.taken.ids)

    def fits(resource: Resource) -> bool:
        if resource.calendars:
            return is_same_calendar(now, entered_in(business, (resource.id,)))
        return was is None or resource.kind != PERSON

    return replace(business, resources=tuple(filter(fits, business.resources))) if business.resources else business


def who_could(business: Business, booking: Booking, lost: Sequence[Lost], occupancy: Occupancy) -> list[Resource]:
    """Return who, or what, of the kinds that a booking has lost is free for it, in the order in which it was entered.

    The business is one of those with whom its entry can stay (`staying`), and `occupancy` that of its time without the
    booking itself.
    """
    visit, own = visit_of(business, booking), booking.taken.ids
    kinds = {one.kind for one in lost if one.kind} or {visit.needs[0].kind}
    among = {r.id for need in visit.needs for r in candidates(need, business.resources, visit.service)}
    return [
        resource
        for resource in business.resources
        if resource.kind in kinds
        and resource.id in among
        and occupancy.assignment(replace(visit, person=resource.id), booking.start, own) is not None
    ]


def _is_per_person(visit: VisitLength, taken: TakenResource) -> bool:
    return any(need.per_person for need in visit.needs if need.kind == taken.kind)


def chosen(ctx: CallContext, view: BusyView, visit: VisitLength, draft: Booking, losses: int) -> Assignment | None:
    """Return who and what would take a draft; after each loss in another order, as rivals elsewhere choose too.

    Raises:
        ToolError: CONFLICT, the one to whom the caller has said yes is not there any more; VALIDATION, it is too much.
    """
    _require_agreed(ctx, visit)
    spread = crc32(draft.id.encode()) + losses if losses else 0
    taken = view.occupancy(ctx.business).assignment(visit, draft.start, spread=spread)
    return _checked(taken)


def beside(
    ctx: CallContext, view: BusyView, visit: VisitLength, draft: Booking, rivals: Sequence[Booking]
) -> Assignment | None:
    """Return what is left for a draft beside claims that are under way; None: it has to wait for their ends."""
    if any(is_same_wish(rival, draft) for rival in rivals):
        return None
    return _checked(view.occupancy(ctx.business, also=rivals).assignment(visit, draft.start))


def _checked(taken: Assignment | None) -> Assignment | None:
    """Return what would be taken up, as far as one commit can hold it."""
    if taken is not None and len(taken.slots) > MOST_SLOTS:
        raise ToolError(
            ErrorType.VALIDATION,
            "That is too much to be booked at once: for a shorter time or fewer people it can be booked.",
            instead=True,
        )
    return taken


def why_not(ctx: CallContext, view: BusyView, visit: VisitLength, draft: Booking) -> Obstacle:
    """Return why nothing was found for a draft: taken, or not there at all."""
    is_there = view.occupancy(ctx.business).is_anybody_there(visit, [last_step_until(draft.start)])
    return Obstacle.TAKEN if is_there else Obstacle.AWAY


def repeated(
    ctx: CallContext, visit: VisitLength, draft: Booking, earlier: Booking, wish: BookingRequest | EventWish
) -> Booking:
    """Return what a wish has made before, where that is what is wished for now as well.

    Raises:
        ToolError: CONFLICT, something is wished for otherwise than it stands: nobody is told that what was not changed
            is booked.
    """
    ids = earlier.taken.ids
    different = differing(earlier, draft, wish)
    if earlier.effect_key != draft.effect_key:
        # Whom it is with, the business may change; the very same wish again asks for nothing new.
        different += ["party_size"] if earlier.party != visit.party else []
        different += ["with_person"] if visit.person and ids and visit.person not in ids else []
    if different:
        raise ToolError(ErrorType.CONFLICT, _not_changed(ctx, earlier, different))
    return replace(earlier, repeated=True)


def _not_changed(ctx: CallContext, earlier: Booking, different: Sequence[str]) -> str:
    """Return that an appointment stands as it was, what was wished for otherwise, and how that can be had."""
    when, id = in_words(earlier.start, ctx.business.timezone), earlier.id
    others = [name for name in different if name not in {*_CORRECTABLE, *_MOVABLE}]
    correctable = [name for name in different if name in _CORRECTABLE]
    correct = f"To have {' and '.join(correctable)} otherwise, use update_appointment. " if correctable else ""
    movable = [name for name in different if name in _MOVABLE]
    correct += f"To have {' and '.join(movable)} otherwise, use reschedule_appointment. " if movable else ""
    if _OF_EVENTS.intersection(different) or not earlier.customer_name:
        again = f"To have {' and '.join(others)} otherwise, cancel it first and enter it anew, or choose another title."
        return f"{earlier.service} on {when} is entered already (eventId {id}), and was not changed. {again}"
    person = f" with {earlier.taken.person}" if earlier.taken.person else ""
    people = f"for {earlier.party} people" if earlier.party > 1 else "for one person"
    again = (
        f"To have {' and '.join(others)} otherwise, cancel that one first, or say another customer_name for somebody "
        "else."
    )
    return (
        f"{earlier.service} on {when} is booked for {earlier.customer_name} already, {earlier.minutes} minutes, "
        f"{people}{person} (bookingId {id}), and was not changed. {correct}{again if others else ''}"
    ).strip()


def as_agreed(ctx: CallContext, visit: VisitLength) -> VisitLength:
    """Return a visit with the person to whom the caller has said yes."""
    person = ctx.agreed.get("with") if ctx.agreed is not None else None
    ids = [own.id for own in ctx.business.people if own.name == person]
    return replace(visit, person=ids[0]) if ids and not visit.person else visit


def _require_agreed(ctx: CallContext, visit: VisitLength) -> None:
    """Refuse to book with somebody else where the one to whom the caller has said yes is not there any more.

    Raises:
        ToolError: CONFLICT; the message says who is.
    """
    person = ctx.agreed.get("with") if ctx.agreed is not None else None
    if isinstance(person, str) and person and all(own.name != person for own in ctx.business.people):
        raise ToolError(ErrorType.CONFLICT, not_there(ctx.business, visit.service, [person]))


def attempts(business: Business) -> int:
    """Return how often a claim is made: each loss means that somebody else has one of those who would do."""
    return _ATTEMPTS + min(_MOST_RIVALS, sum(resource.capacity for resource in business.resources))
