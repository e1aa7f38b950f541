"""Names to addresses, as this machine resolves them."""

import asyncio
import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

_AT_ONCE = 8


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
        found = await asyncio.get_running_loop().run_in_executor(self._threads, asking)
        return list(dict.fromkeys(str(address[0]) for *_, address in found))
