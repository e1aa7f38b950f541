"""A connection to a mail server that an owner named: to a public address only, and to the one that was checked."""

import asyncio
import ipaddress
import socket
from contextlib import ExitStack


class ForbiddenAddress(Exception):
    """The server's name leads to no address on the public internet."""


async def connected(server: str, port: int, *, private: bool = False) -> socket.socket:
    """Return a connected, non-blocking socket; the caller closes it, and bounds the time.

    The name is resolved once and the address that was checked is the one that is used, so that a name cannot lead
    elsewhere between the two.

    Args:
        server: A host name.
        port: Where it listens.
        private: Whether addresses that the public internet cannot reach are allowed.

    Raises:
        ForbiddenAddress: There are only such addresses.
        OSError: It cannot be resolved or reached.
    """
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(server, port, type=socket.SOCK_STREAM)
    allowed = [row for row in found if private or _is_public(row[4][0])]
    if not allowed:
        raise ForbiddenAddress(f"{server} is not on the public internet")
    problem: OSError | None = None
    for family, kind, protocol, _, address in allowed:
        try:
            with ExitStack() as unless_connected:
                connection = unless_connected.enter_context(socket.socket(family, kind, protocol))
                connection.setblocking(False)
                await loop.sock_connect(connection, address)
                unless_connected.pop_all()
                return connection
        except OSError as error:
            problem = error
    assert problem is not None
    raise problem


def _is_public(address: str | int) -> bool:
    found = ipaddress.ip_address(str(address).partition("%")[0])
    mapped = getattr(found, "ipv4_mapped", None)
    return (mapped or found).is_global and not found.is_multicast
