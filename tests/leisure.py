"""Time for a busy machine: where tests are about something else, no limit of a call runs out and no filler is spoken.

A folder or a module has it by importing `leisure`; whoever tests the limits themselves asks for `pressed`.
"""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from switchboard.contract.policy import CHANNEL_POLICY
from switchboard.conversation import turn
from switchboard.desk.knowledge import vector_search

AS_IN_PRODUCTION = dict(CHANNEL_POLICY)
AT_LEISURE = {
    channel: replace(
        limits,
        retrieval_soft_ms=60_000,
        retrieval_deadline_ms=60_000,
        retrieval_ms_per_turn=600_000,
        action_deadline_ms=60_000,
        filler_after_ms=60_000,
    )
    for channel, limits in AS_IN_PRODUCTION.items()
}


@pytest.fixture(scope="package", autouse=True)
def leisure() -> Iterator[None]:
    """Let everything take longer than anybody would wait for it; once for all tests, not for each."""
    with pytest.MonkeyPatch.context() as patch:
        for channel, limits in AT_LEISURE.items():
            patch.setitem(CHANNEL_POLICY, channel, limits)
        patch.setattr(turn, "FIRST_TOKEN_S", 60.0)
        patch.setattr(turn, "LONGEST_ANSWER_S", 600.0)
        patch.setattr(vector_search, "PATIENCE_S", 60.0)
        yield


def limited(patch: pytest.MonkeyPatch, **limits: int) -> None:
    """Set limits of every channel, for tests in which they run out."""
    for channel, others in AT_LEISURE.items():
        patch.setitem(CHANNEL_POLICY, channel, replace(others, **limits))


@pytest.fixture
def pressed(leisure: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hold calls to the limits that callers have."""
    for channel, limits in AS_IN_PRODUCTION.items():
        monkeypatch.setitem(CHANNEL_POLICY, channel, limits)
