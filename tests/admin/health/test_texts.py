"""Texts of a business that say something else than what was entered of it."""

from datetime import UTC, datetime

from switchboard.admin.health.texts import about_texts
from switchboard.contract.business.business import read_business
from switchboard.contract.store import Create
from switchboard.conversation.claims.statements.own_texts import told_otherwise
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths

WITHIN = FirestorePaths().within("salon")
SALON = read_business(
    "salon",
    {"name": "Maple", "timezone": "America/New_York", "services": [{"name": "Haircut", "price": "$48"}]},
)
NOW = datetime(2026, 12, 1, 17, tzinfo=UTC)


async def test_each_text_that_says_otherwise_is_named_beside_what_was_entered():
    """Of FAQs and policies, each once, with the sentence and where it stands; what agrees is not named."""
    store = MemoryStore()
    texts = {
        WITHIN.document("faqs", "a"): {
            "question": "How much is a haircut?",
            "answer": "It is $50. A Haircut costs $51.",
        },
        WITHIN.document("faqs", "b"): {"question": "Is a haircut $48?", "answer": "Yes, a Haircut is $48."},
        WITHIN.document("policies", "c"): {"topic": "prices", "content": "A Haircut costs $40."},
    }
    await store.commit([Create(path, data) for path, data in texts.items()])
    found = await about_texts(store, WITHIN, SALON, NOW, told_otherwise)
    assert [one.what for one in found] == ["text_otherwise"] * 2
    assert found[0].subject == "“It is $50.” in FAQ: How much is a haircut?; the price is $48"
    assert "“A Haircut costs $40.” in " in found[1].subject
    assert "callers may be told either" in found[0].to_json()["means"]


async def test_of_very_many_texts_ten_are_named():
    """And of each collection a hundred are read: a look costs no more."""
    store = MemoryStore()
    text = {"question": "How much is a haircut?", "answer": "It is $50."}
    for start in range(0, 150, 50):
        await store.commit([Create(WITHIN.document("faqs", f"f{n:03}"), text) for n in range(start, start + 50)])
    read = list[str]()

    def reads(business, text, now, question=""):
        read.append(text)
        return [] if len(read) <= 95 else told_otherwise(business, text, now, question)

    assert len(await about_texts(store, WITHIN, SALON, NOW, reads)) == 5
    assert len(read) == 100
    assert len(await about_texts(store, WITHIN, SALON, NOW, told_otherwise)) == 10
