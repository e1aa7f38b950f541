"""The trace that a call belongs to, carried alongside the call like its deadline instead of through every signature.

A span is one step of it: a request, a tool's execution, a request to a vendor. Where traces are not exported there is
no span, or one that only tells the log which trace a record belongs to, and neither costs more than looking. What
spans say names tools, channels, hosts and error types, and never an argument, a result, or a person.

Whoever calls names calls and conversations as they please, by a telephone number for instance: `shown_id` leaves out
what may not be seen.
"""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from functools import lru_cache
from types import TracebackType
from typing import Final, Protocol, TypeAlias

from switchboard.contract.python.dataclass import dataclass

SpanValue: TypeAlias = str | int | float | bool | tuple[str, ...]

_PARENT = re.compile(r"(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
_CLOUD = re.compile(r"([0-9a-fA-F]{32})(?:/(\d{1,20}))?(?:;o=(\d))?")
_TRACE_ID = re.compile(r"[0-9a-f]{32}")
_NO_TRACE, _NO_SPAN = "0" * 32, "0" * 16

HIDDEN: Final = "_other"
"""What stands in a log for an id that is not shown."""

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:|-]{0,127}")
# What programs make up: UUIDs, long hexadecimal ids, and Twilio's, which are such behind two letters. A telephone
# number has at most 15 digits (E.164), and no letter among them.
_MADE_UP = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Z]{2})?"
    r"(?:[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|(?=[0-9]*[A-Fa-f])[0-9A-Fa-f]{16,})"
    r"(?![A-Za-z0-9])"
)
_NUMBER = re.compile(r"[0-9](?:[_.:|-]*[0-9]){6,}")


class SpanKind(Enum):
    """Which side of an exchange a span tells."""

    INTERNAL = "internal"
    SERVER = "server"
    CLIENT = "client"


class Span(Protocol):
    """One step of a trace."""

    @property
    def trace_id(self) -> str:
        """The trace's: 32 hexadecimal digits."""

    @property
    def span_id(self) -> str:
        """The step's own: 16 hexadecimal digits."""

    @property
    def is_sampled(self) -> bool:
        """Whether whoever began the trace wants it kept."""

    @property
    def is_recorded(self) -> bool:
        """Whether what is said of it goes anywhere."""

    def child(self, name: str, kind: SpanKind, fields: Mapping[str, SpanValue]) -> "Span":
        """Begin a step within this one."""

    def rename(self, name: str) -> None:
        """Give it another name, once it is known what it was."""

    def note(self, name: str, value: SpanValue) -> None:
        """Say something of it."""

    def end(self, error_type: str | None = None) -> None:
        """End it; failed, where a type of error is given. Only the first end counts."""


class Tracer(Protocol):
    """Begins the first step in this process."""

    def begin(self, name: str, remote: "Elsewhere | None", fields: Mapping[str, SpanValue]) -> Span | None:
        """Begin the step that a request is, within the caller's where there is one; None where nothing is traced."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A step that somebody else records, or nobody: it only tells which trace this is."""

    trace_id: str
    span_id: str
    is_sampled: bool = False

    @property
    def is_recorded(self) -> bool:
        """Whether what is said of it goes anywhere: never."""
        return False

    def child(self, name: str, kind: SpanKind, fields: Mapping[str, SpanValue]) -> "Elsewhere":
        """Return itself."""
        return self

    def rename(self, name: str) -> None:
        """Do nothing."""

    def note(self, name: str, value: SpanValue) -> None:
        """Do nothing."""

    def end(self, error_type: str | None = None) -> None:
        """Do nothing."""


class Untraced:
    """The tracer where nothing is exported: the log still learns which trace a request belongs to."""

    def begin(self, name: str, remote: Elsewhere | None, fields: Mapping[str, SpanValue]) -> Span | None:
        """Return the caller's step, and where there is none, one of a trace that nobody but the log knows.

        None within a step that was begun already.
        """
        if CURRENT.get() is not None:
            return None
        if remote is None:
            both = os.urandom(24).hex()
            remote = Elsewhere(both[:32], both[32:])
        return remote


CURRENT: ContextVar[Span | None] = ContextVar("switchboard_span", default=None)
"""The step that this task is in; None outside of any trace."""


def recorded() -> Span | None:
    """Return the current step if what is said of it goes anywhere."""
    span = CURRENT.get()
    return span if span is not None and span.is_recorded else None


@contextmanager
def step(parent: Span, name: str, kind: SpanKind, fields: Mapping[str, SpanValue]) -> Iterator[Span]:
    """Let everything inside be a step of its own; an exception that leaves it is told by its type alone."""
    own = parent.child(name, kind, fields)
    with Inside(own):
        yield own


class Inside:
    """Makes a step the current one of a block, and ends it with the block."""

    def __init__(self, span: Span) -> None:
        """Change nothing yet."""
        self._span, self._outer = span, CURRENT.get()

    def __enter__(self) -> None:
        CURRENT.set(self._span)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        # Set and not reset: a generator may be closed from another context than it was begun in.
        CURRENT.set(self._outer)
        self._span.end(kind.__name__ if kind is not None else None)


def traceparent(span: Span) -> str:
    """Return the header by which a vendor's records can be found from ours (W3C Trace Context)."""
    return f"00-{span.trace_id}-{span.span_id}-{'01' if span.is_sampled else '00'}"


def caller_step(parent: str, cloud: str) -> Elsewhere | None:
    """Return the step that a request says it belongs to, None where it says none that can be read.

    Args:
        parent: The header `traceparent`, or nothing.
        cloud: The header `X-Cloud-Trace-Context` of Google's front ends, or nothing; the other one goes first.
    """
    match = _PARENT.fullmatch(parent.strip())
    # Version 00 has four parts and no more; later ones may have more (W3C Trace Context, "Versioning").
    if match and not (match[4] and parent.strip().startswith("00")):
        return _known(match[1], match[2], bool(int(match[3], 16) & 1))
    match = _CLOUD.fullmatch(cloud.strip())
    if match is None:
        return None
    number = int(match[2] or 0)
    return _known(match[1].lower(), f"{number:016x}", match[3] == "1") if number < 1 << 64 else None


def _known(trace_id: str, span_id: str, is_sampled: bool) -> Elsewhere | None:
    return Elsewhere(trace_id, span_id, is_sampled) if trace_id != _NO_TRACE and span_id != _NO_SPAN else None


def is_trace_id(text: str) -> bool:
    """Return whether a text, such as a stored one, is a trace's id."""
    return bool(_TRACE_ID.fullmatch(text)) and text != _NO_TRACE


# A call and its conversation are named several times on the way.
@lru_cache(maxsize=1024)
def may_be_shown(id: str) -> bool:
    """Return whether an id is plain and holds no seven digits in a row that could be a telephone number."""
    rest = _MADE_UP.sub("x", id)
    return bool(_PLAIN.fullmatch(id)) and rest[0].isalpha() and not _NUMBER.search(rest)


def shown_id(id: str) -> str:
    """Return the id, or `HIDDEN`."""
    return id if may_be_shown(id) else HIDDEN
