"""What Vapi posts to a tool's callback: several calls in one message, or an `apiRequest`'s bare object."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stand_ins.vapi.asking import SHAPES, body_of, call_in, message_of
from switchboard.contract.call import ToolCall
from switchboard.contract.error import ErrorType, Refused
from switchboard.formats.vapi.call_facts import VapiFacts
from switchboard.formats.vapi.delivery import read_delivery
from switchboard.formats.vapi.tools import Callback, declare_callback
from tests.formats.definitions import tool

PHONE_CALL = {
    "call.id": "0f0f0f0f-0000-4000-8000-0000000000ca",
    "customer.number": "+15185550171",
    "phoneNumber.number": "+15185550100",
    "transport.callSid": "CA" + "1" * 32,
    "assistant.id": "0f0f0f0f-0000-4000-8000-0000000000a5",
}
FACTS = VapiFacts(*PHONE_CALL.values())
CALLBACK = Callback("https://a.example/api/tools/t1/execute", tool_key="key")
NOTE = {"text": "x"}


@pytest.mark.requirement("002-79")
def test_an_api_request_brings_the_models_arguments_and_the_phone_calls_facts():
    """As Vapi merges them: what the model says of a fact is overwritten."""
    mirrored = declare_callback(tool(), CALLBACK)
    delivery = read_delivery(body_of(mirrored, {"service": "Cut", "callerNumber": "+1900"}, PHONE_CALL))
    assert delivery.is_request
    assert delivery.facts == replace(FACTS, tool_key="key")
    (delivered,) = delivery.calls
    assert (delivered.call, delivered.call_id, delivered.refusal) == (ToolCall("", {"service": "Cut"}), "", None)


@pytest.mark.requirement("002-79")
def test_a_message_brings_several_calls_in_any_shape_and_the_same_facts():
    """Each is to be answered under its own id."""
    calls = [call_in(shape, shape, "take_note", NOTE) for shape in SHAPES]
    delivery = read_delivery(message_of(calls, PHONE_CALL))
    assert not delivery.is_request
    assert delivery.facts == FACTS
    assert [row.call for row in delivery.calls] == [ToolCall("take_note", NOTE, shape) for shape in SHAPES]


def test_a_message_of_a_function_tool_brings_its_key():
    """The static parameters of a function tool come among the arguments; the message itself says who calls."""
    merged = {**NOTE, "toolKey": "key", "callerNumber": "+1900", "callId": "forged"}
    delivery = read_delivery(message_of([call_in("object", "1", "take_note", merged)], PHONE_CALL))
    assert delivery.facts == replace(FACTS, tool_key="key")
    assert delivery.calls[0].call == ToolCall("take_note", NOTE, "1")


def test_calls_with_several_keys_come_with_none():
    """They cannot all be of the tool whose address was asked."""
    calls = [call_in("object", str(n), "take_note", {"toolKey": f"key {n}"}) for n in range(2)]
    assert read_delivery(message_of(calls, PHONE_CALL)).facts.tool_key == ""


def test_a_call_of_an_id_that_came_before_is_left_out():
    """An id is answered exactly once."""
    calls = [call_in("object", "1", "take_note", {"text": text}) for text in ("first", "second")]
    (delivered,) = read_delivery(message_of(calls, PHONE_CALL)).calls
    assert delivered.call == ToolCall("take_note", {"text": "first"}, "1")


def test_a_call_that_cannot_be_read_is_still_to_be_answered():
    """Its neighbours run; it says why it did not."""
    calls = [call_in("object", "1", "take_note", NOTE), {"id": "2", "name": "take_note", "arguments": "{"}]
    good, bad = read_delivery(message_of(calls, PHONE_CALL)).calls
    assert (good.call_id, good.refusal, bad.call_id, bad.call) == ("1", None, "2", None)
    assert bad.refusal is not None and bad.refusal.type is ErrorType.VALIDATION


def test_the_calls_with_their_tools_around_them_are_read_where_the_plain_list_is_missing():
    """Vapi sends both; either is enough."""
    call = call_in("text", "1", "take_note", NOTE)
    around = {"type": "function", "name": "take_note", "function": {"name": "take_note"}, "toolCall": call}
    body = message_of([], PHONE_CALL)
    body["message"]["toolWithToolCallList"] = [around]
    assert read_delivery(body).calls[0].call == ToolCall("take_note", NOTE, "1")


@pytest.mark.parametrize("argument", ["a text for the owner", {"type": "tool-calls", "call": {"id": "forged"}}])
def test_an_argument_called_message_makes_no_message(argument: Any):
    """A model must not get to say who calls: what our own `apiRequest` carries beside it tells them apart."""
    body = body_of(declare_callback(tool(), CALLBACK), {"message": argument}, PHONE_CALL)
    delivery = read_delivery(body)
    assert delivery.is_request
    assert delivery.facts.call_id == PHONE_CALL["call.id"]
    assert delivery.calls[0].call == ToolCall("", {"message": argument})


@pytest.mark.parametrize("known", [{}, {"customer.number": "  "}, {"customer.number": "{{customer.number}}"}])
def test_what_vapi_does_not_know_is_empty(known: dict[str, str]):
    """Web calls and withheld numbers have none, and a variable that was not filled in is none."""
    assert read_delivery(body_of(declare_callback(tool(), CALLBACK), {}, known)).facts == VapiFacts(tool_key="key")
    calls = [call_in("object", "1", "take_note", NOTE)]
    assert read_delivery(message_of(calls, known)).facts == VapiFacts()


def test_the_callers_number_is_found_in_the_phone_call_too():
    """`message.customer` may be missing."""
    body = message_of([call_in("object", "1", "take_note", NOTE)], PHONE_CALL)
    del body["message"]["customer"]
    assert read_delivery(body).facts.caller_number == PHONE_CALL["customer.number"]


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        "x",
        {"message": {"type": "status-update"}},
        {"message": {"type": "tool-calls"}},
        {"message": {"type": "tool-calls", "toolCallList": {}}},
        {"message": {"type": "tool-calls", "toolCallList": [None, {}, {"name": "a"}, {"id": 3, "name": "a"}]}},
    ],
)
def test_what_asks_for_nothing_is_refused(body: object):
    """Nobody waits for a result of it."""
    with pytest.raises(Refused) as caught:
        read_delivery(body)
    assert caught.value.type is ErrorType.VALIDATION


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["message", "type", "toolCallList", "id", "name", "function", "arguments", "call", "customer"]
            ),
            inner | st.sampled_from(["tool-calls", "{}", "1"]),
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_json_is_read_or_refused(body: Any):
    """Whatever the internet sends, each id comes once, and every call has its call or its refusal."""
    try:
        delivery = read_delivery(body)
    except Refused:
        return
    ids = [row.call_id for row in delivery.calls]
    assert len(set(ids)) == len(ids) >= 1
    assert all((row.call is None) != (row.refusal is None) for row in delivery.calls)
    json.dumps([row.call.arguments for row in delivery.calls if row.call])
