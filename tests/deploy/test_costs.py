"""What scripts/bench tells of costs at Firestore (docs/operations.md, "Deploy")."""

import pytest

from benchmarks import costs
from benchmarks.billed_store import Bill, BilledStore
from benchmarks.figure import Effort
from switchboard.contract.store import Create, Delete, Query, Set
from switchboard.state.memory.store import MemoryStore


async def test_documents_are_counted_as_firestore_bills_them() -> None:
    store = BilledStore(MemoryStore())
    await store.commit([Create("a/1", {}), Set("a/2", {}), Delete("a/3")])
    assert store.bill == Bill(writes=2, deletes=1)
    await store.get("a/nothing")
    await store.get_many(["a/1", "a/2", "a/1"])
    await store.query(Query("a"))
    await store.query(Query("empty"))
    await store.count(Query("a"))
    assert store.bill == Bill(reads=1 + 2 + 2 + 1 + 1, writes=2, deletes=1)
    assert str(store.bill) == "7 reads, 2 writes, 1 deletes"


@pytest.fixture(scope="module")
def told() -> dict[str, str]:
    """Each row of the figure, and what it says."""
    return {line.what: line.ours for line in costs.measure(Effort(1, quick=True)).lines}


def test_a_listing_that_is_known_costs_nothing(told: dict[str, str]) -> None:
    assert told["listing, warm"] == "0 reads, 0 writes"


def test_a_retrieval_is_admitted_and_settled_at_once_and_reads_what_it_looks_at(told: dict[str, str]) -> None:
    """Ledger document and session, once each, also as the first call of a session."""
    assert told["retrieval: search_knowledge"] == "0 reads, 2 writes"
    assert told["retrieval: check_availability"].endswith(" 2 writes")
    assert told["first call of a session (retrieval)"].endswith(" 2 writes")


def writes(words: str) -> int:
    """Return how many documents are written."""
    return int(words.split()[2])


def test_what_a_conversation_writes_is_bounded(told: dict[str, str]) -> None:
    """A message: its delivery, the turn's beginning and end, the look-up."""
    assert writes(told["portal: another message, with a look-up"]) <= 6
    assert writes(told["phone: another turn, with a look-up"]) <= 7
    assert writes(told["phone: the whole call, of three turns"]) <= 27
    assert writes(told["action: book_appointment"]) <= 13


def test_a_phone_call_costs_the_sum_of_its_parts(told: dict[str, str]) -> None:
    parts = [words for what, words in told.items() if what.startswith("phone: ") and "whole" not in what]
    sums = [sum(int(words.split()[place]) for words in parts) for place in (0, 2)]
    assert told["phone: the whole call, of three turns"] == f"{sums[0]} reads, {sums[1]} writes"


@pytest.mark.requirement("004-647")
def test_a_business_that_was_not_met_is_two_documents_beside_the_key(told: dict[str, str]) -> None:
    """Its own, and what its tools, agents and attachments are compiled into; a new instance reads all tools so too."""
    assert told["a look-up, of a business that its instance has not met"] == "3 reads, 2 writes"
    assert told["a look-up, by an instance that has just begun"] == "4 reads, 2 writes"
