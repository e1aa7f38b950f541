"""firestore.indexes.json holds the indexes that the code's queries need, and no others."""

import ast
from collections.abc import AsyncIterator
from typing import Any

import pytest

from switchboard.contract.store import Create, Filter, Near, Order, Query, Vector
from switchboard.integrations.embeddings.remote import DIMENSION
from switchboard.state.memory.store import MemoryStore
from tests.architecture.house import ROOT
from tests.deploy.asking import ask_everything, lines_to_reach, sites_reached, sites_to_reach
from tests.deploy.index_need import alternatives_of, declared, missing_for, needed_by
from tests.deploy.like_firestore import expiring
from tests.desk.front_desk import NOW
from tests.each import each


async def test_every_query_of_the_code_has_its_index() -> None:
    missing = {missing_for(query) for query in await ask_everything()} - {None}
    assert sorted(map(str, missing)) == []


async def test_every_composite_index_answers_a_query() -> None:
    needs = [needed_by(plain) for query in await ask_everything() for plain in alternatives_of(query)]
    superfluous = [index for index in declared()[0] if not any(need.is_met_by(index) for need in needs)]
    assert superfluous == []


async def test_every_index_over_all_businesses_that_a_field_has_answers_a_query() -> None:
    needs = [needed_by(plain) for query in await ask_everything() for plain in alternatives_of(query)]
    used = {(n.collection, n.scope, *key) for n in needs if not n.is_composite for key in n.single_fields()}
    declared_for_all = {
        (override.collection, scope, override.name, how)
        for override in declared()[1]
        for scope, how in override.keys
        if scope == "COLLECTION_GROUP"
    }
    assert declared_for_all - used == set()


async def test_what_is_asked_here_is_all_that_the_code_can_ask() -> None:
    """A query, filter or order that the code has gained is asked in asking.py too, so that its index is seen to."""
    with sites_reached() as reached:
        await ask_everything()
    assert sorted(sites_to_reach() - reached) == []


STORE = "from switchboard.contract.store import Filter, Order, Query\n"


@each(
    "source",
    [
        f"{STORE}Query('calls', (), (Order('at'),))",
        f"{STORE}Query('calls', group=True)",
        f"{STORE}Query('calls', (), (), None, None, True)",
        f"{STORE}Query('calls', **how)",
        f"{STORE}Query(*how)",
        f"{STORE}Filter('at', '>', 1)",
        f"{STORE}Filter('at', op, 1)",
        f"{STORE}Filter(field='at', op='<', value=1)",
        "from switchboard.contract.store import Query as Q\nQ('calls', group=True)",
        "from switchboard.contract.store import Order as By, Query as Q\nQ('calls', (), (By('at'),))",
        "from switchboard.contract import store as s\ns.Query('calls', group=True)",
        "import switchboard.contract.store\nswitchboard.contract.store.Order('at')",
        f"{STORE}Q = Query\nQ('calls', group=True)",
        f"{STORE}from functools import partial\npartial(Query, group=True)('calls')",
        # Their own indexes were taken away.
        f"{STORE}Query('calls', (Filter('checks', '==', 1),))",
        f"{STORE}Query('calls', (Filter('checks.budget', '==', 1),))",
    ],
)
def test_a_query_that_may_need_an_index_is_seen_however_it_is_written(source: str) -> None:
    assert lines_to_reach(ast.parse(source))


@pytest.mark.parametrize("source", [f"{STORE}Query('calls', (Filter('agreed', '==', 1),), limit=3)", "Page(1, 2)"])
def test_what_every_field_has_an_index_for_need_not_be_asked_here(source: str) -> None:
    assert lines_to_reach(ast.parse(source)) == set()


def test_vectors_are_indexed_in_the_length_that_vendors_give_them() -> None:
    (dimension,) = {index.dimension for index in declared()[0] if index.dimension}
    assert dimension == DIMENSION


@pytest.mark.requirement("003-461")
@pytest.mark.parametrize(
    ("collection", "field"),
    [
        *(("sessions", name) for name in ("turns", "receipts", "arrivals", "proposal")),
        *(("calls", name) for name in ("arguments", "response", "facts", "checks")),
        *(("interactions", name) for name in ("transcript", "tools", "receipts")),
    ],
)
def test_what_grows_with_a_conversation_and_nobody_queries_has_no_index_entries(collection: str, field: str) -> None:
    """A document has 40,000 of them at most, and each costs time and space with every write."""
    found = [one for one in declared()[1] if (one.collection, one.name) == (collection, field)]
    assert [one.keys for one in found] == [frozenset()]


CITY, SIZE = Filter("city", "==", "Bath"), Filter("size", ">", 3)


