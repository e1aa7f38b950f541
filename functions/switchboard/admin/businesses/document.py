"""A business's whole document, checked as it stands: wherever one comes in, and where somebody wrote one by hand.

Owners edit it field by field (`form.py`), and what they enter is checked so. What is pushed, imported or made of a
template comes as a whole, with what owners never enter beside it, and may hold names that nothing reads: a mistyped
`timezonee` leaves a business without a clock, and nothing else would say so.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from switchboard.admin.access.refusal import EntryProblem
from switchboard.admin.api.models import RequestBody
from switchboard.admin.api.wording import wrong_with
from switchboard.admin.audit.document_kind import STAMPS
from switchboard.admin.businesses.form import check_business
from switchboard.admin.businesses.known_names import NamesThereAre
from switchboard.admin.businesses.models import BusinessFields
from switchboard.admin.businesses.words import FIELD as SEARCH
from switchboard.admin.costs.monthly_limits import LIMITS_FIELD
from switchboard.admin.resources.models import StoredResource
from switchboard.catalog.offer.phone_numbers import LISTED_AT
from switchboard.catalog.tenant_tools.toolkit import MANAGED, problems_against
from switchboard.contract.business.business import BUILT_IN_CALENDAR, read_business
from switchboard.contract.business.month_stop import STOP_FIELD
from switchboard.contract.business.names import nearest
from switchboard.contract.json import JsonObject, at_path
from switchboard.contract.vendors import toolkit_documents

# What the running system keeps beside the settings of an integration, besides `MANAGED`.
_KEPT_BESIDE = frozenset({LISTED_AT, "expiresAt", "tokenExpiresAt", "refreshTokenExpiresAt"})
_FIELDS = tuple(field.alias or name for name, field in BusinessFields.model_fields.items())
_KNOWN = (*_FIELDS, *BusinessFields.elsewhere)
_INTEGRATIONS, _CHOSEN = "integrations", "calendar"
_SHOWN, _LONGEST = 60, 200
# Of another action nobody is put through, and nobody gets a message; to such a number or address neither, nor at night
# where nobody can read when.
_OUT_OF_REACH = re.compile(r"twilioNumber|escalation\.rules\[[0-9]+\]\.(action|destination|email|hours.*)")
# What callers do without where it cannot be read; of everything else there is a safe default, or it only words things.
_COSTLY = frozenset({"timezone", "services", "workingHours", _INTEGRATIONS, "escalation", "features"})


LIMITING = {
    LIMITS_FIELD: "monthlyLimits are set on the page Month, or by PUT …/monthly-limits, by whoever runs this system; "
    "they come with no document of a business. Leave them out.",
    STOP_FIELD: "monthStop is noted by what counts, and comes with no document of a business. Leave it out.",
}
"""The fields of a business's document by which its months are limited, and what is said where one comes with them."""


class ResourceRows(RequestBody):
    """The people, rooms and seats of a business's document."""

    resources: list[StoredResource] | None = None


def check_document(
    id: str, document: JsonObject, names: NamesThereAre | None = None, *, is_stored: bool = False
) -> Sequence[EntryProblem]:
    """Return everything that is wrong with a business's document, each with what would be right.

    A document without problems can be stored; one with any must not be, wherever it comes from.

    Args:
        id: The business's.
        document: All of it, as it is or would be stored.
        names: Which tools and features there are; None where nobody can say.
        is_stored: Whether it is one that was kept here, and holds what whoever runs all businesses has set, or is new.
    """
    limiting = {name: sentence for name, sentence in LIMITING.items() if name in document}
    document = {name: value for name, value in document.items() if name not in limiting}
    unknown = [] if is_stored else [EntryProblem(name, sentence) for name, sentence in limiting.items()]
    unknown += [*_unknown_fields(document), *_unknown_settings(document)]
    unknown += names.problems(document) if names is not None else ()
    fields = {name: document[name] for name in _FIELDS if name in document and name != _INTEGRATIONS}
    integrations = document.get(_INTEGRATIONS)
    if isinstance(integrations, Mapping) and _CHOSEN in integrations:
        fields[_INTEGRATIONS] = {_CHOSEN: integrations[_CHOSEN]}
    beside = {name: document[name] for name in BusinessFields.elsewhere if name in document}
    problems = [*unknown, *(p for p in check_business({**fields, **beside}, {}) if p.field != "timezone")]
    problems += wrong_with(ResourceRows, beside)
    problems += _unusable_settings(document)
    if document.get("name") is None:
        problems.append(EntryProblem("name", "name is missing: enter what callers know the business by."))
    fields_told = {_top(p.field) for p in problems if not p.is_unknown}
    for text in read_business(id, document).problems:
        field = text.partition(":")[0]
        if _top(field) not in fields_told:
            problems.append(EntryProblem(field[:_LONGEST], f"{text}."))
    return problems


