"""Listing the offered tools from a warm cache, against filtering prebuilt dicts with a Python predicate."""

from __future__ import annotations

import asyncio
from functools import partial

import orjson

from benchmarks.figure import Effort, Figure, Line
from benchmarks.planted import BUSINESS, Instance, is_kept
from benchmarks.timing import Comparison, compare, of_awaits, of_calls, profile
from switchboard.catalog.offer.catalog import Options
from switchboard.contract.channel import Channel
from switchboard.state.memory.store import MemoryStore

SIZES = (13, 200)
TARGET = 3.0
_CONCURRENT = 1000
_SOMEBODY = Options(Channel.PORTAL)
_IN_SESSION = Options(Channel.PORTAL, session_id="session-1")


def measure(effort: Effort) -> Figure:
    """Return the figure."""
    return asyncio.run(_measure(effort))


async def _measure(effort: Effort) -> Figure:
    cases, bodies, reads, detail = [], [], 0, []
    for size in SIZES:
        instance = Instance(MemoryStore(), size)
        await instance.furnish()
        reads += await _reads_when_warm(instance)
        for options, where in ((_SOMEBODY, ""), (_IN_SESSION, ", in a session")):
            listing = of_awaits(partial(instance.catalog.get_tool_definitions, BUSINESS, options))
            cases.append(Comparison(f"{size} definitions{where}", listing, _filtering(instance), TARGET))
            if effort.detail:
                detail.append(f"{size} definitions{where}: {await profile(listing)}")
        bodies.append(await _body(instance, size))
    lines = await compare([*cases, *bodies], effort)
    warm = Line(f"store reads of {len(SIZES) * 2 * _CONCURRENT:,} listings", str(reads), "", "", "0", reads == 0)
    return Figure(
        "listing: get_tool_definitions from a warm cache, three of four offered",
        "filtered dicts",
        (*lines[: len(cases)], warm, *lines[len(cases) :]),
        ("The HTTP body is compared with filtering and orjson.dumps.",),
        "\n\n".join(detail),
    )


async def _reads_when_warm(instance: Instance) -> int:
    offered = [await instance.catalog.get_tool_definitions(BUSINESS, o) for o in (_SOMEBODY, _IN_SESSION)]
    expected = [name for name in instance.documents if is_kept(name)]
    for offer in offered:
        assert offer.source == "firestore", offer.source
        assert [tool.name for tool in offer.tools] == expected
    instance.store.asked.clear()
    chosen = [options for options in (_SOMEBODY, _IN_SESSION) for _ in range(_CONCURRENT)]
    await asyncio.gather(*(instance.catalog.get_tool_definitions(BUSINESS, options) for options in chosen))
    return instance.store.reads()


def _filtering(instance: Instance):
    prebuilt = [{"name": name, **document} for name, document in instance.documents.items()]
    return of_calls(lambda: [definition for definition in prebuilt if is_kept(definition["name"])])


async def _body(instance: Instance, size: int) -> Comparison:
    offer = await instance.catalog.get_tool_definitions(BUSINESS, _SOMEBODY)
    offered = offer.to_json()["tools"]
    withheld = [{**offered[0], "name": name} for name in instance.documents if not is_kept(name)]
    prebuilt = sorted([*offered, *withheld], key=lambda definition: definition["name"])

    async def ours() -> bytes:
        offer = await instance.catalog.get_tool_definitions(BUSINESS, _SOMEBODY)
        return offer.body("canonical", False, orjson.dumps)

    def plain() -> bytes:
        return orjson.dumps({"tools": [definition for definition in prebuilt if is_kept(definition["name"])]})

    return Comparison(f"{size} definitions, HTTP body", of_awaits(ours), of_calls(plain))
