"""The phone, served on a port of this machine."""

from collections.abc import AsyncIterator

import pytest

from switchboard.pipeline.deadline import outlived
from tests.channels.phone.house import RELAY_URL, PhoneInstance, Twilio, open_store
from tests.conversation import planted
from tests.pipeline import planted as pipeline_planted


@pytest.fixture(autouse=True)
async def nothing_left_over() -> AsyncIterator[None]:
    """Start with no effects, and let actions that outlive a test end within it."""
    for known in (planted.gates, planted.begun, pipeline_planted.done):
        known.clear()
    yield
    for gate in planted.gates.values():
        gate.set()
    await outlived()


@pytest.fixture
async def gather() -> AsyncIterator[PhoneInstance]:
    """An instance without a relay."""
    async with PhoneInstance(await open_store()).serving() as instance:
        yield instance


@pytest.fixture
async def relay() -> AsyncIterator[PhoneInstance]:
    """An instance with a relay."""
    async with PhoneInstance(await open_store(), RELAY_URL).serving() as instance:
        yield instance


@pytest.fixture
def twilio(gather: PhoneInstance) -> Twilio:
    """A call to the instance without a relay."""
    return Twilio(gather)


@pytest.fixture
def caller(relay: PhoneInstance) -> Twilio:
    """A call to the instance with a relay."""
    return Twilio(relay)
