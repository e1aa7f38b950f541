"""A call that a handler makes: one like every other of its session and turn, told from them by whose it is.

Design §5: it is admitted like every other, so that budgets, loops, conditions and the ledger count it. It ends with the
call that made it, needs no place of its own among the calls of its business, and a question to the caller is answered
to the handler. How deep calls may stand inside each other is for `loop` to say.
"""

import time
from dataclasses import replace
from itertools import count
from typing import Protocol

from switchboard.contract.context import Context
from switchboard.contract.deadline import ending_in
from switchboard.contract.json import JsonObject
from switchboard.contract.response import ToolResponse


class CallExecutor(Protocol):
    """Whoever executes calls."""

    async def execute_tool(self, name: str, args: JsonObject, business_id: str, context: Context) -> ToolResponse:
        """Execute one call and return its envelope, whatever happens."""


class NestedCalls:
    """Executes the calls of one handler; it fits `CallContext.tools`."""

    def __init__(self, execution: CallExecutor, facts: Context, ends_at: float) -> None:
        """Make calls within the call that `facts` identify, which ends at a second of the monotonic clock."""
        self._execution, self._facts, self._ends_at = execution, facts, ends_at
        self._numbers = count(1)

    async def call(self, name: str, arguments: JsonObject) -> ToolResponse:
        """Execute a call and return its envelope, whatever happens."""
        facts = self._facts
        # The same id when the handler is run again: what was done within it is then answered and not done again.
        own = replace(facts, call_id=f"{facts.call_id}.{next(self._numbers)}", within=(*facts.within, facts.call_id))
        own = replace(own, beside=None)
        with ending_in(self._ends_at - time.monotonic()):
            return await self._execution.execute_tool(name, arguments, facts.business_id, own)
