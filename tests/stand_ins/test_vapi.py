"""The stand-in for Vapi: as strict as Vapi's own document, and understood by Vapi's own SDK."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import aiohttp
import httpx
import pytest

from stand_ins.loopback import serving
from stand_ins.vapi.account import KEY
from stand_ins.vapi.app import VapiStandIn
from stand_ins.vapi.asking import SHAPES, body_of, call_in, message_of
from stand_ins.vapi.document import document, problems
from stand_ins.vapi.faults import MODES, REFUSALS

FUNCTION = {"name": "take_note", "parameters": {"type": "object", "properties": {"text": {"type": "string"}}}}
TOOL = {"type": "function", "function": FUNCTION}
REQUEST = {"type": "apiRequest", "name": "take_note", "method": "POST", "url": "https://a.example/{{call.id}}"}
MODEL = {"provider": "openai", "model": "gpt-4o"}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(VapiStandIn().app) as found:
        yield found


@pytest.fixture
async def http(url: str) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(url, headers={"Authorization": f"Bearer {KEY}"}) as session:
        yield session


async def asked(http: aiohttp.ClientSession, method: str, path: str, body: Any = None, **more: Any) -> tuple[int, Any]:
    async with http.request(method, path, json=body, **more) as answer:
        return answer.status, await answer.json()


async def test_vapis_own_sdk_makes_changes_lists_and_deletes_tools(url):
    """What the stand-in answers is what the vendor's models are made of."""
    # Here, because loading its models takes seconds.
    from vapi import AsyncVapi
    from vapi.core.api_error import ApiError
    from vapi.types import CreateFunctionToolDto, FunctionTool, OpenAiFunction, UpdateFunctionToolDto

    once: Any = {"max_retries": 0}
    async with httpx.AsyncClient() as own:
        client = AsyncVapi(token=KEY, base_url=url, timeout=60, httpx_client=own)
        wanted = CreateFunctionToolDto(function=OpenAiFunction(name="take_note"))
        made = await client.tools.create(request=wanted, request_options=once)
        assert (type(made), made.type, made.function.name) == (FunctionTool, "function", "take_note")
        change = UpdateFunctionToolDto(async_=True)
        changed = await client.tools.update(made.id, request=change, request_options=once)
        assert (changed.async_, changed.id) == (True, made.id)
        # What the pinned client does not know yet is passed on as it came, and spelt as the document spells it.
        assert [tool.model_extra for tool in (made, changed)] == [{"latestVersion": "v1"}, {"latestVersion": "v2"}]
        assert "latestVersion" in document()["schemas"]["FunctionTool"]["properties"]
        assert made.id in [tool.id for tool in await client.tools.list()]
        assistant = await client.assistants.create(name="Reception", model={**MODEL, "toolIds": [made.id]})
        assert (await client.assistants.get(assistant.id)).model.tool_ids == [made.id]
        assert (await client.tools.delete(made.id)).id == made.id
        with pytest.raises(ApiError) as caught:
            await client.tools.get(made.id, request_options=once)
        assert (caught.value.status_code, caught.value.body["error"]) == (404, "Not Found")


@pytest.mark.parametrize(
    ("tool", "told"),
    [
        ({"type": "unheard-of"}, "type must be one of"),
        ({}, "type must be one of"),
        ({**TOOL, "surprising": 1}, "property surprising should not exist"),
        ({**TOOL, "function": {**FUNCTION, "name": "x" * 65}}, "function.name"),
        ({**TOOL, "function": {**FUNCTION, "parameters": {"type": "object"}}}, "properties"),
        ({**TOOL, "function": {**FUNCTION, "parameters": {"type": "object", "properties": {"a": {}}}}}, "type"),
        ({**TOOL, "async": "yes"}, "async"),
        ({**TOOL, "parameters": [{"key": "a", "value": None}]}, "parameters.0.value"),
        ({**TOOL, "server": {"url": "https://a.example", "timeoutSeconds": 301}}, "server.timeoutSeconds"),
        ({**REQUEST, "name": "x" * 41}, "name"),
        ({**REQUEST, "method": "BREW"}, "method"),
        ({**REQUEST, "async": True}, "property async should not exist"),
        ({**REQUEST, "function": FUNCTION}, "property function should not exist"),
        ({**REQUEST, "body": {"type": "object", "additionalProperties": False}}, "additionalProperties"),
        ({**REQUEST, "body": {"type": "object", "properties": {"a": {"type": "string", "minLength": 1}}}}, "minLength"),
    ],
)
async def test_a_tool_that_vapi_would_refuse_is_refused_with_every_problem(http, tool, told):
    """In Vapi's own shape; nothing is made."""
    status, body = await asked(http, "POST", "/tool", tool)
    assert (status, body["statusCode"], body["error"]) == (400, 400, "Bad Request")
    assert any(told in line for line in body["message"])


