"""Access tokens, kept in memory until shortly before they expire, fetched once however many callers wait.

A permission that Google has declared gone is remembered by the hash of the refresh token, so that it is asked about
once; connecting again brings another refresh token, and with it a new try.
"""

import asyncio
import contextvars
import hashlib
import threading
from dataclasses import dataclass, field
from typing import TypeAlias

from cachetools import LRUCache

from switchboard.contract.deadline import bounded
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Clock, Secrets
from switchboard.contract.store import StoreError
from switchboard.integrations.google_calendar.endpoints import REFRESH_TOKEN, TOOLKIT
from switchboard.integrations.google_calendar.failures import failure
from switchboard.integrations.google_calendar.oauth import TOKEN_S, GoogleOAuth

MARGIN_S = 300.0
_KEPT = 10_000


@dataclass(frozen=True, slots=True)
class Connection:
    """One business's connection: a later one, perhaps to another account, has another `generation`."""

    business_id: str
    generation: str = ""


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A token, until when to use it (monotonic seconds), and which lasting permission it came from."""

    text: str = field(repr=False)
    use_until: float
    origin: bytes = field(repr=False)


_Flights: TypeAlias = dict[tuple[asyncio.AbstractEventLoop, Connection], asyncio.Task[AccessToken]]


class AccessTokens:
    """Gives each request the token it carries. Failures are `ToolError`s: AUTH where the owner must connect again."""

    def __init__(self, secrets: Secrets, oauth: GoogleOAuth, clock: Clock) -> None:
        """Take refresh tokens from `secrets`, and turn them into access tokens with `oauth`."""
        self._secrets, self._oauth, self._clock = secrets, oauth, clock
        self._lock = threading.Lock()
        self._kept: LRUCache[Connection, AccessToken] = LRUCache(_KEPT)
        self._gone: LRUCache[Connection, bytes] = LRUCache(_KEPT)
        self._flights: _Flights = {}

    async def current(self, connection: Connection) -> AccessToken:
        """Return a token that is good for some minutes."""
        with self._lock:
            kept = self._kept.get(connection)
        if kept is not None and self._clock.monotonic() < kept.use_until:
            return kept
        return await self._fetched(connection)

    async def instead_of(self, connection: Connection, refused: AccessToken) -> AccessToken:
        """Return another token than the one that was refused."""
        with self._lock:
            if self._kept.get(connection) == refused:
                del self._kept[connection]
        return await self.current(connection)

    def give_up(self, connection: Connection, refused: AccessToken) -> None:
        """Remember that tokens of this permission are refused even when they are fresh."""
        with self._lock:
            self._kept.pop(connection, None)
            self._gone[connection] = refused.origin

    async def _fetched(self, connection: Connection) -> AccessToken:
        loop = asyncio.get_running_loop()
        key = (loop, connection)
        flight = self._flights.get(key)
        if flight is None:
            # Under nobody's deadline: it must not fail for all because the one who began it had little time left.
            flight = loop.create_task(self._fetch(connection), context=contextvars.Context())
            self._flights[key] = flight
            flight.add_done_callback(lambda done: (self._flights.pop(key, None), done.cancelled() or done.exception()))
        try:
            # Shielded: a caller who hangs up must not take the token from those who wait with him.
            return await asyncio.wait_for(asyncio.shield(flight), bounded(2 * TOKEN_S))
        except TimeoutError:
            raise failure(ErrorType.TRANSIENT, "no access token in time") from None

    async def _fetch(self, connection: Connection) -> AccessToken:
        try:
            secret = await self._secrets.reveal(connection.business_id, TOOLKIT, REFRESH_TOKEN)
        except StoreError as error:
            raise failure(ErrorType.TRANSIENT, f"secrets cannot be read: {type(error).__name__}") from None
        if secret is None:
            raise failure(ErrorType.AUTH, "there is no refresh token")
        origin = hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()
        with self._lock:
            is_gone = self._gone.get(connection) == origin
        if is_gone:
            raise failure(ErrorType.AUTH, "the permission is known to be gone")
        try:
            grant = await self._oauth.refresh(secret)
        except ToolError as error:
            if error.type is ErrorType.AUTH:
                with self._lock:
                    self._gone[connection] = origin
            raise
        token = AccessToken(grant.access_token, self._clock.monotonic() + _use_s(grant.expires_in_s), origin)
        with self._lock:
            self._kept[connection] = token
        return token


def _use_s(expires_in_s: float) -> float:
    # Half of a short life, where the margin would leave nothing.
    return max(expires_in_s - MARGIN_S, expires_in_s / 2)
