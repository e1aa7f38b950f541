"""Tenant tools as owners make, edit and delete them: here and at Vapi, whatever Vapi or the store does (seed 002)."""

from typing import Any

import pytest
from starlette.requests import Request

from stand_ins.vapi.asking import body_of
from switchboard.channels.http.credentials import Credentials
from switchboard.channels.vapi.request import RequestProofs
from switchboard.contract.store import Set, Unavailable
from switchboard.formats.vapi.call_facts import separated
from tests.admin.owners_office import OTHER, OWN
from tests.admin.tool_house import AT_START, LOOKUP, NOTE, OWNER, PUBLIC_URL, WITHIN, ToolHouse
from tests.desk.front_desk import WatchedStore
from tests.pipeline.conftest import PATHS


@pytest.mark.requirement(
    "002-01", "002-03", "002-11", "002-13", "002-14", "002-15", "002-63", "002-64", "002-65", "002-35"
)
async def test_a_tool_that_is_made_stands_in_the_store_and_at_vapi(either_house: ToolHouse):
    """With its id in the address that Vapi calls, and Vapi's id in its document."""
    house = either_house
    tool = await house.make()
    (there,) = house.theirs.values()
    assert there["url"] == f"{PUBLIC_URL}/api/tools/{tool['id']}/execute"
    assert (tool["externalToolId"], tool["name"], tool["label"]) == (there["id"], "order_status", "Order status")
    assert tool["functionSchema"]["parameters"]["required"] == ["order"]
    assert tool["staticConfig"] == {"key": "k-1"} and tool["configMetadata"] == LOOKUP
    assert "k-1" not in str(there)
    assert (tool["type"], tool["revision"], tool["unfinished"], tool["problem"]) == ("api_request", 1, None, None)
    assert "{{customer.number}}" in there["description"]
    assert {"key": "callerNumber", "value": "{{customer.number}}"} in there["parameters"]
    document = (await house.stored())[tool["id"]]
    assert document["createdAt"] <= document["updatedAt"]
    assert document["data"]["id"] == there["id"] and "unfinished" not in document
    assert house.forgotten[-1] == OWN
    assert (await house.done("GET", "tools"))["tools"] == [(await house.done("GET", f"tools/{tool['id']}"))["tool"]]


async def test_the_key_that_callbacks_carry_is_an_api_key_and_is_shown_nowhere_here(house: ToolHouse):
    """It works for executing tools and nothing else; every tool carries the same."""
    tool = await house.make()
    other = await house.make(label="Another")
    keys = {p["value"] for t in house.theirs.values() for p in t["parameters"] if p["key"] == "toolKey"}
    (key,) = keys
    ((_, document),) = (await house.stored("apiKeys")).items()
    assert document["scopes"] == ["tools:execute"]
    answers = [(await house.ask("GET", path)).text for path in ("tools", f"tools/{tool['id']}")]
    everything = repr([await house.stored(c) for c in ("tools", "audit", "apiKeys", "secrets")])
    assert key not in "".join([*answers, everything, repr([tool, other])])
    assert key == str(await house.secrets.reveal(OWN, "vapi", "toolKey"))


async def test_a_revoked_key_is_replaced_with_the_next_tool(house: ToolHouse):
    """And the tool that still carries the old one is told as drifted."""
    await house.make()
    ((id, _),) = (await house.stored("apiKeys")).items()
    await house.store.commit([Set(WITHIN.document("apiKeys", id), {"revokedAt": house.clock.now()}, merge=True)])
    await house.make(label="Another")
    assert len({p["value"] for t in house.theirs.values() for p in t["parameters"] if p["key"] == "toolKey"}) == 2
    (finding,) = (await house.done("GET", "vapi"))["findings"]
    assert (finding["deviation"], finding["name"]) == ("drifted", "order_status")


