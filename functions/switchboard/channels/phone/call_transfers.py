"""To whom a phone call is put through that no model answers, or whose model has asked it of somebody else than us.

Such a request names nobody. `transfer_call` decides as it does for every model: by the business's rules, their hours
and what the channel offers; of several people the first in the owner's order who is there.
"""

import zlib
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from switchboard.catalog.offer.alternatives import WHEREVER
from switchboard.catalog.offer.catalog import Catalog
from switchboard.channels.phone import twiml
from switchboard.channels.phone.voice import unattended
from switchboard.contract.business.business import Business
from switchboard.contract.context import PhoneContext
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.contract.response import IntentType, ToolResponse
from switchboard.conversation.speech.plain_speech import plain
from switchboard.pipeline.dispatcher import Dispatcher
from switchboard.pipeline.ledger.admission import options_of

_TOOL: Final = "transfer_call"
NOBODY_TO_TRANSFER_TO: Final = (
    "The call cannot be put through to anybody here, and you still answer it. Do not say that it is being transferred. "
    f"{WHEREVER}"
)
"""What a model is told that asks for it."""


class CallTransfers:
    """Says to whom a phone call is put through."""

    def __init__(self, catalog: Catalog, dispatcher: Callable[[], Dispatcher]) -> None:
        """`dispatcher` is asked for when there is a call to put through."""
        self._catalog, self._dispatcher = catalog, dispatcher

    async def anybody(self, business: Business, context: PhoneContext) -> JsonObject | None:
        """Return where a phone call that nobody answers is put through to: who is there, or the safe number, or None.

        Raises:
            ToolError: The business cannot be read.
        """
        answer = await self.decided(context, "start")
        return answer.get("destination") or safe_destination(business)

    async def decided(self, context: PhoneContext, at: str) -> JsonObject:
        """Return `{destination}`, whom a phone call is put through to by whoever asks, or `{error}`, why to nobody.

        Args:
            context: The phone call.
            at: What tells this request from others about the same phone call.

        Raises:
            ToolError: The business cannot be read.
        """
        # Whoever asks puts the call through to whom we name.
        context, id = replace(context, turn=_own_turn(at), applies_intents=True), f"transfer_{at}"
        offer, _, _ = await self._catalog.for_call(context.business_id, options_of(context))
        offered = offer.named(_TOOL)
        if offered is None:
            return {"error": NOBODY_TO_TRANSFER_TO}
        response = await self._execute(context, id, {})
        failure = response.failure
        others = response.meta.get("alternatives") if failure is not None else None
        if failure is not None and failure.type is ErrorType.VALIDATION and isinstance(others, list) and others:
            # Several could be meant, and nobody can be asked which.
            response = await self._execute(context, f"{id}_2", {"destination": str(others[0]["destination"])})
        if response.failure is not None:
            return {"error": " ".join(response.failure.message.split())}
        payload = next((i.payload for i in response.intents if i.type is IntentType.TRANSFER_CALL), {})
        if not payload.get("number"):
            return {"error": NOBODY_TO_TRANSFER_TO}
        destination: JsonObject = {"type": "number", "number": payload["number"]}
        language = offer.business.language if offer.business is not None else ""
        words = plain(offered.definition.phrase(language, "running"), language)
        return {"destination": destination | ({"message": words} if words else {})}

    async def _execute(self, context: PhoneContext, id: str, arguments: dict[str, Any]) -> ToolResponse:
        own = replace(context, call_id=id)
        return await self._dispatcher().execute_tool(_TOOL, arguments, context.business_id, own)


async def put_elsewhere(transfers: CallTransfers, business: Business, context: PhoneContext, now: datetime) -> str:
    """Return TwiML that puts a caller through to a person who is there, or tells how else the business is reached.

    Raises:
        ToolError: The business cannot be read.
    """
    destination = await transfers.anybody(business, context)
    if destination is not None:
        return twiml.put_through(business, destination["number"])
    return twiml.goodbye(unattended(business, now), business)


def safe_destination(business: Business) -> JsonObject | None:
    """Return the number that is rung when nothing else works; None where a business has none."""
    return {"type": "number", "number": business.safe_number} if business.safe_number else None


def _own_turn(at: str) -> int:
    """Return the turn in which a request counts.

    Budgets and loops are for what a model asks in one human turn. This is asked by no model, whatever one has looked up
    before, and has to be told something each time; below the turns of `call_start`, which are few.
    """
    return -1_000 - zlib.crc32(at.encode()) % 1_000_000
