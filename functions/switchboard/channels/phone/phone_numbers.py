"""Which business a called number belongs to, and whether Twilio signed a request about it; read at most once a minute.

A business has its main number (`twilioNumber`), which no owner can give themselves, and those that it has listed with
its phone account. The latter are looked for among the businesses of the account that asks; of several that claim the
same number it is the first who can sign: `catalog/offer/phone_numbers.py` says in which order they come.

A signature is over the configured address, never what the `Host` header says; which secret and algorithm count is
configured as well, so that nobody can choose the weaker one. What the library's `validate` does not do is done here:
the ports of `wss`, and a comparison that takes as long whatever is sent.
"""

from __future__ import annotations

import hmac
import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from math import inf
from typing import Final

from cachetools import LRUCache

from switchboard.catalog.offer.phone_numbers import NumberClaim, NumberClaims
from switchboard.contract.business.business import Business
from switchboard.contract.business.own_addresses import TOOLKIT
from switchboard.contract.cache import Cache
from switchboard.contract.error import ToolError
from switchboard.contract.policy import DEFINITION_TTL_S
from switchboard.contract.ports import Clock, Paths, Secrets, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Unavailable

log = logging.getLogger(__name__)

_LINES_KEPT: Final = 5_000
_KEYS_KEPT: Final = 5_000
_ACCOUNTS_KEPT: Final = 500
_LONGEST_ACCOUNT: Final = 64
# Whatever is longer is nobody's, and nothing to ask the store for.
_LONGEST_NUMBER: Final = 64
# So often a wrong signature makes us look whether the number is somebody else's, or the account has another token.
_RENEWED_AFTER_S: Final = 5.0

_ADDRESS = re.compile(r"^(?P<scheme>[a-z]+)://(?P<host>[^/?#]*?)(?P<port>:\d+)?(?P<rest>[/?#].*)?$", re.S | re.I)
_SECURE = ("https", "wss")


@dataclass(frozen=True, slots=True)
class SigningKey:
    """What a phone number's webhooks are signed with.

    Attributes:
        auth_token: The account's auth token: HMAC-SHA1.
        shared_key: A shared key's secret: HMAC-SHA256; where there is one, nothing else counts.
    """

    auth_token: str = field(default="", repr=False)
    shared_key: str = field(default="", repr=False)


Proves = Callable[[SigningKey], bool]
"""Tells whether a request is signed with a key."""


@dataclass(frozen=True, slots=True)
class Line:
    """A phone number of a business, and the key of its account."""

    business_id: str
    key: SigningKey


class Lines:
    """The phone numbers of every business.

    Whose a number is, what the businesses of an account list, and what a business's requests are signed with are kept
    apart, each for as long as it counts from when it was itself read: none of them is made of another, so that nothing
    is older than that.
    """

    def __init__(self, store: Store, paths: Paths, secrets: Secrets, clock: Clock) -> None:
        """Read from `store`; `secrets` holds auth tokens and shared keys."""
        self._numbers, self._secrets = NumberClaims(store, paths), secrets
        self._reported: LRUCache[tuple[str, ...], bool] = LRUCache(_LINES_KEPT)
        self._main = Cache(clock, DEFINITION_TTL_S, _LINES_KEPT, self._read_main)
        self._accounts = Cache(clock, DEFINITION_TTL_S, _ACCOUNTS_KEPT, self._read_account)
        self._keys = Cache(clock, DEFINITION_TTL_S, _KEYS_KEPT, self._read_key)
        # Of each number the line of the request that was let in last: what was signed so is still from Twilio once the
        # business, and its secrets with it, is gone.
        self._proven: LRUCache[str, Line] = LRUCache(_LINES_KEPT)

    async def proven(self, number: str, account: str, proves: Proves) -> Line | None:
        """Return the line of a called number that a request is about; None where it is nobody's, or not signed by it.

        The line of a business that was taken away is known on, as long as nobody else has its number: whoever calls it
        is told so.

        Args:
            number: E.164.
            account: Twilio's id of the account that asks, as the request says.
            proves: Tells whether the request is signed with a key.

        Raises:
            StoreError: It cannot be read, and was not before.
        """
        if not 0 < len(number) <= _LONGEST_NUMBER:
            return None
        for after_s in (inf, _RENEWED_AFTER_S):
            claims = await self._claims(number, account, after_s)
            # Whoever has it rightfully comes first, so that of two with one key it is answered by them.
            for claim in claims:
                line = Line(claim.business_id, (await self._keys.renewed(claim.business_id, after_s)).value)
                if proves(line.key):
                    self._proven[number] = line
                    return line
        if not claims:
            # A number that is connected now must not stay unknown for a minute.
            self._main.drop(number)
        return await self._of_gone(number, claims, proves)

    async def _of_gone(self, number: str, claims: Sequence[NumberClaim], proves: Proves) -> Line | None:
        line = self._proven.get(number)
        if line is None or any(claim.business_id != line.business_id for claim in claims) or not proves(line.key):
            return None
        return line if await self._numbers.is_gone(line.business_id) else None

    async def _claims(self, number: str, account: str, after_s: float) -> tuple[NumberClaim, ...]:
        """Return who claims a number, by what was read no longer ago than `after_s`, as far as the store answers."""
        claims = (await self._main.renewed(number, after_s)).value
        if not claims and 0 < len(account) <= _LONGEST_ACCOUNT:
            claims = (await self._accounts.renewed(account, after_s)).value.get(number, ())
        return claims

    async def _read_main(self, number: str) -> tuple[NumberClaim, ...]:
        claims = (await self._numbers.main([number])).get(number, ())
        self._report(number, claims)
        return claims

    async def _read_account(self, account: str) -> Mapping[str, tuple[NumberClaim, ...]]:
        """Return whose the numbers are that the businesses of an account have and list."""
        claims, is_cut = await self._numbers.of_account(account)
        if is_cut:
            log.error("too many businesses share a phone account; further numbers of some are not answered")
        for number, several in claims.items():
            self._report(number, several)
        return claims

    def _report(self, number: str, claims: tuple[NumberClaim, ...]) -> None:
        """Leave word of a number that several businesses claim, once."""
        known = (number, *(claim.business_id for claim in claims))
        if len(claims) < 2 or known in self._reported:
            return
        self._reported[known] = True
        rightful, *others = (claim.business_id for claim in claims)
        log.error(
            "several businesses claim one phone number; the first of them answers it",
            extra={"business": rightful, "others": ", ".join(others), "pii.detail": number},
        )

    async def _read_key(self, business_id: str) -> SigningKey:
        try:
            secrets = await self._secrets.reveal_several(business_id, TOOLKIT, ("authToken", "sharedKey"))
        except ToolError as error:
            # Not to be told from a store that does not answer: what was read before still serves.
            raise Unavailable(f"the signing key of {business_id} cannot be read: {error.detail or error}") from error
        return SigningKey(secrets["authToken"] or "", secrets["sharedKey"] or "")


