"""Whom an appointment is to be with, and how many come: what callers say, held against what a business has."""

import re
from collections.abc import Iterable

from switchboard.contract.business.business import Business, Service
from switchboard.contract.business.names import letters
from switchboard.contract.business.resources import Resource
from switchboard.contract.error import ErrorType, ToolError

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


def is_anyone(name: str) -> bool:
    """Tell whether what stands in place of a name means that it does not matter."""
    return not letters(name) or letters(name) in _ANYONE


def is_last_time(name: str) -> bool:
    """Tell whether what stands in place of a name means whoever it was with last time."""
    return _LAST_TIME.search(" ".join(name[:_LONGEST].casefold().split())) is not None


def person_named(business: Business, service: Service | None, name: str) -> Resource:
    """Return the person of a business whom a caller means: by the whole name, or a part that only one of them has.

    Raises:
        ToolError: VALIDATION where there is nobody of that name, several, or one who does not do the service.
    """
    people = business.people
    if not people:
        raise ToolError(ErrorType.VALIDATION, f"{business.name} has nobody to choose from. Leave with_person out.")
    wanted = letters(name)
    found = [person for person in people if letters(person.name) == wanted or person.id == name]
    if not found:
        found = [person for person in people if wanted in map(letters, person.name.split())]
    if len(found) != 1:
        who = f"There are several called {name!r}" if found else f"There is nobody called {name!r}"
        raise ToolError(
            ErrorType.VALIDATION, f"{who} at {business.name}. Ask which of these is meant: {named(found or people)}."
        )
    if service is not None and found[0] not in business.people_for(service):
        who = named(business.people_for(service))
        instead = f"{who} can" if who else "nobody can"
        raise ToolError(
            ErrorType.VALIDATION, f"{service.name} is not done by {found[0].name} at {business.name}; {instead}."
        )
    return found[0]


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


def named(people: Iterable[Resource]) -> str:
    """Return names in a row."""
    return ", ".join(person.name for person in people)
