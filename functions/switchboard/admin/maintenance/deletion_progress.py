"""How far a deletion has come, told to whoever waits for it while it goes on."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import field

from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.store import Document

_TOLD_EVERY = 1_000


async def _untold(progress: "DeletionProgress") -> None:
    return None


@dataclass(slots=True)
class DeletionProgress:
    """What was read and written so far.

    Attributes:
        tell: Is called after every commit, and every thousand documents that were read; what it raises ends the work.
        looked_at: How many documents were read, several times where one record leads to the next.
        written: How many were deleted or changed.
    """

    tell: Callable[["DeletionProgress"], Awaitable[None]] = field(default=_untold)
    looked_at: int = 0
    written: int = 0

    async def reading(self, documents: AsyncIterator[Document]) -> AsyncIterator[Document]:
        """Yield the documents, counted."""
        async for document in documents:
            self.looked_at += 1
            if self.looked_at % _TOLD_EVERY == 0:
                await self.tell(self)
            yield document

    async def wrote(self, count: int) -> None:
        """Count what a commit has written."""
        self.written += count
        await self.tell(self)
