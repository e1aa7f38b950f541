"""Chat Completions: what we read from a stream is what OpenAI's own SDK reads from the same bytes."""

import json
from dataclasses import replace
from typing import Any

import pytest
from openai import AsyncOpenAI

from switchboard.contract.call import ToolCall
from switchboard.contract.model import (
    CallPiece,
    Ended,
    Ending,
    ModelError,
    ModelEvent,
    Noted,
    Prompt,
    Spoken,
    TextPiece,
    ToolMessage,
    UserMessage,
)
from switchboard.contract.response import ToolResponse
from switchboard.conversation.answer import CallAssembler
from switchboard.integrations.http_session import HttpSession
from switchboard.models.openai_chat import OpenAIChat
from tests.each import each
from tests.models.replay import DROP, Reply, Server, in_pieces, serving, sse

HELLO = Prompt("You are Echo.", [UserMessage("Hello")])


async def ask(server: Server, http: HttpSession, prompt: Prompt = HELLO) -> list[ModelEvent]:
    model = OpenAIChat("gpt-5.2", f"{server.url}/v1", "sk-test", http.client)
    return [event async for event in model.stream(prompt)]


def chunk(delta: dict[str, Any], reason: str | None = None, **more: Any) -> dict[str, Any]:
    known = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return known | {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]} | more


def fragment(index: int, arguments: str = "", **head: Any) -> dict[str, Any]:
    name = {"name": head.pop("name")} if "name" in head else {}
    return {"index": index, **head, "function": {**name, "arguments": arguments}}


USAGE = {
    **chunk({}),
    "choices": [],
    "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
}
STREAMS = {
    "words": [
        chunk({"role": "assistant", "content": ""}),
        chunk({"content": "Guten "}),
        chunk({"content": "Tag 🌷"}, "stop"),
    ],
    "one call": [
        chunk({"content": "Moment."}),
        chunk({"tool_calls": [fragment(0, "", id="a", type="function", name="look")]}),
        chunk({"tool_calls": [fragment(0, '{"wo')]}),
        chunk({"tool_calls": [fragment(0, 'rd":"ä"}')]}),
        chunk({}, "tool_calls"),
    ],
    "two calls side by side": [
        chunk({"tool_calls": [fragment(0, "{", id="a", type="function", name="look")]}),
        chunk({"tool_calls": [fragment(1, "{", id="b", type="function", name="act"), fragment(0, "}")]}),
        chunk({"tool_calls": [fragment(1, "}")]}, "tool_calls"),
    ],
    "no arguments": [chunk({"tool_calls": [fragment(0, "", id="a", type="function", name="look")]}, "tool_calls")],
    "cut off": [chunk({"content": "Well"}, "length")],
    "filtered": [chunk({"content": "We"}), chunk({}, "content_filter")],
    "forced function": [chunk({"tool_calls": [fragment(0, "{}", id="a", type="function", name="look")]}, "stop")],
}
ENDINGS = {
    "stop": Ending.STOPPED,
    "tool_calls": Ending.CALLS,
    "length": Ending.CUT_OFF,
    "content_filter": Ending.REFUSED,
}


async def by_the_sdk(server: Server) -> tuple[str, list[tuple[str, str, str]], str, tuple[int, int]]:
    """Return text, calls, finish reason and usage as the vendor's SDK reads them."""
    text, calls, reason, usage = "", {}, "", (0, 0)
    async with AsyncOpenAI(base_url=f"{server.url}/v1", api_key="sk-test", max_retries=0) as client:
        asked: Any = {"model": "m", "messages": [{"role": "user", "content": "Hello"}], "stream": True}
        async for part in await client.chat.completions.create(**asked):
            if part.usage:
                usage = (part.usage.prompt_tokens, part.usage.completion_tokens)
            if not part.choices:
                continue
            choice = part.choices[0]
            text += choice.delta.content or ""
            reason = choice.finish_reason or reason
            for call in choice.delta.tool_calls or ():
                known = calls.setdefault(call.index, ["", "", ""])
                known[0] = call.id or known[0]
                known[1] = (call.function.name if call.function else None) or known[1]
                known[2] += (call.function.arguments if call.function else None) or ""
    return text, [tuple(c) for c in calls.values()], reason, usage


