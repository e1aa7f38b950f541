"""Accounts that are let in without a key, as owners enter and revoke them over HTTP."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from switchboard.admin.credentials.api_keys import enter_account
from switchboard.contract.account import TrustedAccount
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import Query, Update
from switchboard.state.memory.store import MemoryStore
from tests.admin.office import OTHER, PATHS, SALON, Office, opened
from tests.each import each

EMAIL, ISSUER = "till@my-project.iam.gserviceaccount.com", "https://login.example.com"
TILL = {"name": "Till", "scopes": ["tools:read", "owner"], "serviceAccount": EMAIL}


@pytest.fixture
async def office() -> AsyncIterator[Office]:
    """An office without keys, whose deployment trusts an authorization server."""
    async with opened(MemoryStore(), issuer=ISSUER) as found:
        yield found


async def test_a_service_account_is_entered_listed_and_revoked_as_a_key_is(office: Office):
    """It has no text, and every step stands in the audit with who it is."""
    made = await office.done("POST", "keys", TILL | {"serviceAccount": f" {EMAIL.upper()} "})
    assert made["text"] is None
    (key,) = (await office.done("GET", "keys"))["keys"]
    assert (key["serviceAccount"], key["works"], key["scopes"]) == (EMAIL, True, ["tools:read", "owner"])
    assert key["revision"] == made["revision"]
    assert "issuer" not in key
    assert (await office.ask("DELETE", f"keys/{key['id']}", revision=key["revision"])).status_code == 200
    assert (await office.done("GET", "keys"))["keys"][0]["works"] is False
    entered, revoked = await office.audit()
    assert entered["after"]["serviceAccount"] == EMAIL
    assert (revoked["before"]["isRevoked"], revoked["after"]["isRevoked"]) == (False, True)


async def test_a_subject_is_one_of_the_issuer_that_is_trusted(office: Office):
    """Whoever enters it cannot choose another; where none is trusted there is nobody to enter."""
    assert (await office.done("GET", "keys"))["issuer"] == ISSUER
    await office.done("POST", "keys", {"name": "Bot", "scopes": ["tools:read"], "subject": "client-7"})
    (key,) = (await office.done("GET", "keys"))["keys"]
    assert (key["subject"], key["issuer"]) == ("client-7", ISSUER)
    async with opened(MemoryStore()) as without:
        wanted = {"name": "Bot", "scopes": ["tools:read"], "subject": "client-7"}
        error = await without.refused("POST", "keys", wanted, 400)
        assert [problem["field"] for problem in error["problems"]] == ["subject"]
        assert (await without.done("GET", "keys"))["issuer"] is None


@each(
    ("given", "fields"),
    [
        ({"serviceAccount": "ana@example.com"}, ["serviceAccount"]),
        ({"serviceAccount": ""}, ["serviceAccount"]),
        ({"serviceAccount": 7}, ["serviceAccount"]),
        ({"serviceAccount": [EMAIL]}, ["serviceAccount"]),
        ({"serviceAccount": EMAIL, "subject": "x"}, ["subject"]),
        ({"subject": ""}, ["subject"]),
        ({"subject": "a\nb"}, ["subject"]),
        ({"subject": "x" * 256}, ["subject"]),
        ({"subject": {"a": 1}}, ["subject"]),
        ({"subject": "x", "scopes": ["tools:read", "owner"]}, ["scopes"]),
        ({"serviceAccount": "x", "name": "", "scopes": ["platform"]}, ["serviceAccount", "name", "scopes"]),
        ({"serviceAccount": EMAIL, "issuer": "https://other.example.com"}, ["issuer"]),
        ({"serviceAccount": EMAIL, "hash": "0" * 64}, ["hash"]),
    ],
    ids=repr,
)
async def test_an_account_that_cannot_be_is_refused_with_all_that_is_wrong(
    office: Office, given: dict[str, Any], fields: list[str]
):
    """And nothing is entered."""
    error = await office.refused("POST", "keys", {"name": "x", "scopes": ["tools:read"]} | given, 400)
    assert [problem["field"] for problem in error["problems"]] == fields
    assert (await office.done("GET", "keys"))["keys"] == []


async def test_an_account_is_entered_once_in_a_business(office: Office):
    """Again is refused while it counts; once revoked or expired it may come back, with what it is given then."""
    made = await office.done("POST", "keys", TILL)
    again = await office.ask("POST", "keys", TILL | {"name": "Twin"})
    assert (again.status_code, again.json()["error"]["type"]) == (409, "CONFLICT")
    (key,) = (await office.done("GET", "keys"))["keys"]
    assert key["name"] == "Till"
    await office.ask("DELETE", f"keys/{made['id']}", revision=made["revision"])
    back = TILL | {"name": "Back", "scopes": ["tools:execute"], "expiresAt": "2100-01-01T00:00:00Z"}
    assert (await office.done("POST", "keys", back))["id"] == made["id"]
    (key,) = (await office.done("GET", "keys"))["keys"]
    assert (key["name"], key["scopes"], key["works"], key["revokedAt"]) == ("Back", ["tools:execute"], True, None)
    assert len(await office.audit()) == 3


async def test_two_who_bring_it_back_at_once_bring_it_back_once(office: Office):
    """What the first has entered is not written over unseen."""
    account, now = TrustedAccount("serviceAccount", EMAIL), office.clock.now()
    place = PATHS.within(SALON).document("apiKeys", account.key_id)
    await enter_account(office.store, PATHS, SALON, "old", account, now)
    await office.store.commit([Update(place, {"revokedAt": now})])

    class Overtaken(MemoryStore):
        """A store in which somebody else is faster."""

        async def get(self, path: str) -> Any:
            found = await office.store.get(path)
            if path == place:
                await office.store.commit([Update(place, {"name": "faster", "revokedAt": None})])
            return found

        async def commit(self, writes: Any) -> Any:
            return await office.store.commit(writes)

    with pytest.raises(ToolError) as caught:
        await enter_account(Overtaken(), PATHS, SALON, "slower", account, now)
    assert caught.value.type is ErrorType.CONFLICT
    (document,) = await office.store.query(Query(PATHS.within(SALON).collection("apiKeys")))
    assert document.data["name"] == "faster"


async def test_an_account_has_the_same_id_in_every_business(office: Office):
    """By which the audit knows it wherever it acts; other accounts have others."""
    now = office.clock.now()
    accounts = [
        TrustedAccount("serviceAccount", EMAIL),
        TrustedAccount("subject", EMAIL, ISSUER),
        TrustedAccount("subject", EMAIL, "https://other.example.com"),
    ]
    ids = [[await enter_account(office.store, PATHS, b, "x", a, now) for b in (SALON, OTHER)] for a in accounts]
    assert all(one == two for one, two in ids)
    assert len({one for one, _ in ids}) == 3
