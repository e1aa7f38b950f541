"""Health and alerts: what is wrong, what it means, what to do; and what callers asked in vain."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import httpx2 as httpx
import hypothesis
import hypothesis.strategies as st
import jsonschema_rs
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from starlette.routing import Mount

from switchboard.admin.api import openapi
from switchboard.admin.api.serving import owners_app, routes
from switchboard.admin.credentials.api_keys import create_key
from switchboard.admin.health import resources as health_resources
from switchboard.admin.health.findings import WORDS, HealthFinding
from switchboard.admin.health.health import HealthService
from switchboard.admin.health.questions import QUESTIONS, UnansweredQuestions, normalised, question_kind
from switchboard.admin.health.routes import HealthEndpoints
from switchboard.catalog.offer.inclusion import ALL_CLOSED, Circuits
from switchboard.channels.http.answer import HANDLERS
from switchboard.contract.ports import Store
from switchboard.contract.response import ToolResponse
from switchboard.contract.store import Query, Set, Update
from switchboard.contract.vendors import OUTSIDE_CALENDARS
from switchboard.desk.bookings.booking import Booking
from switchboard.desk.bookings.bookings import claim_writes
from switchboard.integrations.secrets.sealed_secrets import SealedSecrets
from tests.admin.office import numbers_of
from tests.admin.owners_office import HOST, OTHER, OWN, PATHS, Premises, open_premises, token
from tests.catalog import every_situation
from tests.desk.front_desk import StoppedClock
from tests.each import each
from tests.leaving_store import LeavingStore
from tests.pipeline.conftest import Instance

DAY = timedelta(days=1)
WITHIN = PATHS.within(OWN)
WRITTEN_WRONGLY = {"zone_unknown", "field_mistyped", "field_unread", "entry_unusable", "business_problem"}


@dataclass
class Ward:
    """Owners in front of the endpoints about health, over a store in which things go wrong."""

    premises: Premises
    questions: UnansweredQuestions
    circuits: dict[str, Circuits]
    browser: httpx.AsyncClient
    document: dict[str, Any]

    @property
    def store(self) -> Store:
        return self.premises.store

    @property
    def clock(self) -> StoppedClock:
        return self.premises.clock

    async def ask(self, method: str, path: str, person: str = "owner", **more: Any) -> httpx.Response:
        """Send a request below `/admin`, a second after the one before."""
        self.clock.wait(1)
        revision = more.pop("revision", None)
        headers = token(person) | ({"If-Match": f'"{revision}"'} if revision is not None else {})
        return await self.browser.request(method, f"/admin{path}", headers=headers, **more)

    async def health(self, business: str = OWN, person: str = "owner") -> dict[str, Any]:
        """Return how a business is doing."""
        answer = await self.ask("GET", f"/businesses/{business}/health", person)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def found(self) -> list[tuple[str, str, int | None]]:
        """Return what is wrong with the salon."""
        return [(f["what"], f["subject"], f["count"]) for f in (await self.health())["findings"]]

    async def row(self, id: str, state: str, business: str = OWN, **fields: Any) -> None:
        """Write a ledger row that ended now, unless said otherwise."""
        now = self.clock.now()
        error = {"type": fields.pop("error", "TRANSIENT"), "message": "no", "retryable": False}
        response = {"ok": False, "error": {**error, "partialSideEffects": False}, "intents": [], "meta": {}}
        known = {
            "businessId": business,
            "sessionId": "s",
            "callId": id,
            "tool": "send_sms",
            "kind": "action",
            "channel": "phone",
            "state": state,
            "startedAt": now,
            "finishedAt": now,
            "dueAt": None,
            "arguments": "{}",
            "response": json.dumps(response),
        }
        await self.store.commit([Set(PATHS.within(business).call("s", id), known | fields)])

    async def asked(self, id: str, question: str, results: int = 0, **fields: Any) -> None:
        """Write the ledger row of a search."""
        meta = fields.pop("meta", {})
        response = ToolResponse(data={"results": [{"id": n} for n in range(results)]}, meta=meta).to_json()
        arguments = json.dumps({"query": question, "limit": 3})
        known = {"tool": "search_knowledge", "kind": "retrieval", "arguments": arguments}
        await self.row(id, "finished", **{**known, "response": json.dumps(response), **fields})

    async def listed(self, person: str = "owner", **params: Any) -> list[dict[str, Any]]:
        """Return the salon's questions."""
        answer = await self.ask("GET", f"/businesses/{OWN}/questions", person, params=params)
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()["questions"]
        return found


