"""Which calendar in Microsoft 365 a business has, from its own document: the port `Calendars`."""

from dataclasses import dataclass

from switchboard.contract.business import Business
from switchboard.contract.error import ErrorType
from switchboard.contract.ports import Clock
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.microsoft_calendar.calendar import PRIMARY, MicrosoftCalendar
from switchboard.integrations.microsoft_calendar.endpoints import INTEGRATION, TOOLKIT, MicrosoftEndpoints
from switchboard.integrations.microsoft_calendar.failures import MICROSOFT, failure
from switchboard.integrations.microsoft_calendar.graph import Declined, Graph
from switchboard.integrations.microsoft_calendar.oauth import MicrosoftOAuth
from switchboard.integrations.oauth.tokens import AccessTokens, Connection, Secrets

_LONGEST_ID = 512
_MOST_CALENDARS = "100"


@dataclass(frozen=True, slots=True)
class AccountCalendar:
    """One of the calendars of a connected account: its id, its name, and whether appointments can be made in it."""

    id: str
    name: str
    is_writable: bool
    is_primary: bool


class MicrosoftCalendars:
    """The calendars in Microsoft 365 of businesses."""

    def __init__(
        self,
        http: HttpSession,
        endpoints: MicrosoftEndpoints,
        oauth: MicrosoftOAuth | None,
        secrets: Secrets,
        clock: Clock,
    ) -> None:
        """Reach them with the operator's OAuth client; None where the operator registered none."""
        tokens = AccessTokens(secrets, TOOLKIT, oauth, MICROSOFT, clock) if oauth else None
        self._graph = Graph(http, endpoints.graph, tokens, clock) if tokens else None

    async def warm(self) -> None:
        """Load the library before anyone waits for it; nothing is asked over the network."""
        if self._graph is not None:
            await self._graph.warm()

    async def of(self, business: Business) -> MicrosoftCalendar | None:
        """Return a business's calendar in Microsoft 365, or None where it has none there.

        Nothing is asked yet, so that a calendar whose permission was taken away is told by the first use.

        Raises:
            ToolError: AUTH, it must be connected again; PERMANENT, this deployment has no OAuth client, or the
                business's `calendarId` cannot be one.
        """
        microsoft = business.integrations.get(INTEGRATION)
        if microsoft is None or not microsoft.is_connected:
            return None
        if microsoft.needs_reauth:
            raise failure(ErrorType.AUTH, "the connection is marked as gone")
        if self._graph is None:
            raise failure(ErrorType.PERMANENT, "this deployment has no Microsoft OAuth client", was_asked=False)
        calendar_id = microsoft.settings.get("calendarId") or PRIMARY
        if not isinstance(calendar_id, str) or len(calendar_id) > _LONGEST_ID:
            raise failure(ErrorType.PERMANENT, "calendarId is not the id of a calendar")
        # A connection made since may be to another account: tokens of the earlier one must not serve it.
        connection = Connection(business.id, str(microsoft.settings.get("connectedAt") or ""))
        return MicrosoftCalendar(self._graph, connection, calendar_id, business.timezone)

    async def choices(self, business: Business) -> list[AccountCalendar] | None:
        """Return the calendars of the account that a business has connected; None where it has connected none.

        Raises:
            ToolError: As `of`, and whatever reading them ends in.
        """
        calendar = await self.of(business)
        if calendar is None:
            return None
        query = {"$select": "id,name,canEdit,isDefaultCalendar", "$top": _MOST_CALENDARS}
        try:
            page = await calendar.graph.read(calendar.connection, "/me/calendars", query)
            return [
                AccountCalendar(
                    PRIMARY if row.get("isDefaultCalendar") is True else str(row["id"]),
                    str(row.get("name") or row["id"]),
                    row.get("canEdit") is True,
                    row.get("isDefaultCalendar") is True,
                )
                for row in page["value"]
            ]
        except Declined as declined:
            raise declined.error from None
        except (KeyError, TypeError, AttributeError):
            raise failure(ErrorType.TRANSIENT, "a list of calendars that cannot be read") from None
