"""What the tests of Pipedream may ask for."""

from collections.abc import AsyncIterator

import pytest

from stand_ins.pipedream.app import PipedreamStandIn
from tests.integrations.pipedream.connected import Apps
from tests.switch import Switch


@pytest.fixture
async def apps(stand_in_server: tuple[str, Switch]) -> AsyncIterator[Apps]:
    """A salon that has connected two apps."""
    url, switch = stand_in_server
    switch.stand_in = PipedreamStandIn()
    found = Apps(url, switch.stand_in)
    yield found
    await found.http.close()
