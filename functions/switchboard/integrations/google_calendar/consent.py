"""An owner's consent: where it is given, what is kept of it, and how it is taken back. No token leaves this module."""

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Secrets
from switchboard.integrations.google_calendar.endpoints import REFRESH_TOKEN, TOOLKIT, WRITE_SCOPES
from switchboard.integrations.google_calendar.oauth import GoogleOAuth


class GoogleConsent:
    """Turns an owner's consent into a permission that is kept for the business, encrypted."""

    def __init__(self, oauth: GoogleOAuth, secrets: Secrets) -> None:
        """Ask with `oauth`, keep in `secrets`."""
        self._oauth, self._secrets = oauth, secrets

    @property
    def callback_url(self) -> str:
        """Where Google sends owners back to."""
        return self._oauth.client.callback_url

    def url(self, state: str) -> str:
        """Return Google's page on which an owner consents; Google brings the state back."""
        return self._oauth.consent_url(state)

    async def accept(self, business_id: str, code: str, state: str) -> tuple[str, ...]:
        """Keep what an owner's consent gives, in place of what was kept before, and return the granted scopes.

        Raises:
            ToolError: AUTH, the code is used or expired; VALIDATION, the owner left out what is needed, or Google gave
                no lasting permission: then nothing is kept; TRANSIENT, Google does not answer.
            StoreError: It could not be kept.
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
        await self._secrets.keep(business_id, TOOLKIT, REFRESH_TOKEN, grant.refresh_token)
        return grant.scopes

    async def withdraw(self, business_id: str) -> bool:
        """Forget a business's permission, and tell whether Google took it back too.

        Raises:
            StoreError: It could not be forgotten.
        """
        try:
            token = await self._secrets.reveal(business_id, TOOLKIT, REFRESH_TOKEN)
        except ToolError:
            # What cannot be opened cannot be given back, and must be forgotten all the more.
            token = None
        await self._secrets.forget(business_id, TOOLKIT)
        return token is not None and await self._oauth.revoke(token)
