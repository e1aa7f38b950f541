"""To whom something belongs that may come twice: to whoever answers it, as long as they say so again and again.

An instance that dies says nothing any more, and whoever has the same delivery next answers it instead, soon. One that
stood still for a while, with its machine or for want of a processor, finds out before it says, does or writes anything
more whether that has happened.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final

from switchboard.contract.error import log_fields
from switchboard.contract.ports import Clock
from switchboard.contract.store import StoreError

log = logging.getLogger(__name__)

LEASE_S: Final = 10.0
"""So many seconds after it was said last that somebody is at something, they are taken for dead."""
# What ends before costs no write.
RENEWED_AFTER_S = 5.0
# The clocks of two instances differ, and a write takes its time.
_MARGIN_S = 2.0
# Whoever cannot ask goes on, since nobody else can take anything either, and asks again then.
_UNKNOWN_S = 1.0
# Longer than any turn: what nobody ends, out of an error, is not held for ever.
_MOST_RENEWALS = 40


class TurnLease:
    """That something is answered here.

    Attributes:
        is_lost: Whether somebody else has taken it by now.
    """

    def __init__(self, clock: Clock, renew: Callable[[bool], Awaitable[bool]], lease_s: float = LEASE_S) -> None:
        """Hold it from now on.

        Args:
            clock: Tells the time.
            renew: Writes down that it is held, and tells whether it still is; where it is told that this is late, it
                looks first, and writes nothing where others have it.
            lease_s: How long others take it for held.
        """
        self._clock, self._renew, self._sure_s = clock, renew, lease_s - _MARGIN_S
        self.is_lost, self._is_over = False, False
        self._asking, self._renewals = asyncio.Lock(), 0
        self._since = clock.monotonic(), clock.now()
        self._timer = asyncio.get_running_loop().call_later(RENEWED_AFTER_S, self._begin_renewal)
        self._renewal: asyncio.Task[None] | None = None

    @property
    def is_sure(self) -> bool:
        """Whether it is certainly held, or over, without asking anybody."""
        if self.is_lost or self._is_over:
            return not self.is_lost
        # The one stands still while a machine is suspended, and the other may be set.
        ticked, passed = self._clock.monotonic() - self._since[0], self._clock.now() - self._since[1]
        return ticked < self._sure_s and passed < timedelta(seconds=self._sure_s)

    async def holds(self) -> bool:
        """Tell whether it is held, as far as anybody can tell. Never raises."""
        if self.is_sure or self.is_lost:
            return not self.is_lost
        async with self._asking:
            return (self.is_sure or await self._renewed()) and not self.is_lost

    async def end(self) -> None:
        """Hold it no longer: it has its answer, or will have none. Returns when nothing is being written about it."""
        self._is_over = True
        self._timer.cancel()
        async with self._asking:
            return

    def _begin_renewal(self) -> None:
        self._renewal = asyncio.create_task(self._keep())

    async def _keep(self) -> None:
        async with self._asking:
            self._renewals += 1
            if self._is_over or not await self._renewed() or self._renewals >= _MOST_RENEWALS:
                return
        if not self._is_over:
            self._timer = asyncio.get_running_loop().call_later(RENEWED_AFTER_S, self._begin_renewal)

    async def _renewed(self) -> bool:
        # From before it is written: others count from what is written.
        asked = self._clock.monotonic(), self._clock.now()
        try:
            is_held = await self._renew(not self.is_sure)
        except StoreError as error:
            log.warning("it is not known whether a turn is answered elsewhere", extra=log_fields(error))
            back = self._sure_s - _UNKNOWN_S
            if not self.is_sure:
                self._since = asked[0] - back, asked[1] - timedelta(seconds=back)
            return True
        if not is_held:
            self.is_lost = True
            log.warning("a turn was taken over while this instance stood still")
            return False
        self._since = asked
        return True
