"""Bringing abandoned calls to an end, every few seconds while a process serves.

An instance that dies leaves rows behind whose lease runs out; whichever instance looks next takes them over. Together
with the lease this bounds how long a call can stay without an answer.
"""

import asyncio
import logging

from switchboard.contract.store import StoreError
from switchboard.pipeline.dispatch import Dispatcher

log = logging.getLogger(__name__)
REAP_EVERY_S = 10.0


async def reap(dispatcher: Dispatcher, every_s: float = REAP_EVERY_S) -> None:
    """Recover abandoned calls until cancelled."""
    while True:
        await asyncio.sleep(every_s)
        try:
            recovered = await dispatcher.recover()
        except StoreError as error:
            log.warning("abandoned calls not looked for", extra={"reason": str(error)})
            continue
        if recovered:
            log.warning("abandoned calls brought to an end", extra={"count": recovered})
