"""One request to the model: how long its answer is waited for, and what it came to, its calls put together.

Its first word is not waited for long, all of it longer, with one timer for both: `asyncio.timeout` set anew at the
first word costs as much as a short answer does.
"""

import asyncio
from dataclasses import field
from types import TracebackType

from switchboard.contract.call import ToolCall
from switchboard.contract.model import CallPiece, Ended, Ending
from switchboard.contract.python.dataclass import dataclass
from switchboard.conversation.guard import Unfounded
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
    """

    calls: tuple[ToolCall, ...] = ()
    problem: Trouble | None = None
    unfounded: Unfounded | None = None
    cut: str = ""
    is_endless: bool = False
    withheld_before: int = 0

    def judge(self, ended: Ended, calls: tuple[ToolCall, ...], text: str) -> None:
        """Read its end; `text` is what the caller has got of it."""
        if self.problem is not None or self.unfounded is not None:
            return
        if ended.ending is Ending.REFUSED:
            # Also behind words: what was refused in the middle is no whole answer.
            self.problem = Trouble.REFUSED
        elif ended.ending is Ending.CUT_OFF:
            # Arguments that were cut off are not the arguments that were meant.
            self.cut = _CUT_IN_CALLS if calls else _CUT_IN_WORDS if text.strip() else _CUT_BEFORE
        else:
            self.calls = calls


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
