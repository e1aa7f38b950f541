"""How many bookings somebody holds who has not shown who they are: at most a few, in any number of processes at once.

Each conversation, address and number, shown or named, has one document with the ids of what it holds. It changes in the
very commit that makes a booking, on the condition that nobody else has changed it since it was read. What was cancelled
or is past is found out when the share seems to be used up, and only then.

How many all of them make in a day is one count, which that commit raises without a condition: strangers who book at the
same time would otherwise have to wait for each other.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime, timedelta
from weakref import WeakValueDictionary

from switchboard.contract.caller.strangers import held_already, is_stranger, keys_of, tally_of, used_up, vouched_number
from switchboard.contract.context import CallContext
from switchboard.contract.document import strings
from switchboard.contract.policy import STRANGERS, Thing
from switchboard.contract.ports import Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Create, Delete, Document, StoreError, Update, Write, WriteResult
from switchboard.contract.window import Window
from switchboard.desk.bookings.booking import Booking, read_booking
from switchboard.desk.limits.rate_limits import is_unproven, shows_who

# Longer than a booking can lie ahead, wherever it is moved to.
_KEPT = timedelta(days=800)


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds bookings: a conversation, an address, a number, or all whose number is withheld; and what is written.

    Of a number, `number` is the scope where it is shown and `named` where a booking is to be reached on it.
    """

    scope: str
    limit: int
    path: str
    document: Document | None

    @property
    def ids(self) -> tuple[str, ...]:
        """The bookings that it made, as far as they were not found over."""
        return strings(self.document.data.get("open")) if self.document is not None else ()


@dataclass(frozen=True, slots=True)
class Held:
    """What one more booking counts in; nothing of it for somebody known.

    Attributes:
        holders: Who would hold it.
        day: The window in which all strangers' bookings of the business are counted.
        made: How many those were, when it was read.
    """

    holders: tuple[Holder, ...] = ()
    day: Window | None = None
    made: int = 0

    @property
    def versions(self) -> list[datetime | None]:
        """Which writing of each holder was read."""
        return [holder.document.update_time if holder.document is not None else None for holder in self.holders]


class OpenBookings:
    """Knows what strangers hold."""

    def __init__(self, store: Store) -> None:
        """Keep it in `store`."""
        self._store = store
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def held(self, ctx: CallContext, booking: Booking) -> Held:
        """Return under what a booking of this call would count; nothing for a caller who is verified.

        Raises:
            StoreError: It cannot be read.
        """
        if not is_stranger(ctx.facts, ctx.business):
            return Held()
        share, keys = STRANGERS[Thing.OPEN_BOOKINGS], _keys(ctx, booking)
        limits = {"visit": share.visit, "address": share.address, "withheld": share.withheld}
        limits |= {"number": share.number, "named": share.number}
        known = [(scope, limit, keys[scope]) for scope, limit in limits.items() if limit is not None and scope in keys]
        paths = [ctx.paths.document("tickets", _name(scope, key)) for scope, _, key in known]
        day = tally_of(Thing.BOOKINGS, ctx.facts, ctx.paths, ctx.now).windows[-1]
        session = ctx.paths.document("sessions", ctx.facts.session_id)
        *documents, counted, known_by = await self._store.get_many([*paths, day.path, session])
        if shows_who(known_by, ctx):
            return Held()
        holders = tuple(
            Holder(scope, limit, path, document)
            for (scope, limit, _), path, document in zip(known, paths, documents, strict=True)
        )
        return Held(holders, day, int(counted.data.get("count") or 0) if counted is not None else 0)

    async def making(self, ctx: CallContext, held: Held, booking: Booking) -> list[Write]:
        """Return what is written with a booking, so that no holder ends up with more than its share.

        The commit fails with `Stale` or `AlreadyExists` where a holder has made another one in the meantime; whether
        all have made too many, the last of its results tells (`undone`). Nothing is written for somebody known.

        Raises:
            Refused: RATE_LIMIT; a holder has as many as it may, or all have, and nothing shows who is calling.
            StoreError: It cannot be read.
        """
        writes: list[Write] = []
        for holder in held.holders:
            ids = [id for id in holder.ids if id != booking.id]
            if len(ids) >= holder.limit:
                ids = await self._still_open(ctx, ids)
            if len(ids) >= holder.limit:
                if await is_unproven(self._store, ctx):
                    raise held_already(holder.scope, holder.limit)
                return []
            fields = {"open": [*ids, booking.id], "expireAt": ctx.now + _KEPT}
            if holder.document is None:
                writes.append(Create(holder.path, fields))
            else:
                writes.append(Update(holder.path, fields, if_update_time=holder.document.update_time))
        if held.day is None:
            return writes
        if held.made >= held.day.rule.limit:
            if await is_unproven(self._store, ctx):
                raise used_up(Thing.BOOKINGS, held.day, ctx.now)
            return []
        return [*writes, held.day.counting(1)]

    async def undone(self, ctx: CallContext, held: Held, made: Sequence[Write], result: WriteResult) -> bool:
        """Take a booking back that was one too many of the day, as some were made at the same time; tell whether it is.

        Args:
            ctx: Who made it.
            held: What it counted in.
            made: The writes that made it.
            result: Of the last write of `making`.
        """
        if held.day is None or int(result.increments["count"]) <= held.day.rule.limit:
            return False
        try:
            if not await is_unproven(self._store, ctx):
                return False
            # Its holders find out by themselves that there is no such booking.
            created = [Delete(write.path) for write in made if isinstance(write, Create)]
            await self._store.commit([*created, held.day.counting(-1)])
        except StoreError:
            # It stands, and is told: one more than the table says, rather than one that nobody knows of.
            return False
        return True

    @asynccontextmanager
    async def turn(self, held: Held) -> AsyncIterator[None]:
        """Let the claims of one holder in this process follow each other: only one of any number at once could win."""
        async with AsyncExitStack() as stack:
            # In one order for everybody, so that no two wait for each other.
            for path in sorted(holder.path for holder in held.holders):
                await stack.enter_async_context(self._turns.setdefault(path, asyncio.Lock()))
            yield

    async def _still_open(self, ctx: CallContext, ids: Sequence[str]) -> list[str]:
        documents = await self._store.get_many([ctx.paths.document("bookings", id) for id in ids])
        bookings = [read_booking(document) for document in documents if document is not None]
        return [b.id for b in bookings if b is not None and b.is_active and b.end > ctx.now]


def _keys(ctx: CallContext, booking: Booking) -> dict[str, str]:
    """Return under what a booking counts, by scope: a number that it names is counted like one that is shown.

    Not one that the carrier vouches for, which is the caller's own: strangers who name it use nothing of its owner's.
    """
    keys = keys_of(ctx.facts)
    # Nor the one that is shown: it counts as that, and what others named it in is not for its owner to answer for.
    if booking.customer_phone and booking.customer_phone not in (vouched_number(ctx.facts), ctx.facts.caller_phone):
        keys["named"] = booking.customer_phone
    return keys


def _name(scope: str, key: str) -> str:
    return f"open-bookings:{hashlib.sha256(f'{scope}|{key}'.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"
