"""What strangers get of a channel: messages, answers and sessions, counted before anything is done for them.

Nothing counts for a visitor who has been verified in the conversation. Who has is remembered here, so that what they do
costs no write: it is read beside what is counted, and taken back the one time that it turns out so.

Only who comes through a browser of their own is counted here. Services answer for whom they send, and a phone call is
held at the pace of speech.
"""

import asyncio
import logging
from collections.abc import Sequence

from cachetools import TTLCache

from switchboard.contract.caller.caller_identity import Standing, read_standing
from switchboard.contract.caller.strangers import is_stranger, tally_of, used_up
from switchboard.contract.context import Context
from switchboard.contract.error import ErrorType, Refused, log_fields
from switchboard.contract.policy import LOOKS_OF_A_VISIT, LOOKS_WINDOW_S, Thing
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import StoreError, Write, WriteResult
from switchboard.contract.window import Tally, span

log = logging.getLogger(__name__)

_WINDOWS_REMEMBERED, _BELIEVED_FULL_S = 10_000, 5.0
# A standing itself says for how long it holds.
_KNOWN_REMEMBERED, _KNOWN_S = 10_000, 300.0


@dataclass(frozen=True, slots=True)
class CountedShare:
    """What one occurrence counts in: `writes` go first into whatever commit is made for it, and `judge` decides."""

    shares: "StrangerShares"
    context: Context
    counted: tuple[tuple[Thing, Tally], ...]

    @property
    def writes(self) -> list[Write]:
        """What counts it."""
        return [write for _, tally in self.counted for write in tally.writes()]

    async def expected(self) -> None:
        """Return unless a window was full a moment ago, which then costs a look at who it is, and no writes.

        Raises:
            Refused: As `judge`.
        """
        for thing, tally in self.counted:
            full = next((window for window in tally.windows if window.path in self.shares.full), None)
            if full is not None and not await self.shares.is_known(self.context):
                raise used_up(thing, full, self.shares.clock.now())

    async def judge(self, results: Sequence[WriteResult]) -> None:
        """Return if it may be done; otherwise give it back, and say why not.

        Raises:
            Refused: RATE_LIMIT; `meta` holds `reason`, the scope, and `retryAfterS`.
        """
        at, refused = 0, None
        for thing, tally in self.counted:
            full = tally.refusing(results[at:])
            if full and refused is None:
                refused = used_up(thing, full[0], self.shares.clock.now())
            self.shares.full.update({w.path: True for w in full[:1] if tally.has_passed(w, results[at:])})
            at += len(tally.windows)
        if refused is None:
            return
        await self.give_back()
        if not await self.shares.is_known(self.context):
            raise refused

    async def give_back(self) -> None:
        """Undo what was counted for something that is not done. Never raises."""
        writes = [write for _, tally in self.counted for write in tally.writes(-1)]
        if writes:
            await self.shares.give_back(writes)


class Looks:
    """Bounds how often a page may ask what is new in its conversation: far more often than any page does by itself.

    Counted in this process alone: that many looks cost little, and the store is not written to for any.
    """

    def __init__(self, clock: Clock) -> None:
        self._had: TTLCache[tuple[str, str], list[int]] = TTLCache(
            _WINDOWS_REMEMBERED, LOOKS_WINDOW_S, timer=clock.monotonic
        )

    def spend(self, context: Context) -> None:
        """Count one look of a browser's; services, which look for many, are not counted.

        Raises:
            Refused: RATE_LIMIT; `meta` as of `CountedShare.judge`.
        """
        if not context.address:
            return
        had = self._had.setdefault((context.business_id, context.session_id), [0])
        had[0] += 1
        if had[0] > LOOKS_OF_A_VISIT:
            raise Refused(
                ErrorType.RATE_LIMIT,
                f"This conversation was looked at more often than any page does ({LOOKS_OF_A_VISIT} times in "
                f"{span(LOOKS_WINDOW_S)}). Wait a minute, and look again.",
                meta={"reason": "visit", "retryAfterS": LOOKS_WINDOW_S},
            )


class StrangerShares:
    """Counts what strangers use."""

    def __init__(self, store: Store, paths: Paths, clock: Clock) -> None:
        """Count in `store`."""
        self._store, self._paths, self.clock = store, paths, clock
        # Who goes on all the same costs a look at who they are, and no writes at a document that everybody counts in.
        self.full: TTLCache[str, bool] = TTLCache(_WINDOWS_REMEMBERED, _BELIEVED_FULL_S, timer=clock.monotonic)
        self._known: TTLCache[tuple[str, str], Standing] = TTLCache(_KNOWN_REMEMBERED, _KNOWN_S, timer=clock.monotonic)

    def of(self, context: Context, *things: Thing) -> CountedShare:
        """Return what one more of each of these counts in; nothing for who is no stranger's browser."""
        if not context.address or not is_stranger(context, None) or self._remembers(context):
            return CountedShare(self, context, ())
        within, now = self._paths.within(context.business_id), self.clock.now()
        return CountedShare(self, context, tuple((thing, tally_of(thing, context, within, now)) for thing in things))

    async def spend(self, context: Context, *things: Thing) -> None:
        """Count one more of each of these, or none and refuse.

        Raises:
            Refused: As `CountedShare.judge`.
            StoreError: It could not be counted.
        """
        share = self.of(context, *things)
        await share.expected()
        if not share.counted:
            return
        results, is_known = await asyncio.gather(self._store.commit(share.writes), self.is_known(context))
        if is_known:
            await share.give_back()
        else:
            await share.judge(results)

    def learn(self, context: Context, standing: Standing | None) -> None:
        """Take over what a conversation has established, as it was read just now."""
        key = (context.business_id, context.session_id)
        if standing is not None:
            self._known[key] = standing
        else:
            self._known.pop(key, None)

    def _remembers(self, context: Context) -> bool:
        standing = self._known.get((context.business_id, context.session_id))
        # At a business that asks for a code nothing less has been written there.
        return standing is not None and standing.counts(self.clock.now(), context, "match")

    async def is_known(self, context: Context) -> bool:
        """Tell whether somebody has shown in this conversation who they are; nobody has, where that cannot be read."""
        if not context.session_id:
            return False
        try:
            session = self._paths.within(context.business_id).document("sessions", context.session_id)
            self.learn(context, read_standing(await self._store.get(session)))
        except StoreError:
            return False
        return self._remembers(context)

    async def give_back(self, writes: Sequence[Write]) -> None:
        """Undo what was counted for something that is not done. Never raises."""
        try:
            await self._store.commit(writes)
        except StoreError as error:
            # It then counts as done: too few are allowed rather than too many.
            log.warning("a share was not given back", extra=log_fields(error))
