"""What of the work under way is secret, so that no record of it tells that: a service may say what it was sent.

Whoever opens a secret, or reads one among a call's arguments, says so here; whoever writes a record takes it out.
"""

from contextvars import ContextVar
from types import TracebackType
from typing import Any

from switchboard.contract.definitions.redaction import NOTHING_HIDDEN, Redaction


class _HiddenNow:
    __slots__ = ("_known", "_redaction")

    def __init__(self) -> None:
        self._known, self._redaction = set[str](), NOTHING_HIDDEN

    def add(self, secrets: tuple[str, ...]) -> None:
        self._known.update(map(str, secrets))
        self._redaction = NOTHING_HIDDEN

    @property
    def is_empty(self) -> bool:
        return not self._known

    @property
    def redaction(self) -> Redaction:
        # Made when something is told: nearly all work ends without a word.
        if self._known and not self._redaction:
            self._redaction = Redaction(self._known)
        return self._redaction


_SECRETS: ContextVar[_HiddenNow | None] = ContextVar("switchboard_secrets", default=None)


class HidingSecrets:
    """Has what is secret in a block, and in the tasks that it starts, taken out of what is told of it.

    Within another such block everything is known to both: the outer one tells of the inner one's work, too.
    """

    __slots__ = ("_outer",)

    def __init__(self) -> None:
        """Change nothing yet."""
        self._outer = _SECRETS.get()

    def __enter__(self) -> None:
        if self._outer is None:
            _SECRETS.set(_HiddenNow())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        # Set and not reset: a generator may be closed from another context than it was begun in.
        if self._outer is None:
            _SECRETS.set(None)


def hide(*secrets: str) -> None:
    """Say what is secret in the work under way; without effect outside of `HidingSecrets`."""
    known = _SECRETS.get()
    if known is not None and secrets:
        known.add(secrets)


def field_without_hidden(name: str, value: Any) -> Any:
    """Return a field of a log record without what is secret in the work under way.

    By the business records are found, and it is ours: a secret that is a word of its id takes nothing out of that.
    """
    return value if name == "business" else without_hidden(value)


def without_hidden(value: Any) -> Any:
    """Return a text, or a JSON value, without what is secret in the work under way."""
    known = _SECRETS.get()
    return value if known is None or known.is_empty else known.redaction.value(value)
