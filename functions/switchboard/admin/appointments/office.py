"""Appointments as people of the business make, move, correct and cancel them.

Each is done as a caller's is: by the tool that callers' wishes go to, with its checks, its calendars, its texts and its
place in the ledger. Who did it stands there and in the audit.
"""

from typing import Any, Final

from switchboard.admin.access.access import Permit
from switchboard.admin.access.known_business import known_business
from switchboard.admin.access.refusal import EntryProblem, NotValid, OutOfDate
from switchboard.admin.api.paging import Page, Slice
from switchboard.admin.appointments.entry_form import booking_arguments, check_party, contact_arguments, moment_entered
from switchboard.admin.appointments.listing import NO_SHOW, AppointmentFilter, AppointmentListing, as_missed
from switchboard.admin.appointments.refusals import refusal_of
from switchboard.admin.appointments.staff_calls import StaffCalls
from switchboard.admin.audit.entry import read_entry
from switchboard.admin.audit.revisions import Saved, changing, require
from switchboard.admin.audit.trail import AuditTrail, id_of, left
from switchboard.admin.resources.booking_office import BOOKING
from switchboard.admin.resources.consequences import BusinessView
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.response import ToolResponse
from switchboard.contract.store import Create, Document, Filter, Order, Query
from switchboard.desk.bookings.booking import CONFIRMED, Booking
from switchboard.desk.bookings.booking_records import BookingRecords
from switchboard.desk.bookings.staff_changes import SEEN_BEFORE, revision_of_booking, told_to_staff
from switchboard.desk.calendars.grid import claiming, freeing

_ATTEMPTS = 3
_MADE_BEFORE: Final = "The same appointment was made before with other particulars. Look at it, and correct it there."
_STANDS_NOT: Final = (
    "This appointment was cancelled, has begun or is over. It can be moved, corrected or cancelled before."
)
_NOT_BEGUN: Final = "Whether somebody came is known once the appointment has begun."
_GIVEN_AWAY: Final = "Its time was given to somebody else meanwhile. Cancel or move that appointment first."
_NOT_STANDING: Final = "This appointment does not stand, so that nobody could miss it."

Done = tuple[JsonObject, bool, Saved]
"""An appointment as it is answered, whether it was so before, and what was left in the audit."""


