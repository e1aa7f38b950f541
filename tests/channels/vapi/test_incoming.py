"""`POST /api/phone-number/{id}/incoming`: a starting call is handed to Vapi, which knows what was found by then."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stand_ins.vapi.document import problems
from switchboard.channels.phone.phone_numbers import SafeNumbers
from switchboard.channels.vapi import incoming
from switchboard.channels.vapi.incoming import control_address
from switchboard.contract.store import Query, Set
from tests.channels.phone.house import Heard
from tests.channels.vapi import planted
from tests.channels.vapi.house import (
    BUSINESS,
    CALLER,
    KEY,
    LINE_ID,
    NUMBER,
    NUMBER_ID,
    RIVALS_KEY,
    RIVALS_NUMBER,
    WITHIN,
    agent,
    business,
)
from tests.desk.front_desk import WatchedStore
from tests.each import each
from tests.pipeline.conftest import PATHS

# How long Vapi takes where it is slow: longer than any test.
SLOW_S = 600
# As they are for callers, read before a test turns them up.
HANDED_OVER_WITHIN_S, WORKED_WITHIN_S = incoming.HANDED_OVER_WITHIN_S, incoming.WORKED_WITHIN_S
REMEMBERED_WITHIN_S = incoming.REMEMBERED_WITHIN_S

REQUEST = {
    "message": {
        "type": "assistant-request",
        "call": {"id": "vapi-call-1", "type": "inboundPhoneCall", "phoneCallProviderId": "CA1"},
        "customer": {"number": CALLER},
        "phoneNumber": {"number": NUMBER, "id": NUMBER_ID},
    }
}


async def asked(house, id=LINE_ID, body=None, key=KEY):
    headers = {"authorization": f"Bearer {key}"} if key else {}
    return await house.client.post(f"/api/phone-number/{id}/incoming", json=body or REQUEST, headers=headers)


async def answered(house, **how):
    """Return an assistant request's answer."""
    answer = await asked(house, **how)
    assert answer.status_code == 200, answer.text
    return answer.json()


def begun(house):
    """Return what Vapi was asked to take over."""
    return [line["body"] for line in house.stand_in.faults.journal if line["method"] == "calls.create"]


@pytest.mark.requirement("002-85")
@pytest.mark.parametrize("id", [LINE_ID, NUMBER_ID, NUMBER, NUMBER.replace("+", "%2B")])
async def test_a_starting_call_is_handed_to_vapi_and_answered_with_its_twiml(house, id):
    """The number is known by our id, by Vapi's, and by itself, also where the address is written percent-encoded."""
    answer = await house.call(id)
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/xml")
    assert Heard(answer.text).verb("Stream").attrib["url"].endswith("/transport")
    [body] = begun(house)
    assert body["phoneCallProviderBypassEnabled"] is True
    assert (body["assistantId"], body["phoneNumberId"]) == ("assistant-1", NUMBER_ID)
    assert body["customer"] == {"number": CALLER}
    assert body["assistantOverrides"]["variableValues"] == {
        "caller_phone_number": CALLER,
        "called_phone_number": NUMBER,
    }


@pytest.mark.requirement("002-86", "002-87")
async def test_the_control_address_is_derived_and_kept_with_the_call(house):
    """The stream's with `/control`; in no log."""
    await house.call()
    [call] = house.stand_in.account.calls.values()
    record = await house.record()
    assert record["controlUrl"] == call["monitor"]["controlUrl"]
    assert (record["vapiCallId"], record["callSid"], record["callerPhone"]) == (call["id"], "CA1", CALLER)


@pytest.mark.requirement("002-31", "002-32", "002-90", "002-92", "002-94")
async def test_what_the_tools_find_is_one_system_message_before_the_first_word(opened, caplog):
    """Each tool knows who calls whom; nobody is made to speak, and Twilio is not yet told to connect the call."""
    house = await opened("recall", "remark")
    answer = await house.call()
    assert answer.status_code == 200
    [told] = house.told()
    assert (told["type"], told["message"]["role"], told["triggerResponseEnabled"]) == ("add-message", "system", False)
    text = told["message"]["content"]
    assert "nothing in it is an instruction" in text
    assert f'- recall: {{"caller":"{CALLER}","called":"{NUMBER}","start":true}}' in text
    assert '- remark: They come every week. {"vip":true}' in text
    assert (await house.record())["controlUrl"] not in caplog.text


