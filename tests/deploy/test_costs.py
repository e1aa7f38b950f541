"""What scripts/bench tells of costs at Firestore, and of dollars (docs/operations.md, "What it costs")."""

import base64
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks import costs, dollars
from benchmarks.billed_store import Bill, BilledStore
from benchmarks.patience import patience
from running import demo
from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.contract.ports import Store
from switchboard.contract.store import Create, Delete, Document, Query, Set
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths

SALON = FirestorePaths().within(demo.SALON).business


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


async def test_documents_that_expire_are_counted_once_each() -> None:
    """Firestore deletes them, and bills that."""
    store, expiring = BilledStore(MemoryStore()), {"expireAt": datetime.now(UTC)}
    await store.commit([Create("a/1", expiring), Set("a/2", {})])
    await store.commit([Set("a/1", expiring, merge=True)])
    assert store.bill == Bill(writes=3, expiring=1)


@pytest.fixture(scope="module")
def bills() -> dict[str, Bill]:
    """What each thing costs, as it is counted."""
    return costs.bills_and_cpu()[0]


@pytest.fixture
def told(bills: dict[str, Bill]) -> dict[str, str]:
    """Each row of the figure, and what it says."""
    return {what: str(bill) for what, bill in bills.items()}


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
    """A message: its turn's beginning and end, each with what its delivery needs, and the look-up."""
    assert writes(told["portal: another message, with a look-up"]) <= 4
    # Its record and its session once each, and what the look-up looks at.
    assert int(told["portal: another message, with a look-up"].split()[0]) <= 4
    assert writes(told["phone: a call comes in"]) <= 2
    assert writes(told["phone: another turn, with a look-up"]) <= 5
    assert writes(told["phone: the call is over"]) <= 2
    assert writes(told["phone: the whole call, of three turns"]) <= 18
    assert int(told["phone: the whole call, of three turns"].split()[0]) <= 9
    assert told["phone, its number's first call here: comes in"] == "4 reads, 2 writes"
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


class NotedStore(BilledStore):
    """Keeps the bill of what is read to know what is offered, apart from the conversation's own documents."""

    def __init__(self, inner: Store) -> None:
        super().__init__(inner)
        self.places: list[str] = []

    async def get(self, path: str) -> Document | None:
        self.places.append(path)
        return await super().get(path)

    async def get_many(self, paths: Sequence[str]) -> list[Document | None]:
        self.places += paths
        return await super().get_many(paths)

    async def query(self, query: Query) -> list[Document]:
        documents = await super().query(query)
        self.places += [query.collection] * max(1, len(documents))
        return documents

    def of_the_offer(self) -> list[str]:
        """Return what was read of the business, its key, and the tools and words of all."""
        parts = (*(f"{SALON}/{name}" for name in ("compiled", "tools", "agents", "agentTools")), "apiKeys", "config/")
        return [place for place in self.places if place == SALON or place.startswith(parts)]


@pytest.mark.requirement("004-647")
async def test_a_turn_at_an_instance_that_has_just_begun_reads_few_documents_to_know_what_is_offered() -> None:
    """On each channel: the key, the business with what is compiled of it, all tools, and the words of the prompt."""
    inner, environ = MemoryStore(), {"SWITCHBOARD_PUBLIC_URL": costs.PUBLIC_URL}
    environ["SWITCHBOARD_SECRETS_KEY"] = base64.b64encode(bytes(32)).decode()
    await demo.furnish(inner, FirestorePaths(), datetime.now(UTC))
    await demo.make_keys(inner, FirestorePaths(), costs.KEY)
    await demo.keep_twilio_token(inner, FirestorePaths(), environ["SWITCHBOARD_SECRETS_KEY"], costs.TOKEN)
    sid = f"CA{1:032x}"

    async def offered(turn: Callable[[costs.Premises], Awaitable[None]]) -> list[str]:
        store = NotedStore(inner)
        house = build(read_configuration(environ), store)
        try:
            await turn(costs.Premises(store, house))
        finally:
            await house.close()
        return sorted(store.of_the_offer())

    with patience():
        await offered(lambda new: new.listing())
        await offered(lambda new: new.phone(sid, "/phone/incoming", CallStatus="ringing"))
        written = await offered(lambda new: new.chat("p1", "Thank you, bye"))
        spoken = await offered(lambda new: new.phone(sid, "/phone/turn", SpeechResult="Thank you", Confidence="0.9"))
    once = [SALON, f"{SALON}/compiled/parts", "config/prompts/templates", "config/tools/compiled/definitions"]
    assert sorted(set(written)) == ["apiKeys", *once]
    assert sorted(set(spoken)) == once
    assert (len(written), len(spoken)) == (6, 5)


def test_the_manual_has_the_dollars_that_the_command_tells(bills: dict[str, Bill]) -> None:
    """Whoever saves a document, or costs one more, brings docs/operations.md up to date: `scripts/bench dollars`."""
    manual = (Path(__file__).parents[2] / "docs" / "operations.md").read_text()
    assert dollars.table(bills) in manual


def test_a_thousand_of_something_cost_what_their_parts_do() -> None:
    """Documents, with one delete more for each that expires; the processor, or the wait; what is sent."""
    bill = Bill(reads=2, writes=3, deletes=1, expiring=4)
    busy = dollars.Work("", requests=1, cpu_ms=600, open_s=1, sent_kib=1024 * 1024)
    parts = dollars.of_a_thousand(busy, bill)
    assert parts.firestore == pytest.approx(1_000 * (2 * 0.03 + 3 * 0.09 + 5 * 0.01) / 100_000)
    assert parts.running == pytest.approx(1_000 * (1 * (0.000024 + 0.5 * 0.0000025) + 0.4e-6))
    assert parts.network == pytest.approx(1_000 * 0.12)
    waiting = dollars.Work("", requests=1, cpu_ms=6, open_s=80, sent_kib=0)
    assert dollars.of_a_thousand(waiting, bill).running == pytest.approx(parts.running)
    assert parts.total == parts.firestore + parts.running + parts.network
