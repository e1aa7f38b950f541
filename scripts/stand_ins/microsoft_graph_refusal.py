"""How Graph says no: one exception, answered in the shape of its API."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime

from starlette.responses import JSONResponse

from stand_ins.faults import SaysNo


class Refusal(SaysNo):
    """A request is refused; `code` is Graph's word for why."""

    def __init__(self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status, self.code, self.message, self.headers = status, code, message, dict(headers or {})

    def answer(self) -> JSONResponse:
        """Return the response."""
        inner = {"date": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}", "request-id": str(uuid.uuid4())}
        body = {"error": {"code": self.code, "message": self.message, "innerError": inner}}
        return JSONResponse(body, self.status, headers=self.headers)


def invalid(message: str, code: str = "ErrorInvalidRequest") -> Refusal:
    """Return that something in a request cannot be."""
    return Refusal(400, code, message)


def later(status: int, seconds: float) -> Refusal:
    """Return that a request came too early: it was not carried out."""
    code = "ApplicationThrottled" if status == 429 else "ServiceUnavailable"
    return Refusal(status, code, "Application is over its MailboxConcurrency limit.", {"Retry-After": f"{seconds:g}"})


NOT_FOUND = Refusal(404, "ErrorItemNotFound", "The specified object was not found in the store.")
"""There is no such calendar or event, or not any more."""
NO_ACCESS = Refusal(403, "ErrorAccessDenied", "Access is denied. Check credentials and try again.")
"""The token is good, but not for this; or the calendar is another's, to be looked at only."""
CHANGED = Refusal(
    412,
    "ErrorIrresolvableConflict",
    "The send or update operation could not be performed because the change key passed in the request does not match "
    "the current change key for the item.",
)
"""The event is of another ETag."""
UNAUTHORISED = Refusal(
    401,
    "InvalidAuthenticationToken",
    "Access token has expired or is not yet valid.",
    {"WWW-Authenticate": 'Bearer realm="", error="invalid_token"'},
)
"""The access token is none, or none any more."""
