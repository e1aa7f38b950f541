"""How an egress request travels: over connections that are opened to addresses which were checked, and to no others.

The check is made twice: of everything that a name stands for, before the first connection, and of the one address that
a socket is opened to. Between the two nobody is asked again, so that no answer can change (DNS rebinding).
"""

import socket
import ssl
from collections.abc import Callable
from types import SimpleNamespace
from typing import TypeAlias

import aiohttp
from aiohappyeyeballs import AddrInfoType
from aiohttp.abc import AbstractResolver, ResolveResult

from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.egress.names import Lookup, public_addresses
from switchboard.integrations.egress.public_address import refusal

OpenSocket: TypeAlias = Callable[[AddrInfoType], socket.socket]
"""Makes the socket for an address that was checked."""

_CONNECTIONS = 200
_CONNECTIONS_PER_HOST = 20
_KEPT_OPEN_S = 15.0
_MOST_HEADERS = 100


class BrokenOff(aiohttp.ClientError):
    """The connection was lost before there was an answer."""


@dataclass(slots=True)
class Sending:
    """What is known of a request under way: whether any of it has left this machine."""

    has_begun: bool = False


class CheckedResolver(AbstractResolver):
    """Turns names into addresses, all of which must be public."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Return the addresses to connect to.

        Raises:
            AddressRefused: One of them is not public; the others are not used either.
            OSError: There are none.
        """
        return [_found(host, port, address) for address in await public_addresses(self._lookup, host, port)]

    async def close(self) -> None:
        """Do nothing: nothing is held."""


def _found(host: str, port: int, address: str) -> ResolveResult:
    return ResolveResult(
        hostname=host,
        host=address,
        port=port,
        family=socket.AF_INET6 if ":" in address else socket.AF_INET,
        proto=0,
        flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
    )


def plain_socket(info: AddrInfoType) -> socket.socket:
    """Return a socket for an address."""
    family, kind, protocol, _, _ = info
    return socket.socket(family, kind, protocol)


def checked_connector(
    lookup: Lookup, open_socket: OpenSocket, trust: ssl.SSLContext | None, *, keeps_open: bool
) -> aiohttp.TCPConnector:
    """Return what connects to public addresses only.

    Args:
        lookup: Turns names into addresses.
        open_socket: Makes the sockets.
        trust: Which authorities are believed; None for the system's.
        keeps_open: Whether a connection serves several requests, one of which may then find it closed.
    """

    def opened(info: AddrInfoType) -> socket.socket:
        if problem := refusal(str(info[4][0])):
            raise PermissionError(problem)
        return open_socket(info)

    return aiohttp.TCPConnector(
        resolver=CheckedResolver(lookup),
        use_dns_cache=False,
        socket_factory=opened,
        ssl=trust or True,
        limit=_CONNECTIONS,
        limit_per_host=_CONNECTIONS_PER_HOST,
        **({"keepalive_timeout": _KEPT_OPEN_S} if keeps_open else {"force_close": True}),
    )


def local_connector() -> aiohttp.TCPConnector:
    """Return what connects to anything: for hosts that were named as stand-ins."""
    return aiohttp.TCPConnector(force_close=True, limit=_CONNECTIONS)


def client(connector: aiohttp.BaseConnector) -> aiohttp.ClientSession:
    """Return a session that believes nothing but what it is told, and sends everything once."""
    telling = aiohttp.TraceConfig()
    telling.on_request_headers_sent.append(_note)
    return aiohttp.ClientSession(
        connector=connector,
        # One tenant's cookies must not travel with another tenant's request.
        cookie_jar=aiohttp.DummyCookieJar(),
        trust_env=False,
        auto_decompress=False,
        max_headers=_MOST_HEADERS,
        middlewares=(_once,),
        trace_configs=[telling],
    )


async def _note(
    session: aiohttp.ClientSession, context: SimpleNamespace, params: aiohttp.TraceRequestHeadersSentParams
) -> None:
    context.trace_request_ctx.has_begun = True


async def _once(request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    try:
        return await handler(request)
    except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError):
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        # By itself the library sends a GET, PUT or DELETE again whose connection broke; whether to is for us to say.
        raise BrokenOff(type(error).__name__) from None
