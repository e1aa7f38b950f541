"""What a conversation's first request costs, as `scripts/bench prompt` shows it."""

import pytest

from benchmarks.prompt import BUDGETS, EQUAL, first_requests
from switchboard.contract.channel import Channel


@pytest.mark.requirement("003-338", "003-339")
async def test_a_first_request_stays_within_its_tokens_and_its_beginning_stays_the_same() -> None:
    """Every tool and every sentence is paid for in each request; what is equal from one to the next a cache serves."""
    found = await first_requests()
    assert len(found) == len(BUDGETS) * len(Channel)
    for request in found:
        assert 1_000 < request.tokens <= BUDGETS[request.business], request
        assert request.equal >= EQUAL, request