def costs_callers(problem: EntryProblem, document: Mapping[str, Any]) -> bool:
    """Tell whether callers do without something because of a problem in a stored document.

    A name that nothing reads costs them what it seems to mean, where that is not said beside it.
    """
    if problem.is_unknown:
        # What lies in a list is not looked for, and counts as missing.
        return bool(problem.meant) and at_path(document, problem.meant) is None
    if problem.field == "enabledTools" and isinstance(document.get("enabledTools"), list):
        return True
    unread = {_top(text) for text in read_business("business", document).problems}
    return _top(problem.field) in _COSTLY & unread or _OUT_OF_REACH.fullmatch(problem.field) is not None


def _unknown_fields(document: Mapping[str, Any]) -> Iterator[EntryProblem]:
    for name in document:
        if name in (*_KNOWN, *STAMPS, SEARCH):
            continue
        shown, meant = str(name)[:_SHOWN], nearest(str(name), _KNOWN)
        would = f"Did you mean {meant}?" if meant else f"Use {', '.join(_KNOWN)}."
        yield EntryProblem(str(name)[:_LONGEST], f"{shown!r} is read by nothing. {would}", is_unknown=True, meant=meant)


def _unknown_settings(document: Mapping[str, Any]) -> Iterator[EntryProblem]:
    """Yield a problem for each integration, and setting of one, that nothing reads and that is near one that is."""
    integrations = document.get(_INTEGRATIONS)
    settings_of = _settings_by_integration()
    for name, value in integrations.items() if isinstance(integrations, Mapping) else ():
        place = f"{_INTEGRATIONS}.{name}"
        if name == _CHOSEN:
            continue
        # An integration that no folder here provides may be another program's: only a name that is nearly one of ours.
        if name not in settings_of:
            yield from _nearly(place, str(name), settings_of)
            continue
        for setting in value if isinstance(value, Mapping) else ():
            if setting not in settings_of[name]:
                yield from _nearly(f"{place}.{setting}", str(setting), settings_of[name])


def _unusable_settings(document: Mapping[str, Any]) -> Iterator[EntryProblem]:
    """Yield a problem for each setting of an integration whose value is not what its vendor's folder says."""
    integrations = document.get(_INTEGRATIONS)
    schemas = _schemas_by_integration()
    for name, value in integrations.items() if isinstance(integrations, Mapping) else ():
        known = schemas.get(name, {})
        values = {s: v for s, v in value.items() if s in known and v is not None} if isinstance(value, Mapping) else {}
        for error in problems_against({"type": "object", "properties": known}, values, f"{_INTEGRATIONS}.{name}", True):
            yield EntryProblem(error.field[:_LONGEST], f"{error.field} {error.problem}: {error.remedy}.")


def _nearly(place: str, name: str, known: Any) -> Iterator[EntryProblem]:
    meant = nearest(name, known)
    if meant:
        path = f"{place.removesuffix(name)}{meant}"
        sentence = f"{place[:_LONGEST]} is read by nothing. Did you mean {meant}?"
        yield EntryProblem(place[:_LONGEST], sentence, is_unknown=True, meant=path)


def _settings_by_integration() -> dict[str, frozenset[str]]:
    return {name: MANAGED | _KEPT_BESIDE | schemas.keys() for name, schemas in _schemas_by_integration().items()}


@cache
def _schemas_by_integration() -> Mapping[str, JsonObject]:
    by_name: dict[str, JsonObject] = {BUILT_IN_CALENDAR: {}}
    for toolkit in toolkit_documents().values():
        settings = (toolkit.get("config") or {}).get("properties") or {}
        by_name[toolkit.get("integration") or toolkit["name"]] = settings
        if toolkit.get("provides") == "calendar":
            # Those that say how appointments are made are the same for every calendar.
            by_name[BUILT_IN_CALENDAR] = {**by_name[BUILT_IN_CALENDAR], **settings}
    return by_name


def _top(field: str) -> str:
    return field.partition(":")[0].partition(".")[0].partition("[")[0]
