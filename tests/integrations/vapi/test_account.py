"""A business's Vapi account, against the stand-in: what is sent, once, and what comes back whole."""

import copy

import pytest

from stand_ins.vapi.account import KEY
from stand_ins.vapi.faults import REFUSALS
from switchboard.contract.deadline import ending_in
from switchboard.contract.error import ErrorType
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.vapi.account import PAGE, VapiAccount
from switchboard.integrations.vapi.transport import VapiTransport
from tests.integrations.conftest import SHORT_S
from tests.integrations.vapi.conftest import ASSISTANT, Vapi, function_tool
from tests.refused import failure

LOST = ["accept-then-drop", "accept-then-500", "500", "503", "drop", "not-json"]


@pytest.mark.requirement("002-15", "002-35")
async def test_a_tool_is_made_changed_found_and_deleted(vapi: Vapi):
    """Each answer is Vapi's whole document; its id is Vapi's own."""
    account = await vapi.account()
    made = await account.create_tool(function_tool())
    assert made == vapi.stand_in.account.tools[made["id"]]
    changed = await account.update_tool(made["id"], {"async": True})
    assert (changed["async"], changed["latestVersion"]) == (True, "v2")
    assert await account.get_tool(made["id"]) == changed
    assert await account.delete_tool(made["id"]) is True
    assert await account.get_tool(made["id"]) is None


@pytest.mark.requirement("002-105")
async def test_what_vapi_no_longer_has_is_no_error(vapi: Vapi):
    """Deleting it says so, looking for it finds nothing, changing it is NOT_FOUND."""
    account = await vapi.account()
    gone = "0f0f0f0f-0000-4000-8000-00000000dead"
    assert await account.delete_tool(gone) is False
    assert await account.get_tool(gone) is None
    assert await account.get_assistant(gone) is None
    assert (await failure(account.update_tool(gone, {"async": True}))).type is ErrorType.NOT_FOUND
    assert (await failure(account.replace_model(gone, ASSISTANT["model"]))).type is ErrorType.NOT_FOUND


@pytest.mark.parametrize("id", ["", "..", ".", "../assistant/x", "a/b", "a?limit=1", "x" * 65, "ü", "a\r\nX: y", "%2e"])
async def test_an_id_that_cannot_be_one_is_never_sent(vapi: Vapi, id: str):
    """It would be another path: an empty one, the list of all tools."""
    account = await vapi.account()
    assert await account.get_tool(id) is None
    assert await account.get_assistant(id) is None
    assert await account.delete_tool(id) is False
    assert (await failure(account.update_tool(id, {}))).type is ErrorType.NOT_FOUND
    assert (await failure(account.replace_model(id, {}))).type is ErrorType.NOT_FOUND
    assert vapi.requests() == []


async def test_a_tool_can_be_set_back_to_the_document_that_vapi_gave(vapi: Vapi):
    """What Vapi itself wrote into it, and refuses in a change, is left out."""
    account = await vapi.account()
    before = await account.create_tool(function_tool())
    changed = await account.update_tool(before["id"], {"function": {"name": "other"}})
    assert changed["function"] == {"name": "other"}
    back = await account.update_tool(before["id"], before)
    assert (back["function"], back["type"]) == (before["function"], "function")


@pytest.mark.requirement("002-71", "002-72")
async def test_an_assistants_model_goes_back_with_every_key_it_came_with(vapi: Vapi):
    """Wire-formats trap 6: the whole `model` is replaced; what nobody here knows must survive the round trip."""
    account, made = await vapi.account(), vapi.assistant()
    found = await account.get_assistant(made["id"])
    model = copy.deepcopy(found["model"])
    model["toolIds"].append("0f0f0f0f-0000-4000-8000-000000000007")
    kept = await account.replace_model(made["id"], model)
    assert kept["model"] == ASSISTANT["model"] | {"toolIds": ["0f0f0f0f-0000-4000-8000-000000000007"]}
    (line,) = vapi.requests("assistants.update")
    assert line["body"] == {"model": model}
    assert kept["voice"] == ASSISTANT["voice"]


@pytest.mark.parametrize("number", [0, 1, PAGE, PAGE + 1, 2 * PAGE + 30])
async def test_a_list_holds_every_tool_however_many(vapi: Vapi, number: int):
    """Page after page, each once."""
    wanted = {vapi.stand_in.account.create_tool(function_tool())["id"] for _ in range(number)}
    listed = await (await vapi.account()).list_tools()
    assert len(listed) == number
    assert {tool["id"] for tool in listed} == wanted


