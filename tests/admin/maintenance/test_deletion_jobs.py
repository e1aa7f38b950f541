"""Deletions of whom much is kept: begun once, finished by whoever comes to it, however often they are cut off."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from switchboard.admin.maintenance.data_inventory import all_documents
from switchboard.admin.maintenance.deletion_jobs import LARGE, Deletion, DeletionJobs
from switchboard.contract.json import JsonObject
from switchboard.contract.store import Delete, Set, Unavailable, Write, WriteResult
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths

pytestmark = pytest.mark.requirement("004-742")
PATHS = FirestorePaths()
BUSINESS, CALLER, OTHER = "salon", "+15185550196", "+15185550197"
WITHIN = PATHS.within(BUSINESS)


class Clock:
    """Goes on by ten seconds whenever it is asked how long something took."""

    def __init__(self) -> None:
        self.at = datetime(2026, 12, 1, 12, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        self.at += timedelta(seconds=10)
        return self.at.timestamp()


class MortalStore(MemoryStore):
    """Carries out so many commits and then no more, as for an instance that is killed in the next."""

    left: int | None = None

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        if self.left is not None:
            if self.left == 0:
                raise Unavailable("killed")
            self.left -= 1
        return await super().commit(writes)


def conversation(id: str, number: str, calls: int = 3) -> list[Write]:
    """Return a conversation of a caller with its ledger."""
    seen: JsonObject = {"callerPhone": number}
    rows: list[Write] = [Set(WITHIN.document("sessions", id), seen), Set(WITHIN.document("interactions", id), seen)]
    rows += [
        Set(WITHIN.call(id, f"c{n}"), {"sessionId": id, "facts": seen, "arguments": f'{{"n": {n}}}'})
        for n in range(calls)
    ]
    return rows


@pytest.fixture
async def store() -> MortalStore:
    """A business with three hundred conversations, every second one the caller's."""
    found = MortalStore()
    await found.commit([Set(WITHIN.business, {"name": "Salon"})])
    for n in range(300):
        await found.commit(conversation(f"s{n}", OTHER if n % 2 else CALLER))
    return found


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def jobs(store: MortalStore, clock: Clock) -> DeletionJobs:
    return DeletionJobs(store, PATHS, clock)


async def paths_of(store: MemoryStore, *, below: str = f"businesses/{BUSINESS}") -> set[str]:
    return {document.path async for document in all_documents(store, PATHS) if document.path.startswith(below)}


async def of_others(store: MemoryStore) -> set[str]:
    """Return the business's own document, and what is the other caller's."""
    every = await paths_of(store)
    return {path for path in every if path == WITHIN.business or int(path.split("/")[3][1:]) % 2}


async def read(jobs: DeletionJobs, deletion: Deletion) -> Deletion:
    found = await jobs.read(BUSINESS, deletion.id)
    assert found is not None
    return found


