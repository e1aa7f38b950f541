"""The definitions' side of the owners' API, over a store, with a running catalog and dispatcher beside it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2 as httpx
from starlette.routing import Mount

from switchboard.admin.access.access import Access
from switchboard.admin.api import openapi
from switchboard.admin.api.serving import owners_app, routes
from switchboard.admin.definitions.canaries import Canaries
from switchboard.admin.definitions.definition_set import publish, read_published, storable
from switchboard.admin.definitions.history import DefinitionHistory
from switchboard.admin.definitions.record import DefinitionRecords
from switchboard.admin.definitions.replay import Replay
from switchboard.admin.definitions.routes import DefinitionChangeEndpoints, DefinitionEndpoints
from switchboard.admin.definitions.service import DefinitionService
from switchboard.admin.evals.gate import PublishGate
from switchboard.admin.evals.playing import Playing
from switchboard.catalog.offer.catalog import Options
from switchboard.catalog.offer.offer import Offer
from switchboard.channels.http.answer import HANDLERS
from switchboard.channels.http.credentials import Credentials, Rejected
from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Store
from switchboard.contract.response import ToolResponse
from switchboard.contract.store import Set
from switchboard.state.paths import FirestorePaths
from tests.admin.evals.playing_as import PlayedAs
from tests.admin.owners_office import HOST, OTHER, OWN, SignIns, token
from tests.desk.front_desk import StoppedClock
from tests.pipeline import planted
from tests.pipeline.conftest import Instance

PATHS = FirestorePaths()
LOOK: JsonObject = {
    "name": "look",
    "category": "general",
    "kind": "retrieval",
    "channels": ["phone", "portal", "browser_voice"],
    "description": "Look up a word for callers of {{business.name}} who ask what it means.",
    "parameters": {
        "type": "object",
        "properties": {
            "word": {"type": "string", "default": "hello", "description": "The word."},
            "times": {"type": "integer", "default": 1, "description": "How often."},
        },
    },
    "requires": [],
}
WORD = LOOK["parameters"]["properties"]
NEW: JsonObject = {"description": "Look up what a word means when a caller of {{business.name}} asks for its meaning."}
# What the salon's callers' models are told by the one and by the other.
OLD_WORDS = "Look up a word for callers of Salon who ask what it means."
NEW_WORDS = "Look up what a word means when a caller of Salon asks for its meaning."


@dataclass
class DefinitionHouse:
    """A platform admin, owners, and two businesses that are served from the same store."""

    store: Store
    clock: StoppedClock
    running: Instance
    office: DefinitionService
    browser: httpx.AsyncClient
    document: JsonObject

    async def ask(self, method: str, path: str, person: str = "platform", **more: Any) -> httpx.Response:
        """Send a request below `/admin/definitions`, a second after the one before."""
        return await self.send(method, f"/definitions{path}", person, **more)

    async def send(self, method: str, path: str, person: str = "platform", **more: Any) -> httpx.Response:
        """Send a request below `/admin`."""
        self.clock.wait(1)
        headers = token(person)
        revision = more.pop("revision", None)
        if revision is not None:
            headers["If-Match"] = f'"{revision}"'
        return await self.browser.request(method, f"/admin{path}", headers=headers, **more)

    async def found(self, path: str, person: str = "platform", **more: Any) -> JsonObject:
        """Read something that is there."""
        answer = await self.ask("GET", path, person, **more)
        assert answer.status_code == 200, answer.text
        body: JsonObject = answer.json()
        return body

    async def change(self, method: str, path: str, body: JsonObject | None = None, *, tool: str = "look") -> JsonObject:
        """Change a tool's definition, based on what is there now."""
        revision = (await self.found(f"/{tool}"))["revision"]
        answer = await self.ask(method, f"/{tool}{path}", json=body or {}, revision=revision)
        assert answer.status_code == 200, answer.text
        found: JsonObject = answer.json()
        return found

    async def draft(self, **fields: Any) -> JsonObject:
        """Save a draft of `look`."""
        return await self.change("PUT", "/draft", {"document": LOOK | fields})

    async def acknowledged(self) -> str:
        """Replay the draft and return the report's hash."""
        return str((await self.found("/look/replay"))["hash"])

    async def publish(self, **fields: Any) -> JsonObject:
        """Save a draft, look at what it changes, and publish it."""
        await self.draft(**fields)
        return await self.change("POST", "/publish", {"acknowledged": await self.acknowledged()})

    async def offer(self, business: str = OWN, session: str | None = None, channel: Channel = Channel.PORTAL) -> Offer:
        """Return what a business offers right now."""
        return await self.running.catalog.get_tool_definitions(business, Options(channel, session))

    async def words(self, business: str = OWN, session: str | None = None) -> str | None:
        """Return how `look` is described there; None where it is not offered."""
        tool = (await self.offer(business, session)).named("look")
        return tool.definition.description if tool else None

    async def call(self, name: str, args: JsonObject, business: str = OWN, call_id: str = "c1") -> ToolResponse:
        """Have a model call a tool."""
        context = CONTEXTS[Channel.PORTAL](business_id=business, session_id=f"s-{call_id}", call_id=call_id, turn=1)
        return await self.running.dispatcher.execute_tool(name, args, business, context)


@asynccontextmanager
async def opened(
    store: Store, *, is_seeded: bool = True, playing: Playing | None = None
) -> AsyncIterator[DefinitionHouse]:
    """Open the house; `is_seeded` has all planted tools published, `look` with words of its own.

    Kept tests are played by `playing`, and are green where it is left out.
    """
    clock = StoppedClock()
    for id, name in ((OWN, "Salon"), (OTHER, "Plumber")):
        await store.commit([Set(PATHS.within(id).business, {"name": name})])
    running = Instance(store, clock)
    registry = running.definitions.registry
    if is_seeded:
        wanted = {name: storable(tool.definition.to_document()) for name, tool in registry.tools.items()}
        await publish(store, PATHS, await read_published(store, PATHS), wanted | {"look": LOOK}, "scripts/seed")
    records, history = DefinitionRecords(store, PATHS, registry), DefinitionHistory(store, PATHS)
    replay = Replay(store, PATHS, running.catalog, clock)
    canaries = Canaries(store, PATHS, clock)
    playing = playing or PlayedAs()
    gate = PublishGate(store, PATHS, playing)
    office = DefinitionService(store, PATHS, records, history, replay, canaries, running.definitions.forget, gate)
    endpoints = (*DefinitionEndpoints(office, store, PATHS).endpoints, *DefinitionChangeEndpoints(office).endpoints)
    access = Access(Credentials(store, PATHS, clock).recognise, Rejected, SignIns())
    app = owners_app([Mount("/admin", routes=routes(endpoints, access))], HANDLERS)
    described = openapi.document([openapi.of_endpoints("/admin", endpoints)])
    planted.done.clear()
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=HOST) as browser:
        yield DefinitionHouse(store, clock, running, office, browser, described)
