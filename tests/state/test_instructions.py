"""Increments, server times and array unions, and how their results come back."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from switchboard.contract.ports import Store
from switchboard.contract.store import SERVER_TIME, ArrayUnion, Create, Increment, Set, Update, Write
from tests.each import each
from tests.state.reading import fields, read


@pytest.mark.parametrize("kind", ["create", "set", "merge", "update"])
async def test_increments_come_back_by_dotted_path(store: Store, area: str, kind: str) -> None:
    """Several increments in several maps, between other instructions and plain fields, each come back exactly."""
    path = f"{area}/a"
    data: dict[str, Any] = {
        "zeta": Increment(1),
        "turns": {
            "2": {"total": Increment(2), "hashes": {"ff": Increment(3), "0a": Increment(4)}, "at": SERVER_TIME},
            "10": {"total": Increment(5), "seen": ArrayUnion(("a",))},
        },
        "a-b": Increment(6.5),
        "Alpha": Increment(-7),
        "äöü": Increment(8),
        "at": SERVER_TIME,
        "list": ArrayUnion((1, 2)),
        "plain": {"n": 1},
    }
    if kind in ("merge", "update"):
        await store.commit([Create(path, {"zeta": 100, "turns": {"10": {"total": 200}}, "other": True})])
    write: Write = {
        "create": Create(path, data),
        "set": Set(path, data),
        "merge": Set(path, data, merge=True),
        "update": Update(path, data),
    }[kind]
    (result,) = await store.commit([write])
    # An update replaces the map `turns`, so what stood in it does not count.
    zeta, total = {"merge": (101, 205), "update": (101, 5)}.get(kind, (1, 5))
    assert dict(result.increments) == {
        "zeta": zeta,
        "turns.2.total": 2,
        "turns.2.hashes.ff": 3,
        "turns.2.hashes.0a": 4,
        "turns.10.total": total,
        "a-b": 6.5,
        "Alpha": -7,
        "äöü": 8,
    }
    assert {name: type(value) for name, value in result.increments.items()} == {
        name: float if name == "a-b" else int for name in result.increments
    }
    stored = (await read(store, path)).data
    assert stored["turns"]["10"] == {"total": total, "seen": ["a"]}
    assert stored["turns"]["2"]["hashes"] == {"ff": 3, "0a": 4}
    assert stored["plain"] == {"n": 1}
    assert ("other" in stored) == (kind in ("merge", "update"))


async def test_dotted_increments_of_an_update_come_back_as_spelt(store: Store, area: str) -> None:
    """Keys of an update that are dotted, quoted or both name their results."""
    path = f"{area}/a"
    await store.commit([Create(path, {"turns": {"1": {"total": 4}}})])
    (result,) = await store.commit(
        [Update(path, {"turns.1.total": Increment(1), "turns.1.by-hash.0f": Increment(2), "b": Increment(3)})]
    )
    assert dict(result.increments) == {"turns.1.total": 5, "turns.1.by-hash.0f": 2, "b": 3}
    assert await fields(store, path) == {"turns": {"1": {"total": 5, "by-hash": {"0f": 2}}}, "b": 3}


async def test_each_write_of_a_commit_has_its_own_increments(store: Store, area: str) -> None:
    """Admission in one commit: a ledger document and counters elsewhere, each with its own result."""
    for turn in (1, 2, 3):
        results = await store.commit(
            [
                Create(f"{area}/ledger-{turn}", {"at": SERVER_TIME}),
                Set(f"{area}/session", {"turns": {"1": {"total": Increment(), "retrieval": Increment()}}}, merge=True),
                Set(f"{area}/tickets", {"used": Increment(10)}, merge=True),
            ]
        )
    assert [dict(result.increments) for result in results] == [
        {},
        {"turns.1.total": 3, "turns.1.retrieval": 3},
        {"used": 30},
    ]


@each(
    ("before", "by", "after"),
    [
        (1, 2, 3),
        (1, -1, 0),
        (1, 0.5, 1.5),
        (0.5, 1, 1.5),
        (2, 0.0, 2.0),
        ("text", 4, 4),
        (None, 4, 4),
        (True, 4, 4),
        ([1], 4, 4),
        ({"a": 1}, 4, 4),
        (2**63 - 1, 5, 2**63 - 1),
        (-(2**63), -5, -(2**63)),
    ],
)
async def test_an_increment_starts_from_what_is_a_number(
    store: Store, area: str, before: Any, by: float, after: float
) -> None:
    """Numbers add up, stopping at 64 bits; what is no number counts as nothing."""
    await store.commit([Set(f"{area}/a", {"n": before})])
    (result,) = await store.commit([Update(f"{area}/a", {"n": Increment(by)})])
    stored = (await read(store, f"{area}/a")).data
    assert (stored["n"], type(stored["n"])) == (after, type(after))
    assert result.increments["n"] == after


async def test_server_time_is_the_stores_time(store: Store, area: str) -> None:
    """It is aware, in UTC, the same in all places of one commit, and not after the update time."""
    (result, _) = await store.commit(
        [
            Create(f"{area}/a", {"at": SERVER_TIME, "deep": {"at": SERVER_TIME}}),
            Create(f"{area}/b", {"at": SERVER_TIME}),
        ]
    )
    a, b = await store.get_many([f"{area}/a", f"{area}/b"])
    assert a and b
    at = a.data["at"]
    assert isinstance(at, datetime)
    assert at.utcoffset() == timedelta(0)
    assert at == a.data["deep"]["at"] == b.data["at"]
    assert timedelta(0) <= result.update_time - at < timedelta(seconds=60)
    assert abs(datetime.now(UTC) - at) < timedelta(seconds=60)


@each(
    ("before", "values", "after"),
    [
        (["a", "b"], ("b", "c", "c"), ["a", "b", "c"]),
        ([1, 1, {"n": 1}], (1.0, {"n": 1.0}, None, True), [1, 1, {"n": 1}, None, True]),
        ("text", (3, 3, 3.0), [3]),
    ],
)
async def test_a_union_appends_what_is_missing(
    store: Store, area: str, before: Any, values: tuple[Any, ...], after: list[Any]
) -> None:
    """Equal values are added once, the order stays, and what is no array is replaced by one."""
    await store.commit([Set(f"{area}/a", {"l": before})])
    await store.commit([Update(f"{area}/a", {"l": ArrayUnion(values)})])
    assert await fields(store, f"{area}/a") == {"l": after}


async def test_instructions_work_on_a_new_document(store: Store, area: str) -> None:
    """What is not there counts as zero, as an empty array and as an empty map."""
    await store.commit([Set(f"{area}/a", {"n": Increment(2), "m": {"l": ArrayUnion(("x",))}}, merge=True)])
    assert await fields(store, f"{area}/a") == {"n": 2, "m": {"l": ["x"]}}
