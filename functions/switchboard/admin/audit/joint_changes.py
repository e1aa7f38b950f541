"""Several documents of one business changed together: in one commit with an entry of the audit for each, or not at all.

Each is held to the rules of its kind, as `Revisions` holds one, and each is conditioned on what was read: if one of
them has changed since, none is written.
"""

from collections.abc import Sequence

from switchboard.admin.access.access import Permit
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.audit.revisions import allow, check_change, fields_to_write, stamps
from switchboard.admin.audit.trail import AuditTrail, id_of
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import SERVER_TIME, Create, Delete, Document, Update, Write, WriteResult


@dataclass(frozen=True, slots=True)
class JointChange:
    """What one of the documents becomes.

    Attributes:
        kind: Its kind, whose rules hold.
        id: Its id.
        document: As it was read; None where there was none.
        after: The owner's part as it shall be; None where the document is to go.
    """

    kind: DocumentKind
    id: str
    document: Document | None
    after: JsonObject | None

    @property
    def before(self) -> JsonObject:
        """The owner's part as it was read; empty where there was none."""
        return self.kind.view(self.document.data) if self.document is not None else {}

    @property
    def completed(self) -> JsonObject:
        """The owner's part as it would be stored; empty where it goes."""
        return self.kind.completed(self.kind.view(self.after), self.before) if self.after is not None else {}


class JointChanges:
    """Makes them. What the store raises passes through, and then nothing was written."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        self._paths, self._trail = paths, AuditTrail(store, paths, clock)

    async def check(self, permit: Permit, change: JointChange) -> None:
        """Let one of them through that can be kept.

        Raises:
            NotValid, Forbidden: See `check_change`.
        """
        if change.after is None:
            allow(permit, change.kind, change.before, {})
            return
        await check_change(permit, change.kind, change.before, change.completed)

    async def require_unbroken(self, permit: Permit, change: JointChange) -> None:
        """Let one of them through by which nothing else would break.

        Raises:
            NotConfirmed: Something would.
        """
        if change.after is not None:
            await change.kind.unbroken(permit, change.before, change.completed)

    def entry(
        self, permit: Permit, kind: DocumentKind, document: str, before: JsonObject | None, after: JsonObject
    ) -> Create:
        """Return an entry of the audit that tells of all of them together, for `commit`."""
        return self._trail.entry(permit, kind, document, before, after)

    async def commit(
        self, permit: Permit, changes: Sequence[JointChange], whole: Create, beside: Sequence[Write]
    ) -> tuple[str, ...]:
        """Make all changes, which were checked, and return the ids of the audit's entries, that of `whole` last.

        Args:
            permit: Who makes them, and where.
            changes: What becomes of which document; each of another one.
            whole: The entry that tells of all of them.
            beside: What else is written in the same commit.

        Raises:
            Stale, Missing, AlreadyExists: Something has changed since it was read; nothing was written.
        """
        within = self._paths.within(permit.business_id)
        entries = [self._entry_of(permit, change) for change in changes]
        # Two kinds may leave the same mark.
        marks: dict[str, Write] = {}
        for change in changes:
            marks |= {write.path: write for write in change.kind.beside(within, change.id)}
        writes = [self._write(permit, change) for change in changes]
        committed = await self._trail.commit(whole, [*writes, *marks.values(), *beside], entries)
        results = dict(zip(marks, committed.results[len(writes) :], strict=False))
        await self._afterwards(permit, changes, results)
        return tuple(id_of(entry) for entry in (*entries, whole))

    def _entry_of(self, permit: Permit, change: JointChange) -> Create:
        before = change.before if change.document is not None else None
        after = change.completed if change.after is not None else None
        return self._trail.entry(permit, change.kind, change.id, before, after)

    def _write(self, permit: Permit, change: JointChange) -> Write:
        path = change.kind.path(self._paths.within(permit.business_id), change.id)
        if change.document is None:
            return Create(path, {**change.completed, "createdAt": SERVER_TIME, **stamps(permit)})
        read_at = change.document.update_time
        if change.after is None:
            return Delete(path, must_exist=True, if_update_time=read_at)
        fields = fields_to_write(change.kind, change.before, change.completed)
        return Update(path, fields | stamps(permit), if_update_time=read_at)

    async def _afterwards(
        self, permit: Permit, changes: Sequence[JointChange], results: dict[str, WriteResult]
    ) -> None:
        """Have each kind do what it does after a commit: once for all documents that leave the same marks."""
        within, settled = self._paths.within(permit.business_id), set[tuple[str, ...]]()
        for change in changes:
            paths = tuple(write.path for write in change.kind.beside(within, change.id))
            if paths not in settled:
                settled.add(paths)
                beside = [results[path] for path in paths] if results else ()
                await change.kind.saved(permit.business_id, change.id, beside)
