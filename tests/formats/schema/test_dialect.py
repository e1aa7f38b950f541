"""Anthropic, LiveKit, MCP, OpenAI Responses, Gemini Live and the first seed's protocol: declared, read, answered."""

import json
from dataclasses import replace
from typing import Any

import pytest

from switchboard.contract.call import ToolCall
from switchboard.contract.definitions.definition import Deed, Kind
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.response import Failure, ToolResponse
from switchboard.formats import FORMATS, gemini_live, mcp, responses
from tests.each import each
from tests.formats.definitions import BOOKING, accepts, one, tool

BOOK = tool()
GOOD = ToolResponse(data={"when": "morgen, für Sie"}, meta={"say": "x"})
BAD = ToolResponse(failure=Failure(ErrorType.CONFLICT, "Taken.", False, False))
ERROR = {"type": "CONFLICT", "message": "Taken.", "retryable": False, "partialSideEffects": False}


@each("name", FORMATS)
def test_a_vendor_reads_our_answers(vendors: dict[str, Any], name: str):
    """Good and bad ones, held against the vendor's own types."""
    for response in (GOOD, BAD):
        vendors[name].answer(FORMATS[name].render("call_1", "look", response))


@each("name", FORMATS)
def test_declarations_stand_in_a_list(name: str):
    """Under `tools` stands what `declare_all` makes of them, and nothing for no tools."""
    format = FORMATS[name]
    assert "book_appointment" in json.dumps(format.declare_all([format.declare(BOOK)]))
    assert format.declare_all([]) == []


READ: list[tuple[str, Any, tuple[Any, ...]]] = [
    (
        "openai_responses",
        {"type": "function_call", "id": "fc", "call_id": "c1", "name": "a", "arguments": "{}"},
        ("a", "{}", "c1"),
    ),
    ("anthropic", {"type": "tool_use", "id": "t1", "name": "a", "input": {"b": 1}}, ("a", {"b": 1}, "t1")),
    ("anthropic", {"type": "tool_use", "id": "t1", "name": "a", "input": '{"b": 1}'}, ("a", '{"b": 1}', "t1")),
    ("anthropic", {"id": "t1", "name": "a"}, ("a", {}, "t1")),
    ("livekit", {"call_id": "l1", "name": "a", "arguments": '{"b": 1}'}, ("a", '{"b": 1}', "l1")),
    (
        "livekit",
        {"call_id": "l1", "name": "a", "raw_arguments": {"b": 1, "lk_agents_confirm_duplicate": True}},
        ("a", {"b": 1}, "l1"),
    ),
    (
        "mcp",
        {"jsonrpc": "2.0", "id": 0, "method": "tools/call", "params": {"name": "a", "arguments": {"b": 1}}},
        ("a", {"b": 1}, "0"),
    ),
    ("mcp", {"name": "a"}, ("a", {}, "")),
    ("gemini_live", {"id": "g1", "name": "a", "args": {"b": 1.0}}, ("a", {"b": 1.0}, "g1")),
    ("tool_call", {"type": "tool_call", "tool_name": "a", "arguments": {"b": 1}}, ("a", {"b": 1}, "")),
    ("tool_call", {"type": "tool_call", "tool_name": "a", "call_id": "7"}, ("a", {}, "7")),
]


@pytest.mark.requirement("000-68", "003-26")
@each(("name", "vendor", "call"), READ)
def test_a_call_is_read(name: str, vendor: Any, call: tuple[Any, ...]):
    """Name, arguments and id stand where each vendor puts them."""
    assert FORMATS[name].parse(vendor) == ToolCall(*call)


@each("name", ["openai_responses", "anthropic", "livekit", "mcp", "gemini_live", "tool_call"])
@each("given", [None, [], "a", {}, {"name": 3}, {"tool_name": 3}, {"params": []}])
def test_what_is_no_call_is_refused(name: str, given: Any):
    """A malformed call is the model's mistake, not a crash."""
    with pytest.raises(Refused) as caught:
        FORMATS[name].parse(given)
    assert caught.value.type is ErrorType.VALIDATION


@pytest.mark.parametrize(
    ("name", "vendor"),
    [
        ("anthropic", {"name": "a", "input": []}),
        ("livekit", {"name": "a", "arguments": [1]}),
        ("mcp", {"name": "a", "arguments": "{}"}),
        ("tool_call", {"type": "tool_call", "tool_name": "a", "arguments": []}),
        ("tool_call", {"type": "tool_result", "tool_name": "a"}),
    ],
)
def test_arguments_in_another_shape_are_refused(name: str, vendor: Any):
    """As are things that are no calls at all."""
    with pytest.raises(Refused):
        FORMATS[name].parse(vendor)


@pytest.mark.requirement("000-69")
def test_the_seeds_result_names_its_tool_and_holds_the_data():
    """Seed 000 ("Tool Call Protocol (JSON)"): `{type, tool_name, result}`; an id is given back to who gave one."""
    render = FORMATS["tool_call"].render
    assert render("", "look", GOOD) == {"type": "tool_result", "tool_name": "look", "result": GOOD.data}
    assert render("7", "look", BAD) == {
        "type": "tool_result",
        "tool_name": "look",
        "call_id": "7",
        "result": {"error": ERROR},
    }


def test_the_seeds_declaration_uses_the_words_of_its_calls():
    """Nothing is lost: it is the canonical schema."""
    assert FORMATS["tool_call"].declare(BOOK) == {
        "tool_name": "book_appointment",
        "description": "Book it.",
        "arguments": BOOKING,
    }
    assert FORMATS["tool_call"].lowerings(BOOK) == ()


