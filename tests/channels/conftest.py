"""What the tests of every channel start with."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from switchboard.contract.channel import Channel
from switchboard.contract.policy import CHANNEL_POLICY
from switchboard.conversation import turn
from switchboard.conversation.speech.bridging import Bridge
from tests.known_vectors import known_vectors  # noqa: F401

LONG_S = 600.0
"""Longer than any test waits: where a limit of time has been turned up to this, what ends does not end by it."""


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a busy machine take longer than a caller would wait; a test of a limit sets that limit itself."""
    long_ms = int(LONG_S * 1000)
    for channel, limits in CHANNEL_POLICY.items():
        patient = replace(
            limits,
            retrieval_deadline_ms=long_ms,
            retrieval_ms_per_turn=10 * long_ms,
            action_deadline_ms=long_ms,
            filler_after_ms=long_ms,
        )
        monkeypatch.setitem(CHANNEL_POLICY, channel, patient)
    monkeypatch.setattr(turn, "FIRST_TOKEN_S", LONG_S)
    monkeypatch.setattr(turn, "LONGEST_ANSWER_S", LONG_S)


@pytest.fixture
def bridged(monkeypatch: pytest.MonkeyPatch) -> Callable[[Channel, asyncio.Event], None]:
    """What has a wait filled soon on a channel, and opens a gate when that has been said, and not before."""

    def bridge(channel: Channel, gate: asyncio.Event) -> None:
        monkeypatch.setitem(CHANNEL_POLICY, channel, replace(CHANNEL_POLICY[channel], filler_after_ms=50))
        words = Bridge._words

        def say(self: Bridge, *how: Any) -> str:
            gate.set()
            return words(self, *how)

        monkeypatch.setattr(Bridge, "_words", say)

    return bridge