@pytest.fixture
async def ward(store: Store) -> AsyncIterator[Ward]:
    """A ward on each store in turn."""
    async for opened in opened_ward(store):
        yield opened


async def opened_ward(store: Store, secrets: SealedSecrets | None = None) -> AsyncIterator[Ward]:
    """Open a ward over a store, and close it behind whoever takes it; `secrets` are looked at where they are given."""
    premises = await open_premises(store)
    circuits: dict[str, Circuits] = {}
    catalog = Instance(store, premises.clock, every_situation.built()).catalog
    kind = question_kind()
    health = HealthService(
        *(store, PATHS, catalog, premises.clock),
        lambda id: circuits.get(id, ALL_CLOSED),
        numbers_of(store),
        secrets.unopened if secrets is not None else None,
    )
    questions = UnansweredQuestions(store, PATHS, premises.clock, premises.office.revisions, kind)
    endpoints = HealthEndpoints(health, premises.office.businesses, questions).endpoints
    app = owners_app([Mount("/admin", routes=routes(endpoints, premises.access))], HANDLERS)
    document = openapi.document([openapi.of_endpoints("/admin", endpoints)])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url=HOST) as browser:
        yield Ward(premises, questions, circuits, browser, document)
    await premises.browser.aclose()


async def test_where_nothing_is_wrong_nothing_is_told(ward: Ward):
    """And the calls of the last day are counted by how they ended."""
    await ward.row("c1", "finished", response="{}")
    health = await ward.health()
    assert (health["worst"], health["findings"]) == ("ok", [])
    assert health["calls"] == {"finished": 1, "failed": 0, "refused": 0, "unknown": 0, "answered": 0}


async def test_while_the_store_is_away_what_was_seen_last_is_told_as_such():
    """Whoever is on call then wants the page that an error would be in the place of."""
    store = LeavingStore()
    async for ward in opened_ward(store):
        await ward.row("c1", "finished", response="{}")
        seen = await ward.health()
        store.is_away = True
        own = await ward.health()
        assert own["calls"] == seen["calls"] and own["checkedAt"] == seen["checkedAt"]
        assert [(f["what"], f["severity"]) for f in own["findings"]] == [("store_away", "trouble")]
        everything = (await ward.ask("GET", "/health")).json()
        assert [each["businessId"] for each in everything["businesses"]] == [OWN]
        assert {f["what"] for f in everything["house"]} >= {"store_away"} and everything["worst"] == "trouble"
        # Nothing that is somebody else's, and nothing made up of one that nobody has looked at.
        assert (await ward.ask("GET", "/health", "neighbour")).json()["businesses"] == []
        assert (await ward.ask("GET", f"/businesses/{OTHER}/health", "platform")).status_code == 503
        store.is_away = False
        assert (await ward.health())["findings"] == []


async def test_broken_and_expiring_connections_are_told_with_what_to_do(ward: Ward):
    """Open circuits, access that was taken back, and access that ends soon."""
    ward.circuits[OWN] = Circuits(open=frozenset({"twilio"}), recovering=frozenset({"smtp"}))
    integrations = {
        "googleCalendar": {"isConnected": True, "needsReauth": True},
        "crm": {"isConnected": True, "tokenExpiresAt": ward.clock.now() + 3 * DAY},
        "later": {"isConnected": True, "tokenExpiresAt": ward.clock.now() + 60 * DAY},
        "gone": {"isConnected": False, "needsReauth": True, "tokenExpiresAt": ward.clock.now()},
    }
    await ward.store.commit([Update(WITHIN.business, {"integrations": integrations})])
    health = await ward.health()
    assert health["worst"] == "trouble"
    assert [(f["what"], f["subject"]) for f in health["findings"]] == [
        ("calendar_away", "googleCalendar"),
        ("circuit_open", "twilio"),
        ("needs_reauth", "googleCalendar"),
        ("access_expires", "crm"),
        ("circuit_recovering", "smtp"),
    ]
    reauth = health["findings"][2]
    assert "googleCalendar" in reauth["means"] and reauth["do"] == "Connect googleCalendar again under Integrations."


