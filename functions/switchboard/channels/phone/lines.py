"""Which business a called number belongs to, and what its webhooks are signed with; read at most once a minute.

A business has its main number (`twilioNumber`), which no owner can give themselves, and those that it has listed with
its phone account. The latter are looked for among the businesses of the account that asks; who of several that list
the same number is meant, the signature says.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from switchboard.catalog.freshness import Freshness
from switchboard.channels.phone.signature import SigningKey
from switchboard.contract.business import read_business
from switchboard.contract.error import ToolError
from switchboard.contract.own_numbers import TOOLKIT, own_numbers
from switchboard.contract.policy import DEFINITION_TTL_S
from switchboard.contract.ports import Clock, Paths, Secrets, Store
from switchboard.contract.store import Filter, Query, Unavailable

log = logging.getLogger(__name__)
K = TypeVar("K", str, tuple[str, str])

_LINES_KEPT: Final = 5_000
_ACCOUNTS_KEPT: Final = 500
# Businesses that share one account; each is a read, once a minute, where a number is nobody's main one.
_MOST_OF_AN_ACCOUNT: Final = 200
_LONGEST_ACCOUNT: Final = 64
# So often a wrong signature makes us look whether the account has another token by now.
_RENEWED_AFTER_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class Line:
    """A phone number of a business, and the key of its account."""

    business_id: str
    key: SigningKey


Proves = Callable[[SigningKey], bool]
"""Tells whether a request is signed with a key."""


class Lines:
    """The phone numbers of every business."""

    def __init__(self, store: Store, paths: Paths, secrets: Secrets, clock: Clock) -> None:
        """Read from `store`; `secrets` holds auth tokens and shared keys."""
        self._store, self._paths, self._secrets = store, paths, secrets
        self._main = Freshness(self._read_main, clock, DEFINITION_TTL_S, _LINES_KEPT)
        self._listed = Freshness(self._read_listed, clock, DEFINITION_TTL_S, _LINES_KEPT)
        self._accounts = Freshness(self._read_account, clock, DEFINITION_TTL_S, _ACCOUNTS_KEPT)

    async def proved(self, number: str, account: str, proves: Proves) -> Line | None:
        """Return the line of a called number that a request is about; None where it is nobody's, or not signed by it.

        Args:
            number: E.164.
            account: Twilio's id of the account that asks, as the request says.
            proves: Tells whether the request is signed with a key.

        Raises:
            StoreError: It cannot be read, and was not before.
        """
        if not number:
            return None
        claims, found = await self._current(self._main, number, proves)
        if not claims and 0 < len(account) <= _LONGEST_ACCOUNT:
            claims, found = await self._current(self._listed, (number, account), proves)
        if not claims:
            # A number that is connected now must not stay unknown for a minute.
            self._main.drop(number)
            self._listed.drop((number, account))
        return found

    async def _current(
        self, lines: Freshness[K, tuple[Line, ...]], key: K, proves: Proves
    ) -> tuple[tuple[Line, ...], Line | None]:
        kept = lines.fresh(key) or await lines.get(key)
        found = _proven(kept.value, proves)
        if kept.value and found is None and lines.age_s(kept) >= _RENEWED_AFTER_S:
            lines.drop(key)
            kept = await lines.get(key)
            found = _proven(kept.value, proves)
        return kept.value, found

    async def _read_main(self, number: str) -> tuple[Line, ...]:
        found = await self._store.query(
            Query(self._paths.businesses, filters=(Filter("twilioNumber", "==", number),), limit=2)
        )
        # Two businesses that claim one number: neither may answer for the other.
        return (await self._line(found[0].id),) if len(found) == 1 else ()

    async def _read_listed(self, key: tuple[str, str]) -> tuple[Line, ...]:
        number, account = key
        kept = await self._accounts.get(account)
        if number not in kept.value and self._accounts.age_s(kept) >= _RENEWED_AFTER_S:
            self._accounts.drop(account)
            kept = await self._accounts.get(account)
        return tuple([await self._line(id) for id in kept.value.get(number, ())])

    async def _read_account(self, account: str) -> Mapping[str, tuple[str, ...]]:
        """Return whose the numbers are that the businesses of an account list."""
        of_account = Filter(f"integrations.{TOOLKIT}.accountSid", "==", account)
        found = await self._store.query(Query(self._paths.businesses, (of_account,), limit=_MOST_OF_AN_ACCOUNT))
        if len(found) == _MOST_OF_AN_ACCOUNT:
            log.error("too many businesses share a phone account; further numbers of some are not answered")
        owners: dict[str, tuple[str, ...]] = {}
        for document in found:
            for number in set(own_numbers(read_business(document.id, document.data)).values()):
                owners[number] = (*owners.get(number, ()), document.id)
        return owners

    async def _line(self, business_id: str) -> Line:
        try:
            token = await self._secrets.reveal(business_id, TOOLKIT, "authToken")
            shared = await self._secrets.reveal(business_id, TOOLKIT, "sharedKey")
        except ToolError as error:
            # Not to be told from a store that does not answer: what was read before still serves.
            raise Unavailable(f"the signing key of {business_id} cannot be read: {error.detail or error}") from error
        return Line(business_id, SigningKey(token or "", shared or ""))


def _proven(lines: tuple[Line, ...], proves: Proves) -> Line | None:
    """Return the one line that a request is signed by; of two businesses with one key neither may answer."""
    found = [line for line in lines if proves(line.key)]
    return found[0] if len(found) == 1 else None
