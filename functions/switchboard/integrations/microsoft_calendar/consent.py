"""An owner's consent to the use of a Microsoft 365 calendar."""

from switchboard.contract.error import ErrorType, ToolError
from switchboard.integrations.microsoft_calendar.endpoints import TOOLKIT, WRITE_SCOPE
from switchboard.integrations.microsoft_calendar.oauth import MicrosoftOAuth
from switchboard.integrations.oauth.consent import ConsentSecrets, OwnerConsent
from switchboard.integrations.oauth.server import TokenGrant


class MicrosoftConsent(OwnerConsent):
    """Takes a consent that lets events be seen and changed, and that lasts."""

    def __init__(self, oauth: MicrosoftOAuth, secrets: ConsentSecrets) -> None:
        """Ask with `oauth`; `secrets` encrypt what is to be kept."""
        super().__init__(oauth, secrets, TOOLKIT)

    def lasting(self, grant: TokenGrant) -> str:
        """Return the refresh token of a grant that suffices."""
        if WRITE_SCOPE.casefold() not in {scope.rpartition("/")[2].casefold() for scope in grant.scopes}:
            raise ToolError(
                ErrorType.VALIDATION, "Microsoft was not allowed to let us see and change events. Connect again."
            )
        if grant.refresh_token is None:
            raise ToolError(
                ErrorType.VALIDATION,
                "Microsoft gave no lasting permission. Remove this app at myapps.microsoft.com, or at "
                "account.live.com/consent/Manage for a personal account, then connect again.",
            )
        return grant.refresh_token
