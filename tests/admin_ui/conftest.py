"""A real server with the demo businesses, in a thread, for the pages to talk to."""

import asyncio
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

import built_tools
import demo
import listening
import main
from serving import Serving
from switchboard.admin.api_keys import create_key
from switchboard.contract.store import Set
from switchboard.state.paths import FirestorePaths

READY_WITHIN_S = 30
TOOLLESS = "toolless"


@dataclass(frozen=True)
class LiveServer:
    """Where it is, and the API keys by business."""

    url: str
    keys: dict[str, str]


class _Thread:
    """Serves until told to stop; everything asynchronous happens in its own loop."""

    def __init__(self) -> None:
        self.ready = threading.Event()
        self.live: LiveServer | None = None
        self._stop = lambda: None

    async def serve(self) -> None:
        paths, now = FirestorePaths(), datetime.now(UTC)
        house = main.build(main.read_configuration({}))
        await demo.furnish(house.store, paths, now)
        keys = await demo.make_keys(house.store, paths, None)
        await house.store.commit([Set(paths.within(TOOLLESS).business, {"name": "Nothing yet", "enabledTools": []})])
        keys[TOOLLESS] = (await create_key(house.store, paths, TOOLLESS, "pages")).text
        listener = listening.listen(0, "--port")
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        serving, loop = Serving(house.app, listener), asyncio.get_running_loop()
        await serving.begin()
        self._stop = lambda: loop.call_soon_threadsafe(serving.stop)
        self.live = LiveServer(url, keys)
        self.ready.set()
        await serving.ended()
        await house.close()

    def run(self) -> None:
        try:
            asyncio.run(self.serve())
        finally:
            self.ready.set()

    def stop(self) -> None:
        self._stop()


@pytest.fixture(scope="session")
def live_server() -> Iterator[LiveServer]:
    """The server, with a third business that offers nothing."""
    if built_tools.are_stale():
        built_tools.build()
    thread = _Thread()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(thread.run)
        thread.ready.wait(READY_WITHIN_S)
        if thread.live is None:
            running.result()
        assert thread.live
        yield thread.live
        thread.stop()
        running.result()


@pytest.fixture
def pages_for(monkeypatch: pytest.MonkeyPatch, live_server: LiveServer):
    """Point the pages at the live server with the given keys, all of its own by default."""

    def point(keys: dict[str, str] | None = None, url: str | None = None) -> None:
        monkeypatch.setenv("SWITCHBOARD_URL", url or live_server.url)
        monkeypatch.setenv("SWITCHBOARD_API_KEYS", json.dumps(live_server.keys if keys is None else keys))

    return point
