"""Ephemeral secrets of live speech models, asked of a stand-in and held against the vendors' own SDKs."""

import asyncio
import json
import warnings
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import web
from google import genai
from google.genai import types
from openai.types.realtime.client_secret_create_params import ClientSecretCreateParams
from openai.types.realtime.realtime_function_tool_param import RealtimeFunctionToolParam
from pydantic import ConfigDict, TypeAdapter, with_config

from switchboard.contract.business.business import Business, Integration, read_business
from switchboard.contract.deadline import ending_in
from switchboard.contract.definitions.definition import read_definition
from switchboard.contract.error import ErrorType, ToolError
from switchboard.formats import gemini, realtime
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.realtime.factory import NoSuchVoice, VoiceEndpoints, open_voices
from switchboard.integrations.realtime.failures import FAILURES
from switchboard.integrations.realtime.gemini import GeminiLive
from switchboard.integrations.realtime.openai import OpenAIRealtime
from switchboard.integrations.realtime.voice_keys import TwilioVoiceKeys

NOW = datetime(2026, 11, 22, 9, 0, tzinfo=UTC)
SID = "0123456789abcdef" * 2
BOOK = read_definition(
    "book_appointment",
    {
        "category": "calendar",
        "kind": "action",
        "description": "Book.",
        "parameters": {"type": "object", "properties": {"service": {"type": "string"}}, "required": ["service"]},
    },
)
OPENAI_ANSWER = {"value": "ek_1", "expires_at": 1_800_000_000, "session": {}}
GEMINI_ANSWER = {"name": "auth_tokens/abc"}


class Vendor:
    """A server that gives one answer; what it was asked is kept."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, str], Any]] = []
        self.status, self.answer = 200, "{}"
        self.silent: asyncio.Event | None = None
        self.url = ""

    async def handle(self, request: web.Request) -> web.Response:
        self.asked.append((request.path, dict(request.headers), await request.json()))
        if self.silent is not None:
            await self.silent.wait()
        return web.Response(status=self.status, text=self.answer)


@pytest.fixture
async def vendor() -> AsyncIterator[Vendor]:
    found = Vendor()
    app = web.Application()
    app.router.add_post("/{path:.*}", found.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    found.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield found
    if found.silent is not None:
        found.silent.set()
    await runner.cleanup()


def voices(vendor: Vendor, http: HttpSession) -> dict[str, Any]:
    endpoints = VoiceEndpoints(f"{vendor.url}/v1", "sk-secret", vendor.url, "AI-secret")
    return open_voices("openai:gpt-realtime-2.1, gemini:gemini-live", http, endpoints)


async def opened(name: str, vendor: Vendor, http: HttpSession) -> Any:
    tools = [realtime.declare(BOOK)] if name == "openai" else gemini.declare_all([gemini.declare(BOOK)])
    return await voices(vendor, http)[name].open("You are Echo.", tools, "de-AT", NOW)


async def test_openai_mints_a_client_secret_for_the_whole_session(vendor: Vendor, http: HttpSession):
    """The browser gets the secret and where to use it, and never the key."""
    vendor.answer = json.dumps(OPENAI_ANSWER)
    given = await opened("openai", vendor, http)
    assert given == {
        "clientSecret": "ek_1",
        "expiresAt": 1_800_000_000,
        "model": "gpt-realtime-2.1",
        "url": f"{vendor.url}/v1/realtime/calls",
    }
    path, headers, body = vendor.asked[0]
    assert (path, headers["Authorization"]) == ("/v1/realtime/client_secrets", "Bearer sk-secret")
    assert body["expires_after"] == {"anchor": "created_at", "seconds": 60}
    session = body["session"]
    assert (session["instructions"], session["model"]) == ("You are Echo.", "gpt-realtime-2.1")
    assert session["audio"]["input"]["transcription"]["language"] == "de"


async def test_what_openai_is_asked_is_what_its_sdk_would_ask(vendor: Vendor, http: HttpSession):
    """Every field has the SDK's name and type; an unknown one would be refused."""
    vendor.answer = json.dumps(OPENAI_ANSWER)
    await opened("openai", vendor, http)
    body = vendor.asked[0][2]
    read = TypeAdapter(ClientSecretCreateParams).validate_python(body)
    # Reading drops what the SDK has no name for.
    assert read == body
    tool = with_config(ConfigDict(extra="forbid"))(RealtimeFunctionToolParam)
    assert TypeAdapter(tool).validate_python(body["session"]["tools"][0])["name"] == "book_appointment"


