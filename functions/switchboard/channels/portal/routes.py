"""`/portal/…`: sessions, chat and history, and the page that uses them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Final

import orjson
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from switchboard.channels.http.answer import NO_STORE, UNBUFFERED, explained, json_answer
from switchboard.channels.http.page import SAME_SERVER, Streams, WebPage
from switchboard.channels.http.request_body import Malformed, json_object, named_id
from switchboard.channels.portal.auth import PortalAuth
from switchboard.channels.portal.events import EventView, news_of, transcript_of
from switchboard.channels.portal.replies import (
    LONGEST_TEXT,
    Replies,
    Reply,
    read_message,
)
from switchboard.channels.portal.sessions import Visits
from switchboard.channels.stranger_shares import Looks
from switchboard.contract.error import ErrorType
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.python.dataclass import dataclass

BEAT_S: Final = 10.0
# What nginx writes into its log for a client that did not wait; nobody reads this answer.
_CLIENT_GONE: Final = 499
_MOST_DIGITS: Final = 9
_PAGE: Final = Path(__file__).with_name("page")
_UNREADABLE: Final = "The portal cannot be reached right now; try again in a moment."
_STATUSES: Final = {ErrorType.AUTH: 401, ErrorType.RATE_LIMIT: 429}


async def _no_demonstration(business_id: str) -> JsonObject | None:
    return None


@dataclass(frozen=True, slots=True)
class PortalParts:
    """What the portal works with.

    Attributes:
        store: Holds the records of conversations.
        paths: Where they are in it.
        clock: Tells whether a question is still open.
        door: Lets requests in.
        visits: Begins visits.
        replies: Answers messages.
        demonstration: What is shown of a business where no language model is connected, None where one is; never
            raises.
        beat_s: How often a stream shows at least that it is open.
        streams: Where the page has its conversations.
    """

    store: Store
    paths: Paths
    clock: Clock
    door: PortalAuth
    visits: Visits
    replies: Replies
    demonstration: Callable[[str], Awaitable[JsonObject | None]] = _no_demonstration
    beat_s: float = BEAT_S
    streams: Streams = SAME_SERVER


def routes(parts: PortalParts) -> list[Route]:
    """Return the routes of the `portal` function, without its path prefix."""

    async def with_demo(answer: JsonObject) -> JsonObject:
        demo = await parts.demonstration(answer["businessId"])
        return answer if demo is None else {**answer, "demo": demo}

    async def session(request: Request) -> Response:
        visit = await parts.visits.begin(request, await json_object(request))
        return json_answer(orjson.dumps(await with_demo(visit)), headers=NO_STORE)

    async def chat(request: Request) -> Response:
        body = await json_object(request)
        visitor = await parts.door.admit(request, body)
        message = read_message(body)
        reply = await parts.replies.to(visitor, message)
        if "text/event-stream" in request.headers.get("accept", "").lower():
            return EventStream(reply, parts.beat_s)
        return await whole_answer(request, reply, visitor.context.session_id)

    async def stop(request: Request) -> Response:
        body = await json_object(request)
        visitor = await parts.door.admit(request, body)
        return json_answer(orjson.dumps({"stopped": parts.replies.stop(visitor, named_id(body, "messageId"))}))

    looks = Looks(parts.clock)

    async def history(request: Request) -> Response:
        visitor = await parts.door.admit(request, request.query_params)
        looks.spend(visitor.context)
        transcript = await transcript_of(parts.store, parts.paths, parts.clock, visitor.context)
        known = {
            "businessId": visitor.context.business_id,
            "sessionId": visitor.context.session_id,
            "business": visitor.portal.document(),
        }
        return json_answer(orjson.dumps(await with_demo(known | transcript)), headers=NO_STORE)

    async def news(request: Request) -> Response:
        visitor = await parts.door.admit(request, request.query_params)
        looks.spend(visitor.context)
        after = read_turn(request.query_params.get("after", ""))
        told = await news_of(parts.store, parts.paths, parts.clock, visitor.context, after)
        return json_answer(orjson.dumps(told), headers=NO_STORE)

    return [
        *WebPage(_PAGE, parts.streams, values={"longestText": str(LONGEST_TEXT)}).routes(),
        Route("/session", explained(session, _UNREADABLE, _STATUSES), methods=["POST"]),
        Route("/chat", explained(chat, _UNREADABLE, _STATUSES), methods=["POST"]),
        Route("/stop", explained(stop, _UNREADABLE, _STATUSES), methods=["POST"]),
        Route("/history", explained(history, _UNREADABLE, _STATUSES), methods=["GET"]),
        Route("/news", explained(news, _UNREADABLE, _STATUSES), methods=["GET"]),
    ]


def read_turn(text: str) -> int:
    """Return the number of a turn in a query; 0 where none is named.

    Raises:
        Malformed: It is no number.
    """
    if text and not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise Malformed("after", "after must be the number of a turn.")
    return int(text or 0)


class EventStream(StreamingResponse):
    """Streams a reply as `text/event-stream`; whoever goes away no longer wants it.

    Events are `text`, `tool`, `ask`, `receipt`, `intent` and `done`. The id of each is `<turn>.<number>`.
    """

    def __init__(self, reply: Reply, beat_s: float = BEAT_S) -> None:
        """Show that the line is open at least every `beat_s`."""
        super().__init__(_lines(reply, beat_s), headers=UNBUFFERED, media_type="text/event-stream")
        self._reply = reply

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        with self._reply.listening():
            await super().__call__(scope, receive, send)


async def _lines(reply: Reply, beat_s: float) -> AsyncIterator[bytes]:
    number = 0
    async for event in reply.follow(beat_s):
        if event is None:
            yield b": still here\n\n"
            continue
        yield event.line(f"{reply.turn}.{number}")
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
    return json_answer(orjson.dumps({"sessionId": session_id, **_summary(reply.events)}), headers=NO_STORE)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _summary(events: list[EventView]) -> JsonObject:
    asked = [e.data for e in events if e.name == "ask"]
    return {
        "turn": events[-1].data["turn"],
        "outcome": events[-1].data["outcome"],
        "text": _spoken_text(events).strip(),
        "ask": asked[-1] if asked else None,
        "receipts": [e.data for e in events if e.name == "receipt"],
        "events": [{"event": e.name, "data": e.data} for e in events],
    }


def _spoken_text(events: list[EventView]) -> str:
    text = ""
    for data in (event.data for event in events if event.name == "text" and not event.data["filler"]):
        # A filler in between had blanks on both sides.
        text += data["text"].lstrip(" ") if text[-1:].isspace() else data["text"]
    return text
