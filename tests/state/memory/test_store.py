"""What only the memory store promises: its clock, and that it costs nothing where it is not used."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from switchboard.contract.store import SERVER_TIME, Create, Delete, Query, Set, Update
from switchboard.state.memory.store import MemoryStore
from tests.state.reading import read

NOON = datetime(2026, 6, 1, 12, 0, 0, 123456, tzinfo=UTC)


class HandClock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.time = NOON

    def now(self) -> datetime:
        """Return the time that was set."""
        return self.time

    def monotonic(self) -> float:
        """Return it in seconds."""
        return self.time.timestamp()


async def test_times_come_from_the_clock_that_was_given() -> None:
    """Update, create and server times are the clock's; server times are cut to milliseconds, as Firestore's are."""
    store = MemoryStore(HandClock())
    (result,) = await store.commit([Create("c/a", {"at": SERVER_TIME})])
    document = await read(store, "c/a")
    assert result.update_time == document.update_time == document.create_time == NOON
    assert document.data == {"at": NOON.replace(microsecond=123000)}


async def test_versions_differ_although_the_clock_stands_still() -> None:
    """Update times move on with every commit, also where the clock goes back."""
    clock = HandClock()
    store = MemoryStore(clock)
    times = []
    for number in range(3):
        (result,) = await store.commit([Set("c/a", {"n": number})])
        times.append(result.update_time)
        clock.time -= timedelta(hours=1)
    assert times == sorted(set(times))


async def test_two_stores_share_nothing() -> None:
    """Each store begins empty."""
    await MemoryStore().commit([Create("c/a", {})])
    assert await MemoryStore().get("c/a") is None


async def test_a_field_and_a_collection_may_have_one_name() -> None:
    """Fields and collections are kept apart: fields, sub-collections, and parents that nobody wrote."""
    store = MemoryStore()
    await store.commit([Create("businesses/b/tools/t", {"n": 1}), Create("businesses/b", {"tools": {"t": {"n": 2}}})])
    await store.commit([Set("businesses/b", {"tools": {}})])
    await store.commit([Update("businesses/b", {"tools.t": "text"})])
    assert (await read(store, "businesses/b/tools/t")).data == {"n": 1}
    assert (await read(store, "businesses/b")).data == {"tools": {"t": "text"}}
    assert [document.id for document in await store.query(Query("businesses/b/tools"))] == ["t"]


async def test_a_collection_is_gone_with_the_last_of_its_documents_and_may_come_again() -> None:
    """Its sub-collections stay; a search through all collections of its name finds what came again."""
    store = MemoryStore()
    await store.commit([Create("businesses/b/tools/t", {}), Create("businesses/b/tools/t/versions/v", {})])
    await store.commit([Delete("businesses/b/tools/t")])
    assert await store.query(Query("tools", group=True)) == []
    assert [document.id for document in await store.query(Query("versions", group=True))] == ["v"]
    await store.commit([Create("businesses/b/tools/u", {})])
    assert [document.id for document in await store.query(Query("tools", group=True))] == ["u"]


@pytest.mark.process
def test_importing_the_stores_imports_no_library() -> None:
    """Neither Google's nor a double of it is loaded before Firestore is asked, so a cold start is short."""
    program = (
        "import sys, switchboard.state.firestore.store, switchboard.state.memory.store, switchboard.state.paths;"
        "switchboard.state.firestore.store.FirestoreStore('p');"
        "print([name for name in sys.modules if name.startswith(('google.', 'grpc', 'mockfirestore'))])"
    )
    path = {"PYTHONPATH": str(Path(__file__).parents[3] / "functions")}
    # -S: a namespace package may be announced by a .pth file, which imports nothing of it
    answer = subprocess.run([sys.executable, "-S", "-c", program], env=path, capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


@pytest.mark.process
def test_a_memory_store_is_made_without_any_store_library() -> None:
    """No double of Google's is shipped for it."""
    program = (
        "import sys; from switchboard.state.memory.store import MemoryStore; MemoryStore();"
        "print([name for name in sys.modules if name.startswith(('google.cloud.', 'grpc', 'mockfirestore'))])"
    )
    path = {"PYTHONPATH": str(Path(__file__).parents[3] / "functions")}
    answer = subprocess.run([sys.executable, "-c", program], env=path, capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
