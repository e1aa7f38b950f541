"""Vendors that tools bring with them: whatever stands in a folder of `integrations`, by its name alone."""

from collections.abc import Collection
from difflib import get_close_matches
from typing import Any

from switchboard.contract.business.business import Business
from switchboard.contract.context import CallContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import VendorClients


class NoVendors:
    """For a desk that reaches nobody."""

    async def account(self, name: str, business: Business) -> Any:
        """Return None."""
        return None


class Vendors:
    """The businesses' accounts with vendors that the desk has no service of its own for."""

    def __init__(self, clients: VendorClients, names: Collection[str] = ()) -> None:
        """Ask `clients` for them, of which there are those of these `names`; any, where none is given."""
        self._clients, self._names = clients, names

    async def client(self, ctx: CallContext, integration: str) -> Any:
        """Return the client of the business's account with a vendor; what it can do is said by the vendor's folder.

        Args:
            ctx: The call; nobody else's account is ever given.
            integration: The name in `businesses/{id}.integrations`, such as `weather`.

        Raises:
            ToolError: PERMANENT, the business has connected none, or a setting cannot work; AUTH, it must be connected
                again; INTERNAL, there is no such integration, which no owner can connect.
        """
        if self._names and integration not in self._names:
            close = get_close_matches(integration, self._names, n=1)
            nearest = f"; is {close[0]!r} meant?" if close else f"; there are {', '.join(sorted(self._names))}"
            raise ToolError(
                ErrorType.INTERNAL,
                "Something went wrong on our side, and trying again will not help. Apologise.",
                detail=f"the handler asks for {integration!r}, which no folder of integrations provides{nearest}",
            )
        client = await self._clients.account(integration, ctx.business)
        if client is None:
            raise ToolError(
                ErrorType.PERMANENT,
                "The business has not connected what this needs, so it cannot be done.",
                detail=f"integrations.{integration} is not connected",
            )
        return client
