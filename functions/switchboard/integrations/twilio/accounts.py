"""The Twilio accounts of businesses: `integrations.twilio` of the business document, and the secret beside it."""

import asyncio
import re
from importlib import import_module
from typing import TYPE_CHECKING

from switchboard.contract.business.business import Business
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Secrets, Telephony
from switchboard.integrations.http_session import HttpSession
from switchboard.integrations.twilio.errors import TOOLKIT, of_twilio

if TYPE_CHECKING:
    from switchboard.integrations.twilio.transport import TwilioTransport

AUTH_TOKEN = "authToken"
_PHONE = "switchboard.integrations.twilio.phone"
# Which the SDK itself puts off until a text or a call is first spoken of, and which takes the longest.
_RESOURCES = "twilio.rest.api"
_ACCOUNT_SID = re.compile(r"AC[0-9a-fA-F]{32}")


class TwilioAccounts:
    """Gives each business its own account; the connections are shared, the credentials are not."""

    def __init__(self, secrets: Secrets, base_url: str | None = None, http: HttpSession | None = None) -> None:
        """Ask `secrets` for auth tokens.

        Args:
            secrets: Keeps the auth tokens.
            base_url: Of something that stands in for Twilio.
            http: Sends every request; None for a session of their own.
        """
        self._secrets, self._base_url, self._http = secrets, base_url, http
        self._transport: TwilioTransport | None = None
        self._is_loaded = False

    async def of(self, business: Business) -> Telephony | None:
        """Return a business's account, or None where it has connected none.

        Raises:
            ToolError: AUTH, its credentials are missing or known to be refused.
        """
        connection = business.integrations.get(TOOLKIT)
        if connection is None or not connection.is_connected:
            return None
        account_sid = str(connection.settings.get("accountSid") or "")
        if not _ACCOUNT_SID.fullmatch(account_sid):
            raise _refused("integrations.twilio.accountSid must be AC and 32 hex digits")
        if connection.needs_reauth:
            raise _refused("integrations.twilio.needsReauth is set")
        token = await self._secrets.reveal(business.id, TOOLKIT, AUTH_TOKEN, agent_id=connection.agent_id)
        if not token:
            raise _refused(f"integrations.twilio: no secret named {AUTH_TOKEN}")
        await self.warm()
        from switchboard.integrations.twilio.phone import TwilioPhone
        from switchboard.integrations.twilio.transport import TwilioTransport

        self._transport = self._transport or TwilioTransport(self._base_url, self._http)
        return TwilioPhone(account_sid, token, self._transport)

    async def warm(self) -> None:
        """Load the SDK, in a thread, since callers are being spoken to meanwhile; nothing is connected.

        It takes more than a second: done at the first text, it would be on the time of whoever waits for that.
        """
        if not self._is_loaded:
            # Whoever comes while it is loaded waits there too: the loop would be held up by the import's lock.
            for name in (_PHONE, _RESOURCES):
                await asyncio.to_thread(import_module, name)
            self._is_loaded = True

    async def close(self) -> None:
        """Let go of the connections."""
        if self._transport is not None:
            await self._transport.close()
            self._transport = None


def _refused(detail: str) -> ToolError:
    return of_twilio(
        ToolError(
            ErrorType.AUTH,
            "The business's phone account must be connected again, so nothing was done.",
            detail=detail,
        )
    )
