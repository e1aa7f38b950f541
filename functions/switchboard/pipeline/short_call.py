"""A call that takes the short way: what is kept of it, and everything else worked out when somebody asks.

It is its handler's context (what `CallContext` tells, it tells) and its ledger's record in one, since nothing costs as
much as making things.
"""

from asyncio import Task
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson

from switchboard.contract.business import Business
from switchboard.contract.call import ToolCall, effect_key
from switchboard.contract.context import Context, Tools
from switchboard.contract.error import ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import BusinessPaths
from switchboard.contract.response import ToolResponse
from switchboard.contract.store import StoreError
from switchboard.pipeline.case import Case, Counts
from switchboard.pipeline.deadline import too_slow
from switchboard.pipeline.memory_ledger import OWNER, Turn
from switchboard.pipeline.nested import Nested
from switchboard.pipeline.plan import Plan
from switchboard.pipeline.row import closing, opening
from switchboard.pipeline.settle import Outcome, out_of_reach

if TYPE_CHECKING:
    from switchboard.pipeline.line import Line

Found: TypeAlias = tuple[int, int, int, int, float]
"""What admission counted, in the order of `Counts`."""


class ShortCall:
    """One call, as admitted.

    Attributes:
        line: The conversation's.
        plan: Its tool's.
        sent: The arguments as the model sent them.
        question: Tool and canonical arguments, as text.
        call_id: The delivery's.
        turn: The turn's number.
        in_turn: What the turn has used up by now.
        counts: What the turn had used up when it was admitted, this call included.
        usual_ms: How long the tool usually took by then.
        began: When it arrived, in the interpreter's seconds, for measuring.
        second: The same on the clock's monotonic scale.
        envelope: Its answer as JSON, once it has succeeded.
        is_empty: Whether that says that there is nothing.
        ends_at: For `TimeLimits`, as are `task`, `cancelling` and `is_up`.
    """

    __slots__ = (
        "_nested",
        "began",
        "call_id",
        "cancelling",
        "counts",
        "ends_at",
        "envelope",
        "in_turn",
        "is_empty",
        "is_up",
        "line",
        "plan",
        "question",
        "second",
        "sent",
        "task",
        "turn",
        "usual_ms",
    )
    ends_at: float
    task: "Task[Any] | None"
    cancelling: int
    is_up: bool

    def __init__(
        self,
        line: "Line",
        plan: Plan,
        sent: Any,
        question: str,
        call_id: str,
        turn: int,
        in_turn: Turn,
        counts: Found,
        usual_ms: float,
        began: float,
        second: float,
    ) -> None:
        """Begin without an answer."""
        self.line = line
        self.plan = plan
        self.sent = sent
        self.question = question
        self.call_id = call_id
        self.turn = turn
        self.in_turn = in_turn
        self.counts = counts
        self.usual_ms = usual_ms
        self.began = began
        self.second = second
        self.envelope = ""
        self.is_empty = self.is_up = False

    @property
    def business_id(self) -> str:
        """Whose call it is."""
        return self.plan.business_id

    @property
    def business(self) -> Business:
        """The business, as read for this call."""
        return self.plan.standing.business

    @property
    def facts(self) -> Context:
        """The channel's facts."""
        return replace(self.line.facts, call_id=self.call_id, turn=self.turn)

    @property
    def paths(self) -> BusinessPaths:
        """Builds document paths below this business."""
        return self.plan.standing.paths

    @property
    def now(self) -> datetime:
        """When the call was admitted."""
        clock = self.line.dispatcher.clock
        return clock.now() - timedelta(seconds=clock.monotonic() - self.second)

    @property
    def tool(self) -> str:
        """The tool's name."""
        return self.plan.name

    @property
    def effect_key(self) -> str:
        """The key of the wish itself."""
        case = self.case()
        assert case.arguments is not None
        return effect_key(case.facts.business_id, case.facts.session_id, case.call.name, case.arguments.canonical)

    @property
    def tools(self) -> Tools:
        """What else the call's session may call."""
        if not hasattr(self, "_nested"):
            # Made when it is asked for, and only once: it numbers the calls.
            self._nested = Nested(self.line.dispatcher, self.facts, self.ends_at)
        return self._nested

    def failure(self, error: Exception) -> ToolError | None:
        """Return what a handler's error comes to; None where nobody foresaw it."""
        if isinstance(error, TimeoutError):
            return self.too_slow()
        return out_of_reach(self.plan.name, error, acting=False) if isinstance(error, StoreError) else None

    def too_slow(self) -> ToolError:
        """Return what it comes to when its time is up."""
        return too_slow(self.plan.name, self.ends_at - self.began)

    def failed(self, error: ToolError) -> str:
        """Settle the call as failed, and return its envelope."""
        return self.line.failed(self, error)

    def case(self) -> Case:
        """Return the call as the pipeline sees it."""
        plan, standing = self.plan, self.plan.standing
        call = ToolCall(plan.name, self.sent, self.call_id)
        case = Case(call, self.facts, standing.offer, standing.locked, False, self.now)
        case.tool, case.owner = plan.tool, OWNER
        case.arguments = plan.tool.tool.arguments.read(self.sent, standing.business.timezone)
        case.counts, case.usual_ms = Counts(*self.counts), self.usual_ms
        return case

    def fields(self) -> JsonObject:
        """Return the fields of its ledger document as they are now."""
        case = self.case()
        fields = opening(case)
        if self.envelope:
            response = ToolResponse.from_json(orjson.loads(self.envelope))
            fields |= closing(case, Outcome(response, "finished", self.is_empty))
        return fields
