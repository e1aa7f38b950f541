"""An outside calendar refuses, fails, hangs and is taken away: what callers hear is true, and nothing is left over."""

from __future__ import annotations

import asyncio
import logging
import uuid

from drills.calendar_faults import drill_faults
from drills.calendar_revoked import drill_revoked
from drills.drilled_calendars import CALENDARS
from drills.emulators import any_emulator
from drills.result import Effort, Result, within
from drills.servers import servers
from running.emulator import clear

_LIMIT_S = 900.0


def drill(effort: Effort) -> Result:
    """Return the table.

    Raises:
        Skipped: There is no emulator.
    """
    # A caller who has given up on a slow calendar is no news.
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL + 1)
    project = f"demo-drill-{uuid.uuid4().hex[:8]}"
    with any_emulator() as host, servers() as source:
        used: list[str] = []

        def fresh_project() -> str:
            used.append(f"{project}-{len(used)}")
            return used[-1]

        async def both() -> Result:
            revoked = await drill_revoked(effort, source, host, fresh_project)
            faults = await drill_faults(effort, source, host, fresh_project)
            return Result(
                f"calendar: {revoked.title}; {faults.title}",
                f"≤ {CALENDARS[effort.calendar].most_calls} calls, 1 mark; honest, 0 orphans",
                f"{revoked.seen}; {faults.seen}",
                (*revoked.checks, *faults.checks),
                (*revoked.notes, *faults.notes),
            )

        try:
            return asyncio.run(within(_LIMIT_S, both()))
        finally:
            for name in used:
                clear(host, name)
