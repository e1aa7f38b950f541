"""Many at once: one creator wins, every increment counts, and nobody sees half a commit."""

import asyncio

from switchboard.contract.ports import Store
from switchboard.contract.store import (
    AlreadyExists,
    Create,
    Increment,
    Query,
    Set,
    Stale,
    StoreError,
    Update,
    Write,
    WriteResult,
)
from tests.state.reading import fields, read

MANY = 50


async def all_at_once(store: Store, commits: list[list[Write]]) -> list[list[WriteResult] | StoreError]:
    """Return how each commit ended, all of them started together."""

    async def one(writes: list[Write]) -> list[WriteResult] | StoreError:
        try:
            return await store.commit(writes)
        except StoreError as error:
            return error

    return await asyncio.gather(*map(one, commits))


async def test_fifty_create_one_document_and_one_wins(store: Store, area: str) -> None:
    """Exactly one create succeeds, everybody else is told that it exists, and the winner's data is stored."""
    ends = await all_at_once(store, [[Create(f"{area}/a", {"by": number})] for number in range(MANY)])
    winners = [number for number, end in enumerate(ends) if isinstance(end, list)]
    assert len(winners) == 1
    assert sum(isinstance(end, AlreadyExists) for end in ends) == MANY - 1
    assert await fields(store, f"{area}/a") == {"by": winners[0]}


async def test_fifty_increments_are_all_distinct(store: Store, area: str) -> None:
    """Every admission gets its own number, without gaps, also where the first one creates the document."""
    counted = await all_at_once(
        store, [[Set(f"{area}/a", {"turns": {"1": Increment()}}, merge=True)] for _ in range(MANY)]
    )
    numbers = [end[0].increments["turns.1"] for end in counted if isinstance(end, list)]
    assert sorted(numbers) == list(range(1, MANY + 1))


async def test_overlapping_claims_leave_one_winner_and_no_remains(store: Store, area: str) -> None:
    """Fifty callers claim overlapping slots in either direction: one gets all of its slots, nobody else gets any."""
    claims: list[list[Write]] = []
    for number in range(MANY):
        slots = [3, 4, 5] if number % 2 else [5, 4, 3]
        claims.append([Create(f"{area}/slot-{slot}", {"by": number}) for slot in slots])
        claims[-1].append(Create(f"{area}/booking-{number}", {}))
    ends = await all_at_once(store, claims)
    (winner,) = [number for number, end in enumerate(ends) if isinstance(end, list)]
    assert all(isinstance(end, AlreadyExists) for number, end in enumerate(ends) if number != winner)
    found = {document.id: document.data for document in await store.query(Query(area))}
    assert found == {f"booking-{winner}": {}, **{f"slot-{slot}": {"by": winner} for slot in (3, 4, 5)}}


async def test_one_of_many_conditional_updates_gets_through(store: Store, area: str) -> None:
    """Of twenty who read the same version, one may change it."""
    (created,) = await store.commit([Create(f"{area}/a", {"by": None})])
    ends = await all_at_once(
        store, [[Update(f"{area}/a", {"by": number}, if_update_time=created.update_time)] for number in range(20)]
    )
    assert sum(isinstance(end, list) for end in ends) == 1
    assert sum(isinstance(end, Stale) for end in ends) == 19


async def test_a_reader_lets_others_in_between(store: Store, area: str) -> None:
    """Reading and then writing is no transaction in either store: updates get lost, so nobody may rely on it."""
    await store.commit([Create(f"{area}/a", {"n": 0})])

    async def add_one() -> None:
        document = await read(store, f"{area}/a")
        await store.commit([Set(f"{area}/a", {"n": document.data["n"] + 1})])

    await asyncio.gather(*(add_one() for _ in range(10)))
    assert (await read(store, f"{area}/a")).data["n"] < 10
