"""`POST /api/tools/{id}/execute`: Vapi's calls in, the dispatcher's answers out, once each."""

import asyncio
import json
from types import SimpleNamespace

import pytest

from stand_ins.vapi.asking import SHAPES, body_of, call_in, message_of
from switchboard.channels.http.idempotency import Deliveries
from switchboard.channels.vapi.request import last_turn
from switchboard.contract.store import Delete, Set
from switchboard.formats.schema.spelling import told_names
from switchboard.formats.vapi.call_facts import static_parameters
from switchboard.formats.vapi.tools import ARGUMENT_NAMES
from tests.channels.vapi.house import (
    BUSINESS,
    CALLER,
    KEY,
    NUMBER,
    RIVAL,
    RIVALS_KEY,
    VARIABLES,
    WITHIN,
    agent,
    business,
    one,
)
from tests.pipeline.conftest import PATHS
from tests.pipeline.planted import done, gates

CONFIG = {
    "type": "api_request",
    "label": "Order status",
    "description": "Look up an order.",
    # Vapi tells nothing of how far the number of a call is attested.
    "callerNumber": "contact",
    "request": {"method": "GET", "url": "https://orders.example.com/{{order}}?from={{caller_phone_number}}"},
    "params": {"order": {"mode": "ai", "type": "string", "description": "The order's number.", "required": True}},
}
TOOL = {"name": "order_status", "label": "Orders", "type": "api_request", "configMetadata": CONFIG}
MIRRORED = {"parameters": static_parameters()}


@pytest.fixture
async def tool(house):
    """A tenant tool of the salon, attached to its agent; gives what reaches the desk."""
    await enter(house)
    sent = []

    async def send(ctx, bound):
        sent.append((ctx.facts, bound))
        return SimpleNamespace(
            status=200, result={"state": "on\nits way"}, is_cut=False, is_empty=False, problem="", state=""
        )

    house.office.dispatcher.runner.desk = SimpleNamespace(api_requests=SimpleNamespace(send=send))
    return sent


async def enter(house, id="t_order", within=WITHIN, **changes):
    writes = [Set(within.document("tools", id), TOOL | changes)]
    writes.append(Set(within.document("agentTools", f"echo~{id}"), {"agentId": "echo", "toolId": id}))
    await house.store.inner.commit(writes)
    house.office.catalog.forget(BUSINESS)


@pytest.mark.requirement("002-78", "002-84")
@pytest.mark.parametrize("shape", SHAPES)
async def test_a_tool_runs_with_the_models_arguments_in_every_shape_that_vapi_sends(house, tool, shape):
    """Wire-formats §4.5; the answer is one that Vapi's own document allows, on one line."""
    [row] = await house.results("t_order", [call_in(shape, "call_1", "order_status", {"order": "A 7"})])
    assert (row["toolCallId"], row["name"]) == ("call_1", "order_status")
    assert '"state":"on\\nits way"' in row["result"]
    [(_, bound)] = tool
    assert bound.url.startswith("https://orders.example.com/A%207?")


async def test_an_argument_that_vapi_is_told_under_another_name_is_read_as_its_own(house, tool):
    """Vendors refuse names with a dot, and `assistantId` is what Vapi itself fills in."""
    own = {name: {"mode": "ai", "type": "string"} for name in ("lines.max", "assistantId")}
    await enter(house, configMetadata=CONFIG | {"params": CONFIG["params"] | own})
    names = told_names(own, ARGUMENT_NAMES)
    said = {"order": "A7", names["lines.max"]: "3", names["assistantId"]: "me"}
    [row] = await house.results("t_order", [call_in("text", "c1", "order_status", said)])
    assert "result" in row
    [(_, bound)] = tool
    assert "lines.max=3" in bound.url and "assistantId=me" in bound.url


