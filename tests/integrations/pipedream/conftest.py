"""What the tests of Pipedream may ask for."""

from collections.abc import AsyncIterator, Iterator

import pytest

from stand_ins.pipedream.app import PipedreamStandIn
from tests.integrations.pipedream.connected import Apps
from tests.switch import Switch, switched


@pytest.fixture(scope="session")
def pipedream_server() -> Iterator[tuple[str, Switch]]:
    """A server on this machine, and the switch behind it."""
    with switched() as found:
        yield found


@pytest.fixture
async def apps(pipedream_server: tuple[str, Switch]) -> AsyncIterator[Apps]:
    """A salon that has connected two apps."""
    url, switch = pipedream_server
    switch.stand_in = PipedreamStandIn()
    found = Apps(url, switch.stand_in)
    yield found
    await found.http.close()
