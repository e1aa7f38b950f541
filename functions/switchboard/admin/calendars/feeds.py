"""Feeds of a business's appointments, for people's own calendars: a secret address that such a program reads.

Whoever has the address may read it, and do nothing else. Only its hash is kept, so that it is shown once, when it is
made; one that is lost, or in wrong hands, is revoked and another one made. A feed names services and times; customers
only where its owner wants that, and never a number, an address or a note.
"""

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime, timedelta
from typing import Any

from switchboard.admin.access.access import Permit
from switchboard.admin.access.known_business import known_business
from switchboard.admin.access.refusal import EntryProblem, NotFound, NotValid, OutOfDate
from switchboard.admin.access.roles import Operation
from switchboard.admin.audit.document_kind import DocumentKind, revision_of
from switchboard.admin.audit.revisions import Saved, require
from switchboard.admin.audit.trail import AuditTrail, id_of
from switchboard.contract.business.business import Business
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths, Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import SERVER_TIME, Create, Delete, Document, Filter, Missing, Order, Query
from switchboard.desk.bookings.booking import Booking, read_booking

FEED = DocumentKind(
    *("calendarFeed", Operation.EDIT_KEYS, lambda paths, id: paths.document("calendarFeeds", id)),
    lambda after, before: (),
)
BEFORE, AHEAD = timedelta(days=7), timedelta(days=90)
"""How far back and ahead a feed goes."""
MOST_READ = 10_000
"""So many appointments are looked at for a feed, the cancelled ones among them."""
MOST_FEEDS = 50
_RANDOM_BYTES = 32
_AT_ONCE = 1_000
_LONGEST_TOKEN = 100
_NO_FEED = "There is no such calendar address; it may have been revoked already."


@dataclass(frozen=True, slots=True)
class Feed:
    """What is kept of a feed.

    Attributes:
        id: The hash of its secret; nothing can be read with it.
        name: What the owners call it.
        shows_names: Whether customers' names stand in it.
        person: The only one whose appointments stand in it, by the id of a person or a room; empty for everybody's.
        document: As it is stored.
    """

    id: str
    name: str
    shows_names: bool
    person: str
    document: Document = field(repr=False)

    @property
    def owned(self) -> JsonObject:
        """What its owner has said of it."""
        return {"name": self.name, "showsNames": self.shows_names, "person": self.person or None}

    def to_json(self) -> JsonObject:
        """Return it as owners see it."""
        made = self.document.data.get("createdAt")
        return {"id": self.id, **self.owned, "createdAt": made, "revision": revision_of(self.owned)}


@dataclass(frozen=True, slots=True)
class FeedAppointments:
    """What stands in a feed.

    Attributes:
        business: Whose it is.
        feed: What is told.
        bookings: The appointments that stand, in order of time.
        until: Up to this time, in UTC, none is missing.
        is_cut: Whether that is earlier than a feed goes, as there were too many to look at.
    """

    business: Business
    feed: Feed
    bookings: Sequence[Booking]
    until: datetime
    is_cut: bool = False


