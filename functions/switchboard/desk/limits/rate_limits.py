"""How often something costly may happen: so many times in a window, per number, range of numbers and business.

A window is one document of `tickets`, counted up by one write before the thing is done; the value that comes back
decides. Of any number of requests at once no more than allowed go through. What
was refused is given back, so that one number's flood does not use up what the business may send to others.
"""

import logging
import math
from collections.abc import Mapping, Sequence

from cachetools import TTLCache

from switchboard.contract.business.business import Business
from switchboard.contract.caller.caller_identity import read_standing
from switchboard.contract.caller.strangers import is_stranger, tally_of, used_up
from switchboard.contract.context import CallContext, Spender
from switchboard.contract.error import ErrorType, Refused, ToolError
from switchboard.contract.policy import (
    STRANGERS_PART_OF_TEXTS,
    TEXTS_ON_FILE_PER_DAY,
    TEXTS_ON_FILE_PER_HOUR,
    Thing,
)
from switchboard.contract.ports import Clock, Store
from switchboard.contract.store import AlreadyExists, Document, Stale, StoreError, Write, WriteResult
from switchboard.contract.telephony import TELL_INSTEAD
from switchboard.contract.window import Tally, Window, WindowRule, left_s, span
from switchboard.desk.limits.claim import Claim

__all__ = ["RateLimits", "Spender", "WindowRule", "is_unproven", "shows_who", "text_keys", "text_rules"]

log = logging.getLogger(__name__)

# A window that has just refused is taken to be full for so long, without asking the store: a flood costs it little.
_BELIEVED_FULL_S = 5.0
_WINDOWS_REMEMBERED = 10_000
_MOST = 100_000
TEXTS_PER_HOUR = 30
TEXTS_PER_DAY = 200
# To ten thousand numbers that differ in their last four digits.
TEXTS_PER_RANGE = 10


def text_rules(
    business: Business, *, to_owner: bool = False, by_stranger: bool = False, on_file: bool = False
) -> tuple[WindowRule, ...]:
    """Return the limits on a business's text messages.

    Args:
        business: `integrations.twilio.textsPerHour` and `.textsPerDay` are its own choice.
        to_owner: A message to the business itself: the number is its own, and may get more.
        by_stranger: Nobody has shown who they are: such texts have a part of the business's, and leave the rest alone.
        on_file: A code or a confirmation to a number on file, which has a budget that no other text counts in.
    """
    connection = business.integrations.get("twilio")
    settings = connection.settings if connection else {}
    per_hour = _count(settings.get("textsPerHour"), TEXTS_PER_HOUR)
    per_day = _count(settings.get("textsPerDay"), TEXTS_PER_DAY)
    whole: tuple[WindowRule, ...] = (WindowRule("business", per_hour, 3_600), WindowRule("business", per_day, 86_400))
    per_range = TEXTS_PER_RANGE
    if on_file:
        # A business that allows no texts at all sends none. How many go to one number is for whoever has it sent.
        hour, day = (TEXTS_ON_FILE_PER_HOUR, TEXTS_ON_FILE_PER_DAY) if per_hour and per_day else (0, 0)
        return (WindowRule("business", hour, 3_600), WindowRule("business", day, 86_400))
    if by_stranger:
        hour, day = (math.ceil(most * STRANGERS_PART_OF_TEXTS) for most in (per_hour, per_day))
        per_range = math.ceil(TEXTS_PER_RANGE * STRANGERS_PART_OF_TEXTS)
        whole = (WindowRule("strangers", hour, 3_600), WindowRule("strangers", day, 86_400), *whole)
    if to_owner:
        return (WindowRule("number", per_hour, 3_600), *whole)
    number = (WindowRule("number", 3, 600), WindowRule("number", 5, 3_600), WindowRule("number", 10, 86_400))
    # Pumping goes through whole ranges of numbers that somebody earns from.
    return (*number, WindowRule("prefix", per_range, 3_600), *whole)


def text_keys(number: str, *, by_stranger: bool = False) -> dict[str, str]:
    """Return what a text to a number counts for.

    What strangers have sent to a number or its range is counted apart, so that it takes nothing from those who are
    known there: anybody can have any number shown.
    """
    whose = "strangers'|" if by_stranger else ""
    return {"number": whose + number, "prefix": whose + number[:-4], "business": "", "strangers": ""}


async def is_unproven(store: Store, ctx: CallContext) -> bool:
    """Tell whether nothing shows who is calling: neither the channel nor what their conversation has established.

    Raises:
        StoreError: It cannot be read.
    """
    if not is_stranger(ctx.facts, ctx.business):
        return False
    return not shows_who(await store.get(ctx.paths.document("sessions", ctx.facts.session_id)), ctx)


def shows_who(session: Document | None, ctx: CallContext) -> bool:
    """Tell whether a session's document shows who is calling, as far as the business asks for it."""
    standing = read_standing(session)
    return standing is not None and standing.counts(ctx.now, ctx.facts, ctx.business.caller_verification)


