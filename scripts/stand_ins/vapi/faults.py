"""What goes wrong on demand, and what was asked: the controls that the stand-in has and Vapi has not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from stand_ins import faults
from stand_ins.faults import Act, Fault, dropped
from stand_ins.vapi.account import pinned
from stand_ins.vapi.refusal import Refusal

_SOURCE = {"sourceType": "squad", "sourceId": "0f0f0f0f-0000-4000-8000-00000000000a"}
_WRITE_CONFLICT = {"error": "tool_write_conflict", "message": "The tool is being changed by another request."}
_DRAFT = {
    "existingDraftId": "0f0f0f0f-0000-4000-8000-00000000000b",
    "error": "draft_exists",
    "message": "A draft exists.",
}
# What Vapi answers without having done anything.
REFUSALS = {
    "400": Refusal(400, ["name must be shorter than or equal to 40 characters"]),
    "401": Refusal(401, "Invalid Key. Hot tip, you may be using the public key instead of the private key."),
    "402": Refusal(402, "Your wallet balance is too low."),
    "403": Refusal(403, "Key doesn't allow this."),
    "404": Refusal(404, "Not found."),
    "409": Refusal(409, "Conflict."),
    "version-pinned": pinned([_SOURCE]),
    "write-conflict": Refusal(409, "", _WRITE_CONFLICT),
    "draft": Refusal(409, "", _DRAFT),
    "429": Refusal(429, "Too Many Requests"),
    "500": Refusal(500, "Internal server error"),
    "503": Refusal(503, "Service Unavailable"),
}
# `accept-then-...` does what is asked first, and then does not say so.
MODES = (*REFUSALS, "accept-then-drop", "accept-then-500", "drop", "slow", "not-json", "redirect")


class Faults(faults.Faults):
    """The faults that are set, and the journal of requests. Keys stand in neither."""

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

    async def answer(self, name: str, request: Request, act: Act) -> Response:
        """Answer a request as the method does, or as a fault wants it, and write it down."""
        content = await request.body()
        line: dict[str, Any] = {
            "method": name,
            "http": request.method,
            "path": request.url.path,
            "query": dict(request.query_params),
            "body": _json(content),
            "userAgent": request.headers.get("user-agent", ""),
        }
        return await self.answered(line, partial(_answer, request, act))


def _json(content: bytes) -> Any:
    try:
        return json.loads(content) if content else None
    except ValueError:
        return None


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
        return Response("<html>All is well</html>", 200, media_type="text/html")
    if mode == "redirect":
        return Response(status_code=307, headers={"location": "/tool"})
    if mode == "accept-then-500":
        await act()
        raise REFUSALS["500"]
    if mode in ("drop", "accept-then-drop"):
        if mode == "accept-then-drop":
            await act()
        return dropped(request)
    return await act()
