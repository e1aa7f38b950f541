"""How Google says no: one exception, answered in the shape of its APIs."""

from __future__ import annotations

from starlette.responses import JSONResponse

from stand_ins.faults import SaysNo


class Refusal(SaysNo):
    """A request is refused; `reason` is Google's word for why."""

    def __init__(self, status: int, reason: str, message: str, location: str = "", domain: str = "global") -> None:
        super().__init__(f"{status} {reason}: {message}")
        self.status, self.reason, self.message = status, reason, message
        self.location, self.domain = location, domain

    def answer(self) -> JSONResponse:
        """Return the response."""
        row = {"domain": self.domain, "reason": self.reason, "message": self.message}
        if self.location:
            row |= {"locationType": "parameter", "location": self.location}
        body = {"error": {"code": self.status, "message": self.message, "errors": [row]}}
        headers = (
            {"WWW-Authenticate": 'Bearer realm="https://accounts.google.com/", error="invalid_token"'}
            if self.status == 401
            else None
        )
        return JSONResponse(body, self.status, headers=headers)


def invalid(location: str, message: str) -> Refusal:
    """Return that a value cannot be."""
    return Refusal(400, "invalid", message, location)


def required(location: str) -> Refusal:
    """Return that a value is missing."""
    return Refusal(400, "required", f"Required parameter: {location}", location)


NOT_FOUND = Refusal(404, "notFound", "Not Found")
"""There is no such calendar or event, or one may not see it."""
UNAUTHORISED = Refusal(401, "authError", "Invalid Credentials", "Authorization")
"""The access token is none, or none any more."""
NO_SCOPE = Refusal(403, "insufficientPermissions", "Request had insufficient authentication scopes.")
"""The access token is good, but not for this."""
