"""The owners' API over a store in memory, with people of every role who sign in with tokens of our own making."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import httpx2 as httpx
from starlette.applications import Starlette
from starlette.routing import Mount

from switchboard.admin.access.access import Access
from switchboard.admin.api import openapi
from switchboard.admin.api.endpoint import Endpoint
from switchboard.admin.api.serving import owners_app, routes
from switchboard.admin.collections.collections import Collections
from switchboard.admin.collections.routes import CollectionEndpoints
from switchboard.admin.collections.rows import Rows
from switchboard.admin.credentials.api_keys import create_key
from switchboard.admin.knowledge.reindexing import Reindexing
from switchboard.admin.reading.drafts import ReadingDrafts
from switchboard.admin.reading.routes import ReadingEndpoints
from switchboard.admin.services import AdminServices, open_office
from switchboard.channels.http.answer import HANDLERS
from switchboard.channels.http.credentials import Credentials, Rejected
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Store
from switchboard.contract.store import Query, Set
from switchboard.desk.knowledge.knowledge import Knowledge
from switchboard.desk.knowledge.topics import Faqs, Policies
from switchboard.integrations.egress.pages import FetchedPage
from switchboard.state.paths import FirestorePaths
from tests.desk.front_desk import NOW, SALON, StoppedClock

PATHS = FirestorePaths()
OWN, OTHER, GHOST = "demo-salon", "demo-plumber", "demo-nobody"
HOST = "http://127.0.0.1:8080"

PEOPLE: dict[str, JsonObject] = {
    "platform": {"platformAdmin": True},
    "owner": {"roles": {OWN: "owner"}},
    "editor": {"roles": {OWN: "editor"}},
    "viewer": {"roles": {OWN: "viewer"}},
    "neighbour": {"roles": {OTHER: "owner"}},
    "nobody": {},
    "misspelt": {"roles": {OWN: "Owner", OTHER: ["owner"]}, "platformAdmin": "true"},
    "ghost_owner": {"roles": {GHOST: "owner"}},
}


def token(person: str) -> dict[str, str]:
    """Return the header that somebody of `PEOPLE` signs in with; it has a token's form."""
    return {"Authorization": f"Bearer {person}.claims.signed"}


@dataclass
class SignIns:
    """Reads those tokens; `revoked` people may look but not touch, `is_away` stands for Google not answering."""

    revoked: set[str] = field(default_factory=set)
    is_away: bool = False
    checked: list[bool] = field(default_factory=list)

    async def verify(self, token: str, *, check_revoked: bool) -> Mapping[str, Any]:
        self.checked.append(check_revoked)
        person = token.partition(".")[0]
        if self.is_away:
            raise ToolError(ErrorType.TRANSIENT, "Sign-ins cannot be checked right now.")
        if person not in PEOPLE or (check_revoked and person in self.revoked):
            raise ToolError(ErrorType.AUTH, "Sign in again.")
        return {"sub": person, "email": f"{person}@example.com", **PEOPLE[person]}


@dataclass
class Premises:
    """An office, a browser before it, and what stands behind."""

    store: Store
    office: AdminServices
    browser: httpx.AsyncClient
    sign_ins: SignIns
    clock: StoppedClock
    knowledge: Knowledge
    policies: Policies
    faqs: Faqs
    reindexing: Reindexing
    access: Access
    forgotten: list[str]
    document: JsonObject
    pages: dict[str, FetchedPage | ToolError]

    async def ask(self, method: str, path: str, person: str = "owner", **more: Any) -> httpx.Response:
        """Send a request as somebody, a second after the one before; `revision` becomes `If-Match`."""
        self.clock.wait(1)
        headers = token(person) | more.pop("headers", {})
        revision = more.pop("revision", None)
        if revision is not None:
            headers["If-Match"] = f'"{revision}"'
        return await self.browser.request(method, path, headers=headers, **more)

    async def business(self, person: str = "owner") -> JsonObject:
        """Return the salon as the API shows it."""
        answer = await self.ask("GET", f"/admin/businesses/{OWN}", person)
        assert answer.status_code == 200, answer.text
        found: JsonObject = answer.json()
        return found

    async def patch(self, changes: JsonObject, person: str = "owner", revision: str | None = None) -> httpx.Response:
        """Edit the salon, based on what is there now unless said otherwise."""
        based_on = revision if revision is not None else (await self.business())["revision"]
        return await self.ask("PATCH", f"/admin/businesses/{OWN}", person, json=changes, revision=based_on)

    async def audit(self) -> list[JsonObject]:
        """Return what was changed at the salon, the oldest first, as it is stored."""
        found = await self.store.query(Query(PATHS.within(OWN).collection("audit")))
        return [document.data | {"id": document.id} for document in found]

    async def key_for(self, business_id: str, *scopes: str) -> dict[str, str]:
        """Return the header of a new API key."""
        key = await create_key(self.store, PATHS, business_id, "a service", scopes=scopes)
        return {"Authorization": f"Bearer {key.text}"}


@dataclass
class KnownPages:
    """The pages that there are, by their addresses; or why one cannot be had."""

    pages: dict[str, FetchedPage | ToolError]

    async def page(self, url: str) -> FetchedPage:
        page = self.pages.get(url) or ToolError(ErrorType.PERMANENT, "There is no such page.")
        if isinstance(page, ToolError):
            raise page
        return page


