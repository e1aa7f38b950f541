"""The limits of one business as they are shown and set: as a whole, based on a revision, with an entry in its audit."""

from switchboard.admin.access.access import Permit
from switchboard.admin.access.known_business import business_document
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.audit.revisions import Revisions, Saved
from switchboard.admin.costs.month_stops import LimitStandings
from switchboard.admin.costs.monthly_limits import LIMITS_FIELD, read_monthly_limits, shown_limits, stored_limits
from switchboard.contract.business.business import read_business
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Paths, Store


class LimitSettings:
    """Reads them and replaces them. What the store raises passes through."""

    def __init__(
        self,
        store: Store,
        paths: Paths,
        clock: Clock,
        revisions: Revisions,
        kind: DocumentKind,
        standings: LimitStandings,
    ) -> None:
        """Read from `store`, write through `revisions`; `standings` tell how far limits are used up."""
        self._store, self._paths, self._clock = store, paths, clock
        self._revisions, self._kind, self._standings = revisions, kind, standings

    async def read(self, permit: Permit) -> JsonObject:
        """Return a business's limits with their revision, how far they are used up, and what is stopped now.

        Raises:
            NotFound: There is no such business.
        """
        document = await business_document(self._store, self._paths.within(permit.business_id))
        business = read_business(permit.business_id, document.data)
        month, standings = await self._standings.of(permit.business_id, document.data)
        stopped = business.stopped(self._clock.now())
        return {
            "businessId": permit.business_id,
            "month": month,
            "limits": shown_limits(read_monthly_limits(document.data.get(LIMITS_FIELD))),
            "standings": [standing.to_json() for standing in standings],
            "stopped": {unit: at for unit, at in business.month_stop.since.items() if unit in stopped},
            "revision": self._kind.revision(document),
            "mayEdit": permit.may(self._kind.operation),
        }

    async def replace(self, permit: Permit, based_on: str | None, limits: JsonObject) -> Saved:
        """Set a business's limits in place of those that it has; the same once more is nothing done.

        Args:
            permit: Of whoever runs all businesses.
            based_on: The revision that was read.
            limits: `{unit: {warnAt, stopAt}}`; a unit that is left out has none any more.

        Raises:
            NotValid, RevisionMissing, OutOfDate, Forbidden, NotFound: See `Revisions.change`.
        """
        given = read_monthly_limits(limits)
        fields: JsonObject = {LIMITS_FIELD: stored_limits(given)} if given else {}
        return await self._revisions.change(permit, self._kind, permit.business_id, based_on, lambda _: fields)
