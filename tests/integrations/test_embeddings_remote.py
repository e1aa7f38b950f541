"""Vectors from models over HTTP, asked of a stand-in server on this machine."""

import asyncio
import json
import math
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web

from switchboard.contract.deadline import ending_in
from switchboard.contract.error import ErrorType, ToolError
from switchboard.integrations.embeddings.factory import ModelEndpoints, NoSuchEmbedder, open_embedder
from switchboard.integrations.embeddings.failures import FAILURES
from switchboard.integrations.embeddings.minilm import MiniLMEmbedder
from switchboard.integrations.embeddings.remote import DIMENSION, RemoteEmbedder
from switchboard.integrations.http_session import HttpSession
from tests.each import each

OPENAI, GEMINI = "openai:text-embedding-3-small", "gemini:gemini-embedding-001"


class Models:
    """A server that embeds a text as its length, twice; what it was asked is kept."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, str], Any]] = []
        self.answer: tuple[int, Any] | None = None
        self.silent = asyncio.Event()

    async def handle(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.asked.append((request.path, dict(request.headers), body))
        if self.answer == (0, None):
            await self.silent.wait()
        if self.answer is not None:
            status, answer = self.answer
            return web.Response(status=status, text=answer if isinstance(answer, str) else json.dumps(answer))
        if "requests" in body:
            texts = [r["content"]["parts"][0]["text"] for r in body["requests"]]
            return web.json_response({"embeddings": [{"values": _vector(text)} for text in texts]})
        rows = [{"index": n, "embedding": _vector(text)} for n, text in enumerate(body["input"])]
        return web.json_response({"data": rows[::-1]})


def _vector(text: str) -> list[float]:
    return [float(len(text)), 1.0]


def unit(text: str) -> list[float]:
    length = math.hypot(len(text), 1)
    return [len(text) / length, 1 / length]


@pytest.fixture
async def models() -> AsyncIterator[Models]:
    found = Models()
    app = web.Application()
    app.router.add_post("/{path:.*}", found.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    found.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield found
    found.silent.set()
    await runner.cleanup()


@pytest.fixture(params=[OPENAI, GEMINI])
def embedder(request: pytest.FixtureRequest, models: Models, http: HttpSession) -> RemoteEmbedder:
    """Each vendor's, pointed at the stand-in."""
    endpoints = ModelEndpoints(f"{models.url}/v1", "sk-test", models.url, "g-test")
    found = open_embedder(request.param, http, endpoints)
    assert isinstance(found, RemoteEmbedder)
    return found


async def test_every_text_gets_its_own_vector_of_length_one(embedder):
    """In the order of the texts, whatever order the vendor answers in, and however long its vectors are."""
    found = await embedder.embed(["a", "bbb", "cc"], "passage")
    assert [[round(x, 6) for x in v] for v in found] == [[round(x, 6) for x in unit(t)] for t in ("a", "bbb", "cc")]


async def test_openai_is_asked_as_it_wants_to_be(models, http):
    """`POST /embeddings` with a bearer key; dimensions only of models that can be asked for them."""
    for model, extra in [("text-embedding-3-large", {"dimensions": DIMENSION}), ("nomic-embed-text", {})]:
        found = open_embedder(f"openai:{model}", http, ModelEndpoints(f"{models.url}/v1", "sk-test"))
        await found.embed(["hello"], "question")
        path, headers, body = models.asked.pop()
        assert (path, headers["Authorization"]) == ("/v1/embeddings", "Bearer sk-test")
        assert body == {"model": model, "input": ["hello"], "encoding_format": "float", **extra}


async def test_gemini_is_told_questions_from_passages(models, http):
    """`:batchEmbedContents` with a task per request, the key in a header and never in the address."""
    found = open_embedder(GEMINI, http, ModelEndpoints(gemini_url=models.url, gemini_key="g-test"))
    for purpose, task in [("question", "RETRIEVAL_QUERY"), ("passage", "RETRIEVAL_DOCUMENT")]:
        await found.embed(["hello"], purpose)
        path, headers, body = models.asked.pop()
        assert (path, headers["x-goog-api-key"]) == ("/v1beta/models/gemini-embedding-001:batchEmbedContents", "g-test")
        assert body == {
            "requests": [
                {
                    "model": "models/gemini-embedding-001",
                    "taskType": task,
                    "outputDimensionality": DIMENSION,
                    "content": {"parts": [{"text": "hello"}]},
                }
            ]
        }


