"""What owners may say about their business, checked field by field: all problems at once, in plain words.

Reading a stored business is tolerant, so that it stays on the air (`contract/business/business.py`); what is entered is
not.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from switchboard.admin.access.field_rights import BUSINESS
from switchboard.admin.access.refusal import EntryProblem
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.wording import wrong_with
from switchboard.admin.businesses.models import BusinessFields
from switchboard.admin.businesses.opening_form import hours_problems
from switchboard.admin.businesses.rules_form import hours_of_rule, next_of_rule, stood_in_rules
from switchboard.admin.costs.monthly_limits import LIMITS_FIELD
from switchboard.admin.documents.difference import touched
from switchboard.admin.resources.form import needs_problems
from switchboard.contract.business.business import read_business
from switchboard.contract.business.limits import read_limits
from switchboard.contract.business.month_stop import STOP_FIELD
from switchboard.contract.business.names import LOOKALIKES, folded, letters, looks, nearest
from switchboard.contract.business.own_addresses import own_numbers
from switchboard.contract.error import ToolError
from switchboard.contract.json import JsonObject
from switchboard.desk.contact.phone import dialable, is_given_to_nobody, is_short, to_e164

_LONGEST = 200
_SHOWN = 60
_NO_ROW = 1_000_000
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_ROW = re.compile(r"\[([0-9]{1,6})\]")

_FIELDS = [field.alias or name for name, field in BusinessFields.model_fields.items()]
_PATHS = tuple("integrations.calendar" if name == "integrations" else name for name in _FIELDS)
OWNED = (*_PATHS, *BusinessFields.elsewhere)
"""The fields of a business's document that owners edit; what is connected is changed by connecting."""

_ESCALATION = ("rules", "safeNumber")

NEEDING_MORE = {
    "escalation": "who is rung and written to (escalation)",
    "ai.callerVerification": "how callers are verified (ai.callerVerification)",
    "ai.trustCallerId": "whether caller ids are trusted (ai.trustCallerId)",
    "portalUrl": "where the links lead that callers are sent (portalUrl)",
    "email": "where callers' answers to its e-mails go (email)",
    "twilioNumber": "the number that callers reach this business by (twilioNumber)",
    "integrations.calendar": "the calendar that keeps the appointments (integrations.calendar)",
}
"""What each is called that needs more than editing; `field_rights.py` says which they are."""

_RIGHTS = {
    path: next(right for field, right in BUSINESS.items() if f"{field}.".startswith(f"{path}."))
    for path in NEEDING_MORE
}


def check_business(fields: JsonObject, before: JsonObject) -> Sequence[EntryProblem]:
    """Return everything that is wrong with the fields that change; what was stored before is not held against them."""
    names = {path.partition(".")[0] for path in touched(before, fields, OWNED)}
    given = {name: fields[name] for name in _FIELDS if name in names and name in fields}
    problems = [p for p in wrong_with(BusinessFields, given) if not _stood_before(p.field, before)]
    problems += [p for p in _required(fields) if p.field in names]
    problems += [p for name, rule in _RULES.items() if name in names for p in rule(fields)]
    if "services" in names:
        problems += needs_problems(fields, before)
    problems = [p for p in problems if not stood_in_rules(p.field, before, fields)]
    wrong = {p.field for p in problems}
    tops = {_top(field) for field in wrong}
    for text in read_business("business", fields).problems:
        name = text.partition(":")[0]
        if _top(name) in names and _top(name) not in tops:
            problems.append(EntryProblem(name, f"{text}."))
    by_field: dict[str, EntryProblem] = {}
    for problem in sorted(problems, key=_order):
        by_field.setdefault(problem.field, problem)
    return list(by_field.values())


def _top(field: str) -> str:
    return field.partition(".")[0].partition("[")[0]


def _order(problem: EntryProblem) -> tuple[int, int]:
    """Return the place of a problem: by field, and then by row."""
    top, row = _top(problem.field), _ROW.search(problem.field)
    return _FIELDS.index(top) if top in _FIELDS else len(_FIELDS), int(row[1]) if row else _NO_ROW


def _stood_before(field: str, before: JsonObject) -> bool:
    """Tell whether a setting is one that nothing reads any more; it is left alone."""
    top, _, name = field.partition(".")
    stored = before.get(top)
    return top == "escalation" and isinstance(stored, Mapping) and name in stored and name not in _ESCALATION


