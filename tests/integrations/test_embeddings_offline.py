"""Vectors without a model."""

import hashlib
import math
from operator import mul
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from switchboard.desk.knowledge.keyword_index import STOP_WORDS
from switchboard.integrations.embeddings import offline
from switchboard.integrations.embeddings.offline import DIMENSION, OfflineEmbedder
from tests.each import each

EMBEDDER = OfflineEmbedder(STOP_WORDS)
EMBEDDER_WITHOUT_STOPS = OfflineEmbedder()
CONCEPTS = Path(offline.__file__).with_name("concepts.txt")


async def similarity(one: str, other: str) -> float:
    vectors = await EMBEDDER.embed([one, other], "passage")
    return sum(map(mul, *vectors))


@each(
    ("question", "near", "far"),
    [
        ("Where can I leave my car?", "Four parking spaces behind the house", "Cards and cash are fine"),
        ("my puppy", "Dogs are welcome", "We close at six"),
        ("I can't make it", "Cancellations are free until a day before", "The number 6 bus stops here"),
        ("Was kostet es denn?", "Die Preise enthalten die Steuer", "Die Werkstatt ist im Hinterhof"),
        ("mein Waschbecken ist verstopft", "Abflussreinigung", "Heizungswartung"),
        ("Notfall in der Nacht", "emergency service after hours", "gift cards"),
        ("weelchair", "wheelchair", "shampoo"),
        ("rohr reiniger", "Rohrreiniger", "Badberatung"),
    ],
)
@pytest.mark.requirement("000-104")
async def test_texts_of_one_meaning_or_one_look_are_near(question, near, far):
    """Paraphrases, both languages, misspellings, compounds that a recogniser took apart."""
    assert await similarity(question, near) > EMBEDDER.floor > await similarity(question, far)


@given(st.lists(st.text(max_size=200), max_size=4))
@settings(max_examples=60)
async def test_every_text_has_a_vector_and_always_the_same(texts):
    """A unit vector, or of a text without a telling word one that is near nothing."""
    vectors = await OfflineEmbedder().embed(texts, "question")
    assert vectors == await EMBEDDER_WITHOUT_STOPS.embed(texts, "passage")
    assert [len(vector) for vector in vectors] == [DIMENSION] * len(texts)
    assert all(math.isclose(n, 1) or n == 0 for n in (sum(x * x for x in vector) for vector in vectors))


async def test_words_that_tell_nothing_count_for_nothing():
    """Otherwise every question would be near every text that addresses somebody."""
    (vector,) = await EMBEDDER.embed(["Have you had it?"], "question")
    assert not any(vector)


async def test_accents_and_case_make_no_difference():
    """As callers and recognisers write."""
    assert await similarity("ABFLUẞ Öffnungszeiten", "abfluss offnungszeiten") == pytest.approx(1)


async def test_a_vector_stays_what_it_was_when_it_was_stored():
    """Whoever changes concepts or weights must change the name too, or old vectors are compared with new ones."""
    (vector,) = await EMBEDDER.embed(["Is there parking behind the studio?"], "passage")
    digest = hashlib.sha256(",".join(f"{number:.4f}" for number in vector).encode()).hexdigest()
    concepts = hashlib.sha256(CONCEPTS.read_bytes()).hexdigest()
    assert (EMBEDDER.name, digest[:12], concepts[:12]) == ("offline-1", "aee41fd04f07", "bc3111458ecc")