@each(
    ("query", "is_composite", "told"),
    [
        (Query("a/b/homes"), False, "homes (COLLECTION): "),
        (Query("homes", (CITY,)), False, "homes (COLLECTION): city ASCENDING"),
        (
            Query("homes", (CITY, Filter("kind", "in", ["a"]))),
            False,
            "homes (COLLECTION): city ASCENDING, kind ASCENDING",
        ),
        (Query("homes", (SIZE,)), False, "homes (COLLECTION): size ASCENDING"),
        (Query("homes", (SIZE,), (Order("size", descending=True),)), False, "homes (COLLECTION): size DESCENDING"),
        (Query("homes", (CITY, SIZE)), True, "homes (COLLECTION): city ASCENDING, size ASCENDING"),
        (Query("homes", (CITY,), (Order("size"),)), True, "homes (COLLECTION): city ASCENDING, size ASCENDING"),
        (Query("homes", (CITY,), (Order("city"),)), False, "homes (COLLECTION): city ASCENDING"),
        (
            Query("homes", (SIZE,), (Order("price", descending=True),)),
            True,
            "homes (COLLECTION): price DESCENDING, size DESCENDING",
        ),
        (
            Query("homes", (CITY, Filter("tags", "array-contains", "new"))),
            False,
            "homes (COLLECTION): city ASCENDING, tags CONTAINS",
        ),
        (
            Query("homes", (Filter("tags", "array-contains", "new"),), (Order("size"),)),
            True,
            "homes (COLLECTION): tags CONTAINS, size ASCENDING",
        ),
        (Query("homes", (CITY,), group=True), False, "homes (COLLECTION_GROUP): city ASCENDING"),
        (Query("homes", (), (Order("a"), Order("b"))), True, "homes (COLLECTION): a ASCENDING, b ASCENDING"),
    ],
)
def test_what_a_query_needs(query: Query, is_composite: bool, told: str) -> None:
    need = needed_by(query)
    assert (need.is_composite, str(need)) == (is_composite, told)


def test_what_is_not_declared_is_missing() -> None:
    assert missing_for(Query("homes", (CITY,))) is None
    assert "composite" in str(missing_for(Query("homes", (CITY, SIZE))))
    assert "COLLECTION_GROUP" in str(missing_for(Query("homes", (CITY,), group=True)))
    assert "VECTOR" in str(missing_for(Query("homes", near=Near("v", Vector((1.0,))), limit=1)))
    # Their own indexes were taken away, since nobody asks for these and every write would pay for them.
    assert missing_for(Query("calls", (Filter("checks", "==", 1),))) is not None


def test_of_several_alternatives_each_needs_its_index() -> None:
    either = (CITY, Filter("town", "==", "Bath"))
    assert missing_for(Query("homes", any_of=either)) is None
    told = str(missing_for(Query("homes", order=(Order("size"),), any_of=either)))
    assert told == "composite index homes (COLLECTION): city ASCENDING, size ASCENDING"
    listed = Filter("rooms", "array-contains", "bath")
    assert missing_for(Query("homes", any_of=(CITY, listed))) is None
    ordered = str(missing_for(Query("homes", order=(Order("size"),), any_of=(listed,))))
    assert ordered == "composite index homes (COLLECTION): rooms CONTAINS, size ASCENDING"
    assert "CONTAINS" in str(missing_for(Query("calls", any_of=(CITY, Filter("checks", "array-contains", 1)))))
    assert "checks" in str(missing_for(Query("calls", any_of=(CITY, Filter("checks", "==", 1)))))


def test_documents_that_expire_are_deleted_by_firestore() -> None:
    """Ledger, sessions, tickets (codes, approvals), wishes, slots, errands, records, audit and questions end."""
    kinds = {
        "audit",
        "calls",
        "deletions",
        "effects",
        "interactions",
        "outbox",
        "parts",
        "questions",
        "sessions",
        "slots",
        "tickets",
    }
    assert expiring() == kinds


def test_what_nobody_searches_by_costs_no_index_entries() -> None:
    overrides = {(o.collection, o.name): o for o in declared()[1]}
    for place in [("audit", "before"), ("audit", "after"), ("interactions", "transcript"), ("calls", "checks")]:
        assert overrides[place].keys == frozenset()
    # A field that only tells when to delete is not searched either, and times in order make an index hot.
    assert all(not override.keys for override in declared()[1] if override.is_ttl)


class Asking:
    """Code of ours, as far as the plugin can tell: it stands below functions/switchboard."""

    FILE = str(ROOT / "functions/switchboard/desk/somewhere.py")

    @classmethod
    async def ask(cls, store: MemoryStore, method: str, asked: object) -> None:
        names: dict[str, Any] = {}
        source = "async def ask(store, method, asked):\n    await getattr(store, method)(asked)"
        exec(compile(source, cls.FILE, "exec"), names)
        await names["ask"](store, method, asked)


@pytest.fixture
async def refused(refused_by_firestore: list[str]) -> AsyncIterator[list[str]]:
    """What the plugin has found in this test, which is not to fail by it."""
    refused_by_firestore.clear()
    yield refused_by_firestore
    refused_by_firestore.clear()


async def test_a_test_in_which_a_query_lacks_its_index_would_fail(refused: list[str]) -> None:
    for method in ("query", "count"):
        await Asking.ask(MemoryStore(), method, Query("homes", (CITY, SIZE)))
    await Asking.ask(MemoryStore(), "query", Query("homes", (CITY,)))
    assert [told.partition(": ")[2][:40] for told in refused] == ["firestore.indexes.json lacks the composi"] * 2
    assert refused[0].startswith("functions/switchboard/desk/somewhere.py:2")


async def test_a_test_in_which_something_would_never_be_deleted_would_fail(refused: list[str]) -> None:
    for path in ("businesses/b/tickets/t", "businesses/b/faqs/f"):
        await Asking.ask(MemoryStore(), "commit", [Create(path, {"expireAt": NOW})])
    assert [told.partition(": ")[2] for told in refused] == ["no TTL policy for faqs"]


async def test_what_a_test_itself_asks_is_its_own_affair(refused: list[str]) -> None:
    await MemoryStore().query(Query("homes", (CITY, SIZE)))
    assert refused == []
