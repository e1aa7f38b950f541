"""What businesses use is summed up by months: each thing once, in the month in which it began, the unknown as such."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from switchboard.admin.costs.counting import MonthCounting
from switchboard.contract.channel import Channel
from switchboard.contract.json import JsonObject
from switchboard.contract.model import Ended, Ending, TextPiece
from switchboard.contract.ports import Store
from switchboard.contract.shards import shard_of
from switchboard.contract.store import Delete, Query, Set, StoreError, Unavailable, Update, Write, WriteResult
from switchboard.state.firestore.store import FirestoreStore
from switchboard.state.memory.store import MemoryStore
from tests.conversation.conftest import answer
from tests.conversation.record.test_interactions import Office, office
from tests.desk.front_desk import StoppedClock
from tests.pipeline.conftest import BUSINESS, PATHS

__all__ = ["office"]

WITHIN = PATHS.within(BUSINESS)
NEW_YORK = ZoneInfo("America/New_York")
SETTLED_S, SENT_S = 700, 4_600


def moved_to(clock: StoppedClock, moment: datetime) -> None:
    """Let time pass until a moment."""
    clock.wait((moment - clock.now()).total_seconds())


def call_row(number: int, at: datetime, tool: str = "look", **fields: Any) -> Set:
    """Return a call of the ledger, as far as it is counted."""
    row = {"businessId": BUSINESS, "tool": tool, "kind": "retrieval", "state": "finished", "startedAt": at}
    row |= {"finishedAt": at, "shard": shard_of(BUSINESS, str(number))}
    return Set(WITHIN.call("s1", f"c{number}"), row | fields)


def record(id: str, at: datetime, heard: datetime | None = None, **fields: Any) -> Set:
    """Return a conversation's record, as far as it is counted."""
    own = {"businessId": BUSINESS, "channel": "phone", "startedAt": at, "endedAt": at, "turns": 1}
    return Set(
        WITHIN.document("interactions", id), own | {"heardAt": heard or at, "shard": shard_of(id)} | fields, merge=True
    )


async def month_of(store: Store, month: str) -> JsonObject:
    """Return a month's sums without what says whose they are."""
    document = await store.get(WITHIN.document("days", month))
    data = dict(document.data) if document is not None else {}
    return {name: value for name, value in data.items() if name not in ("month", "timezone")}


@pytest.fixture
def clock() -> StoppedClock:
    """A clock that moves only when told to."""
    return StoppedClock()


@pytest.fixture
async def begun(clock: StoppedClock) -> AsyncIterator[tuple[MemoryStore, MonthCounting]]:
    """A salon in New York at the end of October, at which counting has begun."""
    moved_to(clock, datetime(2027, 10, 31, 20, tzinfo=NEW_YORK))
    store = MemoryStore()
    await store.commit([Set(WITHIN.business, {"name": "Salon", "timezone": NEW_YORK.key, "integrations": {}})])
    counting = MonthCounting(store, PATHS, clock)
    await counting.count()
    yield store, counting


@pytest.mark.requirement("004-800")
async def test_a_redelivered_call_is_counted_once(office: Office) -> None:
    """The ledger has one row for it, whichever instance it is delivered to; a refused call and a trial are none."""
    counting = MonthCounting(office.store, PATHS, office.clock)
    await counting.count()
    office.clock.wait(60)
    for _ in range(3):
        await office.instance.call("look", {"word": "hi"}, call_id="c1")
    await office.instance.call("act", {"what": "tea"}, call_id="c2")
    await office.instance.call("no_such_tool", {}, call_id="c3")
    await office.instance.call("look", {"word": "ho"}, call_id="c4", session_id="s2", is_trial=True)
    office.clock.wait(SETTLED_S)
    await counting.count()
    await counting.count()
    sums = await month_of(office.store, "2027-03")
    assert sums["toolCalls"] == {"look": 1, "act": 1}
    assert sums["kinds"] == {"retrieval": 1, "action": 1}


