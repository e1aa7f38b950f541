"""What a calendar's refusals are called in this house, and in which words: each vendor brings a table of its own."""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from switchboard.contract.business.calendar import NOT_ASKED
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.python.dataclass import dataclass
from switchboard.integrations.http_session import HttpAnswer
from switchboard.integrations.vendor_http import VendorFailures, json_object

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


def _error_of(answer: HttpAnswer) -> str:
    error = json_object(answer).get("error")
    return error if isinstance(error, str) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarFailures(VendorFailures):
    """One calendar vendor's refusals; a write of which nobody knows may be asked for again, which finds it.

    Attributes:
        oauth_table: By the token endpoint's error; what is not in it is PERMANENT.
        oauth_reason_of: Reads the reason out of an answer of the token endpoint.
    """

    words: Mapping[ErrorType, str] = field(default_factory=lambda: WORDS)
    unknown_outcome: str = UNKNOWN_OUTCOME
    is_unknown_retryable: bool = True
    oauth_table: Mapping[str, ErrorType] = field(default_factory=dict)
    oauth_reason_of: Callable[[HttpAnswer], str] = _error_of

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
