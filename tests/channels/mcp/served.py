"""A salon's tools served as an MCP server by a real uvicorn on 127.0.0.1, for the protocol's official client."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult
from starlette.applications import Starlette

from switchboard.app import asgi
from switchboard.app.container import Container, build
from switchboard.app.settings import read_configuration
from switchboard.channels.http.answer import HANDLERS
from switchboard.channels.http.idempotency import Redeliveries
from switchboard.channels.mcp.auth import McpAuth, OriginCheck
from switchboard.channels.mcp.elicitation import Elicitations, ElicitedQuestions
from switchboard.channels.mcp.routes import routes
from switchboard.channels.mcp.tools import Toolbox

KEY, READER, RIVAL = "sb_salon", "sb_reader", "sb_plumber"
SIGNING = b"k" * 32


def app_over(store: Any, public_url: str | None = None, patience_s: float = 300, clock: Any = None) -> Starlette:
    """Return one instance of the server over a store, by a clock of its own if one is given."""
    house = house_over(store, clock)
    toolbox = toolbox_of(house)
    elicitations = Elicitations(SIGNING, store, house.paths, house.clock, patience_s=patience_s)
    own = routes(toolbox, elicitations, McpAuth(house.credentials), OriginCheck.of(public_url, is_local=True))
    return Starlette(routes=list(asgi.under("/mcp", own)), exception_handlers=HANDLERS)


def house_over(store: Any, clock: Any = None) -> Container:
    """Return what a server is made of."""
    house = build(read_configuration({}), store)
    if clock is not None:
        house.clock = clock
    return house


def toolbox_of(house: Container) -> Toolbox:
    """Return its tools."""
    parts = (house.catalog, lambda: house.dispatcher, house.approvals, ElicitedQuestions(SIGNING), house.clock)
    return Toolbox(*parts, Redeliveries(house.store, house.paths, house.clock))


@dataclass
class Human:
    """Who sits before the client: answers every question alike, and remembers what was asked."""

    action: Any = "accept"
    asked: list[str] = field(default_factory=list)

    async def answer(self, context: Any, params: Any) -> ElicitResult:
        self.asked.append(params.message)
        return ElicitResult(action=self.action, content={} if self.action == "accept" else None)


@asynccontextmanager
async def client(
    base: str, *, key: str = KEY, mode: str = "auto", human: Human | None = None, query: str = ""
) -> AsyncIterator[Client]:
    """Give the official client, connected to the salon."""
    url = f"{base}/mcp/demo-salon{query}"
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=300, verify=False) as http:
        answering = human.answer if human else None
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode=mode, elicitation_callback=answering) as found:
            yield found
