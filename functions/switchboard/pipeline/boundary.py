"""Where whatever is raised becomes an answer: the program's only broad `except`.

A tool's code, a vendor's SDK and a store can raise anything. Behind this line there are answers alone, so that neither
a caller's turn nor a pass in the background ends by somebody else's mistake.
"""

import logging
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.observability.hidden import HidingSecrets

log = logging.getLogger(__name__)
_OURS: Final = "Something went wrong on our side. Apologise."
T = TypeVar("T")
S = TypeVar("S")


async def guarded(
    work: Awaitable[T],
    answer: Callable[[ToolError], S],
    *,
    acting: bool,
    foreseen: Callable[[Exception], ToolError | None] | None = None,
) -> T | S:
    """Return what the work returns, or the answer to whatever it raises.

    Args:
        work: Is awaited once.
        answer: Makes an answer of an error; raises nothing.
        acting: Whether the work may have changed something, which an unexpected failure is taken to have done.
        foreseen: Says what an exception comes to that is not ours, if it knows it.
    """
    with HidingSecrets():
        try:
            return await work
        except ToolError as error:
            if error.detail:
                log.warning("call failed", extra={"type": error.type.value, "pii.detail": error.detail})
            return answer(error)
        except Exception as error:
            known = foreseen(error) if foreseen is not None else None
            if known is not None:
                return answer(known)
            log.exception("call failed unexpectedly")
            # Seed 003: an unexpected failure of an action must be taken to have changed something.
            detail = type(error).__name__
            return answer(ToolError(ErrorType.INTERNAL, _OURS, partial_side_effects=acting, detail=detail))
