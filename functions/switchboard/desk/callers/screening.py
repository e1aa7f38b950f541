"""Who is at the door: what a channel has to know of a caller before it lets them talk to anybody."""

import asyncio
import logging
from datetime import datetime

from switchboard.contract.context import Context
from switchboard.contract.ports import BusinessPaths
from switchboard.contract.store import StoreError
from switchboard.desk.callers.moderation import Moderation
from switchboard.desk.contact.phone import caller_number

log = logging.getLogger(__name__)


class CallerScreening:
    """Knows callers."""

    def __init__(self, moderation: Moderation) -> None:
        """Ask `moderation` who is blocked and flagged."""
        self._moderation = moderation

    def caller_number(self, text: str | None) -> str | None:
        """Return the caller's number in E.164 as the phone network signalled it, None where it did not."""
        return caller_number(text)

    async def turned_away(self, paths: BusinessPaths, facts: Context, now: datetime) -> bool:
        """Tell whether this caller gets no conversation: blocked for a while, or flagged. Never raises.

        Without the store everybody is served: a rude caller too many is better than a business that is silent.
        """
        blocked, flagged = await asyncio.gather(
            self._moderation.is_ignored(paths, facts, now), self._is_flagged(paths, facts)
        )
        return blocked or flagged

    async def _is_flagged(self, paths: BusinessPaths, facts: Context) -> bool:
        try:
            return await self._moderation.is_flagged(paths, facts)
        except StoreError as error:
            log.warning("flags cannot be read", extra={"reason": type(error).__name__})
            return False
