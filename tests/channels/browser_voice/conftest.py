"""The salon, and a client that speaks to it."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from switchboard.pipeline.execution.deadline import outlived
from tests.channels.browser_voice.salon import SESSION, Salon
from tests.channels.listening import listening
from tests.conversation import planted
from tests.pipeline import planted as pipeline_planted

# Far beyond what a busy machine needs: where all is well, nobody waits for it.
SLOW_S = 120


@pytest.fixture
async def salon() -> AsyncIterator[Salon]:
    """A salon whose model says what a test appends to `salon.model.answers`."""
    for known in (planted.gates, planted.begun, pipeline_planted.done):
        known.clear()
    found = Salon()
    await found.furnish()
    yield found
    for gate in planted.gates.values():
        gate.set()
    await outlived()


class Browser:
    """Speaks to the salon as a visitor's page does."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = http

    async def post(self, path: str, **body: Any) -> httpx.Response:
        """Post a body."""
        return await self.http.post(f"/browser_voice/{path}", json=body)

    async def execute(self, *calls: Any, turn: int = 1, **more: Any) -> dict[str, Any]:
        """Have calls executed, and return the answer."""
        response = await self.post("execute", calls=list(calls), turn=turn, **more)
        assert response.status_code == 200, response.text
        return dict(response.json())

    async def turn(self, **said: Any) -> list[tuple[str, Any]]:
        """Take a human turn, and return the events."""
        response = await self.post("turn", **said)
        assert response.status_code == 200, response.text
        return events(response.text)


def events(text: str) -> list[tuple[str, Any]]:
    """Return name and data of server-sent events."""
    found = []
    for block in text.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n"))
        found.append((fields["event"], json.loads(fields["data"])))
    return found


@pytest.fixture
async def http(salon: Salon) -> AsyncIterator[httpx.AsyncClient]:
    """A client with a visitor's token."""
    transport = httpx.ASGITransport(app=salon.app)
    headers = {"Authorization": f"Bearer {salon.token}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers) as client:
        yield client


@pytest.fixture
def browser(http: httpx.AsyncClient) -> Browser:
    """A visitor's browser, in the conversation `SESSION`."""
    assert SESSION
    return Browser(http)


FAKE_SPEECH = Path(__file__).with_name("fake_speech.js").read_text()


@pytest.fixture
async def address(salon: Salon) -> AsyncIterator[str]:
    """Where the salon is served on this machine."""
    async with listening(salon.app) as url:
        yield url


# Not for longer than this folder: other tests have a Chromium of their own, and two are too many for a small machine.
@pytest.fixture(scope="package")
async def chromium_running(chromium: str) -> AsyncIterator[Any]:
    """One Chromium for all tests; its microphone hums and is always allowed."""
    from playwright.async_api import async_playwright, expect

    expect.set_options(timeout=SLOW_S * 1000)
    arguments = ["--no-sandbox", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]
    arguments.append("--autoplay-policy=no-user-gesture-required")
    async with async_playwright() as playwright:
        running = await playwright.chromium.launch(executable_path=chromium, args=arguments)
        yield running
        await running.close()


@asynccontextmanager
async def visiting(chromium_running: Any, address: str) -> AsyncIterator[Any]:
    """Give what opens the page, and fail at the end of the block if its scripts did."""
    contexts: list[Any] = []
    complaints: list[str] = []

    async def open(query: str = "?businessId=salon", fakes: str = FAKE_SPEECH, path: str = "/", **options: Any) -> Any:
        context = await chromium_running.new_context(**options)
        context.set_default_timeout(SLOW_S * 1000)
        contexts.append(context)
        page = await context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda m: complaints.append(m.text) if "Content Security Policy" in m.text else None)
        if fakes:
            await page.add_init_script(fakes)
        await page.goto(f"{address}/browser_voice{path}{query}")
        return page

    yield open
    for context in contexts:
        await context.close()
    assert complaints == []


@pytest.fixture
async def open_page(chromium_running: Any, address: str) -> AsyncIterator[Any]:
    """Open the page, and fail if its scripts do."""
    async with visiting(chromium_running, address) as open:
        yield open


async def until(page: Any, expression: str) -> None:
    """Wait until an expression is true; the page's policy forbids Playwright's own way, which evaluates a string."""
    async with asyncio.timeout(SLOW_S):
        while not await page.evaluate(expression):
            await asyncio.sleep(0.02)
