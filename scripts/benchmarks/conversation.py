"""What a conversation adds to a streamed token, a call and an interruption; what a turn costs beside peers."""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import orjson

from benchmarks import peers
from benchmarks.dispatch import ARGUMENTS, LATER
from benchmarks.figure import Effort, Figure, Line
from benchmarks.first_words import first_words
from benchmarks.peers import Peer
from benchmarks.silence import silences
from benchmarks.talking import ANSWER, InstantModel, handler_times, open_talks
from benchmarks.timing import Batch, Comparison, compare, microseconds, of_awaits, profile
from benchmarks.token_server import TOKENS
from switchboard.contract.model import Ended, Ending, ModelEvent, Prompt, TextPiece
from switchboard.conversation.conversation import Conversation
from switchboard.conversation.event import Text, TurnEnded
from switchboard.conversation.speech.utterance import Utterance
from switchboard.integrations.http_session import HttpSession
from switchboard.models.openai_chat import OpenAIChat

TOKEN_S, TO_HANDLER_S, TO_REQUEST_S, SILENCE_S = 50e-6, 5e-3, 2e-3, 50e-3
TIMES_FASTER = 4
TURNS = 10
SAID = Utterance("When is my appointment?")
MODES = {"all at once": "burst", "one by one": "paced"}
_WAITS = 200
_STREAMS = 8


def measure(effort: Effort) -> Figure:
    """Return the figure."""
    with _token_server() as url:
        return asyncio.run(_measure(effort, url))


async def _measure(effort: Effort, url: str) -> Figure:
    lines = await _tokens(effort, url)
    lines += await first_words(effort)
    lines += await _waits(effort)
    lines += [await _interruptions(effort)]
    lines += await silences(effort)
    turn = Comparison("a turn: 2 answers, a call, 13 tools", await _turns(is_recorded=False), of_awaits(_bare))
    recorded = Comparison("the same, its record written to the store", await _turns(is_recorded=True), of_awaits(_bare))
    lines += await compare([turn, recorded], effort)
    if effort.peers:
        rivals = [
            Peer("a turn beside OpenAI Agents SDK", "openai_agents_turn", "openai-agents==0.24.0", TIMES_FASTER),
            Peer("a turn beside LangChain, create_agent", "langchain_turn", "langchain==1.4.7", TIMES_FASTER),
            Peer("a turn beside pydantic-ai", "pydantic_ai_turn", "pydantic-ai-slim==2.68.0", TIMES_FASTER),
        ]
        lines += peers.against(rivals, effort, turn.ratio(), statistics.median(turn.ours_s))
    return Figure(
        "conversation: what the turn loop costs, CPU time (waits: wall time), store and ledger in memory",
        "beside",
        tuple(lines),
        (
            f"Tokens: {TOKENS} a stream, beside reading the same bytes with aiohttp and orjson; the rest counts.",
            "The claim guard of every tool that claims something is on, except where it says so.",
            f"Turns: conversations of {TURNS}, beside a bare handler between json.loads and json.dumps; no peer",
            "keeps a record, so that theirs stand beside our turn without one.",
            "Silences: in real time, after the caller's last word and after what has been spoken.",
        ),
        await profile(await _turns(is_recorded=False)) if effort.detail else "",
    )


async def _tokens(effort: Effort, url: str) -> list[Line]:
    http = HttpSession()
    lines = []
    try:
        for what, mode in MODES.items():
            base = f"{url}/{mode}/v1"
            readers = {
                "raw": _raw(http, base),
                "loop": await _through_loop(http, base, is_guarded=False),
                "guarded": await _through_loop(http, base, is_guarded=True),
            }
            by_name: dict[str, list[float]] = {name: [] for name in readers}
            for _ in range(2 if effort.quick else effort.rounds * 2):
                for name, read in readers.items():
                    by_name[name].append(await read(1 if effort.quick else _STREAMS))
            raw, loop, guarded = (statistics.median(values) / TOKENS for values in by_name.values())
            added = guarded - raw
            lines += [
                Line(f"a token, {what}, without the guard", microseconds(loop - raw), microseconds(raw)),
                Line(f"a token, {what}", microseconds(added), microseconds(raw), "", "≤ 50 µs", added <= TOKEN_S),
            ]
    finally:
        await http.close()
    return lines


