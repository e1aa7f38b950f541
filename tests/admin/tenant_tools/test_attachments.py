"""Attaching and detaching tenant tools: what should be stands here, and the assistants at Vapi follow (seed 002)."""

import asyncio
from typing import Any

import pytest

from switchboard.admin.tenant_tools.store import ToolStore
from switchboard.admin.undo.handlers import ToolWay
from switchboard.admin.vapi.assistants import WantedIds, settle
from switchboard.catalog.offer.catalog import Options
from switchboard.contract.business.business import read_business
from switchboard.contract.channel import Channel
from switchboard.contract.error import ToolError
from switchboard.contract.store import Set, Update
from switchboard.integrations.vapi.accounts import VapiAccounts
from tests.admin.owners_office import OWN
from tests.admin.tool_house import AT_START, LOOKUP, OWNER, WITHIN, ToolHouse
from tests.pipeline.conftest import PATHS


@pytest.mark.requirement("002-71", "002-72", "002-73", "002-68", "002-69")
async def test_a_tool_that_is_attached_is_among_the_assistants_tools_and_all_else_stays(either_house: ToolHouse):
    """Its model keeps every key, also those that nobody has documented; our channels offer the tool."""
    house = either_house
    tool = await house.make()
    before = house.model(house.ada)
    listed = await house.done("GET", "agents/ada/tools")
    assert ([t["id"] for t in listed["available"]], listed["tools"]) == ([tool["id"]], [])
    row = await house.attach(tool)
    assert (row["agentId"], row["toolId"], row["isVapiAttached"], row["unfinished"]) == ("ada", tool["id"], True, None)
    assert house.model(house.ada) == before | {"toolIds": ["of-their-own", tool["externalToolId"]]}
    listed = await house.done("GET", "agents/ada/tools")
    assert (listed["available"], [t["attachment"] for t in listed["tools"]]) == ([], [row])
    assert list(await house.stored("agentTools")) == [f"ada~{tool['id']}"]
    offer = await house.office.catalog.get_tool_definitions(OWN, Options(Channel.PORTAL))
    assert offer.named("order_status") is not None
    created = [e for e in (await house.stored("audit")).values() if e["kind"] == "attachment"]
    assert [(e["deed"], e["who"]["name"]) for e in created] == [("created", "owner@example.com")]


@pytest.mark.requirement("002-70")
async def test_attaching_twice_changes_nothing_and_says_so(house: ToolHouse):
    """Wherever the agent is mirrored, and where it is not."""
    tool = await house.make()
    for agent in ("ada", "cy"):
        await house.attach(tool, agent)
        before = await house.stored("agentTools"), len(house.asked("assistants.update"))
        error = await house.refused("POST", f"agents/{agent}/tools", {"toolId": tool["id"]}, 409)
        assert "already attached" in error["message"]
        assert (await house.stored("agentTools"), len(house.asked("assistants.update"))) == before


@pytest.mark.requirement("002-75", "002-76", "002-135")
async def test_a_tool_for_the_start_of_calls_is_attached_here_alone(house: ToolHouse):
    """And one that is neither for that nor for conversations is not."""
    tool = await house.make(AT_START)
    assert (await house.attach(tool))["isVapiAttached"] is False
    never = await house.make(AT_START, executeOnCallStart=False)
    error = await house.refused("POST", "agents/ada/tools", {"toolId": never["id"]}, 409)
    assert "executeOnCallStart" in error["message"]
    assert never["id"] not in str(await house.done("GET", "agents/ada/tools"))
    assert house.stand_in.faults.journal == []
    await house.done("DELETE", f"agents/ada/tools/{tool['id']}")
    assert await house.stored("agentTools") == {}


async def test_a_default_agent_without_an_assistant_of_its_own_has_the_usual_one(house: ToolHouse):
    """As the business has set it."""
    await house.set_up(assistantId=house.bob)
    await house.store.commit([Update(WITHIN.document("agents", "ada"), {"vapiAssistantId": None})])
    tool = await house.make()
    assert (await house.attach(tool))["isVapiAttached"] is True
    assert tool["externalToolId"] in house.model(house.bob)["toolIds"]


async def test_a_tool_from_before_the_account_was_connected_is_taken_to_vapi_when_attached(house: ToolHouse):
    """It is made there now."""
    await house.set_up(isConnected=False)
    tool = await house.make()
    await house.set_up(isConnected=True)
    await house.attach(tool)
    (there,) = house.theirs
    assert (await house.stored())[tool["id"]]["externalToolId"] == there
    assert there in house.model(house.ada)["toolIds"]