def test_anthropic_is_told_whether_a_call_failed():
    """`is_error` says so; the content is the data or the error as JSON."""
    good, bad = (FORMATS["anthropic"].render("t1", "look", response) for response in (GOOD, BAD))
    assert good == {
        "type": "tool_result",
        "tool_use_id": "t1",
        "content": '{"when":"morgen, für Sie"}',
        "is_error": False,
    }
    assert (bad["is_error"], json.loads(bad["content"])) == (True, ERROR)


def test_responses_always_says_whether_a_tool_is_strict():
    """Silence would make it so."""
    assert responses.declare(BOOK)["strict"] is False
    assert responses.declare_strict(BOOK)["strict"] is True
    assert responses.declare_strict(tool(one({})))["strict"] is False


@pytest.mark.parametrize(
    ("kind", "writes", "is_repeatable", "hints"),
    [
        (Kind.RETRIEVAL, False, False, (True, False, True)),
        (Kind.UTILITY, False, False, (True, False, True)),
        (Kind.RETRIEVAL, True, False, (False, True, False)),
        (Kind.ACTION, True, False, (False, True, False)),
        (Kind.ACTION, True, True, (False, True, True)),
        (Kind.ACTION, False, False, (False, True, False)),
    ],
)
def test_mcp_hints_follow_from_the_kind(kind: Kind, writes: bool, is_repeatable: bool, hints: tuple[bool, ...]):
    """Read-only, destructive, idempotent."""
    definition = replace(BOOK, kind=kind, writes=writes, is_repeatable=is_repeatable)
    assert tuple(mcp.annotations(definition).values()) == hints


def test_mcp_tells_what_a_tool_returns():
    """A result's structured content matches the output schema; a failure has none, and is marked."""
    returns = {"type": "object", "properties": {"when": {"type": "string", "x-say": True}}, "required": ["when"]}
    declared = mcp.declare(replace(BOOK, returns=returns))
    assert declared["title"] == "Book appointment"
    assert accepts(declared["outputSchema"], mcp.render("", "look", GOOD)["structuredContent"])
    assert mcp.lowerings(replace(BOOK, returns=returns)) == (
        "returns /properties/when: x-say is an annotation of ours and left out",
    )
    assert "outputSchema" not in mcp.declare(BOOK)
    failed = mcp.render("", "look", BAD)
    assert (failed["isError"], "structuredContent" in failed) == (True, False)
    assert json.loads(failed["content"][0]["text"]) == ERROR


@pytest.mark.parametrize(
    ("changes", "behavior", "good", "bad"),
    [
        ({}, "NON_BLOCKING", "SILENT", "WHEN_IDLE"),
        ({"confirm": True}, "BLOCKING", None, None),
        ({"deeds": (Deed.BOOKED,)}, "BLOCKING", None, None),
        ({"kind": Kind.RETRIEVAL}, "BLOCKING", None, None),
    ],
)
def test_the_live_model_speaks_on_past_errands_only(
    changes: dict[str, Any], behavior: str, good: str | None, bad: str | None
):
    """And an answer is scheduled only where it did."""
    definition = replace(BOOK, **changes)
    assert gemini_live.declare(definition)["behavior"] == behavior
    assert gemini_live.answer("c", "look", GOOD, definition).get("scheduling") == good
    assert gemini_live.answer("c", "look", BAD, definition).get("scheduling") == bad
    assert "scheduling" not in gemini_live.answer("c", "look", GOOD)


@pytest.mark.parametrize(
    ("message", "ids"),
    [
        ({"toolCallCancellation": {"ids": ["a", "b", "a", "", 3]}}, ("a", "b")),
        ({"toolCallCancellation": {}}, ()),
        ({"toolCall": {"functionCalls": []}}, ()),
        (None, ()),
    ],
)
def test_a_cancellation_names_the_calls_that_are_taken_back(message: Any, ids: tuple[str, ...]):
    """Each once; any other message takes nothing back."""
    assert gemini_live.cancelled(message) == ids


def test_livekit_takes_a_declaration_as_a_raw_schema():
    """And hands it on to each vendor's model, whose own rules it keeps."""
    from livekit.agents import llm  # here, because it takes seconds to load

    async def look(raw_arguments: dict[str, object]) -> str:
        return "x"

    tools = llm.ToolContext([llm.function_tool(look, raw_schema=FORMATS["livekit"].declare(BOOK))])
    for vendor in ("openai", "google", "anthropic"):
        assert "book_appointment" in str(tools.parse_function_tools(vendor))
    output = FORMATS["livekit"].render("c", "look", BAD)
    assert llm.FunctionCallOutput.model_validate(output).is_error is True
    call = llm.FunctionCall(call_id="c", name="book_appointment", arguments='{"service": "Cut"}')
    assert FORMATS["livekit"].parse(call.model_dump()) == ToolCall("book_appointment", '{"service": "Cut"}', "c")


def test_a_schemas_work_is_done_once():
    """A description in another business's words leaves the schema prepared."""
    for format in FORMATS.values():
        if "vapi" in format.declare.__module__:
            continue
        first, second = format.declare(BOOK), format.declare(replace(BOOK, description="Book at Eva's."))
        schemas = [
            next(
                v
                for k, v in found.get("function", found).items()
                if "arameters" in k or "chema" in k or k == "arguments"
            )
            for found in (first, second)
        ]
        assert schemas[0] is schemas[1]
