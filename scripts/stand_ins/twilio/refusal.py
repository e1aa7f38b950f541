"""Twilio's way of saying no: `{code, message, more_info, status}`."""

from __future__ import annotations

from starlette.responses import JSONResponse

from stand_ins.faults import SaysNo


class Refusal(SaysNo):
    """An answer that says no, by HTTP status and Twilio's own code."""

    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status, self.code, self.message = status, code, message

    def answer(self) -> JSONResponse:
        """Return it as Twilio words it."""
        more = f"https://www.twilio.com/docs/errors/{self.code}"
        body = {"code": self.code, "message": self.message, "more_info": more, "status": self.status}
        return JSONResponse(body, self.status)
