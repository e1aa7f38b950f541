"""How a business's service is doing: what is broken, running out, stuck or failing, each with what to do about it.

A look at one business costs a fixed number of reads: counts are taken by the store, and lists are bounded.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from cachetools import LRUCache

from switchboard.admin.access.known_business import business_document
from switchboard.admin.businesses.known_names import NamesThereAre
from switchboard.admin.businesses.number_conflicts import NumberConflicts
from switchboard.admin.conversations.session_records import is_failed_row
from switchboard.admin.costs.month_stops import LimitStandings
from switchboard.admin.evals.outcomes import about_tests
from switchboard.admin.health.document import about_document
from switchboard.admin.health.findings import HealthFinding, ordered, worst
from switchboard.admin.health.limits import limit_reached
from switchboard.admin.health.months import about_month
from switchboard.admin.health.questions import open_questions
from switchboard.admin.health.resources import about_appointments, about_resources
from switchboard.admin.health.shares import about_shares
from switchboard.admin.health.texts import TellsOtherwise, about_texts
from switchboard.catalog.offer.alternatives import Alternatives
from switchboard.catalog.offer.catalog import Catalog, Options
from switchboard.catalog.offer.inclusion import Circuits, integration_of
from switchboard.catalog.offer.phone_numbers import assistant_of, own_lines
from switchboard.contract.business.agent import in_question
from switchboard.contract.business.business import CALENDARS, Business, Integration, read_business
from switchboard.contract.channel import Channel
from switchboard.contract.context import is_trials_id
from switchboard.contract.error import Tells, ToolError
from switchboard.contract.json import JsonObject, as_json
from switchboard.contract.ports import BusinessPaths, Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document, Filter, Order, Query
from switchboard.desk.escalation.transfers import destinations

_DAY = timedelta(days=1)
_SOON = timedelta(days=14)
# What a dead instance had begun is taken up within seconds of its lease; this long means that nobody does.
_STUCK_FOR = timedelta(minutes=2)
_LATE_FOR = timedelta(minutes=15)
_ROWS = 100
_NAMED = 10
_REMEMBERED = 1_000
_FAILING_FROM = 3
_CHANNELS = {Channel.PHONE: "phone", Channel.PORTAL: "portal chat", Channel.BROWSER_VOICE: "voice in the browser"}
# It is offered where there is a rule, whether or not the number in it can be dialled.
_TRANSFER = "transfer_call"
_EXPIRIES = ("expiresAt", "tokenExpiresAt", "refreshTokenExpiresAt")


@dataclass(frozen=True, slots=True)
class Health:
    """One business's health.

    Attributes:
        checked_at: When it was looked at (UTC).
        findings: What is wrong, the worst first.
        calls: How many calls ended how within the last day, counted by the store: `failed` are failures, `answered`
            those that came to a no which is an answer. Trials are none of them.
    """

    business_id: str
    name: str
    checked_at: datetime
    findings: list[HealthFinding]
    calls: Mapping[str, int]

    def to_json(self) -> JsonObject:
        """Return it as the admin API answers it."""
        return as_json(self, worst=worst(self.findings))


@dataclass(frozen=True, slots=True)
class _LastCalls:
    """The calls of the last day that came to nothing, the latest of each state, and how many ended how.

    Attributes:
        cut: The states of which there are more.
    """

    rows: list[Document]
    cut: frozenset[str]
    counts: Mapping[str, int]


class HealthService:
    """Looks at businesses. What the store raises passes through."""

    def __init__(
        self,
        store: Store,
        paths: Paths,
        catalog: Catalog,
        clock: Clock,
        circuits_of: Callable[[str], Circuits],
        numbers: NumberConflicts,
        unopened: Callable[[str], Awaitable[Sequence[str]]] | None = None,
        months: LimitStandings | None = None,
        told_otherwise: TellsOtherwise | None = None,
    ) -> None:
        """Look into `store`; circuits are those of this instance, since each has its own.

        `unopened` returns which secrets of a business do not open, `months` tell how far its limits are used up,
        `told_otherwise` reads its texts; without them nobody looks.
        """
        self._store, self._paths, self._catalog, self._clock = store, paths, catalog, clock
        self._circuits_of, self._numbers, self._unopened = circuits_of, numbers, unopened
        self._months, self._told_otherwise = months, told_otherwise
        self._seen: LRUCache[str, Health] = LRUCache(_REMEMBERED)

    async def of(self, business_id: str) -> Health:
        """Return how a business is doing.

        Raises:
            NotFound: There is no such business.
        """
        within, now = self._paths.within(business_id), self._clock.now()
        document = await business_document(self._store, within)
        business = read_business(business_id, document.data)
        # All side by side: what one of them waits for, the others wait for as well.
        calls, counts, keys, outbox, found = await asyncio.gather(
            self._calls(business_id, now),
            self._counts(within, business_id, now),
            self._store.query(Query(within.collection("apiKeys"), limit=_ROWS)),
            self._store.query(_outbox(within)),
            self._looked_up(within, business, document, now),
        )
        findings = [
            *_about_circuits(self._circuits_of(business_id), await self._in_use(business)),
            *_about_integrations(business, now),
            *_about_the_calendar(business),
            *_about_keys(keys, now),
            *_about_rows(calls),
            *_about_outbox(outbox),
            *about_document(business, document.data, await self._names()),
            *about_resources(business),
            *found,
            *(HealthFinding(what, count=count) for what, count in counts.items() if count),
        ]
        health = Health(business_id, business.name, now, ordered(findings), calls.counts)
        self._seen[business_id] = health
        return health

    def seen_last(self, may_see: Callable[[str], bool]) -> list[Health]:
        """Return how businesses were doing when this instance looked last, by id; for when the store is away.

        Each begins with the finding that it is old news. Those are missing that were not looked at since the start.
        """
        seen = [health for id, health in sorted(self._seen.items()) if may_see(id)]
        return [replace(health, findings=[_seen_at(health), *health.findings]) for health in seen]

    async def of_the_house(self) -> list[HealthFinding]:
        """Return what is wrong for every business: with the published definitions."""
        current = await self._catalog.definitions.current()
        findings = [HealthFinding("tool_skipped", f"{name} ({why})") for name, why in current.set.skipped.items()]
        if current.source == "stale" or not current.writes_allowed:
            instead = "the last set that was read" if current.source == "stale" else "the built-in set"
            findings.append(HealthFinding("definitions_away", instead))
        return ordered(findings)

    async def _names(self) -> NamesThereAre:
        definitions = self._catalog.definitions
        published = (await definitions.current()).set.published
        return NamesThereAre.of([tool.definition for tool in definitions.registry.tools.values()], published.values())

    async def _in_use(self, business: Business) -> frozenset[str]:
        """Return the integrations of a business, and the hosts of the services that its own tools call."""
        tenant = await self._catalog.tenant(business.id)
        own = tenant.own.tools.values() if tenant is not None else ()
        services = (integration_of(tool.definition, business) for tool in own)
        return frozenset(business.integrations) | {name for name in services if name is not None}

    async def _about_secrets(self, business_id: str) -> list[HealthFinding]:
        try:
            names = await self._unopened(business_id) if self._unopened is not None else ()
        except ToolError:
            # Nobody can tell right now; that nothing can be opened at all is told by readiness.
            return []
        return [HealthFinding("secrets_unopened", ", ".join(names[:_NAMED]), len(names))] if names else []

    async def _about_tools(self, business_id: str) -> list[HealthFinding]:
        """Return a finding for each tool that is left out, and one where nobody has said which agent has a channel."""
        tenant = await self._catalog.tenant(business_id)
        if tenant is None:
            return []
        agents = tenant.agents.values()
        shared = [name for channel, name in _CHANNELS.items() if len(in_question(agents, channel)) > 1]
        return [
            *(HealthFinding("tool_skipped", f"{name} ({why})") for name, why in tenant.own.skipped.items()),
            *([HealthFinding("agents_share_channel", ", ".join(shared))] if shared else []),
        ]

    async def _about_ways_out(self, business: Business) -> list[HealthFinding]:
        """Return a finding that names the channels on which nothing leads to a person, if there are any."""
        offers = [await self._catalog.get_tool_definitions(business.id, Options(channel)) for channel in Channel]
        # Of the numbers that lead here, none leads to a person.
        if Alternatives.of((), business, Channel.PHONE).number:
            return []
        rings = bool(destinations(business, business.twilio_number))
        lacking = [
            offer.channel for offer in offers if not offer.ways_out(*[] if rings else [_TRANSFER]).lead_to_people
        ]
        named = ", ".join(_CHANNELS[channel] for channel in lacking)
        return [HealthFinding("no_way_to_a_person", named)] if lacking else []

    async def _about_assistants(self, business: Business) -> list[HealthFinding]:
        """Return a finding for each phone number that the voice platform asks about and no assistant answers."""
        tenant = await self._catalog.tenant(business.id)
        if tenant is None or not business.integrations.get("vapi", Integration()).is_connected:
            return []
        lines = {line: assistant_of(tenant, line.agent(tenant)) for line in own_lines(business)}
        # Where there is no assistant at all, none of them is answered there, whichever Vapi knows.
        return [
            HealthFinding("no_assistant", line.number)
            for line, assistant in lines.items()
            if not assistant and (line.vapi_id or not any(lines.values()))
        ]

    async def _looked_up(
        self, within: BusinessPaths, business: Business, document: Document, now: datetime
    ) -> list[HealthFinding]:
        """Return what is found by looking at what belongs to a business beside its calls."""
        otherwise = self._told_otherwise
        parts: list[Sequence[HealthFinding]] = await asyncio.gather(
            self._about_secrets(business.id),
            about_appointments(self._store, within, business, now),
            self._about_tools(business.id),
            self._about_ways_out(business),
            self._about_assistants(business),
            self._numbers.findings(document),
            about_tests(self._store, within),
            about_shares(self._store, within, now),
            *([about_month(self._months, business.id, document.data)] if self._months is not None else ()),
            *([about_texts(self._store, within, business, now, otherwise)] if otherwise is not None else ()),
        )
        return [finding for part in parts for finding in part]

    async def _counts(self, within: BusinessPaths, business_id: str, now: datetime) -> dict[str, int]:
        """Return how many there are of what is wrong by being there, by what is then found."""
        given_up = Filter("givenUpAt", ">=", now - _DAY)
        queries = {
            "calls_stuck": _stuck(business_id, now),
            "bookings_given_up": Query(within.collection("bookings"), (given_up,)),
            "outbox_late": _late(within, now),
            "questions_open": open_questions(within),
        }
        return dict(zip(queries, await asyncio.gather(*map(self._store.count, queries.values())), strict=True))

    async def _calls(self, business_id: str, now: datetime) -> _LastCalls:
        """Return how the calls of the last day ended; the store counts what the rows that are read do not tell."""
        # Refusals are many where nothing is wrong, and failures where look-ups fail: none takes the others' places.
        kinds = ("unknown", "failed", "refused")
        read = await asyncio.gather(*(self._store.query(_ended(business_id, now, (state,), _ROWS)) for state in kinds))
        finished = await self._store.count(_ended(business_id, now, ("finished",)))
        rows = [row for each in read for row in each]
        cut = frozenset(state for state, each in zip(kinds, read, strict=True) if len(each) == _ROWS)
        queries: dict[str, tuple[str, Tells | None]] = {state: (state, None) for state in sorted(cut)}
        queries |= {"answered": ("failed", Tells.ANSWER)} if "failed" in cut else {}
        queries |= {"turned down": ("refused", Tells.FAILURE)} if "refused" in cut else {}
        asked = (_ended(business_id, now, (state,), tells=tells) for state, tells in queries.values())
        counted = dict(zip(queries, await asyncio.gather(*map(self._store.count, asked)), strict=True))
        counted = _counted_of(rows) | counted
        return _LastCalls(
            *(rows, cut),
            {
                "finished": finished,
                "failed": max(0, counted["failed"] - counted["answered"]) + counted["turned down"],
                "refused": max(0, counted["refused"] - counted["turned down"]),
                "unknown": counted["unknown"],
                "answered": counted["answered"],
            },
        )


def _seen_at(health: Health) -> HealthFinding:
    return HealthFinding("store_away", f"{health.checked_at:%Y-%m-%d %H:%M} UTC", at=health.checked_at)


def _ended(
    business_id: str, now: datetime, states: Sequence[str], limit: int | None = None, *, tells: Tells | None = None
) -> Query:
    """Return the query for calls of the last day that ended so; with `tells` those of which that is not usual."""
    state = Filter("state", "==", states[0]) if len(states) == 1 else Filter("state", "in", list(states))
    unlike = (Filter("tells", "==", tells.value),) if tells is not None else ()
    return Query(
        "calls",
        (Filter("businessId", "==", business_id), state, *unlike, Filter("finishedAt", ">=", now - _DAY)),
        (Order("finishedAt", descending=True),),
        limit=limit,
        group=True,
    )


def _counted_of(rows: Sequence[Document]) -> dict[str, int]:
    states = Counter(row.data.get("state") for row in rows)
    told = Counter((row.data.get("state"), row.data.get("tells")) for row in rows)
    return {
        **{state: states[state] for state in ("failed", "refused", "unknown")},
        "answered": told["failed", Tells.ANSWER.value],
        "turned down": told["refused", Tells.FAILURE.value],
    }


def _stuck(business_id: str, now: datetime) -> Query:
    own, begun = Filter("businessId", "==", business_id), Filter("state", "in", ["started", "queued"])
    return Query("calls", (own, begun, Filter("dueAt", "<=", now - _STUCK_FOR)), group=True)


def _outbox(within: BusinessPaths) -> Query:
    return Query(within.collection("outbox"), (Filter("state", "in", ["failed", "unknown"]),), limit=_ROWS)


def _late(within: BusinessPaths, now: datetime) -> Query:
    return Query(
        within.collection("outbox"), (Filter("state", "==", "todo"), Filter("createdAt", "<=", now - _LATE_FOR))
    )


def _about_circuits(circuits: Circuits, in_use: Collection[str]) -> Iterator[HealthFinding]:
    """Yield what is left alone: the business's own troubles, and those of a vendor that it uses as others do."""
    own, shared = circuits.open - circuits.shared, circuits.shared.intersection(in_use)
    yield from (HealthFinding("circuit_open", name) for name in sorted(own))
    yield from (HealthFinding("circuit_recovering", name) for name in sorted(circuits.recovering - circuits.shared))
    yield from (HealthFinding("vendor_open", name) for name in sorted(shared & circuits.open))
    yield from (HealthFinding("vendor_recovering", name) for name in sorted(shared & circuits.recovering))