async def test_a_list_that_goes_the_other_way_round_is_whole_too(vapi: Vapi, monkeypatch: pytest.MonkeyPatch):
    """Which way round lists go is not documented."""
    own = vapi.stand_in.account
    monkeypatch.setattr(
        own,
        "listed",
        lambda kind, limit, bounds: type(own).listed(own, kind, 10_000, bounds)[::-1][:limit],
    )
    for _ in range(PAGE + 5):
        vapi.assistant()
    assert len(await (await vapi.account()).list_assistants()) == PAGE + 5


async def test_half_a_list_is_never_taken_for_a_whole_one(vapi: Vapi, monkeypatch: pytest.MonkeyPatch):
    """Whoever compares with it would believe that the rest had been deleted."""
    own = vapi.stand_in.account
    for _ in range(PAGE + 5):
        own.create_tool(function_tool())
    monkeypatch.setattr(own, "listed", lambda kind, limit, bounds: type(own).listed(own, kind, limit, {}))
    assert (await failure((await vapi.account()).list_tools())).type is ErrorType.PERMANENT


@pytest.mark.requirement("002-85")
async def test_a_phone_call_is_handed_over_with_what_the_document_does_not_name(vapi: Vapi):
    """The bypass goes as plain JSON, and the TwiML comes back."""
    call = await vapi.call(phoneCallProviderBypassEnabled=True)
    assert call["phoneCallProviderDetails"]["twiml"].startswith("<Response>")
    assert vapi.requests("calls.create")[0]["body"]["phoneCallProviderBypassEnabled"] is True


@pytest.mark.requirement("002-32")
async def test_a_message_is_put_into_a_phone_call_without_making_the_agent_speak(vapi: Vapi):
    """Vapi would answer at once unless it is told not to."""
    call = await vapi.call()
    await (await vapi.account()).add_message(call["monitor"]["controlUrl"], "system", "Anna calls; she likes ten.")
    assert vapi.stand_in.account.messages[call["id"]] == [
        {
            "type": "add-message",
            "message": {"role": "system", "content": "Anna calls; she likes ten."},
            "triggerResponseEnabled": False,
        }
    ]


async def test_the_private_key_is_never_shown_to_a_control_address(vapi: Vapi):
    """Those ask for the public key, where they ask for one."""
    call = await vapi.call()
    url = call["monitor"]["controlUrl"]
    vapi.stand_in._public_key = None
    await (await vapi.account()).add_message(url, "system", "open")
    closed = type(vapi.stand_in)(account=vapi.stand_in.account, public_key="public")
    vapi.stand_in.app = closed.app
    await (await vapi.account(publicKey="public")).add_message(url, "system", "with the public key")
    assert (await failure((await vapi.account()).add_message(url, "system", "without"))).type is ErrorType.AUTH
    assert [row["message"]["content"] for row in closed.account.messages[call["id"]]] == ["open", "with the public key"]


async def test_a_phone_call_that_has_ended_is_told_nothing(vapi: Vapi):
    """CONFLICT: the one who wanted to say something acts on it."""
    call = await vapi.call()
    vapi.stand_in.account.end(call["id"])
    error = await failure((await vapi.account()).add_message(call["monitor"]["controlUrl"], "system", "late"))
    assert (error.type, error.meta["reason"], error.partial_side_effects) == (ErrorType.CONFLICT, "call_ended", False)


@pytest.mark.requirement("002-106")
async def test_a_pinned_version_is_reported_with_its_sources(vapi: Vapi):
    """The owner must be able to find what keeps the tool."""
    account = await vapi.account()
    tool = await account.create_tool(function_tool())
    pinning = vapi.assistant(model=ASSISTANT["model"] | {"toolRefs": [{"toolId": tool["id"], "version": "v1"}]})
    error = await failure(account.delete_tool(tool["id"]))
    assert (error.type, error.retryable, error.partial_side_effects) == (ErrorType.CONFLICT, False, False)
    assert error.meta["reason"] == "version_pinned"
    assert error.meta["vendor"]["pinnedBy"] == [{"sourceType": "assistant_version", "sourceId": pinning["id"]}]
    assert await account.get_tool(tool["id"]) is not None


