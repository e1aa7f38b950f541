"""The record of a long conversation goes on in parts: nothing of it is lost, and whoever reads it reads it whole."""

import pytest

from switchboard.admin.api.paging import Page
from switchboard.admin.conversations.records import InteractionFilter, InteractionRecords, whole
from switchboard.channels.portal.events import transcript_of
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS
from switchboard.contract.record_parts import MOST_BYTES, record_bytes
from switchboard.contract.store import Set
from switchboard.conversation.session import CallSession
from tests.conversation.conftest import answer
from tests.conversation.record.test_interactions import PATH, Office
from tests.conversation.scripted import says
from tests.desk.front_desk import NOW
from tests.pipeline.conftest import BUSINESS, PATHS

LONG = "word " * 780
FACTS = CONTEXTS[Channel.PORTAL](business_id=BUSINESS, session_id="s1")


@pytest.fixture
async def office() -> Office:
    found = Office()
    await found.store.commit([Set(PATHS.within(BUSINESS).business, {"name": "Salon"})])
    return found


async def chat(office: Office, turns: int) -> None:
    """Hold a chat of so many turns, each with long words on both sides."""
    conversation = await office.talk(*(says(f"Answer {n}. {LONG}") for n in range(turns)), channel=Channel.PORTAL)
    for n in range(turns):
        await answer(conversation, f"Question {n}. {LONG}")


@pytest.mark.requirement("000-461")
async def test_a_chat_of_any_length_is_recorded_whole(office):
    """Two hundred turns, of what would be more than a document holds."""
    await chat(office, 200)
    found = whole(await InteractionRecords(office.store, PATHS).read(BUSINESS, "s1"))
    starts = [row["text"].partition(".")[0] for row in found["transcript"]]
    assert starts == [f"{who} {n}" for n in range(200) for who in ("Question", "Answer")]
    assert found["turns"] == 200
    assert record_bytes(await office.record()) <= MOST_BYTES


@pytest.mark.requirement("000-461")
async def test_it_goes_on_where_it_was_with_its_latest_turns(office):
    """On another instance, which reads the record alone."""
    await chat(office, 60)
    session: CallSession = await office.interactions.resume(FACTS)
    assert session.facts.turn == 60
    assert "Question 59." in str(session.history.messages)
    again = await office.talk(says("Hello again."), channel=Channel.PORTAL)
    await answer(again, "Me again.")
    assert (await office.record())["turns"] == 61


@pytest.mark.requirement("000-461")
async def test_what_was_said_long_ago_is_found_and_shown(office):
    """By an owner's search, and in the page that a browser shows again."""
    await chat(office, 120)
    (page,) = [
        (
            await InteractionRecords(office.store, PATHS).listed(
                BUSINESS, InteractionFilter(text="Question 0."), Page(5)
            )
        ).page
    ]
    assert [line["id"] for line in page.items] == ["s1"]
    shown = await transcript_of(office.store, PATHS, office.clock, FACTS)
    assert len(shown["transcript"]) > len((await office.record())["transcript"])


@pytest.mark.requirement("000-461")
async def test_a_record_that_is_full_already_is_divided_and_written_to(office):
    """As an earlier version has left it."""
    rows = [{"role": "caller", "text": f"{n} {LONG}", "turn": n, "at": NOW, "channel": "portal"} for n in range(1, 262)]
    await office.store.commit([Set(PATH, {"transcript": rows, "turns": 261, "startedAt": NOW, "channel": "portal"})])
    again = await office.talk(says(LONG), channel=Channel.PORTAL)
    await answer(again, LONG)
    found = whole(await InteractionRecords(office.store, PATHS).read(BUSINESS, "s1"))
    assert len(found["transcript"]) == 263


@pytest.mark.requirement("000-461")
async def test_receipts_and_calls_of_long_ago_count_too(office):
    """They move on as well, when there are very many of them."""
    tools = [{"callId": f"c{n}", "name": "look", "at": NOW, "ok": True, "padding": "x" * 100} for n in range(3_000)]
    done = [{"tool": "act", "what": f"w{n}", "at": NOW, "padding": "x" * 100} for n in range(1_000)]
    await office.store.commit([Set(PATH, {"tools": tools, "receipts": done, "turns": 1, "startedAt": NOW})])
    again = await office.talk(says("Hello."), channel=Channel.PORTAL)
    await answer(again, "Hello?")
    record = await office.record()
    assert record_bytes(record) < MOST_BYTES and record["receipts"][-1]["what"] == "w999"
    (line,) = (await InteractionRecords(office.store, PATHS).listed(BUSINESS, InteractionFilter(), Page(5))).page.items
    assert (len(line["tools"]), line["receipts"]) == (3_000, 1_000)
