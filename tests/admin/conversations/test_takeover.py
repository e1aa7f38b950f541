"""A person of the business takes a running phone call over: who is rung, once, and what is told where that fails."""

import asyncio
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

import httpx2 as httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from switchboard.admin.api.serving import owners_app, routes
from switchboard.admin.audit.trail import AuditTrail
from switchboard.admin.conversations.chat_takeover import ChatTakeovers, ChatVisitorFacts
from switchboard.admin.conversations.routes import ConversationEndpoints
from switchboard.admin.conversations.takeover import Takeovers
from switchboard.admin.conversations.takeover_routes import TakeoverEndpoints
from switchboard.channels.http.answer import HANDLERS
from switchboard.channels.phone import twiml
from switchboard.channels.phone.call_state import CallStates
from switchboard.contract.business.business import Business
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Store
from switchboard.contract.store import Set
from tests.admin.owners_office import HOST, OTHER, OWN, PATHS, Premises, open_premises, token
from tests.desk.front_desk import NOW, SALON, WatchedStore
from tests.desk.phone_network import AWAY, BUSY, CLOSED, LOST, REFUSED, MemoryPhoneNetwork, document

SID = "CA" + "5" * 32
PHONE = "+15185550199"
RULES = [
    {"id": "front-desk", "action": "transfer", "label": "Front desk", "destination": "+15185550143"},
    {"id": "rosa", "action": "transfer", "label": "Rosa", "destination": "+15185550144", "timeoutS": 35},
    {"id": "night", "action": "transfer", "label": "Night line", "destination": "+15185550145", "hours": {}},
    {"id": "word", "action": "message", "label": "Message to Rosa", "destination": "+15185550146"},
    {"id": "wrong", "action": "transfer", "label": "Wrong", "destination": "none"},
]
ENDED = ToolError(ErrorType.CONFLICT, "The phone call is not under way any more; nothing was done.")
STRANGE = ToolError(ErrorType.NOT_FOUND, "The phone network does not know this phone call; nothing was done.")
TWIML_REFUSED = ToolError(ErrorType.VALIDATION, "The phone network does not know this number; nothing was sent.")


@dataclass
class Desk:
    """Somebody who looks at the running calls of a salon."""

    premises: Premises
    network: MemoryPhoneNetwork
    browser: httpx.AsyncClient
    ringing_fails: list[ToolError] = field(default_factory=list)

    async def ask(self, method: str, id: str = SID, person: str = "owner", **more: Any) -> httpx.Response:
        """Ask for, or take over, a conversation of the salon."""
        business = more.pop("business", OWN)
        path = f"/admin/businesses/{business}/interactions/{id}/takeover"
        return await self.browser.request(method, path, headers=token(person), **more)

    async def take_over(self, destination: str | None = "rosa", **more: Any) -> httpx.Response:
        """Take a call over."""
        return await self.ask("POST", json={} if destination is None else {"destination": destination}, **more)

    async def happens(self, id: str = SID, **fields: Any) -> None:
        """Write something into a conversation's record."""
        begun = {"channel": "phone", "callSid": SID, "sessionId": id, "callerPhone": PHONE, "endedAt": None}
        path, now = PATHS.within(OWN).document("interactions", id), self.premises.clock.now()
        is_there = await self.premises.store.get(path) is not None
        fields = fields if is_there else {**begun, "startedAt": now, "heardAt": now, **fields}
        await self.premises.store.commit([Set(path, fields, merge=True)])


@pytest.fixture
async def desk(store: Store) -> Desk:
    """A desk over each store in turn, with a call that goes on."""
    premises = await open_premises(WatchedStore(store))
    network = MemoryPhoneNetwork(premises.clock)

    async def ringing(business: Business, call_sid: str, payload: JsonObject, language: str) -> str:
        if opened.ringing_fails:
            raise opened.ringing_fails.pop()
        return twiml.dial("", business, payload, f"{HOST}/phone/transfer-result?taken=1")

    trail = AuditTrail(premises.store, PATHS, premises.clock)

    async def facts(business_id: str, record: JsonObject) -> ChatVisitorFacts:
        return ChatVisitorFacts("Salon", "en")

    chats = ChatTakeovers(premises.store, PATHS, premises.clock, trail, facts)
    takeovers = Takeovers(premises.store, PATHS, premises.clock, trail, network, ringing, chats)
    looking = ConversationEndpoints(premises.office.interactions, premises.office.sessions).endpoints
    served = owners_app(routes((*TakeoverEndpoints(takeovers, chats).endpoints, *looking), premises.access), HANDLERS)
    app = Starlette(routes=[Mount("/admin", served)])
    transport = httpx.ASGITransport(app=app)
    opened = Desk(premises, network, httpx.AsyncClient(transport=transport, base_url=HOST))
    await premises.store.commit([Set(PATHS.within(OWN).business, {**SALON, **document(RULES)})])
    await opened.happens()
    return opened


