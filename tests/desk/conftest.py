"""What the desk's tests may ask for."""

import pytest

from switchboard.desk import Desk
from switchboard.desk.desk import open_desk
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