async def test_much_is_told_from_little_without_reading_all_of_it(store: MortalStore, jobs: DeletionJobs):
    assert not await jobs.is_large(BUSINESS)
    for n in range(LARGE // 2):
        await store.commit(conversation(f"more{n}", OTHER, calls=0))
    assert await jobs.is_large(BUSINESS)


@pytest.mark.parametrize("what", ["caller", "business"])
async def test_killed_at_any_commit_it_is_finished_by_the_next_pass(
    store: MortalStore, jobs: DeletionJobs, clock: Clock, what: Any
):
    """Nothing is left of whom it was asked, and whatever is others' stays."""
    kept = await of_others(store) if what == "caller" else set()
    deletion, kills = await jobs.begin(what, BUSINESS, [CALLER] if what == "caller" else []), 0
    for commits in range(1, 60):
        store.left = commits
        clock.at += timedelta(minutes=5)
        try:
            await jobs.drain(None)
        except Unavailable:
            kills += 1
        store.left = None
        if (await read(jobs, deletion)).is_done:
            break
    done = await read(jobs, deletion)
    assert done.is_done and kills >= 5
    assert await paths_of(store) == kept
    # Each was counted at least once; a commit whose progress was not written down any more is told of by none.
    assert 0 < done.written <= 300 * 5 + 1
    assert done.numbers == ()
    assert await jobs.drain(None) == {"deletions": 0}


async def test_the_same_wish_is_one_deletion_and_goes_on_with_what_was_counted(
    store: MortalStore, jobs: DeletionJobs, clock: Clock
):
    first = await jobs.begin("caller", BUSINESS, [CALLER, OTHER])
    assert (await jobs.begin("caller", BUSINESS, [OTHER, CALLER])).id == first.id
    assert (await jobs.begin("caller", BUSINESS, [CALLER])).id != first.id
    store.left = 8
    with pytest.raises(Unavailable):
        await jobs.carry_out(first)
    store.left = None
    known = await jobs.open_one("caller", BUSINESS, [CALLER, OTHER])
    assert known is not None and known.written > 0
    told: list[tuple[int, int]] = []
    await jobs.carry_out(known, lambda looked_at, written: told.append((looked_at, written)))
    assert (await read(jobs, first)).written == 1500
    assert told == sorted(told) and told[-1][1] > 0
    assert (await jobs.begin("caller", BUSINESS, [CALLER, OTHER])).id != first.id


async def test_who_is_at_it_is_left_alone_until_nothing_is_heard_any_more(
    store: MortalStore, jobs: DeletionJobs, clock: Clock
):
    deletion = await jobs.begin("business", BUSINESS)
    store.left = 3
    with pytest.raises(Unavailable):
        await jobs.drain(None)
    store.left = None
    assert await jobs.drain(None) == {"deletions": 0}
    clock.at += timedelta(minutes=3)
    assert await jobs.drain("somebody-else") == {"deletions": 0}
    assert await jobs.drain(BUSINESS) == {"deletions": 1}
    assert (await read(jobs, deletion)).is_done


async def test_what_others_wrote_who_still_knew_a_business_goes_as_well(clock: Clock):
    """It is not called done before they have forgotten it, and nobody looks again until then."""
    store = MemoryStore()
    await store.commit([Set(WITHIN.business, {"name": "Salon"}), *conversation("early", CALLER)])
    jobs = DeletionJobs(store, PATHS, clock)
    deletion = await jobs.begin("business", BUSINESS, writes=[Delete(WITHIN.business)])
    assert await jobs.drain(None) == {"deletions": 1}
    await store.commit(conversation("late", CALLER))
    assert not (await read(jobs, deletion)).is_done and await jobs.open_one("business", BUSINESS) is not None
    assert await jobs.drain(None) == {"deletions": 0}
    clock.at += timedelta(minutes=3)
    assert await jobs.drain(None) == {"deletions": 1}
    assert (await read(jobs, deletion)).is_done
    assert await paths_of(store) == set()


async def test_a_business_that_is_brought_back_meanwhile_stays(clock: Clock):
    store = MemoryStore()
    await store.commit([Set(WITHIN.business, {"name": "Salon"}), *conversation("early", CALLER)])
    jobs = DeletionJobs(store, PATHS, clock)
    deletion = await jobs.begin("business", BUSINESS, writes=[Delete(WITHIN.business)])
    await jobs.drain(None)
    await store.commit([Set(WITHIN.business, {"name": "Salon"}), *conversation("restored", CALLER)])
    brought_back = await paths_of(store)
    clock.at += timedelta(minutes=3)
    assert await jobs.drain(None) == {"deletions": 1}
    assert (await read(jobs, deletion)).is_done
    assert await paths_of(store) == brought_back


async def test_it_is_read_by_its_own_business_alone(store: MortalStore, jobs: DeletionJobs):
    deletion = await jobs.begin("business", BUSINESS)
    assert await jobs.read("another", deletion.id) is None
    assert await jobs.read(BUSINESS, "nothing") is None


async def test_one_that_nobody_can_read_keeps_no_other_waiting(store: MortalStore, jobs: DeletionJobs, clock: Clock):
    for n, fields in enumerate(({}, {"what": "caller", "businessId": BUSINESS}, {"what": "house", "businessId": "x"})):
        await store.commit([Set(PATHS.deletion(f"bad{n}"), {**fields, "dueAt": clock.now() - timedelta(days=1)})])
    deletion = await jobs.begin("caller", BUSINESS, [CALLER])
    assert await jobs.drain(None) == {"deletions": 1}
    assert (await read(jobs, deletion)).is_done


async def test_a_customer_without_a_number_is_told_by_the_record(store: MortalStore, jobs: DeletionJobs):
    """Begun once, and named no more when it is done."""
    record = WITHIN.document("callers", "clr_mail")
    await store.commit([Set(record, {"name": "Petra Meier", "email": "petra@mail.example"})])
    deletion = await jobs.begin("caller", BUSINESS, records=["clr_mail"])
    assert (await jobs.begin("caller", BUSINESS, records=["clr_mail"])).id == deletion.id
    assert await jobs.drain(None) == {"deletions": 1}
    done = await read(jobs, deletion)
    assert (done.is_done, done.numbers, done.records) == (True, (), ())
    assert await store.get(record) is None
