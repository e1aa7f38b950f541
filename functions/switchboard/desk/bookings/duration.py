"""What is to be fitted into the day: a service or just a length of time, with whom, and for how many."""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from switchboard.contract.business.business import Business, Service
from switchboard.contract.business.names import letters
from switchboard.contract.business.people_names import those_called
from switchboard.contract.business.resources import ONE_CHAIR, Need, Resource
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.python.dataclass import dataclass
from switchboard.desk.bookings.hours import Stretch
from switchboard.desk.calendars.grid import STEP, claimed_steps, span_of

# Seed 001, "create_event": an appointment lasts 30 minutes unless the business says otherwise.
_DEFAULT_MINUTES = 30
# One commit holds at most 500 writes, and a claim is one per step: 40 hours, buffers included.
_MOST_STEPS = 480
_STEP_MINUTES = STEP // timedelta(minutes=1)

_ANYONE = frozenset(
    {
        *("any", "anybody", "anyone", "whoever", "nopreference", "doesntmatter"),
        *("egal", "irgendwer", "irgendjemand", "jeder", "cualquiera", "indiferente", "sinpreferencia"),
        *("nimportequi", "peuimporte", "chiunque", "qualunque", "qualquer", "iemand"),
    }
)
_LAST_TIME = re.compile(
    r"\b(?:last|previous) time\b|\blast[_-]time\b|\bsame (?:person|one)?\s*as before\b|\bletztes mal\b|\bwie zuletzt\b"
    r"|\b[úu]ltima vez\b|\bderni[èe]re fois\b|\bultima volta\b|\bvorige keer\b|\blaatste keer\b"
)
_LONGEST = 120


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
        instead_of: The id of the appointment in whose place it would be: what that holds is not in its way.
    """

    minutes: int
    before: int = 0
    after: int = 0
    service: str = ""
    price: str = ""
    needs: tuple[Need, ...] = ONE_CHAIR
    party: int = 1
    person: str = ""
    instead_of: str = ""

    @property
    def steps(self) -> range:
        """The grid steps that a visit keeps from others, counted from the one that it starts with; buffers included."""
        return range(-_steps(self.before), _steps(self.minutes + self.after))

    @property
    def length(self) -> int:
        """How many steps a visit itself lasts, without what is kept free around it."""
        return _steps(self.minutes)

    def end(self, start: datetime) -> datetime:
        """Return when a visit ends that starts then; both aware, give UTC for a correct change of the clocks."""
        return start + timedelta(minutes=self.minutes)

    def claims(self, start: datetime) -> range:
        """Return the grid steps that a visit keeps from others, buffers included; `start` is in UTC."""
        return claimed_steps(start, self.before, self.minutes, self.after)

    def claimed(self, first_start: datetime, last_start: datetime) -> Stretch:
        """Return the time, in UTC, that visits starting between two moments may claim."""
        return Stretch(*span_of(range(self.claims(first_start).start, self.claims(last_start).stop)))


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
    offered = None if service is None else service_offered(business, service)
    if offered is None:
        # A business that lists no services books what the caller calls it.
        visit = VisitLength(minutes or _default_minutes(business), service=" ".join((service or "").split()))
    else:
        visit = VisitLength(
            minutes=minutes or offered.duration_minutes,
            before=offered.buffer_before_minutes,
            after=offered.buffer_after_minutes,
            service=offered.name,
            price=offered.price,
        )
    if timedelta(minutes=visit.before + visit.minutes + visit.after) > (_MOST_STEPS - 2) * STEP:
        raise ToolError(ErrorType.VALIDATION, "That is too long for one appointment.", instead=True)
    check_party(business, offered, party)
    is_open = with_person is None or is_anyone(with_person)
    person = "" if is_open else person_named(business, offered, with_person or "").id
    return replace(visit, needs=business.needs_of(offered), party=party, person=person)


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


def _steps(minutes: int) -> int:
    return -(-minutes // _STEP_MINUTES)


def service_offered(business: Business, name: str) -> Service | None:
    """Return the service that a caller means; None where a business lists none.

    Raises:
        ToolError: VALIDATION, it lists none of that name.
    """
    service = business.service_named(name)
    if service is None and business.services:
        names = ", ".join(s.name for s in business.services)
        raise ToolError(ErrorType.VALIDATION, f"There is no service called {name!r}. Offered are: {names}.")
    return service


def _default_minutes(business: Business) -> int:
    value = business.calendar_settings.get("defaultEventDuration")
    return value if isinstance(value, int) and 5 <= value <= 480 else _DEFAULT_MINUTES


def is_anyone(name: str) -> bool:
    """Tell whether what stands in place of a name means that it does not matter."""
    return not letters(name) or letters(name) in _ANYONE


def is_last_time(name: str) -> bool:
    """Tell whether what stands in place of a name means whoever it was with last time."""
    return _LAST_TIME.search(" ".join(name[:_LONGEST].casefold().split())) is not None


def person_named(business: Business, service: Service | None, name: str) -> Resource:
    """Return the person of a business whom a caller means: by the whole name, or a part that only one of them has.

    Where several have it, those alone count who do the service; a title counts for nothing.

    Raises:
        ToolError: VALIDATION where there is nobody of that name, several, or one who does not do the service.
    """
    people = business.people
    if not people:
        raise ToolError(ErrorType.VALIDATION, f"{business.name} has nobody to choose from. Leave with_person out.")
    matching = those_called(people, name, business.people_for(service) if service is not None else None)
    if len(matching) != 1:
        who = f"There are several called {name!r}" if matching else f"There is nobody called {name!r}"
        raise ToolError(
            ErrorType.VALIDATION, f"{who} at {business.name}. Ask which of these is meant: {named(matching or people)}."
        )
    if service is not None and matching[0] not in business.people_for(service):
        who = named(business.people_for(service))
        instead = f"{who} can" if who else "nobody can"
        raise ToolError(
            ErrorType.VALIDATION, f"{service.name} is not done by {matching[0].name} at {business.name}; {instead}."
        )
    return matching[0]


def check_party(business: Business, service: Service | None, party: int) -> None:
    """Refuse a party that can never come together, or a service that nobody does.

    Raises:
        ToolError: VALIDATION; it says what can be had.
    """
    what = service.name if service is not None else "An appointment"
    most = business.most_together(service)
    if not most:
        raise ToolError(
            ErrorType.VALIDATION,
            f"{what} cannot be booked at {business.name} at present: there is nobody, or nothing, for it.",
            instead=True,
        )
    if party <= most:
        return
    if most == 1:
        raise ToolError(
            ErrorType.VALIDATION, f"{what} is for one person at a time. Leave party_size out and book each by itself."
        )
    raise ToolError(ErrorType.VALIDATION, f"{what} is for at most {most} people together.", instead=True)


def not_there(business: Business, service: str, names: Iterable[str]) -> str:
    """Return that people are not there any more, and who does a service now."""
    offered = business.service_named(service)
    able = named(business.people_for(offered) if offered is not None else business.people)
    return f"{', '.join(names)} is not there any more. {f'There for it: {able}.' if able else 'Nobody else is there.'}"


def named(people: Iterable[Resource]) -> str:
    """Return names in a row."""
    return ", ".join(person.name for person in people)
