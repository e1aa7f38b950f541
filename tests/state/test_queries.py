"""Queries: every operator, types, order, cursors, groups and counts."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from switchboard.contract.ports import Store
from switchboard.contract.store import Create, Filter, GeoPoint, Invalid, Order, Query, Reference
from tests.each import each

DAY = datetime(2026, 1, 1, tzinfo=UTC)
NEXT_DAY = datetime(2026, 1, 2, tzinfo=UTC)
# one value per id, in the order in which Firestore sorts them
SORTED: dict[str, Any] = {
    "null": None,
    "false": False,
    "true": True,
    "nan": float("nan"),
    "minus-infinity": float("-inf"),
    "one": 1,
    "one-half": 1.5,
    "two": 2,
    "day": DAY,
    "next-day": NEXT_DAY,
    "empty": "",
    "B": "B",
    "a": "a",
    "ab": "ab",
    "é": "é",
    "last-of-bmp": "\uffff",
    "emoji": "😀",
    "bytes": b"a",
    "more-bytes": b"b",
    "reference": Reference("a/b"),
    "reference-deeper": Reference("a/b/c/d"),
    "reference-behind": Reference("a-b/c"),
    "point-south": GeoPoint(-5, 3),
    "point-east": GeoPoint(-5, 4),
    "point-north": GeoPoint(1.5, -180),
    "array-empty": [],
    "array-null": [None, "a"],
    "array-12": [1, 2],
    "array-13": [1, 3],
    "map-empty": {},
    "map-a1": {"a": 1},
    "map-a1-b1": {"a": 1, "b": 1},
    "map-b0": {"b": 0},
}
_W = Filter("w", "==", 1)
_TWO_OR_THREE = (Filter("x", "==", 2), Filter("y", "==", 3))
NUMBERS = ["nan", "minus-infinity", "one", "one-half", "two"]


async def ids(store: Store, query: Query) -> list[str]:
    """Return the ids of what a query finds, in its order."""
    return [document.id for document in await store.query(query)]


@pytest.fixture
async def sorted_area(store: Store, area: str) -> str:
    """A collection with one document per value of `SORTED`, and one that lacks the field."""
    # written backwards, so that no order comes from the order of writing
    await store.commit([Create(f"{area}/{id}", {"v": SORTED[id]}) for id in reversed(SORTED)])
    await store.commit([Create(f"{area}/lacks-it", {"w": 1})])
    return area


async def test_values_are_ordered_by_type_and_then_by_value(store: Store, sorted_area: str) -> None:
    """null < bool < number < time < text < bytes < reference < point < array < map, both ways; not what lacks it."""
    assert await ids(store, Query(sorted_area, order=(Order("v"),))) == list(SORTED)
    assert await ids(store, Query(sorted_area, order=(Order("v", descending=True),))) == list(reversed(SORTED))


async def test_without_an_order_documents_come_by_id(store: Store, sorted_area: str) -> None:
    """Unordered queries are sorted by document id, in the order of its bytes."""
    assert await ids(store, Query(sorted_area)) == sorted([*SORTED, "lacks-it"], key=str.encode)


def but(*left_out: str) -> list[str]:
    """Return all ids but null's and some others: what the negative operators find."""
    return [id for id in SORTED if id not in ("null", *left_out)]


@each(
    ("op", "value", "expected"),
    [
        ("==", 1, ["one"]),
        ("==", 1.0, ["one"]),
        ("==", True, ["true"]),
        ("==", None, ["null"]),
        ("==", float("nan"), ["nan"]),
        ("==", "a", ["a"]),
        ("==", b"a", ["bytes"]),
        ("==", DAY, ["day"]),
        ("==", [1, 2.0], ["array-12"]),
        ("==", {"a": 1.0}, ["map-a1"]),
        ("==", "nothing", []),
        ("!=", 1, but("one")),
        ("!=", None, but()),
        ("!=", float("nan"), but("nan")),
        ("<", 2, ["minus-infinity", "one", "one-half"]),
        ("<=", 1.5, ["minus-infinity", "one", "one-half"]),
        (">", 1, ["one-half", "two"]),
        (">=", 1, ["one", "one-half", "two"]),
        ("<", True, ["false"]),
        (">=", False, ["false", "true"]),
        (">", DAY, ["next-day"]),
        ("<", "ab", ["empty", "B", "a"]),
        (">", "é", ["last-of-bmp", "emoji"]),
        (">", b"a", ["more-bytes"]),
        ("<", [1, 3], ["array-empty", "array-null", "array-12"]),
        (">", {"a": 1}, ["map-a1-b1", "map-b0"]),
        ("in", [1.0, "a", "none"], ["one", "a"]),
        ("in", (1, "a"), ["one", "a"]),
        ("in", [None, 1], ["one"]),
        ("in", [float("nan"), 2], ["two"]),
        ("in", [[1, 2]], ["array-12"]),
        ("not-in", [1, "a"], but("one", "a")),
        ("not-in", [None, 1], []),
        ("not-in", [float("nan"), 1], but("one")),
        ("array-contains", 1, ["array-12", "array-13"]),
        ("array-contains", "a", ["array-null"]),
        ("array-contains", {"a": 1}, []),
        ("array-contains-any", [2, "a"], ["array-null", "array-12"]),
        ("array-contains-any", [None], []),
    ],
)
async def test_each_operator_finds_what_firestore_finds(
    store: Store, sorted_area: str, op: Any, value: Any, expected: list[str]
) -> None:
    """Comparisons stay within a type, nothing equals null or NaN in a list, and lacking the field never matches."""
    query = Query(sorted_area, filters=(Filter("v", op, value),))
    found = await ids(store, query)
    if op in ("==", "in", "array-contains", "array-contains-any"):
        # these name no range, so nothing is implied about the order
        assert set(found) == set(expected)
        assert len(found) == len(expected)
    else:
        assert found == expected
    assert await store.count(query) == len(expected)


