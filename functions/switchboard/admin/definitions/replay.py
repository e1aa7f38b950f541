"""Replay before publish: a draft held against the last recorded calls of every business (no handler is ever run).

What is told is computed from the ledger and from what businesses have set up, up to a moment that the report names;
its hash stands for all of it. Publishing computes it once more for the same moment, so that nobody can publish over
something that was not shown.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

from switchboard.admin.access.known_business import first_businesses
from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.definitions.definition_set import content_hash
from switchboard.admin.definitions.record import Record
from switchboard.admin.definitions.replay_call import changes, recorded
from switchboard.admin.definitions.wording import WordChanges, word_changes
from switchboard.catalog.definitions.definitions import misfits, read_for_handler
from switchboard.catalog.definitions.tool import Tool
from switchboard.catalog.offer.catalog import Catalog
from switchboard.catalog.offer.inclusion import Exclusion, Situation, exclusion
from switchboard.catalog.tenant_tools.tenant import Tenant
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import Definition
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject, as_json
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Filter, Order, Query, Unavailable
from switchboard.pipeline.ledger.row import CallRow

USUAL_CALLS = 20
MOST_CALLS = 50
MOST_BUSINESSES = 500
_AT_ONCE = 8
_GOOD_FOR = timedelta(hours=1)
_HASH = re.compile(r"(\d{13})\.(\d{1,2})\.([0-9a-f]{32})")
NOT_PUBLISHED = Exclusion("", "definition:published", "the tool is not published")


@dataclass(frozen=True, slots=True)
class Report:
    """What a draft would change.

    Attributes:
        tool: Whose draft.
        revision: Of the record that was looked at.
        until: Calls that began then or later were not looked at (UTC, whole milliseconds).
        calls_each: How many calls of each business were looked at, at most.
        calls: How many were looked at in all.
        unreadable: How many rows of the ledger said nothing that can be used.
        businesses: How many businesses were looked at.
        is_whole: Whether these are all there are.
        words: Which words change, which is not tried by it.
        findings: What would change, in order of business, then newest call first.
    """

    tool: str
    revision: str
    until: datetime
    calls_each: int
    calls: int
    unreadable: int
    businesses: int
    is_whole: bool
    words: WordChanges
    findings: tuple[JsonObject, ...]

    @property
    def hash(self) -> str:
        """Stands for the report when it is acknowledged."""
        digest = content_hash([self.tool, self.revision, self.businesses, self.is_whole, self.findings])[:32]
        return f"{_milliseconds(self.until)}.{self.calls_each}.{digest}"

    def to_json(self, offset: int, limit: int) -> JsonObject:
        """Return the report with a part of its findings."""
        counts = Counter(str(finding["kind"]) for finding in self.findings)
        part = self.findings[offset : offset + limit]
        return as_json(self, counts=counts, hash=self.hash, findings=part)


class Replay:
    """Makes reports, and holds acknowledgements against them. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, catalog: Catalog, clock: Clock) -> None:
        """Read the ledger in `store`, and businesses as `catalog` knows them."""
        self._store, self._paths, self._catalog, self._clock = store, paths, catalog, clock

    async def report(self, record: Record, calls_each: int = USUAL_CALLS, until: datetime | None = None) -> Report:
        """Return what a record's draft would change for each business that is looked at.

        Raises:
            NotValid: There is no draft, or one that could not be published anyway.
        """
        definition = drafted(record)
        moment = _whole(until or self._clock.now())
        work = _ReportWork(record, Tool(definition, record.built), calls_each, moment)
        names, is_whole = await first_businesses(self._store, self._paths, MOST_BUSINESSES)
        gate = asyncio.Semaphore(_AT_ONCE)

        async def one(business_id: str) -> list[JsonObject]:
            async with gate:
                return await self._of_business(work, business_id)

        results = await asyncio.gather(*(one(name) for name in names))
        return Report(
            tool=record.name,
            revision=record.revision,
            until=moment,
            calls_each=calls_each,
            calls=work.calls,
            unreadable=work.unreadable,
            businesses=len(names),
            is_whole=is_whole,
            words=word_changes(record),
            findings=tuple(finding for findings in results for finding in findings),
        )

    async def require(self, record: Record, acknowledged: str) -> None:
        """Return if a report's hash stands for what the record's draft would change.

        Raises:
            NotValid: It is no report's hash, or one of a report that is too old.
            ToolError: CONFLICT; what would change is not what was acknowledged.
        """
        match = _HASH.fullmatch(acknowledged)
        if match is None or not 1 <= int(match[2]) <= MOST_CALLS:
            message = "Replay the draft and look at what it changes first; then send the report's hash as acknowledged."
            raise NotValid([EntryProblem("acknowledged", message)])
        until = datetime.fromtimestamp(int(match[1]) / 1000, UTC)
        if not timedelta(minutes=-1) < self._clock.now() - until < _GOOD_FOR:
            raise NotValid(
                [EntryProblem("acknowledged", "That report is more than an hour old; replay the draft again.")]
            )
        report = await self.report(record, int(match[2]), until)
        if report.hash != acknowledged:
            raise ToolError(
                ErrorType.CONFLICT, "The draft, or what it changes, is not what you acknowledged; replay it again."
            )

    async def _of_business(self, work: "_ReportWork", business_id: str) -> list[JsonObject]:
        tenant = await self._tenant(business_id)
        if tenant is None:
            return []
        query = Query(
            "calls",
            (
                Filter("businessId", "==", business_id),
                Filter("tool", "==", work.record.name),
                Filter("startedAt", "<", work.until),
            ),
            (Order("startedAt", descending=True),),
            limit=work.calls_each,
            group=True,
        )
        rows = [CallRow(document) for document in await self._store.query(query)]
        return [*work.inclusion(tenant), *work.replayed(tenant, rows)]

    async def _tenant(self, business_id: str) -> Tenant | None:
        try:
            tenant = await self._catalog.tenant(business_id)
        except ToolError:
            return None  # it was removed in this moment
        if tenant is None:
            raise Unavailable("a business cannot be read")
        return tenant


