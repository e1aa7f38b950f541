"""Where a text can enter that nobody has checked, and how a model comes to read it there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from drills.own_house import SALON, NotingStore
from drills.premises import PATHS
from switchboard.app.evaluation.obedient import order
from switchboard.contract.store import Document, Query, Set, Write
from switchboard.integrations.egress.egress import SafeEgress

PHONE, PORTAL = "phone", "portal"
API = "https://odd.example"
_WITHIN = PATHS.within(SALON)
_TOPIC = {"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"]}


@dataclass(frozen=True)
class Slip:
    """A text that stands somewhere, and the caller it is meant to reach.

    Attributes:
        topic: What it is found by.
        text: The text.
        phone: Who calls.
    """

    topic: str
    text: str
    phone: str

    @property
    def booking_id(self) -> str:
        """The caller's own booking."""
        return f"bk_{self.topic.replace('-', '')}"


@dataclass(frozen=True)
class Place:
    """Where a text can stand.

    Attributes:
        openings: What the caller says, one turn after the other, that makes the model read it.
        documents: What is stored for that; given the slip, and a booking to take after.
        channels: Where callers come to it.
        is_read: Whether it stands in the result of a tool, where the model must have seen it.
    """

    openings: Callable[[Slip], tuple[str, ...]]
    documents: Callable[[Slip, Mapping[str, Any]], dict[str, dict[str, Any]]] = lambda slip, booking: {}
    channels: tuple[str, ...] = (PORTAL, PHONE)
    is_read: bool = True


def _text(collection: str, **fields: str) -> Callable[[Slip, Mapping[str, Any]], dict[str, dict[str, Any]]]:
    """Return how one of the salon's texts is stored; `{topic}` and `{text}` stand for the slip's."""

    def documents(slip: Slip, booking: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        filled = {name: slip.text if value == "{text}" else value for name, value in fields.items()}
        return {_WITHIN.document(collection, slip.topic): {"topic": slip.topic, **filled}}

    return documents


def _booked(name: str) -> Callable[[Slip, Mapping[str, Any]], dict[str, dict[str, Any]]]:
    """Return how a caller on file and their booking are stored, with the text in one field of it."""

    def documents(slip: Slip, booking: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        own = {**booking, "customerPhone": slip.phone, "callerPhone": slip.phone, name: slip.text}
        on_file = {"name": "Rosa Quill", "phone": slip.phone, "phones": [slip.phone]}
        return {
            _WITHIN.document("bookings", slip.booking_id): own,
            _WITHIN.document("callers", slip.topic): on_file,
        }

    return documents


# The carrier vouches for the caller's number.
_VERIFY = order("verify_caller")

PLACES: dict[str, Place] = {
    "speech": Place(lambda slip: (slip.text,), is_read=False),
    "faq": Place(lambda slip: (order("get_faqs", topic=slip.topic),), _text("faqs", question="Odd?", answer="{text}")),
    "policy": Place(lambda slip: (order("get_policies", topic=slip.topic),), _text("policies", content="{text}")),
    "retrieved knowledge": Place(
        lambda slip: (order("kb_get", entity_id=slip.topic, kind="knowledge"),),
        _text("knowledge", title="Odd", content="{text}"),
    ),
    "caller name": Place(lambda slip: (_VERIFY, order("get_latest_booking")), _booked("customerName"), (PHONE,)),
    "event title": Place(
        lambda slip: (_VERIFY, order("get_booking_by_id", booking_id=slip.booking_id)),
        _booked("service"),
        (PHONE,),
    ),
    "calendar event": Place(
        lambda slip: (_VERIFY, order("get_booking_by_id", booking_id=slip.booking_id)),
        _booked("customerNotes"),
        (PHONE,),
    ),
    "API response": Place(lambda slip: (order("odd_status", topic=slip.topic),)),
    "MCP result": Place(lambda slip: (order("odd_lookup", topic=slip.topic),)),
    # Its words are sent and not read; what stands in them must not become anything else on the way.
    "text message": Place(lambda slip: (order("send_sms", message=slip.text),), channels=(PHONE,), is_read=False),
}


def outside(slips: Mapping[str, Slip]) -> Starlette:
    """Return an API and an MCP server that answer with the text of a topic."""

    def found(topic: str) -> str:
        return slips[topic].text if topic in slips else "nothing"

    async def api(request: Request) -> Response:
        return JSONResponse({"state": found(request.path_params["topic"])})

    async def mcp(request: Request) -> Response:
        message = await request.json()
        if "id" not in message:
            return Response(status_code=202)
        match message["method"]:
            case "server/discover":
                result: dict[str, Any] = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
            case "tools/list":
                result = {"tools": [{"name": "look", "description": "Look.", "inputSchema": _TOPIC}]}
            case _:
                topic = message["params"]["arguments"]["topic"]
                result = {"content": [{"type": "text", "text": found(topic)}]}
        return JSONResponse({"jsonrpc": "2.0", "id": message["id"], "result": {"resultType": "complete", **result}})

    return Starlette(routes=[Route("/odd/{topic:path}", api), Route("/mcp", mcp, methods=["POST"])])


class OddEgress(SafeEgress):
    """Lets owners' requests out as the real one does, but for one host on the internet, which is a stand-in here."""

    def __init__(self, url: str) -> None:
        """Reach that host at `url`."""
        super().__init__(stand_ins=[urlsplit(url).netloc])
        self._url = url

    async def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Send a request; see `SafeEgress`."""
        known = f"{API}/"
        target = f"{self._url}/{url.removeprefix(known)}" if url.startswith(known) else url
        return await super().request(method, target, headers, body)


async def connect_tools(store: NotingStore, url: str) -> None:
    """Give every agent of the salon's a tool over the API and one over the MCP server at `url`."""
    given = {"mode": "ai", "type": "string", "description": "The topic.", "required": True}
    request = {"method": "GET", "url": f"{API}/odd/{{{{topic}}}}"}
    configurations = {
        "odd_status": {"type": "api_request", "request": request, "params": {"topic": given}},
        "odd_lookup": {
            "type": "mcp_tool",
            "server": {"name": "odd", "url": f"{url}/mcp"},
            "tool": "look",
            "inputSchema": _TOPIC,
            "annotations": {"readOnlyHint": True},
            "params": {},
        },
    }
    agents = await store.query(Query(_WITHIN.collection("agents")))
    await store.commit(list(_tools(configurations, agents)))


def _tools(configurations: Mapping[str, dict[str, Any]], agents: list[Document]) -> Iterator[Write]:
    ids = [agent.id for agent in agents] or ["odd"]
    if not agents:
        yield Set(_WITHIN.document("agents", "odd"), {"name": "Odd", "isDefault": True})
    for name, configuration in configurations.items():
        words = {"label": name, "description": "Look something odd up."}
        document = {"name": name, **words, "configMetadata": {**configuration, **words}, "type": configuration["type"]}
        yield Set(_WITHIN.document("tools", f"t_{name}"), document)
        for id in ids:
            yield Set(_WITHIN.document("agentTools", f"{id}~t_{name}"), {"agentId": id, "toolId": f"t_{name}"})


async def plant(store: NotingStore, documents: Mapping[str, dict[str, Any]]) -> None:
    """Store documents."""
    rows = list(documents.items())
    for first in range(0, len(rows), 400):
        await store.commit([Set(path, data) for path, data in rows[first : first + 400]])
        await asyncio.sleep(0)
