"""TRANSIENT with `meta.timedOut`: the tool took longer than a caller waits.

A retrieval is abandoned: nothing is lost. An action is not: stopping to wait would not stop its effect (that is how
bookings come to be made twice), so it goes on, settles its own ledger document, and the caller is told the truth: the
outcome is not known yet.
"""

import asyncio
import time
from collections.abc import Coroutine
from math import inf
from typing import Any, TypeVar

from switchboard.catalog.offer.inclusion import TENANT
from switchboard.contract.deadline import ENDS_AT, bounded, earliest, without_end
from switchboard.contract.definitions.definition import Kind
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.policy import GREATEST, ChannelPolicy
from switchboard.pipeline.execution.queue import QUEUED_CALL_S
from switchboard.pipeline.invocation import Invocation
from switchboard.pipeline.limits.time_limit import TimeLimits

T = TypeVar("T")


class _Limited:
    """A retrieval on its way, for the limits."""

    __slots__ = ("cancelling", "ends_at", "is_up", "task")
    ends_at: float
    task: "asyncio.Task[Any] | None"
    cancelling: int
    is_up: bool

    def __init__(self) -> None:
        self.is_up = False


_limits: TimeLimits[_Limited] = TimeLimits()

# Tasks that outlive their caller are referenced here, since the loop itself keeps only weak references.
_outliving: set[asyncio.Task[Any]] = set()


def limit_s(invocation: Invocation) -> float:
    """Return the seconds a call may take, those that it was given once it has begun."""
    return invocation.limit_s or _limit_from_now_s(invocation)


def _limit_from_now_s(invocation: Invocation) -> float:
    """Return the seconds a call may take that begins now: a look-up no more than is left of its turn."""
    if invocation.is_due:
        return QUEUED_CALL_S
    own_ms, greatest = (invocation.definition.timeout_ms if invocation.definition else None), None
    if invocation.definition is not None and invocation.definition.category == TENANT:
        greatest = GREATEST[invocation.facts.channel]
    turn_left_s = max(0.01, _turn_ends_at(invocation) - time.monotonic())
    return min(limit_of(invocation.policy, invocation.kind, own_ms, greatest), turn_left_s)


def _turn_ends_at(invocation: Invocation) -> float:
    """Return when a turn has no time left for a look-up; never where its time is not counted.

    Those beside each other are each given what was left before the first of them. What is called within another call is
    bounded, and counted, by that one, and what the house demands costs the turn nothing.
    """
    is_counted = invocation.takes or invocation.facts.beside is not None
    if invocation.kind is not Kind.RETRIEVAL or invocation.counts is None or invocation.facts.within or not is_counted:
        return inf
    left_ms = invocation.policy.retrieval_ms_per_turn - invocation.counts.retrieval_ms
    return invocation.began_at + left_ms / 1000


def limit_of(limits: ChannelPolicy, kind: Kind, own_ms: int | None, greatest: ChannelPolicy | None = None) -> float:
    """Return the limit for a kind of tool in seconds, or the tool's own if that is tighter.

    An owner's tool may have a wider one as well, within the platform's `greatest`.
    """
    most = limits if own_ms is None or greatest is None else greatest
    milliseconds = most.action_deadline_ms if kind is Kind.ACTION else most.retrieval_deadline_ms
    return (min(milliseconds, own_ms) if own_ms else milliseconds) / 1000


def ends_at(invocation: Invocation) -> float:
    """Return when the time of a call is up that begins now, on the monotonic clock."""
    invocation.limit_s = _limit_from_now_s(invocation)
    return time.monotonic() + bounded(invocation.limit_s)


async def abandoned(invocation: Invocation, work: Coroutine[Any, Any, T], ends_at: float) -> T:
    """Run a retrieval or a computation; stop it when its time is up, and let its clients see how much is left.

    Raises:
        ToolError: TRANSIENT; nothing has happened, and trying again may work.
    """
    began_at = time.monotonic()
    # What `ending_in` does, without the generator that it is.
    outer, limited = ENDS_AT.set(earliest(ends_at)), _Limited()
    _limits.begin(limited, ends_at)
    try:
        return await work
    except TimeoutError:
        raise _abandoned_after(invocation, ends_at - began_at, ends_at) from None
    except asyncio.CancelledError:
        if not _limits.end(limited):
            raise
        raise _abandoned_after(invocation, ends_at - began_at, ends_at) from None
    finally:
        if limited.task is not None:
            _limits.end(limited)
        ENDS_AT.reset(outer)


def _abandoned_after(invocation: Invocation, seconds: float, ends_at: float) -> ToolError:
    return too_slow(invocation.call.name, seconds, is_cut=ends_at >= _turn_ends_at(invocation))


def too_slow(tool: str, seconds: float, *, is_cut: bool = False) -> ToolError:
    """Return what a call that was abandoned after so many seconds is answered with.

    `is_cut`: these were all that its turn had left, so that it says nothing of how long the tool takes.
    """
    why = ", all that this turn had left for look-ups" if is_cut else ""
    return ToolError(
        ErrorType.TRANSIENT,
        f"{tool} took longer than {seconds:.3g} s{why}. Answer without it.",
        meta={"timedOut": True} | ({"turnUsedUp": True} if is_cut else {}),
    )


async def awaited(invocation: Invocation, work: Coroutine[Any, Any, T]) -> T:
    """Run an action to its end, but wait for it no longer than its limit.

    Neither the limit nor a caller who hangs up or interrupts stops it; `work` must leave its own trace when it ends.

    Raises:
        ToolError: TRANSIENT; it may still happen, so it must not be tried again.
    """
    seconds = bounded(limit_s(invocation))
    # Not even the end of the call that made this one is a reason to stop half-way.
    with without_end():
        task = asyncio.create_task(work)
    _outliving.add(task)
    task.add_done_callback(_outliving.discard)
    done, _ = await asyncio.wait({task}, timeout=seconds)
    if done:
        return task.result()
    invocation.runs_on = True
    raise ToolError(
        ErrorType.TRANSIENT,
        f"{invocation.call.name} has not finished after {seconds:.3g} s and may still succeed. Do not say that it is "
        "done, and do not call it again for this wish, in whatever words; say that it is being worked on.",
        retryable=False,
        partial_side_effects=True,
        meta={"timedOut": True},
    )


async def outlived() -> None:
    """Wait for the actions that outlived their callers, as before the process ends.

    Those of a loop that has ended are not among them: they were given up with it, and would be waited for for ever.
    """
    loop = asyncio.get_running_loop()
    while own := [task for task in _outliving if task.get_loop() is loop]:
        await asyncio.wait(own)
