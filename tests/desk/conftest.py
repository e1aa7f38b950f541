"""What the desk's tests may ask for."""

import pytest

from switchboard.desk import Desk
from switchboard.desk.messaging.sms import Texts
from switchboard.desk.services import open_desk
from switchboard.state.firestore.store import FirestoreStore
from switchboard.state.memory.store import MemoryStore
from tests.desk.calendar_house import CalendarHouse
from tests.desk.front_desk import StoppedClock, WatchedStore
from tests.desk.memory_calendar import MemoryCalendar
from tests.desk.phone_network import MemoryPhoneNetwork, texts_over


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
def network(clock: StoppedClock) -> MemoryPhoneNetwork:
    """A phone network that has carried nothing yet."""
    return MemoryPhoneNetwork(clock)


@pytest.fixture
def texts(store: WatchedStore, network: MemoryPhoneNetwork, clock: StoppedClock) -> Texts:
    """The desk's texts over that network."""
    return texts_over(store, network, clock)


@pytest.fixture
def calendar() -> MemoryCalendar:
    """An empty outside calendar."""
    return MemoryCalendar()


@pytest.fixture
def house(store: WatchedStore, calendar: MemoryCalendar, clock: StoppedClock) -> CalendarHouse:
    """The salon's desk with that calendar."""
    return CalendarHouse(store, calendar, clock)


@pytest.fixture
async def firestore(firestore: FirestoreStore) -> FirestoreStore:
    """An empty store on the emulator that has connected already."""
    await firestore.warm()
    return firestore


@pytest.fixture(params=["memory", pytest.param("firestore", marks=pytest.mark.emulator)])
def watched(request: pytest.FixtureRequest) -> WatchedStore:
    """Each kind of store, counting."""
    return WatchedStore(MemoryStore() if request.param == "memory" else request.getfixturevalue("firestore"))