def is_signed(
    key: SigningKey,
    url: str,
    parameters: Mapping[str, Sequence[str]],
    signature: str | None,
    settings: str | None = None,
) -> bool:
    """Tell whether a request carries the right signature.

    Args:
        key: What it must be signed with.
        url: As Twilio was told it, with the query it called; with its port or without, as Twilio itself varies.
        parameters: Every value of each form field; none for GET and for a WebSocket.
        signature: The header `X-Twilio-Signature`.
        settings: The header `X-Twilio-Webhooks-Signature-Settings`.
    """
    # Here, since only calls and texts need it.
    from twilio.request_validator import (  # type: ignore[import-untyped]
        HMAC_SHA1,
        HMAC_SHA256,
        RequestValidator,
        get_signature_algorithm,
    )

    secret, algorithm = (key.shared_key, HMAC_SHA256) if key.shared_key else (key.auth_token, HMAC_SHA1)
    if not secret or not signature or get_signature_algorithm(settings).upper() != algorithm:
        return False
    # As bytes: what is no ASCII is a wrong signature, and no reason to break.
    sent, fields = signature.encode("utf-8", "surrogatepass"), _Fields(parameters)
    try:
        validator = RequestValidator(secret)
        computed = [validator.compute_signature(spelling, fields, algorithm) for spelling in _spellings(url)]
    except UnicodeEncodeError:
        # No text that anybody can have signed.
        return False
    return True in [hmac.compare_digest(one.encode(), sent) for one in computed]


class _Fields(dict[str, Sequence[str]]):
    """Form fields of which the library takes every value."""

    def getall(self, name: str) -> Sequence[str]:
        """Return all values of a field."""
        return self[name]


def _spellings(url: str) -> Iterator[str]:
    """Yield the ways in which Twilio may have spelled an address when it signed it."""
    yield url
    address = _ADDRESS.match(url)
    if address is None:
        return
    before, rest = f"{address['scheme']}://{address['host']}", address["rest"] or ""
    usual = 443 if address["scheme"].lower() in _SECURE else 80
    yield f"{before}{rest}" if address["port"] else f"{before}:{usual}{rest}"


@dataclass(frozen=True, slots=True)
class SafeNumbers:
    """Whom callers reach while no store says whose number they called: the list of `SWITCHBOARD_SAFE_NUMBERS`.

    What is told from it may go to anybody, since without the store no signature can be checked either: the numbers are
    meant to be public ones, such as a reception desk's.

    Attributes:
        known: By called number (E.164), the number that is rung and the language in which that is announced.
    """

    known: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def behind(self, called: str, business: Business | None = None) -> Business | None:
        """Return a business, or in place of one that cannot be read what is known of it: whom to ring; else None."""
        if business is not None or called not in self.known:
            return business
        number, language = self.known[called]
        return Business("", language=language, safe_number=number)


NO_SAFE_NUMBERS = SafeNumbers()
