"""What goes wrong on demand, and what was asked: the controls that the stand-in has and Graph has not."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from stand_ins import faults
from stand_ins.faults import Act, dropped
from stand_ins.microsoft_graph_accounts import refused
from stand_ins.microsoft_graph_refusal import NO_ACCESS, NOT_FOUND, UNAUTHORISED, Refusal, invalid, later

MODES = ("401", "invalid_grant", "403", "404", "429", "503", "500", "504", "accept-then-drop", "slow")
_REFUSALS = {
    "401": UNAUTHORISED,
    "403": NO_ACCESS,
    "404": NOT_FOUND,
    "500": Refusal(500, "ErrorInternalServerError", "An internal server error occurred. The operation failed."),
    "504": Refusal(504, "UnknownError", ""),
}


@dataclass
class Fault(faults.Fault):
    """What happens to the next requests to a method; `seconds` are those of Retry-After, or of a slow answer."""

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
            raise invalid(str(error)) from None

    async def answer(self, name: str, request: Request, act: Act) -> Response:
        """Answer a request as the method does, or as a fault wants it, and write it down."""
        line: dict[str, Any] = {
            "method": name,
            "http": request.method,
            "path": request.url.path,
            "query": request.url.query,
            "ifMatch": request.headers.get("if-match"),
            "prefer": request.headers.get("prefer"),
            "hasBearer": request.headers.get("authorization", "").startswith("Bearer "),
        }
        return await self.answered(line, partial(_answered, request, act))


async def _answered(request: Request, act: Act, fault: faults.Fault | None) -> Response:
    if fault is None:
        return await act()
    if fault.mode == "invalid_grant":
        return refused(70008)
    if fault.mode in ("429", "503"):
        return later(int(fault.mode), fault.seconds).answer()
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
