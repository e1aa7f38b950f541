"""Whom and what a wish for an appointment gets, of what is free as it was read."""

from collections.abc import Sequence
from dataclasses import replace
from zlib import crc32

from switchboard.contract.business.business import Business
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.bookings.booking import Assignment, Booking
from switchboard.desk.bookings.date_text import in_words
from switchboard.desk.bookings.duration import VisitLength
from switchboard.desk.bookings.request import is_same_wish
from switchboard.desk.bookings.rules import Obstacle
from switchboard.desk.calendars.free_busy import BusyView
from switchboard.desk.calendars.slots import MOST_SLOTS

# Each loss tells something new: an own earlier booking, a rival, or a cancellation in that very moment.
_ATTEMPTS = 4
_MOST_RIVALS = 40


def chosen(ctx: CallContext, view: BusyView, visit: VisitLength, draft: Booking, losses: int) -> Assignment | None:
    """Return who and what would take a draft; after each loss in another order, as rivals elsewhere choose too."""
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
    is_there = view.occupancy(ctx.business).is_anybody_there(visit, draft.start)
    return Obstacle.TAKEN if is_there else Obstacle.AWAY


def repeated(ctx: CallContext, visit: VisitLength, draft: Booking, earlier: Booking) -> Booking:
    """Return what a wish has made before, where that is what is wished for now as well.

    Raises:
        ToolError: CONFLICT, it is for another number of people, or with somebody else: nobody is told that what was not
            changed is booked.
    """
    ids = earlier.taken.ids
    is_other_person = bool(visit.person) and bool(ids) and visit.person not in ids
    if earlier.effect_key != draft.effect_key and (earlier.party != visit.party or is_other_person):
        person = f" with {earlier.taken.person}" if earlier.taken.person else ""
        people = f"for {earlier.party} people" if earlier.party > 1 else "for one person"
        raise ToolError(
            ErrorType.CONFLICT,
            f"{earlier.service} on {in_words(earlier.start, ctx.business.timezone)} is booked for "
            f"{earlier.customer_name} already, {people}{person} (bookingId {earlier.id}), and was not changed. To have "
            "it otherwise, cancel that one first, or say another customer_name for somebody else.",
        )
    return replace(earlier, repeated=True)


def as_agreed(ctx: CallContext, visit: VisitLength) -> VisitLength:
    """Return a visit with the person to whom the caller has said yes."""
    person = ctx.agreed.get("with") if ctx.agreed is not None else None
    found = [own.id for own in ctx.business.people if own.name == person]
    return replace(visit, person=found[0]) if found and not visit.person else visit


def attempts(business: Business) -> int:
    """Return how often a claim is made: each loss means that somebody else has one of those who would do."""
    return _ATTEMPTS + min(_MOST_RIVALS, sum(resource.capacity for resource in business.resources))
