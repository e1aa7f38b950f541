"""What the tests of the Google calendar may ask for."""

from collections.abc import AsyncIterator

import pytest

from stand_ins.google_calendar import GoogleCalendarStandIn
from tests.integrations.google_calendar.premises import Premises
from tests.switch import Switch


@pytest.fixture
async def premises(stand_in_server: tuple[str, Switch]) -> AsyncIterator[Premises]:
    """A salon with an empty Google calendar next door."""
    url, switch = stand_in_server
    switch.stand_in = GoogleCalendarStandIn()
    found = Premises(url, switch.stand_in)
    yield found
    await found.http.close()
