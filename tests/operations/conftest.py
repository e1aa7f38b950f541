"""A furnished house over either store."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from switchboard.admin.conversations import live_routes
from switchboard.admin.maintenance.retrying_store import RetryingStore
from switchboard.state.firestore.store import FirestoreStore
from switchboard.state.memory.store import MemoryStore
from tests.known_vectors import known_vectors  # noqa: F401
from tests.leisure import leisure, pressed  # noqa: F401
from tests.operations.premises import CANARY, Premises, copied, open_premises


@pytest.fixture(scope="package", autouse=True)
def brief_streams() -> Iterator[None]:
    """Let a stream look once: whoever tries out every operation would wait for each of its seconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(live_routes, "LASTS_S", 0.0)
        yield


@pytest.fixture(params=["memory", pytest.param("firestore", marks=pytest.mark.emulator)])
async def store(request: pytest.FixtureRequest, patience: None) -> AsyncIterator[Any]:
    """An empty store of either kind."""
    if request.param == "memory":
        yield MemoryStore()
        return
    project, host = request.getfixturevalue("emulator_project"), request.getfixturevalue("emulator_host")
    # Shared cores make the emulator slower than any Firestore.
    found = RetryingStore(FirestoreStore(project, None, host))
    yield found
    await found.close()


@pytest.fixture
async def premises(store: Any) -> AsyncIterator[Premises]:
    """The demo businesses and what the canary left there, open over that store."""
    async with open_premises(MemoryStore()) as busy:
        await busy.does_everything(CANARY)
        await copied(busy.store, store)
    async with open_premises(store, furnished=False) as found:
        yield found