@pytest.mark.requirement("004-870")
async def test_the_caller_is_put_through_to_whom_the_rules_name(desk):
    answer = await desk.take_over("rosa")
    assert answer.status_code == 200, answer.text
    assert answer.json()["takenOver"] | {"at": ""} == {
        "at": "",
        "by": "owner@example.com",
        "to": "Rosa",
        "isSure": True,
    }
    [(call_sid, document)] = desk.network.redirected
    [dial] = ElementTree.fromstring(document).iter("Dial")
    assert (call_sid, dial.findtext("Number")) == (SID, "+15185550144")
    assert (dial.get("callerId"), dial.get("timeout")) == (PHONE, "35")
    shown = await desk.browser.get(f"/admin/businesses/{OWN}/interactions/{SID}", headers=token("viewer"))
    assert shown.json()["takenOver"] == answer.json()["takenOver"]
    [entry] = await desk.premises.audit()
    assert answer.headers["audit-entry"] == entry["id"]
    assert (entry["kind"], entry["document"], entry["who"]["name"]) == ("takeover", SID, "owner@example.com")
    assert entry["after"] == {"takenOver": {"to": "Rosa", "destinationId": "rosa"}}


@pytest.mark.requirement("004-870")
async def test_who_can_be_rung_is_told_with_who_is_there(desk):
    """Numbers that cannot be dialled, and messages, are nobody; who is not there by the hours can be rung as well."""
    people = (await desk.ask("GET", person="viewer")).json()["people"]
    assert [(one["id"], one["isThere"]) for one in people] == [("front-desk", True), ("rosa", True), ("night", False)]
    assert (await desk.take_over("night")).status_code == 200


@pytest.mark.requirement("004-871")
async def test_two_people_at_once_ring_one_telephone(desk):
    answers = await asyncio.gather(desk.take_over("rosa"), desk.take_over("front-desk", person="editor"))
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    assert len(desk.network.redirected) == 1
    refused = next(answer for answer in answers if answer.status_code == 409)
    assert "has taken this call over already" in refused.text
    assert (await desk.take_over()).status_code == 409
    assert len(await desk.premises.audit()) == 1


@pytest.mark.requirement("004-871")
@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (ENDED, 409, "The call is over. Nobody was rung."),
        (STRANGE, 409, "it is over, or another account carries it. Nobody was rung."),
        (CLOSED, 409, "does not accept the account's credentials"),
        (BUSY, 429, "Try again in a moment."),
        (REFUSED, 409, "refuses to put this call through"),
        (TWIML_REFUSED, 409, "refuses to put this call through"),
        (AWAY, 503, "cannot be reached just now. Nobody was rung"),
    ],
)
async def test_where_twilio_refuses_nothing_is_taken_over_and_it_can_be_tried_again(desk, error, status, words):
    desk.network.fail(error)
    answer = await desk.take_over()
    assert (answer.status_code, words in answer.text) == (status, True), answer.text
    assert (await desk.ask("GET")).json()["takenOver"] is None
    assert (await desk.take_over()).status_code == 200
    assert len(desk.network.redirected) == 1


@pytest.mark.requirement("004-871")
async def test_what_nobody_knows_is_said_to_be_unknown_and_kept(desk):
    """Somebody else does not ring a second telephone meanwhile; half a minute later it can be tried again."""
    desk.network.fail(LOST, accepted=True)
    answer = await desk.take_over()
    assert (answer.status_code, "has not said whether" in answer.text) == (503, True)
    assert (await desk.ask("GET")).json()["takenOver"]["isSure"] is False
    refused = await desk.take_over("front-desk")
    assert (refused.status_code, "was asked to ring Rosa. If the receptionist" in refused.text) == (409, True)
    desk.premises.clock.wait(31)
    assert (await desk.take_over("rosa")).status_code == 200


