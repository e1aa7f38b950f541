"""Declaring 200 tools in each dialect from a warm catalog, against serialising the ready result."""

from __future__ import annotations

import asyncio
from functools import partial

import orjson

from benchmarks.figure import Effort, Figure
from benchmarks.planted import BUSINESS, Instance, is_kept
from benchmarks.timing import Comparison, compare, of_awaits, of_calls
from switchboard.catalog.offer.catalog import Options
from switchboard.catalog.offer.offer import Offer
from switchboard.contract.channel import Channel
from switchboard.formats import FORMATS
from switchboard.state.memory.store import MemoryStore

TOOLS = 200
TARGET = 1.2
_SOMEBODY = Options(Channel.PORTAL)


def measure(effort: Effort) -> Figure:
    """Return the figure."""
    return asyncio.run(_measure(effort))


async def _measure(effort: Effort) -> Figure:
    instance = await _furnished()
    offer = await instance.catalog.get_tool_definitions(BUSINESS, _SOMEBODY)
    assert len(offer.tools) == TOOLS, len(offer.tools)
    cases = [await _declaring(instance, offer, format) for format in ("canonical", *FORMATS)]
    first = [await _anew(offer, format) for format in FORMATS]
    lines = await compare([*cases, *first], effort)
    sizes = ", ".join(f"{name} {_kilobytes(offer, name)}" for name in ("canonical", *FORMATS))
    return Figure(
        f"formats: {TOOLS} tools declared in each dialect from a warm catalog",
        "serialising",
        lines,
        (
            "Ours asks the catalog and serialises what it gives.",
            '"anew": the first listing of a business, the schemas declared for others before; nothing is promised.',
            f"Sizes: {sizes}.",
        ),
    )


async def _furnished() -> Instance:
    """Return an instance that offers so many tools."""
    planted = 0
    while sum(is_kept(f"tool_{number:04}") for number in range(planted)) < TOOLS:
        planted += 1
    instance = Instance(MemoryStore(), planted)
    await instance.furnish()
    return instance


async def _declaring(instance: Instance, offer: Offer, format: str) -> Comparison:
    async def ours() -> bytes:
        offer = await instance.catalog.get_tool_definitions(BUSINESS, _SOMEBODY)
        return orjson.dumps(offer.to_json(format))

    ready = offer.to_json(format)
    assert await ours() == orjson.dumps(ready)
    return Comparison(format, of_awaits(ours), of_calls(partial(orjson.dumps, ready)), TARGET)


async def _anew(offer: Offer, format: str) -> Comparison:
    dialect = FORMATS[format]

    def ours() -> bytes:
        return orjson.dumps(dialect.declare_all([dialect.declare(tool.definition) for tool in offer.tools]))

    ready = offer.declared(format)
    assert ours() == orjson.dumps(ready)
    return Comparison(f"{format}, anew", of_calls(ours), of_calls(partial(orjson.dumps, ready)))


def _kilobytes(offer: Offer, format: str) -> str:
    return f"{len(orjson.dumps(offer.declared(format))) / 1024:.0f} kB"
