"""Who may read what of Firestore directly: every role, every kind of document, every operation, on the emulator."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, get_args

import aiohttp
import pytest

from switchboard.admin.access.roles import ALLOWED, Operation, Role
from switchboard.contract.ports import BusinessCollection
from switchboard.state.paths import FirestorePaths
from tests.architecture.house import ROOT
from tests.deploy.signed_in import OPERATIONS, Database

OWN, OTHER = "demo-salon", "demo-plumber"
PATHS = FirestorePaths()
COLLECTIONS: tuple[str, ...] = get_args(BusinessCollection)

# What may be read directly, by what the API asks for it; everything that is not named here is nobody's.
READ_FOR: dict[str, Operation] = {
    "": Operation.SEE_BUSINESS,
    "policies": Operation.SEE_ENTRIES,
    "faqs": Operation.SEE_ENTRIES,
    "evals": Operation.SEE_CONVERSATIONS,
    "knowledge": Operation.SEE_ENTRIES,
    "interactions": Operation.SEE_CONVERSATIONS,
    "audit": Operation.SEE_AUDIT,
}

# Somebody's claims, and the role they have at the salon by them.
PEOPLE: dict[str, tuple[dict[str, Any] | None, Role | None]] = {
    "stranger": (None, None),
    "signed in": ({}, None),
    "platform": ({"platformAdmin": True}, Role.PLATFORM),
    "owner": ({"roles": {OWN: "owner"}}, Role.OWNER),
    "editor": ({"roles": {OWN: "editor"}}, Role.EDITOR),
    "viewer": ({"roles": {OWN: "viewer", OTHER: "owner"}}, Role.VIEWER),
    "neighbour": ({"roles": {OTHER: "owner"}}, None),
    "misspelt": ({"roles": {OWN: "Owner"}, "platformAdmin": "true"}, None),
    "listed": ({"roles": [OWN, "owner"]}, None),
    "all-owner": ({"roles": "owner"}, None),
    "wrapped": ({"roles": {OWN: ["owner"]}}, None),
    "platform by word": ({"roles": {OWN: "platform"}}, None),
    "numbered": ({"platformAdmin": 1}, None),
}


def documents_of(business_id: str) -> dict[str, str]:
    """Return a path for every kind of document of a business, by collection; "" is the business itself."""
    within = PATHS.within(business_id)
    kinds = {"": within.business} | {name: within.document(name, "one") for name in COLLECTIONS}  # type: ignore[arg-type]
    below = {
        "calls": within.call("s1", "c1"),
        "effects": within.effect("s1", "e1"),
        "items": f"{within.items('x')}/one",
    }
    return kinds | below


SHARED = {
    "definitions": PATHS.definition("send_sms"),
    "versions": PATHS.definition_version("send_sms", "1"),
    "pointer": PATHS.tool_pointer,
    "templates": PATHS.prompt_template("system"),
    "catalogs": PATHS.catalog("abc"),
    "elsewhere": "anything/at-all",
}


@pytest.fixture(scope="module")
async def database(emulator_host: str, worker_project: str) -> AsyncIterator[Database]:
    """A project of its own under our rules, with one document of every kind in it."""
    async with aiohttp.ClientSession() as http:
        found = Database(http, emulator_host, f"{worker_project}-rules")
        await found.protect((ROOT / "firestore.rules").read_text())
        for path in (*documents_of(OWN).values(), *documents_of(OTHER).values(), *SHARED.values()):
            await found.keep(path)
        yield found


async def everything_tried(
    database: Database, claims: dict[str, Any] | None, documents: dict[str, str]
) -> dict[tuple[str, str], bool]:
    """Return what somebody may do, by the name of a document and an operation."""
    tried = [(name, operation) for name in documents for operation in OPERATIONS]
    allowed = await asyncio.gather(*(database.allows(claims, op, documents[name]) for name, op in tried))
    return dict(zip(tried, allowed, strict=True))


@pytest.mark.emulator
@pytest.mark.parametrize("person", PEOPLE)
async def test_everybody_reads_of_a_business_what_the_api_would_show_them_and_changes_nothing(
    database: Database, person: str
) -> None:
    claims, role = PEOPLE[person]
    seen = await everything_tried(database, claims, documents_of(OWN))
    expected = dict.fromkeys(seen, False)
    for name, needed in READ_FOR.items():
        expected[name, "get"] = expected[name, "list"] = role in ALLOWED[needed]
    # Only who may see every business may list them: a query cannot be held against claims document by document.
    expected["", "list"] = role is Role.PLATFORM
    assert seen == expected


@pytest.mark.emulator
@pytest.mark.parametrize("person", PEOPLE)
async def test_what_all_businesses_share_is_closed_but_for_who_runs_the_platform(
    database: Database, person: str
) -> None:
    """A definition names the businesses that try it, which nobody else need know of."""
    claims, role = PEOPLE[person]
    seen = await everything_tried(database, claims, SHARED)
    expected = dict.fromkeys(seen, False)
    expected["definitions", "get"] = expected["definitions", "list"] = role is Role.PLATFORM
    assert seen == expected


@pytest.mark.emulator
@pytest.mark.parametrize("person", ["owner", "editor", "viewer"])
async def test_a_role_at_one_business_opens_nothing_of_another(database: Database, person: str) -> None:
    claims = {"roles": {OWN: person}}
    seen = await everything_tried(database, claims, documents_of(OTHER))
    assert not any(seen.values())


@pytest.mark.emulator
@pytest.mark.parametrize("limit", [None, 101, 300])
async def test_a_list_is_read_in_pages(database: Database, limit: int | None) -> None:
    for name in ("policies", "interactions", "audit"):
        path = documents_of(OWN)[name]
        assert await database.allows({"roles": {OWN: "owner"}}, "list", path, limit=100)
        assert not await database.allows({"roles": {OWN: "owner"}}, "list", path, limit=limit)


@pytest.mark.emulator
async def test_nobody_searches_every_business_at_once(database: Database) -> None:
    for claims in ({"platformAdmin": True}, {"roles": {OWN: "owner"}}):
        for collection in ("interactions", "apiKeys", "secrets", "calls"):
            assert not await database.finds_anywhere(claims, collection)
