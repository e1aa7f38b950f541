"""Apps in memory: what was run, and how they fail when told to."""

import asyncio
from collections.abc import Callable
from typing import Any

from switchboard.contract.business.business import Business
from switchboard.contract.definitions.tenant_tool import BoundAction
from switchboard.contract.error import ToolError

ROW = BoundAction("google_sheets", "apn_1", "google_sheets-add-single-row", {"name": "Tom"})


class MemoryActions:
    """The port `ActionRunner`, in memory."""

    def __init__(self) -> None:
        self.runs: list[tuple[str, BoundAction]] = []
        self.failures: list[ToolError] = []
        self.before_run: Callable[[], Any] | None = None
        self.answer: dict[str, Any] = {"summary": "Added 1 row", "result": {"rows": [["Tom"], ["Anna"]]}}

    async def run(self, business: Business, action: BoundAction) -> dict[str, Any]:
        self.runs.append((business.id, action))
        await asyncio.sleep(0)
        if self.before_run is not None:
            await self.before_run()
        if self.failures:
            raise self.failures.pop(0)
        return self.answer
