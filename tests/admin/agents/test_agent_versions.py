"""Agents with versions: each save keeps one, two are compared, and any of them is saved again."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from switchboard.contract.ports import Store
from switchboard.contract.store import DELETE_FIELD, Update
from tests.admin.office import OTHER, PATHS, SALON, Office, opened

ADA = "agents/ada"


@pytest.fixture
async def office(store: Store) -> AsyncIterator[Office]:
    """An office over each store in turn, with two agents."""
    async with opened(store) as found:
        await found.done("POST", "agents", {"name": "Ada", "language": "en"})
        await found.done("POST", "agents", {"name": "Bob", "description": "For the evenings."})
        yield found


async def versions(office: Office, agent: str = ADA, **query: Any) -> list[dict[str, Any]]:
    """Return the versions of an agent, the newest first."""
    asked = "&".join(f"{name}={value}" for name, value in query.items())
    found: list[dict[str, Any]] = (await office.done("GET", f"{agent}/versions?{asked}"))["versions"]
    return found


async def rolled_back(office: Office, version: str, revision: str | None = None, role: str = "owner") -> Any:
    """Have an agent be again as in a version, based on what is there now unless said otherwise."""
    based_on = revision if revision is not None else f'"{await office.revision(ADA)}"'
    headers = {"Authorization": f"Bearer {SALON}", "X-Role": role, "If-Match": based_on}
    office.clock.wait(1)
    return await office.client.post(f"/businesses/{SALON}/{ADA}/versions/{version}/rollback", json={}, headers=headers)


@pytest.mark.requirement("004-823")
async def test_each_save_keeps_a_version_and_any_of_them_is_saved_again(office: Office):
    """With who saved it and what differed; going back is a save like any other, with a version of its own."""
    await office.done("PATCH", ADA, {"language": "de", "tools": {"send_sms": {"enabled": False}}})
    await office.done("PATCH", ADA, {"description": "Answers in German."})
    newest, second, first = await versions(office)
    assert [one["isNow"] for one in (newest, second, first)] == [True, False, False]
    assert (first["deed"], second["deed"], second["who"]["role"]) == ("created", "changed", "owner")
    assert 'language: "en" → "de"' in second["changes"]
    answer = await rolled_back(office, first["id"])
    assert answer.status_code == 200, answer.text
    now = await office.done("GET", ADA)
    assert (now["language"], now["tools"], now["description"]) == ("en", {}, "")
    assert [one["isNow"] for one in await versions(office)] == [True, False, False, True]
    assert answer.headers["audit-entry"] == (await versions(office))[0]["id"]
    assert (await office.done("GET", f"{ADA}/versions/{second['id']}"))["fields"]["language"] == "de"


async def test_two_versions_are_compared_and_one_with_what_is_there_now(office: Office):
    await office.done("PATCH", ADA, {"language": "de"})
    await office.done("PATCH", ADA, {"language": "fr"})
    _, second, first = await versions(office)
    compared = await office.done("GET", f"{ADA}/diff?from={first['id']}&to={second['id']}")
    assert [row["line"] for row in compared["differences"]] == ['language: "en" → "de"']
    now = await office.done("GET", f"{ADA}/diff?from={first['id']}")
    assert (now["to"], [row["line"] for row in now["differences"]]) == ("now", ['language: "en" → "fr"'])
    assert (await office.done("GET", f"{ADA}/diff"))["differences"] == []


async def test_going_back_leaves_the_default_agent_where_it_is(office: Office):
    """Ada was made as the default one, and Bob is it since."""
    await office.done("PATCH", "agents/bob", {"isDefault": True})
    await office.done("PATCH", ADA, {"language": "de"})
    *_, first = await versions(office)
    assert (await rolled_back(office, first["id"])).status_code == 200
    assert [(await office.done("GET", f"agents/{id}"))["isDefault"] for id in ("ada", "bob")] == [False, True]


async def test_going_back_on_outdated_grounds_is_refused_with_both_versions(office: Office):
    old = await office.revision(ADA)
    await office.done("PATCH", ADA, {"language": "de"})
    *_, first = await versions(office)
    refused = await rolled_back(office, first["id"], f'"{old}"')
    assert refused.status_code == 412 and refused.json()["error"]["conflict"]["current"]["language"] == "de"
    assert (await rolled_back(office, first["id"], "")).status_code == 428


async def test_a_version_is_one_agents_and_one_businesss(office: Office):
    [bobs] = await versions(office, "agents/bob")
    for path in (
        f"{ADA}/versions/{bobs['id']}",
        f"{ADA}/versions/none",
        f"{ADA}/diff?from=none",
        "agents/eve/versions",
    ):
        await office.refused("GET", path, None, 404)
    assert (await rolled_back(office, bobs["id"])).status_code == 404
    [first] = await versions(office)
    theirs = await office.ask("GET", f"{ADA}/versions/{first['id']}", of=OTHER, by=OTHER)
    assert theirs.status_code == 404


async def test_who_may_not_edit_agents_goes_back_to_nothing(office: Office):
    await office.done("PATCH", ADA, {"language": "de"})
    *_, first = await versions(office)
    assert (await rolled_back(office, first["id"], role="viewer")).status_code == 403
    assert (await office.ask("GET", f"{ADA}/versions", role="viewer")).status_code == 200
    assert (await office.done("GET", ADA))["language"] == "de"


async def test_changes_of_an_earlier_release_are_no_versions(office: Office):
    """They hold what changed and not the agent; they are undone as before. Pages are made of the rest."""
    for language in ("de", "fr", "it"):
        await office.done("PATCH", ADA, {"language": language})
    oldest = (await versions(office))[-1]
    await office.store.commit([Update(PATHS.within(SALON).document("audit", oldest["id"]), {"version": DELETE_FIELD})])
    assert len(await versions(office)) == 3
    page = await office.done("GET", f"{ADA}/versions?limit=2")
    assert len(page["versions"]) == 2
    rest = await office.done("GET", f"{ADA}/versions?limit=2&cursor={page['nextCursor']}")
    assert len(rest["versions"]) == 1
