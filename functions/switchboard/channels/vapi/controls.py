"""The control address of each phone call that Vapi has taken over: kept with the call, and used before its first word.

Whoever knows the address controls the call: it stands in no log, and in nothing that owners or callers see.
"""

import asyncio
import logging
from datetime import timedelta

from switchboard.contract.context import PhoneContext
from switchboard.contract.definitions.voice_platform import VoicePlatform
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.policy import INTERACTION_DAYS
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.store import Set, StoreError

log = logging.getLogger(__name__)

# A call is told things once its line is up, and by then the agent begins to speak.
BEFORE_THE_FIRST_WORD_S = 2.0
_ONCE_MORE_S = 0.2


class Controls:
    """Keeps control addresses, and puts what was found into calls."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        """Keep them in `store`."""
        self._store, self._paths, self._clock = store, paths, clock

    async def keep(self, facts: PhoneContext, control_url: str, vapi_id: str) -> None:
        """Note with the phone call where it is controlled, and Vapi's id of it; a store that fails costs that note."""
        now = self._clock.now()
        id = facts.interaction_id or facts.session_id
        fields: JsonObject = {
            "id": id,
            "businessId": facts.business_id,
            "sessionId": facts.session_id,
            "channel": facts.channel.value,
            "callSid": facts.call_sid,
            "callerPhone": facts.caller_phone,
            "startedAt": now,
            "createdAt": now,
            "updatedAt": now,
            "expireAt": now + timedelta(days=INTERACTION_DAYS),
            "controlUrl": control_url,
            "vapiCallId": vapi_id,
        }
        path = self._paths.within(facts.business_id).document("interactions", id)
        try:
            await self._store.commit([Set(path, fields, merge=True)])
        except StoreError as error:
            log.error("a control address is not kept", extra={"reason": type(error).__name__, "pii.detail": str(error)})

    async def tell(self, platform: VoicePlatform, control_url: str, text: str) -> None:
        """Put a system message into a call that has just been taken over; never raises.

        A call whose line is not up yet is tried on until its first word; what is late then is dropped.

        Args:
            platform: Which checks that the address is its own.
            control_url: Of the call.
            text: What was found.
        """
        gives_up = self._clock.monotonic() + BEFORE_THE_FIRST_WORD_S
        while True:
            try:
                await platform.add_message(control_url, "system", text)
                return
            except ToolError as error:
                # Only a line that is not up yet gets better by waiting; an unknown outcome must not be told twice.
                if error.type is not ErrorType.CONFLICT or self._clock.monotonic() >= gives_up:
                    log.warning(
                        "a phone call is not told what was found", extra={"pii.detail": error.detail or str(error)}
                    )
                    return
            await asyncio.sleep(_ONCE_MORE_S)
