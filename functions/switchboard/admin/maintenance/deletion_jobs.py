"""Deletions that take a while: begun once, carried out by whoever comes to it, and finished by the next where it dies.

What was deleted is not found again, so that a run which was killed is simply repeated, and two at once do no harm. A
deletion's own document lies outside the business, which may be what goes; it holds the numbers of a caller until they
are forgotten, and how far it has come for thirty days.

Other instances know a business for a minute after it is gone, and what goes on there is still written down. So that of
a business is done once it was looked through again behind that.
"""

import logging
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, Literal, TypeAlias, cast

from switchboard.admin.maintenance.deletion_progress import DeletionProgress
from switchboard.admin.maintenance.forget_business import forget_business
from switchboard.admin.maintenance.forget_caller import Forgotten, forget_caller
from switchboard.contract.background import in_background
from switchboard.contract.document import integer, moment, strings, text
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessCollection, Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import (
    DELETE_FIELD,
    Create,
    Document,
    Filter,
    Missing,
    Order,
    Query,
    Stale,
    StoreError,
    Update,
    Write,
)

log = logging.getLogger(__name__)

Deleted: TypeAlias = Literal["caller", "business"]
"""What is deleted: all that is kept of a caller, or a business."""

LARGE: Final = 2_000
"""From so many documents on a deletion is begun rather than waited for."""
_COUNTED: tuple[BusinessCollection, ...] = ("sessions", "interactions", "outbox", "bookings", "callers", "tickets")
_LEASE = timedelta(minutes=2)
_SAVED_EVERY_S = 5.0
_KEPT = timedelta(days=30)
# A minute in which others know it, and what takes long of what was begun there.
_HELD_ELSEWHERE: Final = timedelta(minutes=3)
_AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class Deletion:
    """A deletion as it stands.

    Attributes:
        id: By which its progress is read.
        what: A caller or a business.
        business_id: Whose caller, or which business.
        numbers: The caller's, E.164; none once it is done.
        written: How many documents were deleted or cleared, by all runs.
        looked_at: How many the present run has read.
        started_at: When it was asked for.
        changed_at: When it was last told of.
        done_at: When it came to its end; None before.
        is_looked_through: Whether a business was looked through once, and nothing is left but what came in meanwhile.
        records: The ids of the caller's records, as far as they were named; none once it is done.
    """

    id: str
    what: Deleted
    business_id: str
    numbers: tuple[str, ...]
    written: int
    looked_at: int
    started_at: datetime
    changed_at: datetime
    done_at: datetime | None
    is_looked_through: bool = False
    records: tuple[str, ...] = ()

    @property
    def is_done(self) -> bool:
        """Whether it has come to its end."""
        return self.done_at is not None


