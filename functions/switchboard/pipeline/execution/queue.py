"""Calls that are answered "accepted" and carried out afterwards.

The ledger is the queue: the call's own document, settled as `queued` before the model hears anything, is what a pass
over the store finds. A task queue only makes that sooner. So a call that was accepted is carried out although the
process dies, the task queue does not answer, or its task arrives twice.
"""

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final

from switchboard.contract.context import Context
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import TaskQueue
from switchboard.contract.store import StoreError

log = logging.getLogger(__name__)

QUEUED_CALL_S: Final = 20.0
"""How long a call may take that nobody waits for; shorter than the lease of whoever carries it out."""


class InProcessQueue:
    """A task queue in this process: the work begins as soon as the event loop turns to it."""

    def __init__(self, work: Callable[[str], Awaitable[Any]]) -> None:
        """Begin `work` with the business that a task is about."""
        self._work = work
        self._running: dict[str, asyncio.Task[None]] = {}

    async def enqueue(self, name: str, payload: JsonObject) -> None:
        """Begin the work, unless the same is under way."""
        if name not in self._running:
            task = self._running[name] = asyncio.create_task(self._run(str(payload["businessId"])))
            task.add_done_callback(lambda _: self._running.pop(name, None))

    async def _run(self, business_id: str) -> None:
        try:
            await self._work(business_id)
        except StoreError as error:
            # The next pass finds the calls where they stand.
            log.warning(
                "queued calls not carried out", extra={"reason": type(error).__name__, "pii.detail": str(error)}
            )


async def announce(queue: TaskQueue, facts: Context) -> None:
    """Ask for a queued call to be carried out; if nobody hears it, the next pass over the store finds the call."""
    identity = "|".join((facts.business_id, facts.session_id, facts.call_id))
    # The same call always has the same name, so that a queue can tell that it knows it already.
    name = f"call-{hashlib.sha256(identity.encode()).hexdigest()[:40]}"
    try:
        await queue.enqueue(name, {"businessId": facts.business_id})
    except ToolError as error:
        log.warning("task queue not reached", extra={"pii.detail": error.detail or error.message})


def not_accepted(tool: str, detail: str) -> ToolError:
    """Return what is answered when nobody can tell whether a call was queued."""
    return ToolError(
        ErrorType.TRANSIENT,
        f"It is not known whether {tool} was accepted. Do not say that it is being done.",
        retryable=False,
        partial_side_effects=True,
        detail=detail,
    )
