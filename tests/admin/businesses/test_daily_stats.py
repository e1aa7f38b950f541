"""What happened each day: a day that is over is counted once and kept, and a look reads a bounded number of records."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import httpx2 as httpx
import hypothesis
import pytest
from hypothesis import strategies as st

from switchboard.admin.access.refusal import NotFound
from switchboard.admin.api.serving import owners_app, routes
from switchboard.admin.businesses.daily_stats import READ_AT_MOST, DailyStats
from switchboard.admin.businesses.routes import DayEndpoints
from switchboard.channels.http.answer import HANDLERS
from switchboard.contract.conclusion import OUTCOMES as EVERY_OUTCOME
from switchboard.contract.json import JsonObject
from switchboard.contract.store import Delete, Document, Query, Set, Update
from switchboard.state.memory.store import MemoryStore
from tests.admin.owners_office import GHOST, HOST, OTHER, OWN, PATHS, Premises, open_premises, token
from tests.desk.front_desk import StoppedClock

WITHIN = PATHS.within(OWN)
CHANNELS = ("phone", "portal", "browser_voice")
OUTCOMES = ("answered", "ended", "failed")
# The salon's, whose midnight is not UTC's.
ZONE = ZoneInfo("America/New_York")


class ReadStore(MemoryStore):
    """Counts the documents that were read, and the counts that were taken."""

    def __init__(self) -> None:
        super().__init__()
        self.read = self.counted = 0

    async def get(self, path: str) -> Document | None:
        self.read += 1
        return await super().get(path)

    async def get_many(self, paths: Sequence[str]) -> list[Document | None]:
        self.read += len(paths)
        return await super().get_many(paths)

    async def query(self, query: Query) -> list[Document]:
        found = await super().query(query)
        self.read += len(found)
        return found

    async def count(self, query: Query) -> int:
        self.counted += 1
        return await super().count(query)


@dataclass
class Diary:
    """A salon, and what is told of its days."""

    store: ReadStore
    clock: StoppedClock
    totals: DailyStats

    async def talked(self, *began: datetime, id: str = "i", **fields: object) -> None:
        """Leave conversations behind, by turns on each channel, each a minute long with a tool that took 20 ms."""
        writes = []
        for n, at in enumerate(began):
            record = {
                "channel": CHANNELS[n % 3],
                "outcome": OUTCOMES[n % 3],
                "startedAt": at,
                "durationSeconds": 60,
                "tools": [{"name": "find", "ok": n % 3 != 2, "elapsedMs": 20.0}],
            }
            path = WITHIN.document("interactions", f"{id}{at.isoformat()}{n}")
            writes.append(Set(path, record | fields))
        for start in range(0, len(writes), 500):
            await self.store.commit(writes[start : start + 500])

    async def told(self, days: int) -> dict[str, JsonObject]:
        """Return the totals by day."""
        return {day["day"]: day for day in (await self.totals.of(OWN, days)).days}

    def today(self, ago: int = 0, hour: int = 0, minute: int = 0) -> datetime:
        """Return a moment of a day in the salon's time."""
        day = self.clock.now().astimezone(ZONE).date() - timedelta(days=ago)
        return datetime(day.year, day.month, day.day, hour, minute, tzinfo=ZONE)


@pytest.fixture
async def diary() -> Diary:
    """A salon that nobody has called yet, at noon in its own time."""
    store, clock = ReadStore(), StoppedClock()
    await store.commit([Set(WITHIN.business, {"name": "Salon", "timezone": ZONE.key, "integrations": {}})])
    clock.wait((datetime(2027, 3, 20, 12, tzinfo=ZONE) - clock.now()).total_seconds())
    return Diary(store, clock, DailyStats(store, PATHS, clock))


async def test_each_day_has_its_conversations_tools_failures_and_times(diary: Diary):
    """Also a day without any; days begin at the business's midnight."""
    at = diary.today(ago=1, hour=23, minute=59)
    await diary.talked(at, at + timedelta(minutes=1), at + timedelta(minutes=2))
    found = await diary.totals.of(OWN, 3)
    assert (found.timezone, found.uncounted) == (ZONE.key, 0)
    assert [(day["day"], day["interactions"]) for day in found.days] == [
        ("2027-03-18", 0),
        ("2027-03-19", 1),
        ("2027-03-20", 2),
    ]
    assert found.days[-1] == {
        "day": "2027-03-20",
        "interactions": 2,
        "byChannel": {"phone": 0, "portal": 1, "browser_voice": 1},
        "byOutcome": dict.fromkeys(EVERY_OUTCOME, 0) | {"ended": 1, "failed": 1},
        "seconds": {"phone": 0, "portal": 60, "browser_voice": 60},
        "basedOn": 2,
        "toolCalls": 2,
        "failedCalls": 1,
        "medianMs": 20.0,
        "p95Ms": 20.0,
    }
    assert (found.days[0]["medianMs"], found.days[0]["p95Ms"]) == (None, None)