async def test_gemini_mints_a_token_that_locks_what_was_set(vendor: Vendor, http: HttpSession):
    """Held against the request that Google's own SDK makes for the same constraints."""
    vendor.answer = json.dumps(GEMINI_ANSWER)
    given = await opened("gemini", vendor, http)
    path, headers, body = vendor.asked[0]
    assert (path, headers["x-goog-api-key"]) == ("/v1alpha/auth_tokens", "AI-secret")
    expected = sdk_request(given["setup"])
    assert _times(body) == _times(expected)
    body_setup, expected_setup = body.pop("bidiGenerateContentSetup"), expected.pop("bidiGenerateContentSetup")
    # The SDK leaves its own spelling inside speechConfig, and adds a role that says nothing.
    assert _camel(body_setup) == _camel(expected_setup)
    masks = set(expected.pop("fieldMask").split(",")) - {"systemInstruction.role"}
    assert set(body.pop("fieldMask").split(",")) == masks
    assert body["uses"] == expected["uses"] == 1


async def test_gemini_gives_the_browser_a_socket_and_its_first_message(vendor: Vendor, http: HttpSession):
    """The message is the one that the SDK sends first, as its types read it."""
    vendor.answer = json.dumps(GEMINI_ANSWER)
    given = await opened("gemini", vendor, http)
    place = "/ws/google.ai.generativelanguage.v1alpha.GenerativeService.BidiGenerateContentConstrained"
    assert given["url"] == vendor.url.replace("http", "ws") + place
    assert (given["token"], given["expiresAt"]) == ("auth_tokens/abc", int(NOW.timestamp()) + 1800)
    read = types.LiveClientSetup.model_validate(given["setup"])
    assert read.model == "models/gemini-live"
    declared = read.tools[0].function_declarations[0]
    assert (declared.name, declared.parameters.type) == ("book_appointment", types.Type.OBJECT)
    assert "secret" not in json.dumps(given)


@pytest.mark.parametrize("name", ["openai", "gemini"])
@pytest.mark.parametrize("status", [*FAILURES, 500, 503, 302])
async def test_refusals_have_the_houses_names(vendor: Vendor, http: HttpSession, name: str, status: int):
    """The vendor's words stay in the log, and so does the key."""
    vendor.status, vendor.answer = status, '{"error": {"message": "sk-secret is wrong"}}'
    with pytest.raises(ToolError) as caught:
        await opened(name, vendor, http)
    other = ErrorType.TRANSIENT if status >= 500 else ErrorType.PERMANENT
    assert caught.value.type is FAILURES.get(status, other)
    assert caught.value.detail == f"{name}: HTTP {status}"


@pytest.mark.parametrize("name", ["openai", "gemini"])
@pytest.mark.parametrize("answer", ["", "[]", "{}", '{"value": 7, "expires_at": "x", "name": 7}', '{"value": ""}'])
async def test_what_is_no_secret_is_not_passed_on(vendor: Vendor, http: HttpSession, name: str, answer: str):
    """A proxy's page, or a changed API."""
    vendor.answer = answer
    with pytest.raises(ToolError) as caught:
        await opened(name, vendor, http)
    assert caught.value.type is ErrorType.PERMANENT


@pytest.mark.parametrize("name", ["openai", "gemini"])
async def test_a_vendor_that_is_silent_is_not_waited_for(vendor: Vendor, http: HttpSession, name: str):
    """Never longer than the caller's own deadline."""
    vendor.silent = asyncio.Event()
    with pytest.raises(ToolError) as caught, ending_in(0.05):
        await opened(name, vendor, http)
    assert caught.value.type is ErrorType.TRANSIENT


@pytest.mark.parametrize("choice", ["acme:x", "openai", "openai:", "openai:a,openai:b"])
def test_a_choice_that_cannot_be_made_says_what_would_work(choice: str):
    """When the system starts, not when somebody calls."""
    with pytest.raises(NoSuchVoice):
        open_voices(choice, HttpSession(), VoiceEndpoints("http://o", "k", "http://g", "k"))


@pytest.mark.parametrize(("choice", "name"), [("openai:a", "OPENAI_API_KEY"), ("gemini:a", "GEMINI_API_KEY")])
def test_a_choice_without_a_key_names_the_variable(choice: str, name: str):
    """So does its error."""
    with pytest.raises(NoSuchVoice, match=name):
        open_voices(choice, HttpSession(), VoiceEndpoints("http://o", "", "http://g", ""))


def test_no_choice_is_no_vendor():
    """The browser's own voice is always there."""
    assert open_voices("", HttpSession(), VoiceEndpoints("http://o", "k", "http://g", "k")) == {}


