"""One server for many tests, each with a stand-in of its own: starting a server takes longer than most tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from starlette.types import Receive, Scope, Send

from stand_ins.loopback import serving


class Switch:
    """Leads to the stand-in of the test that is running.

    Attributes:
        stand_in: What has an `app` that answers.
    """

    stand_in: Any

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve."""
        await self.stand_in.app(scope, receive, send)


@contextmanager
def switched() -> Iterator[tuple[str, Switch]]:
    """Serve on this machine while the block runs; yield the address, and the switch behind it."""
    switch = Switch()
    with serving(switch) as url:
        yield url, switch
