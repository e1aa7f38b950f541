"""One call through the whole pipeline in this process, against the bare handler between json.loads and json.dumps."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import orjson

from benchmarks.figure import Effort, Figure
from benchmarks.planted import BUSINESS, Instance, look_up
from benchmarks.timing import Batch, Comparison, compare, of_awaits, profile
from switchboard.contract.context import PortalContext
from switchboard.contract.store import Increment, Write, WriteResult
from switchboard.state.memory import MemoryStore

TOOLS = 13
TOOL = "tool_0002"
_TURNS = 10
# Another question in each turn: the same one again could be answered without asking the tool.
ARGUMENTS = [
    f'{{"customer_phone":"+4915112345678","date":"2026-05-{day:02}","limit":3}}' for day in range(1, _TURNS + 1)
]
_NOW = datetime.now(UTC)


class NoLedger(MemoryStore):
    """A store that can be told to forget what is written, so that the pipeline alone is measured."""

    is_forgetful = False

    async def commit(self, writes: Sequence[Write]) -> list[WriteResult]:
        if not self.is_forgetful:
            return await super().commit(writes)
        # Only there does the ledger count anything; looking through all fields would be measured as ours.
        return [WriteResult(_NOW, dict(_counted(write.data.get("turns", {}), "turns."))) for write in writes]


def _counted(fields: Mapping[str, Any], above: str) -> Iterator[tuple[str, int | float]]:
    for name, value in fields.items():
        if isinstance(value, Increment):
            yield above + name, value.by
        elif isinstance(value, dict):
            yield from _counted(value, f"{above}{name}.")


def measure(effort: Effort) -> Figure:
    """Return the figure."""
    return asyncio.run(_measure(effort))


async def _measure(effort: Effort) -> Figure:
    yardstick = of_awaits(_bare)
    cases = [
        Comparison(f"arguments as {how}{ledger}", _dispatching(store, read), yardstick)
        for store, ledger in ((MemoryStore, ""), (NoLedger, ", no ledger"))
        for how, read in (("text", str), ("an object", json.loads))
    ]
    lines = await compare(cases, effort)
    detail = "\n\n".join([f"{c.what}: {await profile(c.ours)}" for c in cases]) if effort.detail else ""
    return Figure(
        "dispatch: execute_tool of a retrieval, JSON text in and out, ledger in memory",
        "bare handler",
        lines,
        (
            "An object is read by json.loads within the measured time. No target yet.",
            "No ledger: the store forgets what is written and answers at once, so the pipeline alone is left.",
        ),
        detail,
    )


async def _bare() -> str:
    result = await look_up(None, None, **json.loads(ARGUMENTS[0]))
    return json.dumps(result.data)


def _dispatching(open_store: Callable[[], MemoryStore], read: Callable[[str], object]) -> Batch:
    """Return batches of calls, each on a new store: one that grew for minutes would be measured as well."""

    async def batch(times: int) -> float:
        store = open_store()
        instance = Instance(store, TOOLS)
        await instance.furnish()
        call = _calls(instance, read)
        assert json.loads(await call())["ok"]
        if isinstance(store, NoLedger):
            store.is_forgetful = True
            assert json.loads(await call())["ok"]
        return await of_awaits(call)(times)

    return batch


def _calls(instance: Instance, read: Callable[[str], object]) -> Callable[[], Awaitable[str]]:
    execute, numbers = instance.dispatcher.execute_tool, itertools.count()

    async def call() -> str:
        session, turn = divmod(next(numbers), _TURNS)
        # One call a turn and a few turns a session, as conversations are.
        context = PortalContext(
            business_id=BUSINESS,
            session_id=f"session-{session}",
            turn=turn + 1,
            call_id=f"call-{session}-{turn}",
        )
        response = await execute(TOOL, read(ARGUMENTS[turn]), BUSINESS, context)
        return orjson.dumps(response.to_json(), default=str).decode()

    return call