class RateLimits:
    """Counts, and refuses what would be too many."""

    def __init__(self, store: Store, clock: Clock) -> None:
        """Count in `store`; `clock` ages what is remembered between requests."""
        self.store = store
        self._full: TTLCache[str, bool] = TTLCache(_WINDOWS_REMEMBERED, _BELIEVED_FULL_S, timer=clock.monotonic)

    async def spend(
        self,
        ctx: Spender,
        rules: Sequence[WindowRule],
        keys: Mapping[str, str],
        what: str = "text",
        claim: Claim | None = None,
    ) -> None:
        """Count one for every rule, or count none and refuse.

        Args:
            ctx: Whose limits, and when.
            rules: All must allow it; the narrowest scope stands first.
            keys: By scope, whom or what it is counted for; only its hash is stored.
            what: Keeps counts of different things apart, and names the thing in the refusal.
            claim: Written in the same commit, so that the same thing counts once, whoever else is about to do it.

        Raises:
            Refused: RATE_LIMIT; `meta` holds `reason`, the scope, and `retryAfterS`.
            AlreadyExists, Stale: The claim was not first; nothing was counted.
            ToolError: TRANSIENT; it could not be counted and must not be done.
        """
        tally = Tally.of(ctx.paths, ctx.now, rules, keys, what)
        full = next((w for w in tally.windows if w.path in self._full or not w.rule.limit), None)
        if full is not None:
            raise _refusal(ctx, full.rule, what)
        try:
            refusing = await self._counted(tally, claim)
        except (AlreadyExists, Stale):
            raise
        except StoreError as error:
            raise ToolError(
                ErrorType.TRANSIENT,
                f"The {what} was not sent, because it cannot be counted right now. Try once more.",
                detail=repr(error),
            ) from error
        if refusing:
            # The narrowest scope is to blame: a flood to one number lifts the wider counts only until it is given back.
            blamed = [window.rule for window in refusing if window.rule.scope == refusing[0].rule.scope]
            raise _refusal(ctx, max(blamed, key=lambda rule: rule.window_s), what)

    async def spend_as_stranger(self, ctx: CallContext, thing: Thing, claim: Claim | None = None) -> bool:
        """Count one of what strangers have only so much of, or count none and refuse; tell whether it was counted.

        Others are not counted: neither those whom the channel vouches for, nor who was verified in the conversation.

        Args:
            ctx: Who wants it.
            thing: What it is; `policy.STRANGERS` says how much there is of it.
            claim: As in `spend`; for whoever is not counted, it is written alone.

        Raises:
            Refused: RATE_LIMIT; `meta` as in `spend`.
            StoreError: As the commit failed; with a claim, `AlreadyExists` and `Stale` say that it was not first.
        """
        tally = tally_of(thing, ctx.facts, ctx.paths, ctx.now)
        if not tally.windows or not await is_unproven(self.store, ctx):
            if claim is not None:
                await self.store.commit(claim.writes)
            return False
        # What is claimed may have been done before, which only the store knows.
        full = next((w for w in tally.windows if w.path in self._full and claim is None), None)
        refusing = [full] if full is not None else await self._counted(tally, claim)
        if refusing:
            raise used_up(thing, refusing[0], ctx.now)
        return True

    async def give_back(self, ctx: CallContext, thing: Thing) -> None:
        """Take back what was counted for something that certainly was not done. Never raises."""
        await self._give_back(tally_of(thing, ctx.facts, ctx.paths, ctx.now).writes(-1))

    async def _counted(self, tally: Tally, claim: Claim | None) -> list[Window]:
        """Count, and return the windows that were full; then nothing is counted and nothing claimed."""
        writes = tally.writes()
        results = await self.store.commit([*writes, *claim.writes] if claim else writes)
        refusing = tally.refusing(results)
        if refusing:
            scope = refusing[0].rule.scope
            self._full.update(
                {w.path: True for w in refusing if w.rule.scope == scope and tally.has_passed(w, results)}
            )
            await self._give_back(tally.writes(-1), claim, results[len(writes) :])
        return refusing

    async def _give_back(
        self, counts: list[Write], claim: Claim | None = None, results: Sequence[WriteResult] = ()
    ) -> None:
        try:
            if claim is None:
                await self.store.commit(counts)
            else:
                await claim.take_back(self.store, list(results), counts)
        except StoreError as error:
            # It then counts as done: too few are allowed rather than too many.
            log.warning(
                "refused spending not given back", extra={"reason": type(error).__name__, "pii.detail": str(error)}
            )


_WORDS = {
    "number": "This number has had as many {what} messages as it may get for now ({limit} in {window}).",
    "prefix": "Numbers like this one have had as many {what} messages as they may get for now ({limit} in {window}).",
    "business": "{business} has sent as many {what} messages as it may for now ({limit} in {window}).",
    "strangers": "As many {what} messages were sent for callers who are not verified as all of them together may have "
    "({limit} in {window}); a verified caller may still have one.",
}


def _refusal(ctx: Spender, rule: WindowRule, what: str) -> Refused:
    words = _WORDS.get(rule.scope, "That is as many {what} messages as are allowed for now ({limit} in {window}).")
    message = words.format(what=what, limit=rule.limit, window=span(rule.window_s), business=ctx.business.name)
    # Refused rather than failed: our own no must not open the circuit of an integration that works.
    return Refused(
        ErrorType.RATE_LIMIT,
        f"{message} Nothing was sent. Do not try again in this conversation. {TELL_INSTEAD}",
        meta={"reason": rule.scope, "retryAfterS": left_s(ctx.now, rule)},
    )


def _count(value: object, default: int) -> int:
    is_number = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST
    return int(value) if is_number and isinstance(value, int) else default
