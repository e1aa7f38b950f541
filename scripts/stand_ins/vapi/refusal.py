"""Vapi's way of saying no: `{message, error, statusCode}`, or a conflict's own body."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.responses import JSONResponse

from stand_ins.faults import SaysNo


class Refusal(SaysNo):
    """An answer that says no; `body` replaces the usual one."""

    def __init__(self, status: int, message: str | list[str], body: Mapping[str, Any] | None = None) -> None:
        super().__init__(f"{status}: {message}")
        usual = {"message": message, "error": HTTPStatus(status).phrase, "statusCode": status}
        self.status, self.body = status, dict(body) if body is not None else usual

    def answer(self) -> JSONResponse:
        """Return it as Vapi words it."""
        return JSONResponse(self.body, self.status)