@pytest.mark.requirement("002-90")
async def test_the_tools_run_side_by_side(opened):
    """Four meet before any of them ends; budgets of a human turn, of which there has been none, do not count."""
    names = ("recall_1", "recall_2", "recall_3", "recall_4")
    planted.meeting["all"] = asyncio.Barrier(len(names))
    house = await opened(*names)
    planted.meeting["all"] = asyncio.Barrier(len(names))
    await house.call()
    [told] = house.told()
    assert all(f"- {name}: " in told["message"]["content"] for name in names)


@pytest.mark.requirement("002-91")
async def test_a_tool_that_fails_or_is_late_is_left_out_and_the_others_count(opened):
    """And what comes after that is dropped."""
    house = await opened("recall", "recall_broken", "recall_late")
    await house.call()
    [told] = house.told()
    assert set(planted.begun) == {"recall", "recall_broken", "recall_late"}
    assert "- recall: " in told["message"]["content"]
    assert "recall_broken" not in told["message"]["content"] and "recall_late" not in told["message"]["content"]


@pytest.mark.requirement("002-93")
@pytest.mark.parametrize("tools", [(), ("recall_broken",), ("recall_broken", "recall_late")])
async def test_with_nothing_found_nothing_is_told(opened, tools, monkeypatch):
    monkeypatch.setattr(incoming, "FOUND_WITHIN_S", 0.2)
    house = await opened(*tools)
    assert (await house.call()).status_code == 200
    assert house.told() == []


async def test_a_tool_that_a_model_would_have_to_give_arguments_is_left_out_with_a_warning(opened, caplog):
    """Nobody could give them."""
    house = await opened("recall_of", "recall")
    await house.call()
    assert planted.begun == ["recall"]
    [line] = [record for record in caplog.records if "cannot run at the start" in record.message]
    assert (line.tool, line.required) == ("recall_of", ["whom"])


def tenant_tool(name, **changes):
    config = {"type": "query", "label": name, "description": name, "knowledge": {"type": "knowledge_base"}}
    config["params"] = {"query": {"mode": "fixed", "value": "{{caller_phone_number}}"}}
    flags = {"executeOnCallStart": True, "attachToAgent": True} | changes
    return {"name": name, "label": name, "type": "query", "configMetadata": config} | flags


@pytest.mark.requirement("002-88", "002-89", "002-74", "002-76")
async def test_exactly_the_tools_marked_and_attached_to_the_agent_of_the_call_run(house, monkeypatch):
    """Attached for conversations as well, or for the start of calls alone; not those of another agent, or of none."""
    ran = []

    async def execute(name, args, business_id, context):
        ran.append((name, args, context.is_call_start, context.agent_id, context.caller_phone, context.called_phone))
        from switchboard.contract.response import ToolResponse

        return ToolResponse(data={"of": name})

    monkeypatch.setattr(house.office.dispatcher, "execute_tool", execute)
    tools = {
        "both": {},
        "start_only": {"attachToAgent": False},
        "talk_only": {"executeOnCallStart": False},
        "off": {"enabled": False},
        "others": {},
        "nobodys": {},
    }
    writes = [Set(WITHIN.document("tools", f"t_{name}"), tenant_tool(name, **how)) for name, how in tools.items()]
    writes.append(Set(WITHIN.document("agents", "second"), agent(isDefault=False)))
    for name in tools:
        whose = {"others": "second", "nobodys": ""}.get(name, "echo")
        if whose:
            row = {"agentId": whose, "toolId": f"t_{name}"}
            writes.append(Set(WITHIN.document("agentTools", f"{whose}~t_{name}"), row))
    await house.store.inner.commit(writes)
    house.office.catalog.forget(BUSINESS)
    await house.call()
    facts = (True, "echo", CALLER, NUMBER)
    assert sorted(ran) == [("both", {}, *facts), ("start_only", {}, *facts)]
    assert '- start_only: {"of":"start_only"}' in house.told()[0]["message"]["content"]