async def test_a_day_that_is_over_is_counted_once(diary: Diary):
    """Another look reads its totals and today's records; what is deleted later stays counted."""
    await diary.talked(*(diary.today(ago, 10) for ago in range(1, 7)), diary.today(hour=9))
    before = await diary.told(7)
    for document in await diary.store.query(Query(WITHIN.collection("interactions"))):
        if document.data["startedAt"] < diary.today():
            await diary.store.commit([Delete(document.path)])
    diary.store.read = diary.store.counted = 0
    assert await diary.told(7) == before
    assert (diary.store.read, diary.store.counted) == (1 + 6 + 1, 0)


async def test_today_and_what_ended_just_now_is_counted_anew(diary: Diary):
    """For an hour after midnight, conversations that began before it go on."""
    diary.clock.wait(timedelta(hours=12, minutes=59).total_seconds())
    await diary.talked(diary.today(ago=1, hour=23))
    assert (await diary.told(2))["2027-03-20"]["interactions"] == 1
    await diary.talked(diary.today(ago=1, hour=23), id="late")
    assert (await diary.told(2))["2027-03-20"]["interactions"] == 2
    diary.clock.wait(60)
    assert (await diary.told(2))["2027-03-20"]["interactions"] == 2
    await diary.talked(diary.today(ago=1, hour=23), id="later")
    assert (await diary.told(2))["2027-03-20"]["interactions"] == 2


async def test_a_very_busy_day_is_counted_by_the_store(diary: Diary):
    """Exactly; lengths and tools are those of its latest conversations."""
    began = [diary.today(hour=8) + timedelta(seconds=n) for n in range(READ_AT_MOST * 3)]
    await diary.talked(*began)
    (today,) = (await diary.totals.of(OWN, 1)).days
    assert today["interactions"] == READ_AT_MOST * 3
    assert today["byChannel"] == dict.fromkeys(CHANNELS, READ_AT_MOST)
    assert today["byOutcome"] == dict.fromkeys(EVERY_OUTCOME, 0) | dict.fromkeys(OUTCOMES, READ_AT_MOST)
    assert today["seconds"] == dict.fromkeys(CHANNELS, READ_AT_MOST * 60)
    assert (today["basedOn"], today["toolCalls"], today["failedCalls"]) == (READ_AT_MOST, READ_AT_MOST, 34)


@pytest.mark.parametrize("each", [40, 70, 100, 120])
async def test_a_look_reads_a_bounded_number_of_records_and_the_next_goes_on(diary: Diary, each: int):
    """However much there is: at least one day more each time, none counted half or by too few of its records."""
    for ago in range(10):
        await diary.talked(*(diary.today(ago, 8) + timedelta(seconds=n) for n in range(each)))
    looks, before = 0, 11
    while before:
        diary.store.read = diary.store.counted = 0
        found = await diary.totals.of(OWN, 10)
        assert diary.store.read <= 1 + 10 + 2 * READ_AT_MOST
        assert diary.store.counted <= 2 * (len(CHANNELS) + len(EVERY_OUTCOME))
        assert found.uncounted < before
        assert {day["interactions"] for day in found.days} == {each}
        assert min(day["basedOn"] for day in found.days) >= min(each, 50)
        before, looks = found.uncounted, looks + 1
        assert looks <= 10
    assert len(found.days) == 10


async def test_days_between_which_some_were_counted_before_are_counted_too(diary: Diary):
    """One look for those behind each gap."""
    await diary.talked(*(diary.today(ago, 8) for ago in range(10)))
    await diary.totals.of(OWN, 4)
    diary.clock.wait(timedelta(days=3).total_seconds())
    assert (await diary.totals.of(OWN, 9)).uncounted == 2
    found = await diary.totals.of(OWN, 9)
    assert [day["interactions"] for day in found.days] == [1] * 6 + [0] * 3
    assert found.uncounted == 0


async def test_at_other_midnights_days_are_counted_again(diary: Diary):
    """A business that moves has other days."""
    await diary.talked(diary.today(ago=1, hour=23))
    assert (await diary.told(2))["2027-03-19"]["interactions"] == 1
    await diary.store.commit([Update(WITHIN.business, {"timezone": "UTC"})])
    assert [(day["day"], day["interactions"]) for day in (await diary.totals.of(OWN, 2)).days] == [
        ("2027-03-19", 0),
        ("2027-03-20", 1),
    ]


async def test_a_record_with_gaps_counts_as_a_conversation(diary: Diary):
    """Of a channel that is not known, without tools or a length."""
    await diary.store.commit([Set(WITHIN.document("interactions", "bare"), {"startedAt": diary.today(), "tools": "x"})])
    (today,) = (await diary.totals.of(OWN, 1)).days
    assert (today["interactions"], set(today["byChannel"].values()), today["toolCalls"]) == (1, {0}, 0)


