"""A turn's webhook that is delivered again, elsewhere: it waits for the living, and takes over from the dead."""

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from switchboard.channels.phone import routes, webhook
from switchboard.channels.phone.webhook import in_time
from switchboard.contract.python.waiting import current_wait, limited, waiting_for_others
from switchboard.contract.store import Update
from switchboard.conversation.record import turn_lease
from switchboard.conversation.record.turn_lease import LEASE_S
from tests.channels.phone.house import WITHIN, Heard, PhoneInstance, Twilio, open_store
from tests.conversation.scripted import says

SAID = {"SpeechResult": "When do you open?", "Confidence": "0.9"}


class TwoInstances:
    """One call at two instances, of which the first is asked and does not come to an answer."""

    def __init__(self, first: PhoneInstance, second: PhoneInstance) -> None:
        self.first, self.second, self.gate = first, second, asyncio.Event()
        self.caller = Twilio(first)
        self.address = ""

    async def begin(self, words: str) -> asyncio.Task[Any]:
        """Have the first instance asked; return what it is going to answer."""
        self.first.model.answers = [[self.gate, *says(words)]]
        self.address = (await self.caller.ask("/phone/incoming")).action
        asked = asyncio.create_task(self.caller.post(self.address, **SAID))
        while not self.first.model.prompts:
            await asyncio.sleep(0.01)
        return asked

    def again(self) -> asyncio.Task[Any]:
        """Deliver the same to the second instance."""
        return asyncio.create_task(Twilio(self.second, self.caller.call_sid).post(self.address, **SAID))

    async def pass_over(self, seconds: float) -> None:
        """Let so much time go by since anybody said that they are at it."""
        record = await self.first.record(self.caller.call_sid)
        ((key, row),) = record["deliveries"].items()
        path = WITHIN.document("interactions", self.caller.call_sid)
        at = row["at"] - timedelta(seconds=seconds)
        await self.first.store.inner.commit([Update(path, {f"deliveries.{key}.at": at})])


@pytest.fixture
async def two(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[TwoInstances]:
    """The second has no more time for its own work than in earnest."""
    async with PhoneInstance(await open_store()).serving() as first:
        monkeypatch.setattr(routes, "WORKED_WITHIN_S", 2.4)
        monkeypatch.setattr(routes, "REMEMBERED_WITHIN_S", 0.4)
        async with PhoneInstance(first.store).serving() as second:
            found = TwoInstances(first, second)
            yield found
            found.gate.set()


@pytest.mark.requirement("004-2401")
async def test_a_turn_that_is_worked_on_is_waited_for_beyond_the_time_of_any_work(two: TwoInstances):
    """No caller is told of a problem while an answer is coming."""
    asked = await two.begin("At nine.")
    again = two.again()
    await asyncio.sleep(4)
    assert not again.done()
    two.gate.set()
    answers = await asyncio.gather(asked, again)
    assert len({answer.text for answer in answers}) == 1
    assert Heard(answers[0].text).said == "At nine." and two.second.model.prompts == []


@pytest.mark.requirement("004-2401", "004-2402")
async def test_a_turn_whose_instance_died_is_answered_by_the_next_and_once(
    two: TwoInstances, monkeypatch: pytest.MonkeyPatch
):
    """And where that instance had only stood still, it answers nothing and writes nothing down."""
    monkeypatch.setattr(turn_lease, "RENEWED_AFTER_S", 600.0)
    asked = await two.begin("Too late.")
    await two.pass_over(LEASE_S - 1.5)
    two.second.model.answers = [says("At nine.")]
    assert Heard((await two.again()).text).said == "At nine."
    monkeypatch.setattr(two.first.clock, "monotonic", lambda: time.monotonic() + LEASE_S, raising=False)
    two.gate.set()
    await asyncio.wait({asked}, timeout=5)
    record = await two.first.record(two.caller.call_sid)
    said = [(row["role"], row["text"]) for row in record["transcript"] if row["turn"]]
    assert said == [("caller", SAID["SpeechResult"]), ("agent", "At nine.")]
    assert Heard((await two.again()).text).said == "At nine."


def test_all_of_it_fits_into_the_time_in_which_twilio_waits():
    """15 seconds, in which it may have been answered nothing before."""
    assert webhook.PATIENCE_S < webhook.OTHERS_WITHIN_S
    assert LEASE_S < webhook.PATIENCE_S
    assert webhook.OTHERS_WITHIN_S + 2.4 + 0.4 < 15


async def test_time_in_which_others_are_waited_for_is_not_counted_and_has_an_end(monkeypatch: pytest.MonkeyPatch):
    """Whatever limits are within each other."""

    async def work(waits_s: float) -> str:
        with waiting_for_others():
            await asyncio.sleep(waits_s)
        return "done"

    async def within(waits_s: float) -> str:
        return await in_time(in_time(work(waits_s), 0.5, lambda: "late"), 0.6, lambda: "late outside")

    assert await within(1.5) == "done"
    monkeypatch.setattr(webhook, "OTHERS_WITHIN_S", 0.3)
    assert await within(60) == "late"
    assert await in_time(asyncio.sleep(60, "done"), 0.1, lambda: "late") == "late"


async def test_whoever_joins_work_waits_for_what_it_waits_for():
    """From then on."""
    with limited():
        other = current_wait()
        with waiting_for_others():
            await asyncio.sleep(0.05)
            with limited() as mine:
                mine.join(other)
            assert mine.waited_s < other.waited_s
            await asyncio.sleep(0.05)
    assert 0.04 < mine.waited_s < other.waited_s
    with waiting_for_others():
        assert current_wait().waited_s == 0