@pytest.fixture
async def grid(store: Store, area: str) -> str:
    """A collection of x in 1..2 by y in 1..3, ids d0 to d5 in that order, with a nested, a constant and a list."""
    cells = [(x, y) for x in (1, 2) for y in (1, 2, 3)]
    await store.commit(
        [
            Create(f"{area}/d{n}", {"x": x, "y": y, "same": 0, "deep": {"x-y": x * y}, "both": [x, -y]})
            for n, (x, y) in enumerate(cells)
        ]
    )
    return area


@each(
    ("query", "expected"),
    [
        (Query("", filters=(Filter("x", "==", 1), Filter("y", ">", 1))), "d1 d2"),
        (Query("", filters=(Filter("y", ">", 1), Filter("x", ">", 0))), "d1 d2 d4 d5"),
        (Query("", filters=(Filter("y", ">", 1), Filter("y", "<=", 2))), "d1 d4"),
        (Query("", filters=(Filter("y", ">=", 1),)), "d0 d3 d1 d4 d2 d5"),
        (Query("", filters=(Filter("x", "==", 1), Filter("x", "==", 2))), ""),
        (Query("", filters=(Filter("deep.x-y", "==", 2),)), "d1 d3"),
        (Query("", filters=(Filter("deep.none", "!=", 2),)), ""),
        (Query("", filters=(Filter("x.deeper", "==", 1),)), ""),
        (Query("", filters=(Filter("x", "in", [1, 2]), Filter("y", "in", [3, 1]))), "d0 d2 d3 d5"),
        (Query("", order=(Order("y"), Order("x"))), "d0 d3 d1 d4 d2 d5"),
        (Query("", order=(Order("y"), Order("x", True))), "d3 d0 d4 d1 d5 d2"),
        (Query("", order=(Order("y", True), Order("x"))), "d2 d5 d1 d4 d0 d3"),
        (Query("", order=(Order("y", True), Order("x", True))), "d5 d2 d4 d1 d3 d0"),
        (Query("", order=(Order("deep.x-y"),)), "d0 d1 d3 d2 d4 d5"),
        (Query("", order=(Order("same"),)), "d0 d1 d2 d3 d4 d5"),
        (Query("", order=(Order("same", True),)), "d5 d4 d3 d2 d1 d0"),
        (Query("", filters=(Filter("x", ">", 0),), order=(Order("y", True),)), "d5 d2 d4 d1 d3 d0"),
        (Query("", order=(Order("none"),)), ""),
        (Query("", limit=2), "d0 d1"),
        (Query("", limit=100), "d0 d1 d2 d3 d4 d5"),
        (Query("", order=(Order("y", True),), limit=3), "d5 d2 d4"),
        (Query("", filters=(Filter("x", "==", 2),), order=(Order("y", True),), limit=1), "d5"),
        (Query("", order=(Order("x"),), start_after=(1,)), "d3 d4 d5"),
        (Query("", order=(Order("x", True),), start_after=(2,)), "d2 d1 d0"),
        (Query("", order=(Order("x"),), start_after=(1, "d1")), "d2 d3 d4 d5"),
        (Query("", order=(Order("x", True),), start_after=(1, "d1")), "d0"),
        (Query("", order=(Order("x"), Order("y")), start_after=(1, 2)), "d2 d3 d4 d5"),
        (Query("", order=(Order("x"), Order("y", True)), start_after=(1, 2, "d1")), "d0 d5 d4 d3"),
        (Query("", order=(Order("x"),), start_after=(0,)), "d0 d1 d2 d3 d4 d5"),
        (Query("", order=(Order("x"),), start_after=("text is behind every number",)), ""),
        (Query("", any_of=(_W, Filter("x", "==", 1))), "d0 d1 d2"),
        (Query("", any_of=(_W,)), ""),
        (Query("", any_of=(Filter("x", "==", 2), Filter("y", "==", 3))), "d2 d3 d4 d5"),
        (Query("", any_of=(Filter("y", "in", [1, 2]), Filter("deep.x-y", "==", 4)), limit=2), "d0 d1"),
        (Query("", (Filter("y", ">", 1),), (Order("y", True),), any_of=_TWO_OR_THREE), "d5 d2 d4"),
        (Query("", (Filter("x", "==", 1), Filter("y", "in", [1, 3])), any_of=_TWO_OR_THREE), "d2"),
        (Query("", order=(Order("y"),), start_after=(2, "d3"), any_of=_TWO_OR_THREE), "d4 d2 d5"),
        (Query("", any_of=(Filter("both", "array-contains", -3), Filter("y", "in", [1]))), "d0 d2 d3 d5"),
        (Query("", (Filter("x", "==", 2),), any_of=(Filter("both", "array-contains", -1), _W)), "d3"),
        (Query("", any_of=(Filter("both", "array-contains", 1),), limit=2), "d0 d1"),
        (Query("", start_after=("d3",)), "d4 d5"),
        (Query("", start_after=("d3 and a half",)), "d4 d5"),
        (Query("", filters=(Filter("y", ">", 1),), order=(Order("y"),), start_after=(2, "d1"), limit=2), "d4 d2"),
    ],
)
async def test_filters_orders_cursors_and_limits_combine(store: Store, grid: str, query: Query, expected: str) -> None:
    """Ties follow the last key's direction, ranges imply an order, and a cursor continues exactly behind its point."""
    asked = replace(query, collection=grid)
    assert await ids(store, asked) == expected.split()
    assert await store.count(asked) == len(expected.split())


