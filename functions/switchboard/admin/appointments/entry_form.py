"""What is entered of an appointment, held against the business: everything that is wrong at once, at its field."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.contract.business.business import Business, Service
from switchboard.contract.business.people_names import those_called
from switchboard.contract.business.resources import FIRST_YEAR, LAST_YEAR, Resource
from switchboard.contract.error import ToolError
from switchboard.contract.json import JsonObject
from switchboard.desk.bookings.request import customer_named
from switchboard.desk.contact.phone import is_given_to_nobody, to_e164

_EXAMPLE = "2027-03-10T09:30"
_NAME = "customer must be a name, of at most 8 words without ? ! : ; and the like; put anything else into the notes."


def booking_arguments(given: Mapping[str, Any], business: Business) -> JsonObject:
    """Return a new appointment as the tool that books takes it.

    Args:
        given: `{service, start, customer, phone?, email?, notes?, minutes?, with?, party?}`, as their types allow.
        business: Where it shall be.

    Raises:
        NotValid: Everything that is wrong with it.
    """
    problems: list[EntryProblem] = []
    service = _service(given["service"], business, problems)
    person = _person(given.get("with") or "", service, business, problems)
    party = given.get("party") or 1
    check_party(party, service, business, problems)
    arguments: JsonObject = {
        "service": service.name if service is not None else given["service"],
        "start_time": moment_entered(given["start"], business, problems),
        "duration_minutes": given.get("minutes"),
        "with_person": person.name if person is not None else None,
        "party_size": party if party > 1 else None,
        **contact_arguments(given, business, problems),
    }
    if problems:
        raise NotValid(problems)
    return {name: value for name, value in arguments.items() if value not in (None, "")}


def check_party(party: int, service: Service | None, business: Business, problems: list[EntryProblem]) -> None:
    """Add to `problems` where so many can never come together."""
    most = business.most_together(service)
    if party > most:
        what = service.name if service is not None else "This"
        many = f"at most {most} people together" if most > 1 else "one person at a time"
        # Of what nobody is there for at all, the booking itself tells.
        problems += [EntryProblem("party", f"party: {what} is for {many}.")] if most else []


def contact_arguments(given: Mapping[str, Any], business: Business, problems: list[EntryProblem]) -> JsonObject:
    """Return whom an appointment is for as the tools take it; what is wrong with it is added to `problems`."""
    arguments: JsonObject = {}
    if "customer" in given:
        try:
            arguments["customer_name"] = customer_named(given["customer"])
        except ToolError:
            problems.append(EntryProblem("customer", _NAME))
    if given.get("phone"):
        number = number_entered("phone", given["phone"], business, problems)
        arguments |= {"customer_phone": number} if number else {}
    arguments |= {"customer_email": given["email"].strip()} if (given.get("email") or "").strip() else {}
    arguments |= {"notes": given["notes"].strip()} if given.get("notes") is not None else {}
    return arguments


def number_entered(field: str, text: str, business: Business, problems: list[EntryProblem]) -> str:
    """Return a number in E.164 as people type it where the business is; of no number, empty with what is wrong."""
    try:
        return to_e164(text, business)
    except ToolError:
        sentence = f"{field} is not a number that can be called; write all of it, such as +1 201 555 0123."
        if is_given_to_nobody(text, business):
            sentence = f"{field} is whole, but in a range of numbers that is given to nobody; check its digits."
        problems.append(EntryProblem(field, sentence))
        return ""


def moment_entered(text: str, business: Business, problems: list[EntryProblem]) -> str:
    """Return a time with its offset; one without is meant where the business is. Of no time, what is wrong is added."""
    try:
        moment = datetime.fromisoformat(text.strip())
        aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=business.timezone)
        # Near the first and the last year no zone can be told.
        aware.astimezone(business.timezone).utctimetuple()
    except (ValueError, OverflowError):
        problem = f"start must be a day and a time, such as {_EXAMPLE}."
    else:
        problem = _wrong_with_moment(text.strip(), aware)
    if problem:
        problems.append(EntryProblem("start", problem))
        return ""
    return moment.isoformat(timespec="seconds")


def _wrong_with_moment(text: str, moment: datetime) -> str:
    """Return a sentence about a time, aware, that nobody can have meant; empty where it may be."""
    if _is_day_alone(text):
        return f"start must have a time behind its day, such as {_EXAMPLE}."
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        return "start must be a day near today."
    first, second = moment.replace(fold=0), moment.replace(fold=1)
    before, after = first.utcoffset(), second.utcoffset()
    if before == after or before is None or after is None:
        return ""
    if before < after:
        return "start does not exist: the clocks go forward past it on that day."
    # A time that says its offset is in a zone without a change, and is never told to come twice.
    return f"start comes twice, for the clocks go back on that day; write {first.isoformat()} or {second.isoformat()}."


def _is_day_alone(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _service(name: str, business: Business, problems: list[EntryProblem]) -> Service | None:
    service = business.service_named(name)
    if service is None and business.services:
        names = ", ".join(one.name for one in business.services)
        problems.append(EntryProblem("service", f"service must be one of yours: {names}."))
    return service


def _person(given: str, service: Service | None, business: Business, problems: list[EntryProblem]) -> Resource | None:
    if not given.strip():
        return None
    able = business.people_for(service) if service is not None else business.people
    # The page sends an id, which means that one, whoever else is called so.
    matching = [one for one in business.people if one.id == given.strip()] or those_called(business.people, given, able)
    if len(matching) == 1 and matching[0] in able:
        return matching[0]
    names = ", ".join(one.name for one in able) or "nobody; leave it empty"
    problems.append(EntryProblem("with", f"with must be somebody who does this: {names}."))
    return None