async def test_a_tools_type_cannot_be_changed(http):
    """The body of a change is its type's own."""
    _, made = await asked(http, "POST", "/tool", TOOL)
    for change in ({"type": "apiRequest"}, {"url": "https://a.example"}, {"id": "x"}):
        assert (await asked(http, "PATCH", f"/tool/{made['id']}", change))[0] == 400


async def test_an_assistants_model_is_replaced_and_not_joined(http):
    """Wire-formats trap 6; other fields stay."""
    before = {"name": "Reception", "model": {**MODEL, "toolIds": ["a"], "unheardOf": {"of": 1}}}
    _, made = await asked(http, "POST", "/assistant", before)
    _, changed = await asked(http, "PATCH", f"/assistant/{made['id']}", {"model": {**MODEL, "toolIds": ["b"]}})
    assert (changed["name"], changed["model"]) == ("Reception", {**MODEL, "toolIds": ["b"]})
    for wrong in ({"model": {"toolIds": ["b"]}}, {"model": {"provider": "nobody", "model": "x"}}, {"unheardOf": 1}):
        assert (await asked(http, "PATCH", f"/assistant/{made['id']}", wrong))[0] == 400


async def test_a_pinned_tool_stays_until_it_is_unpinned(http):
    """409 with what pins it."""
    _, tool = await asked(http, "POST", "/tool", TOOL)
    pins = {"model": {**MODEL, "toolRefs": [{"toolId": tool["id"], "version": "v1"}]}}
    _, assistant = await asked(http, "POST", "/assistant", pins)
    status, body = await asked(http, "DELETE", f"/tool/{tool['id']}")
    assert (status, body["error"], body["pinnedBy"][0]["sourceId"]) == (409, "version_pinned", assistant["id"])
    await asked(http, "PATCH", f"/assistant/{assistant['id']}", {"model": MODEL})
    assert (await asked(http, "DELETE", f"/tool/{tool['id']}"))[0] == 200
    assert (await asked(http, "DELETE", f"/tool/{tool['id']}"))[0] == 404


async def test_lists_go_newest_first_within_bounds(http):
    """At most as many as asked for, and no parameter that Vapi does not know."""
    made = [(await asked(http, "POST", "/tool", TOOL))[1] for _ in range(4)]
    _, newest = await asked(http, "GET", "/tool?limit=2")
    assert [row["id"] for row in newest] == [made[3]["id"], made[2]["id"]]
    _, older = await asked(http, "GET", f"/tool?limit=2&createdAtLt={made[2]['createdAt']}")
    assert [row["id"] for row in older] == [made[1]["id"], made[0]["id"]]
    for query in ("limit=1001", "limit=x", "page=2", "createdAtLt=soon"):
        assert (await asked(http, "GET", f"/tool?{query}"))[0] == 400


async def test_a_phone_call_is_handed_over_controlled_and_ended(http, url):
    """The control address stands beside the TwiML's stream, and ends with the phone call."""
    _, assistant = await asked(http, "POST", "/assistant", {"model": MODEL})
    wanted = {
        "assistantId": assistant["id"],
        "phoneNumberId": "n",
        "customer": {"number": "+15185550171"},
        "phoneCallProviderBypassEnabled": True,
    }
    status, call = await asked(http, "POST", "/call", wanted)
    stream = f'<Stream url="{url.replace("http", "ws")}/{call["id"]}/transport" />'
    assert (status, stream in call["phoneCallProviderDetails"]["twiml"]) == (201, True)
    control = call["monitor"]["controlUrl"]
    assert control == f"{url}/{call['id']}/control"
    said = {"type": "add-message", "message": {"role": "system", "content": "x"}, "triggerResponseEnabled": False}
    assert (await asked(http, "POST", control, said))[0] == 200
    for wrong in ({"type": "sing"}, {"type": "say"}, {"type": "add-message", "message": "x"}, {}):
        assert (await asked(http, "POST", control, wrong))[0] == 400
    _, calls = await asked(http, "GET", "/_stand_in/calls")
    assert [row["controlled"] for row in calls if row["id"] == call["id"]] == [[said]]
    await asked(http, "DELETE", f"/_stand_in/calls/{call['id']}")
    assert (await asked(http, "POST", control, said))[0] == 404


