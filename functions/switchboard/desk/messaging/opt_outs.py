"""Who gets no texts of a business, as they say themselves: kept beside what `texts` asks before it sends anything."""

import logging
from datetime import datetime

from switchboard.contract.business.business import Business
from switchboard.contract.business.own_addresses import calls_itself
from switchboard.contract.caller.stop_wishes import CALLERS_STOP
from switchboard.contract.context import Context
from switchboard.contract.error import ToolError, log_fields
from switchboard.contract.ports import BusinessPaths, Paths
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import StoreError
from switchboard.desk.contact.phone import caller_number
from switchboard.desk.limits.rate_limits import RateLimits, WindowRule
from switchboard.desk.messaging.sms import Texts, stop_path

log = logging.getLogger(__name__)

# To whom nothing is answered but how to end texts: once is enough.
_EXPLANATIONS = (WindowRule("number", 1, 3_600), WindowRule("business", 100, 3_600))
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
        return await self._counted(_CountedAnswer(business, paths, now), number, _ANSWERS, "answer")

    async def may_explain(self, business: Business, paths: BusinessPaths, number: str, now: datetime) -> bool:
        """Count an answer to what nobody reads; False where it is one too many, or it gets no texts. Never raises."""
        try:
            if await self._limits.store.get(stop_path(paths, number)) is not None:
                return False
        except StoreError as error:
            log.warning("a text is not answered", extra=log_fields(error))
            return False
        return await self._counted(_CountedAnswer(business, paths, now), number, _EXPLANATIONS, "explanation")

    async def _counted(self, spender: _CountedAnswer, number: str, rules: tuple[WindowRule, ...], what: str) -> bool:
        try:
            await self._limits.spend(spender, rules, {"number": number, "business": ""}, what=what)
        except ToolError as error:
            log.warning("a text is not answered", extra={"reason": error.type.value})
            return False
        return True


class SpokenStops:
    """Keeps what somebody says in a conversation as it keeps their STOP by text."""

    def __init__(self, texts: Texts, paths: Paths) -> None:
        """Keep it with `texts`."""
        self._texts, self._paths = texts, paths

    async def stop(self, facts: Context, business: Business | None) -> bool:
        """Text the number that a conversation shows no more; False where it shows none, or it was not written down.

        A number need not be proven for that: a text that nobody gets is cheap, and START brings them back. The
        business's own is never stopped, and what is tried out stops nothing.
        """
        number = caller_number(facts.caller_phone)
        if number is None or business is None or facts.is_trial or calls_itself(business, number):
            return False
        try:
            await self._texts.opt_out(self._paths.within(facts.business_id), number, CALLERS_STOP)
        except StoreError as error:
            log.error("a wish about texts is not kept", extra=log_fields(error))
            return False
        log.info("a wish about texts", extra={"business": facts.business_id, "wish": "STOP"})
        return True