def test_pages_may_connect_to_the_vendors_and_keys_stay_out_of_sight():
    """For the content security policy, and for logs."""
    real = open_voices(
        "openai:a,gemini:b", HttpSession(), VoiceEndpoints("https://api.openai.com/v1", "k1", "https://g", "k2")
    )
    assert [real[name].origins for name in ("openai", "gemini")] == [("https://api.openai.com",), ("wss://g",)]
    assert "k1" not in repr(real) and "k2" not in repr(real)
    assert isinstance(real["openai"], OpenAIRealtime) and isinstance(real["gemini"], GeminiLive)


class Drawer:
    """Keeps one secret."""

    def __init__(self, secret: str | None) -> None:
        self.secret = secret

    async def reveal(self, business_id: str, toolkit: str, field: str, *, agent_id: str = "") -> str | None:
        assert (business_id, toolkit, field) == ("salon", "twilio", "apiKeySecret")
        return self.secret


def salon(needs_reauth: bool = False, **settings: str) -> Business:
    known = {"accountSid": f"AC{SID}", "apiKeySid": f"SK{SID}", "voiceAppSid": f"AP{SID}"} | settings
    return read_business(
        "salon", {"integrations": {"twilio": {"isConnected": True, "needsReauth": needs_reauth, **known}}}
    )


async def test_a_business_signs_with_its_own_api_key():
    """Sids from its document, the secret from where secrets are kept."""
    key = await TwilioVoiceKeys(Drawer("s")).of(salon())  # type: ignore[arg-type]
    assert key is not None
    assert (key.account_sid, key.api_key_sid, key.application_sid) == (f"AC{SID}", f"SK{SID}", f"AP{SID}")
    assert key.api_key_secret == "s" and "api_key_secret" not in repr(key)


@pytest.mark.parametrize("business", [Business("salon"), salon(voiceAppSid="")])
async def test_a_business_that_has_set_up_no_browser_calls_has_no_key(business: Business):
    """Nothing is wrong with that."""
    assert await TwilioVoiceKeys(Drawer("s")).of(business) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("business", "secret"),
    [(salon(apiKeySid="SK1"), "s"), (salon(accountSid="x"), "s"), (salon(needs_reauth=True), "s"), (salon(), None)],
)
async def test_a_key_that_cannot_work_is_said_to_be_set_up_again(business: Business, secret: str | None):
    """AUTH, with the field in the log."""
    assert isinstance(business.integrations["twilio"], Integration)
    with pytest.raises(ToolError) as caught:
        await TwilioVoiceKeys(Drawer(secret)).of(business)  # type: ignore[arg-type]
    assert caught.value.type is ErrorType.AUTH


def sdk_request(setup: dict[str, Any]) -> dict[str, Any]:
    """Return what Google's SDK posts for a token with these constraints."""
    client = genai.Client(api_key="k", http_options=types.HttpOptions(api_version="v1alpha"))
    posted: list[dict[str, Any]] = []

    def request(method: str, path: str, body: dict[str, Any], options: Any = None) -> Any:
        assert (method, path) == ("post", "auth_tokens")
        posted.append(body)
        return SimpleNamespace(body=json.dumps(GEMINI_ANSWER), headers={})

    client._api_client.request = request  # type: ignore[assignment]
    config = types.LiveConnectConfig(
        response_modalities=[types.Modality.AUDIO],
        speech_config=types.SpeechConfig.model_validate(setup["generationConfig"]["speechConfig"]),
        system_instruction=types.Content.model_validate(setup["systemInstruction"]),
        input_audio_transcription=types.AudioTranscriptionConfig(),
        output_audio_transcription=types.AudioTranscriptionConfig(),
        tools=[types.Tool.model_validate(tool) for tool in setup["tools"]],
    )
    constraints = types.LiveConnectConstraints(model="gemini-live", config=config)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        client.auth_tokens.create(
            config=types.CreateAuthTokenConfig(
                uses=1,
                expire_time=datetime(2026, 11, 22, 9, 30, tzinfo=UTC),
                new_session_expire_time=datetime(2026, 11, 22, 9, 1, tzinfo=UTC),
                live_connect_constraints=constraints,
                lock_additional_fields=[],
            )
        )
    client.close()
    return posted[0]


def _times(body: dict[str, Any]) -> list[datetime]:
    return [datetime.fromisoformat(str(body.pop(name))) for name in ("expireTime", "newSessionExpireTime")]


def _camel(value: Any) -> Any:
    """Return a message with every field in the spelling of JSON."""
    if isinstance(value, list):
        return [_camel(each) for each in value]
    if not isinstance(value, dict):
        return value
    spelt = {}
    for name, inner in value.items():
        first, *rest = name.split("_")
        spelt[first + "".join(part.title() for part in rest)] = _camel(inner)
    return spelt
