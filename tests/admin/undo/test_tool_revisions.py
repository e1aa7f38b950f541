"""Revisions of tenant tools over HTTP: asked for nowhere, held wherever one is sent, and told with every answer."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import pytest

from switchboard.admin.api import openapi
from switchboard.contract.store import Create, Delete, Update
from tests.admin.tool_house import LOOKUP, WITHIN, ToolHouse

Wish: TypeAlias = tuple[str, str, Any]
Prepare: TypeAlias = Callable[[ToolHouse, dict[str, Any]], Awaitable[object]]


async def nothing(house: ToolHouse, tool: dict[str, Any]) -> None:
    """A tool is enough."""


async def attached(house: ToolHouse, tool: dict[str, Any]) -> None:
    await house.attach(tool)


# Method, path and body of each write that is about a tool there is, and what must be there before it.
WRITES: list[tuple[str, str, Any, Prepare]] = [
    ("PATCH", "tools/{t}", {"label": "Mine"}, nothing),
    ("PUT", "tools/{t}", {**LOOKUP, "label": "Mine"}, nothing),
    ("DELETE", "tools/{t}", None, attached),
    ("POST", "agents/ada/tools", {"toolId": "{t}"}, nothing),
    ("POST", "agents/ada/tools/attach", {"toolId": "{t}"}, nothing),
    ("POST", "agents/ada/tools/detach", {"toolId": "{t}"}, attached),
    ("DELETE", "agents/ada/tools/{t}", None, attached),
]
IDS = [f"{method} {path}" for method, path, _, _ in WRITES]
CHANGES = ("PATCH", "PUT")


async def ready(house: ToolHouse, method: str, path: str, body: Any, prepare: Prepare) -> tuple[dict[str, Any], Wish]:
    """Return a tool that was read at revision 1 and changed since, and what somebody now wants of it."""
    tool = await house.make()
    await prepare(house, tool)
    await house.done("PATCH", f"tools/{tool['id']}", {"label": "Theirs"})
    named = {**body, "toolId": tool["id"]} if body and "toolId" in body else body
    return tool, (method, path.format(t=tool["id"]), named)


async def everything(house: ToolHouse) -> str:
    found = [await house.stored(name) for name in ("tools", "agents", "agentTools", "audit")]
    return repr((found, house.theirs, house.stand_in.account.assistants))


@pytest.mark.parametrize("is_in_body", [False, True], ids=["in the header", "in the body"])
@pytest.mark.parametrize(("method", "path", "body", "prepare"), WRITES, ids=IDS)
async def test_a_write_that_is_out_of_date_is_refused_with_both_versions(
    house: ToolHouse, method: str, path: str, body: Any, prepare: Prepare, is_in_body: bool
):
    """412 and the revision that there is now; nothing is changed, at Vapi neither, and based on that one it is done."""
    _, (_, where, named) = await ready(house, method, path, body, prepare)
    before = await everything(house)
    sent = {**(named or {}), "revision": 1} if is_in_body else named
    headers = {} if is_in_body else {"If_Match": '"1"'}
    answer = await house.ask(method, where, sent, **headers)
    assert (answer.status_code, answer.headers["etag"]) == (412, '"2"'), answer.text
    conflict = answer.json()["error"]["conflict"]
    assert (conflict["revision"], conflict["current"]["label"]) == ("2", "Theirs")
    if method in CHANGES:
        assert conflict["yours"]["label"] == "Mine"
        assert {"field": "label", "current": "Theirs", "yours": "Mine"} in conflict["differences"]
    else:
        assert conflict["yours"] is None, "it would have gone, or stayed as it is"
    assert await everything(house) == before
    done = await house.ask(method, where, named, If_Match='"2"')
    assert done.status_code in (200, 201), done.text


@pytest.mark.requirement("002-28")
@pytest.mark.parametrize(("method", "path", "body", "prepare"), WRITES, ids=IDS)
async def test_a_write_without_a_revision_is_done_on_what_is_there_and_tells_its_revision(
    house: ToolHouse, method: str, path: str, body: Any, prepare: Prepare
):
    """As the seed shows it."""
    _, wish = await ready(house, method, path, body, prepare)
    answer = await house.ask(*wish)
    assert answer.status_code in (200, 201), answer.text
    gone = method == "DELETE" and path.startswith("tools/")
    assert answer.headers["etag"] == ('"none"' if gone else '"3"' if method in CHANGES else '"2"')


async def test_making_and_reading_a_tool_tells_its_revision(house: ToolHouse):
    """Also where a collection's tool is made by attaching it."""
    made = await house.ask("POST", "tools", LOOKUP)
    read = await house.ask("GET", f"tools/{made.json()['tool']['id']}")
    await house.store.commit([Create(f"{WITHIN.items('homes')}/h1", {"street": "Maple Street", "rooms": 3})])
    of_collection = await house.ask("POST", "agents/ada/collections", {"collection": "homes"})
    for answer in (made, read, of_collection):
        assert answer.headers["etag"] == f'"{answer.json()["tool"]["revision"]}"' == '"1"'


