"""What the phone asks of the rest of the house at the door, as a Protocol; `main.py` joins it to the desk."""

from datetime import datetime
from typing import Protocol

from switchboard.contract.context import Context
from switchboard.contract.ports import BusinessPaths


class CallerDirectory(Protocol):
    """Knows callers."""

    def caller_number(self, text: str | None) -> str | None:
        """Return the caller's number in E.164 as the phone network signalled it, None where it did not."""

    async def turned_away(self, paths: BusinessPaths, facts: Context, now: datetime) -> bool:
        """Tell whether this caller gets no conversation: blocked for a while, or flagged. Never raises."""
