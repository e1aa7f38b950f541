"""Every conversation ends: by a goodbye, by hanging up, by silence; its record says when, and what came of it."""

import asyncio
import logging
from datetime import timedelta
from typing import Any

import pytest

from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS
from switchboard.contract.model import TextPiece
from switchboard.contract.store import DELETE_FIELD, Set, Update
from switchboard.conversation.record.endings import SILENT_AFTER, SilentConversations
from switchboard.conversation.record.record import marked
from switchboard.conversation.session import Receipt
from switchboard.conversation.speech.utterance import Utterance
from tests.conversation.conftest import answer
from tests.conversation.record.test_interactions import PATH, Office, office
from tests.conversation.scripted import calls, says
from tests.conversation.test_interruption import until
from tests.each import each
from tests.pipeline.conftest import BUSINESS, PATHS

__all__ = ["office"]

MINUTE = timedelta(minutes=1)
TALKED = (Channel.PORTAL, Channel.BROWSER_VOICE)


async def end_silent(office: Office, business_id: str | None = None) -> int:
    return (await SilentConversations(office.store, office.clock).end(business_id))["ended"]


@pytest.mark.requirement("000-350")
@pytest.mark.parametrize("channel", list(Channel))
async def test_silence_ends_a_conversation_as_of_when_it_was_last_heard_of(office: Office, channel: Channel) -> None:
    """Whoever closes a page says no goodbye, and Twilio's word of a call's end can be lost."""
    await answer(await office.talk(says("At nine."), channel=channel), "When do you open?")
    last = office.clock.now()
    patience = SILENT_AFTER[channel.value]
    office.clock.wait((patience - MINUTE).total_seconds())
    assert await end_silent(office) == 0
    assert (await office.record())["endedAt"] is None
    office.clock.wait(MINUTE.total_seconds())
    assert await end_silent(office) == 1
    record = await office.record()
    assert (record["outcome"], record["endedAt"]) == ("answered", last)
    assert await end_silent(office) == 0


@pytest.mark.requirement("000-350")
@pytest.mark.parametrize("channel", TALKED)
async def test_who_comes_back_after_silence_goes_on_and_it_ends_anew(office: Office, channel: Channel) -> None:
    """Also on another instance, which knows the record alone."""
    await answer(await office.talk(says("At nine."), channel=channel), "When do you open?")
    office.clock.wait(3600)
    assert await end_silent(office) == 1
    again = await office.talk(says("At six."), channel=channel)
    said = await answer(again, "And when do you close?")
    assert any(getattr(event, "text", "") == "At six." for event in said)
    assert (await office.record())["endedAt"] is None
    office.clock.wait(3600)
    assert await end_silent(office) == 1
    assert (await office.record())["outcome"] == "answered"


@pytest.mark.requirement("000-350")
async def test_who_leaves_a_question_open_has_left(office: Office) -> None:
    """ "Book tea?", and nothing more."""
    await answer(await office.talk(calls(("book", {"what": "tea"})), channel=Channel.PORTAL), "Tea, please.")
    office.clock.wait(3600)
    await end_silent(office)
    assert (await office.record())["outcome"] == "left"


async def test_a_pass_of_one_business_ends_no_other_s(office: Office) -> None:
    """A service's key has the work of its own business done."""
    await answer(await office.talk(says("Hi."), channel=Channel.PORTAL))
    office.clock.wait(3600)
    assert await end_silent(office, "rival") == 0
    assert await end_silent(office, BUSINESS) == 1


async def test_many_calls_that_go_on_keep_no_chat_from_ending(office: Office) -> None:
    """The oldest are looked at first, and then the others."""
    now = office.clock.now()
    going_on = {"businessId": BUSINESS, "channel": "phone", "channels": ["phone"], "endedAt": None, "turns": 1}
    within = PATHS.within(BUSINESS)
    writes = [Set(within.document("interactions", f"c{n}"), going_on | {"updatedAt": now}) for n in range(230)]
    await office.store.commit([*writes])
    office.clock.wait(1)
    await answer(await office.talk(says("Hi."), channel=Channel.PORTAL))
    office.clock.wait(3600)
    assert await end_silent(office) == 1
    assert (await office.record())["endedAt"] is not None


async def test_a_record_of_an_earlier_version_ends_too(office: Office) -> None:
    """Chats of before never ended; one without its channels waits as long as a phone call."""
    now = office.clock.now()
    await office.store.commit(
        [Set(PATH, {"channel": "portal", "outcome": "answered", "turns": 2, "endedAt": None, "updatedAt": now})]
    )
    office.clock.wait(3600)
    assert await end_silent(office) == 0
    office.clock.wait(3 * 3600)
    assert await end_silent(office) == 1
    assert (await office.record())["outcome"] == "answered"


