"""What the tools' tests may ask for: a desk over a store in memory that holds the demo salon of the seeds."""

import json
from pathlib import Path

import pytest

from switchboard.contract.business.business import Business, read_business
from switchboard.desk import Desk
from switchboard.desk.services import open_desk
from switchboard.state.memory.store import MemoryStore
from tests.desk.front_desk import StoppedClock, WatchedStore, write_down
from tests.desk.phone_network import MemoryPhoneNetwork
from tests.desk.reception import Reception
from tests.leisure import leisure, pressed  # noqa: F401
from tests.tools.bookings import booking
from tests.tools.phone_desk import PhoneDesk, phone_desk

SEEDS = Path(__file__).parents[2] / "seeds/businesses/demo-salon"


@pytest.fixture
def store() -> WatchedStore:
    """An empty store in memory that counts, and fails on request."""
    return WatchedStore(MemoryStore())


@pytest.fixture
def desk(store: WatchedStore) -> Desk:
    """The desk over that store."""
    return open_desk(store, StoppedClock())


@pytest.fixture
def network() -> MemoryPhoneNetwork:
    """A phone network that has carried nothing yet."""
    return MemoryPhoneNetwork(StoppedClock())


@pytest.fixture
def phone(store: WatchedStore, network: MemoryPhoneNetwork) -> PhoneDesk:
    """The services that the tools of the phone use, over that network."""
    return phone_desk(store, network, StoppedClock())


@pytest.fixture
async def reception(store: WatchedStore) -> Reception:
    """A reception that knows five callers."""
    found = Reception(store, StoppedClock())
    await found.open()
    return found


@pytest.fixture
async def demo(store: WatchedStore) -> Business:
    """The demo salon of the seeds, its texts written down in the store, with a booking of whoever calls."""
    for name in ("policies", "faqs", "knowledge"):
        await write_down(store, "demo-salon", name, json.loads((SEEDS / f"{name}.json").read_text()))
    await write_down(store, "demo-salon", "bookings", {"bk_271hdeppdube8t6od8bg": booking()})
    return read_business("demo-salon", json.loads((SEEDS / "business.json").read_text()))
