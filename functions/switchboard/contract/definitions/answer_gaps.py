"""Which of the places that an owner's tool reads in an answer held nothing, for whoever tries the tool out."""

from contextvars import ContextVar

_FOUND: ContextVar[dict[str, str] | None] = ContextVar("places of an answer that held nothing", default=None)


def noting_gaps_in(places: dict[str, str] | None) -> None:
    """Let what this task, and those that it starts, find be noted: by the setting, the path; None ends that."""
    _FOUND.set(places)


def gaps_wanted() -> dict[str, str] | None:
    """Return where they are to be noted; None where nobody asks."""
    return _FOUND.get()