async def test_with_a_credential_at_vapi_callbacks_are_proved_by_that(house: ToolHouse):
    """No key is made; the address says whose signature it is."""
    await house.set_up(credentialId="cred-1")
    tool = await house.make()
    (there,) = house.theirs.values()
    assert (there["credentialId"], there["url"]) == (
        "cred-1",
        f"{PUBLIC_URL}/api/tools/{tool['id']}/execute?business={OWN}",
    )
    assert "toolKey" not in str(there) and await house.stored("apiKeys") == {}


@pytest.mark.requirement("002-02")
async def test_a_tool_that_nobody_waits_for_is_a_function_at_vapi(house: ToolHouse):
    """Since an `apiRequest` there cannot be asynchronous."""
    await house.make(NOTE)
    (there,) = house.theirs.values()
    assert (there["type"], there["async"], there["function"]["name"]) == ("function", True, "note_an_order")


@pytest.mark.requirement("002-16", "002-34", "002-36")
async def test_a_tool_that_only_runs_when_calls_start_is_not_taken_to_vapi(house: ToolHouse):
    """Nothing of it is there, and Vapi is not even asked."""
    tool = await house.make(AT_START)
    assert (tool["externalToolId"], tool["data"], tool["attachToAgent"]) == (None, {}, False)
    assert house.theirs == {} and house.stand_in.faults.journal == []


async def test_without_an_account_at_vapi_a_tool_is_made_here_alone(house: ToolHouse):
    """For the channels of our own."""
    await house.set_up(isConnected=False)
    tool = await house.make()
    assert (tool["externalToolId"], tool["unfinished"]) == (None, None)
    await house.done("PATCH", f"tools/{tool['id']}", {"description": "Else."})
    assert (await house.attach(tool))["isVapiAttached"] is False
    await house.done("DELETE", f"tools/{tool['id']}")
    assert (await house.stored(), await house.stored("agentTools"), house.theirs) == ({}, {}, {})


@pytest.mark.requirement("002-04", "002-59", "002-08")
@pytest.mark.parametrize(
    ("config", "fields"),
    [
        ({}, ["type", "label"]),
        ({**LOOKUP, "type": "fax", "label": ""}, ["type", "label"]),
        ({**LOOKUP, "request": {"url": "https://x.example.com/{{nobody}}"}, "async": "no"}, ["async", "request.url"]),
        ({**LOOKUP, "enabled": "yes"}, ["enabled"]),
        ({**LOOKUP, "params": {**LOOKUP["params"], "callId": {"mode": "ai"}}}, ["params.callId"]),
        ({**LOOKUP, "params": {**LOOKUP["params"], "caller_number": {"mode": "ai"}}}, ["params.caller_number"]),
        ({**LOOKUP, "params": {**LOOKUP["params"], "password": {"mode": "ai"}}}, ["params.password"]),
    ],
)
async def test_everything_that_is_wrong_is_told_and_nothing_is_made(
    house: ToolHouse, config: dict[str, Any], fields: list[str]
):
    """By its field; also when editing."""
    tool = await house.make()
    before = await house.stored(), str(house.theirs)
    for method, path in (("POST", "tools"), ("PUT", f"tools/{tool['id']}")):
        error = await house.refused(method, path, config, 400)
        assert {f.split(".")[-1] for f in fields} <= {p["field"].split(".")[-1] for p in error["problems"]}
    assert (await house.stored(), str(house.theirs)) == before


async def test_what_the_linter_would_better_comes_with_every_tool_that_is_saved(house: ToolHouse):
    """Only what its owner can mend; a good one leaves hints at most."""
    told = await house.done("POST", "tools", {**LOOKUP, "description": "Orders."})
    assert "vague-description" in {finding["rule"] for finding in told["findings"]}
    words = "Look up the state of an order when the caller asks where it is; not for new orders."
    better = await house.done("PATCH", f"tools/{told['tool']['id']}", {"description": words})
    assert {finding["severity"] for finding in better["findings"]} <= {"hint"}