async def test_a_calendar_that_is_away_or_not_chosen_is_told(ward: Ward):
    """The one that the business has is named, also where it is chosen and not connected; a choice ends the question."""
    google, built_in, on = "googleCalendar", "builtinCalendar", {"isConnected": True}
    cases: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
        ({built_in: on}, []),
        ({google: on, built_in: on}, [("calendar_not_chosen", google)]),
        ({google: on, built_in: on, "calendar": built_in}, []),
        ({google: on, "calendar": built_in}, [("calendar_away", built_in)]),
        ({built_in: on, "calendar": google}, [("calendar_away", google)]),
        (
            {google: on | {"needsReauth": True}, built_in: on},
            [("calendar_away", google), ("needs_reauth", google), ("calendar_not_chosen", google)],
        ),
    ]
    for integrations, expected in cases:
        await ward.store.commit([Update(WITHIN.business, {"integrations": integrations})])
        found = [(f["what"], f["subject"]) for f in (await ward.health())["findings"]]
        assert found == expected, integrations


@pytest.mark.parametrize("calendar", OUTSIDE_CALENDARS)
async def test_whichever_calendar_has_to_be_connected_again_is_named(ward: Ward, calendar: str):
    """Also where another one is connected: it does not stand in."""
    states = {"isConnected": True, "needsReauth": True}
    integrations = {calendar: states, "builtinCalendar": {"isConnected": True}, "calendar": calendar}
    await ward.store.commit([Update(WITHIN.business, {"integrations": integrations})])
    found = [(f["what"], f["subject"]) for f in (await ward.health())["findings"]]
    assert found == [("calendar_away", calendar), ("needs_reauth", calendar)]


@pytest.mark.requirement("001-87")
async def test_a_vendor_that_fails_for_all_is_told_to_those_who_use_it_as_what_it_is(ward: Ward):
    """Whoever does not use it has nothing to know, and nobody is told to connect anew what others cannot reach."""
    away = frozenset({"twilio", "googleCalendar"})
    ward.circuits[OWN] = Circuits(open=away | {"orders.example.com"}, shared=away)
    await ward.store.commit([Update(WITHIN.business, {"integrations": {"twilio": {"isConnected": True}}})])
    health = await ward.health()
    found = {(f["what"], f["subject"]) for f in health["findings"] if f["what"].startswith(("circuit", "vendor"))}
    assert found == {("circuit_open", "orders.example.com"), ("vendor_open", "twilio")}


@pytest.mark.requirement("000-373")
async def test_a_business_without_a_way_to_a_person_is_told(ward: Ward):
    """On every channel where no message, no transfer that can be dialled and no number of its own leads to one."""
    message, transfer = {"action": "message"}, {"action": "transfer", "destination": "+15185550143"}
    everywhere = "phone, portal chat, voice in the browser"
    nowhere: dict[str, Any] = {"phone": "", "twilioNumber": "+15185550100", "escalation": {}, "enabledTools": None}
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, everywhere),
        ({"phone": "(518) 555-0142"}, ""),
        ({"phone": "+1 518 555 0100"}, everywhere),
        ({"escalation": {"rules": [message]}}, ""),
        ({"escalation": {"rules": [transfer]}}, "portal chat, voice in the browser"),
        ({"escalation": {"rules": [{"action": "transfer", "destination": "nobody"}]}}, everywhere),
        ({"escalation": {"rules": [{"action": "transfer", "destination": "+15185550100"}]}}, everywhere),
        ({"escalation": {"rules": [message]}, "enabledTools": ["search_knowledge"]}, everywhere),
    ]
    built = Instance(ward.store, ward.clock, every_situation.built())
    office = HealthService(ward.store, PATHS, built.catalog, ward.clock, lambda id: ALL_CLOSED, numbers_of(ward.store))
    for fields, lacking in cases:
        await ward.store.commit([Update(WITHIN.business, nowhere | fields)])
        built.catalog.forget(OWN)
        findings = [finding.to_json() for finding in (await office.of(OWN)).findings]
        told = [finding for finding in findings if finding["what"] == "no_way_to_a_person"]
        assert [finding["subject"] for finding in told] == ([lacking] if lacking else []), fields
        assert all("own phone number" in finding["do"] and lacking in finding["means"] for finding in told)


