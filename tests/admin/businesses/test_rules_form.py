"""When somebody is rung, and who comes next: what nobody could read is not saved, and what stands there is named."""

from typing import Any, Final, get_args

import pytest

from switchboard.admin.api.models import Described
from switchboard.admin.businesses.document import check_document, costs_callers
from switchboard.admin.businesses.form import check_business
from switchboard.admin.businesses.models import BusinessFields, RuleRow, ServiceRow
from tests.admin.businesses.test_document import SALON, edited
from tests.each import each

pytestmark = pytest.mark.requirement("004-2001")

VET: Final = {"action": "transfer", "id": "vet", "label": "Vet on call", "destination": "+15185550143"}
DAY: Final = [{"open": "09:00", "close": "17:00"}]


def wrong(rule: dict[str, Any], *others: dict[str, Any], before: dict[str, Any] | None = None) -> dict[str, str]:
    """Return what is wrong with a rule of the salon, by field."""
    rules = [{**VET, **rule}, *others]
    after = {**SALON, "escalation": {"rules": rules}}
    return {problem.field: problem.message for problem in check_business(after, before or SALON)}


@each(
    ("hours", "field", "told"),
    [
        ("allways", "hours", 'Did you mean "always"?'),
        ("24/7", "hours", 'Did you mean "always"?'),
        ("Always", "hours", 'Did you mean "always"?'),
        ("rund um die Uhr", "hours", 'Did you mean "always"?'),
        ("busines", "hours", 'Did you mean "business"?'),
        ("nights", "hours", '"business" for the hours of the business'),
        (True, "hours", 'It is "always"'),
        ([], "hours", 'It is "always"'),
        ({}, "hours", "names no time"),
        ({"monday": "closed"}, "hours", "names no time"),
        ({"tuesday": [{"open": "99:00", "close": "17:00"}]}, "hours.tuesday", "open before close"),
        ({"tuesday": [{"open": "22:00", "close": "06:00"}]}, "hours.tuesday", "belong to the next day"),
        ({"tusday": DAY}, "hours.tusday", "Did you mean tuesday?"),
    ],
)
def test_hours_that_nobody_could_read_are_refused_with_what_works(hours: Any, field: str, told: str) -> None:
    """A night would be without anybody, and nothing would say so."""
    assert told in wrong({"hours": hours})[f"escalation.rules[0].{field}"]
    document = edited("escalation.rules.0.hours", hours)
    (problem,) = check_document("salon", document, is_stored=True)
    assert problem.field == f"escalation.rules[0].{field}"
    assert costs_callers(problem, document)


def test_a_name_that_nothing_reads_within_a_day_is_told() -> None:
    """So it is of the business's own hours, and on days that differ."""
    odd = [{**DAY[0], "until": "18:00"}]
    assert "has no 'until'" in wrong({"hours": {"monday": odd}})["escalation.rules[0].hours.monday"]
    for hours, field in (({"monday": odd}, "monday"), ({"exceptions": {"12-24": odd}}, "exceptions.12-24")):
        (problem,) = check_business({**SALON, "workingHours": hours}, SALON)
        assert problem.field == f"workingHours.{field}"


@each("hours", [None, "always", "business", {"monday": DAY, "exceptions": {"12-24": "closed"}}, {"monday": DAY[0]}])
def test_hours_that_are_read_are_taken(hours: Any) -> None:
    """In all their forms."""
    assert wrong({"hours": hours}) == {}


def test_whatever_else_nothing_reads_of_a_rule_is_refused_with_the_nearest() -> None:
    """A name of which nothing is near is told all that there are."""
    assert "Use action, id, label" in wrong({"opening": "always"})["escalation.rules[0].opening"]
    assert "Did you mean hours?" in wrong({"hour": "always"})["escalation.rules[0].hour"]
    assert "escalation.rules[0].when" in wrong({"when": ["at night"]})
    assert "from 5 to 60" in wrong({"timeoutS": 600})["escalation.rules[0].timeoutS"]
    assert wrong({"timeoutS": 20, "when": "An emergency.", "fallback": "message"}) == {}


def test_who_is_rung_next_has_to_be_there() -> None:
    """Another rule that rings somebody, by its id or its place, or a message."""
    desk = {**VET, "id": "desk", "destination": "+15185550144"}
    assert wrong({"fallback": "desk"}, desk) == {}
    assert "Did you mean desk?" in wrong({"fallback": "desks"}, desk)["escalation.rules[0].fallback"]
    mail = {"action": "message", "id": "mail", "email": "rosa@example.com"}
    assert "Use vet, message" in wrong({"fallback": "mail"}, mail)["escalation.rules[0].fallback"]


