"""A business's whole document: what is wrong with it is named, and what would be right."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

from switchboard.admin.businesses.document import check_document, costs_callers
from switchboard.admin.businesses.known_names import NamesThereAre
from tests.each import each

SEEDS = Path(__file__).parents[3] / "seeds" / "businesses"
SALON = json.loads((SEEDS / "demo-salon" / "business.json").read_text(encoding="utf-8"))

NAMES = NamesThereAre({"book_appointment", "end_call"}, {"records", "kb_search"})


def edited(path: str, value: Any, instead_of: str = "") -> dict[str, Any]:
    """Return the salon's document with something at a path, where a whole number is the place in a list."""
    document: dict[str, Any] = deepcopy(SALON)
    *steps, last = path.split(".")
    at: Any = document
    for step in steps:
        at = at[int(step)] if step.isdigit() else at[step]
    if instead_of:
        del at[instead_of]
    at[last] = value
    return document


@each("name", [folder.name for folder in sorted(SEEDS.iterdir())])
def test_the_businesses_of_the_seeds_have_no_problems(name: str) -> None:
    """What is shown as an example is right."""
    assert check_document(name, json.loads((SEEDS / name / "business.json").read_text(encoding="utf-8"))) == []


@each(
    ("path", "value", "instead_of", "field", "named", "costly"),
    [
        ("timezonee", "America/New_York", "timezone", "timezonee", "Did you mean timezone?", True),
        ("timezone", "America/NewYork", "", "timezone", "America/New_York comes nearest", True),
        ("timeZone", "America/New_York", "", "timeZone", "Did you mean timezone?", False),
        ("workinghours", {}, "workingHours", "workinghours", "Did you mean workingHours?", True),
        ("colour", "red", "", "colour", "Use name, industry, phone", False),
        ("ai.greting", "Hello", "greeting", "ai.greting", "Did you mean greeting?", True),
        ("services.0.durationMinuts", 45, "", "services[0].durationMinuts", "Did you mean durationMinutes?", True),
        ("workingHours.munday", [], "", "workingHours.munday", "Did you mean monday?", False),
        ("integrations.twillio", {}, "twilio", "integrations.twillio", "Did you mean twilio?", True),
        (
            *("integrations.twilio.isConected", True, "isConnected", "integrations.twilio.isConected"),
            *("Did you mean isConnected?", True),
        ),
        ("resources.0.nme", "Rosa", "", "resources[0].nme", "Did you mean name?", True),
        ("escalation.rules.0.action", "tranfer", "", "escalation.rules[0].action", "transfer or message", True),
        ("escalation.rules.0.emial", "a@b.example", "", "escalation.rules[0].emial", "Did you mean email?", True),
        (
            *("escalation.rules.0.destinaton", "+15185550143", "destination", "escalation.rules[0].destinaton"),
            *("Did you mean destination?", True),
        ),
        ("escalation.rules.0.destination", "911", "", "escalation.rules[0].destination", "can be rung", True),
        ("twilioNumber", "518 555 0100", "", "twilioNumber", "must be written as +1", True),
        ("enabledTools", ["book_apointment"], "", "enabledTools[0]", "Did you mean book_appointment?", True),
        ("enabledTools", ["book_appointment", "fly"], "", "enabledTools[1]", "Use book_appointment, end_call", False),
        ("enabledTools", ["fly"], "", "enabledTools", "callers are offered none", True),
        ("features", {"recrods": True}, "", "features.recrods", "Did you mean records?", True),
        ("features", {"records": True, "recrods": True}, "", "features.recrods", "Did you mean records?", False),
        ("features", ["unheard_of"], "", "features.unheard_of", "Use kb_search, records", False),
        (
            "integrations.twilio.isConnected",
            "true",
            "",
            "integrations.twilio.isConnected",
            "neither true nor false",
            True,
        ),
        ("integrations.twilio.connected", True, "isConnected", "integrations.twilio.connected", "isConnected?", True),
        (
            *("integrations.builtinCalendar", {"isConnected": 1}, "", "integrations.builtinCalendar.isConnected"),
            *("counts as false", True),
        ),
        (
            *("integrations.googleCalendar", {"isConnected": True, "minNoticeMinutes": "soon"}, ""),
            *("integrations.googleCalendar.minNoticeMinutes", "must be", False),
        ),
        (
            *("integrations.builtinCalendar", {"isConnected": True, "maxDaysAhead": -3}, ""),
            *("integrations.builtinCalendar.maxDaysAhead", "must be", False),
        ),
        ("escalation.safeNumbr", "+15185550143", "", "escalation.safeNumbr", "Did you mean safeNumber?", True),
        ("services", "Haircut", "", "services", "must be a list", True),
        ("email", "hello", "", "email", "such as hello@example.com", False),
        ("name", "", "", "name", "must not be empty", False),
    ],
)
def test_what_is_wrong_is_named_with_the_nearest_right_one(
    path: str, value: Any, instead_of: str, field: str, named: str, costly: bool
) -> None:
    """Whoever wrote it knows what to write; what callers go without is told from what only looks odd."""
    document = edited(path, value, instead_of)
    problems = {problem.field: problem for problem in check_document("salon", document, NAMES)}
    assert named in problems[field].message
    assert costs_callers(problems[field], document) is costly


def test_a_document_without_a_zone_or_a_name_is_told_so() -> None:
    """Neither has a default that would be right."""
    fields = [problem.field for problem in check_document("salon", {})]
    assert fields == ["name", "timezone"]


def test_what_the_running_system_keeps_beside_is_no_problem() -> None:
    """A document that comes back from Firestore is as good as the one that went there."""
    beside = {"search": {"version": 1, "words": []}, "createdAt": None, "updatedAt": None, "updatedBy": "owner:1"}
    calendar = {"isConnected": True, "scopes": [], "expiresAt": None, "needsReauth": False}
    phone = SALON["integrations"]["twilio"] | {"listedAt": {}}
    document = SALON | beside | {"integrations": {"googleCalendar": calendar, "twilio": phone, "ownProgram": {"x": 1}}}
    assert check_document("salon", document) == []