async def test_a_number_that_no_assistant_answers_is_told(ward: Ward):
    """Where Vapi is connected: of the numbers that it knows, or of all where there is no assistant at all."""
    rows = [{"id": "PN2", "number": "+15185550199", "vapiPhoneNumberId": "vapi-2", "agentId": "second"}]
    vapi = {"isConnected": True, "phoneNumberId": "vapi-1"}
    built = Instance(ward.store, ward.clock, every_situation.built())
    office = HealthService(ward.store, PATHS, built.catalog, ward.clock, lambda id: ALL_CLOSED, numbers_of(ward.store))

    async def told(**more: Any) -> list[str]:
        integrations = {"twilio": {"phoneNumbers": rows}, "vapi": vapi | more}
        await ward.store.commit(
            [Update(WITHIN.business, {"twilioNumber": "+15185550100", "integrations": integrations})]
        )
        built.catalog.forget(OWN)
        return [found.subject for found in (await office.of(OWN)).findings if found.what == "no_assistant"]

    assert await told() == ["+15185550100", "+15185550199"]
    assert await told(assistantId="assistant-1") == []
    assert await told(isConnected=False) == []
    agent = {"name": "Second", "vapiAssistantId": "assistant-2"}
    await ward.store.commit([Set(WITHIN.document("agents", "second"), agent)])
    assert await told() == ["+15185550100"]
    assert await told(phoneNumberId="") == []


async def test_a_channel_that_several_agents_say_they_have_is_told(ward: Ward):
    """Where the default one does not answer there; of one alone nothing has to be said."""
    echo = {"name": "Echo", "isDefault": True, "channels": ["phone", "browser_voice"]}
    rows = {"echo": echo, "pip": {"name": "Pip", "channels": ["portal"]}, "zoe": {"name": "Zoe"}}
    built = Instance(ward.store, ward.clock, every_situation.built())
    office = HealthService(ward.store, PATHS, built.catalog, ward.clock, lambda id: ALL_CLOSED, numbers_of(ward.store))
    for id, told in (("echo", []), ("pip", []), ("zoe", ["portal chat"])):
        await ward.store.commit([Set(WITHIN.document("agents", id), rows[id])])
        built.catalog.forget(OWN)
        found = (await office.of(OWN)).findings
        assert [one.subject for one in found if one.what == "agents_share_channel"] == told


async def test_keys_that_stop_working_are_told_before_and_after(ward: Ward):
    """Not those that were revoked, nor those that last."""
    now = ward.clock.now()
    for name, ends in (("soon", now + DAY), ("over", now - DAY), ("lasting", now + 90 * DAY), ("revoked", now + DAY)):
        key = await create_key(ward.store, PATHS, OWN, name)
        fields = {"expiresAt": ends} | ({"revokedAt": now} if name == "revoked" else {})
        await ward.store.commit([Update(WITHIN.document("apiKeys", key.id), fields)])
    assert await ward.found() == [("key_expires", "soon", None), ("key_expired", "over", None)]


async def test_failing_tools_spent_limits_and_unknown_outcomes_are_told(ward: Ward):
    """Of the last day; an answer that something cannot be done is no failure."""
    for n in range(3):
        await ward.row(f"f{n}", "failed")
        await ward.row(f"n{n}", "failed", error="NOT_FOUND", tool="lookup_appointment")
    await ward.row("f8", "failed", tool="get_faqs")
    await ward.row("r1", "refused", error="RATE_LIMIT")
    await ward.row("r2", "refused", error="VALIDATION")
    await ward.row("u1", "unknown", tool="book_appointment")
    await ward.row("old", "unknown", finishedAt=ward.clock.now() - 2 * DAY)
    await ward.row("foreign", "unknown", OTHER)
    await ward.row("odd", "failed", response="{oops")
    assert await ward.found() == [
        ("outcome_unknown", "book_appointment", 1),
        ("quota_spent", "send_sms", 1),
        ("tool_failing", "send_sms", 4),
    ]
    assert (await ward.health())["calls"] == {
        "finished": 0,
        "failed": 8,
        "refused": 2,
        "unknown": 1,
        "answered": 0,
    }


