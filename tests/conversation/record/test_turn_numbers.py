"""The turns of one conversation, held in several places at once: each has a number of its own, and nothing is lost."""

import asyncio
from typing import Any

import pytest

from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS
from switchboard.contract.store import Invalid
from switchboard.conversation.held_conversations import Conversations
from switchboard.conversation.speech.utterance import Utterance
from tests.conversation.conftest import answer
from tests.conversation.record.test_interactions import Office, office
from tests.conversation.scripted import calls, says
from tests.conversation.test_conversations import FACTS, parts
from tests.pipeline.conftest import BUSINESS
from tests.pipeline.planted import done

__all__ = ["office"]
ON_THE_PHONE = CONTEXTS[Channel.PHONE](business_id=BUSINESS, session_id="s1", turn=0, call_sid="CA1")
WISH = calls(("book", {"what": "cake"}))


def told(office: Office, model: Any) -> str:
    """What the model was told last."""
    return str(model.prompts[-1].messages)


async def turns_of(office: Office) -> list[tuple[str, int]]:
    rows = (await office.record())["transcript"]
    return [(row["text"], row["turn"]) for row in rows if row["role"] == "caller"]


@pytest.mark.requirement("000-462")
async def test_phone_and_portal_of_one_conversation_count_together(office: Office) -> None:
    """Whoever goes on has the next number, and the record never counts back."""
    held = Conversations(parts(office, *(says(f"{n}.") for n in range(9))), office.interactions)
    phone = await held.open(ON_THE_PHONE)
    for n in range(4):
        await answer(phone, f"phone {n}")
    chat = await held.open(FACTS)
    await answer(phone, "phone 4")
    await answer(chat, "chat 0")
    await answer(phone, "phone 5")
    await answer(chat, "chat 1")
    assert [number for _, number in await turns_of(office)] == list(range(1, 9))
    assert (await office.record())["turns"] == 8


@pytest.mark.requirement("000-462")
async def test_a_yes_on_the_phone_counts_whatever_is_written_in_the_portal_meanwhile(office: Office) -> None:
    """The question was the last thing that was said on the line."""
    answers = (WISH, says("In the chat."), says("Still there."), WISH, says("Done."))
    held = Conversations(parts(office, *answers), office.interactions)
    phone = await held.open(ON_THE_PHONE)
    await answer(phone, "A cake please.")
    question = phone.session.question
    assert question is not None and done == []
    chat = await held.open(FACTS)
    for words in ("Hello?", "And?"):
        await answer(chat, words)
    await answer(phone, "Yes.")
    assert done == ["cake"]


@pytest.mark.requirement("000-462")
async def test_the_phone_keeps_what_its_tools_answered_while_somebody_writes_in_the_portal(office: Office) -> None:
    """What is written there is not for the line, so that nothing there is news."""
    answers = (calls(("look", {})), says("Found."), says("In the chat."), says("Again."))
    held = Conversations(parts(office, *answers), office.interactions)
    phone = await held.open(ON_THE_PHONE)
    await answer(phone, "Look.")
    await answer(await held.open(FACTS), "Hello?")
    await answer(phone, "And now?")
    assert (await held.open(ON_THE_PHONE)) is phone
    assert phone.session.tool_context and "ToolMessage" in str(phone.session.history.messages)


@pytest.mark.requirement("000-463")
async def test_two_messages_at_once_on_two_instances_are_two_turns(office: Office) -> None:
    """Both are recorded, and whoever answers next knows both."""
    gate = asyncio.Event()
    one, two = parts(office, says("One."), [gate, *says("A.")], says("End.")), parts(office, [gate, *says("B.")])
    here, there = Conversations(one, office.interactions), Conversations(two, office.interactions)
    await answer(await here.open(FACTS), "before")
    first, second = await here.open(FACTS), await there.open(FACTS)

    async def reply(conversation: Any, words: str) -> list[Any]:
        return [event async for event in conversation.reply(Utterance(words))]

    both = [asyncio.create_task(reply(first, "first")), asyncio.create_task(reply(second, "second"))]
    while len(one.model.prompts) < 2 or not two.model.prompts:
        await asyncio.sleep(0)
    numbers = {first.session.facts.turn, second.session.facts.turn}
    gate.set()
    await asyncio.gather(*both)
    assert numbers == {2, 3}
    assert sorted(number for _, number in await turns_of(office)) == [1, 2, 3]
    # Of two that begin at the same moment the later one sees the other at once.
    later = two if second.session.facts.turn == 3 else one
    assert all(word in told(office, later.model) for word in ("before", "first", "second"))
    await answer(await here.open(FACTS), "after")
    assert all(word in told(office, one.model) for word in ("first", "second", "A.", "B."))
    assert (await office.record())["turns"] == 4


