"""What a time without the store leaves behind is cleared up soon after it, however much that is."""

import asyncio
from types import SimpleNamespace

import pytest

from switchboard.contract.store import StoreError
from switchboard.pipeline.leftovers import Leftovers
from tests.desk.front_desk import StoppedClock


class SlowLedger:
    """Takes a while for each, and counts how many it is asked for at once."""

    def __init__(self):
        self.asked, self.at_once, self.most, self.is_away = [], 0, 0, False

    async def disown(self, case):
        self.asked.append(case.owner)
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        try:
            await asyncio.sleep(0.01)
        finally:
            self.at_once -= 1
        if self.is_away:
            raise StoreError("away")
        return True


@pytest.fixture
def ledger():
    """A ledger that has time."""
    return SlowLedger()


@pytest.fixture
def leftovers(ledger):
    """A thousand calls that were not started, because they could not be recorded."""
    clock = StoppedClock()
    found = Leftovers(ledger, clock)
    for number in range(1_000):
        found.not_started(SimpleNamespace(owner=f"i.{number}", now=clock.now()))
    return found


def row(number):
    """Return the row that such a call may have left."""
    return SimpleNamespace(owner=f"i.{number}")


async def test_many_calls_are_taken_back_side_by_side(leftovers, ledger):
    """One after the other they would keep recovery waiting for minutes; all at once, the store."""
    await leftovers.clear_up()
    assert sorted(ledger.asked) == sorted(f"i.{number}" for number in range(1_000))
    assert 10 <= ledger.most <= 50
    assert not leftovers.disowns(row(7))


async def test_what_could_not_be_looked_at_is_nobodys_to_carry_out(leftovers, ledger):
    """Its caller was told that nothing was done; it is looked at again."""
    ledger.is_away = True
    await leftovers.clear_up()
    assert leftovers.disowns(row(7))
    assert not leftovers.disowns(row(1_000))
    ledger.is_away = False
    await leftovers.clear_up()
    assert not leftovers.disowns(row(7))


async def test_nothing_is_forgotten_where_a_pass_is_broken_off(leftovers, ledger):
    """A scheduler may give up waiting for it."""
    clearing = asyncio.ensure_future(leftovers.clear_up())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    clearing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await clearing
    assert all(leftovers.disowns(row(number)) for number in range(100, 1_000))
