"""Undoing what owners set up: through the same operations, or refused with what to do instead."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

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


async def test_which_agent_is_the_default_one_is_changed_by_choosing_another(owner: Owner):
    """There is one at any time, so that nobody can merely cease to be it."""
    await owner.done("POST", AGENTS, {"name": "Bob"})
    await owner.done("PATCH", f"{AGENTS}/bob", {"isDefault": True})
    assert "make another agent the default" in await refused(owner, 400)


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
    await owner.done("POST", f"/api/{OWN}/agents/ada/tools/attach", {"toolId": tool["id"]})
    await owner.done("DELETE", path)
    assert (await owner.last())["before"]["attachedTo"] == ["ada"]
    await undone(owner)
    again = (await owner.done("GET", path))["tool"]
    assert (again["id"], again["name"], again["functionSchema"]) == (tool["id"], tool["name"], tool["functionSchema"])
    await undone(owner)
    assert (await owner.done("GET", TOOLS))["tools"] == []


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
