"""What Vapi has, held against what should be there: shown without changing anything, and repaired when asked for."""

from typing import Any

import pytest

from switchboard.admin.tenant_tools.record import is_own_id, new_id
from switchboard.contract.error import ToolError
from switchboard.contract.store import Set, Update
from tests.admin.owners_office import OTHER, OWN
from tests.admin.tool_house import AT_START, LOOKUP, NOTE, OWNER, PUBLIC_URL, WITHIN, ToolHouse


async def found(house: ToolHouse) -> list[tuple[str, str | None]]:
    """Return what is not as it should be, and whose name it has; looking changes nothing."""
    before = len([line for line in house.stand_in.faults.journal if line["http"] != "GET"])
    status = await house.done("GET", "vapi")
    assert len([line for line in house.stand_in.faults.journal if line["http"] != "GET"]) == before
    assert status["isInLine"] is (not status["findings"]) and status["repaired"] == []
    return [(f["deviation"], f["name"]) for f in status["findings"]]


async def repaired(house: ToolHouse) -> dict[str, Any]:
    """Repair, and expect everything to be in line after it."""
    status = await house.done("POST", "vapi/repair")
    assert (status["isInLine"], status["findings"]) == (True, [])
    assert await found(house) == []
    return status


async def test_what_is_in_line_is_left_alone(either_house: ToolHouse):
    """Tools of every kind, attached and not."""
    house = either_house
    for config in (LOOKUP, NOTE, AT_START):
        await house.attach(await house.make(config))
    assert await found(house) == []
    changes = len(house.stand_in.account.tools), len(house.asked("tools.update")), len(house.asked("assistants.update"))
    status = await repaired(house)
    assert (status["tools"], status["repaired"]) == (2, [])
    now = len(house.stand_in.account.tools), len(house.asked("tools.update")), len(house.asked("assistants.update"))
    assert now == changes


async def test_without_an_account_there_is_nothing_to_compare(house: ToolHouse):
    """Whoever has never connected Vapi is not told of deviations."""
    await house.set_up(isConnected=False)
    await house.make()
    for method, path in (("GET", "vapi"), ("POST", "vapi/repair")):
        status = await house.done(method, path)
        assert (status["isConnected"], status["isInLine"]) == (False, True)


async def test_a_tool_that_vapi_lost_is_made_again_where_it_was_attached(house: ToolHouse):
    """And the old id leaves the assistant."""
    tool = await house.make()
    await house.attach(tool)
    del house.theirs[tool["externalToolId"]]
    assert ("missing", "order_status") in await found(house)
    await repaired(house)
    (there,) = house.theirs
    assert house.model(house.ada)["toolIds"] == ["of-their-own", there]
    document = (await house.stored())[tool["id"]]
    assert (document["externalToolId"], document["revision"]) == (there, 1)


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"description": "Somebody's own words."}, "description"),
        ({"url": f"{PUBLIC_URL}/api/tools/other/execute"}, "url"),
        ({"url": f"{PUBLIC_URL}/api/tools/{new_id(OWN)}/execute"}, "url"),
        ({"parameters": []}, "parameters"),
        ({"body": {"type": "object", "properties": {"callerNumber": {"type": "string"}}}}, "body"),
        ({"method": "GET", "timeoutSeconds": 3}, "method, timeoutSeconds"),
    ],
)
async def test_what_somebody_changed_at_vapi_is_named_and_set_back(
    house: ToolHouse, changes: dict[str, Any], fields: str
):
    """Field by field; what Vapi adds by itself is none."""
    tool = await house.make()
    wanted = dict(house.theirs[tool["externalToolId"]])
    house.theirs[tool["externalToolId"]] |= changes
    (finding,) = (await house.done("GET", "vapi"))["findings"]
    assert (finding["deviation"], finding["words"]) == ("drifted", f"Vapi has another {fields} of order_status.")
    await repaired(house)
    there = house.theirs[tool["externalToolId"]]
    assert {name: there[name] for name in changes} == {name: wanted[name] for name in changes}


