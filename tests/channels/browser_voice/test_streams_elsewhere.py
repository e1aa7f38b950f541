"""Pages behind a server that holds streams back: they have their conversations with the one behind it."""

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import httpx2 as httpx
import pytest
from playwright.async_api import expect
from starlette.types import Message, Receive, Scope, Send

from drills.own_house import SALON, own_house
from switchboard.app.asgi import opened_to
from switchboard.app.container import Container, build
from switchboard.app.settings import ConfigurationError, read_configuration
from tests.channels.browser_voice.conftest import FAKE_SPEECH, SLOW_S, until
from tests.channels.listening import listening
from tests.conversation.scripted import ScriptedModel, says

pytestmark = pytest.mark.requirement("004-473")
PAGE, STREAMS = "https://my-project.web.app", "https://switchboard-relay-1.us-central1.run.app"


@dataclass
class Hosting:
    """Stands in front of an app as Firebase Hosting does: an answer is passed on when all of it is there."""

    app: Any = None
    asked: list[str] = field(default_factory=list)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.asked.append(f"{scope['method']} {scope['path']}")
        parts: list[Message] = []

        async def hold(message: Message) -> None:
            parts.append(message)

        await self.app(scope, receive, hold)
        start, *bodies = parts
        await send(start)
        await send({"type": "http.response.body", "body": b"".join(part.get("body", b"") for part in bodies)})


@dataclass
class Premises:
    """A house at an address of its own, and in front of it another one."""

    hosting: Hosting
    page_url: str
    streams_url: str
    model: ScriptedModel
    asked: list[str]


@pytest.fixture
async def premises() -> AsyncIterator[Premises]:
    """Both are served."""
    hosting, model, asked = Hosting(), ScriptedModel(), list[str]()
    late: list[Any] = []

    async def own(scope: Scope, receive: Receive, send: Send) -> None:
        asked.append(f"{scope['method']} {scope['path']}")
        await late[0](scope, receive, send)

    async with listening(hosting) as page_url, listening(own) as streams_url:
        environ = {"SWITCHBOARD_PUBLIC_URL": page_url, "SWITCHBOARD_STREAM_URL": streams_url}
        async with own_house(model, **environ) as house:
            hosting.app = house.house.app
            late.append(house.house.app)
            yield Premises(hosting, page_url, streams_url, model, asked)


@pytest.fixture
async def window(chromium_running: Any) -> AsyncIterator[Any]:
    """A page in Chromium, which complains about nothing."""
    complaints: list[str] = []
    context = await chromium_running.new_context(locale="en-US")
    context.set_default_timeout(SLOW_S * 1000)
    page = await context.new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda m: complaints.append(m.text) if re.search("CORS|Security Policy", m.text) else None)
    yield page
    await context.close()
    assert complaints == []


async def test_the_portal_streams_past_the_server_that_its_page_comes_through(premises: Premises, window: Any):
    """What was said is seen while the rest is still to come; the page alone comes through Hosting."""
    more = asyncio.Event()
    premises.model.answers = [[*says("We open at nine. ")[:-1], more, *says("We close at six.")]]
    await window.goto(f"{premises.page_url}/portal/?business={SALON}")
    field = window.get_by_label("Your message")
    await field.fill("When are you open?")
    await field.press("Enter")
    answer = window.locator("#conversation .agent .bubble").last
    try:
        await expect(answer).to_have_text("We open at nine.")
    finally:
        more.set()
    await expect(answer).to_have_text("We open at nine. We close at six.")
    assert "GET /portal/" in premises.hosting.asked
    # There who comes in is counted by an address of their own.
    assert {"POST /portal/session", "POST /portal/chat"} <= set(premises.asked)
    assert not [one for one in premises.hosting.asked if one.startswith("POST ")]


async def test_browser_voice_streams_past_the_server_that_its_page_comes_through(premises: Premises, window: Any):
    more = asyncio.Event()
    premises.model.answers = [[*says("We open at nine. We")[:-1], more, *says(" close at six.")]]
    await window.add_init_script(FAKE_SPEECH)
    await window.goto(f"{premises.page_url}/browser_voice/?businessId={SALON}")
    await window.get_by_role("button", name="Start talking").click()
    await until(window, "voice.now !== null")
    await window.evaluate("voice.finish()")
    await expect(window.locator("body")).to_have_attribute("data-state", "listening")
    await window.evaluate("ears.say('When are you open?')")
    try:
        await until(window, "voice.now === 'We open at nine.'")
    finally:
        more.set()
    assert {"POST /portal/session", "POST /browser_voice/turn"} <= set(premises.asked)
    assert "GET /browser_voice/" in premises.hosting.asked
    assert not [one for one in premises.hosting.asked if one.startswith("POST ")]


