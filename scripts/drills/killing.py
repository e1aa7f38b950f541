"""Have a server die in the middle of a call."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import aiohttp

from drills.callers import post
from drills.servers import Server
from drills.trial import LEASE_S

GIVE_UP_S = 20.0
_DIES_WITHIN_S = 10.0


async def until_killed(http: aiohttp.ClientSession, doomed: Server, body: dict[str, Any]) -> bool:
    """Deliver to a server until it is killed, or answers for good because it never comes to that step; end it.

    Not once only: where a machine is busy, the store may be too late for the first delivery to come that far.

    Returns:
        Whether it was killed where it was to be.
    """
    deadline = time.monotonic() + LEASE_S + GIVE_UP_S
    answer = await post(http, doomed.url, body)
    while answer.status and not answer.is_final and time.monotonic() < deadline:
        await asyncio.sleep(0.1)
        answer = await post(http, doomed.url, body)
    was_killed = not answer.status and await doomed.was_killed(_DIES_WITHIN_S)
    await doomed.close()
    return was_killed
