"""FAQs by topic."""

import pytest

from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.knowledge.topics import SUGGESTED_TOPICS
from tests.desk.front_desk import NOW, call, salon, write_down

FAQS = {
    "parking": {
        "topic": "parking",
        "question": "Is there parking?",
        "answer": "Four spaces.",
        "tags": ["location", "car"],
        "updatedAt": NOW,
    },
    "where": {"topic": "location", "question": "Where are you?", "answer": "48 Maple Street.", "tags": ["directions"]},
    "dogs": {"topic": "Visiting us", "question": "May I bring my dog?", "answer": "Yes.", "tags": ["pets"]},
    "untitled": {"question": "Do you sell soap?", "answer": "We do."},
}


@pytest.fixture
async def shelf(store):
    await write_down(store, "demo-salon", "faqs", FAQS)


@pytest.mark.parametrize(
    ("topic", "found", "is_exact"),
    [
        ("parking", ["parking"], True),
        ("Location", ["where"], True),
        ("visiting_us", ["dogs"], True),
        ("car", ["parking"], True),
        ("PETS", ["dogs"], True),
        ("soap", ["untitled"], False),
        ("zebras", [], False),
    ],
)
@pytest.mark.requirement("000-22", "000-23", "000-29")
async def test_a_topic_finds_its_entries_then_its_tags_then_the_closest(desk, shelf, topic, found, is_exact):
    """An entry's own topic counts more than a tag; none is an answer, not an error (seed 000, get_faqs)."""
    answer = await desk.faqs.on(call(salon()), topic)
    assert ([f.id for f in answer.entries], answer.is_exact) == (found, is_exact)
    assert answer.known_topics == ("Visiting us", "parking", "location")


@pytest.mark.requirement("000-44")
async def test_without_a_topic_the_refusal_names_some(desk, shelf):
    """The usual ones, and those that only this business has (seed 000, "Tool Usage Policy")."""
    with pytest.raises(ToolError) as caught:
        await desk.faqs.on(call(salon()), None)
    assert caught.value.type is ErrorType.VALIDATION
    assert all(topic in caught.value.message for topic in (*SUGGESTED_TOPICS, "Visiting us"))


async def test_another_business_has_none_of_them(desk, shelf):
    """Each business has its own shelf (seed 000, tenant scoping)."""
    answer = await desk.faqs.on(call(salon("other")), "parking")
    assert (answer.entries, answer.known_topics) == ((), ())


async def test_a_store_that_hangs_is_transient(desk, store):
    """And once more may help."""
    store.fail("query")
    with pytest.raises(ToolError) as caught:
        await desk.faqs.on(call(salon()), "parking")
    assert caught.value.type is ErrorType.TRANSIENT
