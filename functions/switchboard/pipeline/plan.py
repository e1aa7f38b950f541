"""What is known of a tool before it is called, prepared once for an offer: how to read, run and answer a call.

Only tools that need nothing special have a plan. Everything else (actions, questions to the caller, facts of the call,
integrations) is the dispatcher's.
"""

import inspect
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

import orjson
from cachetools import LRUCache

from switchboard.catalog.catalog import OFFERS_KEPT, Catalog
from switchboard.catalog.definitions import DefinitionSet
from switchboard.catalog.freshness import Kept
from switchboard.catalog.integration import ALL_CLOSED, integration_of
from switchboard.catalog.offer import Offer, OfferedTool
from switchboard.catalog.plain_arguments import PlainReader, plain_reader
from switchboard.catalog.tenant import Tenant
from switchboard.contract.business import Business
from switchboard.contract.channel import Channel
from switchboard.contract.context import Context
from switchboard.contract.definition import Kind
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import ChannelPolicy
from switchboard.contract.ports import BusinessPaths, Paths
from switchboard.contract.response import ENVELOPE_VERSION, Result
from switchboard.pipeline.admission import options_of
from switchboard.pipeline.deadline import limit_of
from switchboard.pipeline.meter_tools import Timing, ToolUse
from switchboard.pipeline.percentiles import Recent


@dataclass(slots=True, eq=False)
class Plan:
    """How one tool of an offer is called.

    Attributes:
        standing: The offer, and whose it is.
        tool: As it is offered.
        name: The tool's name.
        kind: Retrieval or utility.
        is_retrieval: Whether it is the former.
        channel: The offer's.
        limits: The channel's.
        seconds: The hard deadline.
        work: The handler.
        read: Reads plain arguments; None for all others.
        is_valid: Whether a handler's data keeps the tool's promise.
        business_id: Whose offer it is.
        to_call_id: The envelope's `meta` as JSON, up to the call id.
        to_time: From the turn to the time it took.
        use: Where the meter counts its calls, once it has answered one.
        timing: Where it counts how long they take on this channel.
        recent: How long they took; its own and empty before.
    """

    standing: "Standing"
    tool: OfferedTool
    name: str
    kind: Kind
    is_retrieval: bool
    channel: Channel
    limits: ChannelPolicy
    seconds: float
    work: Callable[..., Coroutine[Any, Any, Result]]
    read: PlainReader
    is_valid: Callable[[Any], bool]
    business_id: str
    to_call_id: str
    to_time: str
    use: ToolUse | None = None
    timing: Timing | None = None
    recent: Recent = field(default_factory=Recent)

    def counted_by(self, use: ToolUse) -> tuple[ToolUse, Timing]:
        """Remember where the meter counts its calls, and how long they take on this channel; return both."""
        self.use, self.timing, self.recent = use, use.ran[self.channel], use.latencies
        return use, self.timing

    def promised(self, data: JsonObject) -> str | None:
        """Return a handler's data as JSON; None where it breaks the tool's promise, or is too long for the channel."""
        is_valid = self.is_valid
        try:
            text = orjson.dumps(data, str).decode() if is_valid(data) else None
        except (TypeError, ValueError):  # not even JSON
            return None
        return text if text is not None and len(text) <= self.limits.result_characters else None


@dataclass(slots=True, eq=False)
class Standing:
    """Where conversations stand that are made the same offer, for as long as what that was made from is fresh.

    Attributes:
        definitions: What was read of the tools.
        owner: What was read of the business.
        plans: How a tool is called, by name, planned when first called; None where the dispatcher has to do that.
    """

    definitions: Kept[DefinitionSet]
    owner: Kept[Tenant | None]
    offer: Offer
    locked: DefinitionSet
    business: Business
    paths: BusinessPaths
    plans: dict[str, Plan | None]


class Standings:
    """Where the conversations of every business stand."""

    def __init__(self, catalog: Catalog, paths: Paths) -> None:
        """Start with none."""
        self._catalog, self._paths = catalog, paths
        self._known: LRUCache[tuple[int, bool], Standing] = LRUCache(OFFERS_KEPT)

    async def of(self, facts: Context) -> Standing | None:
        """Return where a conversation stands; None while that is for the dispatcher to decide from call to call.

        Raises:
            ToolError: NOT_FOUND, there is no such business.
        """
        footing = self._catalog.footing(facts.business_id)
        if footing is None:
            return None
        offer, locked, opens_session = await self._catalog.for_call(facts.business_id, options_of(facts))
        business = offer.business
        # A session is opened by the admission of its first call.
        if opens_session or business is None or self._catalog.circuits_of(facts.business_id) is not ALL_CLOSED:
            return None
        key, (definitions, owner) = (id(offer), facts.caller_verified), footing
        found = self._known.get(key)
        # What was forgotten may have left its id to another.
        if (
            found is None
            or found.offer is not offer
            or found.definitions is not definitions
            or found.owner is not owner
        ):
            paths = self._paths.within(facts.business_id)
            found = self._known[key] = Standing(definitions, owner, offer, locked, business, paths, {})
        return found

    def plan(self, standing: Standing, name: str, facts: Context) -> Plan | None:
        """Return how a tool that is offered is called; a name that nobody offers leaves no trace."""
        if name not in standing.plans:
            tool = standing.offer.named(name)
            if tool is None:
                return None
            standing.plans[name] = self._planned(standing, tool, facts.caller_verified)
        return standing.plans[name]

    def _planned(self, standing: Standing, tool: OfferedTool, is_verified: bool) -> Plan | None:
        definition, business, channel = tool.tool.definition, standing.business, standing.offer.channel
        handler = tool.tool.handler(self._catalog.definitions.registry)
        read = plain_reader(tool.definition.parameters, business.timezone)
        if (
            read is None
            # It runs in a task of its own, which nobody who hangs up can cancel.
            or definition.kind is Kind.ACTION
            or definition.confirm
            or definition.is_async
            # What it is called with is bound from the facts of the call.
            or tool.tool.built is None
            or ((definition.verified or definition.callers_own) and not is_verified)
            or tool.tool.provenance.sources
            or integration_of(definition, business) is not None
            or not inspect.iscoroutinefunction(handler)
        ):
            return None
        returns = tool.tool.returns
        limits = business.policy_on(channel)
        identity = orjson.dumps({"version": ENVELOPE_VERSION, "tool": tool.name}).decode()
        place = orjson.dumps({"channel": channel.value, "catalogVersion": standing.offer.catalog_version}).decode()
        return Plan(
            standing=standing,
            tool=tool,
            name=tool.name,
            kind=definition.kind,
            is_retrieval=definition.kind is Kind.RETRIEVAL,
            channel=channel,
            limits=limits,
            seconds=limit_of(limits, definition.kind, definition.timeout_ms),
            work=handler,
            read=read,
            is_valid=returns.is_valid if returns is not None else _anything,
            business_id=business.id,
            to_call_id=identity[:-1] + ',"callId":',
            to_time="," + place[1:-1] + ',"elapsedMs":',
        )


def _anything(_: Any) -> bool:
    return True
