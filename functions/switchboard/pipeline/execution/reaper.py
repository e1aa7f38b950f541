"""Work behind the calls, every few seconds while a process serves: what dead instances left is brought to its end.

An instance that dies leaves rows behind whose lease runs out; the instance that leads (`pass_lead.py`) takes them
over. Together with the lease this bounds how long a call can stay without an answer. Where instances are stopped
between requests, a scheduler asks for the same passes (`POST /tasks/<name>`).
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TypeAlias

from switchboard.contract.error import ToolError
from switchboard.contract.store import StoreError
from switchboard.pipeline.boundary import guarded
from switchboard.pipeline.execution.pass_lead import PassLead

log = logging.getLogger(__name__)
REAP_EVERY_S = 10.0

Pass: TypeAlias = Callable[[str | None], Awaitable[Mapping[str, int]]]
"""One pass of some work, for a business or, given None, for all of them; returns how much was done, by what it was."""


def passes(
    recover: Callable[[str | None], Awaitable[int]],
    carry_out_queued: Callable[[str | None], Awaitable[int]],
    bookings: Callable[[], Awaitable[int]],
    outbox: Callable[[], Awaitable[int]],
) -> Mapping[str, Pass]:
    """Return the passes by name: calls abandoned or waiting, bookings that are unfinished, messages that are unsent.

    The last two are looked for over all businesses at once, whoever asks.
    """

    async def calls(business_id: str | None) -> Mapping[str, int]:
        return {"recovered": await recover(business_id)}

    async def unfinished(business_id: str | None) -> Mapping[str, int]:
        return {"finished": await bookings()}

    async def unsent(business_id: str | None) -> Mapping[str, int]:
        return {"attended": await outbox()}

    async def queued(business_id: str | None) -> Mapping[str, int]:
        return {"carriedOut": await carry_out_queued(business_id)}

    return {"reap": calls, "queued": queued, "bookings": unfinished, "outbox": unsent}


async def reap(
    passes: Mapping[str, Pass],
    every_s: float = REAP_EVERY_S,
    lead: PassLead | None = None,
    on_lost: Callable[[], object] = lambda: None,
) -> None:
    """Make every pass, again and again, until cancelled; one that fails, however it does, ends none of the others.

    Args:
        passes: By name.
        every_s: How long a round is, in seconds.
        lead: Of several instances only the one that has it makes them; without, this one always does.
        on_lost: Called when it has it no longer.
    """
    while True:
        await asyncio.sleep(lead.wait_s() if lead else every_s)
        if lead:
            held = lead.is_held
            if not await lead.look():
                if held:
                    on_lost()
                continue
        for name, work in passes.items():
            counts = await guarded(_made(name, work), partial(_broken_down, name), acting=False)
            if any(counts.values()):
                log.info("background work done", extra={"task": name, "counts": dict(counts)})


async def _made(name: str, work: Pass) -> Mapping[str, int]:
    try:
        return await work(None)
    except StoreError as error:
        log.warning(
            "background work not done",
            extra={"task": name, "reason": type(error).__name__, "pii.detail": str(error)},
        )
        return {}


def _broken_down(name: str, error: ToolError) -> Mapping[str, int]:
    log.error("background work not done", extra={"task": name, "reason": error.type.value, "pii.detail": error.detail})
    return {}