@pytest.mark.requirement("002-60")
async def test_names_are_made_from_labels_and_taken_once(house: ToolHouse):
    """Among one's own tools and the built-in ones; a name that the owner chose is not replaced by another."""
    names = [(await house.make(label=label))["name"] for label in ("Look", "Look", "LOOK!", "日本")]
    assert names == ["look_2", "look_3", "look_4", "api_request"]
    for name, free in (("look", "look_5"), ("look_4", "look_4_2")):
        assert free in (await house.refused("POST", "tools", {**LOOKUP, "name": name}, 409))["message"]
    tool = await house.make(name="mine")
    await house.refused("PATCH", f"tools/{tool['id']}", {"name": "look_2"}, 409)
    assert (await house.done("PATCH", f"tools/{tool['id']}", {"name": "ours"}))["tool"]["name"] == "ours"
    assert (await house.done("PATCH", f"tools/{tool['id']}", {"label": "Other"}))["tool"]["name"] == "ours"


@pytest.mark.requirement("002-133", "002-134")
async def test_tools_are_found_by_type_and_by_vapis_id(house: ToolHouse):
    """Of one business only, and by the older spelling too."""
    tool = await house.make()
    await house.make({"type": "transferCall", "label": "Desk", "destination": {"number": "+12015550123"}})
    rows = (await house.done("GET", "tools?type=transferCall"))["tools"]
    assert [(row["name"], row["type"]) for row in rows] == [("desk", "transfer_call")]
    (row,) = (await house.done("GET", f"tools?externalToolId={tool['externalToolId']}"))["tools"]
    assert row["id"] == tool["id"]


@pytest.mark.requirement("002-66")
@pytest.mark.parametrize(("mode", "status"), [("400", 400), ("401", 403), ("402", 422), ("429", 429), ("409", 409)])
async def test_when_vapi_refuses_no_tool_is_left(house: ToolHouse, mode: str, status: int):
    """The refusal says why, and the same can be asked again."""
    house.fault(mode, "tools.create")
    await house.refused("POST", "tools", LOOKUP, status)
    assert (await house.stored(), house.theirs) == ({}, {})
    await house.make()
    assert (len(await house.stored()), len(house.theirs)) == (1, 1)


@pytest.mark.parametrize("mode", ["accept-then-drop", "accept-then-500", "not-json"])
async def test_a_tool_that_was_made_although_vapi_did_not_say_so_is_found(house: ToolHouse, mode: str):
    """By the address that it calls."""
    house.fault(mode, "tools.create")
    answer = await house.ask("POST", "tools", LOOKUP)
    if mode == "not-json":
        # It was not made: then nothing is left of it.
        assert (answer.status_code, await house.stored()) == (503, {})
        answer = await house.ask("POST", "tools", LOOKUP)
    assert answer.status_code == 201
    (there,) = house.theirs
    assert answer.json()["tool"]["externalToolId"] == there


async def test_while_nobody_knows_whether_vapi_made_it_the_tool_waits_for_the_same_to_be_asked_again(house: ToolHouse):
    """Then there is one, on either side."""
    house.fault("accept-then-drop", "tools.create")
    house.fault("503", "tools.list")
    error = await house.refused("POST", "tools", LOOKUP, 503)
    assert error["partialSideEffects"] is True
    (waiting,) = (await house.done("GET", "tools"))["tools"]
    assert (waiting["unfinished"], waiting["externalToolId"]) == ("creation", None)
    tool = await house.make()
    assert (tool["id"], tool["unfinished"]) == (waiting["id"], None)
    assert [tool["externalToolId"]] == list(house.theirs) and list(await house.stored()) == [tool["id"]]