def needs_of_business(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[Operation, str]:
    """Return what a change needs beyond editing, such as: safeguards are for owners, numbers for the platform."""
    needed: dict[Operation, list[str]] = {}
    for path in touched(before, after, _RIGHTS):
        needed.setdefault(_RIGHTS[path], []).append(NEEDING_MORE[path])
    return {right: " and ".join(words) for right, words in needed.items()}


def unknown_fields(given: Mapping[str, Any]) -> Iterator[EntryProblem]:
    """Yield a problem for each field that owners do not edit here."""
    for name in given:
        if name in BusinessFields.elsewhere:
            yield EntryProblem(name, BusinessFields.elsewhere[name])
        elif name in (LIMITS_FIELD, STOP_FIELD):
            yield EntryProblem(name, f"{name} is set and noted by whoever runs this system, and never here.")
        elif name not in _FIELDS:
            meant = nearest(str(name), _FIELDS)
            asked = f" Did you mean {meant}?" if meant else ""
            sentence = f"{str(name)[:_SHOWN]!r} cannot be edited here.{asked} Use {', '.join(_PATHS)}."
            yield EntryProblem(str(name)[:_LONGEST], sentence, is_unknown=True, meant=meant)
    inner = given.get("integrations", {})
    if not isinstance(inner, Mapping):
        yield EntryProblem("integrations", 'integrations must be an object such as {"calendar": "googleCalendar"}.')
        return
    for name in inner:
        if name != "calendar":
            sentence = (
                "Only integrations.calendar is edited here; an account is set up below /toolkits, or by connecting it."
            )
            yield EntryProblem(f"integrations.{name}"[:_LONGEST], sentence)


def _required(fields: JsonObject) -> Iterator[EntryProblem]:
    if fields.get("name") is None:
        yield EntryProblem("name", "name must be text, and not be empty.")
    # Whether there is such a zone is told by reading the business.
    if not fields.get("timezone"):
        yield EntryProblem("timezone", "timezone must name an IANA zone such as Europe/Berlin.")


def _phone(fields: JsonObject) -> Iterator[EntryProblem]:
    phone = fields.get("phone")
    if isinstance(phone, str) and phone and is_short(phone, read_business("business", {**fields, "phone": ""})):
        sentence = "is an emergency or short number, which callers are never sent to"
        yield EntryProblem("phone", f"phone {sentence}; enter the number of the business such as (518) 555-0100.")


def _services(fields: JsonObject) -> Iterator[EntryProblem]:
    names = set[str]()
    for at, row in enumerate(fields["services"] if isinstance(fields.get("services"), list) else ()):
        name = row.get("name") if isinstance(row, Mapping) else None
        if isinstance(name, str) and name:
            key = letters(name.translate(LOOKALIKES)) or folded(name)
            if not key:
                yield EntryProblem(f"services[{at}].name", f"services[{at}] needs a name that can be said.")
            elif key in names:
                sentence = f"There are two services called {name[:_SHOWN]!r}; callers could not tell them."
                yield EntryProblem(f"services[{at}].name", sentence)
            names.add(key)


def _escalation(fields: JsonObject) -> Iterator[EntryProblem]:
    escalation = fields.get("escalation")
    if not isinstance(escalation, Mapping):
        return
    rules, business, ids = escalation.get("rules"), read_business("business", fields), dict[str, str]()
    for at, rule in enumerate(rules if isinstance(rules, list) else ()):
        action = rule.get("action") if isinstance(rule, Mapping) else None
        if action not in ("transfer", "message"):
            continue
        place, id = f"escalation.rules[{at}]", rule.get("id")
        if isinstance(id, str) and (look := looks(id)):
            if look in ids:
                alike = "" if ids[look] == id else f", or one that looks the same as {ids[look]!r}"
                yield EntryProblem(f"{place}.id", f"Two rules have the id {id!r}{alike}; give each its own.")
            ids.setdefault(look, id)
        yield from _reached(place, action, rule, business)
        yield from hours_of_rule(f"{place}.hours", rule.get("hours"))
        yield from next_of_rule(f"{place}.fallback", rule.get("fallback"), rules or ())
    safe = escalation.get("safeNumber")
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
            yield EntryProblem(place, f"{place}: {number[:40]!r} {_why_not(number, business, purpose)}")


def _why_not(number: str, business: Any, purpose: Any) -> str:
    """Return what is wrong with a number that cannot be used, and what would work."""
    use = "be rung" if purpose == "transfer" else "get text messages"
    try:
        written = to_e164(number, business)
    except ToolError:
        if is_given_to_nobody(number, business):
            return f"is whole, but in a range of numbers that is given to nobody; it cannot {use}. Check its digits."
        return f"is no number that can {use}. Write it as +15185550143."
    if written in own_numbers(business).values():
        return "is a number that callers call, and would be answered here again. Give one that a person answers."
    kind = "an ordinary phone number" if purpose == "transfer" else "a mobile number"
    return f"is a number of a kind that cannot {use}, such as a premium or an emergency one. Give {kind}."


def _working_hours(fields: JsonObject) -> Iterator[EntryProblem]:
    yield from hours_problems("workingHours", fields.get("workingHours"))


def _limits(fields: JsonObject) -> Iterator[EntryProblem]:
    for text in read_limits(fields.get("limits"))[1]:
        yield EntryProblem(text.partition(":")[0][:_LONGEST], f"{text}.")


_RULES: dict[str, Callable[[JsonObject], Iterator[EntryProblem]]] = {
    "phone": _phone,
    "services": _services,
    "workingHours": _working_hours,
    "escalation": _escalation,
    "limits": _limits,
}
"""What no type says, by the field that it is about."""
