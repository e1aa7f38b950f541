"""Search by meaning: in memory and in the store, and what is left of it when something fails."""

import asyncio
import uuid

import pytest

from switchboard.contract import policy
from switchboard.contract.deadline import ending_in
from switchboard.contract.store import Delete, Vector
from switchboard.desk.knowledge import vector_search
from switchboard.desk.knowledge.chunk import Passage
from switchboard.desk.knowledge.knowledge import Knowledge
from switchboard.desk.knowledge.vector_search import Reindexed, VectorSearch, reindex
from switchboard.state.firestore.store import FirestoreStore
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths
from tests.desk.embedders import KnowingEmbedder
from tests.desk.front_desk import StoppedClock, WatchedStore, call, salon, stored, write_down

LIMITS_S = (policy.STORE_READ_S, vector_search.PATIENCE_S)
PATHS = FirestorePaths().within("demo-salon")
FAQS = {
    "parking": {"topic": "parking", "question": "Is there parking?", "answer": "Four spaces behind the studio."},
    "dogs": {"topic": "visiting", "question": "May I bring my dog?", "answer": "Well-behaved ones."},
}
POLICIES = {"cancellation": {"topic": "cancellation", "content": "Free of charge until a day before."}}


@pytest.fixture(autouse=True)
def patience(patience: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a busy machine answer later than a phone call could wait; who has a deadline says so."""
    monkeypatch.setattr(vector_search, "PATIENCE_S", 30.0)


@pytest.fixture
def embedder() -> KnowingEmbedder:
    return KnowingEmbedder()


@pytest.fixture
async def knowledge(store: WatchedStore, clock: StoppedClock, embedder: KnowingEmbedder) -> Knowledge:
    await write_down(store, "demo-salon", "faqs", FAQS)
    await write_down(store, "demo-salon", "policies", POLICIES)
    return Knowledge(store, clock, embedder)


async def ids(knowledge: Knowledge, question: str, business: str = "demo-salon") -> list[str]:
    return [hit.passage.id for hit in await knowledge.search(call(salon(business)), question, 3)]


@pytest.mark.parametrize(
    ("question", "first"),
    [("Where does my vehicle go?", "parking"), ("Puppy allowed?", "dogs"), ("I must call it off", "cancellation")],
)
@pytest.mark.requirement("000-104", "003-09")
async def test_a_question_in_other_words_finds_its_answer(knowledge, question, first):
    """FAQs and policies as well as articles; no word of these questions stands in the texts (seed 000, RAG layer)."""
    assert (await ids(knowledge, question))[0] == first


async def test_what_means_nothing_here_is_not_found(knowledge):
    """Below the embedder's floor nothing counts as near."""
    assert await ids(knowledge, "quantum chromodynamics") == []


async def test_one_business_is_never_searched_for_another(knowledge, store):
    """Not even where the other one has the same words (seed 000, tenant scoping)."""
    await write_down(store, "other", "faqs", {"other-parking": FAQS["parking"]})
    assert await ids(knowledge, "vehicle", "other") == ["other-parking"]
    assert await ids(knowledge, "vehicle") == ["parking"]


async def test_an_edited_text_is_found_by_its_new_meaning(knowledge, store):
    """As soon as the texts are read again."""
    await ids(knowledge, "puppy")
    await write_down(store, "demo-salon", "faqs", {"dogs": {"question": "Any itch?", "answer": "A test is free."}})
    knowledge.forget(PATHS)
    assert await ids(knowledge, "puppy") == []
    assert await ids(knowledge, "itchy") == ["dogs"]


async def test_a_text_that_moved_is_found_where_it_stands_now(knowledge, store):
    """The vectors of its words are kept; which document they stand in is read with the texts."""
    assert await ids(knowledge, "puppy") == ["dogs"]
    await store.commit([Delete(PATHS.document("faqs", "dogs"))])
    await write_down(store, "demo-salon", "faqs", {"animals": FAQS["dogs"]})
    knowledge.forget(PATHS)
    assert await ids(knowledge, "puppy") == ["animals"]


async def test_a_search_asks_the_store_no_more_than_before(knowledge, store, embedder, clock):
    """The passages are compared in memory; their vectors stay while the words do."""
    await ids(knowledge, "vehicle")
    passages = embedder.passages()
    store.asked.clear()
    clock.wait(61)
    await asyncio.gather(*(ids(knowledge, "vehicle") for _ in range(20)))
    assert store.asked == {"query": 3}
    assert embedder.passages() == passages


async def test_when_the_embedder_fails_the_words_still_answer(knowledge, embedder):
    """And when it is back, so is the meaning."""
    embedder.is_down = True
    assert await ids(knowledge, "parking") == ["parking"]
    assert await ids(knowledge, "vehicle") == []
    embedder.is_down = False
    assert await ids(knowledge, "vehicle") == ["parking"]


async def test_an_embedder_that_is_not_ready_delays_nobody(knowledge, embedder):
    """Within the call's deadline, by words alone; the vectors are finished for whoever comes next."""
    embedder.gate = asyncio.Event()
    with ending_in(0.15):
        assert await ids(knowledge, "parking") == ["parking"]
    embedder.gate.set()
    assert await ids(knowledge, "vehicle") == ["parking"]
    assert len(embedder.passages()) == 3


async def test_the_first_callers_deadline_does_not_bind_what_serves_everyone(knowledge, embedder):
    """Their question has theirs; the vectors of the passages are for all who come after."""
    with ending_in(20.0):
        await ids(knowledge, "vehicle")
    assert embedder.time_left["question"] <= 20.0
    assert embedder.time_left["passage"] == 1_000.0


def test_patience_leaves_time_for_the_answer():
    """On the phone a retrieval has 800 ms, of which reading the texts may take the store's whole time-out."""
    deadline_s = min(p.retrieval_deadline_ms for p in policy.CHANNEL_POLICY.values()) / 1_000
    assert sum(LIMITS_S) <= deadline_s


@pytest.mark.parametrize(("question", "asked"), [("", []), ("   ", []), ("?!", ["?!"])])
async def test_an_empty_question_asks_nobody(knowledge, embedder, question, asked):
    """Vendors refuse empty text, and that only."""
    await ids(knowledge, question)
    assert [text for purpose, text in embedder.asked if purpose == "question"] == asked


async def test_without_an_embedder_there_is_nothing_to_index(store, clock):
    """`SWITCHBOARD_EMBEDDINGS=none`."""
    await write_down(store, "demo-salon", "faqs", FAQS)
    plain = Knowledge(store, clock)
    assert await ids(plain, "parking") == ["parking"]
    assert await plain.reindex(PATHS) == Reindexed()
    assert await stored(store, "demo-salon", "passages") == {}


async def test_reindexing_embeds_what_is_new_and_removes_what_is_gone(knowledge, store, embedder):
    """Unchanged text keeps its vector and is never embedded twice."""
    assert await knowledge.reindex(PATHS) == Reindexed(kept=0, embedded=3, removed=0)
    before = await stored(store, "demo-salon", "passages")
    assert {(d["kind"], d["documentId"], d["model"]) for d in before.values()} == {
        ("faq", "parking", "test:knowing"),
        ("faq", "dogs", "test:knowing"),
        ("policy", "cancellation", "test:knowing"),
    }
    assert all(isinstance(d["vector"], Vector) for d in before.values())
    assert await knowledge.reindex(PATHS) == Reindexed(kept=3, embedded=0, removed=0)
    await write_down(store, "demo-salon", "faqs", {"dogs": {"question": "May I bring my cat?", "answer": "No."}})
    assert await knowledge.reindex(PATHS) == Reindexed(kept=2, embedded=1, removed=1)
    assert len(embedder.passages()) == 4
    embedder.name = "test:another"
    assert await knowledge.reindex(PATHS) == Reindexed(kept=0, embedded=3, removed=3)


async def test_an_interrupted_reindexing_is_continued(store, embedder):
    """What was written stays; the rest is done by the next one."""
    passages = [Passage(f"p{n}", "faq", f"Question {n}", "Parking.") for n in range(vector_search.BATCH + 5)]
    commit, commits = store.inner.commit, []

    async def failing_second(writes):
        commits.append(len(writes))
        if len(commits) == 2:
            raise RuntimeError("killed")
        return await commit(writes)

    store.inner.commit = failing_second
    with pytest.raises(RuntimeError):
        await reindex(store, embedder, PATHS, passages)
    assert await reindex(store, embedder, PATHS, passages) == Reindexed(kept=vector_search.BATCH, embedded=5)


async def test_stored_vectors_are_read_instead_of_bought_again(store, clock):
    """A model that is asked over the network embeds a passage once, not once per instance."""
    remote = KnowingEmbedder(is_local=False)
    await write_down(store, "demo-salon", "faqs", FAQS)
    await Knowledge(store, clock, remote).reindex(PATHS)
    remote.asked.clear()
    instance = Knowledge(store, clock, remote)
    assert await ids(instance, "vehicle") == ["parking"]
    assert remote.asked == [("question", "vehicle")]
    await write_down(store, "demo-salon", "faqs", {"new": {"question": "Itchy?", "answer": "Take the test."}})
    instance.forget(PATHS)
    assert await ids(instance, "allergic") == ["new"]
    assert remote.passages() == ["Itchy?\nTake the test."]


async def agreeing(store, clock, embedder):
    """Assert that the nearest in memory and the nearest in the store are the same."""
    words = ["parking car", "garage dog", "dog puppy itch", "cancel", "cancel car dog", "allergies test park", "soap"]
    passages = [Passage(f"p{n}", "faq", text, f"Text {n}.") for n, text in enumerate(words)]
    await reindex(store, embedder, PATHS, passages)
    here, there = (
        VectorSearch(store, clock, embedder),
        VectorSearch(store, clock, embedder, in_memory=len(passages) - 1),
    )
    for question in ("my vehicle", "puppy and car", "itchy", "call off", "quantum"):
        found = [await m.nearest(PATHS, m.keyed(passages), question, 4) for m in (here, there)]
        told = [[(n.passage.id, round(n.similarity, 4)) for n in neighbours] for neighbours in found]
        assert sorted(told[0]) == sorted(told[1])
        assert bool(told[0]) == (question != "quantum")


async def test_memory_and_store_find_the_same(store, clock, embedder):
    """Which of them searches depends on how much a business has written down."""
    await agreeing(store, clock, embedder)
    assert "businesses/demo-salon/passages" in store.paths


async def test_memory_and_firestore_find_the_same(emulator_host, worker_project, clock, embedder):
    """With Firestore's own search for the nearest."""
    firestore = FirestoreStore(f"{worker_project}-{uuid.uuid4().hex[:8]}", emulator_host=emulator_host)
    try:
        await agreeing(firestore, clock, embedder)
    finally:
        await firestore.close()


async def test_a_vector_whose_words_have_changed_finds_nothing(clock, embedder):
    """The store may still hold it: an owner has just saved, and the vectors are not written yet."""
    store = MemoryStore()
    old = [Passage("a", "faq", "parking", "Yes."), Passage("b", "faq", "dog", "Yes.")]
    await reindex(store, embedder, PATHS, old)
    there = VectorSearch(store, clock, embedder, in_memory=1)
    now = [Passage("a", "faq", "soap", "No."), old[1]]
    assert await there.nearest(PATHS, there.keyed(now), "vehicle", 4) == []
    assert [n.passage.id for n in await there.nearest(PATHS, there.keyed(now), "puppy", 4)] == ["b"]


async def test_vectors_of_another_model_are_never_compared(clock, embedder):
    """They may lie nearest by chance, and would take the places of those that mean something."""
    store = MemoryStore()
    passages = [Passage("a", "faq", "parking dog", "Yes."), Passage("b", "faq", "soap", "Yes.")]
    await reindex(store, embedder, PATHS, passages)
    (nearest,) = await embedder.embed(["parking"], "question")
    foreign = {f"foreign{n}": {"model": "test:another", "vector": Vector(tuple(nearest))} for n in range(5)}
    await write_down(store, "demo-salon", "passages", foreign)
    there = VectorSearch(store, clock, embedder, in_memory=1)
    assert [n.passage.id for n in await there.nearest(PATHS, there.keyed(passages), "parking", 2)] == ["a"]


async def test_a_large_business_is_read_page_by_page(clock, embedder, monkeypatch):
    """Every document is found, however many pages they fill."""
    monkeypatch.setattr("switchboard.desk.knowledge.knowledge._PAGE", 7)
    store = MemoryStore()
    await write_down(
        store, "demo-salon", "faqs", {f"q{n:02}": {"question": f"Word{n}", "answer": "x"} for n in range(21)}
    )
    knowledge = Knowledge(store, clock, embedder)
    assert [await ids(knowledge, f"word{n}") for n in (0, 6, 7, 20)] == [["q00"], ["q06"], ["q07"], ["q20"]]