@pytest.mark.requirement("002-67")
async def test_when_vapis_id_cannot_be_stored_nothing_is_left_on_either_side(house: ToolHouse):
    """The tool at Vapi is deleted again, and so is the document."""
    watched = _watched(house)
    done = watched.commit

    async def commit(writes: Any) -> Any:
        if any("externalToolId" in getattr(w, "data", {}) and type(w).__name__ == "Update" for w in writes):
            raise Unavailable("the id is not stored")
        return await done(writes)

    watched.commit = commit  # type: ignore[method-assign]
    await house.refused("POST", "tools", LOOKUP, 503)
    assert (await house.stored(), house.theirs) == ({}, {})


def _watched(house: ToolHouse) -> WatchedStore:
    """Let the operations work with a store that can be made to fail."""
    found = WatchedStore(house.store)
    house.room.tools._tools.store = found
    return found


async def test_a_wish_with_a_key_is_granted_once_however_often_it_is_told(house: ToolHouse):
    """And the key means that wish alone."""
    first = await house.done("POST", "tools", LOOKUP, Idempotency_Key="w1")
    assert (await house.done("POST", "tools", LOOKUP, Idempotency_Key="w1"))["tool"]["id"] == first["tool"]["id"]
    await house.refused("POST", "tools", NOTE, 409, Idempotency_Key="w1")
    await house.done("POST", "tools", LOOKUP, Idempotency_Key="w2")
    error = await house.refused("POST", "tools", LOOKUP, 400, Idempotency_Key="w" * 201)
    assert (error["field"], "200 characters" in error["message"]) == ("Idempotency-Key", True)
    assert len(house.theirs) == len(await house.stored()) == 2


@pytest.mark.requirement("002-28", "002-37", "002-38", "002-98", "002-99")
async def test_an_edit_reaches_vapi_and_the_document(either_house: ToolHouse):
    """Schema and hidden values are built anew; what was not sent stays, and a parameter that is gone is gone."""
    house = either_house
    made = await house.make()
    changes = {"params": {"order": {"mode": "ai", "prompt": "Which order"}}, "label": "Orders", "enabled": False}
    tool = (await house.done("PATCH", f"tools/{made['id']}", changes, If_Match='"1"'))["tool"]
    assert (tool["revision"], tool["label"], tool["name"], tool["enabled"]) == (2, "Orders", "order_status", False)
    assert tool["staticConfig"] == {} and tool["configMetadata"]["request"] == LOOKUP["request"]
    (there,) = house.theirs.values()
    assert there["body"]["properties"]["order"]["description"] == "Which order"
    assert (tool["data"]["latestVersion"], tool["externalToolId"]) == ("v2", made["externalToolId"])
    assert tool["createdAt"] == made["createdAt"] and tool["updatedAt"] > made["updatedAt"]
    (entry,) = [e for e in (await house.stored("audit")).values() if e["deed"] == "changed"]
    assert entry["before"]["configMetadata"]["label"] == "Order status" and entry["after"]["enabled"] is False
    taken_out = (await house.done("PATCH", f"tools/{made['id']}", {"description": None}))["tool"]
    assert "description" not in taken_out["configMetadata"]


async def test_an_edit_of_what_somebody_else_has_changed_is_refused_with_both_versions(house: ToolHouse):
    """Nothing is changed, at Vapi neither; without a revision the present one is meant."""
    tool = await house.make()
    path = f"tools/{tool['id']}"
    await house.done("PATCH", path, {"label": "Theirs"}, If_Match='"1"')
    error = await house.refused("PATCH", path, {"label": "Mine", "revision": "1"}, 412)
    assert (error["conflict"]["current"]["label"], error["conflict"]["yours"]["label"]) == ("Theirs", "Mine")
    await house.refused("DELETE", path, None, 412, If_Match='"1"')
    assert len(house.asked("tools.update")) == 1
    assert (await house.done("PATCH", path, {"label": "Mine"}))["tool"]["revision"] == 3


