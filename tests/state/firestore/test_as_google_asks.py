"""Our requests are, message for message and header for header, those of google-cloud-firestore's own client."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import grpc  # type: ignore[import-untyped]
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from switchboard.contract.store import (
    Create,
    Delete,
    Filter,
    Increment,
    Invalid,
    Near,
    Order,
    Query,
    Set,
    StoreError,
    Unavailable,
    Update,
    Vector,
)
from switchboard.state.firestore.store import FirestoreStore
from tests.each import each
from tests.state import test_parity as parity
from tests.state.firestore.recorder import SAID, GooglesClient, Recorder

PROJECT = "demo-asked"
TIME = datetime(2026, 1, 2, 3, 4, 5, 678_901, UTC)
over_any = settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


class Asked:
    """Our store and Google's client before the same recorder."""

    def __init__(self, recorder: Recorder, host: str, googles: GooglesClient) -> None:
        self.recorder, self.host, self.googles = recorder, host, googles
        self.ours = FirestoreStore(PROJECT, emulator_host=host)

    @asynccontextmanager
    async def another(self) -> AsyncIterator[FirestoreStore]:
        """Give a store of ours that has not been refused anything yet."""
        store = FirestoreStore(PROJECT, emulator_host=self.host)
        yield store
        await store.close()

    async def alike(self, method: str, argument: Any) -> None:
        """Ask both, and see that they ask the same; what our store refuses is asked by neither."""
        self.recorder.requests.clear()
        self.recorder.metadata.clear()
        try:
            await getattr(self.ours, method)(argument)
        except Invalid:
            assert self.recorder.requests == []
            return
        await getattr(self.googles, method)(argument)
        ours, googles = map(_sorted, self.recorder.requests)
        assert ours == googles
        assert self.recorder.metadata[0] == self.recorder.metadata[1]
        assert set(self.recorder.metadata[0]) == set(SAID)


def _sorted(request: Any) -> Any:
    """Return a request with what is said in no order of its own put into one."""
    for write in getattr(request, "writes", ()):
        write._pb.update_transforms.sort(key=lambda transform: transform.field_path)
        write._pb.update_mask.field_paths.sort()
    return request


@pytest.fixture(scope="module")
async def served() -> AsyncIterator[Asked]:
    """A recorder that both are connected to."""
    recorder, server = Recorder(), grpc.aio.server()
    server.add_generic_rpc_handlers((recorder,))
    host = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FIRESTORE_EMULATOR_HOST", host)
        googles = GooglesClient(PROJECT)
    asked = Asked(recorder, host, googles)
    yield asked
    await asked.ours.close()
    await googles.client._firestore_api.transport.close()
    await server.stop(None)


@pytest.fixture
def asked(served: Asked, patience: None) -> Asked:
    """Both, with a recorder that refuses nothing."""
    served.recorder.refusal = None
    return served


@over_any
@given(commit=st.lists(parity.writes, min_size=1, max_size=3))
async def test_any_writes_are_sent_as_the_library_sends_them(asked: Asked, commit: list[Any]) -> None:
    """Values, instructions, masks and conditions."""
    await asked.alike("commit", [parity.below("area", write) for write in commit])


@each(
    "write",
    [
        Update("a/b", {"n": Increment(), "m.2026-01": {"x": Increment(2), "y": [1]}}, if_update_time=TIME),
        Update("a/b", {"deep.only.instructions": {"n": Increment()}}),
        Delete("a/b", must_exist=True),
        Delete("a/b", if_update_time=TIME),
        Delete("a/b", must_exist=True, if_update_time=TIME),
        Set("a/b", {}, merge=True),
        Set("a/b", {"m": {"n": {"only": Increment()}}}, merge=True),
        Set("a/b", {"back`tick": 1, "back\\slash": {"d.t": 1}}, merge=True),
        Create("a/b", {"v": Vector((1.0, 2.0)), "m": {"n": {"only": Increment()}}}),
        Create("ü b/c d", {}),
    ],
)
async def test_a_rare_write_is_sent_as_the_library_sends_it(asked: Asked, write: Any) -> None:
    """Conditions, names to quote, and maps that hold instructions only."""
    await asked.alike("commit", [write])


