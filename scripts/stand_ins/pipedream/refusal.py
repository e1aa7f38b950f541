"""Pipedream's way of saying no: `{error, code?, details?}`."""

from __future__ import annotations

from starlette.responses import JSONResponse

from stand_ins.faults import SaysNo


class Refusal(SaysNo):
    """An answer that says no, by HTTP status."""

    def __init__(self, status: int, error: str, **details: object) -> None:
        super().__init__(f"{status}: {error}")
        self.status, self.error, self.details = status, error, details

    def answer(self) -> JSONResponse:
        """Return it as Pipedream words it."""
        return JSONResponse({"error": self.error} | ({"details": self.details} if self.details else {}), self.status)
