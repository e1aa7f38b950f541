"""The portal in a thread of its own, with a scripted model, and a real browser in front of it."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from starlette.responses import Response
from starlette.routing import Route

from running import listening
from running.serving import Serving
from switchboard.pipeline.execution.deadline import outlived
from tests.channels.portal import planted
from tests.channels.portal.salon import Salon
from tests.leisure import leisure  # noqa: F401

# Far beyond what a busy machine needs: where all is well, nobody waits for it.
READY_WITHIN_S = 300
SLOW_MS = 120_000


class Premises:
    """A salon that is served; what belongs to its loop is done there."""

    def __init__(self) -> None:
        self.ready = threading.Event()
        self.url = ""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._serving: Serving | None = None
        self.salon: Salon | None = None

    async def serve(self) -> None:
        self.salon = await Salon(visitors=1_000, unbounded=True, rejoin_s=float(READY_WITHIN_S)).furnish()
        self.salon.app.router.routes.append(Route("/healthz", lambda _: Response()))
        listener = listening.listen(0, "--port")
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        self._loop, self._serving = asyncio.get_running_loop(), Serving(self.salon.app, listener)
        await self._serving.begin()
        self.ready.set()
        await self._serving.ended()
        await self.salon.conversations.close()
        await self.salon.http.aclose()
        await outlived()

    def run(self) -> None:
        try:
            asyncio.run(self.serve())
        finally:
            self.ready.set()

    def stop(self) -> None:
        if self._serving and self._loop:
            self._loop.call_soon_threadsafe(self._serving.stop)

    def script(self, *answers: Any) -> None:
        """Let the model give these answers from now on."""
        assert self.salon
        self.salon.model.answers = list(answers)
        planted.forget()

    def open(self, *gates: asyncio.Event) -> None:
        """Let something go on that waits."""
        assert self._loop
        for gate in gates:
            self._loop.call_soon_threadsafe(gate.set)

    def within(self, coroutine: Any) -> Any:
        """Return what a coroutine of the salon's returns."""
        assert self._loop
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(READY_WITHIN_S)


@pytest.fixture(scope="session")
def premises_open(chromium: str) -> Iterator[Premises]:
    """The server."""
    premises = Premises()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(premises.run)
        premises.ready.wait(READY_WITHIN_S)
        if not premises.url:
            running.result()
        yield premises
        premises.stop()
        running.result()


@pytest.fixture
def premises(premises_open: Premises) -> Premises:
    """The server, with a model that says nothing yet."""
    premises_open.script()
    return premises_open


Visit = Callable[..., Page]


@pytest.fixture
def visit(browser: Browser, premises: Premises) -> Iterator[Visit]:
    """Open the portal in a window of its own; whatever the page complains about fails the test."""
    complaints: list[str] = []
    contexts = []
    expect.set_options(timeout=SLOW_MS)

    def go(query: str = "business=salon", *, path: str = "/portal/", **options: Any) -> Page:
        known = {"locale": "en-US", "timezone_id": "America/New_York", "viewport": {"width": 1100, "height": 760}}
        context = browser.new_context(**known | options)  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(SLOW_MS)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda line: complaints.append(line.text) if "Content Security" in line.text else None)
        page.on("request", lambda asked: None if asked.url.startswith(premises.url) else complaints.append(asked.url))
        page.goto(f"{premises.url}{path}?{query}")
        return page

    yield go
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def photograph(tmp_path: Path, request: pytest.FixtureRequest) -> Callable[[Page, str], None]:
    """Take a picture of what is to be seen, kept beside the test's other files."""

    def take(page: Page, name: str) -> None:
        page.screenshot(path=tmp_path / f"{name}.png", animations="disabled")

    return take
