"""Whoever reads the document can rely on it: what it allows is taken, what it forbids refused, answers are as it says.

A few of the cases that lie at the bounds of each operation's description, by every check of Schemathesis; all of them
by hand: `SWITCHBOARD_FUZZ_EXAMPLES=0 scripts/test tests/operations/test_described_operations.py`.
"""

import asyncio
import json
import os
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from switchboard.admin.api import openapi
from switchboard.app.container import Container, build
from switchboard.app.settings import read_configuration
from switchboard.state.memory.store import MemoryStore
from tests.operations.premises import BUSINESS, ENVIRONMENT, KEY
from tests.operations.test_strange_requests import furnished

MOST = int(os.environ.get("SWITCHBOARD_FUZZ_EXAMPLES", "10")) or None
LONG = 2_000
# What is based on a revision depends on what is there, and what asks others on whether they answer.
UNDECIDED = ["2xx", "3xx", 401, 403, 404, 409, 412, 428, 429, "5xx"]
CONFIGURATION = {"checks": {"positive_data_acceptance": {"expected-statuses": UNDECIDED}}}
HOME = "/admin/businesses/{business_id}"
OWN = "/api/{business_id}"
TOOLS = f"{OWN}/tools"
ANY = "*"
BOUND = "Calls are bound from it: which variables stand in which texts, what is used nowhere, what an address holds."
CONNECTING = tuple(f"/admin/integrations/{vendor}" for vendor in ("google", "microsoft"))
CUSTOMERS = (f"POST {HOME}/customers", f"PATCH {HOME}/customers/{{customer_id}}")
PUSHES = (f"POST {HOME}/push", "POST /admin/templates/{template_id}/push")
ENTERED = (f"POST {HOME}/resources", f"PUT {HOME}/resources/{{resource_id}}")

