"""What the audit keeps of one change: who did what to which document, before → after, when; never a secret.

An entry is `businesses/{id}/audit/{entryId}`, created in the commit of the change itself and kept for 400 days
. Ids are in the order of time.
"""

import secrets
from datetime import UTC, datetime, timedelta
from typing import Literal, TypeAlias

from switchboard.admin.access.access import Permit
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.audit.undo_links import InForce
from switchboard.admin.documents.difference import changed, differences
from switchboard.admin.documents.redaction import hides, without_secrets
from switchboard.contract.json import JsonObject, as_json
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import SERVER_TIME, Document

KEPT = timedelta(days=400)
_RANDOM_BITS = 40
Deed: TypeAlias = Literal["created", "changed", "deleted"]


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One change.

    Attributes:
        id: Names the entry.
        at: When it was done (aware, UTC).
        who: `{id, name, role}` as they were then.
        kind: The kind of the document; `document` is its id.
        deed: What was done to it.
        before: The fields that changed, as they were; a field that was not there is not here.
        after: The same fields as they then were.
        undoes: The entry that this one undid, if any.
    """

    id: str
    at: datetime
    who: JsonObject
    kind: str
    document: str
    deed: str
    before: JsonObject
    after: JsonObject
    undoes: str | None

    @property
    def is_undoable(self) -> bool:
        """Whether all that stood there before is known."""
        return not hides(self.before)

    def to_json(self, why_not: str, now: InForce) -> JsonObject:
        """Return the entry as the admin API answers it.

        Args:
            why_not: Why it cannot be undone; empty where it can.
            now: Whether what it tells of is in force.
        """
        return as_json(
            self,
            changes=[str(difference) for difference in differences(self.before, self.after)],
            undone_by=now.undone_by,
            redone_by=now.redone_by,
            is_undoable=not why_not,
            why_not_undoable=why_not or None,
        )


class _Ids:
    """Makes ids that are in the order of time, those of one millisecond in the order in which they were asked for."""

    def __init__(self) -> None:
        self._last = (0, 0)

    def next(self, milliseconds: int) -> str:
        # Half of the numbers are free above the first, so that adding never comes to their end.
        number = secrets.randbits(_RANDOM_BITS - 1)
        if milliseconds == self._last[0]:
            # Two changes in one millisecond have the same date, so the ids alone tell which was made first.
            number = self._last[1] + 1 + secrets.randbits(_RANDOM_BITS // 2)
        self._last = (milliseconds, number)
        return f"{milliseconds:012x}{number:0{_RANDOM_BITS // 4}x}"


_ids = _Ids()


def new_id(now: datetime) -> str:
    """Return an entry's id; in one process a later one stands behind an earlier one, also within a millisecond."""
    return _ids.next(int(now.timestamp() * 1000))


def to_write(
    permit: Permit,
    kind: DocumentKind,
    document: str,
    before: JsonObject | None,
    after: JsonObject | None,
    now: datetime,
    undoes: str | None,
) -> JsonObject:
    """Return the fields of an entry; None for `before` or `after` says that there was no document."""
    deed: Deed = "created" if before is None else "deleted" if after is None else "changed"
    old, new = changed(before or {}, after or {})
    return {
        "at": SERVER_TIME,
        "who": permit.who,
        "kind": kind.name,
        "document": document,
        "deed": deed,
        "before": without_secrets(old),
        "after": without_secrets(new),
        "undoes": undoes,
        "expireAt": now + KEPT,
    }


def read_entry(document: Document) -> AuditEntry:
    """Return a stored entry."""
    data = document.data
    at = data.get("at")
    return AuditEntry(
        id=document.id,
        at=at if isinstance(at, datetime) else document.create_time.astimezone(UTC),
        who=data.get("who") or {},
        kind=str(data.get("kind")),
        document=str(data.get("document")),
        deed=str(data.get("deed")),
        before=data.get("before") or {},
        after=data.get("after") or {},
        undoes=data.get("undoes"),
    )