@pytest.mark.parametrize(("language", "last_words"), [("en", "Take care."), ("de", "Auf Wiederhören.")])
async def test_a_call_that_a_tool_ends_is_hung_up_by_vapi_after_the_goodbye(house, language, last_words):
    """A result alone ends nothing there; its message does, and its model says no more."""
    within = {"ai": {"language": language, "callerVerification": "none"}}
    await house.store.inner.commit([Set(WITHIN.business, business(NUMBER, **within))])
    ended, other = await house.results(
        "hang_up", [call_in("text", "c1", "hang_up", {}), call_in("text", "c2", "look", {})]
    )
    assert ended["message"] == {
        "type": "request-complete",
        "role": "assistant",
        "content": last_words,
        "endCallAfterSpokenEnabled": True,
    }
    assert "message" not in other


@pytest.mark.requirement("002-79", "002-11")
async def test_the_execution_knows_who_calls_whom_which_agent_asks_and_which_phone_call_it_is(house, tool):
    """All of it from the authenticated message, nothing from the model's arguments."""
    await house.store.inner.commit([Set(WITHIN.document("agents", "echo"), agent(isDefault=False))])
    await house.results("t_order", one("order_status", {"order": "1"}))
    [(facts, bound)] = tool
    assert (facts.caller_phone, facts.called_phone, facts.agent_id) == (CALLER, NUMBER, "echo")
    assert (facts.session_id, facts.call_id, facts.call_sid) == (VARIABLES["call.id"], "call_1", "CA1")
    assert bound.url.endswith("?from=%2B15185550171")


@pytest.mark.requirement("002-79", "002-84")
async def test_an_api_request_tool_is_answered_with_the_bare_envelope_and_its_facts_come_from_static_parameters(
    house, tool
):
    """Vapi's `apiRequest` has no message around it."""
    body = body_of(MIRRORED, {"order": "1", "callerNumber": "+19995550000"}, VARIABLES)
    answer = await house.execute("t_order", body)
    assert (answer.status_code, answer.json()) == (
        200,
        {"ok": True, "data": {"status": 200, "result": {"state": "on\nits way"}}},
    )
    assert tool[0][0].caller_phone == CALLER


async def test_an_api_request_that_comes_twice_within_half_a_minute_is_one_wish(house, tool):
    """It has no id; its phone call, tool and arguments stand for one."""
    body = body_of(MIRRORED, {"order": "1"}, VARIABLES)
    first, second = await house.execute("t_order", body), await house.execute("t_order", body)
    assert (first.content, len(tool)) == (second.content, 1)
    await house.execute("t_order", body | {"callId": "another phone call"})
    house.clock.wait(60)
    await house.execute("t_order", body)
    assert len(tool) == 3


@pytest.mark.requirement("004-1304")
@pytest.mark.parametrize("named", [{}, {"callId": "{{call.id}}", "providerCallSid": ""}, {"callId": None}])
async def test_an_api_request_that_names_no_phone_call_is_done_once_within_half_a_minute(house, named):
    """Six at once, and once more: nothing tells it from its repetition but who calls; another caller's is another."""
    body = {"what": "book", "callerNumber": CALLER, **named}
    answers = await asyncio.gather(*(house.execute("act", body) for _ in range(6)))
    answers.append(await house.execute("act", body))
    assert len({answer.content for answer in answers}) == 1 and answers[0].json()["ok"]
    assert len(done) == 1
    await house.execute("act", body | {"callerNumber": "+15185550199"})
    await house.execute("act", body | {"what": "book another"})
    assert len(done) == 3
    house.clock.wait(31)
    await house.execute("act", body)
    assert len(done) == 4


@pytest.mark.requirement("004-1304")
@pytest.mark.parametrize("told", [{}, {"callerNumber": "anonymous"}, {"calledNumber": NUMBER, "assistantId": "a1"}])
async def test_two_callers_whose_api_requests_tell_neither_phone_call_nor_number_are_two_wishes(house, told):
    """What comes again within seconds is a repetition; 20 s later it is somebody else, in another conversation."""
    body = {"what": "book", **told}
    for wait_s, count in ((0, 1), (0, 1), (4, 1), (16, 2), (0, 2), (5, 3)):
        house.clock.wait(wait_s)
        assert (await house.execute("act", body)).json()["ok"]
        assert len(done) == count
    sessions = {path.split("/")[3] for path in house.store.paths if "/sessions/s_" in path and "/calls/" in path}
    assert len(sessions) == 3