RULES: tuple[tuple[str, str, str], ...] = (
    (ANY, "cursor", "A page goes on where the page before it has said."),
    (ANY, "revision", "The header and the body name the same revision."),
    (ANY, "to", "A time ends after it begins."),
    (f"GET {HOME}/sessions", "caller", "It is a number that there can be."),
    (f"GET {HOME}/audit", "kind", "The kinds of what is edited grow with the house."),
    (f"GET {HOME}/what-if", "integrations", "Accounts are some that tools ask for, each with how it stands."),
    (f"GET {HOME}/what-if", "rules", "Both kinds of rules, one or none, with commas."),
    (f"GET {HOME}/what-if", "features", "They are some that tools ask for."),
    (f"PATCH {HOME}", ANY, "What becomes of a business is held against the people, rooms and seats that it has."),
    (f"POST {HOME}/agents", "tools", "This business has tools of those names."),
    (f"POST {HOME}/agents", "toolkits", "There are toolkits of those names."),
    (f"POST {HOME}/agents", "limits", "Of a turn's limits one lies within the other."),
    (f"PATCH {HOME}/agents/{{agent_id}}", "limits", "Of a turn's limits one lies within the other."),
    (f"PATCH {HOME}/agents/{{agent_id}}", "tools", "This business has tools of those names."),
    (f"PATCH {HOME}/agents/{{agent_id}}", "toolkits", "There are toolkits of those names."),
    (f"POST {HOME}/absences", "resource", "It is somebody, or something, of this business."),
    (f"POST {HOME}/bookings/{{booking_id}}/assign", "", "Whoever is named belongs to this business."),
    (f"POST {HOME}/bookings/{{booking_id}}/assign", "resource", "Whoever is named belongs to this business."),
    (f"GET {HOME}/appointments", "day", "It stands in place of from and to, and days begin with it."),
    (f"GET {HOME}/appointments", "days", "They begin with a day."),
    (f"GET {HOME}/appointments", "text", "It is a name, a number or a reference."),
    (f"POST {HOME}/appointments", ANY, "The business has such a service, is open then, and somebody is free."),
    (f"POST {HOME}/appointments/{{booking_id}}/move", "start", "It is a day and a time, with an offset or without."),
    (f"PATCH {HOME}/appointments/{{booking_id}}", "customer", "It is somebody's name."),
    (f"PATCH {HOME}/appointments/{{booking_id}}", "phone", "Whether it is a number depends on where the business is."),
    *((each, "name", "Nobody is kept of whom neither name, number nor address is said.") for each in CUSTOMERS),
    *((each, "phone", "Whether it is a number depends on where the business is.") for each in CUSTOMERS),
    *((each, "otherPhones", "Whether it is a number depends on where the business is.") for each in CUSTOMERS),
    *((each, "dateOfBirth", "It is a day that was.") for each in CUSTOMERS),
    (f"GET {HOME}/customers", "text", "It is a name, a number or an address."),
    (f"POST {HOME}/calendar-feeds", "person", "It is somebody of this business."),
    (f"POST {HOME}/converse", "callerPhone", "It is a number that there can be."),
    (f"POST {HOME}/converse", "agentId", "It is an agent of this business."),
    (f"POST {HOME}/keys", "subject", "Of subject and serviceAccount one is said."),
    (f"POST {HOME}/keys", "expiresAt", "It is a time to come."),
    (f"POST {HOME}/mcp/connect", "", "A server answers at that address."),
    (f"POST {HOME}/mcp/connect", "attachTo", "Tools times agents are at most a hundred."),
    (f"POST {HOME}/mcp/connect", "server", "Headers are not the protocol's own, and secrets were entered before."),
    (f"POST {HOME}/mcp/connect", "params", "Its keys are among the tools that are chosen."),
    (f"POST {HOME}/mcp/discover", "", "A server answers at that address."),
    (f"POST {HOME}/mcp/discover", "server", "Headers are not the protocol's own, and secrets were entered before."),
    *((each, "id", "It is nobody else's, and stays.") for each in ENTERED),
    *((each, "name", "It is nobody else's, and means somebody.") for each in ENTERED),
    *((each, "hours", "Openings are times in order, and exceptions are dates.") for each in ENTERED),
    *((each, "services", "There are such services.") for each in ENTERED),
    *((each, "calendars", "They are connected.") for each in ENTERED),
    *((each, "absences", "Each ends after it begins, and has an id of its own.") for each in ENTERED),
    (f"POST {HOME}/absences", "end", "An absence ends after it begins."),
    (f"POST {HOME}/collections", "fields", "Each is named once."),
    (f"PUT {HOME}/collections/{{name}}", "fields", "Each is named once."),
    (f"POST {HOME}/documents", ANY, "It is typed, or its parts were read somewhere."),
    (f"PUT {HOME}/documents/{{id}}", ANY, "It is typed, or its parts were read somewhere."),
    (f"POST {HOME}/documents/read", ANY, "There is a file or a page, and it can be read."),
    *((each, "businesses", "Each is named once, with its token where it is no dry run.") for each in PUSHES),
    *((each, "all", "It is for a dry run, in the place of businesses.") for each in PUSHES),
    (f"POST {HOME}/restrictions", "phone", "Whether it is a number depends on where the business is."),
    (f"POST {HOME}/restrictions", "blockedUntil", "It lies within a year from now."),
    (f"POST {HOME}/restrictions", "flag", "One of flag and blockedUntil is said."),
    (f"POST {HOME}/text-stops", "phone", "Whether it is a number depends on where the business is."),
    (f"PUT {HOME}/evals/{{name}}", "text", "It holds a scenario of what this business has."),
    (f"POST {HOME}/tools/bundle", "bundle", "A text holds a bundle; names are there once; its hash is its own."),
    (f"POST {HOME}/tools/import", "document", "It holds an OpenAPI document."),
    (f"POST {HOME}/tools/import", "chosen", "The document has such operations."),
    (f"POST {HOME}/try", "callerPhone", "It is a number that there can be."),
    (f"POST {HOME}/try", "agentId", "It is an agent of this business."),
    (f"PUT {HOME}/toolkits/{{name}}", "", "Of config and sensitiveConfig one is said."),
    (f"PUT {HOME}/toolkits/{{name}}", "config", "Each toolkit says what it needs."),
    *((f"GET {each}/connect", "calendarId", "An id is what the vendor gives its calendars.") for each in CONNECTING),
    *((f"{method} {each}/begin", "", "That was begun here.") for each in CONNECTING for method in ("GET", "POST")),
    *((f"GET {each}/callback", "", "It was begun here, and the vendor says yes.") for each in CONNECTING),
    (f"POST {TOOLS}", ANY, BOUND),
    (f"PUT {TOOLS}/{{tool_id}}", ANY, BOUND),
    (f"PATCH {TOOLS}/{{tool_id}}", ANY, BOUND),
    (f"POST {TOOLS}/{{tool_id}}/test", "callerPhone", "It is a number that there can be."),
    (f"POST {TOOLS}/{{tool_id}}/test", "calledPhone", "It is a number that there can be."),
    (f"POST {OWN}/agents/{{agent_id}}/collections", "collection", "It has items, which show what can be asked by."),
    ("PUT /admin/prices", "prices", "Each is there once, and of one tool or model where those differ."),
    (f"PUT {OWN}/secrets/{{name}}", "name", "It stands in the path, which is told before anything is looked up."),
)
"""What no schema can say: operation, field (with all that is inside of it) and why; `ANY` of them all."""


def _owners(house: Container) -> set[str]:
    """Return every operation of the owners' API, as the document names it."""
    admin = house.admin_app
    endpoints = {"/admin": admin.admin_endpoints, "/api": admin.api_endpoints}
    endpoints["/tts_admin"] = admin.office.tts_admin_endpoints
    return {f"{e.method} {prefix}{e.path}" for prefix, those in endpoints.items() for e in those}


