"""Arguments that come as text: what two readers could understand differently is acted upon in no format."""

from typing import Any

import pytest

from switchboard.catalog.arguments.trusted_values import as_object
from switchboard.contract.call import ToolCall
from switchboard.contract.error import Refused
from switchboard.formats import anthropic, livekit, openai, realtime, responses, tool_call
from switchboard.formats.vapi import tools as vapi
from tests.formats.definitions import one, tool

# Names that are told under others, and an optional one: whatever gives them back reads the text as well.
DEFINITION = tool(
    {
        "type": "object",
        "properties": {"filter[a]": {"type": "string"}, "x": {"type": "string"}, "message": {"type": "string"}},
        "required": ["x"],
        "additionalProperties": False,
    }
)
NAME = DEFINITION.name
UNCLEAR = [
    '{"x": "15:00", "x": "16:00"}',
    '{"x": null, "x": "16:00"}',
    '{"x": "a", "filter_a_": "b", "filter_a_": "c"}',
    '{"x": NaN}',
    '{"x": 1e400}',
    '{"x": "\\ud800"}',
    '{"x": {"y": 1, "y": 2}}',
]
READERS = {
    "openai": lambda text: openai.parse({"id": "1", "function": {"name": NAME, "arguments": text}}),
    "openai strict": lambda text: openai.restore_strict(
        DEFINITION, openai.parse({"id": "1", "function": {"name": NAME, "arguments": text}})
    ),
    "responses": lambda text: responses.parse({"call_id": "1", "name": NAME, "arguments": text}),
    "realtime": lambda text: realtime.parse({"call_id": "1", "name": NAME, "arguments": text}),
    "anthropic": lambda text: anthropic.restore(
        DEFINITION, anthropic.parse({"type": "tool_use", "id": "1", "name": NAME, "input": text})
    ),
    "livekit": lambda text: livekit.restore(
        DEFINITION, livekit.parse({"call_id": "1", "name": NAME, "raw_arguments": text})
    ),
    "tool_call": lambda text: tool_call.parse({"type": "tool_call", "tool_name": NAME, "arguments": text}),
    "vapi": lambda text: vapi.restore(
        DEFINITION, vapi.parse({"id": "1", "function": {"name": NAME, "arguments": text}})
    ),
    "vapi parameters": lambda text: vapi.parse({"id": "1", "name": NAME, "parameters": text}),
}


@pytest.mark.requirement("004-1305")
@pytest.mark.parametrize("text", UNCLEAR)
@pytest.mark.parametrize("reader", READERS)
def test_what_could_mean_two_things_is_refused_in_every_format(reader: str, text: str):
    """Where the format reads it, or where its arguments are; nothing in between decides for one of two values."""
    with pytest.raises(Refused) as caught:
        as_object(READERS[reader](text).arguments)
    assert "JSON" in caught.value.message


@pytest.mark.requirement("004-1305")
@pytest.mark.parametrize("reader", READERS)
def test_what_is_clear_is_read_in_every_format(reader: str):
    """With blanks, and names of any script."""
    assert as_object(READERS[reader](' {"x": "Zoë"} ').arguments)["x"] == "Zoë"


@pytest.mark.requirement("004-1305")
def test_giving_names_back_leaves_a_text_that_is_unclear_as_it_was():
    """Whoever validates it refuses it."""
    renamed: Any = tool(one({"type": "string"}) | {"properties": {"filter[a]": {"type": "string"}}})
    declared = next(iter(anthropic.declare(renamed)["input_schema"]["properties"]))
    text = f'{{"{declared}": "b", "{declared}": "c"}}'
    assert declared != "filter[a]"
    assert anthropic.restore(renamed, ToolCall(NAME, text, "1")).arguments == text
