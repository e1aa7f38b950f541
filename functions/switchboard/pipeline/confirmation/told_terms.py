"""What a conversation was told of prices, lengths and names, for calls that do what was agreed: it has to hold still.

Whether something has changed is told by a mark, which the commit that lets a call in returns. Only where it has is the
session read, and the business anew: this instance may know it as it was a minute ago, and what another one has told may
be newer. What was told and stands in a copy that is older is done as it was told.
"""

from switchboard.catalog.offer.catalog import Catalog
from switchboard.contract.business.terms import Terms
from switchboard.contract.error import ToolError, unreadable
from switchboard.contract.store import StoreError
from switchboard.pipeline.invocation import Invocation
from switchboard.pipeline.ledger.admission import options_of


class ToldTerms:
    """Finds out what conversations were told."""

    def __init__(self, catalog: Catalog) -> None:
        """Read businesses and sessions as a catalog does."""
        self._catalog = catalog

    async def look_up(self, invocation: Invocation) -> None:
        """Set `invocation.told` where something has changed since, and `invocation.objection` where nobody can tell."""
        mark = invocation.counts.terms_mark if invocation.counts is not None else 0
        if not mark or not invocation.is_at_terms or mark == Terms.of(invocation.business).mark:
            return
        facts = invocation.facts
        try:
            self._catalog.forget(facts.business_id)
            offer, _, _ = await self._catalog.for_call(facts.business_id, options_of(facts))
            told = await self._catalog.sessions.told(facts.business_id, facts.session_id)
        except ToolError as error:
            invocation.objection = error
            return
        except StoreError as error:
            invocation.objection = unreadable("conversation", error)
            return
        if offer.business is not None:
            invocation.offered(offer)
        invocation.told = told if mark != Terms.of(invocation.business).mark else None
