"""A dispatcher over planted tools, with both stores."""

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from switchboard.catalog.definitions.definitions import Definitions
from switchboard.catalog.offer.catalog import Catalog
from switchboard.catalog.tenant_tools.sessions import SessionLocks
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS
from switchboard.contract.response import ToolResponse
from switchboard.contract.store import Set
from switchboard.pipeline.dispatcher import Dispatcher
from switchboard.pipeline.execution import deadline
from switchboard.pipeline.execution.deadline import outlived
from switchboard.pipeline.ledger.ledger import Ledger
from switchboard.pipeline.limits.breaker import Breakers
from switchboard.pipeline.metrics.meter import Meter
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths
from tests.desk.front_desk import StoppedClock, WatchedStore
from tests.leisure import leisure, pressed  # noqa: F401
from tests.pipeline import planted

BUSINESS = "salon"
PATHS = FirestorePaths()


class Instance:
    """One running instance: its own memory, over a store that others may share."""

    def __init__(self, store: Any, clock: StoppedClock, registry: Any = None) -> None:
        self.store, self.clock = store, clock
        self.meter = Meter(clock)
        self.definitions = Definitions(store, PATHS, registry or planted.registry(), clock)
        sessions = SessionLocks(store, PATHS, self.definitions, clock)
        breakers = Breakers(clock)
        self.catalog = Catalog(store, PATHS, self.definitions, sessions, clock, breakers.circuits_of)
        self.dispatcher = Dispatcher(self.catalog, Ledger(store, PATHS), None, PATHS, clock, self.meter, breakers)

    async def call(self, name: str, args: Any = None, **facts: Any) -> ToolResponse:
        """Execute a call with a new id on the phone, unless `facts` say otherwise."""
        channel = facts.pop("channel", Channel.PHONE)
        known = {"business_id": BUSINESS, "session_id": "s1", "call_id": uuid.uuid4().hex} | facts
        context = CONTEXTS[channel](**known)
        response = await self.dispatcher.execute_tool(name, {} if args is None else args, BUSINESS, context)
        await self.catalog.ended()
        return response

    async def ledger(self, call_id: str, session_id: str = "s1") -> dict[str, Any]:
        """Return a call's ledger document."""
        document = await self.store.get(PATHS.within(BUSINESS).call(session_id, call_id))
        return document.data


@pytest.fixture
def clock() -> StoppedClock:
    """A clock that moves only when told to."""
    return StoppedClock()


@pytest.fixture
async def store() -> WatchedStore:
    """A store in memory that knows the business, counts, and fails on request."""
    found = WatchedStore(MemoryStore())
    await found.commit(
        [
            Set(
                PATHS.within(BUSINESS).business,
                {"name": "Salon", "timezone": "UTC", "ai": {"language": "de-AT", "callerVerification": "match"}},
            )
        ]
    )
    found.asked.clear()
    return found


@pytest.fixture
def office(store: WatchedStore, clock: StoppedClock) -> Instance:
    """One instance over that store."""
    return Instance(store, clock)


@pytest.fixture
def unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for what is carried out also where its tool has a tight limit of its own."""
    monkeypatch.setattr(deadline, "limit_of", lambda *_: 60.0)


@pytest.fixture(autouse=True)
async def nothing_left_over() -> AsyncIterator[None]:
    """Start with no effects, and let actions that outlive a test end within it."""
    planted.done.clear()
    planted.faltered.clear()
    planted.gates.clear()
    yield
    for gate in planted.gates.values():
        gate.set()
    await outlived()


Call = Callable[..., Awaitable[ToolResponse]]
