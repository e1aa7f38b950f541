"""What goes wrong on demand, and what was asked: the controls that the stand-in has and Twilio has not."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from stand_ins import faults
from stand_ins.faults import Act, Fault, dropped
from stand_ins.twilio.refusal import Refusal

# What Twilio answers without having done anything.
REFUSALS = {
    "401": Refusal(401, 20003, "Authenticate"),
    "429": Refusal(429, 20429, "Too Many Requests"),
    "queue-full": Refusal(429, 21611, "This 'From' number has exceeded the maximum number of queued messages"),
    "opted-out": Refusal(400, 21610, "Attempt to send to unsubscribed recipient"),
    "bad-number": Refusal(400, 21211, "Invalid 'To' Phone Number"),
    "not-mobile": Refusal(400, 21614, "'To' number is not a valid mobile number"),
    "no-permission": Refusal(400, 21408, "Permission to send an SMS has not been enabled for the region"),
    "500": Refusal(500, 20500, "An internal server error has occurred"),
    "503": Refusal(503, 20503, "Service unavailable"),
}
# `accept-then-...` does what is asked first, and then does not say so.
MODES = (*REFUSALS, "accept-then-drop", "accept-then-500", "drop", "slow", "not-json")


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
            raise Refusal(400, 20001, str(error)) from None

    async def answer(self, name: str, request: Request, fields: Sequence[tuple[str, str]], act: Act) -> Response:
        """Answer a request as the method does, or as a fault wants it, and write it down."""
        line: dict[str, Any] = {
            "method": name,
            "http": request.method,
            "path": request.url.path,
            "fields": [list(pair) for pair in fields],
            "userAgent": request.headers.get("user-agent", ""),
        }
        return await self.answered(line, partial(_answer, request, act), dict(fields).get("To"))


async def _answer(request: Request, act: Act, fault: Fault | None) -> Response:
    mode = fault.mode if fault else ""
    if mode in REFUSALS:
        raise REFUSALS[mode]
    if fault is not None and mode == "slow":
        # Slow to read a request, or slow to answer it: its sender cannot tell. Here it is done at once.
        answer = await act()
        await asyncio.sleep(fault.seconds)
        return answer
    if mode == "not-json":
        return Response("<html>Bad gateway</html>", 502, media_type="text/html")
    if mode == "accept-then-500":
        await act()
        raise REFUSALS["500"]
    if mode in ("drop", "accept-then-drop"):
        if mode == "accept-then-drop":
            await act()
        return dropped(request)
    return await act()
