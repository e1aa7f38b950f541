"""What the tests of the Google calendar may ask for."""

from collections.abc import AsyncIterator, Iterator

import pytest

from stand_ins.google_calendar import GoogleCalendarStandIn
from tests.integrations.google_calendar.premises import Premises
from tests.switch import Switch, switched


@pytest.fixture(scope="session")
def google_server() -> Iterator[tuple[str, Switch]]:
    """A server on this machine, and the switch behind it."""
    with switched() as found:
        yield found


@pytest.fixture
async def premises(google_server: tuple[str, Switch]) -> AsyncIterator[Premises]:
    """A salon with an empty Google calendar next door."""
    url, switch = google_server
    switch.stand_in = GoogleCalendarStandIn()
    found = Premises(url, switch.stand_in)
    yield found
    await found.http.close()
