"""What owners may say about their business, checked field by field: all problems at once, in plain words.

Reading a stored business is tolerant, so that it stays on the air (`contract/business/business.py`); what is entered is
not.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from switchboard.admin.access.refusal import EntryProblem
from switchboard.admin.access.roles import Operation
from switchboard.admin.audit.entry import same
from switchboard.admin.businesses.opening_form import hours_problems
from switchboard.admin.documents.difference import ABSENT
from switchboard.admin.documents.one_line import SENTENCE, is_one_line
from switchboard.admin.resources.needs_form import needs_problems
from switchboard.contract.business.business import CALENDARS, read_business
from switchboard.contract.business.limits import read_limits
from switchboard.contract.business.names import folded, letters
from switchboard.contract.definitions.definition import TOOL_NAME
from switchboard.contract.error import ToolError
from switchboard.contract.json import JsonObject
from switchboard.desk.contact.phone import dialable, is_short

_NAME = 200
_TEXT = 2_000
_SERVICES, _RULES, _NAMES = 200, 50, 300
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
# As a receptionist says it: letters and an extension are part of some.
_PHONE = re.compile(r"(?=(?:[^0-9]*[0-9]){3})[0-9A-Za-z +()./,;:#*\-\u00a0\u2010-\u2015]+")
_E164 = re.compile(r"\+[1-9][0-9]{6,14}")
_TEXTS = {"name": _NAME, "industry": _NAME, "phone": 40, "email": 254, "address": 500, "website": 500, "portalUrl": 500}
_AI_TEXTS = {"tone": 500, "language": 35, "greeting": 1_000, "voice": 100}
_AI_OTHERS = ("callerVerification", "trustCallerId", "fillers")
_FILLERS, _FILLER = 12, 120
_SERVICE_FIELDS = (
    *("name", "durationMinutes", "price", "description", "bufferBeforeMinutes", "bufferAfterMinutes"),
    *("id", "category", "needs"),
)

_ESCALATION = ("rules", "safeNumber")

_WITH_IT = (
    *_TEXTS,
    *("timezone", "twilioNumber", "ai", "services", "workingHours", "escalation", "features", "enabledTools", "portal"),
    *("integrations.calendar", "limits"),
)
_ELSEWHERE = {"resources": "People, rooms and seats are edited below /resources, where what would break is told first."}
OWNED = (*_WITH_IT, *_ELSEWHERE)
"""The fields of a business's document that owners edit; what is connected is changed by connecting."""

EDITED = tuple(dict.fromkeys(path.partition(".")[0] for path in _WITH_IT))
"""Those that are edited with the business itself, as they are named at the top of the document."""

_SAFEGUARDS = {
    "escalation": "who is rung and written to (escalation)",
    "ai.callerVerification": "how callers are verified (ai.callerVerification)",
    "ai.trustCallerId": "whether caller ids are trusted (ai.trustCallerId)",
}


def check_business(wanted: JsonObject, before: JsonObject) -> Sequence[EntryProblem]:
    """Return everything that is wrong with the fields that change; what was stored before is not held against them."""
    touched = {n for n in OWNED if not same(_at(before, n), _at(wanted, n))}
    problems = [p for name in _CHECKS if name in touched for p in _CHECKS[name](_given(wanted, name), wanted)]
    if "escalation" in touched:
        problems += _unknown_settings("escalation", wanted.get("escalation"), before.get("escalation"), _ESCALATION)
    if "services" in touched:
        problems += needs_problems(wanted, before)
    said = {p.field.partition(".")[0].partition("[")[0] for p in problems}
    for text in read_business("business", wanted).problems:
        name = text.partition(":")[0]
        top = name.partition(".")[0]
        if top in touched and top not in said:
            problems.append(EntryProblem(name, f"{text}."))
    return problems