@pytest.mark.requirement("004-800")
async def test_what_models_read_and_wrote_is_counted_by_model_also_when_a_conversation_goes_on(office: Office) -> None:
    """An answer of which no vendor has told the tokens is one of unknown ones."""
    known = [TextPiece("At nine."), Ended(Ending.STOPPED, input_tokens=1_200, output_tokens=15)]
    counting = MonthCounting(office.store, PATHS, office.clock)
    await counting.count()
    conversation = await office.talk(known, [TextPiece("Yes."), Ended(Ending.STOPPED)], channel=Channel.PORTAL)
    await answer(conversation, "When do you open?")
    await answer(conversation, "Sure?")
    for _ in range(2):
        office.clock.wait(SETTLED_S)
        await counting.count()
    sums = await month_of(office.store, "2027-03")
    assert sums["models"] == {"scripted": {"input": 1_200, "output": 15, "answers": 2, "unknown": 1}}
    assert sums["conversations"] == {"portal": {"count": 1, "turns": 2}}
    again = await office.talk(known, channel=Channel.PORTAL)
    await answer(again, "And tomorrow?")
    office.clock.wait(SETTLED_S)
    await counting.count()
    sums = await month_of(office.store, "2027-03")
    assert sums["models"]["scripted"] == {"input": 2_400, "output": 30, "answers": 3, "unknown": 1}
    assert sums["conversations"]["portal"] == {"count": 1, "turns": 3}


@pytest.mark.requirement("004-801")
async def test_a_month_begins_at_the_business_s_midnight_also_where_the_clocks_change(
    begun: tuple[MemoryStore, MonthCounting], clock: StoppedClock
) -> None:
    """November begins in summer time (04:00 UTC) and ends in winter time (05:00 UTC)."""
    store, counting = begun
    begins, ends = datetime(2027, 11, 1, tzinfo=NEW_YORK), datetime(2027, 12, 1, tzinfo=NEW_YORK)
    assert begins.utcoffset() != ends.utcoffset()
    second = timedelta(seconds=1)
    await store.commit([call_row(1, begins - second, "october"), call_row(2, begins, "november")])
    moved_to(clock, datetime(2027, 11, 2, tzinfo=NEW_YORK))
    await counting.count()
    await store.commit([call_row(3, ends - second, "november"), call_row(4, ends, "december")])
    moved_to(clock, datetime(2027, 12, 2, tzinfo=NEW_YORK))
    await counting.count()
    tools = [(await month_of(store, f"2027-{month}")).get("toolCalls") for month in (10, 11, 12)]
    assert tools == [{"october": 1}, {"november": 2}, {"december": 1}]


@pytest.mark.requirement("004-800")
async def test_minutes_are_begun_ones_and_a_call_of_unknown_length_is_told_as_such(
    begun: tuple[MemoryStore, MonthCounting], clock: StoppedClock
) -> None:
    """What the carrier says later takes the place of what was not known."""
    store, counting = begun
    now = clock.now()
    await store.commit(
        [
            record("i1", now, durationSeconds=61),
            record("i2", now, durationSeconds=60),
            record("i3", now),
            record("i4", now, channel="browser_voice", durationSeconds=0),
            record("trial-1", now, durationSeconds=600, startedAt=None, triedAt=now),
        ]
    )
    clock.wait(SETTLED_S)
    await counting.count()
    sums = (await month_of(store, "2027-10"))["conversations"]
    assert sums["phone"] == {"count": 3, "turns": 3, "seconds": 121, "minutes": 3, "unknown": 1}
    assert sums["browser_voice"] == {"count": 1, "turns": 1}
    await store.commit([record("i3", now, clock.now(), durationSeconds=200)])
    clock.wait(SETTLED_S)
    await counting.count()
    sums = (await month_of(store, "2027-10"))["conversations"]
    assert sums["phone"] == {"count": 3, "turns": 3, "seconds": 321, "minutes": 7, "unknown": 0}


