"""Calls that are due are found in every shard of their index, and so are those of versions that knew none."""

from datetime import timedelta
from typing import Any

import pytest

from switchboard.contract.policy import CALL_LEASE_S
from switchboard.contract.shards import SHARD, SHARDS, SHARDS_AT_ONCE, shard_of
from switchboard.contract.store import DELETE_FIELD, Query, Set, Update
from switchboard.pipeline.ledger.ledger import Ledger
from tests.desk.front_desk import StoppedClock, WatchedStore
from tests.pipeline.conftest import BUSINESS, PATHS, Instance

pytestmark = pytest.mark.requirement("003-466")
WITHIN = PATHS.within(BUSINESS)


async def left_behind(office: Instance, store: WatchedStore, count: int) -> dict[str, Any]:
    """Leave so many calls whose instance died, and return the row of one."""
    await office.call("look", call_id="c0")
    sound = await office.ledger("c0")
    for n in range(count):
        row = sound | {"state": "started", "response": None, "callId": f"c{n}", "dueAt": office.clock.now()}
        await store.commit([Set(WITHIN.call("s1", f"c{n}"), row | {SHARD: shard_of(BUSINESS, "s1", f"c{n}")})])
    return sound


async def as_before(store: WatchedStore, call_id: str) -> None:
    """Let a row be as versions wrote it that knew no shards."""
    path = WITHIN.call("s1", call_id)
    row = (await store.get(path)).data  # type: ignore[union-attr]
    earlier = {SHARD: DELETE_FIELD, "dueAt": DELETE_FIELD, "leaseUntil": row["dueAt"]}
    await store.commit([Update(path, earlier)])


def test_a_pass_asks_for_every_shard_once() -> None:
    assert sorted(shard for shards in SHARDS_AT_ONCE for shard in shards) == list(range(SHARDS))


def test_calls_lie_in_all_shards_alike() -> None:
    counts = [0] * SHARDS
    for n in range(16_000):
        counts[shard_of("salon", f"CA{n}", "1.2")] += 1
    assert min(counts) > 800 and max(counts) < 1_200


@pytest.mark.parametrize("business_id", [None, BUSINESS])
async def test_every_call_that_is_due_is_found_once_and_the_oldest_first(
    office: Instance, store: WatchedStore, clock: StoppedClock, business_id: str | None
) -> None:
    await left_behind(office, store, 120)
    for n in range(0, 120, 3):
        await as_before(store, f"c{n}")
    ledger, found, behind = Ledger(store, PATHS), list[str](), None
    now = clock.now() + timedelta(seconds=1)
    while page := await ledger.abandoned(now, business_id, behind):
        found += [row.document.id for row in page]
        behind = page[-1]
    assert sorted(found) == sorted({f"c{n}" for n in range(120)})
    rows = await store.inner.query(Query("calls", group=True))
    assert {row.data.get(SHARD) for row in rows} > set(range(8))


async def test_a_call_of_before_is_brought_to_its_end_and_leaves_the_index_of_before(
    office: Instance, store: WatchedStore, clock: StoppedClock
) -> None:
    await left_behind(office, store, 1)
    await as_before(store, "c0")
    clock.wait(CALL_LEASE_S + 1)
    assert await office.dispatcher.recover() == 1
    row = await office.ledger("c0")
    assert (row["state"], row["dueAt"], "leaseUntil" in row) == ("finished", None, False)
    assert row[SHARD] in range(SHARDS)
    assert await office.dispatcher.recover() == 0


async def test_who_takes_a_call_of_before_over_is_not_taken_for_dead_itself(
    office: Instance, store: WatchedStore, clock: StoppedClock
) -> None:
    """Its lease stands where both passes look: by the name of today, and not by that of before."""
    await left_behind(office, store, 1)
    await as_before(store, "c0")
    clock.wait(CALL_LEASE_S + 1)
    ledger = Ledger(store, PATHS)
    (row,) = await ledger.abandoned(clock.now())
    fields = row.due(clock.now() + timedelta(seconds=CALL_LEASE_S))
    await store.commit([Update(row.document.path, fields)])
    assert await ledger.abandoned(clock.now()) == []
