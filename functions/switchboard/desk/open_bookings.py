"""How many bookings somebody holds who has not shown who they are: at most a few, in any number of processes at once.

Each conversation, address and number has one document with the ids of what it holds. It changes in the very commit that
makes a booking, on the condition that nobody else has changed it since it was read. What was cancelled or is past is
found out when the share seems to be used up, and only then.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from weakref import WeakValueDictionary

from switchboard.contract.context import CallContext
from switchboard.contract.policy import STRANGERS, Thing
from switchboard.contract.ports import Store
from switchboard.contract.store import Create, Document, Update, Write
from switchboard.contract.strangers import held_already, is_stranger, keys_of
from switchboard.desk.booking import Booking, read_booking
from switchboard.desk.rate_limits import is_unproven

# Longer than a booking can lie ahead, wherever it is moved to.
_KEPT = timedelta(days=800)


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds bookings: a conversation, an address or a number, and what is written down of it."""

    scope: str
    limit: int
    path: str
    document: Document | None

    @property
    def ids(self) -> tuple[str, ...]:
        """The bookings that it made, as far as they were not found over."""
        ids = self.document.data.get("open") if self.document is not None else None
        return tuple(id for id in ids if isinstance(id, str)) if isinstance(ids, list) else ()


class OpenBookings:
    """Knows what strangers hold."""

    def __init__(self, store: Store) -> None:
        """Keep it in `store`."""
        self._store = store
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def holders(self, ctx: CallContext) -> tuple[Holder, ...]:
        """Return under what a booking of this call would count; nothing for a caller who is verified.

        Raises:
            StoreError: It cannot be read.
        """
        if not is_stranger(ctx.facts, ctx.business):
            return ()
        share, keys = STRANGERS[Thing.OPEN_BOOKINGS], keys_of(ctx.facts)
        limits = {"visit": share.visit, "address": share.address, "number": share.number}
        known = [(scope, limit, keys[scope]) for scope, limit in limits.items() if limit is not None and scope in keys]
        paths = [ctx.paths.document("tickets", _name(scope, key)) for scope, _, key in known]
        found = await self._store.get_many(paths) if paths else []
        return tuple(
            Holder(scope, limit, path, document)
            for (scope, limit, _), path, document in zip(known, paths, found, strict=True)
        )

    async def making(self, ctx: CallContext, holders: Sequence[Holder], booking: Booking) -> list[Write]:
        """Return what is written with a booking, so that no holder ends up with more than its share.

        The commit fails with `Stale` or `AlreadyExists` where a holder has made another one in the meantime.

        Raises:
            Refused: RATE_LIMIT; a holder has as many as it may, and nothing shows who is calling.
            StoreError: It cannot be read.
        """
        writes: list[Write] = []
        for holder in holders:
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
        return writes

    @asynccontextmanager
    async def turn(self, holders: Sequence[Holder]) -> AsyncIterator[None]:
        """Let the claims of one holder in this process follow each other: only one of any number at once could win."""
        async with AsyncExitStack() as stack:
            # In one order for everybody, so that no two wait for each other.
            for path in sorted(holder.path for holder in holders):
                await stack.enter_async_context(self._turns.setdefault(path, asyncio.Lock()))
            yield

    async def _still_open(self, ctx: CallContext, ids: Sequence[str]) -> list[str]:
        documents = await self._store.get_many([ctx.paths.document("bookings", id) for id in ids])
        bookings = [read_booking(document) for document in documents if document is not None]
        return [b.id for b in bookings if b is not None and b.is_active and b.end > ctx.now]


def _name(scope: str, key: str) -> str:
    return f"open-bookings:{hashlib.sha256(f'{scope}|{key}'.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"