def _about_integrations(business: Business, now: datetime) -> Iterator[HealthFinding]:
    for name, integration in business.integrations.items():
        if integration.is_connected and integration.needs_reauth:
            yield HealthFinding("needs_reauth", name)
        ends = [v for field in _EXPIRIES if isinstance(v := integration.settings.get(field), datetime)]
        if integration.is_usable and ends and min(ends) <= now + _SOON:
            yield HealthFinding("access_expires", name, at=min(ends))


def _about_the_calendar(business: Business) -> Iterator[HealthFinding]:
    # Without a zone nothing that is connected is used, and that is told by itself.
    if business.calendar and not business.usable_calendar and not business.zone_problem:
        yield HealthFinding("calendar_away", business.calendar)
    states = [business.integrations.get(name, Integration()) for name in CALENDARS]
    if not business.chosen_calendar and sum(it.is_connected or it.needs_reauth for it in states) > 1:
        yield HealthFinding("calendar_not_chosen", business.calendar)


def _about_keys(documents: Sequence[Document], now: datetime) -> Iterator[HealthFinding]:
    for document in documents:
        ends = document.data.get("expiresAt")
        if isinstance(ends, datetime) and document.data.get("revokedAt") is None and ends <= now + _SOON:
            name = str(document.data.get("name") or document.id)
            yield HealthFinding("key_expired" if ends <= now else "key_expires", name, at=ends)