@pytest.mark.parametrize(
    "changes", [{"assistantId": "nobody"}, {"customer": {"number": "0171"}}, {"phoneNumberId": ""}, {"metadata": {}}]
)
async def test_a_phone_call_that_vapi_would_refuse_is_refused(http, changes):
    """Nothing begins; `metadata` is no field of a phone call."""
    _, assistant = await asked(http, "POST", "/assistant", {"model": MODEL})
    wanted = {"assistantId": assistant["id"], "phoneNumberId": "n", "customer": {"number": "+15185550171"}}
    assert (await asked(http, "POST", "/call", wanted | changes))[0] == 400


@pytest.mark.parametrize("path", ["/tool", "/assistant", "/tool/x"])
async def test_only_the_account_sees_its_own(url, path):
    """401 without the right key."""
    async with aiohttp.ClientSession(url) as stranger:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": KEY}):
            assert (await asked(stranger, "GET", path, headers=headers))[0] == 401


async def test_a_fault_comes_as_often_as_it_was_asked_for_and_others_are_served(http):
    """By the method's name."""
    await asked(http, "POST", "/_stand_in/faults", {"mode": "429", "method": "tools.create", "times": 2})
    seen = [(await asked(http, "GET", "/assistant"))[0]]
    seen += [(await asked(http, "POST", "/tool", TOOL))[0] for _ in range(3)]
    assert seen == [200, 429, 429, 201]


@pytest.mark.parametrize(("mode", "refusal"), REFUSALS.items())
async def test_every_refusal_answers_as_vapi_words_it_and_does_nothing(http, mode, refusal):
    """Its status and body are the vendor's."""
    _, before = await asked(http, "GET", "/tool?limit=1000")
    await asked(http, "POST", "/_stand_in/faults", {"mode": mode})
    assert await asked(http, "POST", "/tool", TOOL) == (refusal.status, refusal.body)
    assert (await asked(http, "GET", "/tool?limit=1000"))[1] == before


async def test_a_fault_that_cannot_be_is_refused_with_those_that_can(http):
    """All of them are named."""
    status, body = await asked(http, "POST", "/_stand_in/faults", {"mode": "earthquake"})
    assert status == 400
    assert all(mode in body["message"] for mode in MODES)


async def test_the_journal_says_what_was_asked_and_no_secret(http):
    """Method, body and status; never the key."""
    await asked(http, "DELETE", "/_stand_in/requests")
    await asked(http, "POST", "/tool", TOOL)
    _, body = await asked(http, "GET", "/_stand_in/requests")
    (line,) = body["requests"]
    assert (line["method"], line["body"], line["status"]) == ("tools.create", TOOL, 201)
    assert KEY not in json.dumps(body)


def test_it_asks_as_vapi_asks():
    """Calls in four shapes, one of which is the document's; static parameters win over what the model says."""
    calls = [call_in(shape, f"call_{shape}", "take_note", {"text": "a\nb"}) for shape in SHAPES]
    assert problems("ToolCall", calls[0]) == []
    assert len({json.dumps({**call, "id": ""}) for call in calls}) == 4
    message = message_of(calls, {"call.id": "c", "customer.number": "+15185550171"})["message"]
    assert (message["call"]["id"], message["customer"]["number"]) == ("c", "+15185550171")
    static = [{"key": "who", "value": ["{{ customer.number }}", {"at": "{{call.id}}/{{call.unknown}}"}]}]
    asked = body_of(
        {**REQUEST, "parameters": static}, {"who": "me", "text": "x"}, {"customer.number": "1", "call.id": "c"}
    )
    assert asked == {"text": "x", "who": ["1", {"at": "c/"}]}