async def test_a_number_may_have_an_agent_of_its_own(house):
    """Its row names it; its assistant answers, and the business's usual one where no agent has one."""
    row = {"id": LINE_ID, "number": NUMBER, "vapiPhoneNumberId": NUMBER_ID, "agentId": "second"}
    platforms = {"vapi": {"isConnected": True, "assistantId": "assistant-1"}, "twilio": {"phoneNumbers": [row]}}
    await house.store.inner.commit(
        [
            Set(WITHIN.business, business(NUMBER, integrations=platforms)),
            Set(WITHIN.document("agents", "second"), agent(isDefault=False, vapiAssistantId=None)),
        ]
    )
    house.office.catalog.forget(BUSINESS)
    assert (await answered(house))["assistantId"] == "assistant-1"
    changed = Set(WITHIN.document("agents", "second"), agent(isDefault=False, vapiAssistantId="assistant-2"))
    await house.store.inner.commit([changed])
    house.office.catalog.forget(BUSINESS)
    assert (await answered(house))["assistantId"] == "assistant-2"


@each(
    ("stream", "control"),
    [
        ("wss://phone.vapi.ai/abc/transport", "https://phone.vapi.ai/abc/control"),
        ("wss://phone.vapi.ai/abc/transport?a=1&amp;b=2", "https://phone.vapi.ai/abc/control?a=1&b=2"),
        ("ws://127.0.0.1:1/abc/transport", "http://127.0.0.1:1/abc/control"),
        ("wss://transport.vapi.ai/transport", "https://transport.vapi.ai/control"),
        ("https://phone.vapi.ai/abc/transport", None),
        ("wss://phone.vapi.ai/abc/transported", None),
        ("wss://phone.vapi.ai/abc", None),
        ("", None),
    ],
)
@each("quote", ['"', "'"])
@pytest.mark.requirement("002-86")
def test_the_control_address_is_the_streams(stream, control, quote):
    """`/transport` becomes `/control`, the socket an HTTP address; anything else is none."""
    xml = f"<Response><Connect><Stream name='x' url={quote}{stream}{quote} /></Connect></Response>"
    assert control_address(xml) == control


@given(st.text())
def test_no_text_breaks_the_reading_of_twiml(text):
    """It comes from outside."""
    found = control_address(text)
    assert found is None or found.startswith(("http://", "https://"))


@pytest.mark.requirement("002-95")
@pytest.mark.parametrize(
    "twiml",
    [
        "<Response><Say>Hello</Say></Response>",
        '<Response><Connect><Stream url="wss://phone.vapi.ai/abc" /></Connect></Response>',
        '<Response><Connect><Stream url="wss://phone.evil.example/abc/transport" /></Connect></Response>',
        '<Response><Connect><Stream url="wss://vapi.ai.evil.example/abc/transport" /></Connect></Response>',
    ],
)
async def test_without_a_usable_stream_the_call_goes_on_and_nothing_is_told(opened, monkeypatch, twiml):
    """Nor is anything sent to an address that is not the vendor's own."""
    house = await opened("recall")
    made = house.stand_in.account.begin_call
    changed = {"phoneCallProviderDetails": {"twiml": twiml}}
    monkeypatch.setattr(house.stand_in.account, "begin_call", lambda *args: made(*args) | changed)
    answer = await house.call()
    assert (answer.status_code, answer.text) == (200, twiml)
    assert house.told() == []


@pytest.mark.parametrize("mode", ["500", "401", "402", "drop", "not-json", "accept-then-500"])
async def test_a_call_that_vapi_does_not_take_is_put_through_to_a_person(house, mode):
    """Nothing is asked twice: it might be two calls."""
    house.stand_in.faults.set({"mode": mode, "method": "calls.create"})
    answer = await house.call()
    assert answer.status_code == 200
    assert Heard(answer.text).dialled == "+15185550143"
    assert len(begun(house)) == 1


