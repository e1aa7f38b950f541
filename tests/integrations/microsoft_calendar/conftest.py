"""What the tests of the calendar in Microsoft 365 may ask for."""

from collections.abc import AsyncIterator

import pytest

from stand_ins.microsoft_graph import MicrosoftGraphStandIn
from tests.integrations.microsoft_calendar.premises import Premises
from tests.switch import Switch


@pytest.fixture
async def premises(stand_in_server: tuple[str, Switch]) -> AsyncIterator[Premises]:
    """A salon with an empty calendar in Microsoft 365 next door."""
    url, switch = stand_in_server
    switch.stand_in = MicrosoftGraphStandIn()
    found = Premises(url, switch.stand_in)
    yield found
    await found.http.close()
