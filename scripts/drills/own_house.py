"""A house of a drill's own in this process: the real one over the store in memory, with its vendors and model replaced.

It serves on a port of this machine, and what it keeps, logs and is told can be looked at.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from drills import premises
from running import demo, listening
from running.serving import Serving
from switchboard.app.clients import SystemClock
from switchboard.app.container import Container
from switchboard.app.settings import read_configuration
from switchboard.contract.ports import ChatModel, Store
from switchboard.contract.store import Document, Filter, Query, Write, WriteResult
from switchboard.state.memory.store import MemoryStore

SALON, PLUMBER = "demo-salon", "demo-plumber"
SALON_NUMBER, CALLER = "+15185550100", "+15185550171"
KEY, OWNER_TOKEN, TWILIO_TOKEN = "sb_house", "sb_house_owner", "twilio-token-of-the-drill"


class MovableClock:
    """The machine's time, put forward or back."""

    def __init__(self) -> None:
        self._real = SystemClock()
        self.ahead = timedelta()

    def now(self) -> datetime:
        """Return the time, aware, in UTC."""
        return datetime.now(UTC) + self.ahead

    def monotonic(self) -> float:
        """Return seconds that no jump of the clock moves."""
        return float(self._real.monotonic())


class NotingStore:
    """Passes everything on, and knows where something was written."""

    def __init__(self, inner: Store) -> None:
        self.inner = inner
        self.paths: set[str] = set()
        self.commits = 0

    async def get(self, path: str) -> Document | None:
        """As the inner store; so do the others."""
        return await self.inner.get(path)

    async def get_many(self, paths: Sequence[str]) -> list[Document | None]:
        return await self.inner.get_many(paths)

    async def query(self, query: Query) -> list[Document]:
        return await self.inner.query(query)

    async def count(self, query: Query) -> int:
        return await self.inner.count(query)

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        self.paths.update(write.path for write in writes)
        self.commits += 1
        return await self.inner.commit(writes)

    async def warm(self) -> None:
        await self.inner.warm()

    async def close(self) -> None:
        await self.inner.close()

    async def documents(self) -> list[Document]:
        """Return everything that was written and is still there."""
        return [item for item in await self.inner.get_many(sorted(self.paths)) if item is not None]


class DrilledHouse(Container):
    """The real house, with a model and a clock of the drill's own where they are given."""

    def __init__(self, configuration: Any, store: Store, model: ChatModel | None, clock: MovableClock) -> None:
        super().__init__(configuration, store)
        self._model = model
        self.clock = clock

    def open_model(self, tools: Any) -> ChatModel:
        """Return the drill's model, or the rehearsal."""
        return self._model or super().open_model(tools)


@dataclass
class OwnHouse:
    """A house that serves.

    Attributes:
        url: Where.
        house: Itself.
        store: What it keeps.
        clock: What it takes for the time.
        keys: An API key for each demo business.
        server: What serves.
        logged: What it has logged since it was opened.
    """

    url: str
    house: DrilledHouse
    store: NotingStore
    clock: MovableClock
    keys: dict[str, str]
    server: Serving
    logged: list[logging.LogRecord] = field(default_factory=list)

    @property
    def relay_url(self) -> str:
        """The address of the relay's socket."""
        return self.url.replace("http", "ws", 1) + "/phone/relay"

    @property
    def connections(self) -> int:
        """How many connections the server has open."""
        return len(self.server.server_state.connections)

    async def messages(self, business_id: str) -> int:
        """Return how many messages were left with a business."""
        query = Query(
            premises.PATHS.within(business_id).collection("outbox"), filters=(Filter("kind", "==", "message"),)
        )
        return len(await self.store.query(query))


@asynccontextmanager
async def own_house(
    model: ChatModel | None = None,
    *,
    relay: bool = False,
    prepare: Callable[[NotingStore, str], Any] | None = None,
    egress: Any = None,
    **environment: str,
) -> AsyncIterator[OwnHouse]:
    """Give a house with the demo businesses and the drilled one, whose vendors nobody can reach.

    Args:
        model: What speaks; the rehearsal without one.
        relay: Whether phone calls are held over the relay, and not in turns.
        prepare: Is given the store and the address before anything is served; awaited.
        egress: Carries owners' requests, in place of the real one.
        environment: Settings, by variable.
    """
    with listening.listen(0, "no option") as listener, noted_log() as logged:
        url = f"http://{listening.HOST}:{listener.getsockname()[1]}"
        nowhere = {f"SWITCHBOARD_{v}_BASE_URL": "http://127.0.0.1:9" for v in ("TWILIO", "VAPI", "GOOGLE")}
        settings = {
            "SWITCHBOARD_PUBLIC_URL": url,
            "SWITCHBOARD_SECRETS_KEY": premises.SECRETS_KEY,
            "SWITCHBOARD_EMBEDDINGS": "none",
            **nowhere,
            **environment,
        }
        if relay:
            settings["SWITCHBOARD_RELAY_URL"] = url.replace("http", "ws", 1) + "/phone/relay"
        clock, store = MovableClock(), NotingStore(MemoryStore())
        await premises.furnish(store)
        keys = await demo.make_keys(store, premises.PATHS, KEY)
        await demo.make_owner_tokens(store, premises.PATHS, OWNER_TOKEN)
        secrets_key = settings["SWITCHBOARD_SECRETS_KEY"]
        await demo.keep_twilio_token(store, premises.PATHS, secrets_key, TWILIO_TOKEN)
        if prepare:
            await prepare(store, url)
        house = DrilledHouse(read_configuration(settings), store, model, clock)
        if egress is not None:
            house.__dict__["egress"] = egress
        server = Serving(house.app, listener)
        await server.begin()
        await house.catalog.definitions.current()
        try:
            yield OwnHouse(url, house, store, clock, keys, server, logged)
        finally:
            server.stop()
            await server.ended()
            await house.close()


class _Noting(logging.Handler):
    def __init__(self, records: list[logging.LogRecord]) -> None:
        super().__init__(logging.DEBUG)
        self._records = records

    def emit(self, record: logging.LogRecord) -> None:
        self._records.append(record)


@contextmanager
def noted_log() -> Iterator[list[logging.LogRecord]]:
    """Keep what is logged within the block, at any level, instead of showing it."""
    records: list[logging.LogRecord] = []
    root, handler = logging.getLogger(), _Noting(records)
    before = root.handlers[:], root.level
    root.handlers[:], root.level = [handler], logging.DEBUG
    try:
        yield records
    finally:
        root.handlers[:], root.level = before[0], before[1]