async def test_a_tool_that_changes_while_it_is_deleted_as_it_was_read_stays(
    house: ToolHouse, monkeypatch: pytest.MonkeyPatch
):
    """Whoever deletes it has not seen what it has become; without a revision it goes."""
    await house.set_up(isConnected=False)
    tool = await house.make()
    path, commit, label = WITHIN.document("tools", tool["id"]), house.store.commit, "Theirs"

    async def overtaken(writes: Any) -> Any:
        if any(isinstance(write, Delete) for write in writes):
            changed = {"configMetadata.label": label, "revision": 2}
            await commit([Update(path, changed)])
        return await commit(writes)

    monkeypatch.setattr(house.store, "commit", overtaken)
    error = await house.refused("DELETE", f"tools/{tool['id']}", None, 412, If_Match='"1"')
    assert (error["conflict"]["revision"], error["conflict"]["current"]["label"]) == ("2", label)
    assert list(await house.stored()) == [tool["id"]]
    assert await house.done("DELETE", f"tools/{tool['id']}") == {"deleted": True}


async def test_a_tool_that_changes_before_it_is_taken_from_vapi_is_not_taken(
    house: ToolHouse, monkeypatch: pytest.MonkeyPatch
):
    """It is out of date, and not the store away."""
    tool = await house.make()
    path, commit, is_done = WITHIN.document("tools", tool["id"]), house.store.commit, list[bool]()

    async def overtaken(writes: Any) -> Any:
        if not is_done:
            is_done.append(True)
            await commit([Update(path, {"revision": 2})])
        return await commit(writes)

    monkeypatch.setattr(house.store, "commit", overtaken)
    await house.refused("DELETE", f"tools/{tool['id']}", None, 412, If_Match='"1"')
    assert list(house.theirs) == [tool["externalToolId"]] and list(await house.stored()) == [tool["id"]]


def test_the_document_says_which_writes_hold_a_revision_and_that_none_asks_for_one(house: ToolHouse):
    """`If-Match` may be left out there, 412 is told with both versions, 428 never; and `ETag` where there is one."""
    paths = openapi.document([openapi.of_endpoints("/api", house.endpoints)])["paths"]
    held = {
        (method.upper(), path.removeprefix("/api/{business_id}/"))
        for path, item in paths.items()
        for method, operation in item.items()
        if any(parameter["name"] == "If-Match" for parameter in operation["parameters"])
    }
    places = {"t": "{tool_id}"}
    of_tools = {(m, p.format(**places).replace("/ada/", "/{agent_id}/")) for m, p, _, _ in WRITES}
    assert held == of_tools | {(method, "secrets/{name}") for method in ("PUT", "DELETE")}
    for method, path in held:
        operation = paths[f"/api/{{business_id}}/{path}"][method.lower()]
        (header,) = [p for p in operation["parameters"] if p["name"] == "If-Match"]
        assert (header["required"], "Without one" in header["description"]) == (False, True)
        responses = operation["responses"]
        assert "428" not in responses and "both versions" in responses["412"]["description"]
        # Beside what was made stands what a dry run answers, which has nothing to hold.
        good = responses.get("201") or responses["200"]
        assert "ETag" in good["headers"] and "ETag" in responses["412"]["headers"]
    assert "ETag" in paths["/api/{business_id}/tools"]["post"]["responses"]["201"]["headers"]
    assert "headers" not in paths["/api/{business_id}/tools"]["get"]["responses"]["200"]
