"""A process dies within a turn: the next one is told what was done in it, once, and does not do it again."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from switchboard.contract.call import ToolCall
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS, Context
from switchboard.contract.model import Noted
from switchboard.contract.policy import CALL_LEASE_S
from switchboard.contract.response import ToolResponse
from switchboard.contract.store import Document, Query, Update
from switchboard.conversation.event import Effect, Event
from switchboard.conversation.held_conversations import Conversations
from switchboard.conversation.record.unanswered import unanswered_in
from switchboard.conversation.speech.utterance import Utterance
from tests.conversation.conftest import answer
from tests.conversation.record.test_interactions import PATH, Office, office
from tests.conversation.scripted import calls, says
from tests.conversation.test_conversations import parts
from tests.desk.front_desk import NOW
from tests.pipeline.conftest import BUSINESS, PATHS
from tests.pipeline.planted import done

__all__ = ["office"]
FACTS = CONTEXTS[Channel.PORTAL](business_id=BUSINESS, session_id="s1", turn=0)
HAND_ON = ("hand_on", {"what": "the keys"})


released: list[asyncio.Event] = []
"""What the dead wait for, until the test is over."""


class Doomed:
    """A process that dies with the answer to its next call, and whose store does not hear of it any more.

    One that does not settle has done what was asked by then, and not written it down.
    """

    def __init__(self, office: Office, *answers: Any, settles: bool = True) -> None:
        self.office, self.is_dead, self.released = office, asyncio.Event(), asyncio.Event()
        released.append(self.released)
        known = parts(office, *answers)
        self._execute = known.execute
        self.conversations = Conversations(replace(known, execute=self._dying), office.interactions)
        if not settles:
            office.instance.dispatcher.ledger.settle = self._unsettled  # type: ignore[method-assign]

    async def die(self, text: str = "Hello") -> None:
        """Answer a turn up to the call with which it dies."""
        conversation = await self.conversations.open(FACTS)
        turn = asyncio.create_task(answer(conversation, text))
        await asyncio.wait_for(self.is_dead.wait(), 5)
        # Nothing of what it would still write down gets through.
        self.office.store.fail("commit", "get", "get_many", "query")
        turn.cancel()
        await asyncio.wait({turn})

    async def _dying(self, call: ToolCall, facts: Context) -> ToolResponse:
        response = await self._execute(call, facts)
        await self._end()
        return response

    async def _unsettled(self, *_: Any) -> None:
        await self._end()

    async def _end(self) -> None:
        self.is_dead.set()
        await self.released.wait()


class Next:
    """The process that takes over, over the same store."""

    def __init__(self, before: Office, *answers: Any) -> None:
        self.office = Office(before.store.inner)
        self.office.clock.wait(10)
        self.parts = parts(self.office, *answers)
        self.conversations = Conversations(self.parts, self.office.interactions)

    async def turn(self, text: str = "Hello") -> list[Event]:
        return await answer(await self.conversations.open(FACTS), text)

    async def receipts(self) -> list[tuple[str, Any]]:
        record = await self.office.record()
        return [(row["tool"], row.get("what")) for row in record.get("receipts", [])]

    def notes(self, prompt: int = -1) -> list[str]:
        messages = self.parts.model.prompts[prompt].messages  # type: ignore[attr-defined]
        return [m.text for m in messages if isinstance(m, Noted) and "got no answer" in m.text]


@pytest.fixture(autouse=True)
async def nobody_waits() -> AsyncIterator[None]:
    """Let the dead go once the test is over."""
    yield
    for event in released:
        event.set()
    released.clear()
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.mark.requirement("004-670")
async def test_the_next_process_is_told_what_the_dead_one_did_and_the_record_holds_it(office: Office) -> None:
    """The model, before it answers; and whoever reads the record, in which the dead one could not write it."""
    await Doomed(office, calls(HAND_ON)).die()
    after = Next(office, says("I have handed it on."))
    await after.turn()
    (note,) = after.notes()
    assert note.startswith("hand_on was called") and "has been carried out" in note and "the keys" in note
    assert await after.receipts() == [("hand_on", "the keys")]
    assert [(t["name"], t["ok"]) for t in (await after.office.record())["tools"]] == [("hand_on", True)]


@pytest.mark.requirement("004-670")
async def test_it_is_told_once_whoever_holds_the_turn_after_it(office: Office) -> None:
    """As every result is; from then on the record tells what was done."""
    await Doomed(office, calls(HAND_ON)).die()
    after = Next(office, says("Handed on."), says("Bye."))
    await after.turn()
    await after.turn()
    assert len(after.notes()) == 1
    third = Next(office, says("Good night."))
    await third.turn()
    assert third.notes() == []
    assert await third.receipts() == [("hand_on", "the keys")]


@pytest.mark.requirement("004-670")
async def test_whoever_says_the_same_again_without_having_been_answered_gets_it_once(office: Office) -> None:
    """The model may call again all the same; the turn that had no answer goes on for it."""
    await Doomed(office, calls(HAND_ON)).die()
    after = Next(office, calls(HAND_ON), says("Handed on."), calls(HAND_ON), says("Once more."))
    await after.turn()
    assert done == ["the keys"]
    # What is asked for after an answer is another wish.
    await after.turn("Once more, please.")
    assert done == ["the keys", "the keys"]


async def test_another_process_that_dies_as_well_takes_nothing_with_it(office: Office) -> None:
    """Both of their turns have had no answer, and the third tells what was done in the first."""
    await Doomed(office, calls(HAND_ON)).die()
    second = Office(office.store.inner)
    await Doomed(second, calls(HAND_ON)).die()
    after = Next(office, calls(HAND_ON), says("Handed on."))
    await after.turn()
    assert done == ["the keys"]
    assert len(after.notes(0)) == 1


@pytest.mark.requirement("004-670")
async def test_what_is_still_under_way_is_not_told_as_done_and_its_end_is_told_later(office: Office) -> None:
    """Nobody knows yet what came of it; whoever brings it to its end lets the conversation know."""
    await Doomed(office, calls(("act_again", {"what": "tea"})), settles=False).die()
    after = Next(office, says("It is being worked on."), says("Tea it is."))
    await after.turn()
    (note,) = after.notes()
    assert "act_again was called" in note and "has not come to its end" in note
    assert await after.receipts() == []
    after.office.clock.wait(CALL_LEASE_S + 1)
    after.office.instance.dispatcher.arrivals[:] = [after.conversations.arrived]
    assert await after.office.instance.dispatcher.recover() == 1
    await after.turn()
    told = [m.text for m in after.parts.model.prompts[-1].messages if isinstance(m, Noted)]  # type: ignore[attr-defined]
    now_known = "act_again, which was called before and broken off without an answer, has been carried out"
    assert any(text.startswith(now_known) for text in told)
    assert await after.receipts() == [("act_again", "tea")]
    # The effect key tells that it is one and the same.
    assert len(set(done)) == 1


async def test_what_somebody_has_brought_to_its_end_before_the_next_turn_is_told_once(office: Office) -> None:
    """It waits in the session's document then, and stands in the ledger too."""
    await Doomed(office, calls(("act_again", {"what": "tea"})), settles=False).die()
    after = Next(office, says("Tea it is."))
    after.office.clock.wait(CALL_LEASE_S + 1)
    assert await after.office.instance.dispatcher.recover() == 1
    await after.turn()
    told = [m.text for m in after.parts.model.prompts[-1].messages if isinstance(m, Noted)]  # type: ignore[attr-defined]
    assert len(told) == 1 and "has been carried out" in told[0]