class DeletionJobs:
    """The deletions of every business. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        self._store, self._paths, self._clock = store, paths, clock
        self._is_draining = False

    async def is_large(self, business_id: str) -> bool:
        """Tell whether so much is kept of a business that nobody should wait until all of it was looked at."""
        within, known = self._paths.within(business_id), 0
        for name in _COUNTED:
            known += await self._store.count(Query(within.collection(name), limit=LARGE))
            if known >= LARGE:
                return True
        return False

    async def open_one(
        self, what: Deleted, business_id: str, numbers: Sequence[str] = (), *, records: Sequence[str] = ()
    ) -> Deletion | None:
        """Return the same deletion that was begun before and is not done; None where there is none."""
        own = Query(self._paths.deletions, (Filter("businessId", "==", business_id),))
        deletions = map(_read, await self._store.query(own))
        wanted = (what, set(numbers), set(records))
        same = (one for one in deletions if (one.what, set(one.numbers), set(one.records)) == wanted)
        return next((one for one in same if not one.is_done), None)

    async def begin(
        self,
        what: Deleted,
        business_id: str,
        numbers: Sequence[str] = (),
        *,
        records: Sequence[str] = (),
        by: str = "",
        writes: Sequence[Write] = (),
    ) -> Deletion:
        """Note that something is to be deleted, and return it; where that was noted before and goes on, return that.

        Args:
            what: Of which kind it is.
            business_id: Whose it is, or which business.
            numbers: A caller's, E.164.
            records: The ids of a caller's records.
            by: Who has asked for it, for whoever asks after a business that is gone.
            writes: What is done in the same moment, or not at all.
        """
        known = await self.open_one(what, business_id, numbers, records=records)
        if known is not None:
            if writes:
                await self._store.commit(writes)
            return known
        now, path = self._clock.now(), self._paths.deletion(uuid.uuid4().hex)
        fields: JsonObject = {"what": what, "businessId": business_id, "startedAt": now, "changedAt": now}
        fields |= {"numbers": list(numbers), "written": 0, "lookedAt": 0, "dueAt": now}
        fields |= {name: value for name, value in (("records", list(records)), ("by", by)) if value}
        await self._store.commit([Create(path, fields), *writes])
        document = await self._store.get(path)
        assert document is not None
        return _read(document)

    async def read(self, business_id: str, id: str) -> Deletion | None:
        """Return a deletion of a business; None where there is none of that id."""
        document = await self._store.get(self._paths.deletion(id))
        if document is None or document.data.get("businessId") != business_id:
            return None
        return _read(document)

    async def carry_out(
        self, deletion: Deletion, tell: Callable[[int, int], object] = lambda looked_at, written: None
    ) -> Forgotten:
        """Do what is left of a deletion, as far as that can be now, and return what was done in this run.

        What others may still write below a business is left to the pass that comes then.

        Args:
            deletion: Which.
            tell: Is called with how many documents were read and written by now.
        """
        now, progress = self._clock.now(), DeletionProgress(self._saving(deletion, tell))
        await self._save(deletion, progress)
        if deletion.what == "business":
            forgotten = Forgotten(deleted=await self._forget_business(deletion, progress))
        else:
            place, whose = (self._store, self._paths, deletion.business_id), deletion.numbers
            forgotten = await forget_caller(*place, *whose, records=deletion.records, now=now, progress=progress)
        now, held_until = self._clock.now(), deletion.started_at + _HELD_ELSEWHERE
        if deletion.what == "business" and now < held_until:
            await self._save(deletion, progress, {"dueAt": held_until, "isLookedThrough": True})
            return forgotten
        done: JsonObject = {"doneAt": now, "expireAt": now + _KEPT, "dueAt": None, "numbers": [], "records": []}
        await self._save(deletion, progress, done)
        return forgotten

    async def _forget_business(self, deletion: Deletion, progress: DeletionProgress) -> dict[str, int]:
        own = self._paths.within(deletion.business_id).business
        if deletion.is_looked_through and await self._store.get(own) is not None:
            # It was brought back from a backup, or made anew past the check: it is another one, and stays.
            return {}
        return await forget_business(self._store, self._paths, deletion.business_id, progress=progress)

    async def drain(self, business_id: str | None) -> Mapping[str, int]:
        """Carry out what nobody is at, of one business or of all; return how many deletions that were."""
        count = 0
        for deletion in await self._due(business_id):
            if await self._is_taken(deletion):
                await self.carry_out(deletion)
                count += 1
        return {"deletions": count}

    async def look(self, business_id: str | None) -> Mapping[str, int]:
        """Begin what `drain` does beside everything else that goes on, and return how many deletions are due."""
        due = [] if self._is_draining else await self._due(business_id)
        if due:
            self._is_draining = True
            in_background(self._drained(business_id))
        return {"deletions": len(due)}

    async def _drained(self, business_id: str | None) -> None:
        try:
            await self.drain(business_id)
        except StoreError as error:
            # It stays due once its lease ends.
            log.warning("deletion interrupted", extra={"reason": type(error).__name__, "pii.detail": str(error)})
        finally:
            self._is_draining = False

    async def _due(self, business_id: str | None) -> list[Deletion]:
        due = (Filter("dueAt", "<=", self._clock.now()),)
        documents = await self._store.query(Query(self._paths.deletions, due, (Order("dueAt"),), limit=_AT_ONCE))
        deletions = map(_read, documents)
        return [one for one in deletions if business_id in (None, one.business_id) and _can_be_done(one)]

    async def _is_taken(self, deletion: Deletion) -> bool:
        """Tell whether it is this instance that does it: of several that come to it at once only one."""
        document = await self._store.get(self._paths.deletion(deletion.id))
        due_at = moment(document.data.get("dueAt")) if document is not None else None
        if document is None or due_at is None or due_at > self._clock.now():
            return False
        lease = {"dueAt": self._clock.now() + _LEASE}
        try:
            await self._store.commit([Update(document.path, lease, if_update_time=document.update_time)])
        except (Stale, Missing):
            return False
        return True

    def _saving(
        self, deletion: Deletion, tell: Callable[[int, int], object]
    ) -> Callable[[DeletionProgress], Awaitable[None]]:
        saved_at = self._clock.monotonic()

        async def save(progress: DeletionProgress) -> None:
            nonlocal saved_at
            tell(progress.looked_at, progress.written)
            if self._clock.monotonic() - saved_at >= _SAVED_EVERY_S:
                saved_at = self._clock.monotonic()
                await self._save(deletion, progress)

        return save

    async def _save(self, deletion: Deletion, progress: DeletionProgress, fields: JsonObject | None = None) -> None:
        now = self._clock.now()
        far: JsonObject = {"written": deletion.written + progress.written, "lookedAt": progress.looked_at}
        far |= {"changedAt": now, "dueAt": now + _LEASE, **(fields or {})}
        if far["dueAt"] is None:
            far["dueAt"] = DELETE_FIELD
        try:
            await self._store.commit([Update(self._paths.deletion(deletion.id), far)])
        except Missing:
            # Somebody has deleted its document, which is what an operator does to have it told no more.
            log.info("deletion is not told of any more", extra={"path": self._paths.deletion(deletion.id)})


def _read(document: Document) -> Deletion:
    data = document.data
    return Deletion(
        id=document.id,
        what=cast(Deleted, text(data.get("what"))),
        business_id=text(data.get("businessId")),
        numbers=strings(data.get("numbers")),
        written=integer(data.get("written")),
        looked_at=integer(data.get("lookedAt")),
        started_at=moment(data.get("startedAt")) or document.create_time,
        changed_at=moment(data.get("changedAt")) or document.update_time,
        done_at=moment(data.get("doneAt")),
        is_looked_through=data.get("isLookedThrough") is True,
        records=strings(data.get("records")),
    )


def _can_be_done(deletion: Deletion) -> bool:
    """Tell whether it says enough: what nobody can read is left, and looked at no further."""
    if deletion.what == "business":
        return bool(deletion.business_id)
    return deletion.what == "caller" and bool(deletion.business_id) and bool(deletion.numbers or deletion.records)
