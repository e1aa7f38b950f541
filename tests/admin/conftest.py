"""What the tests of the owners' operations may ask for."""

from collections.abc import AsyncIterator, Iterator

import pytest
from starlette.types import Receive, Scope, Send

from stand_ins.loopback import serving
from stand_ins.vapi.app import VapiStandIn
from switchboard.contract import policy
from switchboard.contract.ports import Store
from switchboard.state.firestore import FirestoreStore
from switchboard.state.memory import MemoryStore
from tests.admin.tool_house import ToolHouse


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


class Switch:
    """Leads to the stand-in of the test that is running."""

    stand_in: VapiStandIn

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve."""
        await self.stand_in.app(scope, receive, send)


@pytest.fixture(scope="session")
def vapi_server() -> Iterator[tuple[str, Switch]]:
    """A server on this machine, and the switch behind it."""
    switch = Switch()
    with serving(switch) as url:
        yield url, switch


@pytest.fixture
async def house(vapi_server: tuple[str, Switch], memory: MemoryStore) -> AsyncIterator[ToolHouse]:
    """The API of tenant tools over a store in memory."""
    url, switch = vapi_server
    switch.stand_in = VapiStandIn()
    found = await ToolHouse(memory, switch.stand_in, url).open()
    yield found
    await found.close()


@pytest.fixture
async def either_house(vapi_server: tuple[str, Switch], store: Store) -> AsyncIterator[ToolHouse]:
    """The same over each store in turn."""
    url, switch = vapi_server
    switch.stand_in = VapiStandIn()
    found = await ToolHouse(store, switch.stand_in, url).open()
    yield found
    await found.close()