@pytest.mark.requirement("004-670")
async def test_an_end_that_nobody_knows_is_told_as_that(office: Office) -> None:
    """It is neither claimed nor tried again."""
    await Doomed(office, calls(HAND_ON), settles=False).die()
    after = Next(office, calls(HAND_ON), says("I cannot tell."))
    after.office.clock.wait(CALL_LEASE_S + 1)
    assert await after.office.instance.dispatcher.recover() == 1
    await after.turn()
    (note,) = after.notes()
    assert "It is not known whether hand_on was carried out" in note
    assert done == ["the keys"]
    assert await after.receipts() == []


BOOK = ("book", {"what": "lunch"})
QUESTIONED = (
    "stands no longer",
    "is not open any more",
    "has been carried out",
    "not known whether",
    "come to its end",
)


def fates(after: Next) -> list[str]:
    """Return which of what can have become of a question the model was told before it answered."""
    messages = after.parts.model.prompts[-1].messages  # type: ignore[attr-defined]
    notes = [message.text for message in messages if isinstance(message, Noted)]
    return [word for word in QUESTIONED for note in notes if word in note]


async def asked(before: Office) -> Office:
    """Return the house in which the caller was asked whether to book, and has not answered yet."""
    await Next(before, calls(BOOK)).turn("Lunch")
    return Office(before.store.inner)


@pytest.mark.requirement("004-2102")
@pytest.mark.parametrize(
    ("settles", "waits", "fate"),
    [(True, 0, "has been carried out"), (False, 0, "come to its end"), (False, CALL_LEASE_S + 1, "not known whether")],
)
async def test_what_was_done_after_a_yes_is_all_that_is_told_of_its_question(
    office: Office, settles: bool, waits: float, fate: str
) -> None:
    """Its process died before it could answer: a model that also read that nothing was done would not know."""
    await Doomed(await asked(office), calls(BOOK), settles=settles).die("Yes.")
    after = Next(office, says("Well."))
    after.office.clock.wait(waits)
    if waits:
        assert await after.office.instance.dispatcher.recover() == 1
    await after.turn("Is it booked now?")
    assert fates(after) == [fate]
    assert done == ["lunch"]