@pytest.mark.requirement("004-800")
async def test_texts_are_counted_by_segments_once_they_were_sent(
    begun: tuple[MemoryStore, MonthCounting], clock: StoppedClock
) -> None:
    """What was never sent counts nothing; of what nobody knows, nobody knows."""
    store, counting = begun
    at = {"businessId": BUSINESS, "createdAt": clock.now()}
    outbox: dict[str, JsonObject] = {
        "txt_1": {"kind": "text", "state": "sent", "body": "See you at nine."},
        "txt_2": {"kind": "text", "state": "sent", "body": "x" * 161},
        "txt_3": {"kind": "text", "state": "failed", "body": "No."},
        "txt_4": {"kind": "text", "state": "unknown", "body": "Perhaps."},
        "eml_1": {"kind": "email", "state": "sent", "body": "Hello"},
        "msg_1": {"kind": "message", "state": "sent", "ways": {"text": "sent", "email": "sent"}},
        "msg_2": {"kind": "message", "state": "sent", "ways": {"text": "sent"}},
        "cod_1": {"kind": "code", "state": "sent"},
    }
    await store.commit([Set(WITHIN.document("outbox", id), at | fields) for id, fields in outbox.items()])
    clock.wait(SENT_S)
    assert (await counting.count())["messages"] == len(outbox)
    sums = await month_of(store, "2027-10")
    assert sums["texts"] == {"count": 2, "segments": 3, "unknown": 1}
    assert sums["emails"] == {"count": 2}


@pytest.mark.requirement("004-800")
async def test_of_two_passes_at_once_each_thing_is_counted_by_one(
    begun: tuple[MemoryStore, MonthCounting], clock: StoppedClock
) -> None:
    store, counting = begun
    now = clock.now()
    for start in range(0, 900, 300):
        await store.commit([call_row(n, now + timedelta(microseconds=n % 7)) for n in range(start, start + 300)])
    clock.wait(SETTLED_S)
    others = [MonthCounting(store, PATHS, clock) for _ in range(3)]
    await asyncio.gather(counting.count(), *(other.count() for other in others))
    while (await counting.count())["calls"]:
        pass
    assert (await month_of(store, "2027-10"))["toolCalls"] == {"look": 900}


class SilentStore(MemoryStore):
    """Makes a commit, and does not say that it did."""

    is_silent = False

    async def commit(self, writes: Any) -> list[WriteResult]:
        results = await super().commit(writes)
        if self.is_silent:
            raise Unavailable("no answer")
        return results


@pytest.mark.requirement("004-800")
async def test_a_pass_whose_commit_got_no_answer_counts_nothing_twice(clock: StoppedClock) -> None:
    store = SilentStore()
    await store.commit([Set(WITHIN.business, {"name": "Salon", "timezone": "UTC", "integrations": {}})])
    counting = MonthCounting(store, PATHS, clock)
    await counting.count()
    await store.commit([call_row(1, clock.now()), record("i1", clock.now(), durationSeconds=5)])
    clock.wait(SETTLED_S)
    store.is_silent = True
    for _ in range(3):
        with pytest.raises(StoreError):
            await counting.count()
    store.is_silent = False
    await counting.count()
    sums = await month_of(store, "2027-03")
    assert (sums["toolCalls"], sums["conversations"]["phone"]["count"]) == ({"look": 1}, 1)


async def test_a_conversation_that_goes_on_is_left_alone_and_counted_later(
    begun: tuple[MemoryStore, MonthCounting], clock: StoppedClock
) -> None:
    """Whoever talks may find their record as they left it."""
    store, counting = begun
    await store.commit([record("i1", clock.now(), durationSeconds=5, endedAt=None)])
    clock.wait(SETTLED_S)
    await store.commit([record("i1", clock.now() - timedelta(seconds=SETTLED_S), clock.now(), durationSeconds=705)])
    await counting.count()
    document = await store.get(WITHIN.document("interactions", "i1"))
    assert document is not None and "counted" not in document.data
    clock.wait(SETTLED_S)
    await counting.count()
    assert (await month_of(store, "2027-10"))["conversations"]["phone"]["seconds"] == 705


