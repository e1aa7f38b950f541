"""What the desk says when the store does not answer."""

from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import StoreError


def unreadable(what: str, error: StoreError) -> ToolError:
    """Return the error for a failed read: nothing has changed, and once more may help."""
    return ToolError(
        ErrorType.TRANSIENT,
        f"The {what} cannot be read right now. Try once more.",
        detail=repr(error),
    )
