"""What is to be fitted into the day: a service, or just a length of time."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from switchboard.contract.business.business import Business, Service
from switchboard.contract.business.resources import ONE_CHAIR, Need
from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.bookings.hours import Stretch
from switchboard.desk.calendars.grid import STEP, claimed_steps, moment_of
from switchboard.desk.resources.people import check_party, is_anyone, person_named

# Seed 001, "create_event": an appointment lasts 30 minutes unless the business says otherwise.
_DEFAULT_MINUTES = 30
# One commit holds at most 500 writes, and a claim is one per step: 40 hours, buffers included.
_MOST_STEPS = 480


@dataclass(frozen=True, slots=True)
class VisitLength:
    """How long a visit takes and what must be kept free around it, in minutes.

    Attributes:
        minutes: From start to end, as the caller is told.
        before: Kept free before it, from other visits only: opening times do not matter to it.
        after: Kept free after it, likewise.
        service: The service's name as the business spells it; empty for a mere length of time.
        price: As the business words it.
        needs: What it takes up.
        party: How many come together.
        person: The id of whom it is to be with; empty for anyone who does it.
    """

    minutes: int
    before: int = 0
    after: int = 0
    service: str = ""
    price: str = ""
    needs: tuple[Need, ...] = ONE_CHAIR
    party: int = 1
    person: str = ""

    def end(self, start: datetime) -> datetime:
        """Return when a visit ends that starts then; both aware, give UTC for a correct change of the clocks."""
        return start + timedelta(minutes=self.minutes)

    def claims(self, start: datetime) -> range:
        """Return the grid steps that a visit keeps from others, buffers included; `start` is in UTC."""
        return claimed_steps(start, self.before, self.minutes, self.after)

    def claimed(self, first_start: datetime, last_start: datetime) -> Stretch:
        """Return the time, in UTC, that visits starting between two moments may claim."""
        return Stretch(moment_of(self.claims(first_start).start), moment_of(self.claims(last_start).stop))


def visit_for(
    business: Business, service: str | None, minutes: int | None, with_person: str | None = None, party: int = 1
) -> VisitLength:
    """Return the visit that a caller asks for.

    Args:
        business: Offers the services.
        service: A service's name, in any case and punctuation, with or without its accents; None when only a length
            of time is asked for.
        minutes: Overrides the service's own duration.
        with_person: The name of whom it is to be with; None, or a word for anyone, leaves that open.
        party: How many come together.

    Raises:
        ToolError: VALIDATION when the business does not offer the service, not for so many or not with that person, or
            it is too long to be booked at once.
    """
    found = None if service is None else _offered(business, service)
    if found is None:
        # A business that lists no services books what the caller calls it.
        visit = VisitLength(minutes or _default_minutes(business), service=" ".join((service or "").split()))
    else:
        visit = VisitLength(
            minutes=minutes or found.duration_minutes,
            before=found.buffer_before_minutes,
            after=found.buffer_after_minutes,
            service=found.name,
            price=found.price,
        )
    if timedelta(minutes=visit.before + visit.minutes + visit.after) > (_MOST_STEPS - 2) * STEP:
        raise ToolError(ErrorType.VALIDATION, "That is too long for one appointment.", instead=True)
    check_party(business, found, party)
    is_open = with_person is None or is_anyone(with_person)
    person = "" if is_open else person_named(business, found, with_person or "").id
    return replace(visit, needs=business.needs_of(found), party=party, person=person)


def too_long(visit: VisitLength, usual: VisitLength) -> str:
    """Return what is said of a visit that a caller who is not verified asks to have longer than it usually takes."""
    what = visit.service or "An appointment"
    return (
        f"{what} takes {usual.minutes} minutes, and a caller who is not verified has it at that length, not for "
        f"{visit.minutes} minutes. Leave duration_minutes out. If the caller needs longer, verify them first, if that "
        "is offered here."
    )


def longest_reach(business: Business, default_minutes: int) -> timedelta:
    """Return the most time that lies between the start of any visit and the far end of what it claims."""
    minutes = [default_minutes] + [
        max(s.duration_minutes, default_minutes) + max(s.buffer_before_minutes, s.buffer_after_minutes)
        for s in business.services
    ]
    return timedelta(minutes=max(minutes))


def _offered(business: Business, name: str) -> Service | None:
    found = business.service_named(name)
    if found is None and business.services:
        names = ", ".join(s.name for s in business.services)
        raise ToolError(ErrorType.VALIDATION, f"There is no service called {name!r}. Offered are: {names}.")
    return found


def _default_minutes(business: Business) -> int:
    value = business.calendar_settings.get("defaultEventDuration")
    return value if isinstance(value, int) and 5 <= value <= 480 else _DEFAULT_MINUTES
