"""What would break if people, rooms, absences, services or hours were changed: told first, and counted again after.

Nothing is cancelled by a change: appointments that lose their person stand as they were, until somebody else is found.
"""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from switchboard.contract.business.business import Business
from switchboard.contract.business.resources import Resource
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import StoreError
from switchboard.desk.bookings.booking import Booking
from switchboard.desk.bookings.duration import VisitLength
from switchboard.desk.bookings.obstacles import is_open_for
from switchboard.desk.resources.assigning import Assigning, LookedAt
from switchboard.desk.resources.placement import Lack, Lost

MOST_TOLD = 100
"""So many of the appointments that are concerned are told one by one."""
WHY: dict[Lack, str] = {
    Lack.NOBODY: "Nobody was chosen for it yet: it was made before people and rooms were entered.",
    Lack.GONE: "{name} is not there any more.",
    Lack.AWAY: "{name} is away then.",
    Lack.SERVICE: "{name} does not do this service.",
    Lack.FULL: "{name} has no room for it any more.",
    Lack.SMALL: "{name} is too small for so many.",
    Lack.INCOMPLETE: "The service also needs {kind}.",
}


class Stranding(StrEnum):
    """Why an appointment could not be made any more as it is told now, whoever it is with."""

    CLOSED = "closed"
    UNOFFERED = "unoffered"
    ANOTHER_HOUR = "another_hour"


_STRANDED: dict[Stranding, tuple[str, str]] = {
    Stranding.CLOSED: ("The business is closed then.", "at a time when the business is closed"),
    Stranding.UNOFFERED: ("There is no service of that name any more.", "for a service that is not there any more"),
    Stranding.ANOTHER_HOUR: (
        "It would be on {then} instead of {now}: it stays at the moment for which it was made.",
        "at another time of day by the clocks of that zone",
    ),
}
"""Of each why, what is said of one, and how many are told."""


@dataclass(frozen=True, slots=True)
class BusinessView:
    """A business as it is, or as it would be, and where its documents are."""

    business: Business
    paths: BusinessPaths


@dataclass(frozen=True, slots=True)
class Astray:
    """An appointment that has lost, or would lose, somebody; `instead` is None where nobody can tell who is free."""

    booking: Booking
    lost: tuple[Lost, ...]
    instead: tuple[Resource, ...] | None = None

    def to_json(self) -> JsonObject:
        """Return it as the admin API answers it."""
        return {
            **booking_line(self.booking),
            "lost": [
                {"id": one.id, "kind": one.kind, "name": one.name, "why": one.why.value, "means": _means(one)}
                for one in self.lost
            ],
            "instead": None if self.instead is None else [{"id": r.id, "name": r.name} for r in self.instead],
        }


@dataclass(frozen=True, slots=True)
class Stranded:
    """An appointment that stands, and that nobody could make as the business would be, or as it is told now.

    `now` and `then` are its day and time by the clocks of the business as it is, and as it would be.
    """

    booking: Booking
    why: Stranding
    now: str = ""
    then: str = ""

    def to_json(self) -> JsonObject:
        """Return it as the admin API answers it."""
        means = _STRANDED[self.why][0].format(now=self.now, then=self.then)
        return {**booking_line(self.booking), "why": self.why.value, "means": means}


@dataclass(frozen=True, slots=True)
class Consequences:
    """What a change would break.

    Attributes:
        bookings: Appointments that would lose somebody, the soonest first; of many, the first ones.
        count: How many there are.
        are_all: Whether every appointment to come was looked at.
        undone: Services that nobody would do any more.
        smaller: Services whose largest party would shrink, with the numbers before and after.
        stranded: Appointments that would be while the business is closed, for a service that is not there any more, or
            at another time of day; the soonest first.
    """

    bookings: tuple[Astray, ...] = ()
    count: int = 0
    are_all: bool = True
    undone: tuple[str, ...] = ()
    smaller: tuple[tuple[str, int, int], ...] = ()
    stranded: tuple[Stranded, ...] = ()

    @property
    def are_some(self) -> bool:
        """Whether anything would break."""
        return bool(self.words)

    @property
    def words(self) -> tuple[str, ...]:
        """What would break, a sentence each."""
        sentences = []
        if self.count:
            sentences.append(
                f"{_appointments(self.count)} would lose {'its' if self.count == 1 else 'their'} person or room."
            )
        for why, (_, when) in _STRANDED.items():
            if count := sum(one.why is why for one in self.stranded):
                sentences.append(f"{_appointments(count)} would be {when}.")
        if self.undone:
            sentences.append(f"Nobody would do {', '.join(self.undone)} any more.")
        sentences += [
            f"{name} would be for at most {now} together instead of {was}." for name, was, now in self.smaller
        ]
        return tuple(sentences)

    def to_json(self) -> JsonObject:
        """Return them as the admin API answers them."""
        return {
            "bookings": [astray.to_json() for astray in self.bookings],
            "bookingCount": self.count,
            "areAll": self.are_all,
            "undoneServices": list(self.undone),
            "smallerParties": [{"service": name, "before": was, "after": now} for name, was, now in self.smaller],
            "stranded": [one.to_json() for one in self.stranded[:MOST_TOLD]],
            "strandedCount": len(self.stranded),
            "words": list(self.words),
        }


class NotConfirmed(ToolError):
    """Something would break, and whoever changes it has not said that this is wanted; nothing was saved."""

    def __init__(self, consequences_found: Consequences) -> None:
        self.words = " ".join(consequences_found.words)
        super().__init__(
            ErrorType.CONFLICT, f"{self.words} Nothing was saved. Send confirm: true to save it all the same."
        )
        self.consequences = consequences_found.to_json()


