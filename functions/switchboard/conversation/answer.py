"""One request to the model: how long its answer is waited for, and what it came to, its calls put together.

Its first word is not waited for long, all of it longer, with one timer for both: `asyncio.timeout` set anew at the
first word costs as much as a short answer does.
"""

import asyncio
from collections.abc import Callable, Collection
from dataclasses import field
from types import TracebackType

from switchboard.contract.call import ToolCall
from switchboard.contract.model import CallPiece, Ended, Ending
from switchboard.contract.python.dataclass import dataclass
from switchboard.conversation.guard import SpeechGuard, Unfounded
from switchboard.conversation.speech.house_phrases import Trouble

_CUT_IN_WORDS = (
    "Your answer was cut off by its limit of length; the caller has heard it as it stands above. Go on from there in "
    "at most two short sentences, without repeating anything."
)
_CUT_BEFORE = "Your answer was cut off by its limit of length; nothing of it was said. Answer in two short sentences."
_CUT_IN_CALLS = (
    "Your answer was cut off before it was whole, so none of its tool calls was carried out. Call again what is still "
    "needed, without words before it and with short arguments."
)
_MADE = (
    "The caller has not heard this, which you said before the result was there: {!r}. The calls beside it were made; "
    "what came of them stands above. Say only what that bears out."
)
_NOT_MADE = " None of the calls beside it was made."
# Behind a sentence that is held only calls still count: so many words are waited for.
_MOST_BEHIND = 300


class HeldSpeech:
    """A guard that keeps what it holds back, so that the calls behind it are still heard.

    Attributes:
        unfounded: What is held; nothing is said any more then.
    """

    def __init__(self, guard: SpeechGuard) -> None:
        """Hold nothing yet."""
        self._guard, self._behind = guard, 0
        self.unfounded: Unfounded | None = None

    def is_over(self, calls: Collection[str]) -> bool:
        """Tell whether no call is waited for behind what is held, in an answer that calls these tools so far.

        A sentence that leads to none is corrected at once, and so is one with so many words behind it.
        """
        if self.unfounded is None:
            return False
        return self._behind > _MOST_BEHIND or not (calls or self.unfounded.leads_to_calls)

    @property
    def has_left_out(self) -> bool:
        """Whether an announcement was left to the call that follows it."""
        return self._guard.has_left_out

    def feed(self, text: str) -> str:
        """Take a piece and return what may be said now."""
        if self.unfounded is not None:
            self._behind += len(text)
            return ""
        try:
            return self._guard.feed(text)
        except Unfounded as unfounded:
            self.unfounded = unfounded
            return ""

    def rest(self, calls: Collection[str] = ()) -> str:
        """Return what is left at the end of the answer, which calls these tools."""
        if self.unfounded is not None:
            return ""
        try:
            return self._guard.rest(calls)
        except Unfounded as unfounded:
            self.unfounded = unfounded
            return ""


@dataclass(slots=True)
class ModelAnswer:
    """What one request to the model came to.

    Attributes:
        calls: Whole ones, and all of them.
        problem: Why it cannot be used as it is.
        unfounded: What it was about to say, and nothing bears out.
        cut: For the model: that it was cut off, and how to go on; empty where it was not.
        is_endless: Whether it was broken off here, since the model heeds no limit.
        withheld_before: How many pieces of the turn were held back before it.
        is_dropped: Whether calls came with what it was about to say, and are not made.
    """

    calls: tuple[ToolCall, ...] = ()
    problem: Trouble | None = None
    unfounded: Unfounded | None = None
    cut: str = ""
    is_endless: bool = False
    withheld_before: int = 0
    is_dropped: bool = False

    def judge(self, ended: Ended, calls: tuple[ToolCall, ...], text: str, acts: Callable[[str], bool]) -> None:
        """Read its end; `text` is what the caller has got of it, `acts` tells which tools do more than look up."""
        if self.problem is not None:
            return
        if self.unfounded is not None:
            is_whole = ended.ending not in (Ending.REFUSED, Ending.CUT_OFF)
            if is_whole and self.unfounded.may_run([call.name for call in calls if acts(call.name)]):
                self.calls = calls
            self.is_dropped = bool(calls) and not self.calls
            return
        if ended.ending is Ending.REFUSED:
            # Also behind words: what was refused in the middle is no whole answer.
            self.problem = Trouble.REFUSED
        elif ended.ending is Ending.CUT_OFF:
            # Arguments that were cut off are not the arguments that were meant.
            self.cut = _CUT_IN_CALLS if calls else _CUT_IN_WORDS if text.strip() else _CUT_BEFORE
        else:
            self.calls = calls

    @property
    def told_of_held(self) -> str:
        """For the model: what of its words was held, and whether the calls beside it were made."""
        assert self.unfounded is not None
        if self.calls:
            return _MADE.format(self.unfounded.sentence)
        return self.unfounded.correction + (_NOT_MADE if self.is_dropped else "")


