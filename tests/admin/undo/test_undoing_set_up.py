"""Undoing what owners set up: through the same operations, or refused with what to do instead."""

import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from switchboard.admin.access.access import OwnerIdentity
from switchboard.admin.credentials.role_entries import RoleChange, RoleEntries
from tests.admin.owners_office import OWN
from tests.admin.whole_house import BUSINESS, CANARY, MAIL, SMS, Owner, opened

AGENTS, EMAIL = f"{BUSINESS}/agents", f"{BUSINESS}/toolkits/email"
TOOLS = f"/api/{OWN}/tools"
SECRET = {"sensitiveConfig": {"password": CANARY}}


@pytest.fixture
async def owner() -> AsyncIterator[Owner]:
    """The salon's, with an agent."""
    async with opened() as found:
        await found.done("POST", AGENTS, {"name": "Ada"})
        yield found


async def undone(owner: Owner) -> dict[str, Any]:
    """Undo the newest change, and return the entry that this leaves."""
    entry = await owner.last()
    answer = await owner.undo(entry)
    assert answer.status_code == 200, answer.text
    left = await owner.last()
    assert (left["undoes"], left["id"]) == (entry["id"], answer.json()["entryId"])
    return left


async def refused(owner: Owner, status: int = 409) -> str:
    """Try to undo the newest change, and return why it is not."""
    entry, before = await owner.last(), await owner.audit()
    answer = await owner.undo(entry)
    assert answer.status_code == status, answer.text
    assert await owner.audit() == before
    return str(answer.json()["error"]["message"])


async def test_what_an_agent_was_it_is_again(owner: Owner):
    """Only what the change was about."""
    await owner.done("PATCH", f"{AGENTS}/ada", {"language": "de", "tools": {"send_sms": {"enabled": False}}})
    entry = await owner.last()
    await owner.done("PATCH", f"{AGENTS}/ada", {"description": "Answers first."})
    assert (await owner.undo(entry)).status_code == 200
    agent = await owner.done("GET", f"{AGENTS}/ada")
    assert (agent["language"], agent["tools"], agent["description"]) == ("", {}, "Answers first.")


async def test_what_was_changed_since_is_not_undone_unseen(owner: Owner):
    """Both versions are shown."""
    await owner.done("PATCH", f"{AGENTS}/ada", {"language": "de"})
    entry = await owner.last()
    await owner.done("PATCH", f"{AGENTS}/ada", {"language": "fr"})
    answer = await owner.undo(entry)
    conflict = answer.json()["error"]["conflict"]
    assert (answer.status_code, conflict["current"]["language"], conflict["yours"]["language"]) == (412, "fr", "")
    assert conflict["revision"] == await owner.revision(f"{AGENTS}/ada")


async def test_an_agent_that_was_made_is_removed_and_one_that_was_removed_is_back_with_its_tools(owner: Owner):
    """As it was, but for being the default one, which another may be by now."""
    tool = (await owner.done("POST", TOOLS, SMS))["tool"]
    await owner.done("POST", AGENTS, {"name": "Bob", "language": "de", "toolkits": {"email": {"enabled": False}}})
    await owner.done("POST", f"/api/{OWN}/agents/bob/tools/attach", {"toolId": tool["id"]})
    before = await owner.done("GET", f"{AGENTS}/bob")
    await owner.done("DELETE", f"{AGENTS}/bob")
    await undone(owner)
    assert await owner.done("GET", f"{AGENTS}/bob") == before
    await undone(owner)
    assert [agent["id"] for agent in (await owner.done("GET", AGENTS))["agents"]] == ["ada"]


async def test_an_agent_that_had_secrets_is_not_brought_back_without_them(owner: Owner):
    """It says so before it is tried."""
    await owner.done("POST", AGENTS, {"name": "Bob"})
    await owner.done("PUT", f"{AGENTS}/bob/toolkits/email", SECRET)
    await owner.done("DELETE", f"{AGENTS}/bob")
    assert (await owner.last())["isUndoable"] is False
    assert "secret" in await refused(owner)


async def default_agent(owner: Owner) -> list[str]:
    return [agent["id"] for agent in (await owner.done("GET", AGENTS))["agents"] if agent["isDefault"]]