async def test_a_tool_of_ours_that_we_have_no_more_is_an_orphan(house: ToolHouse):
    """It leaves the assistants and is deleted; what the owner made there by hand stays."""
    tool = await house.make()
    gone = new_id(OWN)
    mark = f"{PUBLIC_URL}/api/tools/{gone}/execute"
    orphan = house.stand_in.account.create_tool({"type": "apiRequest", "name": "old", "method": "POST", "url": mark})
    elsewhere = "https://staging.example.com/api/tools/1/execute"
    for url in ("https://owner.example.com/x", elsewhere, f"{PUBLIC_URL}.evil.example/api/tools/{gone}/execute"):
        house.stand_in.account.create_tool({"type": "apiRequest", "name": "own", "method": "POST", "url": url})
    house.model(house.bob)["toolIds"] = ["of-their-own", orphan["id"]]
    assert await found(house) == [("orphan", "old")]
    await repaired(house)
    assert orphan["id"] not in house.theirs and len(house.theirs) == 4 and tool["externalToolId"] in house.theirs
    assert house.model(house.bob)["toolIds"] == ["of-their-own"]


async def test_another_businesss_tools_in_the_same_account_are_none_of_ours(house: ToolHouse):
    """Neither are they shown, nor repaired away; and its owner sees nothing of ours."""
    mine, theirs = await house.make(), await house.done("POST", f"/{OTHER}/tools", LOOKUP, by="neighbour")
    assert await found(house) == []
    await repaired(house)
    status = await house.done("POST", f"/{OTHER}/vapi/repair", by="neighbour")
    assert (status["isInLine"], len(house.theirs)) == (True, 2)
    assert is_own_id(OWN, mine["id"]) and not is_own_id(OTHER, mine["id"])
    assert is_own_id(OTHER, theirs["tool"]["id"])


async def test_a_second_tool_of_the_same_id_is_a_duplicate(house: ToolHouse):
    """The one that we know stays."""
    tool = await house.make()
    await house.attach(tool)
    there = house.theirs[tool["externalToolId"]]
    own = ("id", "orgId", "createdAt", "updatedAt", "latestVersion")
    second = house.stand_in.account.create_tool({k: v for k, v in there.items() if k not in own})
    house.model(house.ada)["toolIds"] = ["of-their-own", second["id"]]
    deviations = {deviation for deviation, _ in await found(house)}
    assert deviations == {"duplicate", "not_attached"}
    await repaired(house)
    assert list(house.theirs) == [tool["externalToolId"]]
    assert house.model(house.ada)["toolIds"] == ["of-their-own", tool["externalToolId"]]


async def test_attachments_are_brought_in_line(house: ToolHouse):
    """What is missing is added, what is attached to nobody is taken out, and our own notes are set right."""
    tool, other, third = [await house.make(label=label) for label in ("One", "Two", "Three")]
    for one in (tool, third):
        await house.attach(one)
    house.model(house.ada)["toolIds"] = ["of-their-own", other["externalToolId"], third["externalToolId"]]
    stranger = house.assistant(toolIds=[tool["externalToolId"]])
    row = WITHIN.document("agentTools", f"ada~{third['id']}")
    await house.store.commit([Update(row, {"isVapiAttached": False})])
    assert sorted(await found(house)) == [
        ("not_attached", "one"),
        ("wrongly_attached", "one"),
        ("wrongly_attached", "two"),
        ("wrongly_noted", "three"),
    ]
    await repaired(house)
    assert sorted(house.model(house.ada)["toolIds"][1:]) == sorted([tool["externalToolId"], third["externalToolId"]])
    assert house.model(stranger)["toolIds"] == []
    assert (await house.stored("agentTools"))[f"ada~{third['id']}"]["isVapiAttached"] is True


async def test_an_agent_that_moved_to_another_assistant_takes_its_tools_along(house: ToolHouse):
    """And the assistant that it left has them no more."""
    tool = await house.make()
    await house.attach(tool)
    new = house.assistant()
    await house.store.commit([Update(WITHIN.document("agents", "ada"), {"vapiAssistantId": new})])
    assert sorted(d for d, _ in await found(house)) == ["not_attached", "wrongly_attached"]
    await repaired(house)
    assert house.model(house.ada)["toolIds"] == ["of-their-own"]
    assert house.model(new)["toolIds"] == ["of-their-own", tool["externalToolId"]]


