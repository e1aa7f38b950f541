"""The calls of one live conversation: each carried out once, and taken back as far as that is possible.

A live model asks for calls and takes them back when the caller speaks: what has not begun is
dropped, what only reads is discarded, and an action that has begun is kept, since nobody can undo it; the model is told
of it in the next turn.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from cachetools import LRUCache

from switchboard.contract.call import ToolCall
from switchboard.contract.error import ErrorType
from switchboard.contract.response import Failure, ToolResponse

CALLS_KEPT = 200

Fate: TypeAlias = Literal["dropped", "discarded", "kept"]
"""What became of a call that was taken back."""
Execute: TypeAlias = Callable[[ToolCall], Awaitable[ToolResponse]]


@dataclass(slots=True)
class _Undertaking:
    call: ToolCall
    acts: bool
    fate: Fate | None = None
    has_begun: bool = False
    is_told: bool = False
    task: "asyncio.Task[ToolResponse] | None" = field(default=None, repr=False)

    @property
    def response(self) -> ToolResponse | None:
        task = self.task
        return task.result() if task is not None and task.done() and not task.cancelled() else None


class LiveCalls:
    """The calls of one conversation, in one process."""

    def __init__(self) -> None:
        """Know no call."""
        self._known: LRUCache[str, _Undertaking] = LRUCache(CALLS_KEPT)
        # What was taken back before it arrived here: requests overtake each other.
        self._unwanted: LRUCache[str, bool] = LRUCache(CALLS_KEPT)
        self._one_after_the_other = asyncio.Lock()
        self._running: set[asyncio.Task[ToolResponse]] = set()

    async def carry_out(
        self,
        calls: Sequence[ToolCall],
        acts: Callable[[str], bool],
        ends: Callable[[ToolResponse], bool],
        execute: Execute,
    ) -> list[ToolResponse | None]:
        """Return one answer per call, in order; None for what was taken back.

        Reading goes on side by side, acting in the model's order, across several of these too. A call that is known
        already is not begun again; whoever stops waiting stops nothing.

        Args:
            calls: Each under an id of its own.
            acts: Tells whether a tool changes the world.
            ends: Tells whether an answer ends the conversation, so that no later action is begun.
            execute: Carries one out; it never raises.
        """
        is_over: list[bool] = []
        undertakings = [self._undertake(call, acts(call.name), ends, execute, is_over) for call in calls]
        tasks = [u.task for u in undertakings if u.task is not None]
        if tasks:
            await asyncio.wait(tasks)
        return [None if u.fate is not None else u.response or _not_begun(u.call) for u in undertakings]

    def take_back(self, ids: Sequence[str]) -> list[tuple[str, str, Fate]]:
        """Take calls back; return id, tool and fate of each. The tool is empty where the call has not arrived."""
        fates: list[tuple[str, str, Fate]] = []
        for id in ids:
            found = self._known.get(id)
            if found is None:
                self._unwanted[id] = True
                fates.append((id, "", "dropped"))
                continue
            found.fate = found.fate or self._fate(found)
            fates.append((id, found.call.name, found.fate))
        return fates

    def untold(self) -> list[tuple[ToolCall, ToolResponse]]:
        """Return the calls that were kept and are done, each once: what the model has to be told of."""
        found = []
        for undertaking in self._known.values():
            response = undertaking.response
            if undertaking.fate == "kept" and not undertaking.is_told and response is not None:
                undertaking.is_told = True
                found.append((undertaking.call, response))
        return found

    def _fate(self, undertaking: _Undertaking) -> Fate:
        if not undertaking.acts:
            if undertaking.task is not None:
                undertaking.task.cancel()
            return "discarded"
        return "kept" if undertaking.has_begun else "dropped"

    def _undertake(
        self,
        call: ToolCall,
        acts: bool,
        ends: Callable[[ToolResponse], bool],
        execute: Execute,
        is_over: list[bool],
    ) -> _Undertaking:
        known = self._known.get(call.call_id)
        # Under a known id, another call is the ledger's to refuse.
        if known is not None and known.call == call:
            return known
        made = self._known[call.call_id] = _Undertaking(call, acts)
        if self._unwanted.pop(call.call_id, False):
            made.fate = "dropped"
            return made
        work = self._act(made, ends, execute, is_over) if acts else execute(call)
        made.task = asyncio.ensure_future(work)
        self._running.add(made.task)
        made.task.add_done_callback(self._running.discard)
        return made

    async def _act(
        self,
        undertaking: _Undertaking,
        ends: Callable[[ToolResponse], bool],
        execute: Execute,
        is_over: list[bool],
    ) -> ToolResponse:
        async with self._one_after_the_other:
            if undertaking.fate is not None or is_over:
                return _not_begun(undertaking.call)
            undertaking.has_begun = True
            response = await execute(undertaking.call)
            if ends(response):
                is_over.append(True)
            return response


def _not_begun(call: ToolCall) -> ToolResponse:
    text = f"{call.name} was not begun; nothing was done. Call it again only if the caller still wants it."
    return ToolResponse(failure=Failure(ErrorType.TRANSIENT, text, retryable=True, partial_side_effects=False))
