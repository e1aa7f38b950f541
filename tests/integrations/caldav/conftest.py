"""What the tests of CalDAV calendars may ask for. The server is no option: without it they fail."""

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.integrations.caldav import radicale_server
from tests.integrations.caldav.front import Front
from tests.integrations.caldav.premises import Premises
from tests.integrations.conftest import LONG_S
from tests.switch import Switch


@pytest.fixture(scope="session")
def radicale(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Radicale, on this machine."""
    with radicale_server.serving(tmp_path_factory.mktemp("radicale")) as url:
        yield url


@pytest.fixture
async def premises(
    radicale: str, stand_in_server: tuple[str, Switch], monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Premises]:
    """A salon with an empty calendar on a CalDAV server."""
    for name in ("READ_S", "WRITE_S"):
        monkeypatch.setattr(f"switchboard.integrations.caldav.dav.{name}", LONG_S)
    url, switch = stand_in_server
    front = Front(radicale)
    switch.stand_in = front
    found = Premises(url, front)
    found.make_calendar(found.path)
    yield found
    found.person.close()
    await found.egress.close()