@over_any
@given(
    filters=st.lists(parity.filters, max_size=3).map(tuple),
    order=parity.orders,
    limit=st.none() | st.integers(0, 5),
    group=st.booleans(),
    behind=st.none() | st.lists(parity.simple, max_size=2).map(tuple),
    names=st.booleans(),
    any_of=parity.any_of,
)
async def test_any_query_is_asked_as_the_library_asks_it(
    asked: Asked, filters: Any, order: Any, limit: Any, group: bool, behind: Any, names: bool, any_of: Any
) -> None:
    """Filters, orders, cursors and limits; counted as well as found."""
    if behind is not None and names:
        behind = (*behind[: len(order)], "x/y" if group else "y")
    query = Query("a" if group else "a/b/c", filters, order, limit, behind, group, any_of=any_of)
    await asked.alike("query", query)
    await asked.alike("count", query)


@each(
    "query",
    [
        Query("a", (Filter("n", "==", None), Filter("m", "!=", float("nan")))),
        Query("a", (Filter("n", "==", float("nan")),), (Order("2026-01", descending=True),)),
        Query("", group=True, limit=3, start_after=("a/b",)),
        Query("a/b/c", (Filter("kind", "==", "x"),), limit=5, near=Near("embedding", Vector((1.0, 0.0)))),
    ],
)
async def test_a_rare_query_is_asked_as_the_library_asks_it(asked: Asked, query: Query) -> None:
    """What equals nothing, names to quote, all documents, and the nearest."""
    await asked.alike("query", query)


async def test_documents_are_read_as_the_library_reads_them(asked: Asked) -> None:
    """One by the request for one, more by the one for more."""
    await asked.alike("get", "a b/c")
    await asked.alike("get_many", ["a/b", "ü/c"])


async def test_a_limit_beyond_what_firestore_counts_is_none(asked: Asked) -> None:
    """There are never as many documents; nothing fails for it."""
    asked.recorder.requests.clear()
    await asked.ours.query(Query("a", limit=2**40))
    assert asked.recorder.requests[0].structured_query.limit == 2**31 - 1


@pytest.mark.parametrize("text", ['Document "{name}" not found.', "Document ({name}) not found."])
async def test_a_document_that_is_refused_by_its_name_is_not_there(asked: Asked, text: str) -> None:
    """As Firestore and its emulator word it."""
    asked.recorder.refusal = text.format(name=f"projects/{PROJECT}/databases/(default)/documents/a/b")
    asked.recorder.requests.clear()
    assert await asked.ours.get("a/b") is None
    assert len(asked.recorder.requests) == 1


async def test_a_refusal_that_names_no_document_is_looked_into(asked: Asked) -> None:
    """Whether the document or the database is not there is told by the request for several."""
    asked.recorder.refusal = "The database (default) does not exist"
    assert await asked.ours.get("a/b") is None


async def test_a_database_that_is_not_there_is_an_outage(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a house without documents."""

    async def refuse(request: Any, context: Any) -> Any:
        await context.abort(grpc.StatusCode.NOT_FOUND, "The database (default) does not exist")
        yield

    asked.recorder.refusal = "The database (default) does not exist"
    monkeypatch.setattr(asked.recorder, "_BatchGetDocuments", refuse)
    async with asked.another() as ours:
        with pytest.raises(Unavailable, match="does not exist"):
            await ours.get("a/b")


@each(
    ("code", "failure"),
    [
        ("ALREADY_EXISTS", "AlreadyExists"),
        ("FAILED_PRECONDITION", "Stale"),
        ("NOT_FOUND", "Missing"),
        ("INVALID_ARGUMENT", "Invalid"),
        ("ABORTED", "Unavailable"),
        ("DEADLINE_EXCEEDED", "Unavailable"),
        ("UNAVAILABLE", "Unavailable"),
        ("RESOURCE_EXHAUSTED", "Unavailable"),
        ("UNAUTHENTICATED", "Unavailable"),
    ],
)
async def test_each_code_of_a_commit_is_told_by_its_failure(
    asked: Asked, monkeypatch: pytest.MonkeyPatch, code: str, failure: str
) -> None:
    """With what Firestore said."""

    async def refuse(request: Any, context: Any) -> Any:
        await context.abort(grpc.StatusCode[code], "because of x")

    monkeypatch.setattr(asked.recorder, "_Commit", refuse)
    async with asked.another() as ours:
        with pytest.raises(StoreError, match="because of x") as refused:
            await ours.commit([Create("a/b", {})])
    assert type(refused.value).__name__ == failure
