"""A reply as an HTTP answer: a stream of events (SSE), or one JSON object."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

import orjson
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from switchboard.channels.http.answer import json_answer
from switchboard.channels.portal.event_view import EventView
from switchboard.channels.portal.reply import Reply
from switchboard.contract.json import JsonObject

BEAT_S: Final = 10.0
# Proxies would otherwise collect an answer before they pass it on.
_UNBUFFERED: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_NO_STORE: Final = {"Cache-Control": "no-store"}
# What nginx writes into its log for a client that did not wait; nobody reads this answer.
_CLIENT_GONE: Final = 499


class EventStream(StreamingResponse):
    """Streams a reply as `text/event-stream`; whoever goes away no longer wants it.

    Events are `text`, `tool`, `ask`, `receipt`, `intent` and `done`. The id of each is `<turn>.<number>`.
    """

    def __init__(self, reply: Reply, beat_s: float = BEAT_S) -> None:
        """Show that the line is open at least every `beat_s`."""
        super().__init__(_written(reply, beat_s), headers=_UNBUFFERED, media_type="text/event-stream")
        self._reply = reply

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        with self._reply.listening():
            await super().__call__(scope, receive, send)


async def _written(reply: Reply, beat_s: float) -> AsyncIterator[bytes]:
    number = 0
    async for event in reply.follow(beat_s):
        if event is None:
            yield b": still here\n\n"
            continue
        yield b"event: %b\nid: %d.%d\ndata: %b\n\n" % (
            event.name.encode(),
            reply.turn,
            number,
            orjson.dumps(event.data),
        )
        number += 1


async def whole_answer(request: Request, reply: Reply, session_id: str) -> Response:
    """Return a reply as `{sessionId, turn, outcome, text, ask, receipts, events}`, once it has ended.

    `text` is what was said, without fillers; `ask` is the question that is open now, or null.
    """
    with reply.listening():
        waiting = [asyncio.create_task(reply.ended()), asyncio.create_task(_gone(request))]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()
    if not reply.has_ended:
        return Response(status_code=_CLIENT_GONE)
    return json_answer(orjson.dumps({"sessionId": session_id, **_summary(reply.events)}), headers=dict(_NO_STORE))


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _summary(events: list[EventView]) -> JsonObject:
    asked = [e.data for e in events if e.name == "ask"]
    return {
        "turn": events[-1].data["turn"],
        "outcome": events[-1].data["outcome"],
        "text": _said(events).strip(),
        "ask": asked[-1] if asked else None,
        "receipts": [e.data for e in events if e.name == "receipt"],
        "events": [{"event": e.name, "data": e.data} for e in events],
    }


def _said(events: list[EventView]) -> str:
    said = ""
    for data in (event.data for event in events if event.name == "text" and not event.data["filler"]):
        # A filler in between had blanks on both sides.
        said += data["text"].lstrip(" ") if said[-1:].isspace() else data["text"]
    return said