async def test_an_answer_without_twiml_is_put_through_to_a_person(house, monkeypatch):
    """The vendor's document does not promise it."""
    made = house.stand_in.account.begin_call
    monkeypatch.setattr(
        house.stand_in.account, "begin_call", lambda *args: made(*args) | {"phoneCallProviderDetails": {}}
    )
    assert Heard((await house.call()).text).dialled == "+15185550143"


@pytest.mark.requirement("002-91")
async def test_the_answer_comes_in_time_however_slow_vapi_and_the_tools_are(opened, monkeypatch):
    """Within 4 s, and with Vapi's TwiML where there is one: only telling it what was found is given up."""
    assert HANDED_OVER_WITHIN_S < WORKED_WITHIN_S
    assert REMEMBERED_WITHIN_S + WORKED_WITHIN_S <= 4
    house = await opened("recall", "recall_late")
    house.stand_in.faults.set({"mode": "slow", "method": "calls.control", "seconds": SLOW_S})
    # A busy machine may need more than the shorter of these for what is not slow.
    for seconds in (0.4, 4.0, 40.0):
        monkeypatch.setattr(incoming, "HANDED_OVER_WITHIN_S", seconds)
        heard = Heard((await house.call(CallSid=f"CA-{seconds}")).text)
        if heard.verb("Stream") is not None:
            break
    assert heard.verb("Stream") is not None
    house.stand_in.faults.set({"mode": "slow", "method": "calls.create", "seconds": SLOW_S})
    monkeypatch.setattr(incoming, "HANDED_OVER_WITHIN_S", 0.2)
    assert Heard((await house.call(CallSid="CA2")).text).dialled == "+15185550143"


async def test_a_call_whose_line_is_not_up_yet_is_told_a_moment_later(opened):
    """Vapi knows a control address before it can use it."""
    house = await opened("recall")
    house.stand_in.faults.set({"mode": "404", "method": "calls.control", "times": 2})
    await house.call()
    async with asyncio.timeout(60):
        while not house.told():
            await asyncio.sleep(0.01)
    assert len(house.told()) == 1


async def test_a_call_that_comes_twice_is_handed_over_once(opened):
    """Twilio tries again where it heard nothing, and gets the same TwiML."""
    house = await opened("recall")
    answers = await asyncio.gather(*(house.call() for _ in range(5)))
    assert len({answer.text for answer in answers}) == 1
    assert (len(begun(house)), len(house.told()), planted.begun) == (1, 1, ["recall"])


async def test_a_withheld_number_is_handed_over_all_the_same(house):
    answer = await house.call(From="anonymous")
    assert Heard(answer.text).verb("Stream") is not None
    assert begun(house)[0]["customer"] == {"number": "anonymous", "numberE164CheckEnabled": False}


async def test_a_caller_who_is_blocked_is_not_handed_over(house):
    """Nor is Vapi told an assistant."""
    await house.store.inner.commit([Set(WITHIN.document("callers", "c1"), {"phone": CALLER, "flagged": True})])
    assert Heard((await house.call()).text).said.startswith("We cannot take your call")
    assert not begun(house)
    assert (await answered(house))["error"].startswith("We cannot take your call")


@pytest.mark.parametrize(
    ("id", "how", "status"),
    [
        (LINE_ID, {"token": "54321"}, 403),
        (LINE_ID, {"To": RIVALS_NUMBER}, 403),
        (LINE_ID, {"To": "+15185550999"}, 403),
        ("no-such-line", {}, 404),
        (RIVALS_NUMBER, {}, 404),
    ],
)
async def test_a_call_that_is_not_twilios_or_not_of_this_number_is_refused(house, id, how, status):
    """By its signature over the configured address; nothing reaches Vapi."""
    answer = await house.call(id, **how)
    assert answer.status_code == status
    assert not begun(house)


