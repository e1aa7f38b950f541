"""What it costs that owners make tools themselves: a call of one, and a listing of many, beside the built-in ones."""

from __future__ import annotations

import asyncio
import itertools
from functools import partial
from types import SimpleNamespace
from typing import Any

from benchmarks.dispatch import ARGUMENTS, CALLS_PER_TURN
from benchmarks.figure import Effort, Figure
from benchmarks.planted import BUSINESS, DOCUMENT, FOUND, PATHS, Instance, is_kept
from benchmarks.timing import Batch, Comparison, compare, of_awaits
from switchboard.catalog.offer.catalog import Options
from switchboard.contract.channel import Channel
from switchboard.contract.context import PortalContext
from switchboard.contract.store import Set
from switchboard.desk.tenant_tools.api_requests import ApiAnswer
from switchboard.pipeline.dispatcher import Dispatcher
from switchboard.pipeline.ledger.ledger import Ledger
from switchboard.state.memory.store import MemoryStore

CALL_TARGET, LISTING_TARGET = 1.3, 1.2
MANY, FEW = 200, 13
BUILT_IN = "tool_0002"
_SOMEBODY = Options(Channel.PORTAL)
_ANSWER = ApiAnswer(200, FOUND)


class _Service:
    """Stands where owners' requests are sent, so that both handlers do the same work."""

    async def send(self, ctx: Any, bound: Any) -> ApiAnswer:
        """Answer at once."""
        return _ANSWER


def measure(effort: Effort) -> Figure:
    """Return the figure."""
    return asyncio.run(_measure(effort))


async def _measure(effort: Effort) -> Figure:
    few, many, none = [await _instance(number) for number in (FEW, MANY, 0)]
    await _offered(few, FEW)
    await _offered(many, MANY)
    calls = Comparison(
        "a call, against one of a built-in tool", _calls(few, "own_0000"), _calls(few, BUILT_IN), CALL_TARGET
    )
    listing = Comparison(
        f"listing {MANY} of them, against listing {FEW}", _listing(many), _listing(few), LISTING_TARGET
    )
    beside = Comparison(f"listing {FEW} of them, against none", _listing(few), _listing(none))
    return Figure(
        "tenant tools: an api_request that is answered at once, store in memory",
        "beside",
        await compare([calls, listing, beside], effort),
        (
            "A call goes through `execute_tool`: conditions, validation both ways, binding, budgets, replay, meter.",
            "Listings are whole, not per tool: from a warm catalog a long one costs no more than a short one.",
        ),
    )


async def _instance(tools: int) -> Instance:
    """Return an instance over 13 built-in tools and so many of the owner's, attached to the agent that answers."""
    instance = Instance(MemoryStore(), FEW)
    await instance.furnish()
    instance.dispatcher = Dispatcher(
        instance.catalog,
        Ledger(instance.store, PATHS),
        SimpleNamespace(api_requests=_Service()),
        PATHS,
        instance.dispatcher.clock,
    )
    within, names = PATHS.within(BUSINESS), [f"own_{number:04}" for number in range(tools)]
    writes: list[Any] = [Set(within.document("agents", "echo"), {"name": "Echo", "isDefault": True})]
    writes += [Set(within.document("tools", name), _document(name)) for name in names]
    for name in names:
        writes.append(Set(within.document("agentTools", f"echo~{name}"), {"agentId": "echo", "toolId": name}))
    await instance.store.commit(writes)
    return instance


def _document(name: str) -> dict[str, Any]:
    asked = DOCUMENT["parameters"]["properties"]
    params = {key: {"mode": "ai", "schema": schema} for key, schema in asked.items()}
    params["customer_phone"]["required"] = True
    request = {"method": "GET", "url": "https://crm.example.com/appointments"}
    config = {"type": "api_request", "label": name, "description": DOCUMENT["description"], "request": request}
    return {"name": name, "label": name, "type": "api_request", "configMetadata": {**config, "params": params}}


async def _offered(instance: Instance, own: int) -> None:
    offer = await instance.catalog.get_tool_definitions(BUSINESS, _SOMEBODY)
    built_in = sum(is_kept(name) for name in instance.documents)
    assert len(offer.tools) == built_in + own, (len(offer.tools), [e.reason for e in offer.excluded][:3])


def _listing(instance: Instance) -> Batch:
    return of_awaits(partial(instance.catalog.get_tool_definitions, BUSINESS, _SOMEBODY))


def _calls(instance: Instance, tool: str) -> Batch:
    numbers = itertools.count()

    async def call() -> None:
        number = next(numbers)
        context = PortalContext(
            business_id=BUSINESS, session_id=tool, call_id=f"call-{number}", turn=number // CALLS_PER_TURN + 1
        )
        arguments = ARGUMENTS[number % len(ARGUMENTS)]
        response = await instance.dispatcher.execute_tool(tool, arguments, BUSINESS, context)
        assert response.ok, response.failure

    return of_awaits(call)
