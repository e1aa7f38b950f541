"""What keeps a turn from doing anything more once it is answered elsewhere, since its instance was taken for dead."""

from dataclasses import replace

from switchboard.contract.call import ToolCall
from switchboard.contract.context import Context
from switchboard.contract.error import ErrorType
from switchboard.contract.response import Failure, ToolResponse
from switchboard.conversation.dependencies import Dependencies
from switchboard.conversation.session import CallSession

_TAKEN_OVER = "Somebody else answers the caller by now, so this was not begun; nothing was done. Say nothing more."


def fenced(parts: Dependencies, session: CallSession) -> Dependencies:
    """Return what a conversation works with; its calls are refused once its turn is answered elsewhere."""

    async def execute(call: ToolCall, facts: Context) -> ToolResponse:
        if await session.deliveries.holds():
            return await parts.execute(call, facts)
        failure = Failure(ErrorType.SESSION_INACTIVE, _TAKEN_OVER, retryable=False, partial_side_effects=False)
        return ToolResponse(failure=failure)

    return replace(parts, execute=execute)
