"""Twilio's way of saying no: `{code, message, more_info, status}`."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse


class Refusal(Exception):
    """An answer that says no, by HTTP status and Twilio's own code."""

    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status, self.code, self.message = status, code, message

    def answer(self) -> JSONResponse:
        """Return it as Twilio words it."""
        more = f"https://www.twilio.com/docs/errors/{self.code}"
        body = {"code": self.code, "message": self.message, "more_info": more, "status": self.status}
        return JSONResponse(body, self.status)


def refused(request: Request, error: Exception) -> JSONResponse:
    """Answer a request that was refused."""
    assert isinstance(error, Refusal)
    return error.answer()
