"""Data that cannot be stored is refused as invalid, by both stores alike, and nothing is written."""

import enum
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from switchboard.contract.ports import Store
from switchboard.contract.store import (
    DELETE_FIELD,
    SERVER_TIME,
    ArrayUnion,
    Create,
    Delete,
    Increment,
    Invalid,
    Query,
    Set,
    Update,
    Write,
)
from tests.each import each
from tests.state.reading import fields


def maps(depth: int) -> dict[str, Any]:
    """Return a document with so many maps below it, one in the other."""
    value: Any = 1
    for _ in range(depth):
        value = {"m": value}
    return {"m": value}


def maps_and_arrays(depth: int) -> dict[str, Any]:
    """Return a document with so many maps and arrays below it, one in the other."""
    value: Any = 1
    for level in range(depth):
        value = {"m": value} if level % 2 else [value]
    return {"m": value}


REFUSED: dict[str, Any] = {
    "an array in an array": {"l": [[1]]},
    "an array in an array, deeper": {"m": {"l": [{"l": [1, []]}]}},
    "a tuple in an array": {"l": [(1,)]},
    "a number as key": {1: "a"},
    "a number as nested key": {"m": {1: "a"}},
    "a number as key in an array": {"l": [{1: "a"}]},
    "an empty key": {"": 1},
    "an empty nested key": {"l": [{"": 1}]},
    "a reserved key": {"__name__": 1},
    "a reserved nested key": {"m": [{"__type__": 1}]},
    "too long a key": {"k" * 1501: 1},
    "an object": {"o": object()},
    "a set": {"o": {1, 2}},
    "a date": {"o": date(2026, 1, 1)},
    "a decimal": {"o": Decimal(1)},
    "a bytearray": {"o": bytearray(b"x")},
    "a time without zone": {"o": datetime(2026, 1, 1)},
    "a time before year 1 in UTC": {"o": datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=2)))},
    "a lone surrogate": {"o": "\ud800"},
    "a lone surrogate as key": {"\ud800": 1},
    "65 bits": {"o": 2**63},
    "21 maps": maps(21),
    "21 maps and arrays": maps_and_arrays(21),
    "100 maps": maps(100),
    "more than a mebibyte": {"o": "x" * 1_048_576},
    "more than a mebibyte in all": {"o": b"x" * 600_000, "p": "x" * 600_000},
    "an instruction in an array": {"l": [SERVER_TIME]},
    "an increment in an array": {"l": [{"n": Increment()}]},
    "a deletion in an array": {"l": [DELETE_FIELD]},
    "an increment by text": {"n": Increment("1")},  # type: ignore[arg-type]
    "an increment by a truth": {"n": Increment(True)},
    "an increment by 65 bits": {"n": Increment(2**63)},
    "a union of arrays": {"l": ArrayUnion(([1],))},
    "a union of instructions": {"l": ArrayUnion((SERVER_TIME,))},
    "a union of nothing": {"l": ArrayUnion(())},
    "no map": ["a"],
}


@pytest.fixture
async def kept(store: Store, area: str) -> str:
    """A collection of one document that is to stay as it is."""
    await store.commit([Create(f"{area}/there", {"n": 1})])
    return area


@each("kind", ["create", "set", "merge", "update"])
@each("data", REFUSED.values(), ids=REFUSED.keys())
async def test_what_cannot_be_stored_is_refused_whole(store: Store, kept: str, kind: str, data: Any) -> None:
    """However it is written, the commit fails as invalid and its other writes do not happen either."""
    area = kept
    write: Write = {
        "create": Create(f"{area}/new", data),
        "set": Set(f"{area}/new", data),
        "merge": Set(f"{area}/there", data, merge=True),
        "update": Update(f"{area}/there", data),
    }[kind]
    with pytest.raises(Invalid):
        await store.commit([Set(f"{area}/other", {"n": Increment()}, merge=True), write])
    assert {document.id: document.data for document in await store.query(Query(area))} == {"there": {"n": 1}}


