"""`transfer-destination-request`: Vapi asks where to put a phone call through.

It names nobody. `transfer_call` decides as it does for every model: by the business's rules, their hours and what the
channel offers; of several people the first in the owner's order who is there. Vapi hears a number, or why there is
none.
"""

import asyncio
import logging
import uuid
import zlib
from dataclasses import replace
from typing import Any, Final

import orjson

from switchboard.catalog.offer.alternatives import WHEREVER
from switchboard.channels.http.idempotency import delivery_key
from switchboard.channels.vapi.callbacks import CallbackParts, facts_of
from switchboard.channels.vapi.request import VapiRequest
from switchboard.contract.context import PhoneContext
from switchboard.contract.deadline import ending_in
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.response import IntentType, ToolResponse
from switchboard.contract.store import StoreError
from switchboard.conversation.speech.plain_speech import plain
from switchboard.formats.vapi.call_facts import facts_of_message
from switchboard.pipeline.ledger.admission import options_of

log = logging.getLogger(__name__)

TRANSFER_REQUEST: Final = "transfer-destination-request"
_TOOL: Final = "transfer_call"
ANSWERED_WITHIN_S = 6.0
_NOBODY: Final = (
    "The call cannot be put through to anybody here, and you still answer it. Do not say that it is being transferred. "
    f"{WHEREVER}"
)


def _own_turn(at: str) -> int:
    """Return the turn in which a request counts.

    Budgets and loops are for what a model asks in one human turn. Vapi asks this by itself, whatever the model has
    looked up before, and has to be told something each time; below the turns of `call_start`, which are few.
    """
    return -1_000 - zlib.crc32(at.encode()) % 1_000_000


class TransferRequests:
    """Says to whom a call is put through."""

    def __init__(self, parts: CallbackParts) -> None:
        """Join the parts."""
        self._parts = parts

    async def answer(self, request: VapiRequest) -> bytes:
        """Return the JSON body that answers: `{destination}`, or `{error}` for the model that asked. Never raises."""
        parts, business_id = self._parts, request.proof.business_id
        message: JsonObject = request.body["message"]
        at = str(message.get("timestamp") or uuid.uuid4().hex)
        told = facts_of_message(message, "")
        # Two callers' may come in one millisecond: what no call is told of is a request of its own.
        key = delivery_key("vapi", TRANSFER_REQUEST, told.conversation or uuid.uuid4().hex, at)

        async def work() -> str:
            return orjson.dumps(await self.decided(await facts_of(parts, business_id, told, 0), at)).decode()

        try:
            # A delivery that came before and has no answer yet is waited for by another clock.
            async with asyncio.timeout(ANSWERED_WITHIN_S):
                with ending_in(ANSWERED_WITHIN_S):
                    return (await parts.deliveries.once(parts.paths.within(business_id), key, work)).encode()
        except (StoreError, ToolError, TimeoutError) as error:
            log.error("a transfer has no answer", extra={"reason": type(error).__name__, "pii.detail": str(error)})
            return orjson.dumps({"error": _NOBODY})

    async def decided(self, facts: PhoneContext, at: str) -> JsonObject:
        """Return `{destination}`, whom a phone call is put through to by whoever asks, or `{error}`, why to nobody.

        Args:
            facts: The phone call.
            at: What tells this request from others about the same phone call.

        Raises:
            ToolError: The business cannot be read.
        """
        # Whoever asks puts the call through to whom we name.
        facts, id = replace(facts, turn=_own_turn(at), applies_intents=True), f"transfer_{at}"
        offer, _, _ = await self._parts.catalog.for_call(facts.business_id, options_of(facts))
        offered = offer.named(_TOOL)
        if offered is None:
            return {"error": _NOBODY}
        response = await self._executed(facts, id, {})
        failure = response.failure
        others = response.meta.get("alternatives") if failure is not None else None
        if failure is not None and failure.type is ErrorType.VALIDATION and isinstance(others, list) and others:
            # Several could be meant, and nobody can be asked which.
            response = await self._executed(facts, f"{id}_2", {"destination": str(others[0]["destination"])})
        if response.failure is not None:
            return {"error": " ".join(response.failure.message.split())}
        payload = next((i.payload for i in response.intents if i.type is IntentType.TRANSFER_CALL), {})
        if not payload.get("number"):
            return {"error": _NOBODY}
        destination: JsonObject = {"type": "number", "number": payload["number"]}
        language = offer.business.language if offer.business is not None else ""
        words = plain(offered.definition.phrase(language, "running"), language)
        return {"destination": destination | ({"message": words} if words else {})}

    async def _executed(self, facts: PhoneContext, id: str, arguments: dict[str, Any]) -> ToolResponse:
        own = replace(facts, call_id=id)
        return await self._parts.dispatcher().execute_tool(_TOOL, arguments, facts.business_id, own)