async def test_one_who_writes_at_that_moment_is_not_ended(office: Office) -> None:
    """What was read a moment ago is out of date."""
    await answer(await office.talk(says("Hi."), channel=Channel.PORTAL))
    office.clock.wait(3600)
    found = SilentConversations(office.store, office.clock)
    query = office.store.query

    async def read_late(wanted: Any) -> Any:
        documents = await query(wanted)
        await office.store.commit([Update(PATH, {"updatedAt": office.clock.now()})])
        return documents

    office.store.query = read_late  # type: ignore[method-assign]
    assert (await found.end())["ended"] == 0
    assert (await office.record())["endedAt"] is None


@pytest.mark.requirement("000-350")
@each(
    ("channel", "said", "expected"),
    [
        (Channel.PHONE, ["Hi"], "answered"),
        (Channel.PORTAL, ["Hi"], "answered"),
        (Channel.BROWSER_VOICE, ["Hi"], "answered"),
        (Channel.PHONE, [], "left"),
        (Channel.BROWSER_VOICE, [], "left"),
    ],
)
async def test_hanging_up_says_what_came_of_it_also_on_another_instance(channel, said, expected) -> None:
    """The instance that hears of the end may never have heard a word."""
    office = Office()
    await office.store.inner.commit([Set(PATHS.within(BUSINESS).business, {"name": "Salon"})])
    here = await office.talk(says("Hello."), channel=channel)
    for text in said:
        await answer(here, text)
    await (await office.talk(channel=channel)).close()
    record = await office.record()
    assert (record["outcome"], record["endedAt"]) == (expected, office.clock.now())


@pytest.mark.requirement("000-350")
async def test_the_log_has_one_line_of_each_conversation_that_is_over(office: Office, caplog: Any) -> None:
    """Whose, where, how long, what came of it; and nobody's words or number."""
    with caplog.at_level(logging.INFO, "switchboard.conversation"):
        talk = await office.talk(says("We open at nine."), caller_phone="+15185550177")
        await answer(talk, "When do you open, dear Sir?")
        office.clock.wait(30)
        await talk.close()
    (line,) = [record for record in caplog.records if record.message == "conversation ended"]
    told = (line.business, line.session, line.channel, line.turns, line.seconds, line.outcome, line.endedBy)
    assert told == (BUSINESS, "s1", "phone", 1, 30, "answered", "goodbye")
    assert not any(word in str(vars(line)) for word in ("5185550177", "nine", "Sir"))


@pytest.mark.requirement("000-351")
async def test_what_was_said_after_an_interruption_is_marked_as_not_heard_in_the_stored_transcript(
    office: Office,
) -> None:
    """Speech is made faster than it is spoken: the turn is written down before the caller has heard its first word."""
    talk = await office.talk(calls(("look", {}), text="Let me see. "), says("We open at nine. We close at six."))
    await answer(talk, "When do you open?")
    await talk.interrupt("Let me see. We open at nine.")
    rows = (await office.record())["transcript"]
    assert [(row["text"].strip(), row.get("heard"), row.get("interrupted")) for row in rows[1:]] == [
        ("Let me see.", None, None),
        ("We open at nine. We close at six.", "We open at nine.", True),
    ]
    again = await office.interactions.resume(CONTEXTS[Channel.PHONE](business_id=BUSINESS, session_id="s1"))
    assert "six" not in repr(again.history.messages)


@pytest.mark.requirement("000-351")
async def test_nothing_that_comes_behind_the_interruption_was_heard(office: Office) -> None:
    """Words before a tool were heard, those after it were not at all."""
    talk = await office.talk(calls(("look", {}), text="Let me see. "), says("We open at nine."))
    await answer(talk, "When do you open?")
    await talk.interrupt("Let me")
    rows = (await office.record())["transcript"]
    assert [row.get("heard") for row in rows[1:]] == ["Let me", ""]


@pytest.mark.requirement("000-351")
async def test_a_correction_that_could_not_be_stored_comes_with_the_next_turn(office: Office) -> None:
    """And of the turn it belongs to, not of the one that is written with it."""
    talk = await office.talk(says("We open at nine. We close at six."), says("Yes."))
    await answer(talk, "When do you open?")
    office.store.fail("get")
    await talk.interrupt("We open at nine.")
    office.store.recover()
    await answer(talk, "So nine?")
    rows = (await office.record())["transcript"]
    assert [(row["text"], row.get("heard")) for row in rows if row["role"] == "agent"] == [
        ("We open at nine. We close at six.", "We open at nine."),
        ("Yes.", None),
    ]


@pytest.mark.requirement("000-351")
async def test_what_somebody_else_writes_meanwhile_stays(office: Office) -> None:
    """A portal chat may go on beside the call, in the same record."""
    talk = await office.talk(says("We open at nine. We close at six."))
    await answer(talk, "When do you open?")
    get, waiting = office.store.get, [{"role": "caller", "text": "Hello?", "turn": 1, "channel": "portal"}]

    async def slow(path: str) -> Any:
        document = await get(path)
        if path == PATH and waiting:
            rows = [*(await get(path)).data["transcript"], waiting.pop()]  # type: ignore[union-attr]
            await office.store.commit([Update(PATH, {"transcript": rows})])
        return document

    office.store.get = slow  # type: ignore[method-assign]
    await talk.interrupt("We open at nine.")
    rows = (await office.record())["transcript"]
    assert rows[-1]["text"] == "Hello?"
    assert rows[1]["heard"] == "We open at nine."


