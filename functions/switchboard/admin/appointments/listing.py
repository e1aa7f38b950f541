"""Appointments as people of the business look for them: by day and week, with whom, and of whom."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from switchboard.admin.access.refusal import EntryProblem, NotFound, NotValid
from switchboard.admin.api.paging import Page, Slice, sifted
from switchboard.admin.resources.consequences import BusinessView, booking_line
from switchboard.contract.business.business import Business
from switchboard.contract.context import is_tried_out
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document, Filter, Order, Query
from switchboard.desk.bookings.booking import CONFIRMED, Booking, read_booking
from switchboard.desk.bookings.staff_changes import revision_of_booking
from switchboard.desk.callers.callers import searched_keys
from switchboard.desk.contact.phone import may_be_number, number_on_file, region_of

NO_SHOW: Final = "no_show"
"""The status of an appointment to which nobody came."""


@dataclass(frozen=True, slots=True)
class AppointmentFilter:
    """Which appointments are meant; nothing means all.

    Attributes:
        since: Those that start then (aware) or later.
        until: Those that start before then.
        person: Those that take up the resource of this id.
        text: Those of a name, a number or a reference.
    """

    since: datetime | None = None
    until: datetime | None = None
    person: str = ""
    text: str = ""


def period(
    business: Business, since: datetime | None, until: datetime | None, day: date | None, days: int | None
) -> tuple[datetime | None, datetime | None]:
    """Return from when to when appointments are asked for: a day is that of the business, midnight to midnight.

    Raises:
        NotValid: Both kinds are said, or a day that no calendar can tell.
    """
    if day is None:
        if days is not None:
            raise NotValid([EntryProblem("days", "days needs the day that it begins with, as day.")])
        return since, until
    if since is not None or until is not None:
        raise NotValid([EntryProblem("day", "day stands in place of from and to; say one of them.")])
    try:
        first, last = (
            datetime.combine(each, time.min, business.timezone).astimezone(UTC)
            for each in (day, day + timedelta(days=days or 1))
        )
    except OverflowError:
        raise NotValid([EntryProblem("day", "day must be a day near today.")]) from None
    return first, last


class AppointmentListing:
    """Reads the appointments of every business. What the store raises passes through."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock

    async def listed(self, place: BusinessView, wanted: AppointmentFilter, page: Page) -> Slice[JsonObject]:
        """Return a page of appointments in the order of their start, also those that are over or cancelled.

        Where something is looked for without a period, the latest come first.
        """
        reference = wanted.text.strip()
        if reference.startswith("bk_"):
            booking = await self.booking(place, reference)
            return Slice([self.row(booking)] if booking is not None else [])
        narrowed, keep = _narrowed(wanted, place.business)
        filters = list(narrowed)
        filters += [Filter("start", ">=", wanted.since)] if wanted.since else []
        filters += [Filter("start", "<", wanted.until)] if wanted.until else []
        is_latest_first = bool(reference) and wanted.since is None and wanted.until is None
        order = (Order("start", descending=is_latest_first),)
        part = await sifted(self._store, Query(place.paths.collection("bookings"), tuple(filters), order), page, keep)
        bookings = [booking for booking in map(read_booking, part.items) if booking is not None]
        return Slice([self.row(booking) for booking in bookings], part.next_cursor)

    async def booking(self, place: BusinessView, booking_id: str) -> Booking | None:
        """Return an appointment as it is stored; None where there is none of that id."""
        document = await self._store.get(place.paths.document("bookings", booking_id))
        return read_booking(document) if document is not None else None

    async def known(self, place: BusinessView, booking_id: str) -> Booking:
        """Return an appointment as it is stored.

        Raises:
            NotFound: There is none of that id.
        """
        booking = await self.booking(place, booking_id)
        if booking is None:
            raise NotFound("There is no appointment of that id.")
        return booking

    def row(self, booking: Booking) -> JsonObject:
        """Return an appointment as the admin API answers it."""
        has_begun = booking.start <= self._clock.now()
        return {
            **booking_line(booking),
            "minutes": booking.minutes,
            "email": booking.customer_email,
            "notes": booking.customer_notes,
            "price": booking.price,
            "channel": booking.channel,
            "sessionId": booking.session_id or None,
            "interactionId": booking.call_id,
            "isTrial": is_tried_out(booking.session_id),
            "madeAt": booking.created_at,
            "cancelledBecause": booking.cancelled_because,
            "caution": booking.caution,
            "canChange": booking.status == CONFIRMED and not has_begun,
            "canBeMissed": has_begun and booking.status in (CONFIRMED, NO_SHOW),
            "revision": revision_of_booking(booking),
        }


def _narrowed(wanted: AppointmentFilter, business: Business) -> tuple[list[Filter], Callable[[Document], bool]]:
    """Return what the store is asked by, and what else has to be so; an index knows one of several words alone."""
    text = wanted.text.strip()
    by_person = [Filter("resourceIds", "array-contains", wanted.person)] if wanted.person else []
    if not text:
        return by_person, lambda document: True

    def is_with_them(document: Document) -> bool:
        return not wanted.person or wanted.person in (document.data.get("resourceIds") or ())

    if may_be_number(text):
        number = number_on_file(text, region_of(business)) or text
        return [Filter("customerPhone", "==", number)], is_with_them
    words = searched_keys(text)
    if not words:
        raise NotValid([EntryProblem("text", "text must hold a name, a number or a reference.")])

    def is_theirs(document: Document) -> bool:
        keys = document.data.get("customerKeys") or ()
        return is_with_them(document) and all(word in keys for word in words)

    return [Filter("customerKeys", "array-contains", max(words, key=len))], is_theirs


def as_missed(booking: Booking, *, is_missed: bool) -> Booking:
    """Return an appointment to which somebody did not come, or did after all."""
    return replace(booking, status=NO_SHOW if is_missed else CONFIRMED)