def endpoints_of(office: AdminServices) -> list[tuple[str, Endpoint]]:
    """Return every endpoint with the prefix of its function."""
    admin = [("/admin", endpoint) for endpoint in office.admin_endpoints]
    return admin + [("/tts_admin", endpoint) for endpoint in office.tts_admin_endpoints]


async def open_premises(store: Store, index: Callable[[Knowledge], Any] = lambda knowledge: knowledge) -> Premises:
    """Return an office whose salon and plumber exist, and whose ghost does not; `index` may stand in for the index."""
    clock, sign_ins, forgotten = StoppedClock(), SignIns(), list[str]()
    await store.commit(
        [
            Set(PATHS.within(OWN).business, SALON),
            Set(PATHS.within(OTHER).business, {"name": "Plumber", "timezone": "Europe/Berlin", "integrations": {}}),
        ]
    )
    knowledge, policies, faqs = Knowledge(store, clock), Policies(store, clock), Faqs(store, clock)
    reindexing = Reindexing(store, PATHS, index(knowledge), policies, faqs)
    office = open_office(store, PATHS, clock, reindexing, forgotten.append)
    access = Access(Credentials(store, PATHS, clock).recognise, Rejected, sign_ins)
    pages: dict[str, FetchedPage | ToolError] = {}
    drafts = ReadingDrafts(KnownPages(pages), office.documents, store, PATHS, clock)
    collections = Collections(store, PATHS, office.revisions, Rows(store, PATHS, clock))
    bringing = (*ReadingEndpoints(drafts).endpoints, *CollectionEndpoints(collections).endpoints)
    admin_endpoints = (*office.admin_endpoints, *bringing)
    described = openapi.route(
        lambda: [
            openapi.of_endpoints("/admin", office.admin_endpoints),
            openapi.of_endpoints("/tts_admin", office.tts_admin_endpoints),
        ]
    )
    app = Starlette(
        routes=[
            Mount("/admin", owners_app([*routes(admin_endpoints, access), described], HANDLERS)),
            Mount("/tts_admin", owners_app(routes(office.tts_admin_endpoints, access), HANDLERS)),
        ]
    )
    browser = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=HOST)
    document = openapi.document(
        [
            openapi.of_endpoints("/admin", office.admin_endpoints),
            openapi.of_endpoints("/tts_admin", office.tts_admin_endpoints),
        ]
    )
    return Premises(
        store=store,
        office=office,
        browser=browser,
        sign_ins=sign_ins,
        clock=clock,
        knowledge=knowledge,
        policies=policies,
        faqs=faqs,
        reindexing=reindexing,
        access=access,
        forgotten=forgotten,
        document=document,
        pages=pages,
    )


async def fill(store: Store, business_id: str = OWN, interactions: int = 3) -> None:
    """Write a session with its ledger, and interactions an hour apart: the first a phone call, then chats in turn."""
    within = PATHS.within(business_id)
    receipt = {"tool": "book_appointment", "callId": "c1", "turn": 2, "at": NOW, "what": "Haircut"}
    meta = '{"ok": true, "data": {}, "intents": [], "meta": {"elapsedMs": 12.5, "receipt": {"what": "Haircut"}}}'
    failed = '{"ok": false, "error": {"type": "NOT_FOUND", "message": "No such booking."}, "intents": [], "meta": {}}'
    call = {"callId": "c1", "tool": "book_appointment", "kind": "action", "channel": "phone", "turn": 2}
    await store.commit(
        [
            Set(within.document("sessions", "s0"), {"channel": "phone", "startedAt": NOW, "receipts": {"k": receipt}}),
            Set(
                within.call("s0", "c1"),
                {**call, "state": "finished", "startedAt": NOW, "finishedAt": NOW, "response": meta},
            ),
            Set(
                within.call("s0", "c2"),
                {
                    **call,
                    "callId": "c2",
                    "state": "failed",
                    "startedAt": NOW + timedelta(seconds=9),
                    "response": failed,
                },
            ),
        ]
    )
    for n in range(interactions):
        phone = n % 2 == 0
        tool = {"callId": f"c{n}", "name": "book_appointment", "turn": 1, "at": NOW, "elapsedMs": 10.0 * (n + 1)}
        await store.commit(
            [
                Set(
                    within.document("interactions", f"i{n}"),
                    {
                        "sessionId": f"s{n}",
                        "channel": "phone" if phone else "portal",
                        "outcome": "ended" if phone else "answered",
                        "startedAt": NOW + timedelta(hours=n),
                        "durationSeconds": 60 + n,
                        "turns": 2,
                        "callerPhone": f"+1518555010{n % 10}",
                        "transcript": [
                            {"role": "caller", "text": f"Do you have PARKING number {n}?", "turn": 1, "at": NOW},
                            {"role": "agent", "text": "Yes, behind the house.", "turn": 1, "at": NOW},
                        ],
                        "tools": [tool | ({"ok": True} if phone else {"ok": False, "error": "TRANSIENT"})],
                        "receipts": [receipt] if phone else [],
                    },
                )
            ]
        )