class _ReportWork:
    """One report in the making."""

    def __init__(self, record: Record, now: Tool, calls_each: int, until: datetime) -> None:
        self.record, self.now, self.calls_each, self.until = record, now, calls_each, until
        self.calls = self.unreadable = 0
        self._before = _tool(record, record.in_force)
        self._tried = _tool(record, record.canary.document) if record.canary else None

    def before(self, business_id: str) -> Tool | None:
        """Return what a business has now."""
        canary = self.record.canary
        return self._tried if canary and business_id in canary.businesses else self._before

    def inclusion(self, tenant: Tenant) -> Iterator[JsonObject]:
        """Yield where the tool is offered now and would not be, or the other way round."""
        before, now = self.before(tenant.business.id), self.now.definition
        for channel in Channel:
            decisions = {}
            for is_verified in (False, True):
                situation = _situation(tenant, channel, is_verified)
                was = exclusion(before.definition, situation) if before else NOT_PUBLISHED
                decisions[is_verified] = (was, exclusion(now, situation))
            # A row for all callers where it is the same for all.
            states: Sequence[bool | None] = (None,) if decisions[False] == decisions[True] else (False, True)
            for state in states:
                was, is_now = decisions[bool(state)]
                if (was is None) != (is_now is None):
                    yield _inclusion(tenant.business.id, channel, state, was, is_now)

    def replayed(self, tenant: Tenant, rows: Sequence[CallRow]) -> Iterator[JsonObject]:
        """Yield what would change about recorded calls."""
        for row in rows:
            call = recorded(row)
            if call is None:
                self.unreadable += 1
                continue
            self.calls += 1
            agent = tenant.agent(call.facts.agent_id, call.facts.channel)
            yield from changes(call, self.before(tenant.business.id), self.now, tenant.as_seen_by(agent))


def drafted(record: Record) -> Definition:
    """Return the definition that a record's draft is.

    Raises:
        NotValid: There is no draft, or the tool's handler has changed since it was saved.
    """
    if record.drafted is None:
        raise NotValid([EntryProblem("draft", "There is no draft of this tool; save one first.")])
    definition, wrong = read_for_handler(record.name, record.drafted, record.built)
    wrong = wrong or ([*misfits(definition, record.built)] if definition is not None else [])
    if wrong or definition is None:
        raise NotValid([EntryProblem(error.field, f"{error}.") for error in wrong])
    return definition


def _tool(record: Record, document: object) -> Tool | None:
    definition = read_for_handler(record.name, document, record.built)[0] if isinstance(document, dict) else None
    is_usable = definition is not None and not any(misfits(definition, record.built))
    return Tool(definition, record.built) if definition is not None and is_usable else None


def _situation(tenant: Tenant, channel: Channel, is_verified: bool) -> Situation:
    agent = tenant.agent(None, channel)
    return Situation(
        business=tenant.as_seen_by(agent),
        channel=channel,
        is_verified=is_verified,
        agent=agent,
        attached=tenant.attached_to(agent),
        agents=tenant.agents,
    )


def _inclusion(
    business_id: str, channel: Channel, is_verified: bool | None, was: Exclusion | None, is_now: Exclusion | None
) -> JsonObject:
    deciding = is_now or was
    return {
        "kind": "withdrawn" if is_now else "offered",
        "businessId": business_id,
        "channel": channel.value,
        "isVerified": is_verified,
        "condition": deciding.condition if deciding else None,
        "why": deciding.reason if deciding else "",
    }


def _whole(moment: datetime) -> datetime:
    return datetime.fromtimestamp(_milliseconds(moment) / 1000, UTC)


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