def as_read(events: list[ModelEvent]) -> tuple[str, list[tuple[str, str, str]]]:
    assembly = CallAssembler("t")
    for event in events:
        if isinstance(event, CallPiece):
            assembly.add(event)
    text = "".join(event.text for event in events if isinstance(event, TextPiece))
    return text, [(c.call_id, c.name, str(c.arguments)) for c in assembly.calls()]


@each("size", [1, 7, 100_000])
@each("line_end", ["\n", "\r\n"])
@each("name", STREAMS)
async def test_a_stream_says_to_us_what_it_says_to_the_vendors_sdk(
    http: HttpSession, name: str, line_end: str, size: int
) -> None:
    """Awkward fragments, pieces of bytes, umlauts cut in two: text, calls, ending and usage are the same."""
    body = sse(*STREAMS[name], USAGE, line_end=line_end)
    async with serving(Reply(in_pieces(body, size))) as server:
        events = await ask(server, http)
        text, calls, reason, usage = await by_the_sdk(server)
    assert as_read(events) == (text, [(id, tool, arguments or "{}") for id, tool, arguments in calls])
    ended = events[-1]
    assert isinstance(ended, Ended)
    # With calls in it, "stop" is no end: the caller waits for what they find.
    assert ended.ending is (Ending.CALLS if calls else ENDINGS[reason])
    assert (ended.input_tokens, ended.output_tokens) == usage


@pytest.mark.requirement("000-37")
async def test_the_request_holds_every_message_and_exactly_one_answer_per_call(http: HttpSession) -> None:
    """Wire-formats §6.2, "Follow-up"; notes of the house are told as the system's."""
    history = [
        UserMessage("Is there tea?"),
        Spoken("Let me look.", (ToolCall("look", '{"word":"tea"}', "a"),)),
        ToolMessage("a", "look", ToolResponse(data={"found": True})),
        Noted("The caller has agreed."),
    ]
    tools = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]
    async with serving(Reply([sse(chunk({"content": "Yes."}, "stop"))])) as server:
        await ask(server, http, Prompt("You are Echo.", history, tools))
    asked = server.asked[0]
    assert [m["role"] for m in asked["messages"]] == ["system", "user", "assistant", "tool", "system"]
    assert asked["messages"][2]["tool_calls"][0]["function"] == {"name": "look", "arguments": '{"word":"tea"}'}
    assert asked["messages"][3]["tool_call_id"] == "a"
    assert json.loads(asked["messages"][3]["content"]) == {"ok": True, "data": {"found": True}}
    assert (asked["model"], asked["stream"], asked["tools"]) == ("gpt-5.2", True, tools)
    assert server.headers[0]["authorization"] == "Bearer sk-test"
    assert server.paths == ["/v1/chat/completions"]


async def test_a_model_that_must_only_speak_is_offered_no_tools(http: HttpSession) -> None:
    """An empty list is refused by the vendor."""
    async with serving(Reply([sse(chunk({"content": "Yes."}, "stop"))])) as server:
        await ask(server, http)
    assert "tools" not in server.asked[0]


@pytest.mark.requirement("004-141")
async def test_how_long_an_answer_may_be_is_said_in_the_servers_own_field(http: HttpSession) -> None:
    """OpenAI's newer models refuse the older name; compatible servers know no other."""
    async with serving(Reply([sse(chunk({"content": "Yes."}, "stop"))])) as server:
        await ask(server, http, replace(HELLO, max_tokens=1_500))
    assert server.asked[0]["max_tokens"] == 1_500
    vendor = OpenAIChat("gpt-5.2", "https://api.openai.com/v1", "sk-test", http.client)
    body = vendor.request(replace(HELLO, max_tokens=1_500))
    assert body["max_completion_tokens"] == 1_500
    assert "max_tokens" not in body
    assert "max_completion_tokens" not in vendor.request(HELLO)


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_before_the_first_word_it_is_asked_once_more(http: HttpSession, status: int) -> None:
    """Nothing was said yet, so nothing can be said twice."""
    good = Reply([sse(chunk({"content": "Hi"}, "stop"))])
    async with serving(Reply([b'{"error":{"message":"busy"}}'], status), good) as server:
        events = await ask(server, http)
    assert events[0] == TextPiece("Hi")
    assert len(server.asked) == 2


