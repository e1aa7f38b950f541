"""What there is of a customer: appointments, conversations and messages; and whom appointments alone know of."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from switchboard.admin.api.paging import Page
from switchboard.admin.appointments.listing import AppointmentFilter, AppointmentListing
from switchboard.admin.conversations.session_records import SessionRecords
from switchboard.admin.customers.records import CustomerRecords, numbers_of
from switchboard.admin.messages.inbox import shown_message
from switchboard.admin.resources.consequences import BusinessView
from switchboard.contract.business.names import folded
from switchboard.contract.document import text
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Paths, Store
from switchboard.contract.store import Document, Filter, Order, Query
from switchboard.desk.bookings.booking import read_booking

MOST: Final = 50
_LOOKED_AT: Final = 100


class CustomerHistoryReader:
    """Reads what belongs to customers. What the store raises passes through."""

    def __init__(
        self,
        store: Store,
        paths: Paths,
        records: CustomerRecords,
        listing: AppointmentListing,
        sessions: SessionRecords,
    ) -> None:
        self._store, self._paths, self._records = store, paths, records
        self._listing, self._sessions = listing, sessions

    async def of(self, business_id: str, customer_id: str) -> JsonObject:
        """Return what there is of a customer, the latest first, and whether that is all.

        Raises:
            NotFound: There is none of that id.
        """
        business = await self._records.business(business_id)
        record = await self._records.document(business_id, customer_id)
        numbers = numbers_of(record, business)
        (appointments, is_whole), *others = await asyncio.gather(
            self._appointments(business_id, record, numbers),
            self._conversations(business_id, numbers),
            self._messages(business_id, numbers),
        )
        names = ("appointments", "conversations", "messages")
        return {
            **{name: rows[:MOST] for name, rows in zip(names, (appointments, *others), strict=True)},
            "isWhole": is_whole and all(len(rows) < MOST for rows in others),
        }

    async def appointments_of(self, place: BusinessView, words: str) -> list[JsonObject]:
        """Return the latest appointments of a name or number, whoever's they are."""
        return (await self._listing.listed(place, AppointmentFilter(text=words), Page(_LOOKED_AT))).items

    async def _appointments(
        self, business_id: str, record: Document, numbers: Sequence[str]
    ) -> tuple[list[JsonObject], bool]:
        """Return a customer's appointments, and whether there are no more: by record, number, or the address alone."""
        bookings = self._paths.within(business_id).collection("bookings")
        latest = (Order("start", descending=True),)
        own = [Filter("callerId", "==", record.id)]
        if numbers:
            own.append(Filter("customerPhone", "in", numbers))
        address = text(record.data.get("email")).strip()
        if address:
            own.append(Filter("customerEmail", "in", sorted({address, address.casefold()})))
        documents = await self._store.query(Query(bookings, (), latest, MOST, any_of=tuple(own)))
        read = [booking for booking in map(read_booking, documents) if booking is not None]
        # An address that several share says whose it is only where nothing else does.
        theirs = [
            booking
            for booking in read
            if booking.caller_id == record.id
            or booking.customer_phone in numbers
            or not (booking.customer_phone or booking.caller_id)
        ]
        rows = [self._listing.row(booking) for booking in sorted(theirs, key=lambda b: b.start, reverse=True)]
        return rows, len(documents) < MOST

    async def _conversations(self, business_id: str, numbers: Sequence[str]) -> list[JsonObject]:
        parts = await asyncio.gather(
            *(self._sessions.listed(business_id, Page(MOST), caller=number) for number in numbers)
        )
        rows = [
            {
                "sessionId": row["id"],
                "channel": row["channel"],
                "at": row["startedAt"],
                "phone": row["callerPhone"],
            }
            for part in parts
            for row in part.items
        ]
        return sorted(rows, key=lambda row: str(row["at"] or ""), reverse=True)

    async def _messages(self, business_id: str, numbers: Sequence[str]) -> list[JsonObject]:
        outbox = self._paths.within(business_id).collection("outbox")
        if not numbers:
            return []
        own = (Filter("kind", "==", "message"), Filter("callbackPhone", "in", numbers))
        latest = (Order("createdAt", descending=True),)
        rows = [shown_message(document) for document in await self._store.query(Query(outbox, own, latest, MOST))]
        return sorted(rows, key=lambda row: str(row["at"]), reverse=True)


def without_record(
    appointments: Iterable[Mapping[str, Any]], known: Sequence[Mapping[str, object]]
) -> list[JsonObject]:
    """Return those who have some of these appointments and are not among the customers that are known."""
    numbers = {customer["phone"] for customer in known} - {None}
    addresses = {str(customer["email"]).casefold() for customer in known if customer["email"]}
    names = {folded(str(customer["name"])) for customer in known if not customer["phone"]}
    groups: dict[str, JsonObject] = {}
    for row in appointments:
        is_known = row["phone"] in numbers or folded(row["customer"]) in names
        if is_known or not row["customer"] or (not row["phone"] and (row["email"] or "").casefold() in addresses):
            continue
        whose = row["phone"] or row["email"] or folded(row["customer"])
        contact = {"name": row["customer"], "phone": row["phone"], "email": row["email"]}
        group = groups.setdefault(whose, {**contact, "appointments": 0, "latest": row["start"]})
        group["appointments"] += 1
    return list(groups.values())