def test_what_stood_there_already_is_left_to_health() -> None:
    """A page whose form does not even show it can still be saved; what is new beside it is held to the rules."""
    stood = {"hours": "allways", "team": "north", "fallback": "gone"}
    before = {**SALON, "escalation": {"rules": [{**VET, **stood}]}}
    assert wrong({**stood, "label": "Vet"}, before=before) == {}
    assert [*wrong({**stood, "hours": "24/7"}, before=before)] == ["escalation.rules[0].hours"]
    named = {problem.field for problem in check_document("salon", before, is_stored=True)}
    assert named == {f"escalation.rules[0].{name}" for name in stood}


def told(rules: list[dict[str, Any]], stored: list[dict[str, Any]]) -> list[str]:
    """Return where something is wrong with rules that are to stand in the place of others."""
    before, after = ({**SALON, "escalation": {"rules": one}} for one in (stored, rules))
    return [problem.field for problem in check_business(after, before)]


def test_what_stood_in_one_rule_did_not_stand_in_another() -> None:
    """The same by its id, wherever it is put; without one by its place, or where nothing of it is otherwise."""
    night = {**VET, "hours": "24/7"}
    desk = {**VET, "id": "desk", "destination": "+15185550144"}
    assert told([night, {**desk, "hours": "24/7"}], [night]) == ["escalation.rules[1].hours"]
    assert told([night, {**desk, "hours": "24/7"}], [night, desk]) == ["escalation.rules[1].hours"]
    assert told([{**night, "id": "other"}], [night]) == ["escalation.rules[0].hours"]
    assert told([desk, {**night, "label": "Vet"}], [night, desk]) == []
    nameless = {name: value for name, value in night.items() if name != "id"}
    assert told([{**nameless, "label": "Vet"}], [nameless]) == []
    assert told([desk, nameless], [nameless]) == []
    assert told([desk, {**nameless, "label": "Vet"}], [nameless]) == ["escalation.rules[1].hours"]
    assert told([nameless], [night]) == ["escalation.rules[0].hours"]


def test_who_is_rung_next_is_asked_anew_where_that_one_goes() -> None:
    """It pointed to somebody, and would point to nobody; what did so before is left to Health."""
    first, desk = {**VET, "fallback": "desk"}, {**VET, "id": "desk", "destination": "+15185550144"}
    assert told([first], [first, desk]) == ["escalation.rules[0].fallback"]
    assert told([first, {**desk, "id": "front"}], [first, desk]) == ["escalation.rules[0].fallback"]
    assert told([first, {**desk, "action": "message"}], [first, desk]) == ["escalation.rules[0].fallback"]
    assert told([first, {**desk, "id": "front"}], [first]) == []
    assert told([{**first, "label": "Vet"}, desk], [first, desk]) == []


def test_the_form_of_a_rule_names_what_is_read_of_it() -> None:
    """So does the document of the API, which is made of it."""
    shown = BusinessFields.model_json_schema()["$defs"]["RuleRow"]
    assert {"hours", "when", "fallback", "timeoutS"} <= shown["properties"].keys()
    assert shown["additionalProperties"] is False
    assert "always" in str(shown["properties"]["hours"])


def free_forms(model: Any) -> set[str]:
    """Return the fields of a form that let every value through, since something else checks them."""
    return {
        field.alias or name
        for name, field in model.model_fields.items()
        if any(isinstance(one, Described) for one in (*field.metadata, *described(field.annotation)))
    }


def described(annotation: Any) -> list[Any]:
    """Return what is said of a type or of one inside of it."""
    return [found for one in get_args(annotation) for found in (one, *described(one))] if annotation else []


@each(
    ("model", "name", "document"),
    [
        (BusinessFields, "workingHours", {"workingHours": {"monday": "all day"}}),
        (BusinessFields, "limits", {"limits": {"phone": {"callsPerTurn": "many"}}}),
        (ServiceRow, "needs", {"services": [{"name": "Cut", "needs": [{"kind": "Nobody Knows"}]}]}),
        (RuleRow, "hours", {"escalation": {"rules": [{**VET, "hours": "allways"}]}}),
    ],
)
def test_every_field_of_free_form_is_read_strictly_where_it_is_saved(
    model: Any, name: str, document: dict[str, Any]
) -> None:
    """What a reader would fall back from without a word is named."""
    assert check_business({**SALON, **document}, SALON)
    listed: dict[Any, set[str]] = {
        BusinessFields: {"workingHours", "limits"},
        ServiceRow: {"needs"},
        RuleRow: {"hours"},
    }
    assert name in free_forms(model) == listed[model]
