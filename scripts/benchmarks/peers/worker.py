"""What each peer is measured by: one look-up that yields to the loop once, and the same between json's two ends.

Runs in a peer's own environment, so it imports nothing but the standard library. Prints `{"peer": s, "bare": s}`, the
CPU seconds of one call each.
"""

import asyncio
import json
import logging
import os
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

NAME = "look_up"
ARGUMENTS = '{"customer_phone":"+4915112345678","date":"2026-01-01","limit":3}'
FOUND = {
    "appointments": [{"id": "apt_1", "start": "2026-05-04T09:30:00+02:00", "service": "Haircut", "staff": "Ana"}],
    "count": 1,
}
_BATCH_S = 0.2


async def look_up(customer_phone: str, date: str | None = None, limit: int = 5) -> dict[str, Any]:
    """Look up a customer's appointments.

    Args:
        customer_phone: The customer's phone number in E.164.
        date: Day to look at, YYYY-MM-DD.
        limit: Most appointments to return.
    """
    await asyncio.sleep(0)
    return FOUND


async def bare(arguments: str) -> str:
    """Do what a program without any library would."""
    return json.dumps(await look_up(**json.loads(arguments)))


def run(make: Callable[[], Awaitable[Callable[[str], Awaitable[Any]]]]) -> None:
    """Measure the call that `make` gives and print what was found."""
    logging.disable(logging.CRITICAL)
    asyncio.run(_run(make))
    # Some peers leave threads behind that would keep the process.
    sys.stdout.flush()
    os._exit(0)


async def _run(make: Callable[[], Awaitable[Callable[[str], Awaitable[Any]]]]) -> None:
    call = await make()
    answer = await call(ARGUMENTS)
    assert "apt_1" in str(answer), answer
    times = [await _calibrated(one) for one in (bare, call)]
    before, peer, after = [await _batch(*pair) for pair in ((bare, times[0]), (call, times[1]), (bare, times[0]))]
    print(json.dumps({"peer": peer, "bare": (before + after) / 2}))


async def _calibrated(call: Callable[[str], Awaitable[Any]]) -> int:
    times = 20
    while (each := await _batch(call, times)) * times < _BATCH_S / 4:
        times *= 4
    return max(20, round(_BATCH_S / each))


async def _batch(call: Callable[[str], Awaitable[Any]], times: int) -> float:
    began = time.process_time()
    for _ in range(times):
        await call(ARGUMENTS)
    return (time.process_time() - began) / times