@pytest.mark.requirement("004-892")
async def test_the_mark_of_what_was_broken_off_stands_at_the_answer_and_not_at_what_bridged_a_wait() -> None:
    """Pages show no fillers, and would show an answer that was broken off as a whole one."""
    said: list[dict[str, Any]] = [
        {"role": "agent", "text": "Let me see."},
        {"role": "agent", "text": "Hm.", "filler": True},
    ]
    assert [entry.get("interrupted", False) for entry in marked(said, None)] == [True, False]
    assert [entry.get("interrupted", False) for entry in marked(said[1:], None)] == [True]


async def test_an_interrupted_stream_marks_every_part_of_its_turn(office: Office) -> None:
    """In the turn that is still being said, too."""
    talk = await office.talk(calls(("look", {}), text="Let me see. "), [TextPiece("We open at nine."), asyncio.Event()])
    _, events = await until(talk, lambda e: getattr(e, "text", "").startswith("We open"))
    await talk.interrupt("Let me see. We")
    _ = [event async for event in events]
    rows = (await office.record())["transcript"]
    assert [row.get("heard") for row in rows if row["role"] == "agent"] == [None, "We"]


@pytest.mark.requirement("000-351")
async def test_an_interruption_while_a_turn_is_written_down_loses_nothing_of_it(office: Office) -> None:
    """The last word was said; what is left is the store's."""
    talk = await office.talk(says("We open at nine. We close at six."))
    commit, is_writing, gate = office.store.commit, asyncio.Event(), asyncio.Event()

    async def slow(writes: Any) -> Any:
        if any(write.path == PATH and "We open" in str(write.data) for write in writes):
            is_writing.set()
            await gate.wait()
        return await commit(writes)

    office.store.commit = slow  # type: ignore[method-assign]
    turn = asyncio.create_task(answer(talk, "When do you open?"))
    await is_writing.wait()
    breaking = asyncio.create_task(talk.interrupt("We open at nine."))
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(turn, breaking)
    rows = (await office.record())["transcript"]
    assert [(row["text"], row.get("heard")) for row in rows] == [
        ("When do you open?", None),
        ("We open at nine. We close at six.", "We open at nine."),
    ]


@pytest.mark.requirement("000-352")
async def test_how_sure_the_recogniser_was_stands_with_the_words_and_for_the_whole(office: Office) -> None:
    """Also when another instance goes on with the call; keys and texts have none."""
    await answer(await office.talk(says("Yes?")), "Helo", confidence=0.6)
    talk = await office.talk(says("Sure."), says("Bye."))
    await answer(talk, "When do you open?", confidence=0.9)
    async for _ in talk.reply(Utterance(digits="1")):
        pass
    record = await office.record()
    assert [row.get("confidence") for row in record["transcript"] if row["role"] == "caller"] == [0.6, 0.9, None]
    assert record["confidenceScore"] == 0.75


@pytest.mark.requirement("000-352")
async def test_who_was_verified_on_the_line_stands_in_the_record(office: Office) -> None:
    """The channel knows a number; whose record it is comes out in the call."""
    talk = await office.talk(says("Hello, Ada."), says("Yes."))
    await answer(talk)
    assert (await office.record())["callerId"] is None
    talk.session.receipts.append(Receipt("verify_caller", {}, {"what": "verification", "effectIds": ["ada"]}))
    await answer(talk)
    assert (await office.record())["callerId"] == "ada"


async def test_a_chat_has_no_field_of_a_phone_call(office: Office) -> None:
    """What can never be filled is not there."""
    await answer(await office.talk(says("Hi."), channel=Channel.PORTAL))
    assert "callSid" not in await office.record()


async def test_a_record_of_a_version_that_knew_no_shards_is_ended_too(office: Office) -> None:
    await answer(await office.talk(says("At nine."), channel=Channel.PORTAL), "When do you open?")
    last = office.clock.now()
    earlier = {"heardAt": DELETE_FIELD, "shard": DELETE_FIELD, "updatedAt": last}
    await office.store.commit([Update(PATH, earlier)])
    office.clock.wait(SILENT_AFTER["portal"].total_seconds() + 1)
    assert await end_silent(office) == 1
    assert (await office.record())["endedAt"] == last


async def test_a_conversation_that_goes_on_under_this_version_is_not_ended_by_what_an_earlier_one_wrote(
    office: Office,
) -> None:
    talk = await office.talk(says("At nine."), says("At six."), channel=Channel.PORTAL)
    await answer(talk, "When do you open?")
    await office.store.commit([Update(PATH, {"updatedAt": office.clock.now()})])
    office.clock.wait(SILENT_AFTER["portal"].total_seconds() - 60)
    await answer(talk, "And when do you close?")
    office.clock.wait(120)
    assert await end_silent(office) == 0
