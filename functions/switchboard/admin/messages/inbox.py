"""The inbox: what callers have left, the newest first, and what somebody of the business has done about each."""

from datetime import UTC, datetime
from typing import Final

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import NotFound
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.paging import Page, Slice, sifted
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.audit.revisions import Revisions, Saved
from switchboard.contract.business.names import folded
from switchboard.contract.document import text
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.store import Document, Filter, Order, Query

MESSAGE: Final = DocumentKind(
    "message",
    Operation.EDIT_BUSINESS,
    lambda paths, id: paths.document("outbox", id),
    lambda after, before: (),
    ("isDone", "calledBackAt", "handlingNote"),
)
"""What was done about a message; the message itself is the caller's."""
_URGENT: Final = "urgent"


class MessageInbox:
    """The messages of every business. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, clock: Clock, revisions: Revisions) -> None:
        self._store, self._paths, self._clock, self._revisions = store, paths, clock, revisions

    async def listed(self, business_id: str, page: Page, show: str, words: str) -> Slice[JsonObject]:
        """Return a page of messages, the newest first.

        Args:
            business_id: Whose.
            page: Which page.
            show: `open`, `done` or `all`.
            words: What their text, name or number holds, in any case; empty for every one.
        """
        wanted, digits = folded(words), "".join(filter(str.isdigit, words))

        def keep(document: Document) -> bool:
            is_done = document.data.get("isDone") is True
            return (show == "all" or is_done == (show == "done")) and (not wanted or _holds(document, wanted, digits))

        own = (Filter("kind", "==", "message"),)
        newest = (Order("createdAt", descending=True),)
        query = Query(self._paths.within(business_id).collection("outbox"), own, newest)
        part = await sifted(self._store, query, page, keep)
        return Slice([shown_message(document) for document in part.items], part.next_cursor)

    async def one(self, business_id: str, message_id: str) -> JsonObject:
        """Return a message.

        Raises:
            NotFound: There is none of that id.
        """
        return shown_message(await self._message(business_id, message_id))

    async def handle(
        self, permit: Permit, message_id: str, based_on: str | None, given: JsonObject
    ) -> tuple[JsonObject, Saved]:
        """Note what was done about a message.

        Args:
            permit: Who has done it, and where.
            message_id: The message's id.
            based_on: The revision that was read.
            given: `{done?, calledBack?, note?}`; what is left out stays.

        Raises:
            NotFound, RevisionMissing, OutOfDate: See `Revisions.change`.
        """
        said = {name: value for name, value in given.items() if value is not None}
        await self._message(permit.business_id, message_id)
        now = self._clock.now()
        saved = await self._revisions.change(
            permit, MESSAGE, message_id, based_on, lambda current: _handled(current, said, now)
        )
        assert saved.document is not None
        return shown_message(saved.document), saved

    async def _message(self, business_id: str, message_id: str) -> Document:
        document = await self._store.get(MESSAGE.path(self._paths.within(business_id), message_id))
        if document is None or document.data.get("kind") != "message":
            raise NotFound("There is no message of that id.")
        return document


def _handled(current: JsonObject, said: JsonObject, now: datetime) -> JsonObject:
    fields = dict(current)
    if "done" in said:
        fields["isDone"] = said["done"]
    if said.get("calledBack") is True:
        fields.setdefault("calledBackAt", now)
    elif said.get("calledBack") is False:
        fields.pop("calledBackAt", None)
    if "note" in said:
        fields["handlingNote"] = said["note"].strip()
    return fields


def _holds(document: Document, wanted: str, digits: str) -> bool:
    data = document.data
    words = folded(f"{text(data.get('text'))} {text(data.get('callerName'))} {text(data.get('callbackEmail'))}")
    # As it is typed at home: a number that begins with 0 has no 0 behind its country's.
    number = "".join(filter(str.isdigit, text(data.get("callbackPhone"))))
    return wanted in words or (len(digits) > 2 and digits.lstrip("0") in number)


def shown_message(document: Document) -> JsonObject:
    """Return a message as the admin API answers it."""
    data = document.data
    at = data.get("createdAt")
    called_back = data.get("calledBackAt")
    return {
        "id": document.id,
        "caller": text(data.get("callerName")),
        "text": text(data.get("text")),
        "phone": text(data.get("callbackPhone")) or None,
        "email": text(data.get("callbackEmail")) or None,
        "isUrgent": data.get("urgency") == _URGENT,
        "at": at if isinstance(at, datetime) else document.create_time.astimezone(UTC),
        "channel": text(data.get("channel")) or None,
        "sessionId": text(data.get("sessionId")) or None,
        "interactionId": text(data.get("callId")) or None,
        "brought": text(data.get("state")),
        "done": data.get("isDone") is True,
        "calledBackAt": called_back if isinstance(called_back, datetime) else None,
        "note": text(data.get("handlingNote")),
        "handledBy": text(data.get("updatedBy")) or None,
        "revision": MESSAGE.revision(document),
    }
