"""API keys as owners make and revoke them over HTTP: shown once, listed without their text, useless once revoked."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from switchboard.admin.credentials.api_keys import create_key
from switchboard.contract.credential import Scope
from switchboard.state.memory.store import MemoryStore
from tests.admin.office import PATHS, SALON, Office, opened
from tests.each import each


@pytest.fixture
async def office() -> AsyncIterator[Office]:
    """An office without keys."""
    async with opened(MemoryStore()) as found:
        yield found


async def test_a_key_is_shown_once_and_listed_without_its_text(office: Office):
    """With what it allows, and until when."""
    wanted = {"name": " The  till ", "scopes": ["tools:execute", "tools:read"], "expiresAt": "2100-01-01T00:00:00Z"}
    made = await office.done("POST", "keys", wanted)
    listed = await office.ask("GET", "keys")
    (key,) = listed.json()["keys"]
    assert (key["id"], key["name"], key["works"]) == (made["id"], "The till", True)
    assert (key["scopes"], key["expiresAt"][:4]) == (["tools:read", "tools:execute"], "2100")
    assert made["text"] not in listed.text + repr(await office.audit())


async def test_a_key_is_revoked_once(office: Office):
    """Again changes nothing; one that is not there is not found."""
    made = await office.done("POST", "keys", {"name": "Till", "scopes": ["tools:read"]})
    path = f"keys/{made['id']}"
    assert (await office.ask("DELETE", path, revision=made["revision"])).status_code == 200
    (key,) = (await office.done("GET", "keys"))["keys"]
    assert (key["works"], key["revokedAt"] is None) == (False, False)
    assert (await office.ask("DELETE", path, revision=made["revision"])).status_code == 412
    assert (await office.ask("DELETE", path, revision=key["revision"])).status_code == 200
    assert (await office.ask("DELETE", "keys/none", revision="x")).status_code == 404
    assert [entry["deed"] for entry in await office.audit()] == ["created", "changed"]


@each(
    ("given", "fields"),
    [
        ({}, ["name", "scopes"]),
        ({"name": " ", "scopes": []}, ["name", "scopes"]),
        ({"name": "x", "scopes": ["tools:read", "everything"]}, ["scopes"]),
        ({"name": "x", "scopes": ["platform"]}, ["scopes"]),
        ({"name": "x", "scopes": [["owner"]]}, ["scopes"]),
        ({"name": "x", "scopes": ["owner"], "expiresAt": "2020-01-01T00:00:00Z"}, ["expiresAt"]),
        ({"name": "x", "scopes": ["owner"], "expiresAt": "2100-01-01T00:00:00"}, ["expiresAt"]),
        ({"name": "x", "scopes": ["owner"], "expiresAt": "9999-12-31T23:59:59-05:00"}, ["expiresAt"]),
        ({"name": "x", "scopes": ["owner"], "expiresAt": 7}, ["expiresAt"]),
    ],
)
async def test_what_is_wrong_with_a_key_is_told_all_at_once(office: Office, given: dict[str, Any], fields: list[str]):
    """And no key is made; what operators may do, no owner can give away."""
    error = await office.refused("POST", "keys", given, 400)
    assert [problem["field"] for problem in error["problems"]] == fields
    assert (await office.done("GET", "keys"))["keys"] == []


async def test_keys_are_the_owners_alone(office: Office):
    """Editors see none; and a key of the operators is theirs to revoke."""
    for method in ("GET", "POST"):
        answer = await office.ask(method, "keys", {"name": "x", "scopes": ["owner"]}, role="editor")
        assert answer.status_code == 403
    made = await create_key(office.store, PATHS, SALON, "operators", scopes=[Scope.PLATFORM])
    (key,) = (await office.done("GET", "keys"))["keys"]
    path, revision = f"keys/{made.id}", key["revision"]
    assert (await office.ask("DELETE", path, revision=revision)).status_code == 403
    assert (await office.ask("DELETE", path, role="platform", revision=revision)).status_code == 200
