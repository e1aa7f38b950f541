"""Whose work a log record is about, carried alongside the work as its trace is: business, conversation, call and tool.

Whatever logs says what happened; whose it was is known where the work began, and stands in every record of it.
"""

import logging
from contextvars import ContextVar
from types import TracebackType

from switchboard.contract.observability.trace import CURRENT, shown_id
from switchboard.contract.python.dataclass import dataclass


@dataclass(slots=True)
class Subject:
    """What work is about; empty where that is not known, or where it is about more than one.

    Attributes:
        business: Its id.
        session: The conversation's id. Of it no more is told than may be shown (`shown_id`), which is left to whoever
            tells it: nearly all work ends without a word.
        call: The call's, likewise.
        tool: The tool's name; none that a model made up.
        trace: In which the work was begun, where somebody else goes on with it in a trace of their own.
    """

    business: str = ""
    session: str = ""
    call: str = ""
    tool: str = ""
    trace: str = ""


_OF_NOTHING = Subject()
_SUBJECT: ContextVar[Subject] = ContextVar("switchboard_subject", default=_OF_NOTHING)


class About:
    """Lets the records of a block say what it is about."""

    __slots__ = ("_outer", "_subject")

    def __init__(self, business: str = "", session: str = "", call: str = "", tool: str = "", trace: str = "") -> None:
        """Change nothing yet; without a trace of its own the work belongs to that of what it is begun by."""
        self._outer = outer = _SUBJECT.get()
        self._subject = Subject(business, session, call, tool, trace or outer.trace)

    def __enter__(self) -> None:
        _SUBJECT.set(self._subject)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        # Set and not reset: a generator may be closed from another context than it was begun in.
        _SUBJECT.set(self._outer)


def concerns(business: str, session: str = "") -> None:
    """Say whose the request under way is, once that is proven, for every record of it from then on.

    That goes for what asked for the proof as well, which a `with` around the proof's own task would not reach: whoever
    serves requests begins each with an `About` that says nothing yet.
    """
    subject = _SUBJECT.get()
    if subject is _OF_NOTHING:
        _SUBJECT.set(subject := Subject())
    subject.business = business
    subject.session = session or subject.session


def trace_of_work() -> str:
    """Return the id of the trace that the work under way belongs to; empty outside of any."""
    span = CURRENT.get()
    return _SUBJECT.get().trace or (span.trace_id if span is not None else "")


class Subjects(logging.Filter):
    """Writes into each record what it is about, as `business`, `session`, `callId`, `tool` and `trace`.

    For a handler, since whoever formats a record may do so later, and elsewhere. What a record says itself stays.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Let every record through."""
        subject, own = _SUBJECT.get(), record.__dict__
        if subject.business:
            own.setdefault("business", subject.business)
        # Only where the record does not say it itself: finding out what may be shown of an id takes the longest.
        if subject.session and "session" not in own:
            own["session"] = shown_id(subject.session)
        if subject.call and "callId" not in own:
            own["callId"] = shown_id(subject.call)
        if subject.tool:
            own.setdefault("tool", subject.tool)
        trace = trace_of_work()
        if trace:
            own.setdefault("trace", trace)
        return True