@pytest.mark.requirement("004-1304")
@pytest.mark.parametrize(
    "body", [{"what": "book", "callerNumber": CALLER}, message_of(one("act", {"what": "book"}), {})]
)
async def test_what_names_no_conversation_is_done_once_also_where_whoever_did_it_has_died(house, body, monkeypatch):
    """Its answer was never kept; delivered again it is found in the ledger, in the same conversation."""
    keeping = Deliveries.once

    async def forgotten(self, within, key, work):
        return await work()

    monkeypatch.setattr(Deliveries, "once", forgotten)
    first = await house.execute("act", body)
    monkeypatch.setattr(Deliveries, "once", keeping)
    again = await house.execute("act", body)
    assert (len(done), first.json()) == (1, again.json())


async def test_the_half_minute_of_an_api_request_counts_from_the_first_time(house, tool):
    """No edge of the clock parts one from its own repetition."""
    body = body_of(MIRRORED, {"order": "1"}, VARIABLES)
    house.clock.wait(29)
    for wait_s, count in ((0, 1), (2, 1), (27, 1), (1, 2), (29, 2)):
        house.clock.wait(wait_s)
        await house.execute("t_order", body)
        assert len(tool) == count


@pytest.mark.parametrize("told", [{}, {"call": None}, {"call": {"customer": {"number": CALLER}}}])
async def test_where_vapi_names_no_conversation_nobody_gets_anothers_answer(house, told):
    """A message that comes again at once is the same one; a later one, equal in everything, is another caller's."""
    message = message_of(one("act", {"what": "book"}), {})
    message = {"message": message["message"] | told}
    house.clock.wait(119)
    first, again = [(await house.execute("act", message)).content for _ in range(2)]
    house.clock.wait(119)
    assert (await house.execute("act", message)).content == first == again
    assert len(done) == 1
    house.clock.wait(1)
    await house.execute("act", message)
    assert len(done) == 2


@pytest.mark.parametrize(
    ("variables", "id"), [({"transport.callSid": "CA7"}, None), ({}, "message-7"), ({"call.id": "c7"}, "message-8")]
)
async def test_a_conversation_is_known_by_what_vapi_tells_of_it(house, variables, id):
    """By the phone call's id, or the network's, or else the message's: it may come again at any time."""
    message = message_of(one("act", {"what": "book"}), variables)
    message["message"] |= {"id": id}
    for wait_s in (0, 600):
        house.clock.wait(wait_s)
        await house.execute("act", message)
    assert len(done) == 1