async def test_an_edit_that_changes_nothing_does_nothing(house: ToolHouse):
    """No version is made at Vapi."""
    tool = await house.make()
    same = await house.done("PUT", f"tools/{tool['id']}", {**LOOKUP, "enabled": True})
    assert same["tool"] == tool and house.asked("tools.update") == []


@pytest.mark.requirement("002-97")
@pytest.mark.parametrize("mode", ["400", "write-conflict", "draft", "503"])
async def test_when_vapi_refuses_an_edit_nothing_is_changed(house: ToolHouse, mode: str):
    """The document stays as it was."""
    tool = await house.make()
    before = await house.stored()
    house.fault(mode, "tools.update")
    answer = await house.ask("PATCH", f"tools/{tool['id']}", {"description": "Else."})
    assert answer.status_code in (400, 409, 503)
    assert await house.stored() == before


@pytest.mark.requirement("002-100")
async def test_when_an_edit_cannot_be_stored_vapi_has_the_old_one_again(house: ToolHouse):
    """As far as that can be done."""
    tool = await house.make()
    watched = _watched(house)
    watched.fail("commit")
    await house.refused("PATCH", f"tools/{tool['id']}", {"description": "Else."}, 503)
    (there,) = house.theirs.values()
    assert there["description"].startswith("Look up an order") and there["latestVersion"] == "v3"


@pytest.mark.requirement("002-100")
async def test_when_a_change_of_kind_cannot_be_stored_vapi_has_the_old_one_alone_again(house: ToolHouse):
    """A kind is changed by a new tool there, which nothing of ours would know."""
    made = await house.make()
    await house.attach(made)
    watched = _watched(house)
    watched.fail("commit")
    await house.refused("PATCH", f"tools/{made['id']}", {"async": True}, 503)
    assert list(house.theirs) == [made["externalToolId"]]
    assert house.model(house.ada)["toolIds"] == ["of-their-own", made["externalToolId"]]


async def test_a_tool_that_becomes_asynchronous_takes_its_own_place_at_vapi(house: ToolHouse):
    """A kind cannot be changed there: one is made anew, given to every assistant, and the old one deleted."""
    made = await house.make()
    await house.attach(made)
    tool = (await house.done("PATCH", f"tools/{made['id']}", {"async": True}))["tool"]
    ((id, there),) = house.theirs.items()
    assert there["type"] == "function" and tool["externalToolId"] == id != made["externalToolId"]
    assert house.model(house.ada)["toolIds"] == ["of-their-own", id]
    assert (await house.done("GET", "vapi"))["isInLine"] is True


async def test_a_tool_that_is_taken_from_conversations_leaves_vapi_and_comes_back(house: ToolHouse):
    """With its attachments."""
    made = await house.make()
    await house.attach(made)
    path = f"tools/{made['id']}"
    tool = (await house.done("PATCH", path, {"attachToAgent": False, "executeOnCallStart": True}))["tool"]
    assert (tool["externalToolId"], tool["data"], house.theirs) == (None, {}, {})
    assert house.model(house.ada)["toolIds"] == ["of-their-own"]
    again = (await house.done("PATCH", path, {"attachToAgent": True}))["tool"]
    assert house.model(house.ada)["toolIds"] == ["of-their-own", again["externalToolId"]]


async def test_an_edit_of_a_tool_that_somebody_deleted_at_vapi_makes_it_again(house: ToolHouse):
    """Where it was attached, too."""
    made = await house.make()
    await house.attach(made)
    del house.theirs[made["externalToolId"]]
    tool = (await house.done("PATCH", f"tools/{made['id']}", {"description": "Else."}))["tool"]
    assert list(house.theirs) == [tool["externalToolId"]]
    assert tool["externalToolId"] in house.model(house.ada)["toolIds"]
    assert made["externalToolId"] not in house.model(house.ada)["toolIds"]