@dataclass(slots=True)
class _Unfinished:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class CallAssembler:
    """The calls of one answer. `prefix` makes ids for vendors that have none, and tells repeated ones apart."""

    def __init__(self, prefix: str) -> None:
        """Start without any."""
        self._prefix = prefix
        self._unfinished: dict[int, _Unfinished] = {}

    def add(self, piece: CallPiece) -> None:
        """Take one fragment; id and name count where they first appear."""
        call = self._unfinished.setdefault(piece.index, _Unfinished())
        call.id = call.id or piece.id
        call.name = call.name or piece.name
        if piece.arguments:
            call.arguments.append(piece.arguments)

    @property
    def names(self) -> tuple[str, ...]:
        """The tools that are called so far."""
        return tuple(call.name for call in self._unfinished.values())

    def calls(self) -> tuple[ToolCall, ...]:
        """Return the calls in the order in which they began, each with an id of its own."""
        ids: set[str] = set()
        calls = []
        for index, call in self._unfinished.items():
            id = call.id if call.id and call.id not in ids else f"call_{self._prefix}_{index}"
            ids.add(id)
            # A call without arguments comes as "" from some servers.
            calls.append(ToolCall(call.name, "".join(call.arguments) or "{}", id))
        return tuple(calls)


class ModelTimeout:
    """Breaks its block off with a TimeoutError: after `first_s` unless `has_begun` was set, after `whole_s` anyway."""

    __slots__ = ("_alarm", "_cancels", "_is_over", "_rest_s", "_task", "first_s", "has_begun")

    def __init__(self, first_s: float, whole_s: float) -> None:
        """Begin to wait when the block is entered."""
        self.first_s, self._rest_s, self.has_begun = first_s, max(0.0, whole_s - first_s), False
        self._is_over, self._cancels = False, 0
        self._task: asyncio.Task[object] | None = None
        self._alarm: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> "ModelTimeout":
        """Begin."""
        self._task = task = asyncio.current_task()
        assert task is not None
        self._cancels = task.cancelling()
        self._alarm = asyncio.get_running_loop().call_later(self.first_s, self._first_is_over)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End; what was broken off by time and by nobody else becomes a TimeoutError.

        Raises:
            TimeoutError: The time was up.
        """
        assert self._task is not None and self._alarm is not None
        self._alarm.cancel()
        if self._is_over and self._task.uncancel() <= self._cancels and kind is asyncio.CancelledError:
            raise TimeoutError from error

    def _first_is_over(self) -> None:
        if not self.has_begun:
            self._end()
        else:
            self._alarm = asyncio.get_running_loop().call_later(self._rest_s, self._end)

    def _end(self) -> None:
        assert self._task is not None
        self._is_over = True
        self._task.cancel()


async def close(stream: object) -> None:
    """End a model's answer, where it can be ended."""
    end = getattr(stream, "aclose", None)
    if end is not None:
        await end()
