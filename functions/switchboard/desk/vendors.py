"""Vendors that tools bring with them: whatever stands in a folder of `integrations`, by its name alone."""

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

    def __init__(self, clients: VendorClients) -> None:
        """Ask `clients` for them."""
        self._clients = clients

    async def client(self, ctx: CallContext, integration: str) -> Any:
        """Return the client of the business's account with a vendor; what it can do is said by the vendor's folder.

        Args:
            ctx: The call; nobody else's account is ever given.
            integration: The name in `businesses/{id}.integrations`, such as `weather`.

        Raises:
            ToolError: PERMANENT, the business has connected none, or a setting cannot work; AUTH, it must be connected
                again.
        """
        client = await self._clients.account(integration, ctx.business)
        if client is None:
            raise ToolError(
                ErrorType.PERMANENT,
                "The business has not connected what this needs, so it cannot be done.",
                detail=f"integrations.{integration} is not connected",
            )
        return client
