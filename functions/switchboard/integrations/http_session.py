"""The one HTTP client of the process: a lazily made aiohttp session for each event loop, safe by default.

No redirects are followed, no proxies or credentials are taken from the environment, no cookies are kept, no answer is
read without bounds, and no request is without a time-out. What an answer means is for each integration to say.
"""

import asyncio
import threading
from collections.abc import Callable, Mapping
from dataclasses import field
from importlib import import_module
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from switchboard.contract.deadline import bounded
from switchboard.contract.observability.trace import SpanKind, SpanValue, recorded, step, traceparent
from switchboard.contract.python.dataclass import dataclass

if TYPE_CHECKING:
    import aiohttp
    from aiohttp.abc import AbstractResolver

ANSWER_BYTES = 4 * 1024 * 1024
CONNECT_S = 1.0
_CONNECTIONS = 200
_CHUNK = 65_536
_FAILED = 400


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What a server said. The body stays out of `repr`: it may hold a token or a caller's words.

    Attributes:
        status: The HTTP status; redirects are answers like any other.
        headers: By name, ignoring case.
        body: At most as many bytes as were allowed.
    """

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


class NoAnswer(Exception):
    """A request ended without a whole answer.

    Attributes:
        was_sent: Whether the server may have got the request, so that it may have done what was asked.
        timed_out: Whether it was our own time that ran out.
    """

    def __init__(self, reason: str, *, was_sent: bool, timed_out: bool = False) -> None:
        """Keep the reason, which holds neither address nor body."""
        super().__init__(reason)
        self.was_sent, self.timed_out = was_sent, timed_out


class HttpSession:
    """The session that every integration sends its requests with."""

    def __init__(self, resolver: "Callable[[], AbstractResolver] | None" = None) -> None:
        """Connect nowhere yet.

        Args:
            resolver: Makes what turns names into addresses, where the addresses must be checked; None for the usual.
        """
        self._resolver = resolver
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, aiohttp.ClientSession] = WeakKeyDictionary()
        self._lock = threading.Lock()

    async def warm(self) -> None:
        """Load the library, which takes some tenths of a second, before anyone waits for it; nothing is connected."""
        await asyncio.to_thread(import_module, "aiohttp")

    def client(self) -> "aiohttp.ClientSession":
        """Return the running loop's session, for a library that insists on one and for streams."""
        loop = asyncio.get_running_loop()
        with self._lock:
            client = self._clients.get(loop)
            if client is None or client.closed:
                client = self._clients[loop] = self._make()
            return client

    async def request(
        self,
        method: str,
        url: str,
        *,
        timeout_s: float,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        most_bytes: int = ANSWER_BYTES,
    ) -> HttpAnswer:
        """Send one request and return the whole answer.

        Args:
            method: `GET`, `POST`, ...
            url: Absolute; sent as it is, so that escapes stay what they were.
            timeout_s: The client's own policy for everything from connecting to the last byte; the call's deadline may
                leave less.
            headers: Added to `Accept-Encoding: identity`.
            body: Sent as it is.
            most_bytes: A longer answer counts as none.

        Raises:
            NoAnswer: There was none in time, or not a whole one.
        """
        import aiohttp
        from yarl import URL

        limit = aiohttp.ClientTimeout(total=bounded(timeout_s), sock_connect=CONNECT_S)
        try:
            async with self.client().request(
                method, URL(url, encoded=True), headers=headers, data=body, timeout=limit, allow_redirects=False
            ) as response:
                content = await _read(response.content, most_bytes)
                return HttpAnswer(response.status, response.headers, content)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.InvalidURL) as error:
            raise NoAnswer(type(error).__name__, was_sent=False) from None
        except TimeoutError as error:
            raise NoAnswer(type(error).__name__, was_sent=True, timed_out=True) from None
        except (aiohttp.ClientError, OSError) as error:
            # The text of these may quote the address, in which vendors take secrets too.
            raise NoAnswer(type(error).__name__, was_sent=True) from None

    async def close(self) -> None:
        """Let go of the running loop's connections, and of those whose loop has ended."""
        running = asyncio.get_running_loop()
        with self._lock:
            ended = [loop for loop in self._clients if loop is running or loop.is_closed()]
            clients = [self._clients.pop(loop) for loop in ended]
        for client in clients:
            await client.close()

    def _make(self) -> "aiohttp.ClientSession":
        import aiohttp

        connector = aiohttp.TCPConnector(limit=_CONNECTIONS, resolver=self._resolver() if self._resolver else None)
        return aiohttp.ClientSession(
            connector=connector,
            headers={"Accept-Encoding": "identity", "User-Agent": "switchboard"},
            # One tenant's cookies must not travel with another tenant's request.
            cookie_jar=aiohttp.DummyCookieJar(),
            trust_env=False,
            middlewares=(traced, _once),
        )


async def traced(request: "aiohttp.ClientRequest", handler: "aiohttp.ClientHandlerType") -> "aiohttp.ClientResponse":
    """Let a request be a step of the trace it belongs to; for sessions that reach vendors, never owners' addresses.

    Only the host is told: vendors take secrets and people's numbers in paths and queries.
    """
    parent = recorded()
    if parent is None:
        return await handler(request)
    fields: dict[str, SpanValue] = {
        "http.request.method": request.method,
        "server.address": request.url.host or "",
        "server.port": request.url.port or 0,
    }
    with step(parent, request.method, SpanKind.CLIENT, fields) as span:
        request.headers["traceparent"] = traceparent(span)
        response = await handler(request)
        span.note("http.response.status_code", response.status)
        if response.status >= _FAILED:
            span.end(str(response.status))
        return response


async def _once(request: "aiohttp.ClientRequest", handler: "aiohttp.ClientHandlerType") -> "aiohttp.ClientResponse":
    import aiohttp

    try:
        return await handler(request)
    except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError):
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        # By itself the library sends a GET, PUT or DELETE again whose connection broke; whether to is for us to say.
        raise aiohttp.ClientError(type(error).__name__) from None


async def _read(content: Any, most_bytes: int) -> bytes:
    body = bytearray()
    async for chunk in content.iter_chunked(_CHUNK):
        body += chunk
        if len(body) > most_bytes:
            raise NoAnswer("the answer is too long", was_sent=True)
    return bytes(body)