@pytest.mark.requirement("002-103", "002-104", "002-107", "002-108", "002-109")
async def test_a_tool_that_is_deleted_leaves_every_agent_and_assistant(either_house: ToolHouse):
    """And their other tools and settings stay."""
    house = either_house
    tool, other = await house.make(), await house.make(label="Another")
    for agent in ("ada", "bob", "cy"):
        await house.attach(tool, agent)
    await house.attach(other)
    setting = {"tools": {"order_status": {"enabled": True}, "look": {"enabled": True}}}
    await house.store.commit([Set(WITHIN.document("agents", "cy"), setting, merge=True)])
    assert (await house.done("DELETE", f"tools/{tool['id']}"))["deleted"] is True
    assert list(await house.stored()) == [other["id"]] and list(house.theirs) == [other["externalToolId"]]
    assert list(await house.stored("agentTools")) == [f"ada~{other['id']}"]
    assert house.model(house.ada)["toolIds"] == ["of-their-own", other["externalToolId"]]
    assert house.model(house.bob)["toolIds"] == ["of-their-own"]
    assert house.model(house.bob)["newerThanTheDocument"] == {"deep": [1, None, "ü"]}
    assert (await house.stored("agents"))["cy"]["tools"] == {"look": {"enabled": True}}
    deleted = [line["method"] for line in house.stand_in.faults.journal if line["http"] in ("PATCH", "DELETE")][-3:]
    assert deleted == ["assistants.update", "assistants.update", "tools.delete"]
    await house.refused("DELETE", f"tools/{tool['id']}", None, 404)


@pytest.mark.requirement("002-105")
async def test_what_vapi_has_no_more_does_not_stop_a_deletion(house: ToolHouse):
    """Neither the tool nor an assistant."""
    tool = await house.make()
    await house.attach(tool)
    del house.theirs[tool["externalToolId"]]
    del house.stand_in.account.assistants[house.ada]
    await house.done("DELETE", f"tools/{tool['id']}")
    assert (await house.stored(), await house.stored("agentTools")) == ({}, {})


@pytest.mark.requirement("002-106")
@pytest.mark.parametrize("method", ["tools.delete", "assistants.update", "assistants.list"])
@pytest.mark.parametrize("mode", ["400", "401", "429", "500", "version-pinned"])
async def test_any_other_failure_stops_a_deletion_and_leaves_all_as_it_was(house: ToolHouse, method: str, mode: str):
    """The document, its attachments, and the tool in the assistants."""
    tool = await house.make()
    await house.attach(tool)
    before = await house.stored(), await house.stored("agentTools"), house.model(house.ada)
    house.fault(mode, method)
    answer = await house.ask("DELETE", f"tools/{tool['id']}")
    if (method, mode) == ("assistants.update", "500"):
        # Nobody knows whether it was done, and another look tells.
        assert answer.status_code == 200
        return
    assert answer.status_code in (400, 403, 409, 429, 503), answer.text
    assert (await house.stored(), await house.stored("agentTools"), house.model(house.ada)) == before
    await house.done("DELETE", f"tools/{tool['id']}")
    assert (await house.stored(), house.theirs) == ({}, {})


@pytest.mark.requirement("002-106")
async def test_a_version_that_is_pinned_is_reported_with_what_pins_it(house: ToolHouse):
    """By whatever uses it, and by an assistant of one's own before anything is done."""
    tool = await house.make()
    await house.attach(tool)
    house.fault("version-pinned", "tools.delete")
    error = await house.refused("DELETE", f"tools/{tool['id']}", None, 409)
    assert (error["type"], error["reason"], error["pinnedBy"][0]["sourceType"]) == (
        "CONFLICT",
        "version_pinned",
        "squad",
    )
    pinning = house.assistant(toolRefs=[{"toolId": tool["externalToolId"], "version": "v1"}])
    changed = len(house.asked("assistants.update"))
    error = await house.refused("DELETE", f"tools/{tool['id']}", None, 409)
    assert error["pinnedBy"] == [{"sourceType": "assistant", "sourceId": pinning}]
    assert house.model(house.ada)["toolIds"] == ["of-their-own", tool["externalToolId"]]
    assert len(house.asked("assistants.update")) == changed


