"""What the tests of pushing may ask for."""

from collections.abc import AsyncIterator

import pytest

from tests.admin.pushing.agency import agency
from tests.admin.whole_house import Owner


@pytest.fixture
async def owner() -> AsyncIterator[Owner]:
    """Whoever runs all businesses, three of which were made of the salon's template."""
    async with agency() as found:
        yield found
