"""What is sent and answered about appointments: with whom each is, and what a change breaks."""

from typing import Annotated, Any

from pydantic import Field

from switchboard.admin.api.models import (
    AnswerBody,
    Count,
    Described,
    Moment,
    NextCursor,
    OneLine,
    Paging,
    QueryParameters,
    RequestBody,
    Whole,
)
from switchboard.admin.conversations.models import SpanQuery
from switchboard.admin.resources.consequences import Stranding
from switchboard.desk.resources.assigning import MOST_LOOKED_AT
from switchboard.desk.resources.placement import Lack

_LOOKED_AT = Whole(1, MOST_LOOKED_AT)


class BookingQuery(Paging, SpanQuery):
    """Which appointments are listed, by when they start."""


class AstrayQuery(QueryParameters):
    """How many appointments are looked at."""

    most: Annotated[int, _LOOKED_AT, _LOOKED_AT.wording] | None = Field(
        default=None, description=f"That many, the soonest; {MOST_LOOKED_AT:,} where it is left out."
    )


class AssignmentBody(RequestBody):
    """Who takes an appointment."""

    # Whoever is named wrongly is told who there is: `routes.py`.
    resource: Annotated[Any, Described(Annotated[str, OneLine(39, 1)])] = Field(
        default=None, description="Whose it shall be, by id; without one, whoever is free."
    )


class AssignmentsBody(RequestBody):
    """Nothing has to be said."""


class BookedResource(AnswerBody):
    """Somebody or something that an appointment is with; of seats, a unit for each person."""

    id: str
    kind: str
    name: str
    units: Count


class BookingSummary(AnswerBody):
    """An appointment."""

    id: str
    start: Moment
    end: Moment
    service: str
    customer: str
    phone: str | None
    party: Count
    status: str
    booked_with: list[BookedResource] = Field(alias="with")


class LostResource(AnswerBody):
    """Somebody or something that cannot take an appointment any more; nameless where it has nobody."""

    id: str
    kind: str
    name: str
    why: Lack
    means: str


class FreeResource(AnswerBody):
    """Somebody or something that could take an appointment."""

    id: str
    name: str


class BookingShown(BookingSummary):
    """An appointment, what it has lost or would lose, and who could take it."""

    lost: list[LostResource]
    instead: list[FreeResource] | None = Field(description="null where nobody has looked.")


class StrandedBooking(BookingSummary):
    """An appointment that stands, and that nobody could make as the business would be, or as it is told now."""

    why: Stranding
    means: str


class LeftBooking(BookingSummary):
    """An appointment for which nobody was found."""

    because: str


class SmallerParty(AnswerBody):
    """A service whose largest party shrinks."""

    service: str
    before: Count
    after: Count


class ChangeConsequences(AnswerBody):
    """What a change breaks, or would break."""

    bookings: list[BookingShown] = Field(description="Those that lose somebody, the soonest first; of many the first.")
    booking_count: Count
    are_all: bool = Field(description="Whether every appointment to come was looked at.")
    undone_services: list[str] = Field(description="Those that nobody does any more.")
    smaller_parties: list[SmallerParty]
    stranded: list[StrandedBooking] = Field(description="The soonest first; of many the first.")
    stranded_count: Count
    words: list[str] = Field(description="All of it, a sentence each.")


class AssignmentDone(AnswerBody):
    """What became of appointments that needed somebody; `remaining` were not tried yet."""

    assigned: list[BookingSummary]
    left: list[LeftBooking]
    remaining: Count


class BookingList(AnswerBody):
    """A page of appointments, the earliest first."""

    bookings: list[BookingShown]
    next_cursor: NextCursor


class AstrayBookings(AnswerBody):
    """Appointments to come that have lost somebody; of many the first, and how many there are."""

    bookings: list[BookingShown]
    count: Count
    are_all: bool = Field(description="Whether every appointment to come was looked at.")


class BookingAssigned(AnswerBody):
    """An appointment, and whether it was given to somebody else."""

    booking: BookingSummary
    changed: bool
