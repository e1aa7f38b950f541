"""A business taken away: nobody is served from that moment on, and what it leaves elsewhere is told before it goes."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from switchboard.admin.access.access import Permit
from switchboard.admin.access.known_business import known_business
from switchboard.admin.access.refusal import EntryProblem, NotValid
from switchboard.admin.maintenance.deletion_jobs import Deletion, DeletionJobs
from switchboard.contract.business.business import Business, Integration
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessCollection, Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Delete, Filter, Order, Query
from switchboard.contract.vendors import OUTSIDE_CALENDARS
from switchboard.desk.bookings.booking import CONFIRMED

log = logging.getLogger(__name__)

_COUNTED: Final[tuple[BusinessCollection, ...]] = (
    "interactions",
    "bookings",
    "callers",
    "outbox",
    "tools",
    "agents",
    "policies",
    "faqs",
    "knowledge",
    "apiKeys",
)
_VAPI: Final = "vapi"
_MOST_READ: Final = 1_000
_ROLES: Final = (
    "Roles that people have in it stay theirs, also in a business that is given the same id later: take them back with "
    "scripts/grant --revoke."
)
_BACKUPS: Final = "Backups hold it until they run out."


@dataclass(frozen=True, slots=True)
class RemovedBusiness:
    """A business that is taken away, or would be.

    Attributes:
        id: Its id.
        name: What callers know it by.
        documents: How many documents there are of it, by collection; only those that a person may want to count.
        upcoming: How many of the next thousand appointments stand, of which nobody is told anything.
        elsewhere: What stays where Switchboard cannot reach it, each with what to do about it.
        deletion: What deletes it; None where it was only asked what would go.
    """

    id: str
    name: str
    documents: dict[str, int]
    upcoming: int
    elsewhere: tuple[str, ...]
    deletion: Deletion | None = None

    def to_json(self) -> JsonObject:
        """Return it as the API answers it."""
        return {
            "businessId": self.id,
            "name": self.name,
            "documents": self.documents,
            "upcoming": self.upcoming,
            "elsewhere": list(self.elsewhere),
            "isRemoved": self.deletion is not None,
            "deletion": self.deletion.id if self.deletion else None,
        }


class BusinessRemoval:
    """Takes businesses away. What the store raises passes through, and then the business is as it was."""

    def __init__(
        self,
        store: Store,
        paths: Paths,
        clock: Clock,
        deletions: DeletionJobs,
        forget: Callable[[str], None] = lambda business_id: None,
    ) -> None:
        """Take them from `store`.

        Args:
            store: Where everything is.
            paths: Where it is found there.
            clock: Tells which appointments are still to come.
            deletions: Deletes all that is below a business, also where an instance dies of it.
            forget: Has a business read anew when it is next needed: this process may still know it.
        """
        self._store, self._paths, self._clock = store, paths, clock
        self._deletions, self._forget = deletions, forget

    async def looked_at(self, business_id: str) -> RemovedBusiness:
        """Return what would go and what would stay; nothing is changed.

        Raises:
            NotFound: There is no such business.
        """
        within = self._paths.within(business_id)
        business = await known_business(self._store, within)
        ahead = (Filter("start", ">=", self._clock.now()),)
        bookings, counts = await asyncio.gather(
            self._store.query(Query(within.collection("bookings"), ahead, (Order("start"),), limit=_MOST_READ)),
            asyncio.gather(*(self._store.count(Query(within.collection(name))) for name in _COUNTED)),
        )
        upcoming = sum(booking.data.get("status") == CONFIRMED for booking in bookings)
        documents: dict[str, int] = {name: count for name, count in zip(_COUNTED, counts, strict=True) if count}
        elsewhere = (*_left_by(business), _ROLES, _BACKUPS)
        return RemovedBusiness(business_id, business.name, documents, upcoming, elsewhere)

    async def remove(self, permit: Permit, confirmation: str) -> RemovedBusiness:
        """Take a business away: its own document at once, and all that is below it in a deletion that goes on.

        Args:
            permit: Who does it, and which business it is.
            confirmation: The business's id once more.

        Raises:
            NotValid: That is another one.
            NotFound: There is no such business, or no more: what was begun goes on by itself.
        """
        business_id = permit.business_id
        if confirmation != business_id:
            sentence = f"confirm must be the id of the business that is taken away: {business_id}."
            raise NotValid([EntryProblem("confirm", sentence)])
        looked = await self.looked_at(business_id)
        within = self._paths.within(business_id)
        # Both or neither: nobody is left without a document whose rest nobody deletes.
        begun = await self._deletions.begin(
            "business", business_id, by=permit.identity.name, writes=[Delete(within.business)]
        )
        log.info("business taken away", extra={"businessId": business_id, "pii.by": permit.identity.name})
        self._forget(business_id)
        # At once, as far as this instance goes on; else the next pass does it.
        await self._deletions.look(business_id)
        return replace(looked, deletion=begun)


def _left_by(business: Business) -> Iterator[str]:
    for name, called in OUTSIDE_CALENDARS.items():
        if business.integrations.get(name, Integration()).is_connected:
            yield f"What was entered in {called} stays, and so does the consent to write there: disconnect it first."
    if business.integrations.get(_VAPI, Integration()).is_connected:
        yield "Tools that are mirrored at Vapi stay there: delete them first."
    if business.twilio_number:
        yield (
            f"The number {business.twilio_number} stays at Twilio. Callers hear for a minute that it is not in use any "
            "more, and then an error of Twilio's: release it, or point it elsewhere."
        )
