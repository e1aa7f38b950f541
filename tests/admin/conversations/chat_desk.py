"""Both sides of a chat: a visitor's browser before the portal, and people of the business before the owners' API."""

from dataclasses import dataclass
from typing import Any

import httpx2 as httpx
from starlette.applications import Starlette
from starlette.routing import Mount

from switchboard.admin.api.serving import owners_app, routes
from switchboard.admin.audit.trail import AuditTrail
from switchboard.admin.conversations.chat_takeover import ChatTakeovers, ChatVisitorFacts
from switchboard.admin.conversations.routes import ConversationEndpoints
from switchboard.admin.conversations.takeover import Takeovers
from switchboard.admin.conversations.takeover_routes import TakeoverEndpoints
from switchboard.channels.http.answer import HANDLERS
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Store
from switchboard.contract.store import Set
from tests.admin.owners_office import HOST, OWN, PATHS, Premises, open_premises, token
from tests.channels.portal import planted
from tests.channels.portal.salon import Browser, Salon
from tests.desk.front_desk import SALON, WatchedStore
from tests.desk.phone_network import MemoryPhoneNetwork

BUSINESS = {**SALON, "name": "Maple Street Hair Studio", "portal": {"visitors": True}, "ai": {"language": "en"}}


async def _rings_nobody(*_: Any) -> str:
    raise AssertionError("nobody is rung for a chat")


@dataclass
class ChatDesk:
    """A salon in whose portal somebody writes, and whose people may answer."""

    premises: Premises
    salon: Salon
    visitor: Browser
    owners: httpx.AsyncClient

    @property
    def id(self) -> str:
        """The chat's."""
        return self.visitor.session_id

    async def ask(self, method: str, below: str = "", person: str = "owner", **more: Any) -> httpx.Response:
        """Ask the owners' API about the chat."""
        business, id = more.pop("business", OWN), more.pop("id", self.id)
        path = f"/admin/businesses/{business}/interactions/{id}{below}"
        return await self.owners.request(method, path, headers=token(person), **more)

    async def take_over(self, name: str | None = "Rosa", **more: Any) -> httpx.Response:
        """Take the chat over."""
        return await self.ask("POST", "/takeover", json={} if name is None else {"name": name}, **more)

    async def write(self, text: str, id: str = "message-1", person: str = "owner", **more: Any) -> httpx.Response:
        """Write to the visitor."""
        return await self.ask("POST", "/takeover/messages", person, json={"id": id, "text": text}, **more)

    async def hand_back(self, person: str = "owner") -> httpx.Response:
        """Let the assistant go on."""
        return await self.ask("POST", "/takeover/hand-back", person, json={})

    async def news(self, after: int = 0) -> JsonObject:
        """Return what the visitor's page learns of a person."""
        path = f"/portal/news?after={after}"
        return (await self.visitor.salon.http.get(path, headers=self.visitor.headers)).json()

    async def record(self) -> JsonObject:
        """Return the chat's record."""
        document = await self.premises.store.get(PATHS.within(OWN).document("interactions", self.id))
        assert document is not None
        return document.data

    async def transcript(self) -> list[tuple[str, str]]:
        """Return who said what, as owners read it."""
        shown = (await self.ask("GET", person="viewer")).json()
        return [(row["role"], row.get("notice") or row["text"]) for row in shown["transcript"]]

    async def restarted(self, *answers: Any) -> "ChatDesk":
        """Return the same from other instances: nothing but the store is left of the ones before."""
        return await _desk(self.premises, Salon(*answers, store=self.premises.store), self.visitor.begun, self.salon)


async def _desk(
    premises: Premises, salon: Salon, begun: JsonObject | None = None, before: Salon | None = None
) -> ChatDesk:
    if before is not None:
        salon.clock.moment = before.clock.moment
    store, clock = premises.store, salon.clock
    trail = AuditTrail(store, PATHS, clock)

    async def facts(business_id: str, record: JsonObject) -> ChatVisitorFacts:
        return ChatVisitorFacts("Maple Street Hair Studio", "en")

    chats = ChatTakeovers(store, PATHS, clock, trail, facts)
    takeovers = Takeovers(store, PATHS, clock, trail, MemoryPhoneNetwork(clock), _rings_nobody, chats)
    looking = ConversationEndpoints(premises.office.interactions, premises.office.sessions).endpoints
    endpoints = (*TakeoverEndpoints(takeovers, chats).endpoints, *looking)
    app = Starlette(routes=[Mount("/admin", owners_app(routes(endpoints, premises.access), HANDLERS))])
    owners = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=HOST)
    visitor = await salon.visitor(OWN) if begun is None else Browser(salon, begun)
    return ChatDesk(premises, salon, visitor, owners)


async def open_chat_desk(store: Store, *answers: Any) -> ChatDesk:
    """Open one; `answers` are the model's, in order."""
    planted.forget()
    premises = await open_premises(WatchedStore(store))
    await premises.store.commit([Set(PATHS.within(OWN).business, BUSINESS)])
    return await _desk(premises, Salon(*answers, store=premises.store))
