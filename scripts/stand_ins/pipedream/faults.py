"""What goes wrong on demand, and what was asked: the controls that the stand-in has and Pipedream has not."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from stand_ins import faults
from stand_ins.faults import Act, Fault, dropped
from stand_ins.pipedream.project import broken
from stand_ins.pipedream.refusal import Refusal

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


class Faults(faults.Faults):
    """The faults that are set, and the journal of requests. Secrets of a request stand in neither."""

    modes = MODES

    def set(self, body: Mapping[str, Any]) -> None:
        """Set one fault.

        Raises:
            Refusal: It is none that can be.
        """
        try:
            self.add(body)
        except faults.NoSuchFault as error:
            raise Refusal(400, str(error)) from None

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
        return await self.answered(line, partial(_answer, request, act))


async def _answer(request: Request, act: Act, fault: Fault | None) -> Response:
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
        return dropped(request)
    return await act()