@pytest.mark.parametrize("many", [3, 130])
async def test_calls_are_counted_by_how_they_ended_however_many_they_are(ward: Ward, many: int):
    """A no that is an answer is no failure, and a refusal that keeps somebody from something is one."""
    for n in range(many):
        await ward.row(f"a{n}", "failed", tells="answer")
        await ward.row(f"r{n}", "refused")
    await ward.row("f", "failed")
    await ward.row("u", "unknown")
    await ward.row("t", "refused", tells="failure")
    assert (await ward.health())["calls"] == {
        "finished": 0,
        "failed": 2,
        "refused": many,
        "unknown": 1,
        "answered": many,
    }


async def test_calls_that_nobody_works_on_are_counted(ward: Ward):
    """Begun or accepted, and long beyond their lease."""
    now = ward.clock.now()
    await ward.row("s1", "started", dueAt=now - timedelta(minutes=5), finishedAt=None)
    await ward.row("s2", "queued", dueAt=now - timedelta(minutes=5), finishedAt=None)
    await ward.row("s3", "started", dueAt=now, finishedAt=None)
    assert await ward.found() == [("calls_stuck", "", 2)]


async def test_what_nobody_could_bring_to_its_end_is_told(ward: Ward):
    """It is not tried any more, so that somebody has to look; one that merely is not known is another thing."""
    now = ward.clock.now()
    await ward.row("g1", "unknown", tool="book_appointment", givenUp="KeyError", givenUpAt=now)
    await ward.row("u1", "unknown", tool="book_appointment")
    await ward.store.commit([Set(WITHIN.document("bookings", "b1"), {"givenUp": "no time", "givenUpAt": now})])
    assert await ward.found() == [
        ("bookings_given_up", "", 1),
        ("call_given_up", "book_appointment", 1),
        ("outcome_unknown", "book_appointment", 1),
    ]


async def test_messages_that_did_not_go_out_are_told_by_kind(ward: Ward):
    """Failed, in doubt, or waiting for too long."""
    now = ward.clock.now()
    for n, (kind, state, at) in enumerate(
        [
            ("text", "failed", now),
            ("text", "failed", now),
            ("mail", "unknown", now),
            ("message", "todo", now - timedelta(hours=1)),
            ("message", "todo", now),
            ("text", "sent", now),
        ]
    ):
        await ward.store.commit(
            [Set(WITHIN.document("outbox", f"o{n}"), {"kind": kind, "state": state, "createdAt": at})]
        )
    assert await ward.found() == [
        ("outbox_failed", "text", 2),
        ("outbox_late", "", 1),
        ("outbox_unknown", "mail", 1),
    ]


async def test_what_was_entered_wrongly_is_told(ward: Ward):
    """Fields and tools that cannot be used cost themselves, and owners hear of it."""
    await ward.store.commit([Update(WITHIN.business, {"enabledTools": "all"})])
    await ward.store.commit([Set(WITHIN.document("tools", "t1"), {"type": "nonsense"})])
    found = await ward.found()
    assert [what for what, _, _ in found] == ["business_problem", "tool_skipped"]
    assert "enabledTools" in found[0][1] and "t1" in found[1][1]


async def test_a_document_that_somebody_wrote_by_hand_is_checked_and_what_callers_lose_is_trouble(ward: Ward):
    """A business without a clock books nothing, and nobody has to find out by the calls."""
    escalation = {"rules": [{"action": "transfr", "destination": "+15185550143"}]}
    written = {"timezonee": "America/New_York", "timezone": None, "colour": "red", "escalation": escalation}
    await ward.store.commit([Update(WITHIN.business, written)])
    findings = {f["what"]: f for f in (await ward.health())["findings"]}
    wrong = {what: f["severity"] for what, f in findings.items() if what in WRITTEN_WRONGLY}
    assert wrong == {
        "zone_unknown": "trouble",
        "field_mistyped": "trouble",
        "entry_unusable": "trouble",
        "field_unread": "notice",
    }
    assert "'timezonee', which nothing reads" in findings["zone_unknown"]["subject"]
    assert findings["field_mistyped"]["subject"] == "'timezonee' is read by nothing. Did you mean timezone?"
    assert "escalation.rules[0].action must be transfer or message" in findings["entry_unusable"]["means"]
    assert "calendar_away" not in findings


