"""Which business a called number belongs to, and what its webhooks are signed with; read at most once a minute.

A business has its main number (`twilioNumber`), which no owner can give themselves, and those that it has listed with
its phone account. The latter are looked for among the businesses of the account that asks; who of several that list
the same number is meant, the signature says.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Final

from switchboard.catalog.freshness import Freshness
from switchboard.channels.phone.signature import SigningKey
from switchboard.contract.business import read_business
from switchboard.contract.error import ToolError
from switchboard.contract.own_numbers import TOOLKIT, own_numbers
from switchboard.contract.policy import DEFINITION_TTL_S
from switchboard.contract.ports import Clock, Paths, Secrets, Store
from switchboard.contract.store import Filter, Query, Unavailable

log = logging.getLogger(__name__)

_LINES_KEPT: Final = 5_000
_KEYS_KEPT: Final = 5_000
_ACCOUNTS_KEPT: Final = 500
# Businesses that share one account; each is a read, once a minute, where a number is nobody's main one.
_MOST_OF_AN_ACCOUNT: Final = 200
_LONGEST_ACCOUNT: Final = 64
# So often a wrong signature makes us look whether the number is somebody else's, or the account has another token.
_RENEWED_AFTER_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class Line:
    """A phone number of a business, and the key of its account."""

    business_id: str
    key: SigningKey


Proves = Callable[[SigningKey], bool]
"""Tells whether a request is signed with a key."""


class Lines:
    """The phone numbers of every business.

    Whose a number is, what the businesses of an account list, and what a business's requests are signed with are kept
    apart, each for as long as it counts from when it was itself read: none of them is made of another, so that nothing
    is older than that.
    """

    def __init__(self, store: Store, paths: Paths, secrets: Secrets, clock: Clock) -> None:
        """Read from `store`; `secrets` holds auth tokens and shared keys."""
        self._store, self._paths, self._secrets = store, paths, secrets
        self._main = Freshness(self._read_main, clock, DEFINITION_TTL_S, _LINES_KEPT)
        self._accounts = Freshness(self._read_account, clock, DEFINITION_TTL_S, _ACCOUNTS_KEPT)
        self._keys = Freshness(self._read_key, clock, DEFINITION_TTL_S, _KEYS_KEPT)

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
        for after_s in (inf, _RENEWED_AFTER_S):
            owners = await self._owners(number, account, after_s)
            lines = [Line(id, (await self._keys.renewed(id, after_s)).value) for id in owners]
            # Of two businesses with one key neither may answer.
            found = [line for line in lines if proves(line.key)]
            if len(found) == 1:
                return found[0]
        if not owners:
            # A number that is connected now must not stay unknown for a minute.
            self._main.drop(number)
        return None

    async def _owners(self, number: str, account: str, after_s: float) -> tuple[str, ...]:
        """Return whose a number is, by what was read no longer ago than `after_s`, as far as the store answers."""
        owners = (await self._main.renewed(number, after_s)).value
        if not owners and 0 < len(account) <= _LONGEST_ACCOUNT:
            owners = (await self._accounts.renewed(account, after_s)).value.get(number, ())
        return owners

    async def _read_main(self, number: str) -> tuple[str, ...]:
        found = await self._store.query(
            Query(self._paths.businesses, filters=(Filter("twilioNumber", "==", number),), limit=2)
        )
        # Two businesses that claim one number: neither may answer for the other.
        return (found[0].id,) if len(found) == 1 else ()

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

    async def _read_key(self, business_id: str) -> SigningKey:
        try:
            token = await self._secrets.reveal(business_id, TOOLKIT, "authToken")
            shared = await self._secrets.reveal(business_id, TOOLKIT, "sharedKey")
        except ToolError as error:
            # Not to be told from a store that does not answer: what was read before still serves.
            raise Unavailable(f"the signing key of {business_id} cannot be read: {error.detail or error}") from error
        return SigningKey(token or "", shared or "")