class CalendarFeeds:
    """The owners' operations on feeds, and reading one. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, trail: AuditTrail, clock: Clock) -> None:
        self._store, self._paths, self._trail, self._clock = store, paths, trail, clock

    async def all(self, business_id: str) -> list[Feed]:
        """Return a business's feeds, by name.

        Raises:
            NotFound: There is no such business.
        """
        within = self._paths.within(business_id)
        await known_business(self._store, within)
        documents = await self._store.query(Query(within.collection("calendarFeeds"), limit=MOST_FEEDS))
        return sorted(map(_read, documents), key=lambda feed: (feed.name.lower(), feed.id))

    async def create(self, permit: Permit, given: Mapping[str, Any]) -> tuple[str, str, Saved]:
        """Make a feed; return its id and the secret of its address, which is kept nowhere.

        Args:
            permit: Who makes it, and where.
            given: `{name, showsNames?, person?}`.

        Raises:
            NotFound: There is no such business.
            NotValid: Nobody has that name.
            ToolError: CONFLICT, there are too many.
        """
        within = self._paths.within(permit.business_id)
        business = await known_business(self._store, within)
        _require_known(given.get("person"), business)
        if len(await self.all(permit.business_id)) >= MOST_FEEDS:
            raise ToolError(ErrorType.CONFLICT, f"A business has at most {MOST_FEEDS} calendar addresses; revoke one.")
        token = secrets.token_urlsafe(_RANDOM_BYTES)
        view: JsonObject = {
            "name": " ".join(given["name"].split()),
            "showsNames": given.get("showsNames") is True,
            "person": given.get("person") or None,
        }
        entry = self._trail.entry(permit, FEED, _hash(token), None, view)
        made = Create(within.document("calendarFeeds", _hash(token)), {**view, "createdAt": SERVER_TIME})
        await self._trail.commit(entry, [made])
        return _hash(token), token, Saved(None, revision_of(view), id_of(entry))

    async def revoke(self, permit: Permit, feed_id: str, based_on: str | None) -> Saved:
        """Let nobody read a feed any more.

        Raises:
            RevisionMissing, OutOfDate: See `Revisions.delete`.
            NotFound: There is no such feed.
        """
        require(based_on)
        document = await self._store.get(self._paths.within(permit.business_id).document("calendarFeeds", feed_id))
        if document is None:
            raise NotFound(_NO_FEED)
        now = _read(document).owned
        if revision_of(now) != based_on:
            raise OutOfDate(revision_of(now), now, None, ())
        entry = self._trail.entry(permit, FEED, feed_id, now, None)
        try:
            # Nothing but this changes a feed, so that one that is another by now is gone.
            await self._trail.commit(entry, [Delete(document.path, must_exist=True)])
        except Missing:
            raise NotFound(_NO_FEED) from None
        return Saved(None, revision_of(now), id_of(entry))

    async def read(self, business_id: str, token: str) -> FeedAppointments | None:
        """Return what a feed tells now; None where the address is none, or was revoked."""
        if not 0 < len(token) <= _LONGEST_TOKEN or not token.isascii():
            return None
        within = self._paths.within(business_id)
        document = await self._store.get(within.document("calendarFeeds", _hash(token)))
        if document is None:
            return None
        try:
            business = await known_business(self._store, within)
        except NotFound:
            return None
        return await self._appointments(within, business, _read(document))

    async def _appointments(self, within: BusinessPaths, business: Business, feed: Feed) -> FeedAppointments:
        now, bookings = self._clock.now(), list[Booking]()
        filters = [Filter("start", ">=", now - BEFORE), Filter("start", "<", now + AHEAD)]
        if feed.person:
            # Asked of the store, so that a busy house does not crowd one person out.
            filters.insert(0, Filter("resourceIds", "array-contains", feed.person))
        query = Query(within.collection("bookings"), tuple(filters), (Order("start"),), limit=_AT_ONCE)
        for _ in range(MOST_READ // _AT_ONCE):
            part = await self._store.query(query)
            bookings += [booking for booking in map(read_booking, part) if booking is not None and booking.stands]
            if len(part) < _AT_ONCE:
                return FeedAppointments(business, feed, bookings, now + AHEAD)
            query = replace(query, start_after=(part[-1].data.get("start"), part[-1].id))
        rest = await self._store.query(replace(query, limit=1))
        until = rest[0].data["start"] if rest else now + AHEAD
        return FeedAppointments(business, feed, bookings, until, is_cut=bool(rest))


def _require_known(person: str | None, business: Business) -> None:
    known = [resource.id for resource in business.resources]
    if person is not None and person not in known:
        words = f"one of {', '.join(known)}, or null" if known else "left out: this business has nobody by name"
        raise NotValid([EntryProblem("person", f"person must be {words}.")])


def _read(document: Document) -> Feed:
    name, person = (str(document.data.get(key) or "") for key in ("name", "person"))
    return Feed(document.id, name, document.data.get("showsNames") is True, person, document)


def _hash(token: str) -> str:
    # Long and random, so that no slow hash is needed.
    return hashlib.sha256(token.encode()).hexdigest()