@pytest.mark.parametrize("is_made", [True, False], ids=["made as it", "chosen"])
async def test_undoing_that_an_agent_became_the_default_one_makes_the_one_before_it_that_again(
    owner: Owner, is_made: bool
):
    """There is one at any time; undoing the undo makes the other one the default again where it is still there."""
    if is_made:
        await owner.done("POST", AGENTS, {"name": "Bob", "isDefault": True})
    else:
        await owner.done("POST", AGENTS, {"name": "Bob"})
        await owner.done("PATCH", f"{AGENTS}/bob", {"isDefault": True})
    assert await default_agent(owner) == ["bob"]
    await undone(owner)
    assert await default_agent(owner) == ["ada"]
    if not is_made:
        await undone(owner)
        assert await default_agent(owner) == ["bob"]
        await undone(owner)
        assert await default_agent(owner) == ["ada"]


async def test_where_the_default_agent_before_is_gone_the_undo_says_so(owner: Owner):
    """Nothing is changed then."""
    await owner.done("POST", AGENTS, {"name": "Bob", "isDefault": True})
    made = await owner.last()
    await owner.done("POST", AGENTS, {"name": "Cy"})
    await owner.done("DELETE", f"{AGENTS}/ada")
    answer = await owner.undo(made)
    assert (answer.status_code, "'ada', is gone" in answer.json()["error"]["message"]) == (409, True)
    assert await default_agent(owner) == ["bob"]


async def test_what_is_undone_says_by_what_and_an_undo_of_the_undo_puts_it_in_force_again(owner: Owner):
    """Every entry of the chain does, in the list, too; each undo names its own entry, also of what is undone twice."""
    await owner.done("PATCH", f"{AGENTS}/ada", {"language": "de"})
    first, seen = await owner.last(), []
    for _ in range(4):
        entry = await owner.last()
        answer = await owner.undo(entry)
        seen.append(answer.json()["entryId"])
        assert answer.headers["audit-entry"] == seen[-1] == (await owner.last())["id"]
        rows = {row["id"]: row for row in (await owner.done("GET", f"{BUSINESS}/audit"))["entries"]}
        is_undone = len(seen) % 2 == 1
        told = rows[first["id"]]
        assert (told["undoneBy"], told["redoneBy"]) == ((seen[-1], None) if is_undone else (None, seen[-1]))
        stands = [rows[id]["undoneBy"] is None for id in seen]
        assert stands == [(at % 2 == 0) == is_undone for at in range(len(seen))]


async def test_a_tool_that_is_deleted_and_brought_back_goes_on_counting_its_revisions(owner: Owner):
    """What was read before it was deleted does not pass for what is there now, however often that is repeated."""
    tool = (await owner.done("POST", TOOLS, SMS))["tool"]
    path = f"{TOOLS}/{tool['id']}"
    known = {tool["revision"]}
    for _ in range(2):
        await owner.done("DELETE", path)
        entry = await owner.last()
        answer = await owner.undo(entry)
        assert answer.json()["entryId"] == (await owner.last())["id"]
        now = (await owner.done("GET", path))["tool"]["revision"]
        assert now > max(known)
        for stale in known:
            assert (await owner.send("PATCH", path, {"label": "Late"}, str(stale))).status_code == 412
        known.add(now)


async def test_settings_of_an_account_are_set_back(owner: Owner):
    """Also where it was disconnected, as long as no secret went with that."""
    await owner.done("PUT", EMAIL, {"config": MAIL})
    await owner.done("PUT", EMAIL, {"config": MAIL | {"smtpServer": "other.example.com"}})
    await undone(owner)
    assert (await owner.done("GET", EMAIL))["config"] == MAIL
    await owner.done("DELETE", EMAIL)
    assert (await owner.done("GET", EMAIL))["config"] == {}
    await undone(owner)
    assert (await owner.done("GET", EMAIL))["config"] == MAIL


@pytest.mark.parametrize("path", [EMAIL, f"{AGENTS}/ada/toolkits/email"])
async def test_a_secret_that_was_entered_is_taken_away_and_one_that_was_replaced_is_not_put_back(
    owner: Owner, path: str
):
    """The audit keeps none."""
    await owner.done("PUT", path, SECRET)
    await undone(owner)
    assert (await owner.done("GET", path))["sensitiveConfig"]["password"]["isSet"] is False
    await owner.done("PUT", path, SECRET)
    entered = await owner.last()
    await owner.done("PUT", path, {"sensitiveConfig": {"password": f"{CANARY}-new"}})
    assert "enter it" in await refused(owner)
    assert (await owner.undo(entered)).status_code == 412, "another one is there by now"
    await owner.done("DELETE", path)
    assert "enter it" in await refused(owner)
    assert CANARY not in repr(await owner.audit())


async def test_what_an_agent_sets_for_an_account_is_set_back(owner: Owner):
    """Whether it may use it, and its own settings."""
    path = f"{AGENTS}/ada/toolkits/email"
    await owner.done("PUT", path, {"enabled": False, "config": {"fromEmail": "ada@example.com"}})
    await undone(owner)
    found = await owner.done("GET", path)
    assert (found["enabled"], found["config"]) == (True, {})


