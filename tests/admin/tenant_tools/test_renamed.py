"""An own tool that is renamed while a conversation goes on: that one has it as it began, under its old name."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.admin.owners_office import OWN
from tests.admin.whole_house import Owner, opened

pytestmark = pytest.mark.requirement("004-1906")

TOOL: dict[str, Any] = {
    "type": "query",
    "label": "Find homes",
    "knowledge": {"type": "knowledge_base"},
    "params": {"question": {"mode": "ai", "prompt": "What", "schema": {"type": "string"}}},
}


@pytest.fixture
async def owner() -> AsyncIterator[Owner]:
    async with opened() as found:
        yield found


async def made(owner: Owner, **changes: Any) -> dict[str, Any]:
    """Make a tool that the agent has."""
    tool: dict[str, Any] = (await owner.done("POST", f"/api/{OWN}/tools", {**TOOL, **changes}))["tool"]
    body = {"toolId": tool["id"]}
    answer = await owner.send("POST", f"/api/{OWN}/agents/ada/tools/attach", body)
    assert answer.status_code in (200, 201), answer.text
    return tool


async def renamed(owner: Owner, tool: dict[str, Any], name: str) -> None:
    found = next(t for t in (await owner.send("GET", f"/api/{OWN}/tools")).json()["tools"] if t["id"] == tool["id"])
    answer = await owner.send("PATCH", f"/api/{OWN}/tools/{tool['id']}", {"name": name}, str(found["revision"]))
    assert answer.status_code == 200, answer.text


async def names(owner: Owner, session: str) -> set[str]:
    path = f"/tools/definitions?businessId={OWN}&channel=portal&sessionId={session}"
    answer = await owner.http.get(path, headers=owner.key)  # type: ignore[attr-defined]
    assert answer.status_code == 200, answer.text
    return {tool["name"] for tool in answer.json()["tools"]}


async def called(owner: Owner, name: str, session: str, turn: int = 1) -> dict[str, Any]:
    context = {"channel": "portal", "sessionId": session, "turn": turn, "callId": f"{session}{name}{turn}"}
    body = {"businessId": OWN, "name": name, "args": {"question": "homes"}, "context": context}
    found: dict[str, Any] = (await owner.http.post("/tools/execute", json=body, headers=owner.key)).json()  # type: ignore[attr-defined]
    return found


@pytest.fixture(autouse=True)
async def furnished(owner: Owner) -> None:
    await owner.done(
        "POST", f"/admin/businesses/{OWN}/agents", {"name": "Ada", "channels": ["portal"], "language": "en"}
    )
    key = await owner.done(
        "POST", f"/admin/businesses/{OWN}/keys", {"name": "k", "scopes": ["tools:read", "tools:execute"]}
    )
    owner.key = {"Authorization": f"Bearer {key['text']}"}  # type: ignore[attr-defined]


async def test_a_running_conversation_calls_it_by_its_old_name_and_a_new_one_by_its_new(owner: Owner):
    tool = await made(owner)
    assert "find_homes" in await names(owner, "old")
    await renamed(owner, tool, "look_homes_up")
    assert "find_homes" in await names(owner, "old") and "look_homes_up" not in await names(owner, "old")
    assert (await called(owner, "find_homes", "old"))["ok"]
    assert "look_homes_up" in await names(owner, "new") and "find_homes" not in await names(owner, "new")
    assert (await called(owner, "look_homes_up", "new"))["ok"]
    assert not (await called(owner, "find_homes", "new", 2))["ok"]


async def test_another_tool_that_takes_the_old_name_is_another(owner: Owner):
    """The one that the conversation began with is called, and switched off by its own switch alone."""
    tool = await made(owner)
    assert "find_homes" in await names(owner, "old")
    await renamed(owner, tool, "look_homes_up")
    other = await made(owner, label="Another", name="find_homes")
    await owner.send("PATCH", f"/api/{OWN}/tools/{other['id']}", {"enabled": False}, str(other["revision"]))
    assert (await called(owner, "find_homes", "old"))["ok"]
    assert (await owner.send("DELETE", f"/api/{OWN}/tools/{tool['id']}")).status_code in (200, 204)
    refused = await called(owner, "find_homes", "old", 2)
    assert not refused["ok"]


async def test_what_is_switched_off_or_taken_from_the_agent_stays_so_under_its_old_name(owner: Owner):
    tool = await made(owner)
    assert "find_homes" in await names(owner, "old")
    await renamed(owner, tool, "look_homes_up")
    answer = await owner.send("POST", f"/api/{OWN}/agents/ada/tools/detach", {"toolId": tool["id"]})
    assert answer.status_code == 200, answer.text
    assert not (await called(owner, "find_homes", "old"))["ok"]
