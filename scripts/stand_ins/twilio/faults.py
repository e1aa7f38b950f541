"""What goes wrong on demand, and what was asked: the controls that the stand-in has and Twilio has not."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from stand_ins.twilio.refusal import Refusal

_SLOW_S = 10.0
_REMEMBERED = 5_000
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

Act = Callable[[], Awaitable[Response]]


@dataclass
class Fault:
    """What happens to the next requests to a method (`*`: any), to a number (None: any); `times` None never ends."""

    method: str
    mode: str
    times: int | None = 1
    seconds: float = _SLOW_S
    to: str | None = None


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
            raise Refusal(400, 20001, f"a fault is {{method, mode, times}}; modes are {', '.join(MODES)}")
        self.waiting.append(Fault(method, mode, times, float(body.get("seconds", _SLOW_S)), body.get("to")))

    async def answer(self, name: str, request: Request, fields: Sequence[tuple[str, str]], act: Act) -> Response:
        """Answer a request as the method does, or as a fault wants it, and write it down."""
        line: dict[str, Any] = {
            "method": name,
            "http": request.method,
            "path": request.url.path,
            "fields": [list(pair) for pair in fields],
            "userAgent": request.headers.get("user-agent", ""),
        }
        self.journal[:] = [*self.journal[-_REMEMBERED:], line]
        fault = self._due(name, dict(fields).get("To"))
        line["fault"] = fault.mode if fault else None
        try:
            answer = await _answer(request, fault, act)
        except Refusal as refusal:
            answer = refusal.answer()
        line["status"] = answer.status_code
        return answer

    def _due(self, name: str, to: str | None) -> Fault | None:
        for fault in self.waiting:
            if fault.method in ("*", name) and fault.to in (None, to):
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
        request.scope["extensions"]["stand_in.drop"]()
        # Nobody reads it any more; it is for the journal.
        return Response(status_code=499)
    return await act()