class AppointmentOffice:
    """The operations of the business's own people. What the store raises passes through."""

    def __init__(
        self, store: Store, paths: Paths, clock: Clock, calls: StaffCalls, trail: AuditTrail, records: BookingRecords
    ) -> None:
        self._store, self._paths, self._clock, self._calls = store, paths, clock, calls
        self._trail, self._records = trail, records
        self.listing = AppointmentListing(store, clock)

    async def place(self, business_id: str) -> BusinessView:
        """Return a business with where its documents are.

        Raises:
            NotFound: There is no such business.
        """
        within = self._paths.within(business_id)
        return BusinessView(await known_business(self._store, within), within)

    async def listed(self, place: BusinessView, wanted: AppointmentFilter, page: Page) -> Slice[JsonObject]:
        """Return a page of appointments; see `AppointmentListing.listed`."""
        return await self.listing.listed(place, wanted, page)

    async def one(self, place: BusinessView, booking_id: str) -> JsonObject:
        """Return an appointment.

        Raises:
            NotFound: There is none of that id.
        """
        return self.listing.row(await self.listing.known(place, booking_id))

    async def make(self, permit: Permit, given: JsonObject, once: str) -> Done:
        """Make an appointment, or return the one that the same wish has made.

        Args:
            permit: Who makes it, and where.
            given: As `booking_arguments` reads it.
            once: What is the same for every try of this wish; empty where nobody says.

        Raises:
            NotValid: Everything that is wrong with it.
            ToolError: CONFLICT, nobody is there, or the time is taken; TRANSIENT, with partial side effects, when it is
                not known yet whether it was made.
        """
        place = await self.place(permit.business_id)
        arguments = booking_arguments(given, place.business)
        response = await self._calls.call(permit, "book_appointment", arguments, once=once)
        return await self._done(place, response, _MADE_BEFORE)

    async def move(self, permit: Permit, booking_id: str, based_on: str | None, given: JsonObject, once: str) -> Done:
        """Move an appointment, or have more or fewer come to it; what it has is kept until what it will have is held.

        Raises:
            RevisionMissing, OutOfDate, NotFound, NotValid, ToolError: As `make`, and see `_changed`.
        """
        place, problems = await self.place(permit.business_id), list[EntryProblem]()
        arguments = {"booking_id": booking_id}
        arguments["new_start_time"] = moment_entered(given["start"], place.business, problems)
        if (party := given.get("party")) is not None:
            booking = await self.listing.known(place, booking_id)
            if party > booking.party:
                check_party(party, place.business.service_named(booking.service), place.business, problems)
            # Also where it is so by now: what is sent again must be what was sent before.
            arguments |= {"party_size": party} if place.business.takes_parties else {}
        if problems:
            raise NotValid(problems)
        return await self._changed(permit, place, "reschedule_appointment", arguments, based_on, once)

    async def cancel(self, permit: Permit, booking_id: str, based_on: str | None, once: str) -> Done:
        """Cancel an appointment and free its time.

        Raises:
            RevisionMissing, OutOfDate, NotFound, ToolError: See `_changed`.
        """
        place, arguments = await self.place(permit.business_id), {"booking_id": booking_id}
        return await self._changed(permit, place, "cancel_appointment", arguments, based_on, once)

    async def correct(
        self, permit: Permit, booking_id: str, based_on: str | None, given: JsonObject, once: str
    ) -> Done:
        """Correct what is written down of an appointment's customer.

        Raises:
            RevisionMissing, OutOfDate, NotFound, NotValid, ToolError: See `_changed`.
        """
        place, problems = await self.place(permit.business_id), list[EntryProblem]()
        contact = contact_arguments(given, place.business, problems)
        if problems:
            raise NotValid(problems)
        if not contact:
            return await self._as_it_is(place, booking_id, based_on)
        arguments = {"booking_id": booking_id, **contact}
        return await self._changed(permit, place, "update_appointment", arguments, based_on, once)

    async def miss(self, permit: Permit, booking_id: str, based_on: str | None, *, is_missed: bool) -> Done:
        """Note that nobody came to an appointment, or that somebody did after all.

        Raises:
            RevisionMissing, OutOfDate, NotFound: As for every change.
            ToolError: CONFLICT; it has not begun, does not stand, or its time is somebody else's by now.
        """
        place = await self.place(permit.business_id)
        require(based_on)
        for _ in range(_ATTEMPTS):
            booking = await self.listing.known(place, booking_id)
            if revision_of_booking(booking) != based_on:
                raise await self._out_of_date(place, booking)
            if booking.start > self._clock.now():
                raise ToolError(ErrorType.CONFLICT, _NOT_BEGUN)
            if booking.status not in (CONFIRMED, NO_SHOW):
                raise ToolError(ErrorType.CONFLICT, _NOT_STANDING)
            target = as_missed(booking, is_missed=is_missed)
            if target == booking:
                return self._answer(booking, None, is_repeated=True)
            entry = self._trail.entry(permit, BOOKING, booking.id, told_to_staff(booking), told_to_staff(target))
            # Whoever missed it holds no time any more, which others may use what is left of.
            slots = freeing(place.paths, booking.held) if is_missed else claiming(place.paths, booking.id, target.slots)
            saved, is_others = await self._records.changed(place, booking, [*slots, entry], status=target.status)
            if saved.status == target.status:
                # Somebody else may have noted the same in the same moment: then the audit has their entry alone.
                if is_others is None:
                    is_others = await self._store.get(entry.path) is None
                if is_others:
                    return self._answer(saved, None, is_repeated=True)
                left(entry)
                return self._answer(saved, entry)
            if saved.revision == booking.revision:
                # Nobody has changed it: what was in the way is its time.
                raise ToolError(ErrorType.CONFLICT, _GIVEN_AWAY)
        raise changing()

    async def _changed(
        self,
        permit: Permit,
        place: BusinessView,
        tool: str,
        arguments: JsonObject,
        based_on: str | None,
        once: str,
    ) -> Done:
        """Change an appointment by a tool, as somebody of the business has read it.

        Raises:
            RevisionMissing: `based_on` says nothing.
            OutOfDate: It was changed since that revision.
            NotFound: There is no such appointment.
            ToolError: CONFLICT, it is over or the time is taken; TRANSIENT, nobody can say yet.
        """
        require(based_on)
        response = await self._calls.call(permit, tool, arguments, seen=based_on or "", once=once)
        if SEEN_BEFORE in response.meta:
            raise await self._out_of_date(place, await self.listing.known(place, arguments["booking_id"]))
        return await self._done(place, response, _STANDS_NOT)

    async def _as_it_is(self, place: BusinessView, booking_id: str, based_on: str | None) -> Done:
        """Return an appointment of which nothing is to be changed, unless it is another one by now."""
        require(based_on)
        booking = await self.listing.known(place, booking_id)
        if revision_of_booking(booking) != based_on:
            raise await self._out_of_date(place, booking)
        return self._answer(booking, None, is_repeated=True)

    async def _done(self, place: BusinessView, response: ToolResponse, otherwise: str) -> Done:
        if not response.ok:
            raise refusal_of(response, place.business, self._clock.now(), otherwise)
        data: dict[str, Any] = response.data or {}
        booking = await self.listing.known(place, str(data.get("bookingId")))
        is_repeated = data.get("repeated") is True
        newest = None if is_repeated else await self._newest_entry(place, booking.id)
        row = self.listing.row(booking)
        entry_id = newest.id if newest is not None else None
        return row, is_repeated, Saved(None, row["revision"], entry_id)

    def _answer(self, booking: Booking, entry: Create | None, *, is_repeated: bool = False) -> Done:
        row = self.listing.row(booking)
        return row, is_repeated, Saved(None, row["revision"], id_of(entry) if entry is not None else None)

    async def _newest_entry(self, place: BusinessView, booking_id: str) -> Document | None:
        newest = (Order("at", descending=True),)
        own = (Filter("kind", "==", BOOKING.name), Filter("document", "==", booking_id))
        entries = await self._store.query(Query(place.paths.collection("audit"), own, newest, 1))
        return entries[0] if entries else None

    async def _out_of_date(self, place: BusinessView, booking: Booking) -> OutOfDate:
        """Return the refusal of a change that is based on something else than what is there now."""
        newest = await self._newest_entry(place, booking.id)
        whose = str(read_entry(newest).who.get("name") or "") if newest is not None else ""
        return OutOfDate(revision_of_booking(booking), told_to_staff(booking), None, (), whose)
