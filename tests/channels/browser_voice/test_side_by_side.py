"""Turns that come at the same moment: each has its own end, the newest is answered, and a wish has one receipt."""

import asyncio
import random
from datetime import timedelta
from typing import Any

import pytest

from switchboard.contract.model import UserMessage
from tests.channels.browser_voice.conftest import Browser, events
from tests.channels.browser_voice.salon import Salon
from tests.conversation.scripted import calls, says
from tests.pipeline import planted as pipeline_planted

pytestmark = pytest.mark.requirement("004-1201")
ENDS_S = 30


class Booking:
    """A model that makes the same call whenever it is asked anew, and says that it is done when it has its answer.

    Attributes:
        most: How many answers it gave at the same time, at most.
    """

    def __init__(self) -> None:
        self.running = self.most = 0

    async def stream(self, prompt: Any) -> Any:
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            is_new = isinstance(prompt.messages[-1], UserMessage)
            for event in calls(("act", {"what": "cut"})) if is_new else says("It is ", "done."):
                await asyncio.sleep(0.001)
                yield event
        finally:
            self.running -= 1


@pytest.fixture(autouse=True)
def slow_store(salon: Salon, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written takes a while, now longer and now shorter."""
    commit, dice = salon.store.commit, random.Random(7)

    async def slowly(writes: Any) -> Any:
        await asyncio.sleep(dice.choice((0, 0.001, 0.004)))
        results = await commit(writes)
        await asyncio.sleep(dice.choice((0, 0.001, 0.004)))
        return results

    monkeypatch.setattr(salon.store, "commit", slowly)


async def at_once(browser: Browser, count: int) -> list[list[tuple[str, Any]]]:
    """Say the same so often at the same moment, and return what each is answered."""
    async with asyncio.timeout(ENDS_S):
        answers = await asyncio.gather(*(browser.post("turn", text="Book a cut.") for _ in range(count)))
    return [events(answer.text) for answer in answers]


@pytest.mark.parametrize("count", [2, 3, 10])
async def test_every_stream_ends_and_one_turn_is_answered_at_a_time(salon: Salon, browser: Browser, count: int):
    """Whoever speaks while a turn is being answered has interrupted it, also in the very same moment."""
    model = Booking()
    salon.model.stream = model.stream  # type: ignore[method-assign]
    for _ in range(5):
        # A visitor has so many messages and answers, and then waits.
        salon.clock.moment += timedelta(hours=1)
        streams = sorted(await at_once(browser, count), key=lambda stream: stream[0][1]["turn"])
        assert all(stream[0][0] == "turn" and stream[-1][0] == "done" for stream in streams)
        numbers = [stream[0][1]["turn"] for stream in streams]
        assert numbers == [stream[-1][1]["turn"] for stream in streams] and len(set(numbers)) == count
        *others, newest = [stream[-1][1]["outcome"] for stream in streams]
        assert newest == "answered" and set(others) <= {"interrupted", "answered"}
    assert model.most == 1


async def test_one_wish_that_is_said_ten_times_at_once_has_one_receipt(salon: Salon, browser: Browser):
    salon.model.stream = Booking().stream  # type: ignore[method-assign]
    streams = await at_once(browser, 10)
    assert all(stream[-1][0] == "done" for stream in streams)
    salon.clock.moment += timedelta(minutes=1)
    await browser.turn(text="Thank you.")
    assert len(pipeline_planted.done) == 1
    receipts = (await salon.interaction())["receipts"]
    assert [receipt["what"] for receipt in receipts] == ["cut"]


async def test_two_processes_that_share_a_store_end_every_stream(salon: Salon, browser: Browser):
    """A page that asks again may reach another instance, where another turn is under way."""
    other = Salon(salon.store)
    transport = type(browser.http._transport)(app=other.app)
    elsewhere = Browser(type(browser.http)(transport=transport, base_url="http://test", headers=browser.http.headers))
    salon.model.answers = [says("We open at nine.") for _ in range(5)]
    other.model.answers = [says("We open at nine.") for _ in range(5)]
    both = await asyncio.gather(at_once(browser, 5), at_once(elsewhere, 5))
    assert all(stream[-1][0] == "done" for streams in both for stream in streams)
