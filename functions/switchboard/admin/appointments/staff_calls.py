"""Tools called by people of the business at their desk, the way that callers' calls go: checked, once, on record.

Whoever sends the same again under one `Idempotency-Key` gets the first answer again. Without a key, the same wish of
the same person on the same day is still one appointment.
"""

import hashlib
import uuid
from collections.abc import Callable
from datetime import datetime

from switchboard.admin.access.access import Permit
from switchboard.contract.context import STAFF_SESSION, PortalContext, StaffMember
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock
from switchboard.contract.response import ToolResponse
from switchboard.pipeline.dispatcher import Dispatcher

_DIGITS = 24
_DAY_MS = 86_400_000


class StaffCalls:
    """Calls tools for people of the business."""

    def __init__(self, clock: Clock, dispatcher: Callable[[], Dispatcher]) -> None:
        """`dispatcher` is asked for what executes calls when there is one."""
        self._clock, self._dispatcher = clock, dispatcher

    async def call(
        self, permit: Permit, tool: str, arguments: JsonObject, *, seen: str = "", once: str = ""
    ) -> ToolResponse:
        """Call a tool and return its envelope, whatever happens.

        Args:
            permit: Who does it, and where.
            tool: Its name.
            arguments: As a model would write them.
            seen: The revision of the appointment that the wish is based on; empty for what is made anew.
            once: What is the same for every try of one wish; empty where nobody says.
        """
        identity, now = permit.identity, self._clock.now()
        staff = StaffMember(id=identity.id, name=identity.name, role=permit.role.value, seen=seen)
        facts = PortalContext(
            business_id=permit.business_id,
            session_id=_session_id(permit, once, now),
            turn=1 if once else int(now.timestamp() * 1000) % _DAY_MS + 1,
            call_id=f"{STAFF_SESSION}{_digest(once) if once else uuid.uuid4().hex}",
            # They are no stranger, and nobody's record either.
            caller_verified=True,
            is_trial=True,
            staff=staff,
        )
        return await self._dispatcher().execute_tool(tool, arguments, permit.business_id, facts)


def _session_id(permit: Permit, once: str, now: datetime) -> str:
    # Each wish that bears a key stands alone: what is left of a turn's limits by others is not about it.
    whole = f"key|{once}" if once else f"day|{now:%Y-%m-%d}"
    return f"{STAFF_SESSION}{_digest(f'{permit.business_id}|{permit.identity.id}|{whole}')}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_DIGITS]