def _about_rows(calls: _LastCalls) -> Iterator[HealthFinding]:
    seen: Counter[tuple[str, str]] = Counter()
    last: dict[tuple[str, str], Any] = {}
    for row in calls.rows:
        what = None if is_trials_id(str(row.data.get("sessionId"))) else _trouble(row.data)
        if what is not None:
            key = (what, str(row.data.get("tool")))
            seen[key] += 1
            last.setdefault(key, row.data.get("finishedAt"))
    for (what, tool), count in seen.items():
        if what != "tool_failing" or count >= _FAILING_FROM:
            is_cut = {"outcome_unknown": "unknown", "tool_failing": "failed"}.get(what, "refused") in calls.cut
            yield HealthFinding(what, tool, count, last[what, tool], is_at_least=is_cut)


def _trouble(data: Mapping[str, Any]) -> str | None:
    """Return what a call that was not answered well is a sign of; None for a no that is as it should be."""
    if data.get("givenUp"):
        return "call_given_up"
    if data.get("state") == "unknown":
        return "outcome_unknown"
    # A limit is told whoever's it is: what is refused by one of the house's is no failure, and yet worth knowing.
    limit = limit_reached(data.get("response"))
    if limit:
        return limit
    return "tool_failing" if is_failed_row(data) else None


def _about_outbox(documents: Sequence[Document]) -> Iterator[HealthFinding]:
    seen = Counter((str(d.data.get("state")), str(d.data.get("kind"))) for d in documents)
    yield from (HealthFinding(f"outbox_{state}", kind, count) for (state, kind), count in seen.items())
