"""The Vapi accounts of businesses: `integrations.vapi` of the business document, and the secret beside it."""

import re

from switchboard.contract.business.business import Business
from switchboard.contract.error import ErrorType
from switchboard.contract.ports import Secrets
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.vapi.account import VapiAccount
from switchboard.integrations.vapi.failures import VAPI
from switchboard.integrations.vapi.transport import VapiTransport
from switchboard.integrations.vendor_http import connected_secret

TOOLKIT = "vapi"
API_KEY = "apiKey"
# What a header can carry; a line break in it would be a second header.
_KEY = re.compile(r"[\x21-\x7e]{1,500}")


class VapiAccounts:
    """Gives each business its own account; the connections are shared, the keys are not."""

    def __init__(self, http: HttpSession, secrets: Secrets, base_url: str | None = None) -> None:
        """Ask `secrets` for private keys.

        Args:
            http: Sends every request.
            secrets: Keeps the keys.
            base_url: Of something that stands in for Vapi, whose control addresses then count as Vapi's own; local mode
                only.
        """
        self._secrets, self._transport = secrets, VapiTransport(http, base_url)

    async def of(self, business: Business) -> VapiAccount | None:
        """Return a business's account, or None where it has connected none.

        Raises:
            ToolError: AUTH, its key is missing or known to be refused.
        """
        connected = await connected_secret(business, self._secrets, TOOLKIT, API_KEY, VAPI)
        if connected is None:
            return None
        connection, key = connected[0], connected[1].strip()
        if not _KEY.fullmatch(key):
            raise VAPI.failure(ErrorType.AUTH, f"integrations.vapi: no secret named {API_KEY} that could be a key")
        public_key = str(connection.settings.get("publicKey") or "").strip()
        return VapiAccount(key, self._transport, public_key if _KEY.fullmatch(public_key) else "")
