"""Points on earth and references to documents, which owners keep in their own collections; all documents at once."""

from typing import Any

import pytest

from switchboard.contract.ports import Store
from switchboard.contract.store import (
    ArrayUnion,
    Create,
    Filter,
    GeoPoint,
    Invalid,
    Query,
    Reference,
    Set,
    Update,
)
from switchboard.state.memory.store import MemoryStore
from tests.each import each

HERE, THERE = GeoPoint(52.5, 13.4), GeoPoint(-33, 151.2)
AGENT = Reference("businesses/b/collections/agents/items/anna")
ELSEWHERE = Reference("projects/another/databases/(default)/documents/agents/anna")
HOME = {"place": HERE, "agent": AGENT, "also": [THERE, ELSEWHERE], "near": {"school": THERE, "by": [AGENT]}}


async def test_points_and_references_come_back_as_they_were_written(store: Store, area: str) -> None:
    """Wherever they stand, also in lists and maps, and those that point into other databases."""
    path = f"{area}/home"
    await store.commit([Create(path, HOME)])
    found = await store.get(path)
    assert found is not None and found.data == HOME
    await store.commit([Update(path, {"also": ArrayUnion((THERE, HERE)), "near.school": HERE})])
    found = await store.get(path)
    assert found is not None
    assert found.data["also"] == [THERE, ELSEWHERE, HERE]
    assert found.data["near"] == {"school": HERE, "by": [AGENT]}


@pytest.mark.parametrize(("field", "value"), [("place", HERE), ("agent", AGENT)])
async def test_documents_are_found_by_their_points_and_references(
    store: Store, area: str, field: str, value: Any
) -> None:
    """As by any value."""
    await store.commit([Create(f"{area}/home", HOME), Create(f"{area}/other", {"place": THERE, "agent": ELSEWHERE})])
    assert [d.id for d in await store.query(Query(area, (Filter(field, "==", value),)))] == ["home"]


@each(
    "value",
    [
        GeoPoint(90.1, 0),
        GeoPoint(0, -180.5),
        GeoPoint(float("nan"), 0),
        GeoPoint("52", 13),  # type: ignore[arg-type]
        GeoPoint(True, 13),
        Reference(""),
        Reference("agents"),
        Reference("agents/__anna__"),
        Reference("projects/another/databases/(default)/documents/agents"),
        Reference(["a", "b"]),  # type: ignore[arg-type]
    ],
)
async def test_what_lies_nowhere_and_points_at_nothing_is_refused(store: Store, area: str, value: Any) -> None:
    """By both stores, before anything is written."""
    for data in ({"v": value}, {"v": [value]}):
        with pytest.raises(Invalid):
            await store.commit([Set(f"{area}/x", data)])


async def test_a_document_of_points_and_references_alone_cannot_grow_too_large(store: Store, area: str) -> None:
    """They count towards its size."""
    with pytest.raises(Invalid):
        await store.commit([Set(f"{area}/x", {"v": [AGENT] * 20_000})])


PATHS = ["a/b", "a/b/c/d", "a/gone/c/d", "a-b/c", "z/z"]


@pytest.fixture(params=["memory", pytest.param("firestore", marks=pytest.mark.emulator)])
def empty(request: pytest.FixtureRequest) -> Store:
    """A store with nothing else in it."""
    return MemoryStore() if request.param == "memory" else request.getfixturevalue("firestore")


async def test_all_documents_there_are_come_in_the_order_of_their_paths(empty: Store) -> None:
    """In whatever collection, also below documents that are not there; and from any of them on."""
    await empty.commit([Create(path, {}) for path in reversed(PATHS)])
    for behind in range(len(PATHS)):
        start = (PATHS[behind - 1],) if behind else ("!/!",)
        found = [document.path for document in await empty.query(Query("", group=True, limit=3, start_after=start))]
        assert found == PATHS[behind : behind + 3]


async def test_all_documents_are_not_filtered(empty: Store) -> None:
    """Firestore knows their paths alone."""
    with pytest.raises(Invalid):
        await empty.query(Query("", (Filter("v", "==", 1),), group=True))
    with pytest.raises(Invalid):
        await empty.query(Query(""))


def test_both_can_be_told_in_words() -> None:
    """Where JSON's own words for them do not reach."""
    assert (str(HERE), str(AGENT), AGENT.id) == ("52.5, 13.4", AGENT.path, "anna")