async def test_after_the_first_word_it_is_not_asked_again(http: HttpSession) -> None:
    """What was said stands."""
    async with serving(Reply([sse(chunk({"content": "Well"}), done=False), DROP])) as server:
        events = []
        model = OpenAIChat("m", server.url, "", http.client)
        with pytest.raises(ModelError):
            async for event in model.stream(HELLO):
                events.append(event)
    assert events == [TextPiece("Well")]
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (401, b'{"error":{"message":"bad key","code":"invalid_api_key"}}'),
        (400, b'{"error":{"message":"bad schema","type":"invalid_request_error"}}'),
        (429, b'{"error":{"message":"pay","code":"insufficient_quota"}}'),
        (404, b"<html>no</html>"),
        (302, b""),
    ],
)
async def test_what_cannot_go_better_is_not_tried_again(http: HttpSession, status: int, body: bytes) -> None:
    """Waiting twice for the same no costs the caller's patience."""
    async with serving(Reply([body], status, {"location": "http://127.0.0.1:1/"})) as server:
        with pytest.raises(ModelError) as error:
            await ask(server, http)
    assert error.value.is_permanent
    assert len(server.asked) == 1
    assert "sk-test" not in str(error.value)


async def test_a_server_that_asks_for_a_long_wait_is_not_waited_for(http: HttpSession) -> None:
    """A caller on the phone does not wait for a minute."""
    async with serving(Reply([b"{}"], 429, {"retry-after": "60"})) as server:
        with pytest.raises(ModelError):
            await ask(server, http)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "body",
    [
        b"data: {not json\n\n",
        b"data: []\n\n",
        sse({"error": {"message": "overloaded"}}, done=False),
        sse(chunk({"content": "Hi"}), done=False),
        b"",
    ],
)
async def test_a_broken_stream_is_an_error_and_never_a_silent_end(http: HttpSession, body: bytes) -> None:
    """A proxy's error page, an error within the stream, an end without an end."""
    async with serving(Reply([body])) as server:
        with pytest.raises(ModelError):
            await ask(server, http)


CALLING = chunk({"tool_calls": [fragment(0, "{}", id="a", type="function", name="look")]})


@pytest.mark.requirement("003-332")
@each(
    ("said", "reason", "ending"),
    [
        (CALLING, "handed_over", Ending.CALLS),
        (CALLING, "model_length", Ending.CUT_OFF),
        (CALLING, "content_filter", Ending.REFUSED),
        (chunk({"content": "We are open."}), "eos", Ending.STOPPED),
        (chunk({"content": "We are open from"}), "insufficient_system_resource", Ending.CUT_OFF),
        (chunk({"refusal": "I cannot help with that."}), "stop", Ending.REFUSED),
    ],
)
async def test_an_end_that_is_not_known_is_read_from_what_was_said(
    http: HttpSession, said: Any, reason: str, ending: Ending
) -> None:
    """Compatible servers have words of their own: whole calls are meant, half a sentence and a limit are not."""
    async with serving(Reply([sse(said, chunk({}, reason))])) as server:
        ended = (await ask(server, http))[-1]
    assert isinstance(ended, Ended) and ended.ending is ending


LENIENT = {
    "no index": [
        chunk({"tool_calls": [{"id": "a", "function": {"name": "look", "arguments": "{}"}}]}),
        chunk({"tool_calls": [{"id": "b", "function": {"name": "act", "arguments": {"x": 1}}}]}, "tool_calls"),
    ],
    "content in parts": [chunk({"content": [{"type": "text", "text": "Hi"}]}, "stop")],
    "no finish reason": [chunk({"content": "Hi"})],
    "nulls": [chunk({"content": None, "tool_calls": None}), chunk({"content": "Hi"}, "stop")],
}


@each("name", LENIENT)
async def test_compatible_servers_are_understood_in_what_they_leave_out(http: HttpSession, name: str) -> None:
    """Every one of these is sent by some server that calls itself compatible."""
    async with serving(Reply([sse(*LENIENT[name])])) as server:
        text, calls = as_read(await ask(server, http))
    if name == "no index":
        assert calls == [("a", "look", "{}"), ("b", "act", '{"x": 1}')]
    else:
        assert text == "Hi"
