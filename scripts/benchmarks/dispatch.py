"""One call by `execute_tool` in this process, against a handler that is written down before and after it runs."""

from __future__ import annotations

import asyncio
import itertools
import json
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from benchmarks import peers
from benchmarks.figure import Effort, Figure
from benchmarks.planted import BUSINESS, DOCUMENT, FOUND, PATHS, is_kept, look_up
from benchmarks.timing import Batch, Comparison, compare, profile
from switchboard.app.clients import SystemClock
from switchboard.catalog.definitions.definitions import Definitions
from switchboard.catalog.definitions.registry import BuiltTool, Registry
from switchboard.catalog.definitions.signature import read_signature
from switchboard.catalog.offer.catalog import Catalog
from switchboard.catalog.tenant_tools.sessions import SessionLocks
from switchboard.contract.context import CallContext, PortalContext
from switchboard.contract.definitions.definition import read_definition
from switchboard.contract.response import Result
from switchboard.contract.store import Create, Set, Update
from switchboard.pipeline.dispatcher import Dispatcher
from switchboard.pipeline.ledger.ledger import Ledger
from switchboard.state.memory.store import MemoryStore

TARGET = 9
SIZES = (13, 200, 2_000)
SESSIONS = (1, 1_000)
# What a caller may ask for by voice in one turn; a model asks for both at once.
CALLS_PER_TURN = 2
_DOCUMENTS_AT_ONCE = 400
_PREPARED = 200
# Another question each time, for longer than an answer is kept: the same one could be answered without the tool.
ARGUMENTS = [
    f'{{"customer_phone":"+4915112345678","date":"2026-{month:02}-{day:02}","limit":3}}'
    for month in range(1, 4)
    for day in range(1, 29)
]
Delivery = tuple[Callable[..., Awaitable[str]], tuple[Any, ...]]


async def look_up_later(
    ctx: CallContext, desk: Any, *, customer_phone: str, date: str | None = None, limit: int = 5
) -> Result:
    """Look up a customer's appointments, and let others have their turn meanwhile."""
    await asyncio.sleep(0)
    return Result(FOUND)


@dataclass(frozen=True)
class Kind:
    """A handler, its tool and what is said of it."""

    what: str
    tool: str
    handler: Callable[..., Awaitable[Result]]

    async def bare(self, arguments: str) -> str:
        """Do what a program without a dispatcher would."""
        result = await self.handler(None, None, **json.loads(arguments))
        return json.dumps(result.data)

    def yardstick(self) -> Batch:
        """Return batches of the same between two commits, by which one call is never done twice, and nothing else."""
        store, numbers = MemoryStore(), itertools.count()

        async def answer(arguments: str) -> str:
            path = PATHS.within(BUSINESS).document("calls", str(next(numbers)))
            await store.commit([Create(path, {"tool": self.tool, "arguments": arguments, "state": "started"})])
            answer_text = await self.bare(arguments)
            await store.commit([Update(path, {"state": "finished", "response": answer_text})])
            return answer_text

        return _batch(
            ((answer, (arguments,)) for arguments in itertools.cycle(ARGUMENTS)),
            lambda answer_text: answer_text == FOUND,
        )

    def alone(self) -> Batch:
        """Return batches of the handler alone."""
        return _batch(
            ((self.bare, (arguments,)) for arguments in itertools.cycle(ARGUMENTS)),
            lambda answer_text: answer_text == FOUND,
        )


AT_ONCE, LATER = KINDS = (
    Kind("answers at once", "tool_0002", look_up),
    Kind("yields once", "tool_0003", look_up_later),
)


def measure(effort: Effort) -> Figure:
    """Return the figure."""
    return asyncio.run(_measure(effort))