async def test_a_tool_that_is_detached_leaves_the_assistant_and_nothing_else_does(either_house: ToolHouse):
    """By either address."""
    house = either_house
    tool, other = await house.make(), await house.make(label="Another")
    await house.attach(tool)
    await house.attach(other)
    await house.done("DELETE", f"agents/ada/tools/{tool['id']}")
    assert house.model(house.ada)["toolIds"] == ["of-their-own", other["externalToolId"]]
    assert list(await house.stored("agentTools")) == [f"ada~{other['id']}"]
    await house.refused("DELETE", f"agents/ada/tools/{tool['id']}", None, 404)
    await house.done("POST", "agents/ada/tools/detach", {"toolId": other["id"]})
    assert house.model(house.ada)["toolIds"] == ["of-their-own"]


@pytest.mark.parametrize("mode", ["400", "401", "429", "409"])
@pytest.mark.parametrize("method", ["assistants.update", "assistants.get"])
async def test_what_vapi_refuses_leaves_the_attachments_as_they_were(house: ToolHouse, method: str, mode: str):
    """Both when attaching and when detaching."""
    tool, other = await house.make(), await house.make(label="Another")
    await house.attach(tool)
    before = await house.stored("agentTools"), house.model(house.ada)
    house.fault(mode, method)
    assert (await house.ask("POST", "agents/ada/tools", {"toolId": other["id"]})).status_code >= 400
    house.fault(mode, method)
    assert (await house.ask("DELETE", f"agents/ada/tools/{tool['id']}")).status_code >= 400
    assert (await house.stored("agentTools"), house.model(house.ada)) == before


@pytest.mark.parametrize("mode", ["accept-then-drop", "drop", "500", "write-conflict"])
async def test_a_change_of_which_nobody_knows_is_looked_up_and_made_if_it_was_not(house: ToolHouse, mode: str):
    """Another look at the assistant tells."""
    tool = await house.make()
    house.fault(mode, "assistants.update")
    await house.attach(tool)
    assert house.model(house.ada)["toolIds"] == ["of-their-own", tool["externalToolId"]]


async def test_an_agent_whose_assistant_is_gone_is_not_given_tools(house: ToolHouse):
    """The owner has to choose another; detaching works all the same."""
    tool, other = await house.make(), await house.make(label="Another")
    await house.attach(tool)
    del house.stand_in.account.assistants[house.ada]
    error = await house.refused("POST", "agents/ada/tools", {"toolId": other["id"]}, 409)
    assert "choose another" in error["message"]
    await house.done("DELETE", f"agents/ada/tools/{tool['id']}")
    assert await house.stored("agentTools") == {}


async def test_an_assistant_without_a_model_and_one_that_has_a_version_pinned_are_told_as_such(house: ToolHouse):
    """Nothing is made up for the one, and nothing taken from the other."""
    tool = await house.make()
    bare = house.stand_in.account.create_assistant({"name": "Bare"})["id"]
    pinned = house.assistant(toolRefs=[{"toolId": tool["externalToolId"], "version": "v1"}])
    for agent, assistant in (("bob", bare), ("cy", pinned)):
        await house.store.commit([Update(WITHIN.document("agents", agent), {"vapiAssistantId": assistant})])
    assert "model" in (await house.refused("POST", "agents/bob/tools", {"toolId": tool["id"]}, 409))["message"]
    await house.attach(tool, "cy")
    assert house.model(pinned)["toolIds"] == ["of-their-own"]
    error = await house.refused("DELETE", f"agents/cy/tools/{tool['id']}", None, 409)
    assert (error["reason"], error["pinnedBy"]) == (
        "version_pinned",
        [{"sourceType": "assistant", "sourceId": pinned}],
    )


async def test_tools_attached_in_the_same_moment_are_all_there(house: ToolHouse):
    """An assistant's model is replaced as a whole, and yet none of them is lost."""
    tools = [await house.make(label=f"Tool {n}") for n in range(5)]
    answers = await asyncio.gather(*(house.ask("POST", "agents/ada/tools", {"toolId": tool["id"]}) for tool in tools))
    assert [a.status_code for a in answers] == [201] * 5, [a.text for a in answers]
    ids = house.model(house.ada)["toolIds"]
    assert ids[0] == "of-their-own" and sorted(ids[1:]) == sorted(t["externalToolId"] for t in tools)
    gone, new = tools[:2], await house.make(label="New")
    await asyncio.gather(
        *(house.ask("DELETE", f"agents/ada/tools/{tool['id']}") for tool in gone),
        house.ask("POST", "agents/ada/tools", {"toolId": new["id"]}),
    )
    wanted = sorted(t["externalToolId"] for t in [*tools[2:], new])
    assert sorted(house.model(house.ada)["toolIds"][1:]) == wanted
    assert (await house.done("GET", "vapi"))["isInLine"] is True


