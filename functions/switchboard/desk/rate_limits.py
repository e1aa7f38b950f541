"""How often something costly may happen: so many times in a window, per number, range of numbers and business.

A window is one document of `tickets`, counted up by one write before the thing is done; the value that comes back
decides (reference reliability, "Rate limits"). Of any number of requests at once no more than allowed go through. What
was refused is given back, so that one number's flood does not use up what the business may send to others.
"""

import hashlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from cachetools import TTLCache

from switchboard.contract.business import Business
from switchboard.contract.error import ErrorType, Refused, ToolError
from switchboard.contract.ports import BusinessPaths, Clock, Store
from switchboard.contract.store import AlreadyExists, Increment, Set, Stale, StoreError, Write

log = logging.getLogger(__name__)

# A window that has just refused is taken to be full for so long, without asking the store: a flood costs it little.
_BELIEVED_FULL_S = 5.0
_WINDOWS_REMEMBERED = 10_000
_KEPT_AFTER = timedelta(hours=1)
_MOST = 100_000
TEXTS_PER_HOUR = 30
TEXTS_PER_DAY = 200


class Spender(Protocol):
    """Who spends: a call's context, or whoever drains the outbox for a business."""

    @property
    def business(self) -> Business:
        """Whose limits they are."""

    @property
    def paths(self) -> BusinessPaths:
        """Where they are counted."""

    @property
    def now(self) -> datetime:
        """When it is spent (aware, UTC)."""


@dataclass(frozen=True, slots=True)
class Rule:
    """At most `limit` times per `window_s` seconds of the clock, for each key of a scope.

    Attributes:
        scope: What is counted, such as `number`; names the key.
        limit: How many; 0 allows none.
        window_s: Length of a window; windows begin at multiples of it.
    """

    scope: str
    limit: int
    window_s: int


@dataclass(frozen=True, slots=True)
class Claim:
    """What says that the thing is being done, and what takes that back where it is refused."""

    write: Write
    undo: Write


def text_rules(business: Business, *, to_owner: bool = False) -> tuple[Rule, ...]:
    """Return the limits on a business's text messages (reference reliability §2, row 21).

    Args:
        business: `integrations.twilio.textsPerHour` and `.textsPerDay` are its own choice.
        to_owner: A message to the business itself: the number is its own, and may get more.
    """
    connection = business.integrations.get("twilio")
    settings = connection.settings if connection else {}
    per_hour = _count(settings.get("textsPerHour"), TEXTS_PER_HOUR)
    per_day = _count(settings.get("textsPerDay"), TEXTS_PER_DAY)
    whole = (Rule("business", per_hour, 3_600), Rule("business", per_day, 86_400))
    if to_owner:
        return (Rule("number", per_hour, 3_600), *whole)
    number = (Rule("number", 3, 600), Rule("number", 5, 3_600), Rule("number", 10, 86_400))
    # Pumping goes through whole ranges of numbers that somebody earns from.
    return (*number, Rule("prefix", 10, 3_600), *whole)


def text_keys(number: str) -> dict[str, str]:
    """Return what a text to a number counts for."""
    return {"number": number, "prefix": number[:-4], "business": ""}


class RateLimits:
    """Counts, and refuses what would be too many."""

    def __init__(self, store: Store, clock: Clock) -> None:
        """Count in `store`; `clock` ages what is remembered between requests."""
        self._store = store
        self._full: TTLCache[str, bool] = TTLCache(_WINDOWS_REMEMBERED, _BELIEVED_FULL_S, timer=clock.monotonic)

    async def spend(
        self,
        ctx: Spender,
        rules: Sequence[Rule],
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
        windows = [_Window.of(ctx, rule, keys[rule.scope], what) for rule in rules]
        full = next((w for w in windows if w.path in self._full or not w.rule.limit), None)
        if full is not None:
            raise _refusal(ctx, full.rule, what)
        writes = [window.counting(1) for window in windows]
        try:
            results = await self._store.commit([*writes, claim.write] if claim else writes)
        except (AlreadyExists, Stale):
            raise
        except StoreError as error:
            raise ToolError(
                ErrorType.TRANSIENT,
                f"The {what} was not sent, because it cannot be counted right now. Try once more, or offer "
                "another way.",
                detail=repr(error),
            ) from error
        over = [w for w, result in zip(windows, results, strict=False) if result.increments["count"] > w.rule.limit]
        if over:
            # The narrowest scope is to blame: a flood to one number lifts the wider counts only until it is given back.
            blamed = [window for window in over if window.rule.scope == over[0].rule.scope]
            self._full.update({window.path: True for window in blamed})
            writes = [window.counting(-1) for window in windows]
            await self._give_back([*writes, claim.undo] if claim else writes)
            raise _refusal(ctx, max((w.rule for w in blamed), key=lambda rule: rule.window_s), what)

    async def _give_back(self, writes: Sequence[Write]) -> None:
        try:
            await self._store.commit(writes)
        except StoreError as error:
            # It then counts as done: too few are allowed rather than too many.
            log.warning(
                "refused spending not given back", extra={"reason": type(error).__name__, "pii.detail": str(error)}
            )


@dataclass(frozen=True, slots=True)
class _Window:
    """One rule's current window for one key."""

    rule: Rule
    path: str
    ends: datetime

    @classmethod
    def of(cls, ctx: Spender, rule: Rule, key: str, what: str) -> "_Window":
        number = int(ctx.now.timestamp()) // rule.window_s
        name = f"{what}|{rule.scope}|{key}|{rule.window_s}|{number}"
        # By its hash: a phone number as a document's name would end up in logs and backups.
        digest = hashlib.sha256(name.encode()).hexdigest()[:32]
        ends = ctx.now + timedelta(seconds=_left_s(ctx, rule))
        return cls(rule, ctx.paths.document("tickets", f"{what}:{digest}"), ends)

    def counting(self, by: int) -> Write:
        return Set(self.path, {"count": Increment(by), "expireAt": self.ends + _KEPT_AFTER}, merge=True)


def _left_s(ctx: Spender, rule: Rule) -> int:
    return rule.window_s - int(ctx.now.timestamp()) % rule.window_s


_WORDS = {
    "number": "This number has had as many {what} messages as it may get for now ({limit} in {window}).",
    "prefix": "Numbers like this one have had as many {what} messages as they may get for now ({limit} in {window}).",
    "business": "{business} has sent as many {what} messages as it may for now ({limit} in {window}).",
}
_SPANS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def _refusal(ctx: Spender, rule: Rule, what: str) -> Refused:
    words = _WORDS.get(rule.scope, "That is as many {what} messages as are allowed for now ({limit} in {window}).")
    said = words.format(what=what, limit=rule.limit, window=_span(rule.window_s), business=ctx.business.name)
    # Refused rather than failed: our own no must not open the circuit of an integration that works.
    return Refused(
        ErrorType.RATE_LIMIT,
        f"{said} Nothing was sent. Do not try again in this conversation: say what it would have told, or offer to "
        "take a message.",
        meta={"reason": rule.scope, "retryAfterS": _left_s(ctx, rule)},
    )


def _span(seconds: int) -> str:
    length, word = next((span for span in _SPANS if seconds % span[0] == 0), (1, "second"))
    count = seconds // length
    return f"1 {word}" if count == 1 else f"{count} {word}s"


def _count(value: object, default: int) -> int:
    is_number = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST
    return int(value) if is_number and isinstance(value, int) else default
