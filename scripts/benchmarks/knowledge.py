"""How often the right passage is found for a caller's question, and how long the retrieval tools take.

The questions are in `knowledge_questions.json`: `[style, question, [kind:id, ...]]` per demo business, any of the named
entries being right. Styles: `paraphrase` (other words than the text's), `typo`, `speech` (as a recogniser writes it)
and `plain`. They and the list of concepts in the offline embedder were written by the same hand, though apart: take the
figures for an upper bound, and the differences between the rows for what they are.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import statistics
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.asgi import request
from benchmarks.figure import Effort, Figure, Line
from operations import seeding
from running import demo, emulator
from switchboard.app.clients import SystemClock
from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.contract.store import Document, Unavailable
from switchboard.desk.knowledge.chunk import Passage, faq_passages, knowledge_passages, policy_passages
from switchboard.desk.knowledge.keyword_index import STOP_WORDS, KeywordIndex
from switchboard.desk.knowledge.knowledge import fused
from switchboard.desk.knowledge.vector_search import Neighbour, VectorSearch
from switchboard.integrations.embeddings.factory import open_offline
from switchboard.state.firestore.store import FirestoreStore
from switchboard.state.memory.store import MemoryStore
from switchboard.state.paths import FirestorePaths

QUESTIONS = Path(__file__).with_name("knowledge_questions.json")
LANGUAGES = {demo.SALON: "English", "demo-plumber": "German"}
KEY = "sb_bench"
CONCURRENT = 20
TARGET_MS = 100.0
_CONSIDERED = 20
_CALLS_A_ROUND = 10
_TRIES = 30
# Somebody with bookings.
_CALLER = {"callerPhone": "+15185550162", "callerId": "clr_miguel_santos", "callerVerified": True}
_PATHS = FirestorePaths()


@dataclass(frozen=True)
class Asked:
    """A question, what would be right, and what each way of searching found, best first."""

    language: str
    style: str
    question: str
    right: frozenset[str]
    found: dict[str, list[str]]

    def is_hit(self, way: str, within: int) -> bool:
        """Whether a right entry is among the first."""
        return not self.right.isdisjoint(self.found[way][:within])


def measure(effort: Effort) -> Figure:
    """Return the figure; without an emulator only how often the right passage is found."""
    asked = asyncio.run(ask_everything())
    rows = [_row(way, asked) for way in ("words", "meaning", "both")]
    first = {way: sum(a.is_hit(way, 1) for a in asked) for way in ("words", "both")}
    third = {way: sum(a.is_hit(way, 3) for a in asked) for way in ("words", "both")}
    better = first["both"] > first["words"] and third["both"] > third["words"]
    rows[-1] = Line(rows[-1].what, rows[-1].ours, target="more than by words alone", met=better)
    notes = [f"{len(asked)} questions over two businesses; the embedder {open_offline().name}."]
    rows += asyncio.run(_embedding(effort))
    if emulator.named_host() or emulator.find():
        rows += _latencies(effort)
        notes.append(f"POST /tools/execute in this process, {CONCURRENT} at once, in sessions that are open.")
    else:
        notes.append(f"Latencies were left out: {emulator.why_missing()}")
    detail = "\n".join(_detail(asked)) if effort.detail else ""
    return Figure("knowledge: what is found, and how fast", "", tuple(rows), tuple(notes), detail)


def passages_of(business: str) -> list[Passage]:
    """Return everything that a demo business has written down, as the desk reads it."""
    folder, now = demo.SEEDS / "businesses" / business, datetime.now(UTC)

    def documents(name: str) -> list[Document]:
        stored = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        return [Document(f"businesses/{business}/{name}/{id}", data, now, now) for id, data in stored.items()]

    faqs, policies = faq_passages(documents("faqs")), policy_passages(documents("policies"))
    return [*faqs, *policies, *knowledge_passages(documents("knowledge"))]


async def ask_everything() -> list[Asked]:
    """Return every question with what each way of searching finds."""
    clock = SystemClock()
    meaning = VectorSearch(MemoryStore(), clock, open_offline(STOP_WORDS))
    await meaning.warm()
    asked = []
    for business, questions in json.loads(QUESTIONS.read_text(encoding="utf-8")).items():
        passages, paths = passages_of(business), _PATHS.within(business)
        index, keyed = KeywordIndex(passages), meaning.keyed(passages)
        known = {_name(passage) for passage in passages}
        await _read_in(meaning, paths, keyed)
        for style, question, right in questions:
            assert known.issuperset(right), right
            hits = index.search(question, _CONSIDERED)
            near = await _patiently(meaning, paths, keyed, question)
            rankings = {"words": hits, "meaning": fused([], near, _CONSIDERED), "both": fused(hits, near, _CONSIDERED)}
            names = {way: [_name(hit.passage) for hit in ranking] for way, ranking in rankings.items()}
            asked.append(Asked(LANGUAGES[business], style, question, frozenset(right), names))
    return asked


async def _read_in(meaning: VectorSearch, paths: Any, keyed: Any) -> None:
    """Wait for the vectors of the passages; a caller who comes earlier is answered by words alone."""
    about = next(iter(keyed.values())).title
    for _ in range(_TRIES):
        if await meaning.nearest(paths, keyed, about, 1):
            return


async def _patiently(meaning: VectorSearch, paths: Any, keyed: Any, question: str) -> Sequence[Neighbour]:
    near = await meaning.nearest(paths, keyed, question, _CONSIDERED)
    # Nothing may mean that a busy machine was not ready in time.
    return near or await meaning.nearest(paths, keyed, question, _CONSIDERED)


def _name(passage: Passage) -> str:
    return f"{passage.kind}:{passage.id}"


def _row(way: str, asked: Sequence[Asked]) -> Line:
    shares = [sum(a.is_hit(way, within) for a in asked) / len(asked) for within in (1, 3)]
    words = {"words": "by words alone", "meaning": "by meaning alone", "both": "by both"}[way]
    return Line(f"right passage found {words}", f"first {shares[0]:.0%}, among three {shares[1]:.0%}")


def _detail(asked: Sequence[Asked]) -> list[str]:
    lines = []
    for language, style in dict.fromkeys((a.language, a.style) for a in asked):
        rows = [a for a in asked if (a.language, a.style) == (language, style)]
        text = ", ".join(
            f"{way} {sum(a.is_hit(way, 1) for a in rows)}/{sum(a.is_hit(way, 3) for a in rows)}"
            for way in rows[0].found
        )
        lines.append(f"  {language}, {style}, {len(rows)} questions, first/among three: {text}")
    lines += [f"  missed: {a.question!r} found {a.found['both'][:3]}" for a in asked if not a.is_hit("both", 3)]
    return lines


async def _embedding(effort: Effort) -> list[Line]:
    embedder = open_offline(STOP_WORDS)
    questions = [question for _, question, _ in json.loads(QUESTIONS.read_text(encoding="utf-8"))[demo.SALON]]
    began = time.perf_counter()
    await embedder.warm()
    warm, alone, together, pauses = time.perf_counter() - began, [], [], [0.0]
    watching = asyncio.create_task(_watch(pauses))
    for round in range(effort.rounds):
        for question in questions[:CONCURRENT]:
            began = time.perf_counter()
            await embedder.embed([f"{question} {round}"], "question")
            alone.append(time.perf_counter() - began)
        began = time.perf_counter()
        await asyncio.gather(*(embedder.embed([f"{q} {round}?"], "question") for q in questions[:CONCURRENT]))
        together.append(time.perf_counter() - began)
    watching.cancel()
    return [
        Line("embedder ready after", f"{warm * 1e3:.0f} ms"),
        Line("one question embedded", f"{statistics.median(alone) * 1e3:.1f} ms"),
        Line(f"{CONCURRENT} at once, all embedded after", f"{statistics.median(together) * 1e3:.0f} ms"),
        Line("longest pause of the event loop meanwhile", f"{max(pauses) * 1e3:.0f} ms"),
    ]


async def _watch(pauses: list[float]) -> None:
    """Note how much later than asked for the loop comes back, a millisecond at a time."""
    while True:
        began = time.perf_counter()
        await asyncio.sleep(0.001)
        pauses.append(time.perf_counter() - began - 0.001)


def _latencies(effort: Effort) -> list[Line]:
    project = f"demo-bench-{uuid.uuid4().hex[:8]}"
    with emulator.running() as host:
        try:
            return asyncio.run(_measure(effort, host, project))
        finally:
            emulator.clear(host, project)


async def _measure(effort: Effort, host: str, project: str) -> list[Line]:
    store = FirestoreStore(project, emulator_host=host)
    await _warm(store)
    await demo.furnish(store, _PATHS, datetime.now(UTC))
    await demo.make_keys(store, _PATHS, KEY)
    house = build(read_configuration({}), store)
    try:
        await house.desk.knowledge.warm()
        return [await _latency(house.app, name, effort) for name in _arguments()]
    finally:
        await house.close()


async def _warm(store: FirestoreStore) -> None:
    """Connect, however long an emulator that has just been started on a busy machine takes to answer."""
    for patience in range(_TRIES - 1, -1, -1):
        try:
            return await store.warm()
        except Unavailable:
            if not patience:
                raise
            await asyncio.sleep(seeding.PAUSE_S)


def _arguments() -> dict[str, Any]:
    """Return how to ask each tool; every call asks for something else, so that no answer is given twice."""
    questions = [question for _, question, _ in json.loads(QUESTIONS.read_text(encoding="utf-8"))[demo.SALON]]
    ids = [passage.id for passage in passages_of(demo.SALON) if passage.kind == "knowledge"]
    topics = ["cancellation", "parking", "hours", "pricing", "deposits", "refunds", "location", "late arrival"]
    return {
        # Its handler reads nothing: what it takes is what every call takes.
        "get_business_services": lambda n: {},
        "search_knowledge": lambda n: {"query": f"{questions[n % len(questions)]} {n}"},
        "kb_get": lambda n: {"entity_id": ids[n % len(ids)], "kind": "knowledge"},
        "get_policies": lambda n: {"topic": f"{topics[n % len(topics)]}"},
        "get_faqs": lambda n: {"topic": f"{topics[n % len(topics)]}"},
        "get_latest_booking": lambda n: {},
    }


async def _latency(app: Any, name: str, effort: Effort) -> Line:
    numbers, seconds, refused = itertools.count(1), [], []
    arguments, calls = _arguments()[name], 2 if effort.quick else _CALLS_A_ROUND

    async def call(session: str, tool: str, turn: int, args: Any) -> None:
        context = {"channel": "phone", "sessionId": session, "turn": turn, "callId": f"{session}-{turn}", **_CALLER}
        body = {"businessId": demo.SALON, "name": tool, "args": args, "context": context}
        status, answer = await request(app, "POST", "/tools/execute", key=KEY, body=json.dumps(body).encode())
        envelope = json.loads(answer)
        if status != 200 or not envelope["ok"]:
            refused.append(envelope)

    async def caller(sessions: Sequence[str], is_opening: bool) -> None:
        for session in sessions:
            began = time.perf_counter()
            if is_opening:
                await call(session, "get_working_hours", 1, {})
            else:
                await call(session, name, 2, arguments(next(numbers)))
                seconds.append(time.perf_counter() - began)

    async def everyone(is_opening: bool, round: int) -> None:
        # A session for each call: within one, the same question would be answered from what was answered before.
        rows = [[f"{name}-{round}-{n}-{call}" for call in range(calls)] for n in range(CONCURRENT)]
        await asyncio.gather(*(caller(sessions, is_opening) for sessions in rows))

    medians, slow = [], []
    for round in range(effort.rounds):
        await everyone(True, round)
        refused.clear()
        seconds.clear()
        await everyone(False, round)
        medians.append(statistics.median(seconds) * 1e3)
        slow.append(statistics.quantiles(seconds, n=20)[-1] * 1e3)
    p95 = statistics.median(slow)
    text = f"p50 {statistics.median(medians):.0f} ms, p95 {p95:.0f} ms" + (
        f", {len(refused)} not ok" if refused else ""
    )
    return Line(
        f"{name}, {CONCURRENT} at once", text, target=f"p95 ≤ {TARGET_MS:.0f} ms", met=p95 <= TARGET_MS and not refused
    )
