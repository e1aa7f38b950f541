"""An owner's consent: where it is given, what is to be kept of it, and how it is taken back.

No token leaves this module in clear. Nothing is written here either: what keeps or forgets a permission is returned as
a write, for the commit that also says whose calendar is connected, and who connected it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import Write
from switchboard.integrations.google_calendar.endpoints import REFRESH_TOKEN, TOOLKIT, WRITE_SCOPES
from switchboard.integrations.google_calendar.oauth import GoogleOAuth


class Secrets(Protocol):
    """What keeps permissions, encrypted (`integrations/secrets.py`)."""

    async def reveal(self, business_id: str, toolkit: str, field: str) -> str | None:
        """Return one secret in clear, or None where there is none."""

    async def to_write(self, business_id: str, toolkit: str, values: Mapping[str, str | None]) -> Write:
        """Return the write that keeps secrets."""

    def to_forget(self, business_id: str, toolkit: str) -> Write:
        """Return the write that removes every secret of a toolkit."""


@dataclass(frozen=True, slots=True)
class Permission:
    """What a consent gives, not kept yet.

    Attributes:
        scopes: What Google was told to allow.
        secret: The name of the secret that it is kept as.
        write: Keeps it, encrypted, in place of what was kept before.
    """

    scopes: tuple[str, ...]
    secret: str
    write: Write = field(repr=False)


class Withdrawal:
    """A permission that is about to be given back."""

    def __init__(self, oauth: GoogleOAuth, write: Write, token: str | None) -> None:
        """Do nothing yet; `write` forgets the token."""
        self._oauth, self.write, self._token = oauth, write, token

    async def give_back(self) -> bool:
        """Give it back once it is forgotten here, and tell whether Google took it."""
        return self._token is not None and await self._oauth.revoke(self._token)


class GoogleConsent:
    """Turns an owner's consent into a permission that can be kept for the business, encrypted."""

    def __init__(self, oauth: GoogleOAuth, secrets: Secrets) -> None:
        """Ask with `oauth`; `secrets` encrypt what is to be kept."""
        self._oauth, self._secrets = oauth, secrets

    @property
    def callback_url(self) -> str:
        """Where Google sends owners back to."""
        return self._oauth.client.callback_url

    def url(self, state: str) -> str:
        """Return Google's page on which an owner consents; Google brings the state back."""
        return self._oauth.consent_url(state)

    async def accept(self, business_id: str, code: str, state: str) -> Permission:
        """Return what an owner's consent gives.

        Raises:
            ToolError: AUTH, the code is used or expired; VALIDATION, the owner left out what is needed, or Google gave
                no lasting permission; TRANSIENT, Google does not answer.
            StoreError: The business's key could not be had.
        """
        grant = await self._oauth.exchange(code, state)
        if WRITE_SCOPES.isdisjoint(grant.scopes):
            raise ToolError(
                ErrorType.VALIDATION,
                "Google was not allowed to let us see and change events. Connect again and tick every box.",
            )
        # What is turned down here is not revoked: Google would end an earlier consent of the same account with it.
        if grant.refresh_token is None:
            raise ToolError(
                ErrorType.VALIDATION,
                "Google gave no lasting permission. Remove this app at myaccount.google.com/permissions, then connect "
                "again.",
            )
        write = await self._secrets.to_write(business_id, TOOLKIT, {REFRESH_TOKEN: grant.refresh_token})
        return Permission(grant.scopes, REFRESH_TOKEN, write)

    async def withdrawal(self, business_id: str) -> Withdrawal:
        """Return what forgets a business's permission, and then gives it back to Google.

        Raises:
            StoreError: It could not be read.
        """
        try:
            token = await self._secrets.reveal(business_id, TOOLKIT, REFRESH_TOKEN)
        except ToolError:
            # What cannot be opened cannot be given back, and must be forgotten all the more.
            token = None
        return Withdrawal(self._oauth, self._secrets.to_forget(business_id, TOOLKIT), token)
