"""What the tests of definitions may ask for."""

from collections.abc import AsyncIterator

import pytest

from switchboard.contract.ports import Store
from tests.admin.definition_house import DefinitionHouse, opened


@pytest.fixture
async def house(store: Store) -> AsyncIterator[DefinitionHouse]:
    """A house on each store in turn."""
    async with opened(store) as found:
        yield found


@pytest.fixture
async def quick(memory: Store) -> AsyncIterator[DefinitionHouse]:
    """A house in memory."""
    async with opened(memory) as found:
        yield found
