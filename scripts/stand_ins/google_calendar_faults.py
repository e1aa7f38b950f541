"""What goes wrong on demand, and what was asked: the controls that the stand-in has and Google has not."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from stand_ins import faults
from stand_ins.faults import Act, dropped
from stand_ins.google_calendar_refusal import UNAUTHORISED, Refusal

MODES = ("401", "invalid_grant", "403-rate", "403-quota", "403-forbidden", "429", "500", "accept-then-drop", "slow")
_REFUSALS = {
    "401": UNAUTHORISED,
    "403-rate": Refusal(403, "rateLimitExceeded", "Rate Limit Exceeded", domain="usageLimits"),
    "403-quota": Refusal(403, "quotaExceeded", "Calendar usage limits exceeded.", domain="usageLimits"),
    "403-forbidden": Refusal(403, "forbidden", "Forbidden"),
    "429": Refusal(429, "rateLimitExceeded", "Rate Limit Exceeded", domain="usageLimits"),
    "500": Refusal(500, "backendError", "Backend Error"),
}
_INVALID_GRANT = {"error": "invalid_grant", "error_description": "Token has been expired or revoked."}


@dataclass
class Fault(faults.Fault):
    """What happens to the next requests to a method; what is slow here is done after all."""

    seconds: float = 5.0


class Faults(faults.Faults):
    """The faults that are set, and the journal of requests. Secrets of a request stand in neither."""

    modes, kind = MODES, Fault

    def set(self, body: Mapping[str, Any]) -> None:
        """Set one fault.

        Raises:
            Refusal: It is none that can be.
        """
        try:
            self.add(body)
        except faults.NoSuchFault as error:
            raise Refusal(400, "invalid", str(error)) from None

    async def answer(self, name: str, request: Request, act: Act) -> Response:
        """Answer a request as the method does, or as a fault wants it, and write it down."""
        line: dict[str, Any] = {
            "method": name,
            "http": request.method,
            "path": request.url.path,
            "query": request.url.query,
            "ifMatch": request.headers.get("if-match"),
            "hasBearer": request.headers.get("authorization", "").startswith("Bearer "),
            "acceptEncoding": request.headers.get("accept-encoding"),
        }
        return await self.answered(line, partial(_answered, request, act))


async def _answered(request: Request, act: Act, fault: faults.Fault | None) -> Response:
    if fault is None:
        return await act()
    if fault.mode == "invalid_grant":
        return JSONResponse(_INVALID_GRANT, 400)
    if fault.mode in _REFUSALS:
        return _REFUSALS[fault.mode].answer()
    if fault.mode == "slow":
        await asyncio.sleep(fault.seconds)
        return await act()
    await act()
    answer = dropped(request)
    # The server learns of it in the loop's next round.
    await asyncio.sleep(0)
    return answer
