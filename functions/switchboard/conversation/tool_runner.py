"""The calls of one answer, under way: reading ones side by side, acting ones one after the other in the model's order.

A look-up that the model has put behind an action waits for it: whoever is verified first may then be looked up.

Whoever stops waiting stops the reading, and never an action: its outcome is collected before the model is asked again,
so that every call has exactly one answer.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

from switchboard.contract.call import ToolCall
from switchboard.contract.context import Beside, Round
from switchboard.contract.error import ErrorType
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.response import Failure, ToolResponse

Execute = Callable[[ToolCall, Beside | None], Awaitable[ToolResponse]]
"""Carries a call out, which may have a place among the look-ups of its answer."""


@dataclass(frozen=True, slots=True)
class FinishedCall:
    """One call's answer and how long it took."""

    call: ToolCall
    response: ToolResponse
    elapsed_ms: float


class ToolRunner:
    """Runs the calls of one answer.

    Args:
        calls: In the model's order.
        acts: Tells whether a tool changes the world.
        ends: Tells whether an answer ends the conversation, so that no later action is begun.
        execute: Carries one call out; it never raises.
    """

    def __init__(
        self,
        calls: Sequence[ToolCall],
        acts: Callable[[str], bool],
        ends: Callable[[ToolResponse], bool],
        execute: Execute,
    ) -> None:
        """Begin at once."""
        self._calls, self._ends, self._execute = calls, ends, execute
        self._is_stopped = False
        self._finished: dict[str, FinishedCall] = {}
        self._news: asyncio.Queue[FinishedCall] = asyncio.Queue()
        acting = [c for c in calls if acts(c.name)]
        self._acted = [asyncio.Event() for _ in acting]
        self._beside = _places([c for c in calls if not acts(c.name)])
        self._reading: list[asyncio.Task[None]] = []
        before: asyncio.Event | None = None
        actions = iter(self._acted)
        for call in calls:
            if acts(call.name):
                before = next(actions)
            else:
                self._reading.append(asyncio.create_task(self._run(call, before)))
        self._acting = asyncio.create_task(self._run_in_order(acting)) if acting else None

    async def next(self) -> FinishedCall:
        """Return the next answer, in the order in which they come; only as many come as there are calls."""
        return await self._news.get()

    def stop(self) -> None:
        """Break off the reading and begin no further action; what acts goes on."""
        self._is_stopped = True
        for task in self._reading:
            task.cancel()

    async def answers(self, within_s: float) -> list[FinishedCall]:
        """Return one answer per call, in the model's order, waiting for actions at most so long.

        What has none by then is said to have none: the outcome of an action is unknown until somebody asks.
        """
        waited = [task for task in (*self._reading, self._acting) if task is not None and not task.done()]
        if waited:
            await asyncio.wait(waited, timeout=within_s)
        return [self._finished.get(c.call_id) or FinishedCall(c, _still_running(c), 0.0) for c in self._calls]

    @property
    def has_ended(self) -> bool:
        """Whether every call has its own answer."""
        return len(self._finished) == len(self._calls)

    async def _run_in_order(self, calls: Sequence[ToolCall]) -> None:
        is_over = False
        for call, acted in zip(calls, self._acted, strict=True):
            if is_over or self._is_stopped:
                self._note(FinishedCall(call, _not_begun(call), 0.0))
            else:
                await self._run(call)
                is_over = self._ends(self._finished[call.call_id].response)
            acted.set()

    async def _run(self, call: ToolCall, after: asyncio.Event | None = None) -> None:
        began = time.monotonic()
        try:
            if after is not None:
                await after.wait()
                began = time.monotonic()
            response = await self._execute(call, self._beside.get(call.call_id))
        except asyncio.CancelledError:
            self._note(FinishedCall(call, _broken_off(call), _ms(began)))
            raise
        self._note(FinishedCall(call, response, _ms(began)))

    def _note(self, finished: FinishedCall) -> None:
        self._finished[finished.call.call_id] = finished
        self._news.put_nowait(finished)


def _places(reading: list[ToolCall]) -> dict[str, Beside]:
    """Return the places of look-ups that run side by side; one alone has none."""
    if len(reading) < 2:
        return {}
    shared = Round()
    return {call.call_id: Beside(shared, place) for place, call in enumerate(reading)}


def _ms(began: float) -> float:
    return round((time.monotonic() - began) * 1000, 1)


def _broken_off(call: ToolCall) -> ToolResponse:
    return _failed(
        f"{call.name} was broken off because the caller went on speaking. Call it again if it still matters."
    )


def _not_begun(call: ToolCall) -> ToolResponse:
    return _failed(f"{call.name} was not begun; nothing was done. Call it again only if the caller still wants it.")


def _still_running(call: ToolCall) -> ToolResponse:
    text = (
        f"{call.name} has not finished and may still succeed. Do not say that it is done and do not call it again in "
        "other words; say that it is being worked on."
    )
    return ToolResponse(failure=Failure(ErrorType.TRANSIENT, text, retryable=False, partial_side_effects=True))


def _failed(text: str) -> ToolResponse:
    return ToolResponse(failure=Failure(ErrorType.TRANSIENT, text, retryable=True, partial_side_effects=False))
