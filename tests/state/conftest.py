"""Both stores behind one fixture, and servers that misbehave on demand."""

import socket
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from typing import NoReturn

import pytest

from running import emulator
from switchboard.contract import policy
from switchboard.contract.ports import Store
from switchboard.state.firestore.store import FirestoreStore
from switchboard.state.memory.overlay import OverlaidStore
from switchboard.state.memory.store import MemoryStore
from tests.state.server import Relay, SilentServer

BOTH = ("memory", "overlaid", pytest.param("firestore", marks=pytest.mark.emulator))


@pytest.fixture(scope="session")
async def firestore_store(emulator_host: str, worker_project: str) -> AsyncIterator[FirestoreStore]:
    """One store over the emulator for all tests of this process; tests keep apart by their `area`."""
    store = FirestoreStore(worker_project, emulator_host=emulator_host)
    yield store
    await store.close()


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a busy machine answer later than a phone call could wait; `test_outages` is about those limits."""
    monkeypatch.setattr(policy, "STORE_READ_S", 30.0)
    monkeypatch.setattr(policy, "STORE_WRITE_S", 30.0)
    monkeypatch.setattr(policy, "STORE_FIRST_CALL_S", 30.0)


@pytest.fixture(params=BOTH)
def store(request: pytest.FixtureRequest, patience: None) -> Store:
    """Each store that promises to behave as the port says."""
    if request.param == "memory":
        return MemoryStore()
    if request.param == "overlaid":
        return OverlaidStore(MemoryStore())
    found: Store = request.getfixturevalue("firestore_store")
    return found


@pytest.fixture
def area() -> str:
    """A top-level collection that no other test uses, so that nothing needs to be cleared."""
    return f"area-{uuid.uuid4().hex[:12]}"


@pytest.fixture(scope="module")
def own_emulator(missing_part: Callable[[str], NoReturn]) -> Iterator[emulator.RunningEmulator]:
    """An emulator that only this module uses, and may do anything to."""
    installed = emulator.find()
    if installed is None:
        missing_part(emulator.why_missing())
    with installed.start() as running:
        yield running


@pytest.fixture
async def relay(emulator_host: str) -> AsyncIterator[Relay]:
    """A way to the emulator that can be cut."""
    relay = Relay(emulator_host)
    await relay.open()
    yield relay
    await relay.cut()


@pytest.fixture
async def silent_host() -> AsyncIterator[str]:
    """The host:port of a server that takes connections and never says a word."""
    server = SilentServer()
    await server.open()
    yield server.host
    await server.cut()


@pytest.fixture
def closed_host() -> str:
    """A host:port where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"