async def test_a_business_that_is_not_there_has_no_days(diary: Diary):
    with pytest.raises(NotFound):
        await diary.totals.of(GHOST, 1)


@hypothesis.given(
    st.lists(st.integers(0, 5 * 24 * 60 - 1), max_size=60),
    st.sampled_from(["UTC", "Pacific/Kiritimati", "America/Havana", "Asia/Kolkata"]),
)
async def test_every_conversation_is_counted_on_exactly_one_day(minutes_ago: list[int], zone: str):
    """Whenever it began, and whatever the zone does with its clocks."""
    store, clock = ReadStore(), StoppedClock()
    clock.wait((datetime(2027, 3, 16, 12, tzinfo=UTC) - clock.now()).total_seconds())
    await store.commit([Set(WITHIN.business, {"name": "Salon", "timezone": zone, "integrations": {}})])
    began = [clock.now() - timedelta(minutes=ago) for ago in minutes_ago]
    await Diary(store, clock, DailyStats(store, PATHS, clock)).talked(*began)
    found = {day["day"]: day["interactions"] for day in (await DailyStats(store, PATHS, clock).of(OWN, 7)).days}
    expected: dict[str, int] = dict.fromkeys(found, 0)
    for at in began:
        expected[date.isoformat(at.astimezone(ZoneInfo(zone)).date())] += 1
    assert found == expected


@pytest.fixture
async def browser() -> AsyncIterator[tuple[Premises, httpx.AsyncClient]]:
    """The endpoint, before an office with people of every role."""
    premises = await open_premises(MemoryStore())
    endpoints = DayEndpoints(DailyStats(premises.store, PATHS, premises.clock)).endpoints
    app = owners_app(routes(endpoints, premises.access), HANDLERS)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=HOST) as client:
        yield premises, client
    await premises.browser.aclose()


@pytest.mark.parametrize(
    ("asked", "status"), [("", 200), ("?days=31", 200), ("?days=0", 400), ("?days=32", 400), ("?days=x", 400)]
)
async def test_how_many_days_are_wanted_is_checked(browser, asked: str, status: int):
    """A week unless it is said; a viewer may look."""
    _, client = browser
    answer = await client.get(f"/businesses/{OWN}/days{asked}", headers=token("viewer"))
    assert answer.status_code == status
    if status == 200:
        assert len(answer.json()["days"]) == (31 if asked else 7)


async def test_others_days_are_not_told(browser):
    _, client = browser
    assert (await client.get(f"/businesses/{OTHER}/days", headers=token("owner"))).status_code == 403
    assert (await client.get(f"/businesses/{OWN}/days")).status_code == 401


@pytest.mark.requirement("000-464")
async def test_a_day_stays_open_until_its_conversations_have_ended(diary: Diary):
    """One that began before midnight counts with what came of it in the end; one that nobody ends is not waited for."""
    late = diary.today(ago=1, hour=23, minute=50)
    await diary.talked(late, outcome="", endedAt=None, durationSeconds=1)
    yesterday = late.date().isoformat()
    assert (await diary.told(2))[yesterday]["seconds"]["phone"] == 1
    (record,) = await diary.store.query(Query(WITHIN.collection("interactions")))
    await diary.store.commit([Update(record.path, {"endedAt": late, "outcome": "booked", "durationSeconds": 5_400})])
    found = (await diary.told(2))[yesterday]
    assert (found["seconds"]["phone"], found["byOutcome"]["booked"]) == (5_400, 1)
    await diary.store.commit([Delete(record.path)])
    assert (await diary.told(2))[yesterday]["interactions"] == 1
    await diary.talked(late, id="never", endedAt=None)
    diary.clock.wait(4 * 86_400)
    await diary.told(6)
    assert await diary.store.get(WITHIN.document("days", yesterday)) is not None


async def test_days_that_are_still_open_keep_no_older_day_waiting(diary: Diary):
    """Also one that is read by itself, since it alone has as many conversations as a look reads."""
    late = diary.today(ago=1, hour=8)
    await diary.talked(*(late + timedelta(seconds=n) for n in range(READ_AT_MOST)))
    await diary.talked(late + timedelta(hours=1), id="open", outcome="", endedAt=None)
    await diary.talked(*(diary.today(ago, 8) for ago in range(2, 7)))
    diary.store.read = 0
    found = await diary.totals.of(OWN, 7)
    assert ([day["interactions"] for day in found.days], found.uncounted) == ([1] * 5 + [READ_AT_MOST + 1, 0], 0)
    assert diary.store.read <= 1 + 7 + 3 * READ_AT_MOST
    kept = await diary.store.query(Query(WITHIN.collection("days")))
    assert late.date().isoformat() not in {document.id for document in kept}
    assert len(kept) == 5
