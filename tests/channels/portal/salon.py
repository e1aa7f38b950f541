"""A salon with a portal: the real routes over a scripted model, planted tools and a store in memory."""

import asyncio
import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

import httpx2 as httpx
from starlette.applications import Starlette
from starlette.routing import Route

from switchboard.admin.credentials.api_keys import create_key
from switchboard.channels.http.answer import HANDLERS
from switchboard.channels.http.credentials import Credentials
from switchboard.channels.http.idempotency import Deliveries
from switchboard.channels.portal.auth import PortalAuth, TokenVisit, VisitorTokens
from switchboard.channels.portal.portals import Portals
from switchboard.channels.portal.replies import Replies
from switchboard.channels.portal.routes import PortalParts, routes
from switchboard.channels.portal.sessions import Visitor, Visits
from switchboard.channels.stranger_shares import CountedShare, StrangerShares
from switchboard.contract.context import Context
from switchboard.contract.model import Ended, Ending, TextPiece
from switchboard.contract.policy import Thing
from switchboard.contract.store import Set
from switchboard.conversation.dependencies import join
from switchboard.conversation.guard import Unguarded
from switchboard.conversation.held_conversations import Conversations
from switchboard.conversation.record.interactions import Interactions
from switchboard.desk.callers.portal_links import PortalLinks, PortalVisit
from switchboard.desk.limits.rate_limits import RateLimits, WindowRule
from switchboard.pipeline.confirmation.approvals import Approvals
from switchboard.state.memory.store import MemoryStore
from tests.channels.portal import planted
from tests.conversation.scripted import ScriptedModel
from tests.desk.front_desk import StoppedClock, WatchedStore, call
from tests.desk.front_desk import salon as salon_of_the_desk
from tests.pipeline.conftest import PATHS, Instance

SALON = "salon"
CLOSED = "closed"
GERMAN = "klempner"
KEY = bytes(range(32))
PHONE = "+15185550171"
DOCUMENTS: dict[str, dict[str, Any]] = {
    SALON: {
        "name": "Maple Street Hair Studio",
        "website": "https://www.maple.example/",
        "ai": {"language": "en", "greeting": "Thanks for calling!"},
        "timezone": "America/New_York",
        "portal": {"visitors": True},
        "portalUrl": "https://portal.maple.example/",
    },
    CLOSED: {"name": "By invitation only"},
    GERMAN: {
        "name": "Klempnerei Lindhorst",
        "ai": {"language": "de"},
        "timezone": "Europe/Berlin",
        "portal": {"visitors": True, "greeting": "Was ist los bei Ihnen?"},
    },
}


class Unbounded(StrangerShares):
    """Lets strangers have all they want: where many tests are one visitor's."""

    def of(self, context: Context, *things: Thing) -> CountedShare:
        return CountedShare(self, context, ())


