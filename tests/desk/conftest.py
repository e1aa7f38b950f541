"""What the desk's tests may ask for."""

from collections.abc import AsyncIterator

import pytest

from switchboard.contract import policy
from switchboard.desk import Desk
from switchboard.desk.desk import open_desk
from switchboard.state.firestore import FirestoreStore
from switchboard.state.memory import MemoryStore
from tests.desk.front_desk import StoppedClock, WatchedStore


@pytest.fixture
def clock() -> StoppedClock:
    """A clock that moves only when told to."""
    return StoppedClock()


@pytest.fixture
def store() -> WatchedStore:
    """An empty store in memory that counts, and fails on request."""
    return WatchedStore(MemoryStore())


@pytest.fixture
def desk(store: WatchedStore, clock: StoppedClock) -> Desk:
    """The desk over that store."""
    return open_desk(store, clock)


@pytest.fixture
async def firestore(
    emulator_host: str, emulator_project: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[FirestoreStore]:
    """An empty store on the emulator, as patient as a machine that is busy with something else needs it."""
    for name in ("STORE_READ_S", "STORE_WRITE_S", "STORE_FIRST_CALL_S"):
        monkeypatch.setattr(policy, name, 30.0)
    store = FirestoreStore(emulator_project, emulator_host=emulator_host)
    await store.warm()
    yield store
    await store.close()


@pytest.fixture(params=["memory", pytest.param("firestore", marks=pytest.mark.emulator)])
def watched(request: pytest.FixtureRequest) -> WatchedStore:
    """Each kind of store, counting."""
    return WatchedStore(MemoryStore() if request.param == "memory" else request.getfixturevalue("firestore"))
