"""Who gets no texts of a business, as they say themselves: kept beside what `texts` asks before it sends anything."""

import logging
from datetime import datetime

from switchboard.contract.business.business import Business
from switchboard.contract.error import ToolError
from switchboard.contract.ports import BusinessPaths
from switchboard.contract.python.dataclass import dataclass
from switchboard.desk.limits.rate_limits import RateLimits, WindowRule
from switchboard.desk.messaging.sms import Texts

log = logging.getLogger(__name__)

_ANSWERS = (WindowRule("number", 3, 3_600), WindowRule("business", 100, 3_600))


@dataclass(frozen=True, slots=True)
class _CountedAnswer:
    """An answer to a text, as it is counted."""

    business: Business
    paths: BusinessPaths
    now: datetime


class OptOuts:
    """Keeps the list, and counts what is answered about it."""

    def __init__(self, texts: Texts, limits: RateLimits) -> None:
        """Keep it with `texts`, count with `limits`."""
        self._texts, self._limits = texts, limits

    async def stop(self, paths: BusinessPaths, number: str, source: str) -> None:
        """Text a number no more.

        Raises:
            StoreError: It could not be written down.
        """
        await self._texts.opt_out(paths, number, source)

    async def start(self, paths: BusinessPaths, number: str) -> None:
        """Text it again.

        Raises:
            StoreError: It could not be written down.
        """
        await self._texts.opt_in(paths, number)

    async def may_answer(self, business: Business, paths: BusinessPaths, number: str, now: datetime) -> bool:
        """Count an answer to a number; tell whether it is not one too many. Never raises."""
        try:
            spender = _CountedAnswer(business, paths, now)
            await self._limits.spend(spender, _ANSWERS, {"number": number, "business": ""}, what="answer")
        except ToolError as error:
            log.warning("a text is not answered", extra={"reason": error.type.value})
            return False
        return True
