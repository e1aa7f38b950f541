"""The key that a business's tools at Vapi carry, by which their callbacks are recognised as its own.

It is an API key of the business that may execute tools and nothing else. Its text is among the business's secrets, so
that every tool carries the same; an owner who revokes it makes the next change of a tool use a new one.
"""

import secrets as random

from switchboard.admin.credentials.api_keys import PREFIX, create_key
from switchboard.contract.credential import Scope
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.ports import Paths, Secrets, Store

TOOLKIT = "vapi"
FIELD = "toolKey"
_NAME = "Vapi's tools"
_RANDOM_BYTES = 32


class CallbackKeys:
    """Gives each business its key, making one where there is none. What the store raises passes through."""

    def __init__(self, store: Store, paths: Paths, secrets: Secrets) -> None:
        """Keep keys in `store` as all API keys are, and their text in `secrets`."""
        self._store, self._paths, self._secrets = store, paths, secrets

    async def of(self, business_id: str) -> str:
        """Return the text of a business's key, which works.

        Raises:
            ToolError: It cannot be made or read.
        """
        text = await self._kept(business_id)
        if text and await self._works(business_id, text):
            return text
        await self._secrets.keep(business_id, TOOLKIT, FIELD, PREFIX + random.token_urlsafe(_RANDOM_BYTES))
        # Of two who make one in the same moment, the later counts for both.
        text = await self._kept(business_id)
        await self._make(business_id, text)
        return text

    async def _kept(self, business_id: str) -> str:
        try:
            return str(await self._secrets.reveal(business_id, TOOLKIT, FIELD) or "")
        except ToolError as error:
            if error.type is ErrorType.TRANSIENT:
                raise
            # What does not open any more is nobody's key: another one is made.
            return ""

    async def _works(self, business_id: str, text: str) -> bool:
        try:
            await self._make(business_id, text)
        except ToolError as error:
            if error.type is ErrorType.CONFLICT:
                return False
            raise
        return True

    async def _make(self, business_id: str, text: str) -> None:
        # The same text again is the same key.
        await create_key(self._store, self._paths, business_id, _NAME, scopes=[Scope.EXECUTE], text=text)