async def test_the_same_message_twenty_times_at_once_is_one_effect_and_one_answer(house):
    """Reliability row 1."""
    message = message_of(one("act", {"what": "book"}), VARIABLES)
    answers = await asyncio.gather(*(house.execute("act", message) for _ in range(20)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1
    assert len(done) == 1


async def test_a_tool_call_id_that_comes_again_in_another_message_keeps_its_answer(house):
    """The ledger knows it; with other arguments it is no repetition, and is said to be none."""
    [first] = await house.results("act", one("act", {"what": "book"}))
    both = [*one("act", {"what": "book"}), *one("act", {"what": "cancel"}, "call_2")]
    assert (await house.results("act", both))[0] == first
    [other] = await house.results("act", one("act", {"what": "something else"}))
    assert "CONFLICT" in other["error"]
    assert len(done) == 2


@pytest.mark.requirement("002-84")
async def test_several_calls_of_one_message_are_answered_once_each_and_a_failing_one_spoils_no_other(house):
    """Unreadable arguments, an unknown tool, a crash; an id that stands there twice counts once."""
    calls = [
        *one("look", {"word": "a"}),
        *one("look", {"word": "b"}),
        {"id": "call_2", "function": {"name": "look", "arguments": "[1"}},
        *one("no_such_tool", {}, "call_3"),
        *one("crash_acting", {}, "call_4"),
        {"function": {"name": "look", "arguments": "{}"}},
    ]
    rows = {row["toolCallId"]: row for row in await house.results("look", calls)}
    assert sorted(rows) == ["call_1", "call_2", "call_3", "call_4"]
    assert '"said":"a"' in rows["call_1"]["result"]
    assert rows["call_2"]["name"] == "look"
    for id, type in (("call_2", "VALIDATION"), ("call_3", "NOT_FOUND"), ("call_4", "INTERNAL")):
        assert type in rows[id]["error"]


async def test_actions_of_one_message_run_one_after_the_other_in_order(house):
    """The second is not begun while the first is under way."""
    for gate in ("first", "second"):
        gates[gate] = asyncio.Event()
    gates["second"].set()
    calls = [*one("act_slowly", {"gate": "first"}), *one("act_slowly", {"gate": "second"}, "call_2")]
    rows = await house.results("act_slowly", calls)
    # The first takes longer than anybody waits; it is told as what it is, and goes on.
    assert "may still succeed" in rows[0]["error"] and "result" in rows[1]
    gates["first"].set()


async def test_one_address_serves_every_tool_that_the_business_offers(house, tool):
    """A message names the tool it calls; the address may name a built-in one, or a tenant tool by its name."""
    for id in ("t_order", "order_status", "look"):
        house.clock.wait(30)
        rows = await house.results(id, [*one("look", {}, f"a{id}"), *one("order_status", {"order": id}, f"b{id}")])
        assert ["result" in row for row in rows] == [True, True], rows


async def test_an_async_tool_is_answered_accepted(house):
    [row] = await house.results("act_later", one("act_later", {"what": "book"}))
    assert '"accepted":true' in row["result"]


@pytest.mark.requirement("002-77", "002-33")
async def test_a_tool_that_only_runs_when_a_call_starts_cannot_be_called_during_the_conversation(house, tool):
    await enter(house, attachToAgent=False, executeOnCallStart=True)
    [row] = await house.results("t_order", one("order_status", {"order": "1"}))
    assert "MODE_RESTRICTED" in row["error"] and not tool


@pytest.mark.requirement("002-80")
async def test_an_unknown_id_is_answered_with_not_found(house):
    """To a message in the form that Vapi hears; to anything else as HTTP says it."""
    [row] = await house.results("t_nothing", one("order_status", {"order": "1"}))
    assert "NOT_FOUND" in row["error"]
    answer = await house.execute("t_nothing", body_of(MIRRORED, {}, VARIABLES))
    assert (answer.status_code, answer.json()["error"]["type"]) == (404, "NOT_FOUND")


async def test_a_tool_that_was_made_a_moment_ago_on_another_instance_is_found(house, tool):
    """What is kept for a minute must not hide it."""
    await house.results("look", one("look", {}))
    await house.store.inner.commit(
        [
            Set(WITHIN.document("tools", "t_new"), TOOL | {"name": "order_again"}),
            Set(WITHIN.document("agentTools", "echo~t_new"), {"agentId": "echo", "toolId": "t_new"}),
        ]
    )
    answer = await house.execute("t_new", body_of(MIRRORED, {"order": "1"}, VARIABLES | {"call.id": "new"}))
    assert answer.json()["ok"] is True
    assert len(tool) == 1


@pytest.mark.requirement("002-130", "002-05")
@pytest.mark.parametrize("id", ["t_rival", "order_status", "t_nothing"])
async def test_another_businesss_tool_is_as_unknown_as_none(house, id):
    """Not even whether there is one is told, by id or by name, and nothing of it runs."""
    await enter(house, "t_rival", PATHS.within(RIVAL))
    await house.store.inner.commit([Set(PATHS.within(RIVAL).document("agents", "echo"), agent())])
    answer = await house.execute(id, body_of(MIRRORED, {"order": "1"}, VARIABLES))
    assert (answer.status_code, answer.json()["error"]["message"]) == (404, "There is no such tool.")
    rows = await house.results(id, one("order_status", {"order": "1"}))
    assert "NOT_FOUND" in rows[0]["error"]


async def test_another_businesss_key_reaches_its_own_tools_only(house, tool):
    """The credential decides whose tools an address means, whatever number or session the body names."""
    message = message_of(one("order_status", {"order": "1"}), VARIABLES)
    answer = await house.execute("t_order", message, authorization=f"Bearer {RIVALS_KEY}")
    assert "NOT_FOUND" in answer.text and not tool
    rivals = await house.execute("act", message_of(one("act", {"what": "x"}), VARIABLES), authorization=f"Bearer {KEY}")
    again = message_of(one("act", {"what": "x"}), VARIABLES)
    theirs = await house.execute("act", again, authorization=f"Bearer {RIVALS_KEY}")
    assert rivals.status_code == theirs.status_code == 200
    # The same ids in two businesses are two wishes.
    assert len(done) == 2


@pytest.mark.parametrize("type", ["status-update", "conversation-update", "hang", "something-new"])
async def test_what_nobody_waits_for_an_answer_to_is_taken_and_changes_nothing(house, type):
    before = house.store.asked["commit"]
    answer = await house.execute("look", {"message": {"type": type, "createdAt": "2026-01-01"}})
    assert (answer.status_code, answer.json()) == (200, {})
    assert house.store.asked["commit"] == before


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"[]", 400),
        (b'"text"', 400),
        (b'{"a": 1, "a": 2}', 400),
        (b"\xff", 400),
        (b"[" * 100_000, 400),
        (b'{"message": {"type": "tool-calls", "toolCallList": []}}', 400),
        (b'{"message": {"type": "tool-calls", "toolCallList": "x"}}', 400),
        (b'{"x": "' + b"y" * 1_100_000 + b'"}', 413),
    ],
)
async def test_a_body_that_cannot_be_read_is_refused_as_what_it_is(house, raw, status):
    answer = await house.client.post("/api/tools/look/execute", content=raw, headers={"authorization": f"Bearer {KEY}"})
    assert (answer.status_code, answer.json()["error"]["type"]) == (status, "VALIDATION")


