"""What a business would offer otherwise: the tools that callers would lose or get by a change, where and why.

Both sides are asked of a catalog, which decides for them as for a real caller once it is known who that is.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from switchboard.catalog.offer.catalog import Catalog, Options
from switchboard.catalog.offer.offer import Offer
from switchboard.contract.channel import Channel
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Unavailable

_NO_BUSINESS = "there is no such business any more"
_NO_TOOL = "there is no such tool any more"


@dataclass(frozen=True, slots=True)
class ToolChange:
    """A tool that is lost or got.

    Attributes:
        tool: Its name.
        channels: Where, in the order of `Channel`.
        agent_id: By whom it is offered, where that is not the agent who answers there; empty otherwise.
        reason: Why it is lost, as an explained offer says it; empty for a tool that is got.
    """

    tool: str
    channels: tuple[str, ...]
    agent_id: str = ""
    reason: str = ""

    def to_json(self) -> JsonObject:
        """Return it as the admin API answers it."""
        shown: JsonObject = {"tool": self.tool, "channels": list(self.channels), "agentId": self.agent_id or None}
        return shown | ({"reason": self.reason} if self.reason else {})

    @property
    def words(self) -> str:
        """The change in a few words."""
        by = f" of the agent {self.agent_id}" if self.agent_id else ""
        because = f" ({self.reason})" if self.reason else ""
        return f"{self.tool} on {', '.join(self.channels)}{by}{because}"


@dataclass(frozen=True, slots=True)
class OfferChange:
    """What one business's callers would lose and get."""

    business_id: str
    lost: tuple[ToolChange, ...] = ()
    got: tuple[ToolChange, ...] = ()


_Place: TypeAlias = tuple[str, Channel]
"""Whose offer, and where; the agent's id is empty for whoever answers there."""
_Offers: TypeAlias = Mapping[_Place, Offer | None]


async def offer_change(before: Catalog, after: Catalog, business_id: str, pause_s: float = 0.0) -> OfferChange:
    """Return what differs between two catalogs for a business; one that is not there offers nothing.

    After each offer it pauses for so many seconds: making one takes as long as several callers' calls.
    """
    places = [("", channel) for channel in Channel]
    # Of an agent that comes or goes, the tools that hand over to it are told.
    places += sorted(await _further(before, business_id) & await _further(after, business_id))
    now, then = [await _offers(catalog, business_id, places, pause_s) for catalog in (before, after)]

    def why(place: _Place, tool: str) -> str:
        offer = then[place]
        if offer is None:
            return _NO_BUSINESS
        excluding = offer.why_not(tool)
        return excluding.reason if excluding is not None else _NO_TOOL

    return OfferChange(business_id, _missing(now, then, why), _missing(then, now, lambda place, tool: ""))


async def _further(catalog: Catalog, business_id: str) -> set[_Place]:
    """Return where agents can come to answer, by a handover, who are not the ones that answer there first."""
    try:
        tenant = await catalog.tenant(business_id)
    except ToolError as error:
        _require_not_found(error)
        return set()
    if tenant is None:
        raise Unavailable("the business cannot be read")
    answering = {channel: tenant.agent(None, channel) for channel in Channel}
    return {
        (agent.id, channel)
        for agent in tenant.agents.values()
        for channel in agent.channels
        if agent is not answering[channel]
    }


async def _offers(catalog: Catalog, business_id: str, places: Sequence[_Place], pause_s: float) -> _Offers:
    """Return what is offered at each place to callers who are known; None where there is no such business."""
    offers: dict[_Place, Offer | None] = {}
    for agent_id, channel in places:
        options = Options(channel, is_verified=True, agent_id=agent_id or None)
        try:
            offers[agent_id, channel] = await catalog.get_tool_definitions(business_id, options)
        except ToolError as error:
            _require_not_found(error)
            offers[agent_id, channel] = None
        await asyncio.sleep(pause_s)
    return offers


def _require_not_found(error: ToolError) -> None:
    if error.type is not ErrorType.NOT_FOUND:
        raise error


def _missing(these: _Offers, others: _Offers, why: Callable[[_Place, str], str]) -> tuple[ToolChange, ...]:
    """Return the tools of these offers that the others lack; those for one reason together, whatever the channel."""
    channels: dict[tuple[str, str, str], list[str]] = {}
    for place, offer in these.items():
        agent_id, channel = place
        there = _names(others[place])
        for tool in sorted(_names(offer) - there):
            channels.setdefault((tool, agent_id, why(place, tool)), []).append(channel.value)
    return tuple(ToolChange(tool, tuple(on), agent_id, reason) for (tool, agent_id, reason), on in channels.items())


def _names(offer: Offer | None) -> set[str]:
    return {tool.name for tool in offer.tools} if offer is not None else set()
