"""Have servers die in the middle of calls, one trial beside another."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import aiohttp

from drills.callers import post
from drills.result import Check
from drills.servers import Server
from drills.trial import LEASE_S, Trial

GIVE_UP_S = 20.0
# What a trial may still take that began in the last moment.
LAST_ONE_S = 120.0
_DIES_WITHIN_S = 10.0
# Most of a trial is waiting for a lease; who asked all the time for its end would take the machine from the others.
_AT_ONCE = 6
PAUSE_S = 0.4


async def carried_out(
    trials: Sequence[Trial], carry_out: Callable[[Trial], Awaitable[None]], within_s: float
) -> tuple[list[Trial], Check]:
    """Carry trials out, some at once, and begin none when the time is over; those that have begun come to their end.

    One whose call ended before its server came to the step, because the store was too late for it, is tried once more.

    Returns:
        Those that were carried out, and the row that says whether all were.
    """
    waiting, done = list(reversed(trials)), []
    deadline = time.monotonic() + within_s

    async def one_after_another() -> None:
        while waiting and time.monotonic() < deadline:
            trial = waiting.pop()
            await carry_out(trial)
            if trial.killed or trial.is_second_try:
                done.append(trial)
            else:
                waiting.append(trial.once_more())

    await asyncio.gather(*(one_after_another() for _ in range(_AT_ONCE)))
    seen = f"{len(done)}; time was over" if waiting else f"{len(done)}"
    check = Check(f"trials carried out within {within_s:g} s", f"{len(trials)}", seen, not waiting)
    return sorted(done, key=lambda trial: trial.number), check


async def until_killed(http: aiohttp.ClientSession, doomed: Server, body: dict[str, Any]) -> bool:
    """Deliver to a server until it is killed, or answers for good because it never comes to that step; end it.

    Not once only: where a machine is busy, the store may be too late for the first delivery to come that far.

    Returns:
        Whether it was killed where it was to be.
    """
    deadline = time.monotonic() + LEASE_S + GIVE_UP_S
    answer = await post(http, doomed.url, body)
    while answer.status and not answer.is_final and time.monotonic() < deadline:
        await asyncio.sleep(PAUSE_S)
        answer = await post(http, doomed.url, body)
    was_killed = not answer.status and await doomed.was_killed(_DIES_WITHIN_S)
    await doomed.close()
    return was_killed
