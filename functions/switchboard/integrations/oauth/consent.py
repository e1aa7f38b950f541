"""An owner's consent: where it is given, what is to be kept of it, and how it is taken back.

No token leaves this module in clear. Nothing is written here either: what keeps or forgets a permission is returned as
a write, for the commit that also says whose calendar is connected, and who connected it.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import field
from typing import Protocol

from switchboard.contract.error import ToolError
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Write
from switchboard.integrations.oauth.server import REFRESH_TOKEN, OAuthServer, TokenGrant


class ConsentSecrets(Protocol):
    """What keeps permissions, encrypted (`integrations/secrets/sealed_secrets.py`)."""

    async def reveal(self, business_id: str, toolkit: str, field: str) -> str | None:
        """Return one secret in clear, or None where there is none."""

    async def to_write(self, business_id: str, toolkit: str, values: Mapping[str, str | None]) -> Write:
        """Return the write that keeps secrets."""

    def to_forget(self, business_id: str, toolkit: str) -> Write:
        """Return the write that removes every secret of a toolkit."""


@dataclass(frozen=True, slots=True)
class ConsentPermission:
    """What a consent gives, not kept yet.

    Attributes:
        scopes: What the vendor was told to allow.
        secret: The name of the secret that it is kept as.
        write: Keeps it, encrypted, in place of what was kept before.
    """

    scopes: tuple[str, ...]
    secret: str
    write: Write = field(repr=False)


class ConsentWithdrawal:
    """A permission that is about to be given back."""

    def __init__(self, server: OAuthServer, write: Write, token: str | None) -> None:
        """Do nothing yet; `write` forgets the token."""
        self._server, self.write, self._token = server, write, token

    async def give_back(self) -> bool:
        """Give it back once it is forgotten here, and tell whether the vendor took it."""
        return self._token is not None and await self._server.revoke(self._token)


class OwnerConsent(ABC):
    """Turns an owner's consent into a permission that can be kept for the business, encrypted."""

    def __init__(self, server: OAuthServer, secrets: ConsentSecrets, toolkit: str) -> None:
        """Ask at `server`; `secrets` encrypt what is to be kept for `toolkit`."""
        self._server, self._secrets, self._toolkit = server, secrets, toolkit

    @property
    def callback_url(self) -> str:
        """Where the vendor sends owners back to."""
        return self._server.client.callback_url

    def url(self, state: str) -> str:
        """Return the vendor's page on which an owner consents; the state is brought back."""
        return self._server.consent_url(state)

    async def accept(self, business_id: str, code: str, state: str) -> ConsentPermission:
        """Return what an owner's consent gives.

        Raises:
            ToolError: AUTH, the code is used or expired; VALIDATION, the owner left out what is needed, or the vendor
                gave no lasting permission; TRANSIENT, the vendor does not answer.
            StoreError: The business's key could not be had.
        """
        grant = await self._server.exchange(code, state)
        token = self.lasting(grant)
        write = await self._secrets.to_write(business_id, self._toolkit, {REFRESH_TOKEN: token})
        return ConsentPermission(grant.scopes, REFRESH_TOKEN, write)

    async def withdrawal(self, business_id: str) -> ConsentWithdrawal:
        """Return what forgets a business's permission, and then gives it back to the vendor.

        Raises:
            StoreError: It could not be read.
        """
        try:
            token = await self._secrets.reveal(business_id, self._toolkit, REFRESH_TOKEN)
        except ToolError:
            # What cannot be opened cannot be given back, and must be forgotten all the more.
            token = None
        return ConsentWithdrawal(self._server, self._secrets.to_forget(business_id, self._toolkit), token)

    @abstractmethod
    def lasting(self, grant: TokenGrant) -> str:
        """Return the refresh token of a grant that suffices.

        Raises:
            ToolError: VALIDATION, it does not, in words for the owner.
        """
