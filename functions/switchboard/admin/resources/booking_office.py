"""Appointments as owners see them: with whom each is, which have lost somebody, and giving them to somebody else."""

import asyncio
from collections.abc import Sequence
from datetime import datetime

from switchboard.admin.access.access import Permit
from switchboard.admin.access.known_business import known_business
from switchboard.admin.access.refusal import NotFound
from switchboard.admin.access.roles import Operation
from switchboard.admin.api.paging import Page, Slice, sliced
from switchboard.admin.audit.document_kind import DocumentKind
from switchboard.admin.audit.trail import AuditTrail, id_of, left
from switchboard.admin.resources.consequences import Astray, BusinessView, astray, booking_line, with_others
from switchboard.contract.error import ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Create, Filter, Order, Query, StoreError, Write
from switchboard.desk.bookings.booking import Booking, read_booking
from switchboard.desk.resources.assigning import Assigning
from switchboard.desk.resources.placement import Lack

BOOKING = DocumentKind(
    "booking", Operation.EDIT_BUSINESS, lambda paths, id: paths.document("bookings", id), lambda a, b: ()
)
"""An appointment: whom it is with, and what people of the business decide about it at their desk."""

_TOLD = 100
_WITHIN_S = 12.0


@dataclass(frozen=True, slots=True)
class Left:
    """An appointment for which nobody was found, and why."""

    booking: Booking
    because: str


@dataclass(frozen=True, slots=True)
class AssignmentResult:
    """What became of appointments that needed somebody; `remaining` were not tried yet."""

    assigned: tuple[Booking, ...] = ()
    left: tuple[Left, ...] = ()
    remaining: int = 0

    def to_json(self) -> JsonObject:
        """Return it as the admin API answers it."""
        return {
            "assigned": [booking_line(booking) for booking in self.assigned],
            "left": [{**booking_line(one.booking), "because": one.because} for one in self.left],
            "remaining": self.remaining,
        }


class BookingOffice:
    """The owners' operations about appointments. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, clock: Clock, trail: AuditTrail, assigning: Assigning) -> None:
        """Read from `store`; `assigning` finds somebody else, and the audit tells of it."""
        self._store, self._paths, self._clock = store, paths, clock
        self._trail, self._assigning = trail, assigning

    async def place(self, business_id: str) -> BusinessView:
        """Return a business with where its documents are.

        Raises:
            NotFound: There is no such business.
        """
        within = self._paths.within(business_id)
        return BusinessView(await known_business(self._store, within), within)

    async def listed(
        self, place: BusinessView, page: Page, since: datetime | None, until: datetime | None
    ) -> Slice[JsonObject]:
        """Return a page of the appointments that start in a period, the earliest first, also those that are over."""
        filters = [Filter("start", ">=", since)] if since else []
        filters += [Filter("start", "<", until)] if until else []
        query = Query(place.paths.collection("bookings"), tuple(filters), (Order("start"),))
        part = await sliced(self._store, query, page)
        bookings = [booking for booking in map(read_booking, part.items) if booking is not None]
        ahead = [booking for booking in bookings if booking.start > self._clock.now()]
        # A page may end, or a period begin, within a day.
        looked_at = await self._assigning.looked_at(place, ahead)
        lost = {one.booking.id: one for one in astray(place.business, looked_at)}
        rows = [lost.get(booking.id, Astray(booking, ())).to_json() for booking in bookings]
        return Slice(rows, part.next_cursor)

    async def astray(self, place: BusinessView, most: int) -> tuple[list[Astray], int, bool]:
        """Return the appointments to come that have lost somebody, of many the first, with who could take each.

        Args:
            place: Whose they are.
            most: How many are looked at, the soonest; each is read.

        Returns:
            These, how many there are, and whether all appointments to come were looked at.
        """
        upcoming = await self._assigning.upcoming(place, most)
        bookings_astray = astray(place.business, upcoming)
        return (
            await with_others(self._assigning, place, bookings_astray[:_TOLD]),
            len(bookings_astray),
            upcoming.are_all,
        )

    async def one(self, place: BusinessView, booking_id: str) -> JsonObject:
        """Return an appointment with what it has lost, and who could take it.

        Raises:
            NotFound: There is none of that id.
        """
        document = await self._store.get(place.paths.document("bookings", booking_id))
        booking = read_booking(document) if document is not None else None
        if booking is None:
            raise NotFound("There is no appointment of that id.")
        looked_at = await self._assigning.looked_at(place, [booking])
        lost = astray(place.business, looked_at) or [Astray(booking, ())]
        (booking_astray,) = await with_others(self._assigning, place, lost)
        return booking_astray.to_json()

    async def assign(
        self, permit: Permit, place: BusinessView, booking_id: str, to: str = ""
    ) -> tuple[Booking, str | None]:
        """Give an appointment to somebody who is free; see `Assigning.assign`.

        Returns:
            The appointment, and the entry that it left in the audit, if any.
        """
        entries: list[Create] = []

        def note(before: Booking, after: Booking) -> Sequence[Write]:
            before_and_after = (_told(before), _told(after))
            entries[:] = [self._trail.entry(permit, BOOKING, before.id, *before_and_after)]
            return entries

        booking = await self._assigning.assign(place, booking_id, to, note)
        if booking.repeated or not entries:
            return booking, None
        left(entries[0])
        return booking, id_of(entries[0])

    async def assign_all(self, permit: Permit, place: BusinessView, *, only_new: bool = False) -> AssignmentResult:
        """Give every appointment to come that needs somebody to somebody who is free, as long as a request may take.

        Args:
            permit: Who does it.
            place: Whose they are.
            only_new: Whether only those are meant for which nobody was chosen yet.
        """
        upcoming = await self._assigning.upcoming(place)
        bookings_astray = astray(place.business, upcoming)
        if only_new:
            bookings_astray = [one for one in bookings_astray if one.lost[0].why is Lack.NOBODY]
        assigned, left_over, tried = [], [], 0
        until = asyncio.get_running_loop().time() + _WITHIN_S
        for one in bookings_astray:
            if asyncio.get_running_loop().time() > until:
                break
            tried += 1
            try:
                booking, _ = await self.assign(permit, place, one.booking.id)
                assigned.append(booking)
            except ToolError as error:
                left_over.append(Left(one.booking, error.message))
            except StoreError:
                left_over.append(Left(one.booking, "The store did not answer; try again in a moment."))
        return AssignmentResult(tuple(assigned[:_TOLD]), tuple(left_over[:_TOLD]), len(bookings_astray) - tried)


def _told(booking: Booking) -> JsonObject:
    return {"with": [one.name for one in booking.taken.resources], "resources": list(booking.taken.ids)}
