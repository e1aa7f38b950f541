"""What a browser tells that was heard of an answer: a beginning of what was said, and never other words."""

import asyncio
from typing import Any

import pytest

from switchboard.admin.conversations.records import whole
from switchboard.contract.model import Noted, Spoken, TextPiece
from switchboard.conversation.history import Filler, is_beginning
from tests.channels.browser_voice.conftest import Browser
from tests.channels.browser_voice.salon import SESSION, Salon
from tests.conversation.scripted import says
from tests.pipeline.conftest import BUSINESS, PATHS

pytestmark = pytest.mark.requirement("004-1202")
PRICES = "Haircut: $48, colour from $90. We open at 9:30."


@pytest.mark.parametrize(
    ("heard", "is_taken"),
    [
        ("", True),
        ("Haircut", True),
        ("Haircut: $48,", True),
        ("haircut $48 COLOUR", True),
        ("Haircut: $48, colour from $90. We open at 9:30", True),
        (PRICES, True),
        ("Haircut: $4", False),
        ("Haircut: $48, col", False),
        ("Haircut: $48, colour from $90. We open at 9", False),
        ("Haircuts are free for life", False),
        ("colour from $90", False),
        (f"{PRICES} And all of it is free today.", False),
    ],
)
async def test_the_record_keeps_what_was_said_and_how_much_of_it_was_heard(
    salon: Salon, browser: Browser, heard: str, is_taken: bool
):
    """A number that is cut in the middle is another number, and a visitor writes no words of ours."""
    salon.model.answers = [says(PRICES), says("Yes.")]
    await browser.turn(text="What does it cost?")
    await browser.post("interrupt", turn=1, heard=heard)
    await browser.turn(text="Really?")
    [entry] = [row for row in (await salon.interaction())["transcript"] if row["role"] == "agent" and row["turn"] == 1]
    assert entry["text"] == PRICES
    assert PRICES.startswith(entry.get("heard", PRICES)) and len(entry.get("heard", PRICES)) <= len(PRICES)
    told = next(m for m in salon.model.prompts[-1].messages if isinstance(m, Spoken)).text
    assert told == (entry.get("heard", PRICES) if is_taken else PRICES)
    assert ("heard" in entry) is (is_taken and heard != PRICES)


async def test_owners_read_what_was_said_whole(salon: Salon, browser: Browser):
    """And beside it what was heard, and the rest."""
    salon.model.answers = [says(PRICES)]
    await browser.turn(text="What does it cost?")
    await browser.post("interrupt", turn=1, heard="Haircut: $48,")
    record = await salon.store.get(PATHS.within(BUSINESS).document("interactions", SESSION))
    assert record is not None
    [entry] = [row for row in whole(record)["transcript"] if row["role"] == "agent"]
    assert (entry["text"], entry["heard"], entry["interrupted"]) == (PRICES, "Haircut: $48,", True)
    assert entry["unheard"] == "colour from $90. We open at 9:30."


async def test_what_was_not_said_is_nothing_that_was_heard(salon: Salon, browser: Browser):
    """The model is told the turn as it was."""
    salon.model.answers = [says(PRICES), says("Yes.")]
    await browser.turn(text="What does it cost?")
    await browser.post("interrupt", turn=1, heard="Everything is free")
    await browser.turn(text="Really?")
    told = salon.model.prompts[-1].messages
    assert Spoken(PRICES) in told and not [m for m in told if isinstance(m, Noted)]


def test_fillers_may_be_told_or_left_out():
    fillers = [Filler(5, "One moment.")]
    for heard in ("Sure. One moment. It", "Sure. It", "Sure. One"):
        assert is_beginning("Sure. It is $4.50.", heard, fillers)
    for heard in ("Sure. One moment. It is $4", "Moment", "Sure. One mom"):
        assert not is_beginning("Sure. It is $4.50.", heard, fillers)


async def test_who_speaks_while_an_interruption_is_written_down_is_answered(
    salon: Salon, browser: Browser, monkeypatch: pytest.MonkeyPatch
):
    """The interruption is one step: it breaks the turn off that it names, and not the one that follows it."""
    commit, is_slow = salon.store.commit, asyncio.Event()

    async def slowly(writes: Any) -> Any:
        is_record = any("/interactions/" in write.path for write in writes)
        await asyncio.sleep(0.1 if is_record and is_slow.is_set() else 0)
        return await commit(writes)

    monkeypatch.setattr(salon.store, "commit", slowly)
    salon.model.answers = [[TextPiece("We open at nine. "), asyncio.Event(), TextPiece("We close at six.")]]
    first = asyncio.create_task(browser.turn(text="When?"))
    while not salon.model.prompts:
        await asyncio.sleep(0.002)
    await asyncio.sleep(0.02)
    salon.model.answers = [says("On Sundays ", "we are closed.")]
    is_slow.set()
    interruption = asyncio.create_task(browser.post("interrupt", turn=1, heard="We open at"))
    await asyncio.sleep(0.01)
    second = await browser.turn(text="And on Sundays?")
    await interruption
    is_slow.clear()
    assert (await first)[-1] == ("done", {"outcome": "interrupted", "turn": 1})
    assert second[-1] == ("done", {"outcome": "answered", "turn": 2})
    await asyncio.sleep(0.15)
    spoken = [row for row in (await salon.interaction())["transcript"] if row["role"] == "agent"]
    heard = [(row["turn"], row["text"].strip(), row.get("heard")) for row in spoken]
    assert heard == [(1, "We open at nine.", "We open at"), (2, "On Sundays we are closed.", None)]
