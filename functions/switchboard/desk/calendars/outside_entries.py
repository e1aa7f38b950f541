"""What outside calendars keep from being booked, told apart by whether it stands for an appointment.

An entry of ours is no second reason to be busy while it stands where its appointment does. Moved or copied by hand, or
left over from an appointment that is gone, it takes time that nothing else holds.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from urllib.parse import unquote

from switchboard.contract.business.business import Business, Integration
from switchboard.contract.python.dataclass import dataclass
from switchboard.desk.bookings.assignment import Assignment
from switchboard.desk.bookings.booking import Booking

WHOLE_HOUSE = ""
"""Under this name stands what keeps everybody from working, such as an entry in the calendar of the business."""
PEOPLES = ""
"""Under this name stands what names no booking: people entered it."""
_USUAL_PORTS = {"https": "443", "http": "80"}

Key = tuple[str, str]
"""Equal for two calendars if and only if they are one, as far as their settings say."""


@dataclass(frozen=True, slots=True)
class OutsideCalendar:
    """One outside calendar, and whom it keeps busy.

    Attributes:
        key: Which calendar it is.
        whose: Resources by id, or `WHOLE_HOUSE`.
        is_of_house: Whether it is the one that the business uses, whoever has it for their own as well.
    """

    key: Key
    whose: frozenset[str]
    is_of_house: bool

    def may_have(self, booking: Booking) -> bool:
        """Tell whether a booking's entry may stand in it; in anybody else's it was put by hand."""
        if self.is_of_house or any(one.id in self.whose for one in booking.taken.resources):
            return True
        return self.key == calendar_key(booking.calendar, Integration(settings=booking.calendar_settings or {}))


@dataclass(frozen=True, slots=True)
class CalendarTime:
    """The steps that the entries of a calendar take, by the booking that an entry names, or under `PEOPLES`."""

    calendar: OutsideCalendar
    steps: Mapping[str, frozenset[int]]


@dataclass(frozen=True, slots=True)
class Displaced:
    """Steps at which an appointment's entry stands and the appointment does not: whoever takes it is busy then."""

    booking_id: str
    taken: Assignment
    steps: frozenset[int]


@dataclass(frozen=True, slots=True)
class OutsideTime:
    """The steps that outside calendars take: by resource, or for the whole house; and by entries of ours, elsewhere."""

    steps: Mapping[str, frozenset[int]] = field(default_factory=dict)
    displaced: tuple[Displaced, ...] = ()


def named_in(read: Iterable[CalendarTime]) -> frozenset[str]:
    """Return the ids of the bookings that entries name."""
    return frozenset(id for one in read for id in one.steps if id != PEOPLES)


def told_apart(business: Business, read: Sequence[CalendarTime], bookings: Iterable[Booking]) -> OutsideTime:
    """Return what calendars take beside what bookings hold anyhow.

    Args:
        business: Whose they are.
        read: What stands in the calendars.
        bookings: Every one that an entry names, cancelled ones too; an entry of any other is like one of people's.
    """
    known, ids = {booking.id: booking for booking in bookings}, {own.id for own in business.resources}
    steps: dict[str, frozenset[int]] = {}
    displaced = list[Displaced]()
    for one in read:
        for name, taken in one.steps.items():
            booking = known.get(name) if name != PEOPLES else None
            if booking is None or not one.calendar.may_have(booking):
                for whose in one.calendar.whose:
                    steps[whose] = steps.get(whose, frozenset()) | taken
                continue
            left = taken.difference(*(claims for _, claims in booking.occupied)) if booking.is_active else taken
            has_somebody = not booking.taken.resources or any(it.id in ids for it in booking.taken.resources)
            if left and has_somebody:
                displaced.append(Displaced(name, booking.taken, left))
            elif left:
                for whose in one.calendar.whose:
                    steps[whose] = steps.get(whose, frozenset()) | left
    return OutsideTime(steps, tuple(displaced))


def calendar_key(name: str, integration: Integration) -> Key:
    """Return which calendar an integration leads to, by its settings."""
    settings = integration.settings
    if name != "caldavCalendar":
        return name, str(settings.get("calendarId") or "primary")
    scheme, _, rest = str(settings.get("calendarUrl") or "").partition("://")
    host, _, path = rest.partition("/")
    host, _, port = host.lower().partition(":")
    port = "" if port == _USUAL_PORTS.get(scheme.lower()) else port
    return name, "/".join((scheme.lower(), host.removesuffix("."), port, unquote(path).rstrip("/")))