async def test_tools_from_before_the_account_was_connected_are_taken_there(house: ToolHouse):
    """With their attachments."""
    await house.set_up(isConnected=False)
    tool = await house.make()
    await house.attach(tool)
    await house.set_up(isConnected=True)
    assert [d for d, _ in await found(house)] == ["missing", "not_attached"]
    await repaired(house)
    (there,) = house.theirs
    assert there in house.model(house.ada)["toolIds"]
    assert (await house.stored("agentTools"))[f"ada~{tool['id']}"]["isVapiAttached"] is True


@pytest.mark.parametrize("deed", ["create", "delete", "detach", "attach", "edit", "edit_kind"])
async def test_whatever_broke_off_is_shown_and_brought_to_an_end(house: ToolHouse, deed: str):
    """Killed at any step, and never asked for again by its owner."""
    for steps in range(20):
        for kept in await house.room.tools.all(OWN):
            await house.room.tools.delete(OWNER, kept.id)
        if deed != "create":
            await house.attach(await house.make())
        life = await house.dies_after(steps, lambda room: _do(room, deed))
        status = await house.done("POST", "vapi/repair")
        assert (status["isInLine"], status["findings"]) == (True, []), (steps, status)
        documents = await house.stored()
        assert len(house.theirs) == len(documents), steps
        assert all("unfinished" not in document for document in documents.values()), steps
        assert "isLeaving" not in str(await house.stored("agentTools")), steps
        if life.left >= 0:
            return
    raise AssertionError("it never came to its end")


async def _do(room: Any, deed: str) -> None:
    known = await room.tools.all(OWN)
    match deed:
        case "create":
            await room.tools.create(OWNER, LOOKUP)
        case "delete":
            await room.tools.delete(OWNER, known[0].id)
        case "detach":
            await room.attachments.detach(OWNER, "ada", known[0].id)
        case "attach":
            await room.attachments.attach(OWNER, "bob", known[0].id)
        case "edit":
            await room.tools.edit(OWNER, known[0].id, lambda config: config | {"description": "Else."})
        case "edit_kind":
            await room.tools.edit(OWNER, known[0].id, lambda config: config | {"async": True})


async def test_what_cannot_be_repaired_is_told_with_the_reason_and_does_not_hold_up_the_rest(house: ToolHouse):
    """A tool that cannot be used, an assistant that is gone, and a refusal of Vapi's."""
    broken, pinned, lost = [await house.make(label=label) for label in ("Broken", "Pinned", "Lost")]
    await house.attach(pinned, "bob")
    await house.store.commit([Set(WITHIN.document("tools", broken["id"]), {"type": "fax"}, merge=True)])
    del house.stand_in.account.assistants[house.bob]
    del house.theirs[lost["externalToolId"]]
    house.theirs[pinned["externalToolId"]]["description"] = "Changed."
    house.fault("400", "tools.update", times=2)
    status = await house.done("POST", "vapi/repair")
    problems = {(f["deviation"], f["name"]): f["problem"] for f in status["findings"]}
    assert problems.keys() == {
        ("unusable", "broken"),
        ("drifted", "pinned"),
        ("missing", "lost"),
        ("no_assistant", None),
    }
    assert "does not accept" in problems[("drifted", "pinned")]
    assert [(f["deviation"], f["name"]) for f in status["repaired"]] == [("wrongly_noted", "pinned")]
    left = {(f["deviation"], f["name"]) for f in (await house.done("POST", "vapi/repair"))["findings"]}
    assert left == {("unusable", "broken"), ("no_assistant", None)}


@pytest.mark.parametrize(("mode", "status"), [("401", 403), ("503", 503), ("429", 429)])
async def test_when_vapi_cannot_be_asked_nothing_is_said_of_it(house: ToolHouse, mode: str, status: int):
    """Least of all that everything had been deleted."""
    await house.make()
    for method in ("tools.list", "assistants.list"):
        house.fault(mode, method)
        assert (await house.ask("POST", "vapi/repair")).status_code == status
        house.stand_in.faults.waiting.clear()
    assert len(house.theirs) == 1
    with pytest.raises(ToolError):
        house.fault(mode, "tools.list")
        await house.room.reconciler.status(OWN)
