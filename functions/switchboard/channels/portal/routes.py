"""`/portal/…`: sessions, chat and history, and the page that uses them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from switchboard.channels.http.answer import json_answer, refusal
from switchboard.channels.http.request_body import json_object, text
from switchboard.channels.http.streams import SAME_SERVER, Streams
from switchboard.channels.portal.auth import PortalAuth
from switchboard.channels.portal.event_stream import BEAT_S, EventStream, whole_answer
from switchboard.channels.portal.event_view import EventView
from switchboard.channels.portal.message import read_message
from switchboard.channels.portal.page_files import PortalPageFiles
from switchboard.channels.portal.replies import Replies
from switchboard.channels.portal.reply import Reply, answered
from switchboard.channels.portal.sessions import Visits
from switchboard.channels.portal.transcript import transcript_of
from switchboard.contract.context import Context
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Clock, Paths, Store
from switchboard.contract.store import StoreError
from switchboard.conversation.event import TurnOutcome

_UNREADABLE: Final = "The portal cannot be reached right now; try again in a moment."
_NO_STORE: Final = {"Cache-Control": "no-store"}

_Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]


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
        turned_away: Tells whether somebody gets no conversation; never raises.
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
    turned_away: Callable[[Context], Awaitable[bool]]
    demonstration: Callable[[str], Awaitable[JsonObject | None]] = _no_demonstration
    beat_s: float = BEAT_S
    streams: Streams = SAME_SERVER


def routes(parts: PortalParts) -> list[Route]:
    """Return the routes of the `portal` function, without its path prefix."""
    page = PortalPageFiles(parts.streams)

    async def shown(answer: JsonObject) -> JsonObject:
        demo = await parts.demonstration(answer["businessId"])
        return answer if demo is None else {**answer, "demo": demo}

    async def session(request: Request) -> Response:
        begun = await parts.visits.begin(request, await json_object(request))
        return json_answer(orjson.dumps(await shown(begun)), headers=dict(_NO_STORE))

    async def chat(request: Request) -> Response:
        body = await json_object(request)
        guest = await parts.door.admit(request, body)
        message = read_message(body)
        reply: Reply
        if await parts.turned_away(guest.facts):
            farewell = EventView("text", {"text": guest.portal.farewell, "filler": False})
            reply = answered([farewell, EventView("done", {"outcome": TurnOutcome.ENDED.value, "turn": 0})])
        else:
            reply = await parts.replies.to(guest, message)
        if "text/event-stream" in request.headers.get("accept", "").lower():
            return EventStream(reply, parts.beat_s)
        return await whole_answer(request, reply, guest.facts.session_id)

    async def stop(request: Request) -> Response:
        body = await json_object(request)
        guest = await parts.door.admit(request, body)
        return json_answer(orjson.dumps({"stopped": parts.replies.stop(guest, text(body, "messageId"))}))

    async def history(request: Request) -> Response:
        guest = await parts.door.admit(request, request.query_params)
        found = await transcript_of(parts.store, parts.paths, parts.clock, guest.facts)
        known = {
            "businessId": guest.facts.business_id,
            "sessionId": guest.facts.session_id,
            "business": guest.portal.told(),
        }
        return json_answer(orjson.dumps(await shown(known | found)), headers=dict(_NO_STORE))

    return [
        Route("/", page.document, methods=["GET"]),
        Route("/page/{name}", page.asset, methods=["GET"]),
        Route("/session", _explained(session), methods=["POST"]),
        Route("/chat", _explained(chat), methods=["POST"]),
        Route("/stop", _explained(stop), methods=["POST"]),
        Route("/history", _explained(history), methods=["GET"]),
    ]


def _explained(endpoint: _Endpoint) -> _Endpoint:
    """Return the endpoint with the failures of what it works with turned into answers."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except StoreError:
            return refusal(503, ErrorType.TRANSIENT, _UNREADABLE)
        except ToolError as error:
            if error.type is ErrorType.AUTH:
                return refusal(401, error.type, error.message)
            if error.type is not ErrorType.RATE_LIMIT:
                return refusal(503, ErrorType.TRANSIENT, _UNREADABLE)
            refused = refusal(429, error.type, error.message)
            refused.headers["Retry-After"] = str(error.meta.get("retryAfterS", 60))
            return refused

    return answer