@pytest.mark.requirement("000-463")
async def test_an_answer_that_comes_later_elsewhere_is_known_to_the_next_turn(office: Office) -> None:
    """Its question was known already."""
    gate = asyncio.Event()
    one, two = parts(office, [gate, *says("Slow answer.")]), parts(office, says("B."), says("C."))
    here, there = Conversations(one, office.interactions), Conversations(two, office.interactions)
    first = await here.open(FACTS)
    slow = asyncio.create_task(answer(first, "slow question"))
    while not one.model.prompts:
        await asyncio.sleep(0)
    await answer(await there.open(FACTS), "quick")
    assert "slow question" in told(office, two.model)
    gate.set()
    await slow
    await answer(await there.open(FACTS), "last")
    assert "Slow answer." in told(office, two.model)


@pytest.mark.requirement("000-463")
async def test_what_was_said_is_written_down_before_it_is_answered(office: Office) -> None:
    """An instance that dies while the model is thinking has lost none of the caller's words."""
    held = Conversations(parts(office, [asyncio.Event()]), office.interactions)
    task = asyncio.create_task(answer(await held.open(FACTS), "Are you there?"))
    while not held._parts.model.prompts:  # type: ignore[attr-defined]
        await asyncio.sleep(0)
    record = await office.record()
    assert (record["turns"], record["transcript"][0]["text"]) == (1, "Are you there?")
    assert record["startedAt"] and record["endedAt"] is None
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.mark.requirement("000-462")
async def test_without_the_store_turns_are_answered_and_counted_when_it_is_back(office: Office) -> None:
    """A caller waits for no number."""
    held = Conversations(parts(office, *(says(f"{n}.") for n in range(4))), office.interactions)
    conversation = await held.open(FACTS)
    await answer(conversation, "one")
    office.store.fail("commit")
    await answer(conversation, "two")
    await answer(conversation, "three")
    office.store.recover()
    await answer(conversation, "four")
    assert (await office.record())["turns"] == 4
    assert await turns_of(office) == [("one", 1), ("two", 2), ("three", 3), ("four", 4)]


@pytest.mark.requirement("000-462")
@pytest.mark.parametrize("is_slow", [False, True])
async def test_a_turn_whose_number_was_taken_without_an_answer_counts_once(
    office: Office, monkeypatch, is_slow
) -> None:
    """Nobody waits for the store longer than a moment; what it did all the same is seen before it is done again."""
    session = await office.interactions.resume(FACTS)
    recorder, commit = office.interactions.recorder(session), office.store.commit

    async def slowly(writes: Any) -> Any:
        found = await commit(writes)
        await asyncio.sleep(60)
        return found

    if is_slow:
        monkeypatch.setattr(office.store, "commit", slowly)
    else:
        office.store.fail("commit", after=True)
    await recorder.begin(session, Utterance("one"))
    monkeypatch.setattr(office.store, "commit", commit)
    office.store.recover()
    await recorder.save(session)
    assert (await office.record())["turns"] == 1
    await recorder.begin(session, Utterance("two"))
    assert await turns_of(office) == [("one", 1), ("two", 2)]
    assert (await office.record())["turns"] == 2


@pytest.mark.requirement("000-462")
async def test_turns_that_a_save_has_counted_without_an_answer_are_not_counted_again(office: Office) -> None:
    session = await office.interactions.resume(FACTS)
    recorder = office.interactions.recorder(session)
    office.store.fail("commit")
    await recorder.begin(session, Utterance("one"))
    office.store.recover()
    office.store.fail("commit", after=True)
    await recorder.save(session)
    office.store.recover()
    await recorder.save(session)
    assert (await office.record())["turns"] == 1


@pytest.mark.requirement("000-462")
async def test_what_is_written_to_the_session_alone_counts_no_turn_and_begins_no_record(office: Office) -> None:
    """The record is still to be begun: by whatever is said next."""
    session = await office.interactions.resume(FACTS)
    recorder = office.interactions.recorder(session)
    office.store.fail_before["commit"] = Invalid("too much")
    await recorder.begin(session, None)
    office.store.recover()
    session.waiting.told.append("c1")
    await recorder.save(session)
    recorder.heard(session, Utterance("one"))
    await recorder.save(session)
    record = await office.record()
    assert (record["turns"], record["startedAt"], record["businessId"]) == (1, office.clock.now(), BUSINESS)