async def test_what_somebody_changes_at_vapi_meanwhile_is_kept(house: ToolHouse):
    """The model is compared before it is replaced."""
    tool = await house.make()
    account, reads = house.stand_in.account, 0
    found = account.found

    def changing(kind: str, id: str) -> Any:
        nonlocal reads
        reads += kind == "assistants"
        if kind == "assistants" and reads == 2:
            model = account.assistants[id]["model"]
            account.assistants[id]["model"] = {**model, "temperature": 0.3, "toolIds": ["of-their-own", "new"]}
        return found(kind, id)

    account.found = changing  # type: ignore[method-assign]
    await house.attach(tool)
    model = house.model(house.ada)
    assert (model["temperature"], model["toolIds"]) == (0.3, ["of-their-own", "new", tool["externalToolId"]])


async def test_an_assistant_that_never_stands_still_is_given_up(house: ToolHouse):
    """And the tool is not attached."""
    tool = await house.make()
    account, count = house.stand_in.account, 0
    found = account.found

    def restless(kind: str, id: str) -> Any:
        nonlocal count
        count += 1
        if kind == "assistants":
            account.assistants[id]["model"] = {**account.assistants[id]["model"], "maxTokens": 100 + count}
        return found(kind, id)

    account.found = restless  # type: ignore[method-assign]
    await house.refused("POST", "agents/ada/tools", {"toolId": tool["id"]}, 503)
    assert await house.stored("agentTools") == {} and house.asked("assistants.update") == []


DEEDS = ["create", "create_async", "edit", "edit_kind", "withdraw", "delete", "attach", "detach"]


@pytest.mark.parametrize("deed", DEEDS)
async def test_a_process_may_be_killed_at_any_step_and_the_same_asked_again(house: ToolHouse, deed: str):
    """Then both sides are as if nothing had happened in between: one tool here, one there, nothing unfinished.

    Every commit and every change at Vapi has a step before and one after it.
    """
    steps = 0
    while True:
        await _cleared(house)
        await _prepared(house, deed)
        life = await house.dies_after(steps, lambda room: _do(room, deed))
        is_whole = life.left >= 0
        try:
            await _do(house.room, deed)
        except Exception as error:
            # What was done to its end before is refused, in words that say so.
            assert getattr(error, "type", "") in ("CONFLICT", "NOT_FOUND"), (deed, steps, error)
        await _checked(house, deed, steps, is_whole)
        if is_whole:
            break
        steps += 1
    assert steps >= 4, "it has no steps to die at"


async def _do(room: Any, deed: str) -> None:
    known = await room.tools.all(OWN)
    id = known[0].id if known else ""
    match deed:
        case "create":
            await room.tools.create(OWNER, LOOKUP, "wish")
        case "create_async":
            await room.tools.create(OWNER, LOOKUP | {"async": True}, "wish")
        case "edit":
            await room.tools.edit(OWNER, id, lambda config: config | {"description": "Else."})
        case "edit_kind":
            await room.tools.edit(OWNER, id, lambda config: config | {"async": True})
        case "withdraw":
            await room.tools.edit(OWNER, id, lambda c: c | {"attachToAgent": False, "executeOnCallStart": True})
        case "delete":
            await room.tools.delete(OWNER, id or "gone")
        case "attach":
            await room.attachments.attach(OWNER, "bob", id)
        case "detach":
            await room.attachments.detach(OWNER, "ada", id)


async def _cleared(house: ToolHouse) -> None:
    for kept in await house.room.tools.all(OWN):
        await house.room.tools.delete(OWNER, kept.id)
    house.theirs.clear()
    for assistant in (house.ada, house.bob):
        house.model(assistant)["toolIds"] = ["of-their-own"]


async def _prepared(house: ToolHouse, deed: str) -> None:
    if not deed.startswith("create"):
        await house.attach(await house.make())