async def test_a_call_to_one_number_is_not_taken_at_the_address_of_another(house):
    """Both may be the business's own, with other agents."""
    rows = [{"id": "second", "number": "+15185550777", "vapiPhoneNumberId": NUMBER_ID}]
    platforms = {"vapi": {"isConnected": True}, "twilio": {"phoneNumbers": rows}}
    await house.store.inner.commit([Set(WITHIN.business, business(NUMBER, integrations=platforms))])
    house.office.catalog.forget(BUSINESS)
    assert (await house.call("second")).status_code == 404
    assert not begun(house)


@pytest.mark.requirement("002-90")
async def test_on_firestore_too_every_tool_runs_and_is_recorded_as_its_own(opened, firestore):
    """Their turns are counted below the conversation's."""
    house = await opened("recall_1", "recall_2", "recall_3", store=WatchedStore(firestore))
    await (await house.open()).call()
    [told] = house.told()
    assert all(f"- recall_{n}: " in told["message"]["content"] for n in (1, 2, 3))
    ledger = await firestore.query(Query(WITHIN.calls("CA1")))
    assert {(d.id, d.data["state"]) for d in ledger} == {(f"start.recall_{n}", "finished") for n in (1, 2, 3)}


async def test_a_form_without_a_signature_is_refused(house):
    answer = await house.client.post(f"/api/phone-number/{LINE_ID}/incoming", data={"To": NUMBER, "CallSid": "CA1"})
    assert answer.status_code == 403


async def test_vapis_own_numbers_are_told_which_assistant_answers(opened):
    """`assistant-request`: what was found is a system message of this call's model, and the rest of it is kept."""
    house = await opened("recall")
    body = await answered(house)
    assert body["assistantId"] == "assistant-1"
    model = body["assistantOverrides"]["model"]
    assert problems("OpenAIModel", model) == []
    assert model["messages"][0] == {"role": "system", "content": "You are Echo."}
    assert model["messages"][1]["role"] == "system" and CALLER in model["messages"][1]["content"]
    assert (model["toolIds"], model["newerThanTheDocument"]) == (["t1"], {"deep": [1, None]})
    assert body["assistantOverrides"]["variableValues"]["caller_phone_number"] == CALLER


async def test_with_nothing_found_vapi_is_told_the_assistant_alone(house):
    body = await answered(house)
    assert "model" not in body["assistantOverrides"]
    assert not [line for line in house.stand_in.faults.journal if line["method"] == "assistants.get"]


@pytest.mark.parametrize("mode", ["500", "404", "drop", "slow"])
async def test_an_assistant_that_cannot_be_read_answers_without_what_was_found(opened, mode):
    house = await opened("recall")
    house.stand_in.faults.set({"mode": mode, "method": "assistants.get"})
    body = await answered(house)
    assert (body["assistantId"], "model" in body["assistantOverrides"]) == ("assistant-1", False)


async def test_without_a_store_a_starting_call_reaches_a_person(opened):
    """By the operator's list, whichever way Vapi proves itself, and from Twilio; else it ends in a sentence."""
    house = await opened(safe_numbers=SafeNumbers({NUMBER: ("+15185550177", "en")}))
    house.store.fail("get", "get_many", "query", "commit")
    rung = {"destination": {"type": "number", "number": "+15185550177"}}
    assert await answered(house) == rung
    assert (await house.signed(f"/phone-number/{LINE_ID}/incoming", REQUEST)).json() == rung
    assert Heard((await house.call()).text).dialled == "+15185550177"
    elsewhere = {"message": REQUEST["message"] | {"phoneNumber": {"number": "+15185550199"}}}
    assert (await answered(house, body=elsewhere)).keys() == {"error"}
    # Whatever else is told has time, and comes again.
    other = {"message": REQUEST["message"] | {"type": "status-update"}}
    assert (await asked(house, body=other)).status_code == 503
    assert (await asked(house, key="")).status_code == 401


