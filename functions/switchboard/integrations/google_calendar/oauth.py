"""OAuth 2.0 with Google."""

from switchboard.integrations.google_calendar.endpoints import GoogleEndpoints, toolkit
from switchboard.integrations.google_calendar.failures import GOOGLE
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.oauth.server import OAuthClient, OAuthServer


class GoogleOAuth(OAuthServer):
    """Google's authorisation server, as one OAuth client of it."""

    def __init__(self, http: HttpSession, endpoints: GoogleEndpoints, client: OAuthClient) -> None:
        """Ask there, as that client."""
        asked = {
            "scope": " ".join(toolkit()["auth"]["scopes"]),
            # Only together do these make Google give a refresh token every time.
            "access_type": "offline",
            "prompt": "consent",
            "include_granted_scopes": "true",
        }
        super().__init__(http, endpoints.server, client, asked, GOOGLE)