async def _checked(house: ToolHouse, deed: str, steps: int, is_whole: bool) -> None:
    at = (deed, steps)
    documents, theirs = await house.stored(), house.theirs
    count = {"delete": (0, 0), "withdraw": (1, 0)}.get(deed, (1, 1))
    assert (len(documents), len(theirs)) == count, at
    attached = {"delete": 0, "detach": 0, "attach": 2}.get(deed, 0 if deed.startswith("create") else 1)
    assert len(await house.stored("agentTools")) == attached, at
    for assistant in (house.ada, house.bob):
        assert set(house.model(assistant)["toolIds"]) - {"of-their-own"} <= set(theirs), at
    status = await house.done("GET", "vapi")
    assert status["isInLine"] is True or deed == "withdraw", (at, status["findings"])
    for document in documents.values():
        assert "unfinished" not in document, at
        assert document["externalToolId"] in (theirs or {None: 1}), at


async def test_a_creation_that_broke_off_is_taken_up_by_an_equal_configuration(house: ToolHouse):
    """Without a key for the wish, as long as it was not brought to its end."""
    for steps in range(1, 20):
        await _cleared(house)
        life = await house.dies_after(steps, lambda room: room.tools.create(OWNER, LOOKUP))
        begun = await house.stored()
        if all("unfinished" not in document for document in begun.values()) and begun:
            assert life.left <= 0
            break
        await house.room.tools.create(OWNER, LOOKUP)
        assert (len(await house.stored()), len(house.theirs)) == (1, 1), steps
    else:
        raise AssertionError("it never came to its end")


async def test_agents_that_share_an_assistant_keep_what_each_needs(house: ToolHouse):
    """A tool leaves the assistant with the last of them."""
    await house.store.commit([Set(WITHIN.document("agents", "cy"), {"vapiAssistantId": house.ada}, merge=True)])
    tool = await house.make()
    await house.attach(tool, "ada")
    await house.attach(tool, "cy")
    await house.done("DELETE", f"agents/cy/tools/{tool['id']}")
    assert tool["externalToolId"] in house.model(house.ada)["toolIds"]
    assert (await house.done("GET", "vapi"))["isInLine"] is True
    await house.done("DELETE", f"agents/ada/tools/{tool['id']}")
    assert house.model(house.ada)["toolIds"] == ["of-their-own"]


async def test_what_is_not_wanted_any_more_when_looked_at_again_is_taken_out(house: ToolHouse):
    """Somebody detached it while it was being written back; what is not ours stays."""
    business = read_business(OWN, (await house.store.get(WITHIN.business)).data)  # type: ignore[union-attr]
    platform = await VapiAccounts(house.http, house.secrets, house.url).of(business)
    assert platform is not None
    answers = [WantedIds(("a", "d")), WantedIds(("a",))]

    async def wanted() -> WantedIds:
        return answers.pop(0) if len(answers) > 1 else answers[0]

    assert await settle(platform, house.ada, wanted) is True
    assert house.model(house.ada)["toolIds"] == ["of-their-own", "a"]


async def brought_back(house: ToolHouse) -> None:
    """Undo the newest deletion of a tool."""
    entries = [entry for entry in (await house.stored("audit")).items() if entry[1]["deed"] == "deleted"]
    id, entry = max(entries)
    store = ToolStore(house.store, PATHS, house.clock)
    way = ToolWay(store, house.room.tools, house.room.attachments)
    await way.create(OWNER, entry["document"], dict(entry["before"]), undoes=id)


async def test_a_tool_that_is_brought_back_is_with_its_agents_at_vapi_too(house: ToolHouse):
    """Under the id that it has there now."""
    tool = await house.make()
    for agent in ("ada", "cy"):
        await house.attach(tool, agent)
    await house.done("DELETE", f"tools/{tool['id']}")
    await brought_back(house)
    (external_id,) = house.theirs
    assert external_id != tool["externalToolId"]
    assert house.model(house.ada)["toolIds"] == ["of-their-own", external_id]
    rows = await house.stored("agentTools")
    assert {row["agentId"]: row["isVapiAttached"] for row in rows.values()} == {"ada": True, "cy": False}


async def test_a_tool_that_vapi_refuses_to_have_back_leaves_nothing_with_the_agents(house: ToolHouse):
    """And can be brought back later."""
    tool = await house.make()
    await house.attach(tool)
    off = {f"tools.{tool['name']}": {"enabled": False, "config": {}}}
    await house.store.commit([Update(WITHIN.document("agents", "ada"), off)])
    await house.done("DELETE", f"tools/{tool['id']}")
    house.fault("400", "tools.create")
    with pytest.raises(ToolError):
        await brought_back(house)
    assert await house.stored() == await house.stored("agentTools") == {}
    assert (await house.stored("agents"))["ada"].get("tools") == {}