@pytest.mark.requirement("004-534")
async def test_what_is_wrong_with_people_and_rooms_is_told(ward: Ward):
    """Nobody who is there but by name, nothing that nobody does, no calendar of two, no appointment without anybody."""
    google = {"integration": "googleCalendar", "calendarId": "front"}
    resources = [
        {"id": "rosa", "name": "Rosa", "hours": {"monday": "closed"}, "calendars": [google]},
        {"id": "marcus", "name": "Marcus", "services": ["Haircut"], "calendars": [{"integration": "googleCalendar"}]},
        {"id": "Zoe!", "name": "Zoe"},
    ]
    services = [
        {"name": "Haircut", "durationMinutes": 30},
        {"name": "Color", "durationMinutes": 60, "needs": [{"kind": "person", "any": ["marcus"]}]},
    ]
    start = ward.clock.now() + DAY
    booking = Booking(
        id="bk_1", business_id=OWN, service="Haircut", start=start, minutes=30, customer_name="Ana", created_at=start
    )
    await ward.store.commit(
        [
            Update(
                WITHIN.business,
                {
                    "resources": resources,
                    "services": services,
                    "integrations.googleCalendar": {"isConnected": False, "calendarId": "front"},
                },
            ),
            *claim_writes(WITHIN, booking),
        ]
    )
    found = set(await ward.found())
    assert {
        ("resource_without_hours", "Rosa", None),
        ("own_calendar_away", "Google Calendar (Marcus)", None),
        ("service_undone", "Color", None),
        ("calendar_shared", "Rosa and Marcus", None),
        ("bookings_astray", "", 1),
    } <= found
    assert [what for what, subject, _ in found if "Zoe!" in subject] == ["resource_unreadable"]
    await ward.store.commit([Update(WITHIN.business, {"resources": []})])
    assert "bookings_astray" not in {what for what, _, _ in await ward.found()}


async def test_of_very_many_appointments_that_have_lost_somebody_at_least_so_many_are_told(
    ward: Ward, monkeypatch: pytest.MonkeyPatch
):
    """Where not all were looked at; where all were, how many there are."""
    monkeypatch.setattr(health_resources, "_LOOKED_AT", 2)
    start = ward.clock.now() + DAY
    for number, expected in ((1, "yet: 1."), (2, "yet: 2."), (3, "yet: at least 2.")):
        booking = Booking(
            id=f"bk_{number}",
            business_id=OWN,
            service="Haircut",
            start=start + number * DAY,
            minutes=30,
            customer_name="Ana",
            created_at=start,
        )
        resources = {"resources": [{"id": "rosa", "name": "Rosa"}]}
        await ward.store.commit([Update(WITHIN.business, resources), *claim_writes(WITHIN, booking)])
        (told,) = [row for row in (await ward.health())["findings"] if row["what"] == "bookings_astray"]
        assert expected in told["means"]


async def test_the_health_of_all_is_told_to_each_of_their_own(ward: Ward):
    """A platform admin sees every business, an owner the own one; the worst is told of all."""
    ward.circuits[OTHER] = Circuits(open=frozenset({"twilio"}))
    for person, expected, worst in (
        ("platform", [OTHER, OWN], "trouble"),
        ("owner", [OWN], "ok"),
        ("neighbour", [OTHER], "trouble"),
    ):
        answer = (await ward.ask("GET", "/health", person)).json()
        assert [business["businessId"] for business in answer["businesses"]] == expected
        assert answer["businesses"][0]["worst"] == answer["worst"] == worst
    page = (await ward.ask("GET", "/health", "platform", params={"limit": 1})).json()
    rest = (await ward.ask("GET", "/health", "platform", params={"cursor": page["nextCursor"]})).json()
    assert [b["businessId"] for b in page["businesses"] + rest["businesses"]] == [OTHER, OWN]
    assert (await ward.ask("GET", "/health", "platform", params={"limit": 26})).status_code == 400