def needs_of_business(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[Operation, str]:
    """Return what a change needs beyond editing: safeguards are for owners, numbers for the platform."""
    safeguards = [words for path, words in _SAFEGUARDS.items() if not same(_at(before, path), _at(after, path))]
    needed = {Operation.EDIT_SAFEGUARDS: " and ".join(safeguards)} if safeguards else {}
    if not same(_at(before, "twilioNumber"), _at(after, "twilioNumber")):
        needed[Operation.ASSIGN_NUMBER] = "the number that callers reach this business by (twilioNumber)"
    if not same(_at(before, "integrations.calendar"), _at(after, "integrations.calendar")):
        needed[Operation.CONNECT] = "the calendar that keeps the appointments (integrations.calendar)"
    return needed


def unknown_fields(given: Mapping[str, Any]) -> Iterator[EntryProblem]:
    """Yield a problem for each field that owners do not edit here."""
    for name in given:
        if name in _ELSEWHERE:
            yield EntryProblem(name, _ELSEWHERE[name])
        elif name not in EDITED:
            told = f"{str(name)[:60]!r} cannot be edited here. Use {', '.join(_WITH_IT)}."
            yield EntryProblem(str(name)[:_NAME], told)
    inner = given.get("integrations", {})
    if not isinstance(inner, Mapping):
        yield EntryProblem("integrations", 'integrations must be an object such as {"calendar": "googleCalendar"}.')
        return
    for name in inner:
        if name != "calendar":
            told = (
                "Only integrations.calendar is edited here; an account is set up below /toolkits, or by connecting it."
            )
            yield EntryProblem(f"integrations.{name}"[:_NAME], told)


def _at(data: Mapping[str, Any], path: str) -> Any:
    name, _, inner = path.partition(".")
    value = data.get(name, ABSENT)
    return (value.get(inner, ABSENT) if isinstance(value, Mapping) else ABSENT) if inner else value


def _given(data: Mapping[str, Any], path: str) -> Any:
    found = _at(data, path)
    return None if found is ABSENT else found


def _text(name: str, longest: int) -> Callable[[Any, JsonObject], Iterator[EntryProblem]]:
    def check(value: Any, wanted: JsonObject) -> Iterator[EntryProblem]:
        if value is None and name != "name":
            return
        if not isinstance(value, str) or (name == "name" and not value.strip()):
            yield EntryProblem(name, f"{name} must be text{'' if name != 'name' else ', and not be empty'}.")
        elif len(value) > longest:
            yield EntryProblem(name, f"{name} must not be longer than {longest} characters; it has {len(value)}.")
        elif name != "address" and not is_one_line(value):
            yield EntryProblem(name, SENTENCE.format(name))
        elif name == "phone" and value and not _PHONE.fullmatch(value):
            yield EntryProblem("phone", "phone must be a number as people write it, such as (518) 555-0100.")
        elif name == "phone" and value and is_short(value, read_business("business", {**wanted, "phone": ""})):
            told = "is an emergency or short number, which callers are never sent to"
            yield EntryProblem("phone", f"phone {told}; enter the number of the business such as (518) 555-0100.")
        elif name == "email" and value and not _EMAIL.fullmatch(value):
            yield EntryProblem(name, "email must be an address such as hello@example.com.")
        elif name in ("website", "portalUrl") and value and not value.startswith(("https://", "http://")):
            yield EntryProblem(name, f"{name} must be a web address that begins with https://.")

    return check


def _timezone(value: Any, _: JsonObject) -> Iterator[EntryProblem]:
    # Whether there is such a zone is told by reading the business.
    if not isinstance(value, str) or not value:
        yield EntryProblem("timezone", "timezone must name an IANA zone such as Europe/Berlin.")


def _number(value: Any, _: JsonObject) -> Iterator[EntryProblem]:
    if value is not None and value != "" and not (isinstance(value, str) and _E164.fullmatch(value)):
        yield EntryProblem("twilioNumber", "twilioNumber must be written as +15185550100.")


def _ai(value: Any, _: JsonObject) -> Iterator[EntryProblem]:
    if value is None:
        return
    if not isinstance(value, Mapping):
        yield EntryProblem("ai", "ai must be an object.")
        return
    for name in value:
        if name not in _AI_TEXTS and name not in _AI_OTHERS:
            known = ", ".join((*_AI_TEXTS, *_AI_OTHERS))
            yield EntryProblem(f"ai.{name}", f"ai has no setting {str(name)[:60]!r}. Use {known}.")
    for name, longest in _AI_TEXTS.items():
        said = value.get(name)
        if said is not None and not (isinstance(said, str) and len(said) <= longest):
            yield EntryProblem(f"ai.{name}", f"ai.{name} must be text of at most {longest} characters.")
    fillers = value.get("fillers")
    if fillers is not None and not (
        isinstance(fillers, list)
        and len(fillers) <= _FILLERS
        and all(isinstance(text, str) and 0 < len(text.strip()) <= _FILLER for text in fillers)
    ):
        told = f"ai.fillers must be a list of at most {_FILLERS} texts of 1 to {_FILLER} characters, such as"
        yield EntryProblem("ai.fillers", f'{told} ["One moment, please."].')
    language = value.get("language")
    if isinstance(language, str) and language and not _LANGUAGE.fullmatch(language):
        yield EntryProblem("ai.language", "ai.language must be a language tag such as en or pt-BR.")
    level = value.get("callerVerification")
    if level is not None and level not in ("none", "match", "code"):
        yield EntryProblem("ai.callerVerification", "ai.callerVerification must be none, match or code.")
    if not isinstance(value.get("trustCallerId", False), bool):
        yield EntryProblem("ai.trustCallerId", "ai.trustCallerId must be true or false.")


def _services(value: Any, _: JsonObject) -> Iterator[EntryProblem]:
    rows, seen = value if isinstance(value, list) else [], set[str]()
    if value is not None and (not isinstance(value, list) or len(value) > _SERVICES):
        yield EntryProblem("services", f"services must be a list of at most {_SERVICES}.")
        return
    for at, row in enumerate(rows):
        place = f"services[{at}]"
        if not isinstance(row, Mapping):
            yield EntryProblem(place, f"{place} must be an object with a name and durationMinutes.")
            continue
        name = row.get("name")
        key = letters(name) or folded(name) if isinstance(name, str) else ""
        if not key or len(str(name)) > _NAME:
            yield EntryProblem(f"{place}.name", f"{place} needs a name of at most {_NAME} characters.")
        elif not is_one_line(str(name)):
            yield EntryProblem(f"{place}.name", SENTENCE.format(f"{place}.name"))
        elif key in seen:
            yield EntryProblem(
                f"{place}.name", f"There are two services called {str(name)!r}; callers could not tell them."
            )
        seen.add(key)
        yield from _service(place, row)


def _service(place: str, row: Mapping[str, Any]) -> Iterator[EntryProblem]:
    for field in ("durationMinutes", "bufferBeforeMinutes", "bufferAfterMinutes"):
        least = 1 if field == "durationMinutes" else 0
        minutes = row.get(field, 30 if least else 0)
        if not isinstance(minutes, int) or isinstance(minutes, bool) or not least <= minutes <= 1440:
            yield EntryProblem(f"{place}.{field}", f"{place}.{field} must be whole minutes from {least} to 1440.")
    for field in ("price", "description"):
        said = row.get(field)
        if said is not None and not (isinstance(said, str) and len(said) <= _TEXT):
            yield EntryProblem(f"{place}.{field}", f"{place}.{field} must be text of at most {_TEXT} characters.")
    for field in row:
        if field not in _SERVICE_FIELDS:
            yield EntryProblem(
                f"{place}.{field}", f"{place} has no {str(field)[:60]!r}. Use {', '.join(_SERVICE_FIELDS)}."
            )


def _hours(value: Any, _: JsonObject) -> Iterator[EntryProblem]:
    yield from hours_problems("workingHours", value)


def _unknown_settings(place: str, value: Any, before: Any, known: Sequence[str]) -> Iterator[EntryProblem]:
    """Yield a problem for each setting that nothing reads; one that was stored before is left alone."""
    kept = before if isinstance(before, Mapping) else {}
    for name in value if isinstance(value, Mapping) else ():
        if name not in known and name not in kept:
            yield EntryProblem(f"{place}.{name}"[:_NAME], f"{place} has no {str(name)[:60]!r}. Use {', '.join(known)}.")


def _escalation(value: Any, wanted: JsonObject) -> Iterator[EntryProblem]:
    if value is None:
        return
    rules = value.get("rules", []) if isinstance(value, Mapping) else None
    if not isinstance(rules, list) or len(rules) > _RULES:
        yield EntryProblem("escalation.rules", f"escalation must be an object with rules, a list of at most {_RULES}.")
        return
    business, ids = read_business("business", wanted), set[str]()
    for at, rule in enumerate(rules):
        place = f"escalation.rules[{at}]"
        if not isinstance(rule, Mapping):
            yield EntryProblem(place, f"{place} must be an object with an action.")
            continue
        action, id = rule.get("action"), rule.get("id")
        if action not in ("transfer", "message"):
            yield EntryProblem(f"{place}.action", f"{place}.action must be transfer or message.")
            continue
        if isinstance(id, str) and id and id in ids:
            yield EntryProblem(f"{place}.id", f"Two rules have the id {id!r}; give each its own.")
        ids.add(str(id))
        yield from _reached(place, action, rule, business)
    safe = value.get("safeNumber")
    if safe:
        yield from _rung("escalation.safeNumber", safe, "transfer", business)


def _reached(place: str, action: str, rule: Mapping[str, Any], business: Any) -> Iterator[EntryProblem]:
    number, email = rule.get("destination"), rule.get("email")
    if action == "transfer" and not number:
        yield EntryProblem(f"{place}.destination", f"{place} needs a destination, the number that is rung.")
    elif number:
        yield from _rung(f"{place}.destination", number, "transfer" if action == "transfer" else "text", business)
    if action == "message" and email and not (isinstance(email, str) and _EMAIL.fullmatch(email)):
        yield EntryProblem(f"{place}.email", f"{place}.email must be an address such as hello@example.com.")


def _rung(place: str, number: Any, purpose: Any, business: Any) -> Iterator[EntryProblem]:
    if not isinstance(number, str):
        yield EntryProblem(place, f"{place} must be a phone number such as +15185550143.")
        return
    try:
        dialable(number, business, purpose)
    except ToolError as error:
        if error.meta.get("reason") != "country":
            use = "be rung" if purpose == "transfer" else "get text messages"
            yield EntryProblem(
                place, f"{place}: {number[:40]!r} is no number that can {use}. Write it as +15185550143."
            )


def _features(value: Any, _: JsonObject) -> Iterator[EntryProblem]:
    if value is None:
        return
    switches = isinstance(value, Mapping) and all(isinstance(on, bool) for on in value.values())
    if not switches or len(value) > _NAMES:
        yield EntryProblem("features", "features must be an object of switches, each true or false.")


def _enabled_tools(value: Any, _: JsonObject) -> Iterator[EntryProblem]:
    if value is None:
        return
    if not isinstance(value, list) or len(value) > _NAMES:
        yield EntryProblem(
            "enabledTools", f"enabledTools must be a list of at most {_NAMES} tool names, or null for all."
        )
        return
    for at, name in enumerate(value):
        if not isinstance(name, str) or not TOOL_NAME.fullmatch(name):
            yield EntryProblem(
                f"enabledTools[{at}]", f"enabledTools[{at}] is no tool's name, such as book_appointment."
            )


def _portal(value: Any, _: JsonObject) -> Iterator[EntryProblem]:
    if value is None:
        return
    if not isinstance(value, Mapping) or not value.keys() <= {"visitors", "greeting"}:
        yield EntryProblem("portal", 'portal must be an object such as {"visitors": true, "greeting": "Hello!"}.')
        return
    if not isinstance(value.get("visitors", False), bool):
        yield EntryProblem("portal.visitors", "portal.visitors must be true or false.")
    greeting, longest = value.get("greeting"), _AI_TEXTS["greeting"]
    if greeting is not None and not (isinstance(greeting, str) and len(greeting) <= longest):
        yield EntryProblem("portal.greeting", f"portal.greeting must be text of at most {longest} characters.")


def _calendar(value: Any, _: JsonObject) -> Iterator[EntryProblem]:
    if value is not None and not (isinstance(value, str) and value in CALENDARS):
        yield EntryProblem("integrations.calendar", f"integrations.calendar must be {' or '.join(CALENDARS)}, or null.")


def _limits(value: Any, _: JsonObject) -> Iterator[EntryProblem]:
    for text in read_limits(value)[1]:
        yield EntryProblem(text.partition(":")[0][:_NAME], f"{text}.")


_CHECKS: dict[str, Callable[[Any, JsonObject], Iterator[EntryProblem]]] = {
    **{name: _text(name, longest) for name, longest in _TEXTS.items()},
    "timezone": _timezone,
    "twilioNumber": _number,
    "ai": _ai,
    "services": _services,
    "workingHours": _hours,
    "escalation": _escalation,
    "features": _features,
    "enabledTools": _enabled_tools,
    "portal": _portal,
    "integrations.calendar": _calendar,
    "limits": _limits,
}