@pytest.mark.requirement("004-2102")
async def test_a_yes_whose_process_died_before_the_call_is_told_as_that(office: Office) -> None:
    """It was no unclear answer; and it was not carried out."""
    conversation = await Next(office, calls(BOOK)).conversations.open(FACTS)
    await answer(conversation, "Lunch")
    dying = await Next(office).conversations.open(FACTS)
    await dying.begin(Utterance("Yes."))
    after = Next(office, says("Shall I?"), calls(BOOK))
    await after.turn("Is it booked now?")
    assert fates(after) == ["is not open any more"]
    assert done == []
    await after.turn("Please do.")
    assert done == []


@pytest.mark.requirement("004-2102")
async def test_nothing_is_said_of_a_question_whose_call_nobody_can_read(office: Office) -> None:
    """That it is not known what was done is told already."""
    await Doomed(await asked(office), calls(BOOK)).die("Yes.")
    after = Next(office, says("I do not know."))
    after.office.store.fail("query")
    await after.turn("Is it booked now?")
    assert fates(after) == []


async def test_nobody_was_put_through_by_a_process_that_died_before_it_could(office: Office) -> None:
    """What the conversation itself was to do was not done, and is not claimed: the caller asks again."""
    await Doomed(office, calls(("put_through", {}))).die()
    after = Next(office, says("How can I help?"))
    events = await after.turn()
    assert after.notes() == []
    assert not [event for event in events if isinstance(event, Effect)]


async def test_a_ledger_that_cannot_be_asked_lets_nothing_be_claimed(office: Office) -> None:
    """The turn goes on, and its model knows that it does not know."""
    await Doomed(office, calls(HAND_ON)).die()
    after = Next(office, says("I do not know."))
    after.office.store.fail("query")
    await after.turn()
    notes = [m.text for m in after.parts.model.prompts[-1].messages if isinstance(m, Noted)]  # type: ignore[attr-defined]
    assert any("it is not known what was done" in note for note in notes)


async def test_a_conversation_that_was_answered_is_taken_up_without_a_look_at_the_ledger(office: Office) -> None:
    """Nothing more is read than before, also where calls were made."""
    first = Conversations(parts(office, calls(HAND_ON), says("Handed on.")), office.interactions)
    await answer(await first.open(FACTS))
    after = Next(office, says("Bye."))
    await after.conversations.open(FACTS)
    assert dict(after.office.store.asked) == {"get_many": 1}


async def test_an_unanswered_turn_without_a_call_is_not_looked_into(office: Office) -> None:
    """The session's document, which is read anyway, counts the calls of a turn."""
    conversation = await Conversations(parts(office), office.interactions).open(FACTS)
    await conversation.begin(Utterance("Hello"))
    after = Next(office)
    opened = await after.conversations.open(FACTS)
    assert opened.session.unanswered == (1,)
    assert dict(after.office.store.asked) == {"get_many": 1}


async def test_what_is_damaged_in_the_ledger_is_told_as_not_known(office: Office) -> None:
    """It may have been done; and it keeps nobody from being answered."""
    await Doomed(office, calls(HAND_ON)).die()
    after = Next(office, says("Yes?"))
    rows = await after.office.store.inner.query(Query(PATHS.within(BUSINESS).calls("s1")))
    await after.office.store.inner.commit([Update(rows[0].path, {"response": "{"})])
    await after.turn()
    (note,) = after.notes()
    assert "cannot be read any more. Something may have been done" in note


def row(role: str, turn: int, channel: str = "portal") -> dict[str, Any]:
    return {"role": role, "turn": turn, "channel": channel, "text": "x"}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"transcript": [row("caller", 1), row("agent", 1)], "turns": 1}, ()),
        ({"transcript": [row("caller", 1), row("agent", 1), row("caller", 2)], "turns": 2}, (2,)),
        ({"transcript": [row("caller", 1), row("caller", 2)], "turns": 2}, (1, 2)),
        # Broken off before its first word, and written down.
        ({"transcript": [row("caller", 1)], "tools": [{"turn": 1}], "turns": 1}, ()),
        # Brought to its end by somebody else.
        ({"transcript": [row("caller", 1)], "tools": [{"turn": 1, "late": True}], "turns": 1}, (1,)),
        # Counted, and what was said would have been told later.
        ({"transcript": [row("caller", 1), row("agent", 1)], "turns": 2}, (2,)),
        # A phone call goes on beside its portal.
        ({"transcript": [row("caller", 1), row("agent", 1), row("caller", 2, "phone")], "turns": 2}, ()),
        ({"transcript": [row("caller", n) for n in range(1, 9)], "turns": 8}, (4, 5, 6, 7, 8)),
        ({"transcript": "damaged", "tools": 3, "turns": "x"}, ()),
        ({}, ()),
    ],
)
def test_the_turns_without_an_answer_are_read_from_the_record(
    fields: dict[str, Any], expected: tuple[int, ...]
) -> None:
    """What was heard ends no turn; words and calls do, which are written down at its end."""
    assert unanswered_in(Document(PATH, fields, NOW, NOW), Channel.PORTAL) == expected
