"""What the tests of the owners' operations may ask for."""

from collections.abc import AsyncIterator

import pytest

from stand_ins.vapi.app import VapiStandIn
from switchboard.contract.ports import Store
from switchboard.state.memory.store import MemoryStore
from tests.admin.owners_office import Premises, open_premises
from tests.admin.tool_house import ToolHouse
from tests.admin.whole_house import Owner, opened
from tests.known_vectors import known_vectors  # noqa: F401
from tests.leisure import leisure, pressed  # noqa: F401
from tests.switch import Switch


@pytest.fixture
def memory() -> MemoryStore:
    """An empty store in memory."""
    return MemoryStore()


@pytest.fixture(params=["memory", pytest.param("firestore", marks=pytest.mark.emulator)])
def store(request: pytest.FixtureRequest) -> Store:
    """Each store in turn."""
    found: Store = request.getfixturevalue(request.param)
    return found


@pytest.fixture
async def premises(store: Store) -> AsyncIterator[Premises]:
    """An office over each store in turn."""
    found = await open_premises(store)
    yield found
    await found.browser.aclose()


@pytest.fixture
async def local(memory: MemoryStore) -> AsyncIterator[Premises]:
    """An office over a store in memory."""
    found = await open_premises(memory)
    yield found
    await found.browser.aclose()


@pytest.fixture
async def owner() -> AsyncIterator[Owner]:
    """The salon's, before the whole house, where nothing was changed yet."""
    async with opened() as found:
        yield found


@pytest.fixture
async def house(stand_in_server: tuple[str, Switch], memory: MemoryStore) -> AsyncIterator[ToolHouse]:
    """The API of tenant tools over a store in memory."""
    url, switch = stand_in_server
    switch.stand_in = VapiStandIn()
    found = await ToolHouse(memory, switch.stand_in, url).open()
    yield found
    await found.close()


@pytest.fixture
async def either_house(stand_in_server: tuple[str, Switch], store: Store) -> AsyncIterator[ToolHouse]:
    """The same over each store in turn."""
    url, switch = stand_in_server
    switch.stand_in = VapiStandIn()
    found = await ToolHouse(store, switch.stand_in, url).open()
    yield found
    await found.close()