async def test_a_tool_is_undone_in_each_of_its_states(owner: Owner):
    """Made, edited, deleted; a deleted one comes back under the address that vendors call."""
    tool = (await owner.done("POST", TOOLS, SMS))["tool"]
    path = f"{TOOLS}/{tool['id']}"
    await owner.done("PUT", path, {**SMS, "name": "send_the_address", "label": "Address", "enabled": False})
    await undone(owner)
    back = (await owner.done("GET", path))["tool"]
    assert (back["name"], back["label"], back["enabled"]) == (tool["name"], "Text the address", True)
    await owner.done("DELETE", path)
    await undone(owner)
    again = (await owner.done("GET", path))["tool"]
    assert (again["id"], again["name"], again["functionSchema"]) == (tool["id"], tool["name"], tool["functionSchema"])
    await undone(owner)
    assert (await owner.done("GET", TOOLS))["tools"] == []


async def test_a_tool_that_was_deleted_is_back_with_the_agents_that_had_it(owner: Owner):
    """And with what each of them had set for it; an agent that is gone meanwhile is left out."""
    await owner.done("POST", AGENTS, {"name": "Bob"})
    await owner.done("POST", AGENTS, {"name": "Cy"})
    tool = (await owner.done("POST", TOOLS, SMS))["tool"]
    for agent in ("ada", "bob", "cy"):
        await owner.done("POST", f"/api/{OWN}/agents/{agent}/tools/attach", {"toolId": tool["id"]})
    off = {tool["name"]: {"enabled": False, "config": {}}}
    await owner.done("PATCH", f"{AGENTS}/bob", {"tools": off})
    await owner.done("DELETE", f"{TOOLS}/{tool['id']}")
    entry = await owner.last()
    assert entry["before"]["attachedTo"] == ["ada", "bob", "cy"]
    assert (await owner.done("GET", f"{AGENTS}/bob"))["tools"] == {}
    await owner.done("DELETE", f"{AGENTS}/cy")
    assert (await owner.undo(entry)).status_code == 200
    ada, bob = [await owner.done("GET", f"{AGENTS}/{agent}") for agent in ("ada", "bob")]
    assert ada["attachedTools"] == bob["attachedTools"] == [tool["id"]]
    assert (ada["tools"], bob["tools"]) == ({}, off)
    assert (await owner.last())["undoes"] == entry["id"]


async def test_what_an_agent_has_set_for_a_tool_holds_under_its_new_name(owner: Owner):
    """One that is switched off for an agent is not offered by it because it was renamed; undone, it is as before."""
    tool = (await owner.done("POST", TOOLS, SMS))["tool"]
    path = f"{TOOLS}/{tool['id']}"
    await owner.done("POST", f"/api/{OWN}/agents/ada/tools/attach", {"toolId": tool["id"]})
    off = {"enabled": False, "config": {}}
    await owner.done("PATCH", f"{AGENTS}/ada", {"tools": {tool["name"]: off}})
    await owner.done("PATCH", path, {"name": "send_the_address"})
    assert (await owner.done("GET", f"{AGENTS}/ada"))["tools"] == {"send_the_address": off}
    await undone(owner)
    assert (await owner.done("GET", path))["tool"]["name"] == tool["name"]
    assert (await owner.done("GET", f"{AGENTS}/ada"))["tools"] == {tool["name"]: off}


async def test_a_tool_is_detached_and_attached_again(owner: Owner):
    """By what attaches and detaches otherwise."""
    tool = (await owner.done("POST", TOOLS, SMS))["tool"]
    await owner.done("POST", f"/api/{OWN}/agents/ada/tools/attach", {"toolId": tool["id"]})
    await undone(owner)
    assert (await owner.done("GET", f"{AGENTS}/ada"))["attachedTools"] == []
    await undone(owner)
    assert (await owner.done("GET", f"{AGENTS}/ada"))["attachedTools"] == [tool["id"]]


async def test_keys_and_secrets_are_not_undone_and_it_is_said_what_to_do(owner: Owner):
    """A key's text, and a secret's value, are kept nowhere."""
    made = await owner.done("POST", f"{BUSINESS}/keys", {"name": "Till", "scopes": ["tools:read"]})
    assert "revoked" in await refused(owner)
    await owner.send("DELETE", f"{BUSINESS}/keys/{made['id']}", None, made["revision"])
    assert "new one" in await refused(owner)
    for value in ("one", "two"):
        await owner.send("PUT", f"/api/{OWN}/secrets/crm_key", {"value": f"{CANARY}-{value}"})
        assert "enter it again" in await refused(owner)


