"""Limits of time that a busy machine does not reach, for figures that count and do not time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from switchboard.contract import policy

_LONG_S = 60.0
_STORE = ("STORE_READ_S", "STORE_WRITE_S", "STORE_FIRST_CALL_S")
_CALLS = ("retrieval_deadline_ms", "retrieval_ms_per_turn", "action_deadline_ms")


@contextmanager
def patience() -> Iterator[None]:
    """Let calls and their store take their time: a busy machine must not change what is counted."""
    limits, channels = {name: getattr(policy, name) for name in _STORE}, dict(policy.CHANNEL_POLICY)
    patient = dict.fromkeys(_CALLS, int(_LONG_S * 1_000))
    for name in _STORE:
        setattr(policy, name, _LONG_S)
    policy.CHANNEL_POLICY.update({channel: replace(usual, **patient) for channel, usual in channels.items()})
    try:
        yield
    finally:
        for name, value in limits.items():
            setattr(policy, name, value)
        policy.CHANNEL_POLICY.update(channels)
