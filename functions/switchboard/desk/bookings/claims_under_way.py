"""Claims that this process is making at this moment: who comes later takes what they leave, or waits for their end.

Ninety-nine commits that must fail would cost the store more than the one that succeeds.
"""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from switchboard.desk.bookings.booking import Booking


class ClaimsUnderWay:
    """The drafts whose commits have not been answered yet, by business."""

    def __init__(self) -> None:
        """Start with none."""
        self._claims: dict[str, dict[asyncio.Future[None], Booking]] = {}

    def beside(self, business: str, draft: Booking) -> tuple[Booking, ...]:
        """Return those that overlap a draft in time, buffers included."""
        under_way = self._claims.get(business, {}).values()
        return tuple(rival for rival in under_way if rival.overlaps(draft.claims))

    async def one_ended(self, business: str, rivals: Sequence[Booking]) -> None:
        """Wait until one of some claims has ended."""
        ids = {rival.id for rival in rivals}
        ends = [end for end, draft in self._claims.get(business, {}).items() if draft.id in ids]
        if ends:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)

    @contextmanager
    def making(self, business: str, draft: Booking) -> Iterator[None]:
        """Let others know of a claim while it is made."""
        mine = asyncio.get_running_loop().create_future()
        self._claims.setdefault(business, {})[mine] = draft
        try:
            yield
        finally:
            own = self._claims[business]
            del own[mine]
            if not own:
                del self._claims[business]
            mine.set_result(None)
