"""The project's access token, kept in memory until shortly before it expires, fetched once however many wait for it."""

import asyncio
import contextvars
import threading
from dataclasses import field

from switchboard.contract.deadline import bounded
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock
from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.pipedream.failures import TOKENS
from switchboard.integrations.pipedream.project import PipedreamProject
from switchboard.integrations.vendor_http import VendorHttp

TOKEN_S = 3.0
MARGIN_S = 300.0
_USUAL_LIFE_S = 3_600.0


@dataclass(frozen=True, slots=True)
class PipedreamToken:
    """A token, and until when to use it in monotonic seconds."""

    text: str = field(repr=False)
    use_until: float


class ProjectTokens:
    """Gives each request the token it carries."""

    def __init__(self, http: HttpSession, project: PipedreamProject, clock: Clock) -> None:
        """Fetch them with the project's own credentials."""
        self._http, self._project, self._clock = VendorHttp(http, TOKENS), project, clock
        self._lock = threading.Lock()
        self._kept: PipedreamToken | None = None
        self._flights: dict[asyncio.AbstractEventLoop, asyncio.Task[PipedreamToken]] = {}

    async def current(self) -> PipedreamToken:
        """Return a token that is good for some minutes.

        Raises:
            ToolError: RATE_LIMIT or TRANSIENT, it may be given later; PERMANENT, credentials refused.
        """
        token = self._kept
        if token is not None and self._clock.monotonic() < token.use_until:
            return token
        loop = asyncio.get_running_loop()
        flight = self._flights.get(loop)
        if flight is None:
            # Under nobody's deadline: it must not fail for all because the one who began it had little time left.
            flight = loop.create_task(self._fetch(), context=contextvars.Context())
            self._flights[loop] = flight
            flight.add_done_callback(lambda done: (self._flights.pop(loop, None), done.cancelled() or done.exception()))
        try:
            # Shielded: a caller who hangs up must not take the token from those who wait with him.
            return await asyncio.wait_for(asyncio.shield(flight), bounded(TOKEN_S))
        except TimeoutError:
            raise TOKENS.failure(ErrorType.TRANSIENT, "no access token in time") from None

    async def instead_of(self, refused: PipedreamToken) -> PipedreamToken:
        """Return another token than the one that was refused."""
        with self._lock:
            if self._kept == refused:
                self._kept = None
        return await self.current()

    async def _fetch(self) -> PipedreamToken:
        own = self._project
        body = {"grant_type": "client_credentials", "client_id": own.client_id, "client_secret": own.client_secret}
        # At worst there is one more token that nobody holds.
        answer = await self._http.document("POST", own.token_url, timeout_s=TOKEN_S, body=body, is_write=False)
        token = _read(answer, self._clock.monotonic())
        with self._lock:
            self._kept = token
        return token


def _read(answer: JsonObject, now: float) -> PipedreamToken:
    text, lasts = answer.get("access_token"), answer.get("expires_in")
    if not isinstance(text, str) or not text:
        raise TOKENS.failure(ErrorType.TRANSIENT, "token endpoint: an answer without a token")
    life = float(lasts) if isinstance(lasts, int | float) and lasts > 0 else _USUAL_LIFE_S
    # Half of a short life, where the margin would leave nothing.
    return PipedreamToken(text, now + max(life - MARGIN_S, life / 2))