@pytest.mark.parametrize("descending", [False, True])
async def test_pages_through_equal_keys_miss_and_repeat_nothing(store: Store, area: str, descending: bool) -> None:
    """Twenty-five documents with three different keys, four at a time, each come exactly once and in order."""
    await store.commit([Create(f"{area}/{n:02}", {"key": n % 3}) for n in range(25)])
    order = (Order("key", descending),)
    whole = await ids(store, Query(area, order=order))
    paged: list[str] = []
    cursor: tuple[Any, ...] | None = None
    while page := await store.query(Query(area, order=order, limit=4, start_after=cursor)):
        paged += [document.id for document in page]
        cursor = (page[-1].data["key"], page[-1].id)
    assert paged == whole
    assert sorted(paged) == [f"{n:02}" for n in range(25)]


@pytest.fixture
async def group(store: Store, area: str) -> str:
    """A collection name that stands below three parents and at the top, next to one that only ends alike."""
    name = f"group-{area}"
    places = [f"{area}/{parent}/{name}" for parent in ("p1", "p1-x", "p2")]
    await store.commit([Create(f"{place}/same", {"n": 1, "place": place}) for place in [*places, name]])
    await store.commit([Create(f"{area}/p1/not-{name}/same", {"n": 1}), Create(f"{area}/p1", {"n": 1})])
    return name


async def test_a_group_query_searches_every_collection_of_that_name(store: Store, group: str, area: str) -> None:
    """It finds documents below every parent and at the top, in the order of their paths, part by part."""
    found = await store.query(Query(f"{area}/p2/{group}", group=True))
    below = [f"{area}/{parent}/{group}/same" for parent in ("p1", "p1-x", "p2")]
    top = f"{group}/same"
    assert [document.path for document in found] == sorted([*below, top], key=lambda path: path.split("/"))
    assert await store.count(Query(group, group=True, filters=(Filter("n", "==", 1),))) == 4
    one = await store.query(Query(group, group=True, filters=(Filter("place", "==", f"{area}/p1-x/{group}"),)))
    assert [(document.path, document.id) for document in one] == [(f"{area}/p1-x/{group}/same", "same")]
    assert (await store.query(Query(f"{area}/p2/{group}")))[0].data["place"] == f"{area}/p2/{group}"


