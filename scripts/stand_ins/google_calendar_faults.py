"""What goes wrong on demand, and what was asked: the controls that the stand-in has and Google has not."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from stand_ins.google_calendar_refusal import UNAUTHORISED, Refusal

MODES = ("401", "invalid_grant", "403-rate", "403-quota", "403-forbidden", "429", "500", "accept-then-drop", "slow")
_SLOW_S = 5.0
_REMEMBERED = 5_000
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
class Fault:
    """What happens to the next requests to a method (`*`: any); `times` counts down, None never ends."""

    method: str
    mode: str
    times: int | None = 1
    seconds: float = _SLOW_S


@dataclass
class Faults:
    """The faults that are set, and the journal of requests. Secrets of a request stand in neither."""

    waiting: list[Fault] = field(default_factory=list)
    journal: list[dict[str, Any]] = field(default_factory=list)

    def set(self, body: dict[str, Any]) -> None:
        """Set one fault.

        Raises:
            Refusal: It is none that can be.
        """
        method, mode, times = body.get("method", "*"), body.get("mode"), body.get("times", 1)
        if mode not in MODES or not isinstance(method, str) or not (times is None or isinstance(times, int)):
            raise Refusal(400, "invalid", f"a fault is {{method, mode, times}}; modes are {', '.join(MODES)}")
        self.waiting.append(Fault(method, mode, times, float(body.get("seconds", _SLOW_S))))

    async def answer(self, name: str, request: Request, act: Callable[[], Awaitable[Response]]) -> Response:
        """Answer a request as the method does, or as a fault wants it, and write it down."""
        line = {
            "method": name,
            "http": request.method,
            "path": request.url.path,
            "query": request.url.query,
            "ifMatch": request.headers.get("if-match"),
            "hasBearer": request.headers.get("authorization", "").startswith("Bearer "),
            "acceptEncoding": request.headers.get("accept-encoding"),
        }
        self.journal[:] = [*self.journal[-_REMEMBERED:], line]
        fault = self._due(name)
        line["fault"] = fault.mode if fault else None
        response = await self._with(fault, request, act)
        line["status"] = response.status_code
        return response

    def _due(self, name: str) -> Fault | None:
        for fault in self.waiting:
            if fault.method in (name, "*") and fault.times != 0:
                if fault.times is not None:
                    fault.times -= 1
                return fault
        return None

    async def _with(self, fault: Fault | None, request: Request, act: Callable[[], Awaitable[Response]]) -> Response:
        if fault is None:
            return await act()
        if fault.mode == "invalid_grant":
            return JSONResponse(_INVALID_GRANT, 400)
        if fault.mode in _REFUSALS:
            return _REFUSALS[fault.mode].answer()
        if fault.mode == "slow":
            await asyncio.sleep(fault.seconds)
            return await act()
        response = await act()
        await drop(request)
        return response


async def drop(request: Request) -> None:
    """Break the request's connection, so that nothing more arrives on it."""
    request.scope["extensions"]["stand_in.drop"]()
    # The server learns of it in the loop's next round.
    await asyncio.sleep(0)
