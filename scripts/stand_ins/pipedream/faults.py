"""What goes wrong on demand, and what was asked: the controls that the stand-in has and Pipedream has not."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from stand_ins.pipedream.project import broken
from stand_ins.pipedream.refusal import Refusal

_SLOW_S = 10.0
_REMEMBERED = 5_000
# What Pipedream answers without having done anything.
REFUSALS = {
    "expired-token": Refusal(401, "The access token expired"),
    "400": Refusal(400, "Bad request"),
    "402": Refusal(402, "Out of credits"),
    "403": Refusal(403, "Forbidden"),
    "429": Refusal(429, "Too many requests"),
    "500": Refusal(500, "Internal server error"),
    "503": Refusal(503, "Service unavailable"),
}
# A success by its status: the action's own code failed, perhaps after half of what it does.
BREAKS = {
    "component-error": ("Error", "Cannot read properties of undefined (reading 'id')"),
    "component-401": ("AxiosError", "Request failed with status code 401"),
    "component-429": ("AxiosError", "Request failed with status code 429"),
    "observed-error": ("Error", "The spreadsheet is protected"),
}
# `accept-then-...` does what is asked first, and then does not say so.
MODES = (*REFUSALS, *BREAKS, "accept-then-drop", "accept-then-500", "drop", "slow", "slow-then-accept", "not-json")

Act = Callable[[], Awaitable[Response]]


@dataclass
class Fault:
    """What happens to the next requests to a method (`*`: any); `times` None never ends."""

    method: str
    mode: str
    times: int | None = 1
    seconds: float = _SLOW_S


@dataclass
class Faults:
    """The faults that are set, and the journal of requests. Secrets of a request stand in neither."""

    waiting: list[Fault] = field(default_factory=list)
    journal: list[dict[str, Any]] = field(default_factory=list)

    def set(self, body: Mapping[str, Any]) -> None:
        """Set one fault.

        Raises:
            Refusal: It is none that can be.
        """
        method, mode, times = body.get("method", "*"), body.get("mode"), body.get("times", 1)
        if mode not in MODES or not isinstance(method, str) or not (times is None or isinstance(times, int)):
            raise Refusal(400, f"a fault is {{method, mode, times}}; modes are {', '.join(MODES)}")
        self.waiting.append(Fault(method, mode, times, float(body.get("seconds", _SLOW_S))))

    async def answer(self, name: str, request: Request, body: Any, act: Act) -> Response:
        """Answer a request as the method does, or as a fault wants it, and write it down."""
        line: dict[str, Any] = {
            "method": name,
            "http": request.method,
            "path": request.url.path,
            "query": request.url.query,
            "environment": request.headers.get("x-pd-environment"),
            "body": None if name == "token" else body,
        }
        self.journal[:] = [*self.journal[-_REMEMBERED:], line]
        fault = self._due(name)
        line["fault"] = fault.mode if fault else None
        try:
            answer = await _answer(request, fault, act)
        except Refusal as refusal:
            answer = refusal.answer()
        line["status"] = answer.status_code
        return answer

    def _due(self, name: str) -> Fault | None:
        for fault in self.waiting:
            if fault.method in ("*", name):
                if fault.times is not None:
                    fault.times -= 1
                    if fault.times <= 0:
                        self.waiting.remove(fault)
                return fault
        return None


async def _answer(request: Request, fault: Fault | None, act: Act) -> Response:
    mode = fault.mode if fault else ""
    if mode in REFUSALS:
        raise REFUSALS[mode]
    if mode in BREAKS:
        answer = broken(*BREAKS[mode])
        if mode == "observed-error":
            # Not every version of the service says it twice.
            del answer["error"]
        return JSONResponse(answer)
    if fault is not None and mode.startswith("slow"):
        done = await act() if mode == "slow" else None
        await asyncio.sleep(fault.seconds)
        return done or await act()
    if mode == "not-json":
        await act()
        return Response("<html>Bad gateway</html>", 200, media_type="text/html")
    if mode == "accept-then-500":
        await act()
        raise REFUSALS["500"]
    if mode in ("drop", "accept-then-drop"):
        if mode == "accept-then-drop":
            await act()
        request.scope["extensions"]["stand_in.drop"]()
        # Nobody reads it any more; it is for the journal.
        return Response(status_code=499)
    return await act()
