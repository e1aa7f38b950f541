"""OAuth 2.0 with Microsoft's identity platform."""

from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.microsoft_calendar.endpoints import MicrosoftEndpoints, toolkit
from switchboard.integrations.microsoft_calendar.failures import MICROSOFT
from switchboard.integrations.oauth.server import OAuthClient, OAuthServer


class MicrosoftOAuth(OAuthServer):
    """Microsoft's authorisation server, for work accounts and personal ones, as one OAuth client of it."""

    def __init__(self, http: HttpSession, endpoints: MicrosoftEndpoints, client: OAuthClient) -> None:
        """Ask there, as that client."""
        asked = {
            "scope": " ".join(toolkit()["auth"]["scopes"]),
            "response_mode": "query",
            # Or it takes the account that happens to be signed in, which may be the owner's private one.
            "prompt": "select_account",
        }
        super().__init__(http, endpoints.server, client, asked, MICROSOFT)
