"""Text messages where instances' clocks differ: each is sent once, whichever clock is wrong, and soon known."""

import asyncio
from datetime import datetime, timedelta

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.limits.rate_limits import RateLimits
from switchboard.desk.messaging.sms import Texts
from switchboard.state.memory.store import MemoryStore
from tests.desk.front_desk import StoppedClock, WatchedStore, call, stored
from tests.desk.phone_network import CALLER, LOST, MemoryPhoneNetwork, phone_salon
from tests.refused import failure

SALON = phone_salon()
BODY = "See you on Tuesday at ten."
SKEWS = (-300, -45, 45, 300)


class WrongClock:
    """A clock that is off by so many seconds."""

    def __init__(self, right: StoppedClock, seconds: float) -> None:
        self._right, self._off = right, timedelta(seconds=seconds)

    def now(self) -> datetime:
        return self._right.now() + self._off

    def monotonic(self) -> float:
        return self._right.monotonic()


class House:
    """Two instances over a store and a network whose clocks are right."""

    def __init__(self) -> None:
        self.clock = StoppedClock()
        self.store = WatchedStore(MemoryStore(self.clock))
        self.network = MemoryPhoneNetwork(self.clock)

    def texts(self, skew: float = 0) -> tuple[Texts, WrongClock]:
        clock = WrongClock(self.clock, skew)
        return Texts(self.store, self.network, RateLimits(self.store, clock), clock), clock

    async def send(self, texts: Texts, clock: WrongClock):
        return await texts.send(call(SALON, now=clock.now()), CALLER, BODY, effect_key="wish")

    async def state(self) -> str:
        (found,) = (await stored(self.store, SALON.id, "outbox")).values()
        return found["state"]


@pytest.mark.requirement("002-461")
@pytest.mark.parametrize("skew", SKEWS)
async def test_a_text_that_a_wrong_clock_sent_is_found(skew):
    """Its answer was lost; whoever looks for it has another clock."""
    house = House()
    house.network.fail(LOST, accepted=True)
    await failure(house.send(*house.texts(skew)))
    house.clock.wait(abs(skew) + 61)
    receipt = await house.send(*house.texts())
    assert (receipt.state, receipt.repeated, house.network.posts) == ("sent", True, 1)


@pytest.mark.requirement("002-461")
@pytest.mark.parametrize("skew", SKEWS)
async def test_what_a_wrong_clock_takes_for_abandoned_is_not_sent_beside_whoever_is_sending_it(skew):
    """To a clock that is ahead every lease is over, and every text should have been listed long ago."""
    house, began, gate = House(), asyncio.Event(), asyncio.Event()

    async def slow() -> None:
        began.set()
        await gate.wait()

    house.network.before_post = slow
    first = asyncio.create_task(house.send(*house.texts()))
    await began.wait()
    house.network.before_post = None
    for _ in range(4):
        error = await failure(house.send(*house.texts(skew)))
        assert error.type in (ErrorType.CONFLICT, ErrorType.TRANSIENT)
        house.clock.wait(1)
    gate.set()
    assert (await first).state == "sent"
    assert len(house.network.sent) == 1
    assert await house.state() == "sent"


@pytest.mark.requirement("002-461")
async def test_whoever_stood_still_between_claim_and_network_does_not_send_any_more():
    """Others have looked for it meanwhile, and sent it."""
    house = House()
    texts, clock = house.texts()
    commit = house.store.inner.commit

    async def frozen(writes):
        results = await commit(writes)
        if any(write.path.rpartition("/")[2].startswith("txt_") for write in writes):
            house.store.inner.commit = commit
            house.clock.wait(50)
            other = house.texts()
            receipt = await house.send(*other)
            assert receipt.state == "sent"
        return results

    house.store.inner.commit = frozen
    with pytest.raises(ToolError) as raised:
        await house.send(texts, clock)
    assert (raised.value.type, raised.value.retryable) == (ErrorType.CONFLICT, True)
    assert (len(house.network.sent), await house.state()) == (1, "sent")


@pytest.mark.requirement("002-462")
async def test_a_text_killed_before_the_network_heard_of_it_is_sent_within_a_minute():
    """It is looked up when nobody can be sending it any more, and that says when it will be known."""
    house = House()

    async def die() -> None:
        raise asyncio.CancelledError

    house.network.before_post = die
    with pytest.raises(asyncio.CancelledError):
        await house.send(*house.texts())
    house.network.before_post = None
    began = house.clock.now()
    house.clock.wait(31)
    told = await failure(house.send(*house.texts()))
    assert told.partial_side_effects and 0 < told.meta["retryAfterS"] <= 15
    house.clock.wait(told.meta["retryAfterS"])
    assert (await house.send(*house.texts())).state == "sent"
    assert house.clock.now() - began <= timedelta(seconds=46)
    assert len(house.network.sent) == 1
