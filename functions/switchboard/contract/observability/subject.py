"""Whose work a log record is about, carried alongside the work as its trace is: business, conversation, call and tool.

Whatever logs says what happened; whose it was is known where the work began, and stands in every record of it.
"""

import logging
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType

from switchboard.contract.observability.trace import CURRENT, shown_id


@dataclass(frozen=True, slots=True)
class Subject:
    """What work is about; empty where that is not known, or where it is about more than one.

    Attributes:
        business: Its id.
        session: The conversation, as it may be shown (`shown_id`).
        call: The call, likewise.
        tool: The tool's name; none that a model made up.
    """

    business: str = ""
    session: str = ""
    call: str = ""
    tool: str = ""


_OF_NOTHING = Subject()
_SUBJECT: ContextVar[Subject] = ContextVar("switchboard_subject", default=_OF_NOTHING)


class About:
    """Lets the records of a block say what it is about."""

    def __init__(self, business: str, session: str = "", call: str = "", tool: str = "") -> None:
        """Change nothing yet; of an id that may be a person's number, no more is told than may be shown."""
        shown = shown_id(session) if session else "", shown_id(call) if call else ""
        self._subject, self._outer = Subject(business, *shown, tool), _SUBJECT.get()

    def __enter__(self) -> None:
        _SUBJECT.set(self._subject)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        # Set and not reset: a generator may be closed from another context than it was begun in.
        _SUBJECT.set(self._outer)


class Subjects(logging.Filter):
    """Writes into each record what it is about, as `business`, `session`, `callId`, `tool` and `trace`.

    For a handler, since whoever formats a record may do so later, and elsewhere. What a record says itself stays.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record through."""
        subject, span, own = _SUBJECT.get(), CURRENT.get(), record.__dict__
        known = {"business": subject.business, "session": subject.session, "callId": subject.call, "tool": subject.tool}
        for name, value in known.items():
            if value:
                own.setdefault(name, value)
        if span is not None:
            own.setdefault("trace", span.trace_id)
        return True