async def test_a_group_query_continues_behind_a_whole_path(store: Store, group: str) -> None:
    """Below several parents an id says too little, so the path breaks ties; pages miss and repeat nothing."""
    whole = [document.path for document in await store.query(Query(group, group=True, order=(Order("n"),)))]
    paged: list[str] = []
    cursor: tuple[Any, ...] | None = None
    while page := await store.query(Query(group, order=(Order("n"),), limit=1, start_after=cursor, group=True)):
        paged += [document.path for document in page]
        cursor = (page[-1].data["n"], page[-1].path)
    assert paged == whole
    with pytest.raises(Invalid):
        await store.query(Query(group, order=(Order("n"),), start_after=(1, "same"), group=True))


async def test_counting_honours_filters_and_limit(store: Store, grid: str) -> None:
    """A count is what the query would find, and no more than its limit."""
    assert await store.count(Query(grid)) == 6
    assert await store.count(Query(grid, filters=(Filter("x", "==", 1),))) == 3
    assert await store.count(Query(grid, limit=4)) == 4
    assert await store.count(Query(f"{grid}/d0/none")) == 0
    assert await store.count(Query(grid, order=(Order("none"),))) == 0


@each(
    "query",
    [
        Query("", filters=(Filter("v", "~", 1),)),  # type: ignore[arg-type]
        Query("", filters=(Filter("v", "<", None),)),
        Query("", filters=(Filter("v", ">", float("nan")),)),
        Query("", filters=(Filter("v", "array-contains", None),)),
        Query("", filters=(Filter("v", "in", []),)),
        Query("", filters=(Filter("v", "in", "text"),)),
        Query("", filters=(Filter("v", "in", list(range(31))),)),
        Query("", filters=(Filter("v", "not-in", list(range(11))),)),
        Query("", filters=(Filter("v", "array-contains-any", list(range(31))),)),
        Query("", filters=(Filter("v", "in", list(range(6))), Filter("w", "in", list(range(6))))),
        Query("", filters=(Filter("v", "!=", 1), Filter("v", "!=", 2))),
        Query("", filters=(Filter("v", "!=", 1), Filter("w", "not-in", [2]))),
        Query("", filters=(Filter("v", "in", [1]), Filter("w", "not-in", [2]))),
        Query("", filters=(Filter("v", "array-contains", 1), Filter("w", "array-contains-any", [2]))),
        Query("", any_of=(Filter("v", ">", 1), Filter("w", "==", 1))),
        Query("", any_of=(Filter("v", "array-contains-any", [1]), Filter("w", "==", 1))),
        Query("", any_of=(Filter("v", "array-contains", None), Filter("w", "==", 1))),
        Query("", any_of=(Filter("v", "array-contains", 1), Filter("v", "array-contains", 2))),
        Query("", filters=(Filter("u", "array-contains", 1),), any_of=(Filter("v", "array-contains", 1), _W)),
        Query("", filters=(Filter("u", "array-contains-any", [1]),), any_of=(Filter("v", "array-contains", 1), _W)),
        Query("", any_of=(Filter("v", "in", list(range(29))), Filter("w", "array-contains", 1), _W)),
        Query("", any_of=(Filter("v", "in", list(range(16))), Filter("w", "in", list(range(15))))),
        Query("", filters=(Filter("u", "in", list(range(8))),), any_of=(Filter("v", "in", [1, 2, 3]), _W)),
        Query("", filters=(Filter("u", "not-in", [1]),), any_of=(Filter("v", "==", 1), _W)),
        Query("", any_of=(Filter("v", "==", object()),)),
        Query("", filters=(Filter("v", "==", object()),)),
        Query("", filters=(Filter("v", "==", datetime(2026, 1, 1)),)),
        Query("", filters=(Filter("", "==", 1),)),
        Query("", filters=(Filter("a..b", "==", 1),)),
        Query("", filters=(Filter("`a`", "==", 1),)),
        Query("", order=(Order("v"), Order("v", True))),
        Query("", order=(Order("__name__"),)),
        Query("", limit=-1),
        Query("", order=(Order("v"),), start_after=()),
        Query("", order=(Order("v"), Order("w")), start_after=(1,)),
        Query("", order=(Order("v"),), start_after=(1, "id", "more")),
        Query("", order=(Order("v"),), start_after=(1, "a/b")),
        Query("", order=(Order("v"),), start_after=(1, 2)),
        Query("", filters=(Filter("w", ">", 1),), order=(Order("v"),), start_after=(1, "id")),
        Query("/below"),
        Query("//below"),
        Query("/doc/__reserved__"),
    ],
)
async def test_a_query_that_firestore_cannot_answer_is_invalid(store: Store, area: str, query: Query) -> None:
    """Wrong operators, lists, combinations, fields, cursors and paths are refused in the same way by both stores."""
    asked = replace(query, collection=area + query.collection)
    with pytest.raises(Invalid):
        await store.query(asked)
    with pytest.raises(Invalid):
        await store.count(asked)
