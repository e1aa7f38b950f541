"""How a conversation's calls reach the dispatcher: on a line of its own, where that is the quicker way."""

from dataclasses import fields
from operator import attrgetter

import orjson
from cachetools import LRUCache

from switchboard.contract.call import ToolCall
from switchboard.contract.context import CONTEXTS, Context
from switchboard.contract.response import ToolResponse
from switchboard.pipeline.dispatch import Dispatcher
from switchboard.pipeline.line import Line
from switchboard.pipeline.memory_ledger import MemoryLedger

_LINES_KEPT = 2_000
# What a line is made for: all that the channel knows, but not which turn and which call it is.
_LASTING = {
    kind: attrgetter(*(field.name for field in fields(kind) if field.name not in ("turn", "call_id", "beside")))
    for kind in CONTEXTS.values()
}


class Calls:
    """Executes the calls of conversations; see `Parts.execute`."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        """Take a line only where the ledger is in this process: over any other, a line goes the general way."""
        self._dispatcher = dispatcher
        self._has_lines = isinstance(dispatcher.ledger, MemoryLedger)
        self._lines: LRUCache[tuple[str, str], Line] = LRUCache(_LINES_KEPT)

    async def __call__(self, call: ToolCall, facts: Context) -> ToolResponse:
        """Carry a call out; `facts.call_id` is its delivery key."""
        if not self._has_lines or facts.beside is not None:
            return await self._dispatcher.execute_tool(call.name, call.arguments, facts.business_id, facts)
        envelope = await self._line(facts).call(call.name, call.arguments, facts.call_id, facts.turn)
        return ToolResponse.from_json(orjson.loads(envelope))

    def _line(self, facts: Context) -> Line:
        key = (facts.business_id, facts.session_id)
        line = self._lines.get(key)
        lasting = _LASTING[type(facts)]
        if line is None or type(line.facts) is not type(facts) or lasting(line.facts) != lasting(facts):
            line = self._lines[key] = self._dispatcher.line(facts)
        return line