async def test_nothing_of_a_business_that_is_gone_comes_to_be_again(
    begun: tuple[MemoryStore, MonthCounting], clock: StoppedClock
) -> None:
    store, counting = begun
    await store.commit([call_row(1, clock.now()), Delete(WITHIN.business)])
    clock.wait(SETTLED_S)
    await counting.count()
    assert await store.get(WITHIN.document("days", "2027-10")) is None


async def test_a_pass_that_is_asked_for_again_within_a_minute_asks_the_store_nothing(office: Office) -> None:
    """Servers that live on ask every ten seconds; and a single business's service has nothing of others counted."""
    counting = MonthCounting(office.store, PATHS, office.clock)
    assert await counting.look() == {"calls": 0, "conversations": 0, "messages": 0}
    office.store.asked.clear()
    assert (await counting.look(), await counting.count(BUSINESS)) == ({}, {})
    assert not office.store.asked
    office.clock.wait(61)
    assert await counting.look() != {}


class Recorded(MemoryStore):
    """Notes what is committed."""

    def __init__(self) -> None:
        super().__init__()
        self.commits: list[list[Write]] = []

    async def commit(self, writes: Any) -> list[WriteResult]:
        self.commits.append(list(writes))
        return await super().commit(writes)


async def test_a_page_of_a_month_s_sums_is_one_commit_and_one_document(clock: StoppedClock) -> None:
    """However many calls it had: a document takes about one write a second."""
    store = Recorded()
    await store.commit([Set(WITHIN.business, {"name": "Salon", "timezone": "UTC", "integrations": {}})])
    counting = MonthCounting(store, PATHS, clock)
    await counting.count()
    await store.commit([call_row(n, clock.now(), shard=0) for n in range(150)])
    clock.wait(SETTLED_S)
    store.commits.clear()
    await counting.count()
    months = [[w for w in writes if "/days/" in w.path] for writes in store.commits]
    assert [len(writes) for writes in months if writes] == [1]


async def test_firestore_sums_up_as_the_store_in_memory_does(
    emulator_project: str, emulator_host: str, patience: None
) -> None:
    """Names of models and tools may hold points, which are no fields in fields."""
    sums = []
    for store in (MemoryStore(), FirestoreStore(emulator_project, emulator_host=emulator_host)):
        clock = StoppedClock()
        await store.commit([Set(WITHIN.business, {"name": "Salon", "timezone": "UTC", "integrations": {}})])
        counting = MonthCounting(store, PATHS, clock)
        await counting.count()
        use = {"turn": 1, "n": 2, "model": "openai:gpt-4.1-mini", "in": 900, "out": 20}
        writes = [record(f"i{n}", clock.now(), durationSeconds=n * 30, modelUse=[use]) for n in range(60)]
        await store.commit([call_row(1, clock.now(), "a.b"), *writes])
        clock.wait(SETTLED_S)
        await counting.count()
        await store.commit([record("i1", clock.now(), clock.now(), modelUse=[use, use | {"n": 4}])])
        clock.wait(SETTLED_S)
        await counting.count()
        sums.append(await month_of(store, "2027-03"))
        await store.close()
    assert sums[0] == sums[1]
    assert sums[0]["models"] == {"openai:gpt-4.1-mini": {"input": 54_900, "output": 1_220, "answers": 61}}
    assert sums[0]["toolCalls"] == {"a.b": 1}


async def test_the_first_pass_says_since_when_everything_is_counted(office: Office) -> None:
    counting = MonthCounting(office.store, PATHS, office.clock)
    await office.store.commit([replace(call_row(1, office.clock.now() - timedelta(days=2)))])
    await counting.count()
    progress = await office.store.get(PATHS.month_counting)
    assert progress is not None and progress.data["since"] <= office.clock.now()
    office.clock.wait(SETTLED_S)
    await counting.count()
    assert await month_of(office.store, "2027-03") == {}
    assert await office.store.query(Query(WITHIN.collection("days"))) == []
    await office.store.commit([Update(PATHS.month_counting, {"since": office.clock.now()})])