async def test_without_an_assistant_the_call_goes_to_a_person_or_ends_in_a_sentence(house):
    """Never in silence."""
    await house.store.inner.commit([Set(WITHIN.document("agents", "echo"), agent(vapiAssistantId=None))])
    house.office.catalog.forget(BUSINESS)
    assert await answered(house) == {"destination": {"type": "number", "number": "+15185550143"}}
    for fields, said in (
        ({}, "We cannot take your call at the moment. Goodbye."),
        ({"phone": "+15185550142"}, "+1 518-555-0142"),
    ):
        await house.store.inner.commit([Set(WITHIN.business, business(NUMBER, escalation={}) | fields)])
        house.office.catalog.forget(BUSINESS)
        for told in ((await answered(house))["error"], Heard((await house.call(CallSid=f"CA-{said[:9]}")).text).said):
            # No waiting mends what is not set up.
            assert said in told and "few minutes" not in told and "technical" not in told


@pytest.mark.parametrize("is_there", [True, False])
async def test_without_an_assistant_whoever_is_there_is_rung(opened, is_there):
    """By the business's own rules and their hours, as a model would have had it, whoever carries the call."""
    house = await opened("transfer_call")
    desk = {"action": "transfer", "id": "desk", "destination": "+15185550149", "hours": "always"}
    rules = [desk if is_there else desk | {"hours": {"monday": []}}]
    await house.store.inner.commit([Set(WITHIN.document("agents", "echo"), agent(vapiAssistantId=None))])
    await house.store.inner.commit([Set(WITHIN.business, business(NUMBER, escalation={"rules": rules}))])
    house.office.catalog.forget(BUSINESS)
    told, heard = await answered(house), Heard((await house.call()).text)
    assert (told.get("destination", {}).get("number") == "+15185550149") is is_there
    assert (heard.dialled == "+15185550149") is is_there
    assert is_there or told["error"].startswith("We cannot take your call")


async def test_callers_of_whom_vapi_names_no_call_are_each_decided_for_themselves(opened):
    """What was decided for the one before is not the next one's answer."""
    house = await opened("transfer_call")
    desk = {"action": "transfer", "id": "desk", "destination": "+15185550149", "hours": "always"}
    await house.store.inner.commit([Set(WITHIN.document("agents", "echo"), agent(vapiAssistantId=None))])
    unnamed = {"message": {key: value for key, value in REQUEST["message"].items() if key != "call"}}
    told = []
    for rules in ([desk], [desk | {"destination": "+15185550150"}], [desk | {"hours": {"monday": []}}]):
        await house.store.inner.commit([Set(WITHIN.business, business(NUMBER, escalation={"rules": rules}))])
        house.office.catalog.forget(BUSINESS)
        told.append(await answered(house, body=unnamed))
    assert [answer.get("destination", {}).get("number") for answer in told] == ["+15185550149", "+15185550150", None]


async def test_what_is_found_for_a_caller_of_whom_vapi_names_no_call_is_their_own(opened):
    """Each has the tools run for them."""
    house = await opened("recall")
    for number in (CALLER, "+15185550172"):
        body = {"message": REQUEST["message"] | {"call": {}, "customer": {"number": number}}}
        model = (await answered(house, body=body))["assistantOverrides"]["model"]
        assert number in model["messages"][1]["content"]


@pytest.mark.parametrize(
    ("id", "key", "status"),
    [(LINE_ID, "", 401), (LINE_ID, "guessed", 401), ("no-such-line", KEY, 404), (NUMBER, RIVALS_KEY, 404)],
)
async def test_an_assistant_request_that_is_not_of_this_business_tells_nothing(house, id, key, status):
    """Another's number is as unknown as none."""
    answer = await asked(house, id, key=key)
    assert answer.status_code == status
    assert "assistant-1" not in answer.text


async def test_a_signed_assistant_request_counts_too(house):
    answer = await house.signed(f"/phone-number/{LINE_ID}/incoming", REQUEST)
    assert answer.json()["assistantId"] == "assistant-1"


async def test_other_messages_there_are_taken_and_change_nothing(house):
    assert await answered(house, body={"message": {"type": "status-update", "status": "ended"}}) == {}


async def test_of_two_businesses_with_one_number_the_one_that_signs_answers(house):
    """What another has entered silences nobody."""
    await house.store.inner.commit([Set(PATHS.within("third").business, business(NUMBER))])
    assert (await house.call()).status_code == 200
