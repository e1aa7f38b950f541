"""A connection to a mail server that an owner named: by the check of all other requests to owners' addresses.

The name is resolved once, every address that it stands for must be public, and the socket goes to one of those very
addresses, so that a name cannot lead elsewhere between the two.
"""

import asyncio
import socket
from collections.abc import Callable
from contextlib import ExitStack
from typing import TypeAlias

from switchboard.integrations.egress.names import AddressRefused, Lookup, SystemNames, public_addresses

__all__ = ["AddressRefused", "OpenSocket", "Route"]

OpenSocket: TypeAlias = Callable[[int], socket.socket]
"""Makes a socket of an address family, for an address that was checked."""


def _plain_socket(family: int) -> socket.socket:
    return socket.socket(family, socket.SOCK_STREAM)


class Route:
    """Connects to mail servers."""

    def __init__(
        self, *, private: bool = False, lookup: Lookup | None = None, open_socket: OpenSocket = _plain_socket
    ) -> None:
        """Connect nowhere yet.

        Args:
            private: Whether addresses that the public internet cannot reach are allowed, as for a server of one's own
                network.
            lookup: Turns names into addresses; None for the system's way.
            open_socket: Makes the sockets.
        """
        self._private, self._open_socket = private, open_socket
        self._lookup: Lookup = lookup or SystemNames().addresses

    async def connected(self, server: str, port: int) -> socket.socket:
        """Return a connected, non-blocking socket; the caller closes it, and bounds the time.

        Raises:
            AddressRefused: One of the addresses is not public, whatever the others are.
            OSError: It cannot be resolved or reached.
        """
        loop = asyncio.get_running_loop()
        if self._private:
            addresses = list(await self._lookup(server, port))
        else:
            addresses = await public_addresses(self._lookup, server, port)
        problem: OSError = OSError("the name stands for no address")
        for address in addresses:
            try:
                with ExitStack() as unless_connected:
                    family = socket.AF_INET6 if ":" in address else socket.AF_INET
                    connection = unless_connected.enter_context(self._open_socket(family))
                    connection.setblocking(False)
                    await loop.sock_connect(connection, (address, port))
                    unless_connected.pop_all()
                    return connection
            except OSError as error:
                problem = error
        raise problem