async def test_a_definition_that_cannot_be_used_is_told_of_the_house(ward: Ward):
    """It concerns every business."""
    document = {"category": "general", "description": "Fine.", "parameters": {"type": "array"}}
    await ward.store.commit([Set(PATHS.definition("end_call"), document)])
    answer = (await ward.ask("GET", "/health")).json()
    [finding] = answer["house"]
    assert finding["what"] == "tool_skipped" and finding["subject"].startswith("end_call (parameters")
    assert answer["worst"] == "warning"


async def test_questions_without_an_answer_are_grouped_and_counted(ward: Ward):
    """By what differs only in spelling; with the last wording, time and the channels."""
    await ward.asked("q1", "Do you have parking?")
    ward.clock.wait(5)
    await ward.asked("q2", "do you have   PARKING", channel="portal", tool="kb_search")
    last = ward.clock.now()
    await ward.asked("q3", "Are dogs allowed?", results=2)
    await ward.asked("q4", "Do you have parking?", meta={"reused": True})
    await ward.asked("q5", "Foreign?", business=OTHER)
    await ward.row("q6", "failed", tool="search_knowledge", arguments='{"query": "Broken?"}')
    [question] = await ward.listed()
    assert (question["question"], question["count"]) == ("do you have   PARKING", 2)
    assert (question["channels"], question["isAnswered"]) == (["phone", "portal"], False)
    assert datetime.fromisoformat(question["lastAt"]) == last
    assert ("questions_open", "", 1) in await ward.found()


async def test_each_call_counts_once_however_often_the_list_is_looked_at(ward: Ward):
    """Also those whose row is written a moment after its time, and by two who look at once."""
    await ward.asked("q1", "Do you have parking?")
    for _ in range(3):
        assert [q["count"] for q in await ward.listed()] == [1]
    await ward.asked("late", "Do you have parking?", finishedAt=ward.clock.now() - timedelta(seconds=20))
    assert [q["count"] for q in await ward.listed()] == [2]
    ward.clock.wait(300)
    await ward.asked("q2", "Do you have parking?")
    assert await ward.questions.collect_all() == 1
    assert [q["count"] for q in await ward.listed()] == [3]


async def test_a_backlog_is_counted_completely(ward: Ward):
    """More than one page, all at the same moment."""
    for n in range(230):
        await ward.asked(f"q{n}", f"Question number {n % 3}?")
    assert await ward.questions.collect(OWN) == 230
    assert sorted(q["count"] for q in await ward.listed()) == [76, 77, 77]


async def test_a_question_that_is_marked_leaves_the_list_until_it_is_asked_again(ward: Ward):
    """Marks are revisioned and audited."""
    await ward.asked("q1", "Do you have parking?")
    [question] = await ward.listed()
    path = f"/businesses/{OWN}/questions/{question['id']}"
    body = {"isAnswered": True, "note": "Added to the FAQs."}
    marked = await ward.ask("PATCH", path, "editor", json=body, revision=question["revision"])
    assert marked.status_code == 200 and marked.headers["audit-entry"]
    assert (await ward.ask("PATCH", path, json=body, revision=question["revision"])).status_code == 412
    assert (await ward.ask("PATCH", path, json=body)).status_code == 428
    assert await ward.listed() == []
    [answered] = await ward.listed(answered="1")
    assert (answered["note"], answered["count"]) == ("Added to the FAQs.", 1)
    marked_at = ward.clock.now()
    await ward.store.commit([Update(WITHIN.document(QUESTIONS, question["id"]), {"updatedAt": marked_at})])
    await ward.asked("before", "Do you have parking?", finishedAt=marked_at - timedelta(seconds=5))
    assert await ward.listed() == []
    await ward.asked("after", "Do you have parking?")
    [again] = await ward.listed()
    assert (again["count"], again["isAnswered"], again["note"]) == (3, False, "Added to the FAQs.")