class Salon:
    """One instance; `answers` are the model's, in order. Instances over one store are as many processes."""

    def __init__(
        self,
        *answers: Any,
        store: Any = None,
        visitors: int = 20,
        rejoin_s: float = 0.01,
        beat_s: float = 10.0,
        unbounded: bool = False,
    ) -> None:
        self.store = store or WatchedStore(MemoryStore())
        self.clock = StoppedClock()
        self.model = ScriptedModel(*answers)
        self.turned_away: set[str] = set()
        self.demo: dict[str, Any] | None = None
        office = Instance(self.store, self.clock, planted.registry())
        interactions = Interactions(self.store, PATHS, self.clock)
        parts = join(
            self.model,
            office.catalog,
            office.dispatcher,
            Approvals(self.store, PATHS),
            self.clock,
            _system,
            lambda *_: Unguarded(),
            interactions.recorder,
        )
        self.conversations = Conversations(parts, interactions)
        self.links = PortalLinks(self.store, self.clock, KEY)
        self.tokens = VisitorTokens(KEY, self.clock)
        portals = Portals(office.catalog)
        limits = RateLimits(self.store, self.clock)
        shares = (Unbounded if unbounded else StrangerShares)(self.store, PATHS, self.clock)

        async def redeem(link: str) -> PortalVisit:
            return await self.links.redeem(link, SALON, PATHS.within(SALON))

        async def goes_on(visit: TokenVisit) -> bool:
            is_by_link = visit.caller_phone is not None and visit.link_id is not None
            return not is_by_link or await self.links.is_open(PATHS.within(SALON), visit.caller_phone, visit.link_id)

        async def admit_visitor(visitor: Visitor) -> None:
            await limits.spend(
                visitor, (WindowRule("address", visitors, 3_600),), {"address": visitor.address}, what="visitor"
            )

        async def turned_away(facts: Context, until: datetime | None) -> bool:
            return facts.session_id in self.turned_away

        async def demonstration(business_id: str) -> dict[str, Any] | None:
            return self.demo

        credentials = Credentials(self.store, PATHS, self.clock)
        own = routes(
            PortalParts(
                store=self.store,
                paths=PATHS,
                clock=self.clock,
                door=PortalAuth(self.tokens, credentials, portals, goes_on),
                visits=Visits(self.tokens, portals, PATHS, self.clock, redeem, admit_visitor),
                replies=Replies(
                    self.conversations, Deliveries(self.store, self.clock), PATHS, shares, turned_away, rejoin_s
                ),
                demonstration=demonstration,
                beat_s=beat_s,
            )
        )
        served = [Route(f"/portal{r.path}", r.endpoint, methods=list(r.methods or ())) for r in own]
        bare = Route("/portal", own[0].endpoint, methods=["GET"])
        self.app = Starlette(routes=[*served, bare], exception_handlers=HANDLERS)
        self.http = httpx.AsyncClient(transport=httpx.ASGITransport(app=self.app), base_url="http://test")

    async def furnish(self) -> "Salon":
        """Write the businesses down."""
        await self.store.commit([Set(PATHS.within(id).business, document) for id, document in DOCUMENTS.items()])
        return self

    async def visitor(self, business_id: str = SALON) -> "Browser":
        """Return an anonymous visitor."""
        begun = await self.http.post("/portal/session", json={"businessId": business_id})
        return Browser(self, begun.json())

    async def link(self, session: str = "CA1", wish: str = "wish") -> str:
        """Return what a caller is texted during a phone call."""
        ctx = call(salon_of_the_desk(SALON, **DOCUMENTS[SALON]), wish, session=session, phone=PHONE)
        link = await self.links.issue(ctx)
        await self.links.sent(ctx, link)
        return link.url.partition("?link=")[2]

    async def key(self, business_id: str = SALON, **how: Any) -> str:
        """Return an API key."""
        return (await create_key(self.store, PATHS, business_id, "portal", **how)).text

    async def record(self, session_id: str) -> dict[str, Any]:
        """Return the record of a conversation."""
        document = await self.store.get(PATHS.within(SALON).document("interactions", session_id))
        return document.data if document else {}


class Browser:
    """Somebody who has been let in."""

    def __init__(self, salon: Salon, begun: dict[str, Any]) -> None:
        self.salon, self.begun = salon, begun
        self.headers = {"Authorization": f"Bearer {begun['token']}"}
        self.session_id: str = begun["sessionId"]

    def on(self, salon: Salon) -> "Browser":
        """Return the same visitor, served by another instance."""
        return Browser(salon, self.begun)

    async def post(self, path: str, body: dict[str, Any], **headers: str) -> httpx.Response:
        return await self.salon.http.post(f"/portal/{path}", json=body, headers=self.headers | headers)

    async def say(self, text: str = "Hello", **more: Any) -> dict[str, Any]:
        """Send a message and return the JSON answer."""
        response = await self.post("chat", {"text": text, **more})
        assert response.status_code == 200, response.text
        return response.json()

    async def click(self, button: str, question: int) -> dict[str, Any]:
        return (await self.post("chat", {"button": button, "question": question})).json()

    async def stream(self, text: str = "Hello", **more: Any) -> list[tuple[str, dict[str, Any]]]:
        """Send a message and return the events of the streamed answer."""
        response = await self.post("chat", {"text": text, **more}, Accept="text/event-stream")
        assert response.headers["content-type"].startswith("text/event-stream")
        return events_in(response.text)

    async def history(self) -> dict[str, Any]:
        return (await self.salon.http.get("/portal/history", headers=self.headers)).json()


def events_in(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Return name and data of each event of a stream."""
    blocks = [dict(line.split(": ", 1) for line in block.splitlines()) for block in text.split("\n\n") if block]
    return [(block["event"], json.loads(block["data"])) for block in blocks if "event" in block]


def pausing(*pieces: Any) -> list[Any]:
    """An answer of words, with an event wherever it is to wait for one."""
    said = [piece if isinstance(piece, asyncio.Event) else TextPiece(piece) for piece in pieces]
    return [*said, Ended(Ending.STOPPED)]


async def until(holds: Callable[[], bool]) -> None:
    """Return once something holds."""
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0)


async def _system(*_: Any) -> str:
    return "You are Echo."