def _described() -> tuple[Any, set[str]]:
    # Takes a second to load, for whoever asks.
    import schemathesis
    from schemathesis.config import SchemathesisConfig

    store = MemoryStore()
    asyncio.run(furnished(store))
    house = build(read_configuration(ENVIRONMENT), store)
    config = SchemathesisConfig.from_dict(CONFIGURATION)
    schema = schemathesis.openapi.from_asgi("/admin/openapi.json", house.app, config=config)
    _make_long_texts_plain(schema.raw_schema)
    return schema, _owners(house)


def _make_long_texts_plain(part: Any) -> None:
    """Take patterns from texts that are so long that making one up by its pattern takes minutes."""
    if isinstance(part, dict) and isinstance(part.get("maxLength"), int) and part["maxLength"] > LONG:
        part.pop("pattern", None)
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        _make_long_texts_plain(inner)


@pytest.mark.requirement("004-614")
@pytest.mark.filterwarnings("ignore")
def test_every_operation_does_what_the_document_says(subtests: pytest.Subtests):
    """With everything that Schemathesis checks, and `RULES` as the only exceptions."""
    schema, owners = _described()
    operations = [operation for found in schema.get_all_operations() if (operation := found.ok()).label in owners]
    assert {operation.label for operation in operations} == owners
    assert {label for label, _, _ in RULES} - {ANY} <= owners
    for operation in operations:
        with subtests.test(operation.label):
            for case in _cases(operation):
                _check(case)


def test_a_rule_covers_its_field_and_nothing_else():
    """Otherwise the table would hide what nobody has looked at."""
    told = {"error": {"problems": [{"field": "person"}]}}
    assert _is_covered(f"POST {HOME}/calendar-feeds", told)
    assert not _is_covered(f"GET {HOME}/calendar-feeds", told)
    for fields in (["name"], ["person", "name"], ["personal"]):
        told = {"error": {"problems": [{"field": field} for field in fields]}}
        assert not _is_covered(f"POST {HOME}/calendar-feeds", told), fields
    assert len({(operation, field) for operation, field, _ in RULES}) == len(RULES)
    assert _is_covered(f"POST {HOME}/tools/bundle", {"error": {"problems": [{"field": "bundle.tools[0].name"}]}})


@pytest.mark.requirement("004-615")
def test_a_client_is_made_of_the_whole_document(tmp_path: Path):
    """No operation, body or answer is left out of it."""
    from openapi_python_client import generate
    from openapi_python_client.config import Config, ConfigFile, MetaType

    house = build(read_configuration(ENVIRONMENT), MemoryStore())
    described = tmp_path / "openapi.json"
    described.write_text(json.dumps(openapi.document(house.described())))
    config = Config.from_sources(
        *(ConfigFile(post_hooks=[]), MetaType.NONE, described, "utf-8", False), output_path=tmp_path / "client"
    )
    assert [(wrong.header, wrong.detail) for wrong in generate(config=config)] == []


def _cases(operation: Any) -> Iterator[Any]:
    from schemathesis.generation import GenerationMode

    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
        cases = operation.schema.iter_coverage_cases(
            operation,
            generation_modes=[mode],
            generation_config=operation.schema.config.generation_for(operation=operation),
        )
        if mode is GenerationMode.POSITIVE or MOST is None:
            # Of long texts each takes a while to make up.
            yield from islice(cases, MOST)
        else:
            # From everywhere: those of headers, queries and methods come one after the other.
            found = list(cases)
            yield from found[:: -(-len(found) // MOST) or 1]


def _check(case: Any) -> None:
    from schemathesis.core.failures import FailureGroup

    if "business_id" in (case.path_parameters or {}):
        case.path_parameters["business_id"] = BUSINESS
    headers = {"Authorization": f"Bearer {KEY}"}
    answer = case.call(headers=headers)
    try:
        case.validate_response(answer, headers=headers)
    except FailureGroup as group:
        names = {type(failure).__name__ for failure in group.exceptions}
        if names != {"RejectedPositiveData"} or not _is_covered(case.operation.label, _told(answer)):
            raise


def _told(answer: Any) -> Any:
    """Return what a refusal tells programs; a page tells them nothing."""
    return answer.json() if answer.headers["content-type"][0] == "application/json" else {"error": {}}


def _is_covered(label: str, told: Mapping[str, Any]) -> bool:
    """Tell whether a refusal is by rules that no schema can say."""
    fields = [problem["field"] for problem in told["error"].get("problems", [{"field": ""}])]
    ruled = [field for operation, field, _ in RULES if operation in (ANY, label)]
    return all(any(_is_inside(field, rule) for rule in ruled) for field in fields)


def _is_inside(field: str, rule: str) -> bool:
    return rule == ANY or field == rule or (rule != "" and field.startswith((f"{rule}.", f"{rule}[")))
