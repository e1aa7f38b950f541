"""Which CalDAV calendar a business has, from its own document: the port `Calendars`; and what its owner is told."""

import asyncio
from datetime import timedelta

from cachetools import TTLCache

from switchboard.contract.business.business import Business, Integration
from switchboard.contract.error import ErrorType, ServiceFault, ToldToOwner, ToolError
from switchboard.contract.ports import Clock, Secrets
from switchboard.contract.store import StoreError
from switchboard.integrations.caldav.account import INTEGRATION, PASSWORD, TOOLKIT, CaldavAccount, read_account
from switchboard.integrations.caldav.calendar import CaldavCalendar, load_content
from switchboard.integrations.caldav.dav import Dav, DavEgress
from switchboard.integrations.caldav.discovery import Listed, addresses_of, calendars_of, look_at
from switchboard.integrations.caldav.failures import failure
from switchboard.integrations.retry_budget import RetryBudget

# Longer than anybody's address changes, shorter than anybody waits for a mistake to pass.
_ADDRESSES_S = 3_600.0
_ACCOUNTS = 1_000
_TRIED = timedelta(days=60)
_PASSWORD_REFUSED = (
    "The server refuses this user name and password. At Apple and Fastmail it takes an app password, made in the "
    "account's own settings; servers that only offer Digest have to allow Basic."
)
_NO_CALENDAR = "There is no calendar at calendarUrl any more; choose one from the list."
_NOT_ONE = "What calendarUrl leads to holds no events; choose a calendar from the list."
_READ_ONLY = "Nothing can be entered in this calendar: it is only for reading. Choose another, or have it opened."
_UNREADABLE = (
    "The calendar can be reached, but one of the coming events cannot be understood: its zone is unknown, or it "
    "repeats itself every few moments. Nobody could say what is free; mend or remove that event."
)
_NOT_HTTPS = (
    "serverUrl must begin with https:// and lead to a server on the internet; a password is never sent in clear."
)
_AWAY = "The server does not answer right now, or takes no more requests; try again in a moment."
_CERTIFICATE = "The server does not prove who it is, or offers no encryption: its certificate has to be put in order."
_ON_ANOTHER_HOST = (
    "The server sends us on to another host, which would be shown the password. If you trust it, set that host's "
    "address as serverUrl."
)
_NO_SERVER = (
    "What answers at serverUrl is no CalDAV server; at Nextcloud, the address ends with /remote.php/dav. Check it, and "
    "calendarUrl."
)
# By what the failure's detail, which is ours, says of it.
_PERMANENT = {" 404": _NO_CALENDAR, " 410": _NO_CALENDAR, "another host": _ON_ANOTHER_HOST}


class CaldavCalendars:
    """The CalDAV calendars of businesses."""

    def __init__(self, egress: DavEgress, secrets: Secrets, clock: Clock) -> None:
        """Reach them through `egress` with the passwords in `secrets`."""
        self._egress, self._secrets, self._clock = egress, secrets, clock
        self._retries = RetryBudget()
        self._addresses: TTLCache[tuple[str, str, str], frozenset[str]] = TTLCache(
            _ACCOUNTS, _ADDRESSES_S, timer=clock.monotonic
        )

    async def warm(self) -> None:
        """Load the libraries before anyone waits for them; nothing is asked over the network."""
        await self._egress.warm()
        await asyncio.to_thread(load_content)

    async def of(self, business: Business) -> CaldavCalendar | None:
        """Return a business's CalDAV calendar, or None where it has none, so that its bookings are its calendar.

        The server is not asked yet, so that a password that was taken away is told by the first use.

        Raises:
            ToolError: AUTH, it must be connected again; PERMANENT, a setting cannot work.
        """
        connection = business.integrations.get(INTEGRATION)
        if connection is None or not connection.is_connected:
            return None
        if connection.needs_reauth:
            raise failure(ErrorType.AUTH, "the connection is marked as gone")
        account = await self._account(business, connection)
        if not account.calendar_url:
            raise failure(ErrorType.PERMANENT, "no calendar is chosen")
        return self._calendar(business, account)

    async def listed(self, business: Business) -> list[Listed]:
        """Return the calendars that the account has, for choosing one; before it is connected, too.

        Raises:
            ToldToOwner: Why they cannot be had.
        """
        connection = business.integrations.get(INTEGRATION, Integration())
        try:
            return await calendars_of(self._dav(await self._account(business, connection)))
        except ToolError as error:
            raise in_owners_words(error) from None

    async def check(self, business: Business) -> None:
        """Try an account without changing anything.

        Raises:
            ToldToOwner: Why it cannot be used.
        """
        connection = business.integrations.get(INTEGRATION, Integration())
        try:
            account = await self._account(business, connection)
            calendar_found = await look_at(self._dav(account), account.calendar_url)
        except ToolError as error:
            raise in_owners_words(error) from None
        if calendar_found is None:
            raise ToldToOwner(ErrorType.PERMANENT, _NOT_ONE)
        if calendar_found.is_read_only:
            raise ToldToOwner(ErrorType.PERMANENT, _READ_ONLY)
        now = self._clock.now()
        try:
            await self._calendar(business, account).entries(now, now + _TRIED, limit=1)
        except ToolError as error:
            if error.type is ErrorType.PERMANENT:
                raise ToldToOwner(ErrorType.PERMANENT, _UNREADABLE, detail=error.detail) from None
            raise in_owners_words(error) from None

    def _calendar(self, business: Business, account: CaldavAccount) -> CaldavCalendar:
        dav = self._dav(account)
        key = (business.id, account.calendar_url, account.username)

        async def own_addresses() -> frozenset[str]:
            known = self._addresses.get(key)
            if known is None:
                named = {account.username.lower()} if "@" in account.username else set()
                try:
                    known = await addresses_of(dav, account.calendar_url) | named
                except ToolError:
                    # Whose answer it is cannot be told now, so that the time counts as taken.
                    return frozenset(named)
                self._addresses[key] = known
            return known

        return CaldavCalendar(dav, account.calendar_url, business.timezone, self._clock, own_addresses)

    def _dav(self, account: CaldavAccount) -> Dav:
        return Dav(self._egress, self._retries, account)

    async def _account(self, business: Business, connection: Integration) -> CaldavAccount:
        try:
            password = await self._secrets.reveal(business.id, TOOLKIT, PASSWORD, agent_id=connection.agent_id)
        except StoreError as error:
            raise failure(ErrorType.TRANSIENT, f"secrets cannot be read: {type(error).__name__}") from None
        return read_account(connection, password)


def in_owners_words(error: ToolError) -> ToldToOwner:
    """Return what a failure at the first step means to the owner who set the account up."""
    if isinstance(error, ToldToOwner):
        return error
    reason, message = error.meta.get("reason"), _AWAY
    if reason == ServiceFault.ADDRESS_NOT_ALLOWED:
        message = _NOT_HTTPS
    elif reason in (ServiceFault.CERTIFICATE_REFUSED, ServiceFault.TLS_FAILED):
        message = _CERTIFICATE
    elif error.type is ErrorType.AUTH:
        message = _PASSWORD_REFUSED
    elif error.type is ErrorType.PERMANENT:
        message = next((words for part, words in _PERMANENT.items() if part in error.detail), _NO_SERVER)
    return ToldToOwner(error.type, message, detail=error.detail)
