"""Which integrations were found to need connecting again by a call that went on without them."""

from contextvars import ContextVar

_FOUND: ContextVar[set[str] | None] = ContextVar("integrations found revoked", default=None)


def noting_in(names: set[str]) -> None:
    """Let whatever this task, and those that it starts, find be noted in a set."""
    _FOUND.set(names)


def note_revoked(integration: str) -> None:
    """Note that an integration must be connected again; without effect where nobody asks."""
    integrations = _FOUND.get()
    if integrations is not None:
        integrations.add(integration)
