"""The desk: every service a handler may use, in one record."""

from dataclasses import dataclass

from switchboard.contract.ports import Clock, Store
from switchboard.desk.availability import Availability
from switchboard.desk.bookings import Bookings
from switchboard.desk.busy import BusyTimes, CalendarOf, no_outside_calendar
from switchboard.desk.hours import Hours
from switchboard.desk.knowledge import Knowledge
from switchboard.desk.messages import Messages
from switchboard.desk.policies import Policies


@dataclass(frozen=True, slots=True)
class Desk:
    """The services over the ports. Each method takes the call's context first and stays below its business."""

    hours: Hours
    availability: Availability
    bookings: Bookings
    knowledge: Knowledge
    policies: Policies
    messages: Messages


def open_desk(store: Store, clock: Clock, calendar_of: CalendarOf = no_outside_calendar) -> Desk:
    """Return the desk over a store.

    Args:
        store: Where businesses, bookings and texts are.
        clock: Ages the shared reads; what "now" means for a call comes from its context.
        calendar_of: Gives the outside calendar of a call's business, or None where the built-in one is in use.
    """
    busy = BusyTimes(store, clock, calendar_of)
    availability = Availability(busy)
    return Desk(
        hours=Hours(),
        availability=availability,
        bookings=Bookings(store, busy, availability),
        knowledge=Knowledge(store, clock),
        policies=Policies(store, clock),
        messages=Messages(store),
    )
