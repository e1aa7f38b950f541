"""Which business a called number belongs to, and what its webhooks are signed with; read at most once a minute."""

from dataclasses import dataclass
from typing import Final

from switchboard.catalog.freshness import Freshness
from switchboard.channels.phone.signature import SigningKey
from switchboard.contract.error import ToolError
from switchboard.contract.policy import DEFINITION_TTL_S
from switchboard.contract.ports import Clock, Paths, Secrets, Store
from switchboard.contract.store import Filter, Query, Unavailable

TOOLKIT: Final = "twilio"
_LINES_KEPT = 5_000
# So often a wrong signature makes us look whether the account has another token by now.
_RENEWED_AFTER_S = 5.0


@dataclass(frozen=True, slots=True)
class Line:
    """A phone number of a business, and the key of its account."""

    business_id: str
    key: SigningKey


class Lines:
    """The phone numbers of every business."""

    def __init__(self, store: Store, paths: Paths, secrets: Secrets, clock: Clock) -> None:
        """Read from `store`; `secrets` holds auth tokens and shared keys."""
        self._store, self._paths, self._secrets = store, paths, secrets
        self._lines: Freshness[str, Line | None] = Freshness(self._read, clock, DEFINITION_TTL_S, _LINES_KEPT)

    async def of(self, number: str) -> Line | None:
        """Return the line of a called number (E.164), None where it is nobody's.

        Raises:
            StoreError: It cannot be read, and was not before.
        """
        if not number:
            return None
        kept = self._lines.fresh(number) or await self._lines.get(number)
        if kept.value is None:
            # A number that is connected now must not stay unknown for a minute.
            self._lines.drop(number)
        return kept.value

    async def renewed(self, number: str) -> Line | None:
        """Return the line as it is now, for a signature that does not match; None where it has just been read.

        Raises:
            StoreError: It cannot be read.
        """
        kept = self._lines.fresh(number)
        if kept is None or self._lines.age_s(kept) < _RENEWED_AFTER_S:
            return None
        self._lines.drop(number)
        return await self.of(number)

    async def _read(self, number: str) -> Line | None:
        found = await self._store.query(
            Query(self._paths.businesses, filters=(Filter("twilioNumber", "==", number),), limit=2)
        )
        if len(found) != 1:
            # Two businesses that claim one number: neither may answer for the other.
            return None
        business_id = found[0].id
        try:
            token = await self._secrets.reveal(business_id, TOOLKIT, "authToken")
            shared = await self._secrets.reveal(business_id, TOOLKIT, "sharedKey")
        except ToolError as error:
            # Not to be told from a store that does not answer: what was read before still serves.
            raise Unavailable(f"the signing key of {business_id} cannot be read: {error.detail or error}") from error
        return Line(business_id, SigningKey(token or "", shared or ""))
