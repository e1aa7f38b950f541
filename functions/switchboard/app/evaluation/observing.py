"""What one conversation is seen to do: each call with its answer as it is made, and each sentence as it is spoken."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any

from switchboard.app.evaluation.channels import AnswerProgress
from switchboard.contract.call import ToolCall
from switchboard.contract.context import Context
from switchboard.contract.error import ErrorType
from switchboard.contract.python.dataclass import dataclass
from switchboard.contract.response import ToolResponse
from switchboard.conversation.dependencies import Dependencies
from switchboard.conversation.guard import SpeechGuard, Unfounded
from switchboard.conversation.speech.house_phrases import ending_of

Execute = Callable[[ToolCall, Context], Awaitable[ToolResponse]]
Deliver = Callable[[int, Execute, ToolCall, Context], Awaitable[ToolResponse]]
"""Delivers the call of a number (the first is 1) and returns its answer."""
_STRETCH = re.compile(r"(\d{1,2}:\d{2})(?: \([^)]*\))?(?: to (\d{1,2}:\d{2}))?")
_STEP_MINUTES = 5
_OUTAGES = (ErrorType.TRANSIENT,)


@dataclass(frozen=True, slots=True)
class ObservedCall:
    """One call that the model made.

    Attributes:
        number: Among all of its conversation; the first is 1.
        id: Under which the ledger has it.
    """

    number: int
    id: str
    tool: str
    arguments: Any
    response: ToolResponse

    @property
    def read_back(self) -> str:
        """The question in which the caller is asked to agree; empty where nobody is."""
        return str(self.response.meta.get("readBack") or "")


@dataclass(slots=True)
class Seen:
    """What is seen of one conversation.

    Attributes:
        calls: In order.
        left_out: Sentences that were held back.
        progress: How far the answer is.
        deliver: How calls are delivered.
    """

    calls: list[ObservedCall] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    progress: AnswerProgress = field(default_factory=AnswerProgress)
    deliver: Deliver | None = None

    def offered(self, since: int) -> list[str]:
        """Return the times that calls since then named as free, as `2026-12-04T14:00` on every five minutes."""
        times: list[str] = []
        for call in self.calls[since:]:
            data = call.response.data or {}
            rows = data.get("openTimes") or call.response.meta.get("alternatives") or ()
            times += [str(row.get("start") if isinstance(row, Mapping) else row)[:16] for row in rows]
            for day in data.get("free") or ():
                times += [f"{day['date']}T{clock}" for clock in _within(str(day["times"]))]
        return times

    def had_outage(self, since: int) -> bool:
        """Whether a call since then was not done because something did not answer."""
        failures = [call.response.failure for call in self.calls[since:]]
        return any(failure is not None and failure.type in _OUTAGES for failure in failures)


def _within(stretches: str) -> Iterator[str]:
    """Yield every start in `9:00 to 9:15, 10:45`."""
    for match in _STRETCH.finditer(stretches):
        first, last = (int(clock[:-3]) * 60 + int(clock[-2:]) for clock in (match[1], match[2] or match[1]))
        yield from (f"{minute // 60:02}:{minute % 60:02}" for minute in range(first, last + 1, _STEP_MINUTES))


class Observer:
    """Looks at the conversations of a run from inside, whichever process has them."""

    def __init__(self) -> None:
        self._by_session: dict[str, Seen] = {}

    def of(self, session: str) -> Seen:
        """Return what is seen of a session."""
        return self._by_session.setdefault(session, Seen())

    def watch(self, parts: Dependencies) -> Dependencies:
        """Return the parts of conversations such that what they do is seen."""
        execute, make = parts.execute, parts.guard

        async def seen_execute(call: ToolCall, facts: Context) -> ToolResponse:
            seen = self.of(facts.session_id)
            number = len(seen.calls) + 1
            # Its place is taken at once: look-ups run side by side.
            seen.calls.append(ObservedCall(number, facts.call_id, call.name, call.arguments, ToolResponse()))
            deliver = seen.deliver or _once
            response = await deliver(number, execute, call, facts)
            seen.calls[number - 1] = replace(seen.calls[number - 1], response=response)
            seen.progress.is_over = seen.progress.is_over or ending_of(response) is not None
            return response

        def guard(session: Any, offer: Any) -> SpeechGuard:
            return _SeenGuard(make(session, offer), self.of(session.facts.session_id))

        return replace(parts, execute=seen_execute, guard=guard)


async def _once(number: int, execute: Execute, call: ToolCall, facts: Context) -> ToolResponse:
    return await execute(call, facts)


class _SeenGuard:
    """Notes what is held back, and that something is said."""

    def __init__(self, guard: SpeechGuard, seen: Seen) -> None:
        self._guard, self._seen = guard, seen

    @property
    def has_left_out(self) -> bool:
        return self._guard.has_left_out

    def feed(self, text: str) -> str:
        return self._noted(lambda: self._guard.feed(text))

    def rest(self, calls: Any = ()) -> str:
        return self._noted(lambda: self._guard.rest(calls))

    def _noted(self, pass_on: Callable[[], str]) -> str:
        try:
            words = pass_on()
        except Unfounded as unfounded:
            self._seen.left_out.append(unfounded.sentence)
            raise
        self._seen.progress.has_spoken = self._seen.progress.has_spoken or bool(words.strip())
        return words
