"""What the tests of the owners' operations may ask for."""

from collections.abc import AsyncIterator

import pytest

from switchboard.contract import policy
from switchboard.contract.ports import Store
from switchboard.state.firestore import FirestoreStore
from switchboard.state.memory import MemoryStore


@pytest.fixture
def memory() -> MemoryStore:
    """An empty store in memory."""
    return MemoryStore()


@pytest.fixture
async def firestore(emulator_host: str, emulator_project: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Store]:
    """An empty project on the emulator, with more patience than a caller on the phone has."""
    for limit in ("STORE_READ_S", "STORE_WRITE_S", "STORE_FIRST_CALL_S"):
        monkeypatch.setattr(policy, limit, 30.0)
    store = FirestoreStore(emulator_project, emulator_host=emulator_host)
    yield store
    await store.close()


@pytest.fixture(params=["memory", "firestore"])
def store(request: pytest.FixtureRequest) -> Store:
    """Each store in turn."""
    found: Store = request.getfixturevalue(request.param)
    return found