@pytest.mark.parametrize(
    ("mode", "type", "reason"),
    [
        ("400", ErrorType.VALIDATION, None),
        ("401", ErrorType.AUTH, None),
        ("402", ErrorType.PERMANENT, None),
        ("403", ErrorType.AUTH, None),
        ("404", ErrorType.NOT_FOUND, None),
        ("409", ErrorType.CONFLICT, "conflict"),
        ("version-pinned", ErrorType.CONFLICT, "version_pinned"),
        ("write-conflict", ErrorType.CONFLICT, "write_conflict"),
        ("draft", ErrorType.CONFLICT, "draft"),
        ("429", ErrorType.RATE_LIMIT, None),
        ("redirect", ErrorType.PERMANENT, None),
    ],
)
async def test_what_vapi_refuses_is_said_in_our_words_and_nothing_was_done(vapi: Vapi, mode, type, reason):
    """Asked once; the status is for the log alone."""
    account = await vapi.account()
    made = await account.create_tool(function_tool())
    vapi.fault(mode, "tools.update")
    error = await failure(account.update_tool(made["id"], {"async": True}))
    assert (error.type, error.meta.get("reason"), error.partial_side_effects) == (type, reason, False)
    assert error.detail.startswith("vapi: ")
    assert KEY not in repr((error, error.detail, error.message, dict(error.meta)))
    assert len(vapi.requests("tools.update")) == 1
    if reason:
        assert error.meta["vendor"] == REFUSALS[mode].body


async def test_what_vapi_has_against_a_document_reaches_the_owner(vapi: Vapi):
    """A document that is refused can only be repaired by whoever reads why."""
    error = await failure((await vapi.account()).create_tool(function_tool("x" * 65, surprising=True)))
    assert error.type is ErrorType.VALIDATION
    assert "property surprising should not exist" in error.message
    assert "property surprising should not exist" in error.meta["vendor"]["message"]
    assert vapi.stand_in.account.tools == {}


@pytest.mark.parametrize("mode", LOST)
async def test_a_change_without_an_answer_is_made_once_and_said_to_be_unknown(vapi: Vapi, mode: str):
    """Wire-formats trap 8: a second POST would make a second tool."""
    vapi.fault(mode, "tools.create")
    error = await failure((await vapi.account()).create_tool(function_tool()))
    assert (error.type, error.retryable, error.partial_side_effects) == (ErrorType.TRANSIENT, False, True)
    assert len(vapi.requests("tools.create")) == 1
    assert len(vapi.stand_in.account.tools) == mode.startswith("accept")


@pytest.mark.parametrize("mode", ["500", "503", "drop", "not-json"])
async def test_a_look_without_an_answer_changed_nothing(vapi: Vapi, mode: str):
    """TRANSIENT, to be tried again by whoever wants to."""
    account = await vapi.account()
    made = await account.create_tool(function_tool())
    for look in (lambda: account.get_tool(made["id"]), account.list_tools):
        # Twice, because a GET may be sent again by itself where a kept connection turns out to be closed.
        vapi.fault(mode, times=2)
        error = await failure(look())
        vapi.stand_in.faults.waiting.clear()
        assert (error.type, error.retryable, error.partial_side_effects) == (ErrorType.TRANSIENT, True, False)


@pytest.mark.parametrize("mode", ["accept-then-drop", "500", "drop"])
async def test_a_message_without_an_answer_may_have_been_said(vapi: Vapi, mode: str):
    """Said once, and not said to be unsaid."""
    call = await vapi.call()
    vapi.fault(mode, "calls.control")
    error = await failure((await vapi.account()).add_message(call["monitor"]["controlUrl"], "system", "x"))
    assert (error.type, error.partial_side_effects) == (ErrorType.TRANSIENT, True)
    assert len(vapi.requests("calls.control")) == 1


async def test_nobody_waits_longer_than_the_call_has_time(vapi: Vapi):
    """The deadline ends the request, and what became of it is unknown."""
    account = await vapi.account()
    vapi.fault("slow", "tools.create", times=len(SHORT_S), seconds=600)
    for seconds in SHORT_S:
        with ending_in(seconds):
            error = await failure(account.create_tool(function_tool()))
        if vapi.requests("tools.create"):
            break
    assert (error.type, error.partial_side_effects) == (ErrorType.TRANSIENT, True)


async def test_where_nobody_listens_nothing_was_done(vapi: Vapi):
    """A connection that was refused is no unknown outcome."""
    account = VapiAccount(KEY, VapiTransport(vapi.http, "http://127.0.0.1:9"))
    error = await failure(account.create_tool(function_tool()))
    assert (error.type, error.retryable, error.partial_side_effects) == (ErrorType.TRANSIENT, True, False)


async def test_without_a_stand_in_it_is_vapis_own_address_that_is_asked(monkeypatch: pytest.MonkeyPatch):
    """With the key in the header that Vapi reads, and nowhere else."""
    asked = []

    async def request(self, method, url, *, headers, **more):
        asked.append((method, url, dict(headers)))
        raise AssertionError

    monkeypatch.setattr(HttpSession, "request", request)
    with pytest.raises(AssertionError):
        await VapiAccount(KEY, VapiTransport(HttpSession())).list_tools()
    accept = {"Accept": "application/json", "Authorization": f"Bearer {KEY}"}
    assert asked == [("GET", f"https://api.vapi.ai/tool?limit={PAGE}", accept)]
