"""Visits to the portal by a link, as owners see and end them; what else ends them: `desk/callers/portal_links.py`."""

from collections.abc import Mapping
from datetime import datetime

from switchboard.admin.access.access import Permit
from switchboard.admin.access.refusal import NotFound
from switchboard.admin.access.roles import Operation
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.audit.revisions import Revisions, Saved
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.store import Document, Filter, Query
from switchboard.desk.callers.portal_links import VISIT_PREFIX

PORTAL_VISIT = DocumentKind(
    "portalVisit",
    Operation.EDIT_SAFEGUARDS,
    lambda paths, id: paths.document("tickets", f"{VISIT_PREFIX}{id}"),
    lambda after, before: (),
    ("linkId", "endedAt"),
)
_MOST = 500


class PortalVisits:
    """The visits of every business. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, clock: Clock, revisions: Revisions) -> None:
        self._store, self._paths, self._clock, self._revisions = store, paths, clock, revisions

    async def listed(self, business_id: str) -> list[JsonObject]:
        """Return the visits that go on, and the links by which one can still be begun, the newest first."""
        tickets = self._paths.within(business_id).collection("tickets")
        # No other ticket has that field.
        documents = await self._store.query(Query(tickets, (Filter("linkId", ">", ""),), limit=_MOST))
        going_on = [document for document in documents if self._goes_on(document)]
        return [_shown(document) for document in sorted(going_on, key=lambda d: str(d.data["issuedAt"]), reverse=True)]

    async def one(self, business_id: str, id: str) -> JsonObject:
        """Return a visit that goes on.

        Raises:
            NotFound: There is none of that id.
        """
        document = await self._revisions.read(business_id, PORTAL_VISIT, id)
        if not self._goes_on(document):
            raise NotFound("This visit is over.")
        return _shown(document)

    async def end(self, permit: Permit, id: str, based_on: str | None) -> Saved:
        """End a visit at once; the conversation stays on record, and a new link begins another visit.

        Raises:
            NotFound: It is over already.
            RevisionMissing, OutOfDate, Forbidden: See `Revisions.change`.
        """
        await self.one(permit.business_id, id)
        ended = {"endedAt": self._clock.now()}
        return await self._revisions.change(permit, PORTAL_VISIT, id, based_on, lambda current: current | ended)

    def _goes_on(self, document: Document) -> bool:
        return "endedAt" not in document.data and _is_after(document.data, "expiresAt", self._clock.now())


def _shown(document: Document) -> JsonObject:
    data = document.data
    times = {name: data.get(name) for name in ("issuedAt", "openedAt", "expiresAt")}
    ids = {"id": document.id.removeprefix(VISIT_PREFIX), "sessionId": str(data.get("sessionId"))}
    return {**ids, "phone": str(data.get("callerPhone")), **times, "revision": PORTAL_VISIT.revision(document)}


def _is_after(data: Mapping[str, object], name: str, now: datetime) -> bool:
    moment = data.get(name)
    return isinstance(moment, datetime) and moment > now
