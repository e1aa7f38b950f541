"""What a calendar's refusals are called in this house, and in which words: each vendor brings a table of its own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from switchboard.contract.business.calendar import NOT_ASKED
from switchboard.contract.error import ErrorType, ToolError
from switchboard.integrations.http_session import HttpAnswer, NoAnswer

WORDS = {
    ErrorType.AUTH: "The business's owner must connect the calendar again; until then it can neither be read nor "
    "changed.",
    ErrorType.RATE_LIMIT: "The calendar is busy. Try once more in a moment.",
    ErrorType.TRANSIENT: "The calendar does not answer right now. Try once more.",
    ErrorType.PERMANENT: "The calendar does not allow this, and trying again will not help.",
}
UNKNOWN_OUTCOME = (
    "The calendar did not say whether the change was made. Do not say that it was, nor that it was not; "
    "say that it is not confirmed."
)
OURS: Mapping[str, Any] = {"reason": NOT_ASKED}
"""Of a failure where it is our own registration that is wrong: of an entry that says nothing."""


def body_of(answer: HttpAnswer) -> Mapping[str, Any]:
    """Return the object in an answer; empty for one that holds none."""
    try:
        found = orjson.loads(answer.body)
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, Mapping) else {}


def _error_of(answer: HttpAnswer) -> str:
    error = body_of(answer).get("error")
    return error if isinstance(error, str) else ""


@dataclass(frozen=True, slots=True)
class CalendarFailures:
    """One vendor's refusals.

    Attributes:
        vendor: What the log calls it, such as `google calendar`.
        table: By status and reason, or by the status alone. Other 5xx are TRANSIENT, everything else is PERMANENT.
        oauth_table: By the token endpoint's error; what is not in it is PERMANENT.
        reason_of: Reads the reason out of an answer; empty where it gives none.
        oauth_reason_of: Likewise of an answer of the token endpoint.
        never_done: The statuses by which its server says that it did not even begin.
    """

    vendor: str
    table: Mapping[tuple[int, str], ErrorType]
    oauth_table: Mapping[str, ErrorType]
    reason_of: Callable[[HttpAnswer], str]
    oauth_reason_of: Callable[[HttpAnswer], str] = _error_of
    never_done: frozenset[int] = frozenset()

    def refused(self, answer: HttpAnswer, *, is_write: bool) -> ToolError:
        """Return what a refusal by the calendar means; a write that met a failing server may have been made."""
        reason = self.reason_of(answer)
        other = ErrorType.TRANSIENT if answer.status >= 500 else ErrorType.PERMANENT
        type = self.table.get((answer.status, reason)) or self.table.get((answer.status, ""), other)
        is_unknown = is_write and type is ErrorType.TRANSIENT and answer.status not in self.never_done
        return self.failure(type, f"{answer.status} {reason}".strip(), is_unknown=is_unknown)

    def unanswered(self, error: NoAnswer, *, is_write: bool) -> ToolError:
        """Return what it means that there was no answer; a write that was sent may have been made."""
        return self.failure(ErrorType.TRANSIENT, f"no answer: {error}", is_unknown=is_write and error.was_sent)

    def token_refused(self, answer: HttpAnswer) -> ToolError:
        """Return what a refusal by the token endpoint means. A failing server never counts as a lost permission."""
        if answer.status >= 500 or answer.status in (408, 429):
            return self.failure(ErrorType.TRANSIENT, f"token endpoint: {answer.status}")
        # Anything may stand there: what is in front of the endpoint answers in forms of its own.
        reason = self.oauth_reason_of(answer)
        known = reason if reason in self.oauth_table else ""
        type = self.oauth_table.get(known, ErrorType.PERMANENT)
        detail = f"token endpoint: {answer.status} {known}"
        return self.failure(type, detail, meta=OURS if type is ErrorType.PERMANENT else None)

    def failure(
        self, type: ErrorType, detail: str, *, is_unknown: bool = False, meta: Mapping[str, Any] | None = None
    ) -> ToolError:
        """Return a failure in the words of this house.

        Args:
            type: What it is here.
            detail: For the log.
            is_unknown: Whether what was asked for may have been done.
            meta: `OURS`, or what else is known of it.
        """
        return ToolError(
            type,
            UNKNOWN_OUTCOME if is_unknown else WORDS.get(type, WORDS[ErrorType.PERMANENT]),
            partial_side_effects=is_unknown,
            detail=f"{self.vendor}: {detail}",
            meta=meta,
        )
