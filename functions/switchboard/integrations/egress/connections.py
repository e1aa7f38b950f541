"""The sessions that egress requests are sent with: one for each event loop, like the house's own."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from switchboard.integrations.http_session import HttpSession

if TYPE_CHECKING:
    import aiohttp


class EgressSession(HttpSession):
    """A session over connections of its own kind."""

    def __init__(self, connector: "Callable[[], aiohttp.BaseConnector]") -> None:
        """Connect nowhere yet; `connector` is asked once for each event loop."""
        super().__init__()
        self._connector = connector

    def _make(self) -> "aiohttp.ClientSession":
        from switchboard.integrations.egress.transport import client

        return client(self._connector())
