"""What says, in the commit that counts a thing, that it is being done; and how that is taken back where it is refused.

It is there before anybody knows whether it was one too many, and others may meet it meanwhile. So a claim belongs to
whoever made it, and they take back nothing but their own: what has been changed since is left as it is. Whoever is
content with what another has claimed says so in it (`claimedBy`), and it stays until the last of them is refused.

One write, no read, no transaction: of any number of tries at once, each gets a number of its own.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from switchboard.contract.document import strings
from switchboard.contract.ports import Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import (
    Create,
    Delete,
    Document,
    Increment,
    Missing,
    Set,
    Stale,
    Unavailable,
    Update,
    Write,
    WriteResult,
)

CLAIMED_BY = "claimedBy"
"""In a document that several may share: the ids of those who want it."""
_ATTEMPTS = 5

# Firestore's TTL may then remove a tally; nothing relies on when it does.
_KEPT = timedelta(days=2)


@dataclass(frozen=True, slots=True)
class Claim:
    """What is written together with a count.

    Attributes:
        write: Makes or changes the document of the thing itself.
        put_back: What its document gets back where it was there before; a document that was made is removed.
        beside: What else is written, such as which document a caller's words stand in.
        before: By place, what stood where those write, as it was read.
        by: Who claims a document that others may share, as `CLAIMED_BY` names them; empty for one of their own.
    """

    write: Create | Update
    put_back: Update | None = None
    beside: tuple[Create | Update, ...] = ()
    before: tuple[Document | None, ...] = ()
    by: str = ""

    @property
    def writes(self) -> tuple[Write, ...]:
        """Everything that is written in the one commit."""
        return (self.write, *self.beside)

    async def take_back(self, store: Store, results: list[WriteResult], counts: list[Write]) -> None:
        """Take back what nobody has changed since, and what was counted.

        Args:
            store: Where it stands.
            results: What `writes` did.
            counts: Taken back in any case.

        Raises:
            StoreError: It may not have been taken back; it then counts as done.
        """
        own, *others = self._undos(results)
        try:
            await store.commit([*counts, own, *others])
            return
        except (Stale, Missing):
            # Somebody else has it now, or a part of it.
            await store.commit(counts)
        if not await _is_done(store, own):
            if self.by:
                await _leave(store, self.write.path, self.by)
            # What stands beside it goes on naming what is there.
            return
        for write in others:
            await _is_done(store, write)

    def _undos(self, results: list[WriteResult]) -> list[Write]:
        times = [result.update_time for result in results]
        own: Write = Delete(self.write.path, if_update_time=times[0])
        if self.put_back is not None:
            own = replace(self.put_back, if_update_time=times[0])
        undos = [own]
        for write, earlier, time in zip(self.beside, self.before, times[1:], strict=True):
            undos.append(
                Delete(write.path, if_update_time=time)
                if earlier is None or isinstance(write, Create)
                else Update(write.path, earlier.data, if_update_time=time)
            )
        return undos

    async def once_more(self, store: Store) -> "Claim":
        """Return the same for whoever was refused first and may have it after all.

        Raises:
            Stale: What was to be shared is gone.
            StoreError: It cannot be read what has become of it.
        """
        shared, *documents_before = await store.get_many([write.path for write in self.writes])
        write = self.write
        if self.by and isinstance(write, Update):
            if shared is None:
                raise Stale(f"what was to be shared is gone: {write.path}")
            write = joining(shared, self.by).write
        documents = zip(self.beside, self.before, documents_before, strict=True)
        beside = tuple(_anew(write, earlier, there) for write, earlier, there in documents)
        return replace(self, write=write, beside=beside)


def _anew(write: Create | Update, earlier: Document | None, there: Document | None) -> Create | Update:
    """Return a write again that was taken back; what somebody else has changed since stays theirs."""
    if isinstance(write, Create):
        return write
    if there is None:
        return Create(write.path, write.data)
    is_as_before = earlier is not None and earlier.data == there.data
    return replace(write, if_update_time=there.update_time) if is_as_before else write


def joining(document: Document, by: str) -> Claim:
    """Return the claim of whoever is content with a document that another has claimed."""
    others = claimants(document)
    mine, theirs = {CLAIMED_BY: [*others, by]}, Update(document.path, {CLAIMED_BY: list(others)})
    return Claim(Update(document.path, mine, if_update_time=document.update_time), theirs, by=by)


def claimants(document: Document) -> tuple[str, ...]:
    """Return who wants a document that several may share, without whoever was refused."""
    return strings(document.data.get(CLAIMED_BY))


async def _is_done(store: Store, write: Write) -> bool:
    try:
        await store.commit([write])
    except (Stale, Missing):
        return False
    return True


async def _leave(store: Store, path: str, by: str) -> None:
    """Want a shared document no more; the last one who did removes it, unless it has been taken further."""
    for _ in range(_ATTEMPTS):
        document = await store.get(path)
        if document is None or by not in claimants(document) or document.data.get("state") != "todo":
            return
        others = [id for id in claimants(document) if id != by]
        mine = document.update_time
        write = Update(path, {CLAIMED_BY: others}, if_update_time=mine) if others else Delete(path, if_update_time=mine)
        if await _is_done(store, write):
            return
    raise Unavailable(f"who wants it keeps changing: {path}")


async def tallied(store: Store, paths: Sequence[str], now: datetime) -> list[int]:
    """Add one to each tally, in one commit, and return their new values in order.

    Args:
        store: Where they stand.
        paths: Documents of `tickets`, no two the same.
        now: When it is counted (aware).

    Raises:
        StoreError: They may or may not have been counted; the try must not be looked at.
    """
    writes = [Set(path, {"count": Increment(1), "expireAt": now + _KEPT}, merge=True) for path in paths]
    return [int(result.increments["count"]) for result in await store.commit(writes)]
