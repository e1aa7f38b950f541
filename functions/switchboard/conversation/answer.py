"""What one request to the model came to."""

from dataclasses import dataclass

from switchboard.contract.call import ToolCall
from switchboard.contract.model import Ended, Ending
from switchboard.conversation.guard import Unfounded
from switchboard.conversation.speech.fallback_phrases import Trouble

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

    def judge(self, ended: Ended, calls: tuple[ToolCall, ...], said: str) -> None:
        """Read its end; `said` is what the caller has got of it."""
        if self.problem is not None or self.unfounded is not None:
            return
        if ended.ending is Ending.REFUSED:
            # Also behind words: what was refused in the middle is no whole answer.
            self.problem = Trouble.REFUSED
        elif ended.ending is Ending.CUT_OFF:
            # Arguments that were cut off are not the arguments that were meant.
            self.cut = _CUT_IN_CALLS if calls else _CUT_IN_WORDS if said.strip() else _CUT_BEFORE
        else:
            self.calls = calls