async def test_a_page_that_comes_from_anywhere_else_has_its_conversation_there(premises: Premises, window: Any):
    """From the service's own address, or that of a function: there is nothing to get past, and nobody lets it in."""
    premises.model.answers = [says("We open at nine.")]
    await window.goto(f"{premises.streams_url}/portal/?business={SALON}")
    field = window.get_by_label("Your message")
    await field.fill("When are you open?")
    await field.press("Enter")
    await expect(window.locator("#conversation .agent .bubble").last).to_have_text("We open at nine.")
    assert premises.hosting.asked == [] and "OPTIONS /portal/chat" not in premises.asked


def client(app: Any) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=STREAMS)


def house_of(**environ: str) -> Container:
    return build(read_configuration({"SWITCHBOARD_PUBLIC_URL": PAGE, **environ}))


ASKED = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}


@pytest.mark.parametrize(
    ("origin", "path", "is_let_in"),
    [
        (PAGE, "/portal/chat", True),
        (PAGE, "/browser_voice/turn", True),
        (PAGE, "/portal/nothing", True),
        (PAGE, "/tools/execute", False),
        (PAGE, "/admin/businesses", False),
        ("https://my-project.web.app.evil.example", "/portal/chat", False),
        ("https://evil.web.app", "/portal/chat", False),
        ("http://my-project.web.app", "/portal/chat", False),
        ("null", "/portal/chat", False),
    ],
)
async def test_exactly_the_pages_of_the_public_address_are_let_in(origin: str, path: str, is_let_in: bool):
    """To what pages ask for; what is refused says so to them, too."""
    house = house_of(SWITCHBOARD_STREAM_URL=STREAMS)
    async with client(house.app) as http:
        preflight = await http.options(path, headers={"Origin": origin, **ASKED})
        answer = await http.post(path, json={}, headers={"Origin": origin})
    await house.http.close()
    assert (preflight.status_code == 200) is is_let_in
    allowed = {one.headers.get("access-control-allow-origin") for one in (preflight, answer)}
    assert allowed == ({PAGE} if is_let_in else {None})
    assert "access-control-allow-credentials" not in preflight.headers
    assert answer.status_code in (400, 401, 404, 405)


async def test_a_function_by_itself_lets_them_in_where_it_is_one_that_pages_ask():
    house = house_of(SWITCHBOARD_STREAM_URL=STREAMS)
    for name, path, is_let_in in (("portal", "/chat", True), ("portal", "/portal/chat", True), ("api", "/chat", False)):
        async with client(house.function(name)) as http:
            answer = await http.options(path, headers={"Origin": PAGE, **ASKED})
        assert ("access-control-allow-origin" in answer.headers) is is_let_in
    await house.http.close()


async def test_where_nothing_stands_in_front_nobody_else_is_let_in():
    for environ in ({}, {"SWITCHBOARD_STREAM_URL": PAGE}):
        house = house_of(**environ)
        async with client(house.app) as http:
            answer = await http.options("/portal/chat", headers={"Origin": PAGE, **ASKED})
            page = await http.get("/portal/")
        await house.http.close()
        assert answer.status_code == 405 and "access-control-allow-origin" not in answer.headers
        assert STREAMS not in page.text and "connect-src 'self';" in page.headers["content-security-policy"]
    assert opened_to("", client) is client  # type: ignore[arg-type,comparison-overlap]


@pytest.mark.parametrize(
    ("environ", "word"),
    [
        ({"SWITCHBOARD_STREAM_URL": "relay.run.app"}, "SWITCHBOARD_STREAM_URL is"),
        ({"SWITCHBOARD_STREAM_URL": f"{STREAMS}/portal"}, "without a path"),
        ({"SWITCHBOARD_STREAM_URL": "http://relay.run.app"}, "SWITCHBOARD_STREAM_URL is"),
        ({"SWITCHBOARD_STREAM_URL": STREAMS, "SWITCHBOARD_PUBLIC_URL": ""}, "SWITCHBOARD_PUBLIC_URL is not set"),
    ],
)
def test_an_address_that_no_page_could_stream_from_is_one_sentence(environ: dict[str, str], word: str):
    with pytest.raises(ConfigurationError, match=word):
        read_configuration({"SWITCHBOARD_PUBLIC_URL": PAGE, **environ})
