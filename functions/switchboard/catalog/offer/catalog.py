"""The catalog: which tools a business offers on a channel right now, and why not the others (seed 004).

`get_tool_definitions(business_id, options)` is its face. From warm caches it reads nothing.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from cachetools import LRUCache

from switchboard.catalog.definitions.definitions import Current, Definitions, DefinitionSet
from switchboard.catalog.definitions.variables import PhoneNumbers
from switchboard.catalog.offer.alternatives import Rings
from switchboard.catalog.offer.held import OFFERS_KEPT, ForWhom, HeldOffer, HeldOffers
from switchboard.catalog.offer.inclusion import NOBODY, Circuits, Situation, no_circuits
from switchboard.catalog.offer.offer import Offer, make_offer
from switchboard.catalog.tenant_tools.parts import StoredBusinesses
from switchboard.catalog.tenant_tools.sessions import SessionLocks
from switchboard.catalog.tenant_tools.tenant import NO_TOOLS, OwnTools, Tenant, joined, read_agents, read_own_tools
from switchboard.contract import policy
from switchboard.contract.business.business import Business, read_business
from switchboard.contract.business.succession import Beginnings, forgets_businesses
from switchboard.contract.cache import Cache, CachedValue
from switchboard.contract.channel import Channel
from switchboard.contract.context import Context, is_trials_id
from switchboard.contract.error import BusinessGone
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import StoreError

log = logging.getLogger(__name__)

BUSINESSES_KEPT: Final = 5_000


@dataclass(frozen=True, slots=True)
class Options:
    """For whom the tools are listed.

    Attributes:
        channel: Where the conversation happens.
        session_id: Keeps the words this session started with; without it, the words of this moment.
        is_verified: Whether the caller's identity is established.
        agent_id: Who answers; without one, the agent that does so on this channel.
        is_call_start: Whether the tools are asked for that run before the first word.
        numbers: Who calls whom, for tools whose words speak of it.
        applies_intents: Whether whoever carries the conversation does what tools ask of it, such as going on as
            another agent; a channel of ours, unless somebody says otherwise.
        is_staff: Whether somebody of the business has them called at its desk.
    """

    channel: Channel
    session_id: str | None = None
    is_verified: bool = False
    agent_id: str | None = None
    is_call_start: bool = False
    numbers: PhoneNumbers = NOBODY
    applies_intents: bool = True
    is_staff: bool = False


@dataclass(frozen=True, slots=True)
class _LastOwn:
    """What was read last of the tools that a business's owner made; forgotten as one.

    Attributes:
        own: The tools.
        sought: The ids of those that no stored set holds in a version that was good.
    """

    own: OwnTools
    sought: frozenset[str] = frozenset()


_NEVER_READ: Final = _LastOwn(NO_TOOLS)


class Catalog:
    """Joins the published definitions, the business and the session to what is offered."""

    def __init__(
        self,
        store: Store,
        paths: Paths,
        definitions: Definitions,
        sessions: SessionLocks,
        clock: Clock,
        circuits_of: Callable[[str], Circuits] = no_circuits,
        rings: Rings | None = None,
        is_store_away: Callable[[], bool] | None = None,
    ) -> None:
        """Prepare without reading anything.

        Args:
            store: Holds what is offered.
            paths: Where.
            definitions: Those of all businesses.
            sessions: Which set of them a conversation has.
            clock: Tells the time.
            circuits_of: Tells which integrations of a business are in trouble.
            rings: Tells whose phones ring at a moment; without it, everybody who can be rung at all is offered.
            is_store_away: Tells whether the store does not answer now, so that nothing can be recorded, nor done.
        """
        self._stored, self.circuits_of, self._rings = StoredBusinesses(store, paths, clock), circuits_of, rings
        self._is_store_away = is_store_away
        self.definitions, self.sessions = definitions, sessions
        self._tenants: Cache[str, Tenant | None] = Cache(
            clock, policy.DEFINITION_TTL_S, BUSINESSES_KEPT, self._read_tenant
        )
        self._last_own: LRUCache[str, _LastOwn] = LRUCache(BUSINESSES_KEPT)
        self._joined: LRUCache[tuple[object, ...], DefinitionSet] = LRUCache(BUSINESSES_KEPT)
        self._offers: LRUCache[tuple[object, ...], Offer] = LRUCache(OFFERS_KEPT)
        self._marked: LRUCache[tuple[str, ...], tuple[DefinitionSet | None, DefinitionSet]] = LRUCache(BUSINESSES_KEPT)
        self._sought: LRUCache[str, bool] = LRUCache(BUSINESSES_KEPT)
        self._held = HeldOffers(clock.monotonic, circuits_of)
        self._beginnings = Beginnings()
        forgets_businesses(self)
        self.listeners: list[Callable[[Tenant], None]] = []
        """Told of every business that is read, before anything of it is offered."""

    async def get_tool_definitions(self, business_id: str, options: Options) -> Offer:
        """Return what is offered, in order, with the reasons for what is not.

        Never empty because of a read error: without Firestore the last set read is offered (`stale`), without one the
        built artifact (`fallback`), then without whatever depends on a business that cannot be read.

        Raises:
            BusinessGone: The store says that there is no such business.
        """
        current, tenant = await self._now(business_id)
        current = self._beginning(current, tenant, options.session_id)
        locked = current.set
        if options.session_id is not None:
            known = self.sessions.known(business_id, options.session_id)
            locked = known or await self.sessions.lock(business_id, options.session_id, current.set, tenant)
            tenant = await self._with_versions(tenant, locked)
        return self._offer(business_id, tenant, current, locked, options)

    def at_hand(self, business_id: str, options: Options) -> Offer | None:
        """Return what is offered at this moment if that is known here; None where something had to be read first."""
        current, cached = self.definitions.fresh(), self._tenants.fresh(business_id)
        if current is None or cached is None or cached.value is None:
            return None
        current = self._with_own(_for(business_id, current), cached.value)
        return self._offer(business_id, cached.value, current, current.set, options)

    def without_business(self, options: Options) -> Offer:
        """Return what the built artifact offers to nobody in particular: no store, no business, nothing that writes."""
        current = self.definitions.builtin()
        return make_offer(current.set, Situation(None, options.channel, writes_allowed=False), current)

    async def for_call(self, business_id: str, options: Options) -> tuple[Offer, DefinitionSet, bool]:
        """Return the offer a call is held against, the session's set, and whether the session is yet to be opened.

        Unlike a listing it does not open the session: admission does, in the same commit as the ledger document.
        """
        whom = (
            business_id,
            options.channel,
            options.is_verified,
            options.agent_id,
            options.is_call_start,
            options.applies_intents,
            options.is_staff,
        )
        at_hand = self._at_hand(whom, options.session_id or "")
        if at_hand is not None:
            return at_hand
        # Where nothing has to be read, nothing changes before the offer is made.
        footing = self.footing(business_id)
        current, tenant = await self._now(business_id)
        current = self._beginning(current, tenant, options.session_id)
        known = self.sessions.known(business_id, options.session_id or "")
        locked = known or current.set
        tenant = await self._with_versions(tenant, locked)
        offer = self._offer(business_id, tenant, current, locked, options)
        # Where a version of an agent is on trial, the next conversation may be on its other side; and an offer whose
        # words speak of the caller's number is another one for each caller.
        is_for_all = tenant is not None and not (tenant.tries or tenant.own.speak_of_numbers)
        if footing is not None and locked is current.set and is_for_all:
            self._held.keep(whom, HeldOffer(*footing, self.circuits_of(business_id), locked, offer))
        return offer, locked, known is None

    def at_hand_for_call(self, facts: Context) -> tuple[Offer, DefinitionSet, bool] | None:
        """Return what `for_call` would, if it has made that before and nothing has changed; else None."""
        whom = (
            facts.business_id,
            facts.channel,
            facts.caller_verified,
            facts.agent_id,
            facts.is_call_start,
            facts.applies_intents,
            facts.staff is not None,
        )
        return self._at_hand(whom, facts.session_id)

    def _at_hand(self, whom: ForWhom, session_id: str) -> tuple[Offer, DefinitionSet, bool] | None:
        held = self._held.current(whom)
        if held is None:
            return None
        known = self.sessions.known(whom[0], session_id)
        return (held.offer, held.set, known is None) if known is None or known is held.set else None

    def footing(self, business_id: str) -> tuple[CachedValue[DefinitionSet], CachedValue[Tenant | None]] | None:
        """Return what an offer rests on besides its options; None where that would have to be read first, or is stale.

        For as long as neither expires and no circuit opens, `for_call` gives a known session the same offer.
        """
        definitions, tenant = self.definitions.kept(), self._tenants.fresh(business_id)
        if definitions is None or definitions.is_stale or tenant is None or tenant.is_stale:
            return None
        return definitions, tenant

    async def resumed(self, business_id: str, locked: DefinitionSet) -> None:
        """See that the versions of agents are known here that another instance has begun a session with."""
        cached = self._tenants.fresh(business_id)
        await self._with_versions(cached.value if cached is not None else None, locked)

    async def _with_versions(self, tenant: Tenant | None, locked: DefinitionSet) -> Tenant | None:
        """Return a business as it knows the versions of agents that a session has begun with.

        Only where a trial has begun within the last minute, and another instance has met it before, is it read anew;
        what is not there then is long over, and not looked for again.
        """
        if tenant is None or not locked.marks:
            return tenant
        unknown = [mark for mark in tenant.unknown_marks(locked.marks) if mark not in self._sought]
        if not unknown:
            return tenant
        self._sought.update(dict.fromkeys(unknown, True))
        self._tenants.drop(tenant.business.id)
        return await self.tenant(tenant.business.id) or tenant

    def marks_of(self, tenant: Tenant, session_id: str) -> Mapping[str, str]:
        """Return the marks of a session that this instance has met, or those that it has if it begins now."""
        known = self.sessions.known(tenant.business.id, session_id)
        return known.marks if known is not None else tenant.beginning_marks(session_id)

    def _beginning(self, current: Current, tenant: Tenant | None, session_id: str | None) -> Current:
        """Return what is current for a conversation that begins now; an owner's trial is on no side of anything."""
        if tenant is None or not tenant.tries or session_id is None or is_trials_id(session_id):
            return current
        marks = tenant.beginning_marks(session_id)
        key = (tenant.business.id, *sorted(marks.values()))
        base, marked = self._marked.get(key, (None, current.set))
        if base is not current.set:
            marked = replace(current.set, marks={**current.set.marks, **marks})
            self._marked[key] = current.set, marked
        return replace(current, set=marked)

    def relocked(self, business_id: str, offer: Offer, locked: DefinitionSet, options: Options) -> Offer:
        """Return the offer again, from the set that a resumed session turned out to hold."""
        cached = self._tenants.fresh(business_id)
        tenant = cached.value if cached is not None else Tenant(offer.business) if offer.business is not None else None
        fresh = self.definitions.fresh()
        current = self._with_own(_for(business_id, fresh) if fresh else Current(locked, offer.source), tenant)
        return self._offer(business_id, tenant, current, locked, options)

    async def _now(self, business_id: str) -> tuple[Current, Tenant | None]:
        fresh = self.definitions.fresh()
        if fresh is not None:
            current, tenant = fresh, await self.tenant(business_id)
        else:
            # Side by side: whoever comes first to an instance waits for both.
            current, tenant = await asyncio.gather(self.definitions.current(), self.tenant(business_id))
        return self._with_own(_for(business_id, current), tenant), tenant

    def _with_own(self, current: Current, tenant: Tenant | None) -> Current:
        if tenant is None or not (tenant.own.tools or tenant.own.skipped):
            return current
        own = tenant.own
        marks = frozenset(current.set.marks.items())
        key = (tenant.business.id, current.set.hash, own.hash, frozenset(own.skipped.items()), marks)
        if key not in self._joined:
            self._joined[key] = joined(current.set, own)
        return replace(current, set=self._joined[key])

    def _offer(
        self, business_id: str, tenant: Tenant | None, current: Current, locked: DefinitionSet, options: Options
    ) -> Offer:
        is_answered = tenant is not None and not options.is_staff
        agent = tenant.agent(options.agent_id, options.channel, locked.marks) if tenant and is_answered else None
        business = tenant.as_seen_by(agent) if tenant else None
        numbers = options.numbers if tenant and tenant.own.speak_of_numbers else NOBODY
        circuits = self.circuits_of(business_id)
        key = (
            business_id,
            circuits,
            options.channel,
            options.is_verified,
            options.agent_id,
            agent.version if agent is not None else "",
            options.is_call_start,
            options.applies_intents,
            options.is_staff,
            numbers,
            locked.hash,
            current.set.hash,
            current.source,
            current.writes_allowed,
        )
        offer = self._offers.get(key)
        if offer is None or offer.business is not business:
            situation = Situation(
                business=business,
                channel=options.channel,
                is_verified=options.is_verified,
                agent=agent,
                attached=tenant.attached_to(agent) if tenant else None,
                no_agent=tenant.no_agent(options.agent_id) if tenant else "",
                is_call_start=options.is_call_start,
                numbers=numbers,
                agents=tenant.agents if tenant else {},
                applies_intents=options.applies_intents,
                is_staff=options.is_staff,
                writes_allowed=current.writes_allowed,
                published=None if locked is current.set else current.set.published,
                open_circuits=circuits.open,
                recovering_circuits=circuits.recovering,
            )
            offer = make_offer(locked, situation, current, self._rings, self._is_store_away)
            self._offers[key] = offer
        return offer

    async def business(self, business_id: str) -> Business | None:
        """Return a business as it was at most a minute ago; None when it cannot be read now.

        Raises:
            BusinessGone: The store says that there is no such business.
        """
        tenant = await self.tenant(business_id)
        return tenant.business if tenant is not None else None

    async def tenant(self, business_id: str) -> Tenant | None:
        """Return a business with what its owner made, as it was at most a minute ago; None when it cannot be read now.

        Raises:
            BusinessGone: The store says that there is no such business.
        """
        cached = self._tenants.fresh(business_id)
        if cached is None:
            try:
                cached = await self._tenants.get(business_id)
            except StoreError:
                return None
        if cached.value is None:
            # Not remembered: a business that is entered now must not stay unknown for a minute.
            self._tenants.drop(business_id)
            raise BusinessGone(business_id)
        return cached.value

    def forget(self, business_id: str) -> None:
        """Read a business anew when it is next needed: something about it, its tools or its agents was changed here."""
        self._tenants.drop(business_id)

    def forget_business(self, business_id: str) -> None:
        """Let no tool that the business before this one had stand for one of this one's that cannot be used."""
        self._last_own.pop(business_id, None)

    async def ended(self) -> None:
        """Wait for what is compiled for others while nobody waits for it, as before the process ends."""
        await asyncio.gather(self.definitions.compilations.ended(), self._stored.compilations.ended())

    async def _read_tenant(self, business_id: str) -> Tenant | None:
        parts = await self._stored.read(business_id)
        if parts is None:
            self._beginnings.met(business_id, None)
            return None
        business = read_business(business_id, parts.document.data)
        if business.began_at is None:
            business = replace(business, began_at=parts.document.create_time)
        self._beginnings.met(business_id, business.began_at)
        if business.problems:
            log.warning("business document has problems", extra={"business": business_id, "reason": business.problems})
        last = self._last_own.get(business_id, _NEVER_READ)
        own = read_own_tools(parts.tools, last.own) if parts.tools else NO_TOOLS
        # What could be used again, or was gone, since it was looked for is looked for anew.
        sought = last.sought.intersection(own.lost)
        lost = [id for id in own.lost if id not in sought]
        if lost:
            # This instance has not read them while they could be used.
            last_good = await self.sessions.own_sets.last_good(business_id, lost)
            sought = sought.union(lost) if last_good is not None else sought
            own = read_own_tools(parts.tools, last.own, last_good) if last_good else own
        self._last_own[business_id] = _LastOwn(own, sought)
        is_saved = await self.sessions.own_sets.save(business_id, own, parts.saved_tools)
        self._stored.keep(business_id, parts, own.hash if is_saved else "")
        tenant = Tenant(business, own, read_agents(parts.agents, parts.attachments), parts.document.data)
        for listener in self.listeners:
            listener(tenant)
        return tenant


def _for(business_id: str, current: Current) -> Current:
    """Return what is current for a business: the same for all but those that try a draft."""
    own = current.set.of(business_id)
    return current if own is current.set else replace(current, set=own)