async def test_without_the_store_a_message_is_still_answered(house, tool):
    """Vapi's model hears that it does not work, and does not wait for nothing; the credential is known from before."""
    await house.results("look", one("look", {}))
    house.store.fail("get", "query", "get_many", "commit")
    house.office.catalog.forget(BUSINESS)
    [row] = await house.results("t_order", one("order_status", {"order": "1"}, "call_9"))
    assert "TRANSIENT" in row["error"] and not tool
    body = body_of(MIRRORED, {"order": "1"}, VARIABLES)
    assert (await house.execute("t_order", body)).status_code == 503


async def test_an_agent_that_has_been_deleted_at_ours_leaves_the_default_one(house, tool):
    """An assistant that mirrors no agent of ours has the tools of the agent that answers the phone."""
    await house.store.inner.commit([Delete(WITHIN.document("agents", "gone"))])
    [row] = await house.results("t_order", one("order_status", {"order": "1"}), **{"assistant.id": "unknown"})
    assert "result" in row


def transcript(*said):
    """Return a message body whose transcript alternates as given: `caller: words` or `agent: words`."""
    rows = [{"role": "user" if who == "caller" else "bot", "message": words} for who, words in said]
    return {"message": {"type": "tool-calls", "artifact": {"messages": [{"role": "system", "message": "x"}, *rows]}}}


