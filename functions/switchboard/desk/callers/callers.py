"""Callers on file: found by the number that the phone network signals, or by what stands in their record."""

import asyncio
from collections.abc import Sequence
from datetime import date

from switchboard.contract.business.business import read_business
from switchboard.contract.ports import BusinessPaths, Store
from switchboard.contract.store import Document, Filter, Query
from switchboard.desk.callers.caller import Caller, read_caller
from switchboard.desk.contact.phone import caller_number, region_of, spellings
from switchboard.desk.derived_id import derived_id

# Families share a telephone, and several hundred people a birthday.
_MOST_OF_NUMBER = 10
_MOST_OF_BIRTHDAY = 200


class Callers:
    """The records of every business's callers. Failures are `StoreError`s."""

    def __init__(self, store: Store) -> None:
        """Read from `store`; nothing is remembered here, since a block or a flag must hold at once."""
        self._store = store

    async def of_number(self, paths: BusinessPaths, phone: str | None) -> list[Caller]:
        """Return those whose number this is, in whatever spelling it is signalled; a withheld one is nobody's.

        It is compared with what stands normalised in a record, and with the usual ways to type it in.
        """
        number = caller_number(phone)
        if number is None:
            return []
        conditions = (Filter("phoneNormalised", "==", number), Filter("phone", "in", spellings(number)))
        found = await self._where(paths, conditions, _MOST_OF_NUMBER)
        return [caller for caller in found if caller.phone == number][:_MOST_OF_NUMBER]

    async def of_email(self, paths: BusinessPaths, email: str) -> list[Caller]:
        """Return those with this address, whatever its case here and in the record."""
        written = email.strip()
        address = written.casefold()
        cases = {written, address, written.lower(), written.upper(), address.capitalize(), address.title()}
        local, _, domain = address.partition("@")
        cases |= {f"{local.title()}@{domain}", f"{local.upper()}@{domain}", f"{local}@{domain.capitalize()}"}
        conditions = (Filter("emailNormalised", "==", address), Filter("email", "in", sorted(cases)))
        found = await self._where(paths, conditions, _MOST_OF_NUMBER)
        return [caller for caller in found if caller.email == address][:_MOST_OF_NUMBER]

    async def of_birthday(self, paths: BusinessPaths, day: date) -> list[Caller]:
        """Return those who were born on a day."""
        return await self._where(paths, (Filter("dateOfBirth", "in", [day.isoformat()]),), _MOST_OF_BIRTHDAY)

    async def of_id(self, paths: BusinessPaths, id: str) -> list[Caller]:
        """Return the one record of an id, or none."""
        document, business = await self._store.get_many([paths.document("callers", id), paths.business])
        return [read_caller(document, _region(paths, business))] if document is not None else []

    async def _where(self, paths: BusinessPaths, conditions: Sequence[Filter], most: int) -> list[Caller]:
        """Return the records that meet a condition, in one look: which country the business is in is read beside."""
        records = paths.collection("callers")
        queries = [self._store.query(Query(records, filters=(one,), limit=most)) for one in conditions]
        business, results = await asyncio.gather(self._store.get(paths.business), asyncio.gather(*queries))
        found = {document.id: document for result in results for document in result}
        region = _region(paths, business)
        return [read_caller(document, region) for document in found.values()]


def _region(paths: BusinessPaths, business: Document | None) -> str | None:
    return region_of(read_business(paths.business, business.data)) if business is not None else None


def new_caller_id(number: str) -> str:
    """Return the id of the record that an unknown number gets: the same for the same number, whoever is first."""
    return derived_id("clr_", number)