async def _measure(effort: Effort) -> Figure:
    cases, detail = [], []
    for size in SIZES:
        dispatcher = await _dispatcher(size)
        for kind, sessions in itertools.product(KINDS, SESSIONS):
            name = f"{kind.what}, {size:,} definitions, {sessions:,} session{'s' if sessions > 1 else ''}"
            ours = _batch(_deliveries(dispatcher, kind.tool, sessions), _is_fresh)
            # Until every session is open, and has turns behind it.
            await ours(sessions * CALLS_PER_TURN * (1 if effort.quick else 3))
            cases.append(Comparison(name, ours, kind.yardstick(), TARGET))
            if effort.detail and size == SIZES[0]:
                detail.append(f"{name}: {await profile(ours)}")
    dispatcher = await _dispatcher(SIZES[0])
    alone = Comparison(
        f"{LATER.what}, against the handler alone",
        _batch(_deliveries(dispatcher, LATER.tool, 1), _is_fresh),
        LATER.alone(),
    )
    lines = await compare([*cases, alone], effort)
    if effort.peers:
        lines += peers.measure(effort, alone.ratio(), statistics.median(alone.ours_s))
    return Figure(
        "dispatch: a retrieval by `execute_tool`, JSON text in, JSON out, store in memory",
        "beside",
        lines,
        (
            "Beside stands the same handler between two commits, by which a call is known when it comes again.",
            "Everything is on: conditions, loops, validation both ways, budgets, deadline, replay, meter, ledger.",
            f"Sessions take turns, {CALLS_PER_TURN} look-ups in each; no question comes twice while that counts.",
            *(["Peers write nothing down; each is compared by its own bare handler, as ours is."] * effort.peers),
        ),
        "\n\n".join(detail),
    )


def _batch(deliveries: Iterator[Delivery], is_right: Callable[[Any], bool]) -> Batch:
    async def batch(times: int) -> float:
        took = 0.0
        for first in range(0, times, _PREPARED):
            # Made just before, as calls arrive: what lies about for long is far from the processor.
            prepared = list(itertools.islice(deliveries, min(_PREPARED, times - first)))
            began = time.process_time()
            for answer, delivery in prepared:
                answer_text = await answer(*delivery)
            took += time.process_time() - began
            assert is_right(json.loads(answer_text)), answer_text
        return took / times

    return batch


def _is_fresh(envelope: Any) -> bool:
    return envelope.get("data") == FOUND and "reused" not in envelope["meta"]


def _deliveries(dispatcher: Dispatcher, tool: str, sessions: int) -> Iterator[Delivery]:
    """Yield calls without end: a turn of one session after a turn of the other."""

    async def answer(arguments: str, session_id: str, call_id: str, turn: int) -> str:
        context = PortalContext(business_id=BUSINESS, session_id=session_id, call_id=call_id, turn=turn)
        response = await dispatcher.execute_tool(tool, arguments, BUSINESS, context)
        return orjson.dumps(response.to_json(), default=str).decode()

    names = [f"{tool}-{sessions}-{number}" for number in range(sessions)]
    for turn in itertools.count(1):
        first = turn * CALLS_PER_TURN
        for name, number in itertools.product(names, range(first, first + CALLS_PER_TURN)):
            yield answer, (ARGUMENTS[number % len(ARGUMENTS)], name, f"call-{number}", turn)


async def _dispatcher(size: int) -> Dispatcher:
    """Return a dispatcher over a store that holds the business and so many definitions, one of four not offered."""
    handlers = {kind.tool: kind.handler for kind in KINDS}
    signature, problems = read_signature(look_up)
    assert not problems, problems
    documents, built = {}, {}
    for name in (f"tool_{number:04}" for number in range(size)):
        documents[name] = DOCUMENT | {"requires": [] if is_kept(name) else ["feature:absent"]}
        handler = handlers.get(name, look_up)
        path = f"{handler.__module__}:{handler.__name__}"
        built[name] = BuiltTool(read_definition(name, documents[name]), "", "", {}, signature, path)
    store, clock = MemoryStore(), SystemClock()
    writes = [Set(PATHS.within(BUSINESS).business, {"name": "Salon", "timezone": "Europe/Vienna"})]
    writes += [Set(PATHS.definition(name), document) for name, document in documents.items()]
    for first in range(0, len(writes), _DOCUMENTS_AT_ONCE):
        await store.commit(writes[first : first + _DOCUMENTS_AT_ONCE])
    definitions = Definitions(store, PATHS, Registry("1.0.00000000", built), clock)
    catalog = Catalog(store, PATHS, definitions, SessionLocks(store, PATHS, definitions, clock), clock)
    return Dispatcher(catalog, Ledger(store, PATHS), None, PATHS, clock)
