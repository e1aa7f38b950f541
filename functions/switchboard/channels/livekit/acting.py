"""The acting calls of a conversation, one after the other, and one question for those that wait for the same yes.

LiveKit runs all calls of an answer side by side. Two that ask for a yes would then not find each other, and neither's
question would name both.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from switchboard.contract.error import ErrorType
from switchboard.contract.response import ToolResponse


@dataclass
class _Round:
    """Calls that are under way together, and what was asked last on behalf of any of them."""

    under_way: int = 0
    asked: ToolResponse | None = None
    over: asyncio.Event = field(default_factory=asyncio.Event)


class Acting:
    """Those of one conversation, in the order in which they were made."""

    def __init__(self) -> None:
        """Begin with none under way."""
        self._one = asyncio.Lock()
        self._round = _Round()

    async def run(self, execute: Callable[[], Awaitable[ToolResponse]]) -> ToolResponse:
        """Execute a call after those that were made before it, and return its answer.

        One that waits for the caller's yes is answered once the others of its round are: with the question that was
        asked last, which names each of them. Only that one can be agreed to.
        """
        own = self._round
        own.under_way += 1
        try:
            async with self._one:
                response = await execute()
            if _asks(response):
                own.asked = response
        finally:
            own.under_way -= 1
            if not own.under_way:
                own.over.set()
                self._round = _Round()
        if not _asks(response):
            return response
        await own.over.wait()
        return replace(response, failure=own.asked.failure if own.asked is not None else response.failure)


def _asks(response: ToolResponse) -> bool:
    return response.failure is not None and response.failure.type is ErrorType.CONFIRMATION_REQUIRED