async def test_whoever_may_not_connect_may_not_undo_it_either(owner: Owner):
    """An undo is held to the rules of what it does."""
    await owner.done("PUT", EMAIL, {"config": MAIL})
    for change in (None, {"toolkits": {"email": {"config": {"smtpServer": "other.example.com"}}}}):
        if change is not None:
            await owner.done("PATCH", f"{AGENTS}/ada", change)
        entry, before = await owner.last(), await owner.audit()
        answer = await owner.undo(entry, by="editor")
        assert answer.status_code == 403, answer.text
        assert await owner.audit() == before


async def test_what_cannot_be_undone_says_so_and_why_before_it_is_tried(owner: Owner):
    """In the list and in the entry alike, in the words of the refusal; what can be undone says nothing."""
    house = owner.house
    change = RoleChange("u-1", "maria@example.com", "viewer", "owner")
    tell = RoleEntries(house.store, house.paths, house.clock).tell

    async def a_role() -> None:
        await tell(OWN, OwnerIdentity("operator", "operator"), change)

    async def a_key() -> None:
        await owner.done("POST", f"{BUSINESS}/keys", {"name": "Till", "scopes": ["tools:read"]})

    async def two_secrets() -> None:
        for _ in range(2):
            await owner.done("PUT", EMAIL, SECRET)

    assert (await owner.last())["whyNotUndoable"] is None
    for do, words in ((a_role, "give it back with scripts/grant"), (a_key, "revoked"), (two_secrets, "secret")):
        await do()
        entry = await owner.last()
        assert (entry["isUndoable"], words in entry["whyNotUndoable"]) == (False, True), entry
        entry.pop("revision")
        assert entry in (await owner.done("GET", f"{BUSINESS}/audit"))["entries"]
        assert await refused(owner) == entry["whyNotUndoable"]


async def test_what_is_undone_done_again_and_undone_again_names_the_last_undo(owner: Owner):
    """Of a tool, too, whose entries are found by what they undo."""
    path = f"{TOOLS}/{(await owner.done('POST', TOOLS, SMS))['tool']['id']}"
    await owner.done("PATCH", path, {"label": "Text where we are"})
    changed = await owner.last()
    for entry in (changed, None, changed):
        answer = await owner.undo(entry or await owner.last())
        assert answer.json()["entryId"] == (await owner.last())["id"] == answer.headers["audit-entry"]


@pytest.mark.requirement("004-951")
async def test_what_was_undone_already_is_told_when_and_by_whom_and_not_undone_once_more(owner: Owner):
    """It was told that somebody else had changed it, with the very revision that was sent."""
    await owner.done("PATCH", f"{AGENTS}/ada", {"language": "de"})
    entry = await owner.last()
    assert entry["isUndoable"] and (await owner.undo(entry)).status_code == 200
    answer = await owner.undo(entry)
    message = answer.json()["error"]["message"]
    assert (answer.status_code, message) == (409, (await owner.send("GET", at(entry))).json()["whyNotUndoable"])
    told = r"undone already on 20\d\d-\d\d-\d\d at \d\d:\d\d UTC by platform\S*\. Undo that"
    assert re.search(told, message), message
    rows = {row["id"]: row for row in (await owner.done("GET", f"{BUSINESS}/audit"))["entries"]}
    assert (rows[entry["id"]]["isUndoable"], rows[entry["id"]]["whyNotUndoable"]) == (False, message)
    # The undoing itself is in force, and is the way to have it again.
    assert (await owner.undo(await owner.last())).status_code == 200
    assert (await owner.send("GET", at(entry))).json()["isUndoable"] is True


@pytest.mark.requirement("004-951")
async def test_what_a_role_may_not_change_it_is_told_not_to_undo_before_it_tries(owner: Owner):
    """Limits of a month are set by whoever runs all businesses; an owner was shown a button that was refused."""
    await owner.done("PUT", f"{BUSINESS}/monthly-limits", {"limits": {"texts": {"warnAt": 5}}})
    entry = await owner.last()
    seen = (await owner.send("GET", at(entry), by="owner")).json()
    assert (entry["isUndoable"], seen["isUndoable"]) == (True, False)
    assert "role" in seen["whyNotUndoable"]
    assert (await owner.undo(entry, by="owner")).status_code == 403


def at(entry: dict[str, Any]) -> str:
    """Return where an entry is read."""
    return f"{BUSINESS}/audit/{entry['id']}"