async def test_many_texts_are_asked_in_several_requests(embedder, models):
    """Each within what a vendor takes; the answers are put together again."""
    texts = ["x" * (n + 1) for n in range(150)]
    found = await embedder.embed(texts, "passage")
    assert len(models.asked) == 3
    assert [[round(x, 6) for x in v] for v in found] == [[round(x, 6) for x in unit(t)] for t in texts]


async def test_nothing_is_asked_about_no_texts(embedder, models):
    """Vendors refuse an empty list."""
    assert await embedder.embed([], "passage") == []
    assert models.asked == []


@pytest.mark.parametrize(
    ("status", "type"), [*FAILURES.items(), (500, ErrorType.TRANSIENT), (503, ErrorType.TRANSIENT), (418, "PERMANENT")]
)
async def test_a_refusal_is_told_in_our_words(embedder, models, status, type):
    """The vendor's own words, which may quote the key, go nowhere."""
    models.answer = (status, {"error": {"message": "Incorrect API key provided: sk-test"}})
    with pytest.raises(ToolError) as caught:
        await embedder.embed(["hello"], "question")
    assert caught.value.type == type
    assert "sk-test" not in f"{caught.value.message} {caught.value.detail}"


@pytest.mark.parametrize(
    "answer",
    [
        "not json",
        {},
        [],
        {"data": [], "embeddings": []},
        {"data": [{"index": 0}], "embeddings": [{}]},
        {"data": [{"index": 0, "embedding": [0.0, 0.0]}], "embeddings": [{"values": [0.0]}]},
        {"data": [{"index": 0, "embedding": ["x"]}], "embeddings": [{"values": ["x"]}]},
        {"data": [{"index": 0, "embedding": []}], "embeddings": [{"values": []}]},
        {"data": [{"index": n, "embedding": [1.0]} for n in (0, 1)], "embeddings": [{"values": [1.0]}] * 2},
    ],
)
async def test_an_answer_that_makes_no_sense_is_permanent(embedder, models, answer):
    """A vector of nothing, or for another text, would find the wrong thing without a word."""
    models.answer = (200, answer)
    with pytest.raises(ToolError) as caught:
        await embedder.embed(["hello"], "question")
    assert caught.value.type is ErrorType.PERMANENT


async def test_a_server_that_says_nothing_costs_no_more_than_the_call_has_left(embedder, models):
    """The call's deadline is shorter than the client's own time-out."""
    models.answer = (0, None)
    with ending_in(0.1), pytest.raises(ToolError) as caught:
        await embedder.embed(["hello"], "question")
    assert caught.value.type is ErrorType.TRANSIENT


async def test_a_long_text_is_known_by_its_beginning(embedder, models):
    """Vendors refuse what is longer than their limit."""
    await embedder.embed(["x" * 100_000], "passage")
    assert len(json.dumps(models.asked[0][2])) < 7_000


@pytest.mark.parametrize(
    ("setting", "kind"), [("", MiniLMEmbedder), ("offline", MiniLMEmbedder), ("none", type(None)), (OPENAI, None)]
)
def test_a_setting_names_an_embedder(setting, kind):
    """`offline` is the default; the name of the model is recorded with its vectors."""
    found = open_embedder(setting, HttpSession(), ModelEndpoints(openai_key="sk-test"))
    assert isinstance(found, kind or RemoteEmbedder)
    if kind is None:
        assert found.name == setting


def test_a_server_of_ones_own_needs_no_key():
    """Such as one that runs beside us."""
    found = open_embedder("openai:some", HttpSession(), ModelEndpoints("http://127.0.0.1:11434/v1"))
    assert isinstance(found, RemoteEmbedder) and found.name == "openai:some"


@each("setting", ["openai", "openai:", "gemini:", "offline:x", "none:x", "word2vec", OPENAI, GEMINI])
def test_a_setting_that_cannot_work_says_what_would(setting):
    """By the name of the variable."""
    with pytest.raises(NoSuchEmbedder) as caught:
        open_embedder(setting, HttpSession(), ModelEndpoints())
    assert "SWITCHBOARD_EMBEDDINGS" in str(caught.value)


def test_keys_stay_out_of_what_is_printed():
    """Records end up in logs."""
    endpoints = ModelEndpoints(openai_key="sk-secret", gemini_key="g-secret")
    assert "secret" not in repr(endpoints)
