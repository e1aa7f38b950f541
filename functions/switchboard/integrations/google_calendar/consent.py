"""An owner's consent to the use of a Google Calendar."""

from switchboard.contract.error import ErrorType, ToolError
from switchboard.integrations.google_calendar.endpoints import TOOLKIT, WRITE_SCOPES
from switchboard.integrations.google_calendar.oauth import GoogleOAuth
from switchboard.integrations.oauth.consent import ConsentSecrets, OwnerConsent
from switchboard.integrations.oauth.server import TokenGrant


class GoogleConsent(OwnerConsent):
    """Takes a consent that lets events be seen and changed, and that lasts."""

    def __init__(self, oauth: GoogleOAuth, secrets: ConsentSecrets) -> None:
        """Ask with `oauth`; `secrets` encrypt what is to be kept."""
        super().__init__(oauth, secrets, TOOLKIT)

    def lasting(self, grant: TokenGrant) -> str:
        """Return the refresh token of a grant that suffices."""
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
        return grant.refresh_token