@pytest.mark.requirement("004-871")
async def test_where_the_business_cannot_be_read_nobody_has_taken_the_call_over(desk):
    """Nobody was rung, so nobody else is kept from it, and the call does not end as one that was put through."""
    desk.ringing_fails.append(ToolError(ErrorType.TRANSIENT, "The business cannot be read just now."))
    assert (await desk.take_over()).status_code == 503
    assert (await desk.ask("GET")).json()["takenOver"] is None
    assert not await desk.premises.audit()
    assert (await desk.take_over("front-desk")).status_code == 200


@pytest.mark.requirement("004-871")
async def test_a_call_that_an_engaged_telephone_gives_back_at_once_is_nobodys(desk):
    """Twilio tells that nobody answered before it was written down that somebody is rung."""
    redirect, record = desk.network.redirect_call, PATHS.within(OWN).document("interactions", SID)

    async def engaged(call_sid: str, document: str) -> None:
        await redirect(call_sid, document)
        await CallStates(desk.premises.store, PATHS, desk.premises.clock).give_back(OWN, SID)

    desk.network.redirect_call = engaged
    assert (await desk.take_over()).status_code == 200
    assert (await desk.premises.store.get(record)).data["takenOver"] is None
    assert (await desk.take_over("front-desk")).status_code == 200


@pytest.mark.requirement("004-871")
async def test_a_conversation_that_goes_on_at_that_moment_does_not_keep_it_from_being_taken_over(desk):
    """What it writes down stays."""
    store, get = desk.premises.store, desk.premises.store.get

    async def slow(path: str) -> Any:
        found = await get(path)
        if path.endswith(SID):
            store.get = get
            await desk.happens(turns=7)
        return found

    store.get = slow
    assert (await desk.take_over()).status_code == 200
    record = await store.get(PATHS.within(OWN).document("interactions", SID))
    assert (record.data["turns"], record.data["takenOver"]["state"]) == (7, "ringing")


@pytest.mark.requirement("004-871")
@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"channel": "browser_voice", "callSid": None}, "Only a phone call or a chat can be taken over"),
        ({"triedAt": "2026-07-01T12:00:00Z"}, "Only a phone call or a chat can be taken over"),
        ({"endedAt": NOW}, "The call is over."),
    ],
)
async def test_what_cannot_be_taken_over_says_why_before_anybody_tries(desk, fields, words):
    await desk.happens("other", **fields)
    choices = (await desk.ask("GET", "other")).json()
    assert words in choices["whyNot"] and choices["people"] == []
    answer = await desk.take_over(id="other")
    assert answer.status_code == 409 and words in answer.text
    assert choices["whyNot"] == answer.json()["error"]["message"], "the sentence alone, as the refusal says it"
    assert not desk.network.redirected and not await desk.premises.audit()


@pytest.mark.requirement("004-871")
@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (document([]), "Nobody can be rung: enter a rule"),
        (document(RULES, isConnected=False), "connect the Twilio account"),
        (document([{**RULES[0], "destination": PHONE}]), "Nobody can be rung: enter a rule"),
    ],
)
async def test_a_business_that_lacks_something_is_told_what(desk, fields, words):
    """Who calls from the only number that could be rung cannot be put through to themselves."""
    await desk.premises.store.commit([Set(PATHS.within(OWN).business, {**SALON, **fields})])
    assert words in (await desk.ask("GET")).json()["whyNot"]
    assert (await desk.take_over()).status_code == 409


@pytest.mark.requirement("004-870")
@pytest.mark.parametrize("destination", ["+15185550143", "Rosa", "wrong", "word", "", None, "x" * 200])
async def test_nobody_is_dialled_whom_no_rule_names(desk, destination):
    answer = await desk.take_over(destination)
    assert answer.status_code == 400, answer.text
    assert "front-desk (Front desk); rosa (Rosa); night (Night line)" in answer.text
    assert not desk.network.redirected


@pytest.mark.requirement("004-870")
async def test_where_there_is_one_person_nobody_has_to_be_named(desk):
    await desk.premises.store.commit([Set(PATHS.within(OWN).business, {**SALON, **document(RULES[:1])})])
    assert (await desk.take_over(None)).json()["takenOver"]["to"] == "Front desk"


@pytest.mark.requirement("004-870")
async def test_who_may_only_look_takes_nothing_over_and_neighbours_see_nothing(desk):
    assert (await desk.take_over(person="viewer")).status_code == 403
    assert (await desk.take_over(person="neighbour")).status_code == 403
    assert (await desk.ask("GET", person="neighbour")).status_code == 403
    # A conversation of one business is not found in another.
    assert (await desk.take_over(person="neighbour", business=OTHER)).status_code == 404
    assert not desk.network.redirected