@each(
    "write",
    [
        Create("", {"x": DELETE_FIELD}),
        Set("", {"m": {"x": DELETE_FIELD}}),
        Update("", {"m": {"x": DELETE_FIELD}}),
        Update("", {}),
        Update("", {"m": 1, "m.x": 2}),
        Update("", {"m.x.y": 1, "m.x": 2}),
        Update("", {"m..x": 1}),
        Update("", {".x": 1}),
        Update("", {"x.": 1}),
        Update("", {"`x`": 1}),
        Update("", {"m.back\\slash": 1}),
        Update("", {"m.__x__": 1}),
        Update("", {"m" * 1000 + "." + "x" * 1000: 1}),
        Update("", {".".join("abcdefghijklmnopqrstu") + ".v": [{"w": 1}]}),
    ],
)
async def test_a_write_that_makes_no_sense_is_refused(store: Store, kept: str, write: Any) -> None:
    """Deletions without a merge, overlapping or malformed field paths and empty updates are invalid."""
    # What `Create` would make must not be there, or it would be refused for that.
    path = f"{kept}/new" if isinstance(write, Create) else f"{kept}/there"
    with pytest.raises(Invalid):
        await store.commit([type(write)(path, write.data)])
    assert {document.id: document.data for document in await store.query(Query(kept))} == {"there": {"n": 1}}


@each(
    "path",
    [
        "",
        "a",
        "a/b/c",
        "/a/b",
        "a/b/",
        "a//b/c",
        "a/.",
        "a/..",
        "a/__b__",
        "a/" + "x" * 1501,
        "a/" + "é" * 751,
        "a/\ud800",
    ],
)
async def test_a_path_that_is_none_is_refused(store: Store, path: str) -> None:
    """Only an even number of ids that Firestore takes leads to a document."""
    for write in (Create(path, {}), Set(path, {}), Update(path, {"a": 1}), Delete(path)):
        with pytest.raises(Invalid):
            await store.commit([write])
    with pytest.raises(Invalid):
        await store.get(path)
    with pytest.raises(Invalid):
        await store.get_many(["a/b", path])


async def test_more_than_five_hundred_writes_are_refused(store: Store, area: str) -> None:
    """The 501st write is one too many, and none of them happens."""
    with pytest.raises(Invalid):
        await store.commit([Create(f"{area}/{number}", {}) for number in range(501)])
    assert await store.count(Query(area)) == 0


async def test_a_document_cannot_grow_beyond_a_mebibyte(store: Store, area: str) -> None:
    """What counts is the document that a merge would leave, not the merge."""
    await store.commit([Create(f"{area}/a", {"one": "x" * 600_000})])
    with pytest.raises(Invalid):
        await store.commit([Set(f"{area}/a", {"two": "x" * 600_000}, merge=True)])
    assert await fields(store, f"{area}/a") == {"one": "x" * 600_000}


async def test_what_is_just_allowed_is_stored(store: Store, area: str) -> None:
    """The last value before each limit is taken."""
    data: dict[str, Any] = {
        "k" * 1500: 2**63 - 1,
        "deep": maps(19),
        "mixed": maps_and_arrays(19),
        "first": datetime(1, 1, 1, tzinfo=UTC),
        "last": datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        "tiny": -(2**63),
    }
    await store.commit([Create(f"{area}/{'x' * 1500}", data)])
    assert await fields(store, f"{area}/{'x' * 1500}") == data


class Status(enum.StrEnum):
    """Text that is also a member of something."""

    CONFIRMED = "confirmed"


class Level(enum.IntEnum):
    """A number that is also a member of something."""

    HIGH = 2


async def test_members_of_enumerations_are_stored_as_what_they_stand_for(store: Store, area: str) -> None:
    """Text and numbers with a class of their own come back as plain text and numbers; tuples as lists."""
    data = {"status": Status.CONFIRMED, "level": Level.HIGH, "list": (Status.CONFIRMED, {"level": Level.HIGH})}
    await store.commit([Create(f"{area}/a", data)])
    stored = await fields(store, f"{area}/a")
    assert stored == {"status": "confirmed", "level": 2, "list": ["confirmed", {"level": 2}]}
    assert (type(stored["status"]), type(stored["level"])) == (str, int)
