"""Which calendar in Microsoft 365 a business has, from its own document: the port `Calendars`."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from switchboard.contract.business.business import Business
from switchboard.contract.error import ErrorType, ToldToOwner, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock
from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.calendar_failures import OURS
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.microsoft_calendar.calendar import NO_ID, PRIMARY, MicrosoftCalendar
from switchboard.integrations.microsoft_calendar.endpoints import INTEGRATION, TOOLKIT, MicrosoftEndpoints
from switchboard.integrations.microsoft_calendar.entries import UNREADABLE
from switchboard.integrations.microsoft_calendar.failures import MICROSOFT, failure
from switchboard.integrations.microsoft_calendar.graph import Graph, GraphDeclined
from switchboard.integrations.microsoft_calendar.oauth import MicrosoftOAuth
from switchboard.integrations.oauth.tokens import OAuthConnection, TokenSecrets, TokenSource

_LONGEST_ID = 512
_MOST_CALENDARS = "100"


_CHOSEN_FROM = "id,name,canEdit,isDefaultCalendar"
_TRIED = timedelta(days=60)
_GONE = "Microsoft takes our permission no more: connect Microsoft 365 again."
_REFUSED = "Microsoft refuses this, and trying again will not help: connect the account anew, or ask its organisation."
_AWAY = "Microsoft does not answer right now, or takes no more requests; try again in a moment."
_NO_CALENDAR = "There is no calendar of that calendarId any more; choose one from the list."
_READ_ONLY = "Nothing can be entered in this calendar: it is only for reading. Choose another, or have it opened."
_NOT_PLACED = (
    "The calendar can be reached, but one of the coming events cannot be understood: its time zone is unknown. Nobody "
    "could say what is free; mend or remove that event."
)


@dataclass(frozen=True, slots=True)
class AccountCalendar:
    """One of the calendars of a connected account: its id, its name, and whether nothing can be entered in it."""

    id: str
    name: str
    is_read_only: bool


class MicrosoftCalendars:
    """The calendars in Microsoft 365 of businesses."""

    def __init__(
        self,
        http: HttpSession,
        endpoints: MicrosoftEndpoints,
        oauth: MicrosoftOAuth | None,
        secrets: TokenSecrets,
        clock: Clock,
    ) -> None:
        """Reach them with the operator's OAuth client; None where the operator registered none."""
        tokens = TokenSource(secrets, TOOLKIT, oauth, MICROSOFT, clock) if oauth else None
        self._clock = clock
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
            raise failure(ErrorType.PERMANENT, "this deployment has no Microsoft OAuth client", meta=OURS)
        calendar_id = microsoft.settings.get("calendarId") or PRIMARY
        if not isinstance(calendar_id, str) or len(calendar_id) > _LONGEST_ID:
            raise failure(ErrorType.PERMANENT, "calendarId is not the id of a calendar")
        # A connection made since may be to another account: tokens of the earlier one must not serve it.
        connection = OAuthConnection(business.id, str(microsoft.settings.get("connectedAt") or ""))
        return MicrosoftCalendar(self._graph, connection, calendar_id, business.timezone)

    async def listed(self, business: Business) -> list[AccountCalendar]:
        """Return the calendars that the account has, for choosing one.

        Raises:
            ToldToOwner: Why they cannot be had.
        """
        calendar = await self._connected(business)
        try:
            page = await _read(calendar, "/me/calendars", {"$top": _MOST_CALENDARS})
            return [_listed(row) for row in page["value"]]
        except ToolError as error:
            raise _in_owners_words(error) from None
        except (KeyError, TypeError, AttributeError):
            raise ToldToOwner(ErrorType.TRANSIENT, _AWAY, detail="a list of calendars that cannot be read") from None

    async def check(self, business: Business) -> None:
        """Try an account without changing anything.

        Raises:
            ToldToOwner: Why it cannot be used.
        """
        calendar = await self._connected(business)
        try:
            if (await _read(calendar, calendar.path, {})).get("canEdit") is not True:
                raise ToldToOwner(ErrorType.PERMANENT, _READ_ONLY)
        except ToldToOwner:
            raise
        except ToolError as error:
            raise _in_owners_words(error) from None
        now = self._clock.now()
        try:
            await calendar.busy(now, now + _TRIED)
        except ToolError as error:
            if UNREADABLE in (error.detail or ""):
                raise ToldToOwner(ErrorType.PERMANENT, _NOT_PLACED, detail=error.detail) from None
            raise _in_owners_words(error) from None

    async def _connected(self, business: Business) -> MicrosoftCalendar:
        try:
            calendar = await self.of(business)
        except ToolError as error:
            raise _in_owners_words(error) from None
        if calendar is None:
            raise ToldToOwner(ErrorType.PERMANENT, "Connect Microsoft 365 first; then its calendars can be seen.")
        return calendar


async def _read(calendar: MicrosoftCalendar, path: str, query: Mapping[str, str]) -> JsonObject:
    try:
        return await calendar.graph.read(calendar.connection, path, {"$select": _CHOSEN_FROM, **query})
    except GraphDeclined as declined:
        if declined.status == 404 or declined.code in NO_ID:
            raise ToldToOwner(ErrorType.PERMANENT, _NO_CALENDAR, detail=declined.error.detail) from None
        raise declined.error from None


def _listed(row: Mapping[str, Any]) -> AccountCalendar:
    id = PRIMARY if row.get("isDefaultCalendar") is True else str(row["id"])
    return AccountCalendar(id, str(row.get("name") or id), row.get("canEdit") is not True)


def _in_owners_words(error: ToolError) -> ToldToOwner:
    if isinstance(error, ToldToOwner):
        return error
    message = {ErrorType.AUTH: _GONE, ErrorType.PERMANENT: _REFUSED}.get(error.type, _AWAY)
    return ToldToOwner(error.type, message, detail=error.detail)
