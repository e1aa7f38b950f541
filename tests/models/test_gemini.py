"""Gemini's stream: what we read is what Google's own SDK reads from the same bytes, and what we send it accepts."""

from typing import Any

import orjson
import pytest
from google import genai
from google.genai import types

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
from switchboard.integrations.http_session import HttpSession
from switchboard.models.gemini import _CUT_OFF, _REFUSED, Gemini
from tests.each import each
from tests.models.replay import Reply, Server, in_pieces, serving, sse

# The vendor's SDK on top of the HTTP client that both use.
pytestmark = pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning")

HELLO = Prompt("You are Echo.", [UserMessage("Hello")])
USED = {"usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 3, "totalTokenCount": 10}}


def chunk(*parts: dict[str, Any], reason: str | None = None, **more: Any) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    return {"candidates": [candidate | ({"finishReason": reason} if reason else {})]} | more


LOOK = {"functionCall": {"name": "look", "args": {"word": "tea", "times": 2.0}}, "thoughtSignature": "c2ln"}
STREAMS = {
    "words": [chunk({"text": "Guten "}), chunk({"text": "Tag 🌷"}, reason="STOP", **USED)],
    "a thought, words and a call": [
        chunk({"text": "They want tea.", "thought": True}),
        chunk({"text": "Moment."}),
        chunk(LOOK, reason="STOP", **USED),
    ],
    "two calls": [chunk({"functionCall": {"id": "a", "name": "look", "args": {}}}, LOOK), chunk(reason="STOP", **USED)],
    "cut off": [chunk({"text": "Well"}, reason="MAX_TOKENS", **USED)],
    "unsafe": [chunk(reason="SAFETY", **USED)],
    "malformed call": [chunk({"text": "Well"}, reason="MALFORMED_FUNCTION_CALL", **USED)],
}
ENDINGS = {
    "STOP": Ending.STOPPED,
    "MAX_TOKENS": Ending.CUT_OFF,
    "MALFORMED_FUNCTION_CALL": Ending.CUT_OFF,
    "SAFETY": Ending.REFUSED,
}


async def ask(server: Server, http: HttpSession, prompt: Prompt = HELLO) -> list[ModelEvent]:
    model = Gemini("gemini-3-flash", f"{server.url}/v1beta", "key-test", http.client)
    return [event async for event in model.stream(prompt)]


async def by_the_sdk(server: Server) -> tuple[str, list[tuple[str | None, Any]], str]:
    """Return text, calls and finish reason as the vendor's SDK reads them."""
    options = types.HttpOptions(base_url=server.url, api_version="v1beta")
    client = genai.Client(api_key="key-test", http_options=options)
    text, calls, reason = "", [], ""
    stream = await client.aio.models.generate_content_stream(model="gemini-3-flash", contents="Hello")
    async for part in stream:
        for candidate in part.candidates or ():
            reason = candidate.finish_reason.value if candidate.finish_reason else reason
            for piece in (candidate.content.parts if candidate.content else None) or ():
                if piece.function_call:
                    calls.append((piece.function_call.name, piece.function_call.args))
                elif piece.text and not piece.thought:
                    text += piece.text
    return text, calls, reason


@each("size", [3, 100_000])
@each("name", STREAMS)
async def test_a_stream_says_to_us_what_it_says_to_the_vendors_sdk(http: HttpSession, name: str, size: int) -> None:
    """Text without thoughts, whole calls, the ending and the tokens."""
    async with serving(Reply(in_pieces(sse(*STREAMS[name], done=False, line_end="\r\n"), size))) as server:
        events = await ask(server, http)
        text, calls, reason = await by_the_sdk(server)
    found = [(e.name, orjson.loads(e.arguments)) for e in events if isinstance(e, CallPiece)]
    assert "".join(e.text for e in events if isinstance(e, TextPiece)) == text
    assert found == calls
    ended = events[-1]
    assert isinstance(ended, Ended)
    assert ended.ending is (Ending.CALLS if calls else ENDINGS[reason])
    assert (ended.input_tokens, ended.output_tokens) == (7, 3)


async def test_what_the_model_said_goes_back_unchanged_with_its_thought_signatures(http: HttpSession) -> None:
    """Wire-formats §7.2: without them the next request is refused."""
    async with serving(Reply([sse(*STREAMS["a thought, words and a call"], done=False)])) as server:
        ended = (await ask(server, http))[-1]
        assert isinstance(ended, Ended)
        said = Spoken("Moment.", (ToolCall("look", "{}", "call_1_0"),), ended.native)
        answered = ToolMessage("call_1_0", "look", ToolResponse(data={"found": True}))
        await ask(server, http, Prompt("You are Echo.", [UserMessage("Tea?"), said, answered, Noted("Be quick.")]))
    model, user = server.asked[1]["contents"][1:]
    assert model["parts"][-1] == LOOK
    assert model["parts"][:2] == [{"text": "They want tea.", "thought": True}, {"text": "Moment."}]
    # The model gave its call no id, so it is not answered with one; roles take turns.
    assert user["parts"][0] == {"functionResponse": {"name": "look", "response": {"output": {"found": True}}}}
    assert user["parts"][1] == {"text": "[Note from the switchboard: Be quick.]"}


@each("heard", ["", "One second."])
@pytest.mark.requirement("004-141")
async def test_words_that_were_held_back_do_not_go_back(http: HttpSession, heard: str) -> None:
    """What was heard stands in their place; thoughts and signatures stay."""
    async with serving(Reply([sse(*STREAMS["a thought, words and a call"], done=False)])) as server:
        ended = (await ask(server, http))[-1]
        assert isinstance(ended, Ended)
        said = Spoken(heard, (ToolCall("look", "{}", "call_1_0"),), ended.native, has_unheard=True)
        answered = ToolMessage("call_1_0", "look", ToolResponse(data={"found": True}))
        await ask(server, http, Prompt("You are Echo.", [UserMessage("Tea?"), said, answered]))
    parts = server.asked[1]["contents"][1]["parts"]
    assert parts[-1] == LOOK and {"text": "They want tea.", "thought": True} in parts
    assert [part["text"] for part in parts if "text" in part and not part.get("thought")] == ([heard] if heard else [])


@pytest.mark.requirement("004-141")
async def test_the_request_is_one_that_the_vendors_own_types_accept(http: HttpSession) -> None:
    """Contents, system instruction and tools, read back by the SDK."""
    call = ToolCall("look", '{"word":"tea"}', "a")
    history = [UserMessage("Tea?"), Spoken("", (call,)), ToolMessage("a", "look", ToolResponse(data={}))]
    tools = [{"functionDeclarations": [{"name": "look", "description": "Looks.", "parametersJsonSchema": {}}]}]
    async with serving(Reply([sse(chunk({"text": "Yes"}, reason="STOP"), done=False)])) as server:
        await ask(server, http, Prompt("You are Echo.", history, tools, max_tokens=1_500))
    asked = server.asked[0]
    assert types.GenerationConfig.model_validate(asked["generationConfig"]).max_output_tokens == 1_500
    contents = [types.Content.model_validate(content) for content in asked["contents"]]
    assert [content.role for content in contents] == ["user", "model", "user"]
    assert types.Content.model_validate(asked["systemInstruction"]).parts[0].text == "You are Echo."  # type: ignore[index]
    assert types.Tool.model_validate(asked["tools"][0]).function_declarations
    assert server.paths == ["/v1beta/models/gemini-3-flash:streamGenerateContent?alt=sse"]
    assert server.headers[0]["x-goog-api-key"] == "key-test"


@pytest.mark.parametrize(
    "body",
    [
        sse(chunk({"text": "Hi"}), done=False),
        sse({"error": {"code": 503, "message": "overloaded"}}, done=False),
        b"",
    ],
)
async def test_a_broken_stream_is_an_error(http: HttpSession, body: bytes) -> None:
    """An end without a reason is no end."""
    async with serving(Reply([body])) as server:
        with pytest.raises(ModelError):
            await ask(server, http)


@pytest.mark.requirement("003-332")
@each(
    ("parts", "reason", "ending"),
    [
        ([LOOK], "A_REASON_OF_TOMORROW", Ending.CALLS),
        ([LOOK], "OTHER", Ending.CALLS),
        ([LOOK], "FINISH_REASON_UNSPECIFIED", Ending.CALLS),
        ([LOOK], "MAX_TOKENS", Ending.CUT_OFF),
        ([LOOK], "MAX_THOUGHTS", Ending.CUT_OFF),
        ([LOOK], "MALFORMED_FUNCTION_CALL", Ending.CUT_OFF),
        ([LOOK], "SAFETY", Ending.REFUSED),
        ([{"text": "We are open."}], "A_REASON_OF_TOMORROW", Ending.STOPPED),
        ([{"text": "We are open from"}], "A_REASON_OF_TOMORROW", Ending.CUT_OFF),
        ([{"text": "We are"}], "MODEL_ARMOR", Ending.REFUSED),
        ([], "OTHER", Ending.STOPPED),
    ],
)
async def test_an_end_that_is_not_known_yet_is_read_from_what_was_said(
    http: HttpSession, parts: list[Any], reason: str, ending: Ending
) -> None:
    """Calls come whole from this vendor: with a reason that says nothing against them they are meant."""
    async with serving(Reply([sse(chunk(*parts, reason=reason), done=False)])) as server:
        ended = (await ask(server, http))[-1]
    assert isinstance(ended, Ended) and ended.ending is ending


def test_every_reason_that_the_vendor_knows_is_known_here() -> None:
    """Its own list, as of the SDK beside which these tests run."""
    assert {reason.value for reason in types.FinishReason} - _CUT_OFF - _REFUSED == {
        *("FINISH_REASON_UNSPECIFIED", "STOP", "OTHER"),
        # Words about what Google sells, not about an answer: read from what was said.
        *("ESCALATION", "PUP_LIMITED_DISABLED"),
    }


async def test_a_blocked_prompt_is_a_refusal(http: HttpSession) -> None:
    """There is no candidate then, only feedback."""
    async with serving(Reply([sse({"promptFeedback": {"blockReason": "SAFETY"}}, done=False)])) as server:
        assert await ask(server, http) == [Ended(Ending.REFUSED)]
