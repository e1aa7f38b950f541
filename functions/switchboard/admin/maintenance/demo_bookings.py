"""A booking that is entered relative to the day of entering it, as the seeds of a demo business need."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, time, timedelta

from switchboard.contract.business.business import Business
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import AlreadyExists, Filter, Order, Query
from switchboard.desk.bookings.assignment import NOTHING_ASSIGNED
from switchboard.desk.bookings.booking import CANCELLED, CONFIRMED, Booking, booking_id, read_booking
from switchboard.desk.bookings.bookings import claim_writes
from switchboard.desk.bookings.duration import VisitLength, longest_reach
from switchboard.desk.bookings.hours import Stretch, first_existing, whole_days
from switchboard.desk.bookings.obstacles import is_open_for
from switchboard.desk.calendars.free_busy import LONGEST_MINUTES
from switchboard.desk.calendars.outside_entries import OutsideTime
from switchboard.desk.resources.occupancy import Occupancy

_DAYS_TRIED = 60
_BOOKED_AHEAD = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class BookingWish:
    """A visit of a caller, some days from the day of entering it, at a local time.

    Attributes:
        business: Whose it is.
        name: Its key among the business's wishes.
        visit: The service, as the business offers it, with whom and for how many.
        days: From the day of entering it; less than 0 is the past.
        at: The local time.
        caller: The caller's document.
        notes: What the caller asked for.
    """

    business: Business
    name: str
    visit: VisitLength
    days: int
    at: time
    caller: JsonObject
    notes: str | None = None

    @property
    def effect_key(self) -> str:
        """What makes it one booking. The time is no part of it: entered on another day, it is still the same."""
        return f"seeds/{self.business.id}/{self.name}"

    @property
    def id(self) -> str:
        """The id of the booking."""
        return booking_id(self.effect_key)

    def starts(self, now: datetime) -> Iterator[datetime]:
        """Yield, in UTC, the day that is wished for and the open days after it; for the past, the ones before it."""
        zone, step = self.business.timezone, 1 if self.days >= 0 else -1
        today = now.astimezone(zone).date()
        for moved in range(_DAYS_TRIED):
            start = first_existing(zone, today + timedelta(days=self.days + step * moved), self.at)
            if (start > now) == (step > 0) and is_open_for(self.business, start, self.visit):
                yield start

    def around(self, start: datetime) -> Stretch:
        """Return the days whose bookings matter to one that starts then: those who are least busy come first."""
        return whole_days(self.business.timezone, self.visit.claimed(start, start))

    def booking(self, start: datetime, now: datetime, others: Iterable[Booking] = ()) -> Booking | None:
        """Return the booking that starts then: confirmed, or completed if it is past.

        Args:
            start: When, in UTC.
            now: The time.
            others: What there is beside it, which decides who takes it; where there is one chair, its slots decide.

        Returns:
            None where nobody, or nothing, is free for it then.
        """
        taken = NOTHING_ASSIGNED
        if self.business.resources:
            known = [other for other in others if other.status != CANCELLED]
            assignment = Occupancy(self.business, self.around(start), known, OutsideTime()).assignment(
                self.visit, start
            )
            if assignment is None:
                return None
            taken = assignment
        made = now.astimezone(UTC) if start > now else start - _BOOKED_AHEAD
        return Booking(
            id=self.id,
            business_id=self.business.id,
            service=self.visit.service,
            start=start,
            minutes=self.visit.minutes,
            before=self.visit.before,
            after=self.visit.after,
            timezone=self.business.timezone.key,
            status=CONFIRMED if start > now else "completed",
            customer_name=self.caller["name"],
            customer_phone=self.caller["phone"],
            customer_email=self.caller.get("email"),
            customer_notes=self.notes,
            price=self.visit.price,
            created_at=made,
            confirmed_at=made,
            caller_phone=self.caller["phone"],
            effect_key=self.effect_key,
            calendar=self.business.calendar,
            session_id="seeds",
            party=self.visit.party,
            taken=taken,
        )


async def enter(store: Store, within: BusinessPaths, wish: BookingWish, now: datetime) -> datetime | None:
    """Enter a booking at the first free time and return that (UTC); None where there was none.

    Raises:
        StoreError: The store's; repeated, it is entered once.
    """
    for start in wish.starts(now):
        booking = wish.booking(start, now, await _others(store, within, wish, start))
        if booking is None:
            continue  # somebody else has those who would do
        try:
            await store.commit(claim_writes(within, booking))
        except AlreadyExists:
            if await store.get(within.document("bookings", wish.id)) is None:
                continue  # somebody else has that time
        return start
    return None


async def _others(store: Store, within: BusinessPaths, wish: BookingWish, start: datetime) -> list[Booking]:
    """Return the bookings that decide who takes one that starts then; none where there is one chair."""
    if not wish.business.resources:
        return []
    time, reach = wish.around(start), longest_reach(wish.business, LONGEST_MINUTES)
    filters = (Filter("start", ">=", time.start - reach), Filter("start", "<", time.end + reach))
    documents = await store.query(Query(within.collection("bookings"), filters, (Order("start"),)))
    return [booking for booking in map(read_booking, documents) if booking is not None]
