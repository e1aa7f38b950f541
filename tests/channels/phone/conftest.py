"""The phone, served on a port of this machine.

Every limit of its own is turned up: what ends in a test does not end because a busy machine was late.
"""

import math
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from switchboard.app import websocket_protocol
from switchboard.channels.phone import relay as relay_module
from switchboard.channels.phone import relay_call, relay_socket, routes, turns
from switchboard.contract.channel import Channel
from switchboard.contract.policy import CHANNEL_POLICY
from switchboard.conversation.speech import playhead
from switchboard.pipeline.execution.deadline import outlived
from tests.channels.conftest import LONG_S
from tests.channels.phone.house import RELAY_URL, PhoneInstance, Twilio, open_store
from tests.conversation import planted
from tests.pipeline import planted as pipeline_planted

LIMITS = {
    routes: ("WORKED_WITHIN_S", "REMEMBERED_WITHIN_S", "FOUND_WITHIN_S", "STATUS_WITHIN_S"),
    turns: ("PATIENCE_S",),
    relay_module: ("SETUP_S",),
    relay_call: ("KEYS_S", "ASKS_AFTER_S", "IDLE_S", "LONGEST_S", "_LONGEST_FAREWELL_S"),
    relay_socket: ("SENT_WITHIN_S",),
    websocket_protocol: ("READ_WITHIN_S", "SENT_WITHIN_S"),
}


@pytest.fixture(autouse=True)
def unhurried_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let everything take as long as it takes, except speech, which is a hundred times as fast as anybody speaks."""
    for module, names in LIMITS.items():
        for name in names:
            monkeypatch.setattr(module, name, LONG_S)
    monkeypatch.setattr(relay_call, "_CHARACTERS_PER_S", 1500.0)
    # Answers come at once, to questions that were heard at once.
    monkeypatch.setattr(playhead, "FASTEST_CHARACTERS_PER_S", math.inf)
    # A caller whose call is over is not waited for to hang up.
    monkeypatch.setattr(relay_call, "_CLOSED_WITHIN_S", 0.02)


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
def endless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers of a model may be of any length."""
    longer = replace(CHANNEL_POLICY[Channel.PHONE], answer_characters=1_000_000_000)
    monkeypatch.setitem(CHANNEL_POLICY, Channel.PHONE, longer)


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