async def test_the_turn_is_counted_from_the_transcript(house):
    """Two utterances in a row are one turn; OpenAI's form of a transcript counts as well."""
    now = house.clock.now()
    body = transcript(("agent", "Hi"), ("caller", "One"), ("caller", "two"), ("agent", "Yes?"), ("caller", "Three"))
    assert (last_turn(body, now).number, last_turn(body, now).words) == (2, "Three")
    assert last_turn(transcript(("caller", "One"), ("caller", "two")), now).words == "One two"
    other = {"message": {"artifact": {"messagesOpenAIFormatted": [{"role": "user", "content": "Hi"}]}}}
    assert (last_turn(other, now).number, last_turn(other, now).words) == (1, "Hi")
    for odd in ({}, {"message": []}, {"message": {"artifact": {"messages": ["x", {"role": "system"}]}}}):
        assert last_turn(odd, now).number > 1_000


async def test_a_yes_of_the_caller_in_vapis_transcript_approves_what_was_asked(house):
    """The caller's own words decide, in a later turn; the model's arguments cannot."""
    asked = message_of(one("act_confirmed", {"what": "cut"}), VARIABLES)
    asked["message"] |= transcript(("caller", "Book a cut"))["message"]
    [row] = (await house.execute("act", asked)).json()["results"]
    assert "CONFIRMATION_REQUIRED" in row["error"] and not done
    pushy = message_of(one("act_confirmed", {"what": "cut"}, "call_2"), VARIABLES)
    pushy["message"] |= transcript(("caller", "Book a cut"))["message"]
    assert "CONFIRMATION_REQUIRED" in (await house.execute("act", pushy)).text
    other = message_of(one("act_confirmed", {"what": "cut"}, "call_2b"), VARIABLES)
    own = ("agent", "Would you like me to text you our address?")
    other["message"] |= transcript(("caller", "Book a cut"), own, ("caller", "Yes please."))["message"]
    assert "CONFIRMATION_REQUIRED" in (await house.execute("act", other)).text and not done
    question = row["error"].split("the answer: ")[1].split(" Once the caller")[0]
    agreed = message_of(one("act_confirmed", {"what": "cut"}, "call_3"), VARIABLES)
    agreed["message"] |= transcript(
        ("caller", "Book a cut"), own, ("caller", "Yes please."), ("agent", question), ("caller", "Yes")
    )["message"]
    [row] = (await house.execute("act", agreed)).json()["results"]
    assert "result" in row and len(done) == 1


@pytest.mark.requirement("004-121")
@pytest.mark.parametrize(
    "between",
    [
        [("agent", "Would you like me to text you our address?")],
        [("agent", "We open at nine.")],
        [("agent", "")],
        [],
        [("agent", "{question} Or shall I text you our address?")],
        [("agent", "Shall I do it? {question}")],
        [("agent", "{question}"), ("caller", "Hm?"), ("agent", "Would you like me to text you our address?")],
    ],
)
async def test_a_yes_to_other_words_in_vapis_transcript_does_nothing_and_the_honest_way_does_it_once(house, between):
    """Vapi's model words what it likes; its transcript tells what the caller was told last."""

    async def ask(call_id, *rows):
        body = message_of(one("act_confirmed", {"what": "cut"}, call_id), VARIABLES)
        body["message"] |= transcript(*rows)["message"]
        [row] = (await house.execute("act", body)).json()["results"]
        return row

    said = [("caller", "Book a cut")]
    question = (await ask("c1", *said))["error"].split("the answer: ")[1].split(" Once the caller")[0]
    said += [(who, words.replace("{question}", question)) for who, words in between]
    said += [("caller", "Yes please.")]
    assert "CONFIRMATION_REQUIRED" in (await ask("c2", *said))["error"]
    assert not done
    said += [("agent", f"Pardon me. {question}"), ("caller", "Yes please.")]
    assert "result" in await ask("c3", *said)
    again = json.loads((await ask("c4", *said, ("agent", "Done."), ("caller", "Is it?")))["result"])
    assert again["repeated"] is True, again
    assert len(done) == 1
