"""Which outside calendar a business has, from its own document: the port `Calendars`."""

from switchboard.contract.business.business import Business
from switchboard.contract.error import ErrorType
from switchboard.contract.ports import Clock
from switchboard.integrations.calendar_failures import OURS
from switchboard.integrations.google_calendar.calendar import GoogleCalendar
from switchboard.integrations.google_calendar.endpoints import FREE_BUSY_SCOPES, INTEGRATION, TOOLKIT, GoogleEndpoints
from switchboard.integrations.google_calendar.failures import GOOGLE, failure
from switchboard.integrations.google_calendar.oauth import GoogleOAuth
from switchboard.integrations.google_calendar.transport import GoogleTransport
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.oauth.tokens import OAuthConnection, TokenSecrets, TokenSource

_LONGEST_ID = 254


class GoogleCalendars:
    """The Google Calendars of businesses."""

    def __init__(
        self,
        http: HttpSession,
        endpoints: GoogleEndpoints,
        oauth: GoogleOAuth | None,
        secrets: TokenSecrets,
        clock: Clock,
    ) -> None:
        """Reach them with the operator's OAuth client; None where the operator registered none."""
        tokens = TokenSource(secrets, TOOLKIT, oauth, GOOGLE, clock) if oauth else None
        self._transport = GoogleTransport(http, endpoints.calendar, tokens, clock) if tokens else None

    async def warm(self) -> None:
        """Load the library before anyone waits for it; nothing is asked over the network."""
        if self._transport is not None:
            await self._transport.warm()

    async def of(self, business: Business) -> GoogleCalendar | None:
        """Return a business's Google Calendar, or None where it has none, so that its bookings are its calendar.

        Nothing is asked yet, so that a calendar whose permission was taken away is told by the first use.

        Raises:
            ToolError: AUTH, it must be connected again; PERMANENT, this deployment has no OAuth client, or the
                business's `calendarId` cannot be one.
        """
        google = business.integrations.get(INTEGRATION)
        if google is None or not google.is_connected:
            return None
        if google.needs_reauth:
            raise failure(ErrorType.AUTH, "the connection is marked as gone")
        if self._transport is None:
            raise failure(ErrorType.PERMANENT, "this deployment has no Google OAuth client", meta=OURS)
        calendar_id = google.settings.get("calendarId") or "primary"
        if not isinstance(calendar_id, str) or len(calendar_id) > _LONGEST_ID:
            raise failure(ErrorType.PERMANENT, "calendarId is not the id of a calendar")
        scopes = google.settings.get("scopes")
        return GoogleCalendar(
            transport=self._transport,
            # A connection made since may be to another account: tokens of the earlier one must not serve it.
            connection=OAuthConnection(business.id, str(google.settings.get("connectedAt") or "")),
            calendar_id=calendar_id,
            zone=business.timezone,
            knows_free_busy=isinstance(scopes, list) and not FREE_BUSY_SCOPES.isdisjoint(scopes),
        )
