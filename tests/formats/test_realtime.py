"""OpenAI Realtime's dialect, held against the vendor's own types."""

import json

import pytest
from pydantic import TypeAdapter

from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.response import Failure, ToolResponse
from switchboard.formats import openai, realtime
from tests.formats.definitions import tool

BOOK = tool()


def test_a_tool_is_flat_and_never_strict():
    """Its schema is that of Chat Completions."""
    from openai.types.realtime.realtime_function_tool import RealtimeFunctionTool

    declared = realtime.declare(BOOK)
    assert set(declared) == {"type", "name", "description", "parameters"}
    assert declared["parameters"] == openai.declare(BOOK)["function"]["parameters"]
    assert TypeAdapter(RealtimeFunctionTool).validate_python(declared).name == BOOK.name
    assert realtime.lowerings(BOOK) == openai.lowerings(BOOK)


@pytest.mark.parametrize("arguments", ['{"a": 1}', {"a": 1}])
def test_a_call_is_known_by_its_call_id(arguments):
    """And not by the id of its item; an event that ends arguments says the same."""
    call = realtime.parse(
        {"type": "function_call", "id": "item", "call_id": "c1", "name": "look", "arguments": arguments}
    )
    assert (call.name, call.arguments, call.call_id) == ("look", arguments, "c1")


@pytest.mark.parametrize("vendor", [None, [], {"call_id": "c1"}, {"name": "look", "arguments": [1]}])
def test_what_is_no_call_is_refused(vendor):
    """VALIDATION."""
    with pytest.raises(Refused) as caught:
        realtime.parse(vendor)
    assert caught.value.type is ErrorType.VALIDATION


@pytest.mark.parametrize(
    "response",
    [ToolResponse(data={"a": "ü"}), ToolResponse(failure=Failure(ErrorType.TRANSIENT, "later", True, False))],
)
def test_an_answer_is_an_item_that_the_vendor_reads(response):
    """Its output is text, which says whether it went well."""
    from openai.types.realtime import ConversationItemCreateEvent

    event = TypeAdapter(ConversationItemCreateEvent).validate_python(realtime.render("c1", "look", response))
    assert (event.item.type, event.item.call_id) == ("function_call_output", "c1")
    assert json.loads(event.item.output)["ok"] is response.ok


def test_an_answer_to_nobody_is_refused():
    """The vendor could not tell which call it belongs to."""
    with pytest.raises(Refused):
        realtime.render("", "look", ToolResponse(data={}))