@pytest.mark.parametrize("body", [{"isAnswered": "yes"}, {"note": 7}, {"count": 0}, {"isAnswered": None}])
async def test_marks_that_mean_nothing_are_refused(ward: Ward, body: Any):
    """With the field that is wrong."""
    await ward.asked("q1", "Do you have parking?")
    [question] = await ward.listed()
    path = f"/businesses/{OWN}/questions/{question['id']}"
    answer = await ward.ask("PATCH", path, json=body, revision=question["revision"])
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, next(iter(body)))


async def test_what_is_no_question_cannot_be_marked(ward: Ward):
    """Least of all the note of what was counted."""
    await ward.asked("q1", "Do you have parking?")
    await ward.listed()
    for id in ("nothing", "~collected"):
        path = f"/businesses/{OWN}/questions/{id}"
        assert (await ward.ask("PATCH", path, json={"isAnswered": True}, revision="x")).status_code == 404


async def test_who_may_see_health_and_questions(ward: Ward):
    """Everybody of the business sees, editors mark, others are kept out alike for businesses that do not exist."""
    mark = ("PATCH", f"/businesses/{OWN}/questions/q", {"isAnswered": True})
    for person, see, do in (("viewer", 200, 403), ("editor", 200, 404), ("neighbour", 403, 403), ("nobody", 403, 403)):
        for path in (f"/businesses/{OWN}/health", f"/businesses/{OWN}/questions"):
            assert (await ward.ask("GET", path, person)).status_code == see, (person, path)
        assert (await ward.ask(mark[0], mark[1], person, json=mark[2], revision="x")).status_code == do, person
    assert (await ward.ask("GET", "/businesses/nobody-there/health")).status_code == 403
    assert (await ward.ask("GET", "/businesses/nobody-there/health", "platform")).status_code == 404
    assert (await ward.browser.get("/admin/health")).status_code == 401


async def test_what_is_answered_is_what_the_document_says(ward: Ward):
    """Each answer satisfies its schema, and the document is valid."""
    assert list(OpenAPIV31SpecValidator(ward.document).iter_errors()) == []
    await ward.asked("q1", "Do you have parking?")
    await ward.row("u1", "unknown")
    for path in ("/health", "/businesses/{business_id}/health", "/businesses/{business_id}/questions"):
        described = ward.document["paths"][f"/admin{path}"]["get"]["responses"]["200"]
        answer = await ward.ask("GET", path.format(business_id=OWN))
        schema = {"components": ward.document["components"], **described["content"]["application/json"]["schema"]}
        jsonschema_rs.validator_for(schema).validate(answer.json())
    assert await ward.store.query(Query(WITHIN.collection(QUESTIONS)))


@each("what", WORDS)
def test_every_finding_says_what_it_means_and_what_to_do(what: str):
    """In whole sentences, with its subject and count filled in."""
    told = HealthFinding(what, "thing", 7).to_json()
    for part in ("means", "do"):
        assert told[part][0].isupper() or told[part].startswith(("thing", "7")), told[part]
        assert told[part].endswith(".") and "{" not in told[part]


@hypothesis.given(st.text(min_size=1))
def test_a_normalised_question_is_its_own_normal_form(text: str):
    """So that a group is the same however it was come by, whatever callers say."""
    once = normalised(text)
    assert normalised(once) == once


@pytest.mark.parametrize("text", ["Where\u2019s the caf\u00e9?", "where s the CAFE", "  Where's   the cafe ?! "])
def test_spelling_makes_no_question_a_different_one(text: str):
    """Case, accents, punctuation and blanks."""
    assert normalised(text) == "where s the cafe"


async def test_deeds_of_which_nobody_knows_are_counted_however_many_look_ups_fail(ward: Ward):
    """Of more than are read it is said that there are at least so many."""
    for n in range(3):
        await ward.row(f"u{n}", "unknown", tool="place_order")
    ward.clock.wait(1)
    for n in range(105):
        await ward.row(f"f{n}", "failed", tool="look_up")
    found = {f["what"]: f for f in (await ward.health())["findings"]}
    assert (found["outcome_unknown"]["subject"], found["outcome_unknown"]["count"]) == ("place_order", 3)
    assert "3 times" in found["outcome_unknown"]["means"]
    assert "at least 100 times" in found["tool_failing"]["means"]
