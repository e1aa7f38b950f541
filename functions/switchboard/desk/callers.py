"""Callers on file: found by the number that the phone network signals, or by what stands in their record."""

import base64
import hashlib
from collections.abc import Sequence
from datetime import date
from typing import Any

from switchboard.contract.ports import BusinessPaths, Store
from switchboard.contract.store import Filter, Query
from switchboard.desk.caller import Caller, read_caller
from switchboard.desk.phone import caller_number

# Families share a telephone, and several hundred people a birthday.
_MOST_OF_NUMBER = 10
_MOST_OF_BIRTHDAY = 200


class Callers:
    """The records of every business's callers. Failures are `StoreError`s."""

    def __init__(self, store: Store) -> None:
        """Read from `store`; nothing is remembered here, since a block or a flag must hold at once."""
        self._store = store

    async def of_number(self, paths: BusinessPaths, phone: str | None) -> list[Caller]:
        """Return those whose number this is, in whatever spelling it is signalled; a withheld one is nobody's."""
        number = caller_number(phone)
        if number is None:
            return []
        return await self._where(paths, "phone", spellings(number), _MOST_OF_NUMBER)

    async def of_email(self, paths: BusinessPaths, email: str) -> list[Caller]:
        """Return those with this address, whatever its case."""
        written = email.strip()
        return await self._where(paths, "email", sorted({written, written.casefold()}), _MOST_OF_NUMBER)

    async def of_birthday(self, paths: BusinessPaths, day: date) -> list[Caller]:
        """Return those who were born on a day."""
        return await self._where(paths, "dateOfBirth", [day.isoformat()], _MOST_OF_BIRTHDAY)

    async def of_id(self, paths: BusinessPaths, id: str) -> list[Caller]:
        """Return the one record of an id, or none."""
        document = await self._store.get(paths.document("callers", id))
        return [read_caller(document)] if document is not None else []

    async def _where(self, paths: BusinessPaths, field: str, values: Sequence[Any], most: int) -> list[Caller]:
        filters = (Filter(field, "in", list(values)),)
        found = await self._store.query(Query(paths.collection("callers"), filters=filters, limit=most))
        return [read_caller(document) for document in found]


def spellings(number: str) -> list[str]:
    """Return how an E.164 number may stand in a record that somebody typed in, its country with it."""
    import phonenumbers
    from phonenumbers import PhoneNumberFormat

    parsed = phonenumbers.parse(number)
    international = phonenumbers.format_number(parsed, PhoneNumberFormat.INTERNATIONAL)
    return sorted({number, international, international.replace("-", " ")})


def new_caller_id(number: str) -> str:
    """Return the id of the record that an unknown number gets: the same for the same number, whoever is first."""
    return "clr_" + base64.b32hexencode(hashlib.sha256(number.encode()).digest()).decode()[:20].lower()
