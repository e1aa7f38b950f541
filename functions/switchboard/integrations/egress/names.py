"""Names to addresses, as this machine resolves them, and only such addresses as anybody may be connected to.

Whatever connects to a place that an owner named asks here, whichever protocol it then speaks.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeAlias

from switchboard.integrations.egress.public_address import refusal

Lookup: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
"""Returns the addresses that a name stands for, given a name and a port; raises OSError where it stands for none."""

_AT_ONCE = 8
_MOST_ADDRESSES = 4


class AddressRefused(Exception):
    """A name stands for an address that may not be connected to; its text says why."""


async def public_addresses(lookup: Lookup, name: str, port: int) -> list[str]:
    """Return the addresses to connect to, all of them public; what connects must use these and not ask again.

    Raises:
        AddressRefused: One of them is not public; the others are not used either.
        OSError: There are none.
    """
    addresses = await lookup(name, port)
    for address in addresses:
        if problem := refusal(address):
            raise AddressRefused(problem)
    if not addresses:
        raise OSError("the name stands for no address")
    return list(addresses[:_MOST_ADDRESSES])


class SystemNames:
    """Asks the system, in threads of its own: an owner's slow name server must not hold up anything else."""

    def __init__(self) -> None:
        self._threads: ThreadPoolExecutor | None = None

    async def addresses(self, name: str, port: int) -> Sequence[str]:
        """Return every address that a name stands for, in the order in which they should be tried.

        Raises:
            OSError: There is none.
        """
        self._threads = self._threads or ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="egress-names")
        asking = partial(socket.getaddrinfo, name, port, type=socket.SOCK_STREAM)
        rows = await asyncio.get_running_loop().run_in_executor(self._threads, asking)
        return list(dict.fromkeys(_spelt(family, address) for family, *_, address in rows))


def _spelt(family: int, address: tuple[object, ...]) -> str:
    """Return an address as text; one of a link keeps its zone, by which it is known for what it is."""
    text = str(address[0])
    zone = address[3] if family == socket.AF_INET6 and len(address) > 3 else 0
    return f"{text}%{zone}" if zone and "%" not in text else text
