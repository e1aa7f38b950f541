"""Access tokens, kept in memory until shortly before they expire, fetched once however many callers wait.

A permission that the vendor has declared gone is remembered by the hash of the refresh token, so that it is asked about
once; connecting again brings another refresh token, and with it a new try. Where every refresh brings another refresh
token, that one is sealed in the place of the one it came from, in one write.
"""

import asyncio
import contextvars
import hashlib
import logging
import threading
from dataclasses import field
from typing import Protocol, TypeAlias

from cachetools import LRUCache

from switchboard.contract.deadline import bounded
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Clock
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import StoreError
from switchboard.integrations.calendar_failures import CalendarFailures
from switchboard.integrations.oauth.server import REFRESH_TOKEN, TOKEN_S, OAuthServer

log = logging.getLogger(__name__)

MARGIN_S = 300.0
_KEPT = 10_000


class TokenSecrets(Protocol):
    """What keeps permissions, encrypted (`integrations/secrets/sealed_secrets.py`)."""

    async def reveal(self, business_id: str, toolkit: str, field: str) -> str | None:
        """Return one secret in clear, or None where there is none."""

    async def replace(self, business_id: str, toolkit: str, field: str, value: str, *, instead_of: str) -> bool:
        """Put a secret in the place of another, and tell whether that one was still kept."""


@dataclass(frozen=True, slots=True)
class OAuthConnection:
    """One business's connection: a later one, perhaps to another account, has another `generation`."""

    business_id: str
    generation: str = ""


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A token, until when to use it (monotonic seconds), and which lasting permission it came from."""

    text: str = field(repr=False)
    use_until: float
    origin: bytes = field(repr=False)


_Flights: TypeAlias = dict[tuple[asyncio.AbstractEventLoop, OAuthConnection], asyncio.Task[AccessToken]]


class TokenSource:
    """Gives each request the token it carries. Failures are `ToolError`s: AUTH where the owner must connect again."""

    def __init__(
        self, secrets: TokenSecrets, toolkit: str, server: OAuthServer, failures: CalendarFailures, clock: Clock
    ) -> None:
        """Take the refresh tokens of `toolkit` from `secrets`, and turn them into access tokens at `server`."""
        self._secrets, self._toolkit, self._server, self._clock = secrets, toolkit, server, clock
        self._failures = failures
        self._lock = threading.Lock()
        self._kept: LRUCache[OAuthConnection, AccessToken] = LRUCache(_KEPT)
        self._gone: LRUCache[OAuthConnection, bytes] = LRUCache(_KEPT)
        self._flights: _Flights = {}

    async def current(self, connection: OAuthConnection) -> AccessToken:
        """Return a token that is good for some minutes."""
        with self._lock:
            token = self._kept.get(connection)
        if token is not None and self._clock.monotonic() < token.use_until:
            return token
        return await self._fetched(connection)

    async def instead_of(self, connection: OAuthConnection, refused: AccessToken) -> AccessToken:
        """Return another token than the one that was refused."""
        with self._lock:
            if self._kept.get(connection) == refused:
                del self._kept[connection]
        return await self.current(connection)

    def give_up(self, connection: OAuthConnection, refused: AccessToken) -> None:
        """Remember that tokens of this permission are refused even when they are fresh."""
        with self._lock:
            self._kept.pop(connection, None)
            self._gone[connection] = refused.origin

    async def _fetched(self, connection: OAuthConnection) -> AccessToken:
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
            raise self._failures.failure(ErrorType.TRANSIENT, "no access token in time") from None

    async def _fetch(self, connection: OAuthConnection) -> AccessToken:
        try:
            secret = await self._secrets.reveal(connection.business_id, self._toolkit, REFRESH_TOKEN)
        except StoreError as error:
            detail = f"secrets cannot be read: {type(error).__name__}"
            raise self._failures.failure(ErrorType.TRANSIENT, detail) from None
        if secret is None:
            raise self._failures.failure(ErrorType.AUTH, "there is no refresh token")
        origin = _origin(secret)
        with self._lock:
            is_gone = self._gone.get(connection) == origin
        if is_gone:
            raise self._failures.failure(ErrorType.AUTH, "the permission is known to be gone")
        try:
            grant = await self._server.refresh(secret)
        except ToolError as error:
            if error.type is ErrorType.AUTH:
                with self._lock:
                    self._gone[connection] = origin
            raise
        later = grant.refresh_token
        if later and later != secret and await self._is_sealed(connection, later, secret):
            origin = _origin(later)
        token = AccessToken(grant.access_token, self._clock.monotonic() + _use_s(grant.expires_in_s), origin)
        with self._lock:
            self._kept[connection] = token
        return token

    async def _is_sealed(self, connection: OAuthConnection, later: str, earlier: str) -> bool:
        """Keep the later refresh token in place of the earlier; what was connected or forgotten since stays so."""
        try:
            return await self._secrets.replace(
                connection.business_id, self._toolkit, REFRESH_TOKEN, later, instead_of=earlier
            )
        except (StoreError, ToolError) as error:
            # The earlier one is still kept, and still good: the next refresh brings another.
            log.warning("refresh token not replaced", extra={"toolkit": self._toolkit, "reason": type(error).__name__})
            return False


def _origin(refresh_token: str) -> bytes:
    return hashlib.sha256(refresh_token.encode("utf-8", "surrogatepass")).digest()


def _use_s(expires_in_s: float) -> float:
    # Half of a short life, where the margin would leave nothing.
    return max(expires_in_s - MARGIN_S, expires_in_s / 2)
