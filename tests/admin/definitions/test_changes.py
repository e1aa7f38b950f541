"""What was done with definitions stays on record, drafts included, and a draft comes back as it was."""

import pytest

from switchboard.contract.json import JsonObject
from switchboard.contract.store import Update
from tests.admin.definition_house import LOOK, NEW, DefinitionHouse

CHANGES = "/definition-changes"


@pytest.fixture
async def changes(quick: DefinitionHouse):
    """Return what reads the list of changes."""

    async def read(query: str = "") -> list[JsonObject]:
        answer = await quick.send("GET", f"{CHANGES}{query}")
        assert answer.status_code == 200, answer.text
        found: list[JsonObject] = answer.json()["changes"]
        return found

    return read


async def undo(house: DefinitionHouse, id: str, revision: str | None = None):
    path = f"{CHANGES}/{id}"
    now = revision or (await house.send("GET", path)).json()["revision"]
    return await house.send("POST", f"{path}/undo", json={}, revision=now)


async def test_every_step_of_a_draft_is_told_with_who_did_it_and_what_it_said(quick: DefinitionHouse, changes):
    """The newest first; whoever saves what is there already leaves nothing."""
    await quick.draft(**NEW)
    await quick.draft(**NEW)
    await quick.change("DELETE", "/draft")
    discarded, saved, *earlier = await changes()
    assert [discarded["deed"], saved["deed"]] == ["draft discarded", "draft saved"]
    assert not any(change["isDraft"] for change in earlier)
    assert saved["who"] == {"id": "user:platform", "name": "platform@example.com", "role": "platform"}
    told = (await quick.send("GET", f"{CHANGES}/{saved['id']}")).json()["documents"]["look"]
    assert (told["before"], told["after"]["description"]) == (None, NEW["description"])
    told = (await quick.send("GET", f"{CHANGES}/{discarded['id']}")).json()["documents"]["look"]
    assert (told["before"]["description"], told["after"]) == (NEW["description"], None)


async def test_a_draft_that_was_thrown_away_is_back_as_it_was(quick: DefinitionHouse, changes):
    """Also one that another has taken the place of; the entry says by what it was undone, and whether that holds."""
    other = {"description": "Say what a word means, in one short sentence, when a caller asks for its meaning."}
    await quick.draft(**NEW)
    await quick.draft(**other)
    replaced = (await changes())[0]["id"]
    await quick.change("DELETE", "/draft")
    answer = await undo(quick, (await changes())[0]["id"])
    assert (answer.status_code, answer.json()["draft"]["document"]) == (200, LOOK | other)
    assert (await changes())[0]["id"] == answer.headers["audit-entry"]
    first = await undo(quick, replaced)
    assert first.json()["draft"]["document"] == LOOK | NEW
    told = {change["id"]: change for change in await changes()}
    assert told[replaced]["undoneBy"] == first.headers["audit-entry"]
    again = await undo(quick, first.headers["audit-entry"])
    assert again.json()["draft"]["document"] == LOOK | other
    told = {change["id"]: change for change in await changes()}
    assert (told[replaced]["undoneBy"], told[replaced]["redoneBy"]) == (None, again.headers["audit-entry"])
    assert told[first.headers["audit-entry"]]["undoneBy"] == again.headers["audit-entry"]


async def test_a_draft_that_was_changed_since_is_not_put_back_unseen(quick: DefinitionHouse, changes):
    """412 with both versions; nothing is undone without saying what it is based on, and nothing twice."""
    await quick.draft(**NEW)
    saved = (await changes())[0]["id"]
    await quick.draft(description="Say what a word means when a caller asks you about its meaning on the phone.")
    before = await quick.found("/look")
    answer = await undo(quick, saved)
    assert (answer.status_code, answer.json()["error"]["conflict"]["yours"]) == (412, None)
    assert (await quick.send("POST", f"{CHANGES}/{saved}/undo", json={})).status_code == 428
    assert await quick.found("/look") == before


async def test_a_publication_is_gone_back_from_in_the_tools_history(quick: DefinitionHouse, changes):
    """It is listed beside the drafts, cannot be undone here and says where; versions do not list drafts."""
    await quick.publish(**NEW)
    published = (await changes())[0]
    assert (published["deed"], published["isUndoable"]) == ("published", False)
    answer = await undo(quick, published["id"], (await quick.found("/look"))["revision"])
    assert (answer.status_code, "history" in answer.json()["error"]["message"]) == (409, True)
    assert "draft saved" not in {v["deed"] for v in (await quick.found("/look/versions"))["versions"]}


async def test_changes_are_listed_of_one_tool_in_pages(quick: DefinitionHouse, changes):
    """Those of another tool are left out; a page goes on where the one before it ended."""
    await quick.draft(**NEW)
    await quick.change("PUT", "/enabled", {"enabled": False})
    every = await changes("?tool=look")
    assert [change["deed"] for change in every[:2]] == ["disabled", "draft saved"]
    assert all("look" in change["tools"] for change in every)
    assert not {change["id"] for change in every[:2]} & {change["id"] for change in await changes("?tool=book")}
    first = (await quick.send("GET", f"{CHANGES}?tool=look&limit=1")).json()
    second = await changes(f"?tool=look&limit=1&cursor={first['nextCursor']}")
    assert [first["changes"][0], *second] == every[:2]


@pytest.mark.parametrize("person", ["owner", "editor", "viewer"])
async def test_only_platform_admins_put_drafts_back(quick: DefinitionHouse, changes, person: str):
    """Whoever sees definitions sees what was done with them."""
    await quick.draft(**NEW)
    path = f"{CHANGES}/{(await changes())[0]['id']}"
    read = await quick.send("GET", path, person)
    assert read.status_code == 200
    revision = read.json()["revision"]
    assert (await quick.send("POST", f"{path}/undo", person, json={}, revision=revision)).status_code == 403


async def test_a_draft_whose_earlier_words_are_not_kept_any_more_says_so(quick: DefinitionHouse, changes):
    """Nothing is put in its place."""
    await quick.draft(**NEW)
    await quick.change("DELETE", "/draft")
    discarded = (await changes())[0]["id"]
    path = f"config/tools/publications/{discarded}"
    await quick.store.commit([Update(path, {"tools": {"look": {"before": "0" * 64, "after": None}}})])
    assert (await undo(quick, discarded)).status_code == 404
    assert (await quick.found("/look"))["draft"] is None


async def test_a_change_that_there_is_not_is_not_found(quick: DefinitionHouse):
    """Whatever its id is made of."""
    for id in ("nonesuch", "x" * 3000, "%00"):
        assert (await quick.send("GET", f"{CHANGES}/{id}")).status_code == 404