async def consequences(assigning: Assigning, before: BusinessView, after: Business) -> Consequences:
    """Return what would break if a business became another.

    Raises:
        StoreError: The appointments cannot be read.
    """
    upcoming = await assigning.upcoming(before)
    lost = _newly_lost(before.business, after, upcoming)
    bookings_astray = await with_others(assigning, BusinessView(after, before.paths), lost[:MOST_TOLD])
    # From before people were entered: whoever is free gets them as soon as this is saved.
    unsettled = [one for one in bookings_astray if not (one.instead and [it.why for it in one.lost] == [Lack.NOBODY])]
    undone, smaller = _services(before.business, after)
    stranded = _stranded(before.business, after, upcoming.bookings)
    return Consequences(
        tuple(unsettled), len(lost) - len(bookings_astray) + len(unsettled), upcoming.are_all, undone, smaller, stranded
    )


async def recounted(
    assigning: Assigning, before: BusinessView, after: Business, consequences_told: Consequences
) -> tuple[Consequences, tuple[str, ...]]:
    """Return what a change has broken, once it is saved, and a sentence about what nobody was told of before.

    Appointments are made while an owner reads what would break, and while it is saved.
    """
    try:
        consequences_now = await consequences(assigning, before, after)
    except StoreError:
        # What was asked for is saved; Health counts what it broke.
        return consequences_told, ()
    known = {one.booking.id for one in consequences_told.bookings}
    new = (
        [one for one in consequences_now.bookings if one.booking.id not in known]
        if consequences_told.count <= MOST_TOLD
        else []
    )
    count = max(len(new), consequences_now.count - consequences_told.count)
    if count <= 0:
        return consequences_now, ()
    made = (
        "1 more appointment was made, which has" if count == 1 else f"{count} more appointments were made, which have"
    )
    whose = "its" if count == 1 else "their"
    return consequences_now, (f"While this was saved, {made} lost {whose} person or room by it; see Appointments.",)


async def with_others(assigning: Assigning, place: BusinessView, lost: Sequence[Astray]) -> list[Astray]:
    """Return appointments with who could take each.

    Raises:
        StoreError: The appointments beside them cannot be read.
    """
    others = await assigning.who_could(place, [(one.booking, one.lost) for one in lost])
    return [replace(one, instead=instead) for one, instead in zip(lost, others, strict=True)]


def astray(business: Business, looked_at: LookedAt) -> list[Astray]:
    """Return those of some appointments that have lost somebody, the soonest first."""
    placement = looked_at.placement(business)
    losses = ((booking, placement.lost(booking)) for booking in looked_at.bookings)
    return [Astray(booking, lost) for booking, lost in losses if lost]


def booking_line(booking: Booking) -> JsonObject:
    """Return what an owner reads of an appointment."""
    return {
        "id": booking.id,
        "start": booking.start,
        "end": booking.end,
        "service": booking.service,
        "customer": booking.customer_name,
        "phone": booking.customer_phone,
        "party": booking.party,
        "status": booking.status,
        "with": [{"id": it.id, "kind": it.kind, "name": it.name, "units": it.units} for it in booking.taken.resources],
    }


def _newly_lost(before: Business, after: Business, looked_at: LookedAt) -> list[Astray]:
    were = {one.booking.id for one in astray(before, looked_at)}
    return [one for one in astray(after, looked_at) if one.booking.id not in were]


def _stranded(before: Business, after: Business, bookings: Sequence[Booking]) -> tuple[Stranded, ...]:
    """Return appointments that could be made before, and could not be after."""
    names = {booking.service for booking in bookings}
    gone = {name for name in names if before.service_named(name) is not None and after.service_named(name) is None}
    stays_open = (before.working_hours, before.timezone) == (after.working_hours, after.timezone)
    entries = []
    for booking in filter(lambda booking: booking.stands, bookings):
        if booking.service in gone:
            entries.append(Stranded(booking, Stranding.UNOFFERED))
        elif not stays_open and _is_open(before, booking) and not _is_open(after, booking):
            entries.append(Stranded(booking, Stranding.CLOSED))
        elif (now := _clock(before, booking)) != (then := _clock(after, booking)):
            entries.append(Stranded(booking, Stranding.ANOTHER_HOUR, now, then))
    return tuple(entries)


def _clock(business: Business, booking: Booking) -> str:
    local = booking.moved.start.astimezone(business.timezone)
    return f"{local:%A} {local:%Y-%m-%d} at {local:%H:%M}"


def _is_open(business: Business, booking: Booking) -> bool:
    return is_open_for(business, booking.moved.start, VisitLength(booking.minutes))


def _appointments(count: int) -> str:
    return "1 appointment" if count == 1 else f"{count} appointments"


def _services(before: Business, after: Business) -> tuple[tuple[str, ...], tuple[tuple[str, int, int], ...]]:
    undone, smaller = [], []
    for service in after.services:
        known = before.service_named(service.name)
        was, now = 0 if known is None else before.most_together(known), after.most_together(service)
        if was and not now:
            undone.append(service.name)
        elif now < was:
            smaller.append((service.name, was, now))
    return tuple(undone), tuple(smaller)


def _means(lost: Lost) -> str:
    # "A seats" is nothing that anybody says.
    kind = lost.kind if lost.kind.endswith("s") else f"a{'n' if lost.kind[:1] in 'aeiou' else ''} {lost.kind}"
    return WHY[lost.why].format(name=lost.name, kind=kind)
