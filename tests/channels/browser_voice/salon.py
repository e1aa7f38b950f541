"""A salon that can be spoken to through a browser: a scripted model over a real dispatcher, in memory."""

from collections.abc import Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from switchboard.admin.credentials.api_keys import create_key
from switchboard.channels.browser_voice.routes import BrowserVoiceParts, routes
from switchboard.channels.browser_voice.vendor_sessions import LiveSessions
from switchboard.channels.http.answer import HANDLERS
from switchboard.channels.http.credentials import Credentials, Rejected
from switchboard.channels.portal.auth import PortalAuth, TokenVisit, VisitorTokens
from switchboard.channels.portal.portals import Portals
from switchboard.channels.stranger_shares import StrangerShares
from switchboard.contract.business.business import Business
from switchboard.contract.context import BrowserVoiceContext, Context
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import Set
from switchboard.conversation.dependencies import join
from switchboard.conversation.guard import Unguarded
from switchboard.conversation.held_conversations import Conversations
from switchboard.conversation.record.interactions import Interactions
from switchboard.pipeline.confirmation.approvals import Approvals
from switchboard.state.memory.store import MemoryStore
from tests.conversation import planted
from tests.conversation.scripted import ScriptedModel
from tests.desk.front_desk import StoppedClock, WatchedStore
from tests.pipeline.conftest import BUSINESS, PATHS, Instance

KEY, RIVAL = "sb_salon", "sb_rival"
SESSION = "web_1"
DOCUMENT: dict[str, Any] = {"name": "Salon", "ai": {"language": "en"}, "portal": {"visitors": True}}


class Vendor:
    """A vendor that opens every session, or fails as it is told; what it was asked is kept."""

    origins: tuple[str, ...] = ("wss://voice.example",)

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.error: ToolError | None = None

    async def open(self, instructions: str, tools: Sequence[Any], language: str, now: Any) -> dict[str, Any]:
        self.asked.append({"instructions": instructions, "tools": tools, "language": language})
        if self.error is not None:
            raise self.error
        return {"clientSecret": "ek_1"}


class Keys:
    """The key with which browsers dial in, if there is one."""

    def __init__(self) -> None:
        self.key: Any = None

    async def of(self, business: Business) -> Any:
        return self.key


class Salon:
    """One process that serves the salon.

    Attributes:
        model: Says what a test wrote.
        token: A visitor's, for the conversation `SESSION`.
        session_id: The conversation of whoever comes in next.
    """

    def __init__(self, store: Any = None, *answers: Any) -> None:
        self.demo: dict[str, Any] | None = None
        self.store = WatchedStore(store or MemoryStore())
        self.clock = StoppedClock()
        self.model = ScriptedModel(*answers)
        self.vendors: dict[str, Any] = {"openai": Vendor(), "gemini": Vendor()}
        self.keys, self.is_turned_away = Keys(), False
        self.ended: set[str | None] = set()
        self.tokens = VisitorTokens(b"k" * 32, self.clock)
        self.token, _ = self.tokens.issue(BUSINESS, SESSION, "+15550001", "caller_1")
        self.session_id = SESSION
        self.office = Instance(self.store, self.clock, planted.registry())
        interactions = Interactions(self.store, PATHS, self.clock)
        self.parts = join(
            self.model,
            self.office.catalog,
            self.office.dispatcher,
            Approvals(self.store, PATHS),
            self.clock,
            self._system,
            lambda session, offer: Unguarded(),
            interactions.recorder,
        )
        self.conversations = Conversations(self.parts, interactions)

    @cached_property
    def app(self) -> Starlette:
        """What it serves, with the vendors that it has when it is first asked."""
        portals = Portals(self.office.catalog)
        door = PortalAuth(self.tokens, Credentials(self.store, PATHS, self.clock), portals, self._goes_on)
        shares, live = StrangerShares(self.store, PATHS, self.clock), LiveSessions(self.store, PATHS, self.clock)
        own = routes(
            BrowserVoiceParts(
                door,
                self.parts,
                self.conversations,
                self.vendors,
                self.keys,
                self._turned_away,
                self.clock,
                shares,
                live,
                self.store,
                PATHS,
            )
        )
        served = [Route(f"/browser_voice{r.path}", r.endpoint, methods=list(r.methods or ())) for r in own]
        served.append(Route("/portal/session", self._visit, methods=["POST"]))
        return Starlette(routes=served, exception_handlers=HANDLERS)

    async def _goes_on(self, visit: TokenVisit) -> bool:
        return visit.link_id not in self.ended

    async def furnish(self) -> None:
        """Write the businesses and their keys down."""
        await self.store.commit([Set(PATHS.within(BUSINESS).business, DOCUMENT)])
        await self.store.commit([Set(PATHS.within("rival").business, DOCUMENT | {"name": "Rival"})])
        for business, key in ((BUSINESS, KEY), ("rival", RIVAL)):
            await create_key(self.store, PATHS, business, "tests", text=key)
        self.store.asked.clear()

    async def open_live(self, session_id: str = SESSION) -> None:
        """Note that a conversation was opened with a vendor's model."""
        facts = BrowserVoiceContext(business_id=BUSINESS, session_id=session_id)
        await LiveSessions(self.store, PATHS, self.clock).open(facts, "openai")
        self.store.asked.clear()

    async def interaction(self, session_id: str = SESSION) -> dict[str, Any]:
        """Return the record of a conversation."""
        document = await self.store.get(PATHS.within(BUSINESS).document("interactions", session_id))
        assert document is not None
        return document.data

    async def _system(self, *_: Any) -> str:
        return "You are Echo."

    async def _turned_away(self, facts: Context, until: datetime | None) -> bool:
        return self.is_turned_away or (until is not None and until > self.clock.now())

    async def _visit(self, request: Request) -> Response:
        body = await request.json()
        is_gone = await self.store.get(PATHS.within(BUSINESS).business) is None
        if is_gone:
            raise Rejected(403, "no")
        if body.get("businessId", BUSINESS) != BUSINESS or body.get("link", "good") != "good":
            raise ToolError(ErrorType.AUTH, "no")
        shown = {} if self.demo is None else {"demo": self.demo}
        token, _ = self.tokens.issue(BUSINESS, self.session_id, "+15550001", "caller_1")
        return JSONResponse({"token": token, "businessId": BUSINESS, "sessionId": self.session_id, **shown})