def _raw(http: HttpSession, base: str) -> Batch:
    """Return batches of reading a stream's words with nothing around it."""

    async def read() -> str:
        words, rest = [], b""
        async with http.client().post(f"{base}/chat/completions", data=b"{}") as response:
            async for chunk in response.content.iter_any():
                *events, rest = (rest + chunk).split(b"\n\n")
                for event in events:
                    if event[6:7] == b"{":
                        words.append(orjson.loads(event[6:])["choices"][0]["delta"].get("content") or "")
        return "".join(words)

    return of_awaits(read)


async def _through_loop(http: HttpSession, base: str, *, is_guarded: bool) -> Batch:
    begin = await open_talks(OpenAIChat("m", base, "", http.client), is_guarded, is_recorded=False)

    async def read() -> None:
        chosen = "".join([event.text async for event in begin().reply(SAID) if type(event) is Text])
        assert chosen.count(" ") > TOKENS / 2

    return of_awaits(read)


async def _waits(effort: Effort) -> list[Line]:
    """Return how long it takes from a model's last fragment to the handler, and from its result to the next request."""
    model = InstantModel()
    begin = await open_talks(model)
    handler_times.clear()
    for _ in range(5 if effort.quick else _WAITS // TURNS):
        await _talk(begin(), TURNS)
    to_handler = [entered - left for left, (entered, _) in zip(model.called, handler_times, strict=True)]
    to_request = [asked - left for asked, (_, left) in zip(model.asked[1::2], handler_times, strict=True)]
    return [
        _wait("from the last fragment of a call to its handler", to_handler, TO_HANDLER_S),
        _wait("from a tool's result to the next request", to_request, TO_REQUEST_S),
    ]


async def _interruptions(effort: Effort) -> Line:
    """Return how long it takes from an interruption to the last event of the turn, wherever in the answer it falls."""

    class Talker:
        name, dialect = "talker", "openai"

        async def stream(self, prompt: Prompt) -> AsyncIterator[ModelEvent]:
            for _ in count():
                yield TextPiece(" We open at nine.")
                await asyncio.sleep(0)
            yield Ended(Ending.STOPPED)

    begin = await open_talks(Talker())
    took = []
    for number in range(10 if effort.quick else _WAITS):
        conversation, began = begin(), asyncio.Event()
        ended: list[float] = []

        async def listen(
            talk: Conversation = conversation, began: asyncio.Event = began, to: list[float] = ended
        ) -> None:
            heard = 0
            async for event in talk.reply(SAID):
                heard += 1
                if heard > 3:
                    began.set()
                if type(event) is TurnEnded:
                    to.append(time.perf_counter())

        task = asyncio.create_task(listen())
        await began.wait()
        for _ in range(number % 7):
            await asyncio.sleep(0)
        interrupted = time.perf_counter()
        await conversation.interrupt("We open")
        await task
        took.append(ended[0] - interrupted)
    return _wait("from an interruption to the last event", took, SILENCE_S)


def _wait(what: str, seconds: list[float], target: float) -> Line:
    slow = statistics.quantiles(seconds, n=100)[98]
    text = f"p50 {microseconds(statistics.median(seconds))}, p99 {microseconds(slow)}"
    return Line(what, text, "", "", f"≤ {target * 1000:g} ms", slow <= target)


async def _turns(*, is_recorded: bool) -> Batch:
    """Return batches of turns, some of them in each conversation."""
    begin = await open_talks(InstantModel(), is_recorded=is_recorded)

    async def batch(times: int) -> float:
        conversations = max(1, round(times / TURNS))
        began = time.process_time()
        for _ in range(conversations):
            await _talk(begin(), TURNS)
        return (time.process_time() - began) / (conversations * TURNS)

    await batch(20 * TURNS)
    return batch


async def _talk(conversation: Conversation, turns: int) -> None:
    for _ in range(turns):
        chosen = [event.text async for event in conversation.reply(SAID) if type(event) is Text]
        assert chosen == [ANSWER], chosen


async def _bare() -> str:
    return await LATER.bare(ARGUMENTS[0])


@contextmanager
def _token_server() -> Iterator[str]:
    command = [sys.executable, str(Path(__file__).with_name("token_server.py"))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{server.stdout.readline().strip()}"
        finally:
            server.kill()