async def test_a_document_that_cannot_be_used_is_shown_with_the_reason_and_can_be_deleted(house: ToolHouse):
    """Or replaced by one that can."""
    for id in ("t1", "t2"):
        await house.store.commit([Set(WITHIN.document("tools", id), {"name": id, "type": "fax"})])
    rows = (await house.done("GET", "tools"))["tools"]
    assert all("fax" in row["problem"] for row in rows)
    await house.done("DELETE", "tools/t1")
    tool = (await house.done("PUT", "tools/t2", LOOKUP))["tool"]
    assert (tool["problem"], len(house.theirs)) == (None, 1)


async def test_without_a_public_address_nothing_is_made_for_vapi(house: ToolHouse):
    """And it is said what is missing."""
    room = house.room_over(public_url=None)
    with pytest.raises(Exception, match="SWITCHBOARD_PUBLIC_URL"):
        await room.tools.create(OWNER, LOOKUP)
    assert (await house.stored(), house.theirs) == ({}, {})
    assert (await room.tools.create(OWNER, AT_START)).external_id is None


@pytest.mark.requirement("002-05", "002-07")
async def test_two_businesses_in_one_account_have_tools_of_their_own(house: ToolHouse):
    """Of the same name, with different ids on either side."""
    mine = await house.make()
    theirs = (await house.done("POST", f"/{OTHER}/tools", LOOKUP, by="neighbour"))["tool"]
    assert (mine["name"], theirs["name"]) == ("order_status", "order_status")
    assert mine["externalToolId"] != theirs["externalToolId"] and len(house.theirs) == 2
    await house.done("DELETE", f"tools/{mine['id']}")
    assert list(house.theirs) == [theirs["externalToolId"]]
    assert list(await house.stored("tools", OTHER)) == [theirs["id"]]
    assert await house.store.get(PATHS.within(OWN).document("tools", theirs["id"])) is None


async def test_what_a_tool_at_vapi_sends_is_let_in_as_its_business_and_no_other(house: ToolHouse):
    """By the key that it carries, with the phone call's facts beside the model's arguments."""
    tool = await house.make()
    variables = {"customer.number": "+15185550171", "call.id": "c1", "assistant.id": house.ada}
    body = body_of(house.theirs[tool["externalToolId"]], {"order": "A7"}, variables)
    arguments, facts = separated(body)
    assert arguments == {"order": "A7"}
    assert (facts.caller_number, facts.called_number, facts.assistant_id) == ("+15185550171", "", house.ada)
    credentials = Credentials(house.store, PATHS, house.clock)
    proofs = RequestProofs(credentials, house.secrets, house.store, PATHS, house.clock)
    request = Request({"type": "http", "method": "POST", "headers": [], "query_string": b"", "path": "/"})
    assert (await proofs.by_message(request, b"", facts)).business_id == OWN


@pytest.mark.requirement("002-136")
async def test_a_tools_deed_is_what_its_owner_says_or_what_its_words_suggest(house: ToolHouse):
    """A tool that only looks something up does nothing."""
    order = {**NOTE, "label": "Order flowers", "description": "Orders flowers for the customer."}
    made = await house.done("POST", "tools", order)
    assert made["suggestedDeed"] == "ordered" and "deed" not in made["tool"]["configMetadata"]
    path = f"tools/{made['tool']['id']}"
    changed = await house.done("PATCH", path, {"deed": "refunded"})
    assert changed["tool"]["configMetadata"]["deed"] == "refunded"
    looked_up = await house.done("POST", "tools", {**LOOKUP, "label": "Order status"})
    assert looked_up["suggestedDeed"] is None
    error = await house.refused("PATCH", path, {"deed": "teleported"}, 400)
    assert [problem["field"] for problem in error["problems"]] == ["deed"]
