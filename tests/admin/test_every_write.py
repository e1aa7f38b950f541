"""Every write of the owners' API, told by its own document: based on a revision, audited once, and put back."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

import pytest

from switchboard.admin.api import openapi
from switchboard.app.container import Container
from switchboard.contract.store import Query, Set, Update
from switchboard.desk.bookings.booking import Booking
from switchboard.desk.bookings.bookings import claim_writes
from tests.admin.connected import SERVER, URL, tool
from tests.admin.owners_office import OWN
from tests.admin.whole_house import BUSINESS, CANARY, MAIL, SMS, WITHIN, Owner
from tests.desk.front_desk import NOW, call, salon
from tests.pipeline.conftest import PATHS

SECRET = {"password": CANARY}
API = {
    "openapi": "3.1.0",
    "info": {"title": "Orders", "version": "1"},
    "servers": [{"url": "https://orders.example.com"}],
    "paths": {"/orders": {"get": {"operationId": "listOrders", "summary": "List orders", "responses": {}}}},
}


@dataclass(frozen=True)
class Ready:
    """A write that can now be made.

    Attributes:
        path: Where.
        body: What is sent.
        revision: What it is based on; empty where it makes something.
        kind: What the audit will call it.
        document: What it will be about; empty where that is made up by the write.
    """

    path: str
    body: Any
    kind: str
    document: str = ""
    revision: str = ""


Making: TypeAlias = Callable[[Owner], Awaitable[Ready]]


def makes(path: str, body: Any, kind: str, document: str = "") -> Making:
    """Return what makes something below the salon."""

    async def ready(owner: Owner) -> Ready:
        return Ready(path, body, kind, document)

    return ready


def changes(path: str, body: Any, kind: str, document: str, *before: tuple[str, str, Any]) -> Making:
    """Return what changes something after something else was done."""

    async def ready(owner: Owner) -> Ready:
        for method, where, given in before:
            await owner.done(method, where, given)
        return Ready(path, body, kind, document, await owner.revision(path))

    return ready


def of_entry(base: str, one: str, kind: str, first: Any, then: Any) -> Making:
    """Return what changes, or with None removes, an entry that is made first."""

    async def ready(owner: Owner) -> Ready:
        made = await owner.done("POST", base, first)
        id = (made[one] if one else made)["id"]
        return Ready(f"{base}/{id}", then, kind, id, await owner.revision(f"{base}/{id}"))

    return ready


async def a_question(owner: Owner) -> Ready:
    """Mark a question as answered."""
    fields = {"question": "Is there parking?", "count": 1, "lastAt": NOW, "isAnswered": False, "note": ""}
    await owner.house.store.commit([Set(WITHIN.document("questions", "q1"), fields)])
    (row,) = (await owner.done("GET", f"{BUSINESS}/questions"))["questions"]
    return Ready(f"{BUSINESS}/questions/q1", {"isAnswered": True}, "questions", "q1", row["revision"])


async def an_undo(owner: Owner) -> Ready:
    """Undo the making of an agent."""
    await owner.done("POST", f"{BUSINESS}/agents", {"name": "Ada"})
    (entry,) = await owner.audit()
    path = f"{BUSINESS}/audit/{entry}"
    return Ready(f"{path}/undo", {}, "agent", "ada", await owner.revision(path))


async def an_agent_as_it_was(owner: Owner) -> Ready:
    """Save an agent again as it was made."""
    await owner.done("POST", f"{BUSINESS}/agents", {"name": "Ada"})
    path = f"{BUSINESS}/agents/ada"
    await owner.done("PATCH", path, {"language": "de"})
    *_, first = (await owner.done("GET", f"{path}/versions"))["versions"]
    return Ready(f"{path}/versions/{first['id']}/rollback", {}, "agent", "ada", await owner.revision(path))


def of_trial(path: str, body: Any, kind: str, *, is_on: bool) -> Making:
    """Return what is done with a version of an agent on trial, after that has begun or before."""

    async def ready(owner: Owner) -> Ready:
        made = await owner.done("POST", f"{BUSINESS}/agents", {"name": "Ada"})
        if is_on:
            given = {"share": 10, "changes": {"prompt": "Be brief."}, "revision": made["trialRevision"]}
            made = await owner.done("PUT", f"{BUSINESS}/agents/ada/trial", given)
        return Ready(f"{BUSINESS}/agents/ada/trial{path}", body, kind, "ada", made["trialRevision"])

    return ready


async def a_key_revoked(owner: Owner) -> Ready:
    """Revoke a key."""
    made = await owner.done("POST", f"{BUSINESS}/keys", {"name": "Till", "scopes": ["tools:read"]})
    return Ready(f"{BUSINESS}/keys/{made['id']}", None, "apiKey", made["id"], made["revision"])


async def a_feed_revoked(owner: Owner) -> Ready:
    """Revoke an address at which calendars read."""
    made = await owner.done("POST", f"{BUSINESS}/calendar-feeds", {"name": "Office"})
    return Ready(f"{BUSINESS}/calendar-feeds/{made['id']}", None, "calendarFeed", made["id"], made["revision"])


async def a_flag_lifted(owner: Owner) -> Ready:
    """Lift a flag that stands in a caller's record."""
    given = {"phone": "+12015550123", "reason": "Rude."}
    (row,) = (await owner.done("POST", f"{BUSINESS}/restrictions", given))["restrictions"]
    path = f"{BUSINESS}/restrictions/callers/{row['id']}"
    return Ready(path, None, "callerRestriction", row["id"], row["revision"])


async def a_number_texted_again(owner: Owner) -> Ready:
    """Take a number off the list of those that get no texts."""
    made = await owner.done("POST", f"{BUSINESS}/text-stops", {"phone": "+12015550123"})
    return Ready(f"{BUSINESS}/text-stops/{made['number']}", None, "textStop", made["number"], made["revision"])


async def a_visit_ended(owner: Owner) -> Ready:
    """End what a link has opened."""
    phoned = call(salon(OWN, portalUrl="https://salon.example"), now=datetime.now(UTC))
    await owner.house.desk.portal_links.sent(phoned, await owner.house.desk.portal_links.issue(phoned))
    (visit,) = (await owner.done("GET", f"{BUSINESS}/visits"))["visits"]
    return Ready(f"{BUSINESS}/visits/{visit['id']}", None, "portalVisit", visit["id"], visit["revision"])


async def a_google_calendar_disconnected(owner: Owner) -> Ready:
    """End a connection; whoever ends it need not have read it."""
    await owner.house.store.commit([Update(WITHIN.business, {"integrations.googleCalendar": {"isConnected": True}})])
    return Ready(f"/admin/integrations/google?businessId={OWN}", None, "toolkit", "google_calendar")


async def a_microsoft_calendar_disconnected(owner: Owner) -> Ready:
    """Likewise."""
    await owner.house.store.commit([Update(WITHIN.business, {"integrations.microsoftCalendar": {"isConnected": True}})])
    return Ready(f"/admin/integrations/microsoft?businessId={OWN}", None, "toolkit", "microsoft_calendar")


async def a_resync(owner: Owner) -> Ready:
    """Take over what a server has changed."""
    await owner.done("POST", f"{BUSINESS}/mcp/connect", {"server": SERVER, "tools": ["find"]})
    owner.remote.tools = [tool("find", description="Find it at once.")]
    seen = await owner.done("POST", f"{BUSINESS}/mcp/review", {"url": URL})
    (row,) = seen["tools"]
    body = {"url": URL, "accepted": {row["id"]: row["digest"]}}
    return Ready(f"{BUSINESS}/mcp/resync", body, "tool", row["id"], seen["revision"])


ROSA = {"id": "rosa", "name": "Rosa"}
RESOURCES, ABSENCES = f"{BUSINESS}/resources", f"{BUSINESS}/absences"
AWAY = {"resource": "rosa", "start": "2027-05-03", "end": "2027-05-07"}


async def an_absence_entered(owner: Owner) -> Ready:
    """Enter when somebody is away."""
    await owner.done("POST", RESOURCES, ROSA)
    return Ready(ABSENCES, AWAY, "resource", "rosa")


async def an_absence_removed(owner: Owner) -> Ready:
    """Take an absence back."""
    await owner.done("POST", RESOURCES, ROSA)
    made = (await owner.done("POST", ABSENCES, AWAY))["absence"]
    return Ready(f"{ABSENCES}/{made['id']}", None, "resource", "rosa", made["revision"])


def an_appointment(path: str) -> Making:
    """Return what gives an appointment of the one chair to somebody, who was entered past the API."""

    async def ready(owner: Owner) -> Ready:
        start = datetime.now(UTC).replace(hour=10, minute=0, second=0, microsecond=0) + timedelta(days=2)
        booking = Booking(
            id="bk_1",
            business_id=OWN,
            service="Haircut",
            start=start,
            minutes=30,
            customer_name="Ana",
            created_at=start - timedelta(days=5),
        )
        await owner.house.store.commit(
            [*claim_writes(WITHIN, booking), Update(WITHIN.business, {"resources": [ROSA], "services": []})]
        )
        return Ready(f"{BUSINESS}/bookings/{path}", {}, "booking", "bk_1")

    return ready


APPOINTMENTS, CUSTOMERS, MESSAGES = (f"{BUSINESS}/{one}" for one in ("appointments", "customers", "messages"))


def appointment_at(days: int) -> str:
    """Return a time some days from now, at noon where the salon is."""
    return f"{(datetime.now(UTC) + timedelta(days=days)).date()}T12:00:00"


async def opened_salon(owner: Owner) -> None:
    """Let appointments be made on every day."""
    days = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
    hours = {day: [{"open": "09:00", "close": "18:00"}] for day in days}
    fields = {"workingHours": hours, "integrations": {"builtinCalendar": {"isConnected": True}}}
    await owner.house.store.commit([Update(WITHIN.business, fields)])


async def an_appointment_made(owner: Owner) -> Ready:
    """Make an appointment at the desk."""
    await opened_salon(owner)
    return Ready(APPOINTMENTS, {"service": "Haircut", "start": appointment_at(3), "customer": "Ana"}, "booking")


def an_appointment_changed(path: str, body: Any) -> Making:
    """Return what changes an appointment that a caller has made."""

    async def ready(owner: Owner) -> Ready:
        await opened_salon(owner)
        zone = salon(OWN).timezone
        start = datetime.fromisoformat(appointment_at(-2 if path == "/no-show" else 2)).replace(tzinfo=zone)
        booking = Booking(
            id="bk_1",
            business_id=OWN,
            service="Haircut",
            start=start.astimezone(UTC),
            minutes=30,
            customer_name="Ana",
            created_at=datetime.now(UTC) - timedelta(days=5),
        )
        await owner.house.store.commit(claim_writes(WITHIN, booking))
        one = f"{APPOINTMENTS}/bk_1"
        return Ready(f"{one}{path}", body, "booking", "bk_1", await owner.revision(one))

    return ready


async def a_message_handled(owner: Owner) -> Ready:
    """Note that a message is done."""
    fields = {"kind": "message", "state": "sent", "text": "Call me.", "createdAt": datetime.now(UTC)}
    await owner.house.store.commit([Set(WITHIN.document("outbox", "msg_1"), fields)])
    path = f"{MESSAGES}/msg_1"
    return Ready(path, {"done": True}, "message", "msg_1", await owner.revision(path))


def a_customer(path: str, body: Any, kind: str = "customer") -> Making:
    """Return what changes a customer who was entered before, beside another one."""

    async def ready(owner: Owner) -> Ready:
        made = await owner.done("POST", CUSTOMERS, {"name": "Ana", "phone": "(518) 555-0161"})
        other = await owner.done("POST", CUSTOMERS, {"name": "Anna"})
        one, sent = f"{CUSTOMERS}/{made['id']}", {"other": other["id"]} if path == "/merge" else body
        return Ready(f"{one}{path}", sent, kind, made["id"], await owner.revision(one))

    return ready


async def a_bundle(owner: Owner) -> Ready:
    """Take in what was taken out of a business."""
    await owner.done("POST", f"/api/{OWN}/tools", SMS)
    bundle = await owner.done("GET", f"{BUSINESS}/tools/export?as=bundle")
    (row,) = (await owner.done("GET", f"/api/{OWN}/tools"))["tools"]
    await owner.done("DELETE", f"/api/{OWN}/tools/{row['id']}")
    return Ready(f"{BUSINESS}/tools/bundle", {"bundle": bundle, "dryRun": False}, "tool")


NAME = "get_policies"
DEFINITION = f"/admin/definitions/{NAME}"


async def at_definition(owner: Owner, method: str, path: str, body: Any) -> dict[str, Any]:
    """Change the definition, based on what is there now."""
    answer = await owner.send(method, f"{DEFINITION}{path}", body, await owner.revision(DEFINITION))
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def draft(owner: Owner) -> dict[str, Any]:
    """Return a body that is a sound draft."""
    built = (await owner.done("GET", DEFINITION))["builtIn"]
    return {"document": built | {"description": f"{built['description']} Answer briefly."}}


async def acknowledged(owner: Owner) -> dict[str, Any]:
    """Save a draft, and return a body that acknowledges what it changes."""
    await at_definition(owner, "PUT", "/draft", await draft(owner))
    return {"acknowledged": (await owner.done("GET", f"{DEFINITION}/replay"))["hash"]}


async def published(owner: Owner) -> None:
    """Publish a draft."""
    await at_definition(owner, "POST", "/publish", await acknowledged(owner))


async def tried(owner: Owner) -> dict[str, Any]:
    """Return a body that has the salon try a draft."""
    return {"businesses": [OWN], **await acknowledged(owner)}


def of_definition(path: str, body: Callable[[Owner], Awaitable[Any]]) -> Making:
    """Return what changes the definition after what `body` does, which returns what is sent."""

    async def ready(owner: Owner) -> Ready:
        sent = await body(owner)
        return Ready(f"{DEFINITION}{path}", sent, "definition", NAME, await owner.revision(DEFINITION))

    return ready


async def after_draft(owner: Owner) -> None:
    """Save a draft, which is then thrown away."""
    await at_definition(owner, "PUT", "/draft", await draft(owner))


async def after_trial(owner: Owner) -> None:
    """Have the salon try a draft, which is then ended."""
    await at_definition(owner, "PUT", "/canary", await tried(owner))


async def after_reset(owner: Owner) -> None:
    """Publish something, and the built-in words after it, so that the first can be gone back to."""
    await published(owner)
    await at_definition(owner, "POST", "/reset", {})


async def switched_off(owner: Owner) -> dict[str, Any]:
    """Return a body that switches the tool off."""
    return {"enabled": False}


async def a_draft_taken_back(owner: Owner) -> Ready:
    """Undo that a draft was thrown away."""
    await after_draft(owner)
    await at_definition(owner, "DELETE", "/draft", {})
    (newest, *_) = (await owner.done("GET", "/admin/definition-changes"))["changes"]
    path = f"/admin/definition-changes/{newest['id']}"
    return Ready(f"{path}/undo", {}, "definition", NAME, await owner.revision(path))


EVAL, EVAL_TEXT = f"{BUSINESS}/evals/hello", f"business: {OWN}\nnow: 2026-12-01 10:00\nexpect: {{}}\nname: hello\n"
GREETED, ASKED = {"text": f"{EVAL_TEXT}lines: [Hello]\n"}, {"text": f"{EVAL_TEXT}lines: [Good morning]\n"}
AGENT, AGENTS = f"{BUSINESS}/agents/ada", f"{BUSINESS}/agents"
EMAIL, OWN_EMAIL = f"{BUSINESS}/toolkits/email", f"{AGENT}/toolkits/email"
ADA = ("POST", AGENTS, {"name": "Ada"})
PRICES = {"currency": "USD", "prices": [{"item": "texts", "price": "0.0079"}]}
POLICY = {"topic": "pets", "content": "Dogs may wait inside."}
FAQ = {"topic": "pets", "question": "May I bring my dog?", "answer": "Yes."}
TEXT = {"title": "Parking", "content": "Behind the house."}

COLLECTIONS = f"{BUSINESS}/collections"
HOMES = f"{COLLECTIONS}/homes"
HOMES_MADE = ("POST", COLLECTIONS, {"name": "homes", "fields": [{"name": "town", "type": "text"}]})
ALBANY = {"fields": {"town": "Albany"}}


def a_row(body: Any) -> Making:
    """Return what changes the row of a collection, or with None removes it."""

    async def ready(owner: Owner) -> Ready:
        await owner.done(*HOMES_MADE)
        made = await owner.done("POST", f"{HOMES}/rows", ALBANY)
        return Ready(f"{HOMES}/rows/{made['id']}", body, "collectionRows", "homes", made["revision"])

    return ready


async def a_row_added(owner: Owner) -> Ready:
    """Add a row."""
    await owner.done(*HOMES_MADE)
    return Ready(f"{HOMES}/rows", ALBANY, "collectionRows", "homes")


async def a_table(owner: Owner) -> Ready:
    """Take a file in, based on what its check has told."""
    await owner.done(*HOMES_MADE)
    text = {"csv": "town\nAlbany\nTroy\n"}
    checked = await owner.done("POST", f"{HOMES}/table/check", text)
    return Ready(f"{HOMES}/table", text, "collectionRows", "homes", checked["revision"])


WRITES: dict[tuple[str, str], Making] = {
    ("POST", "/admin/businesses/{business_id}/collections"): makes(COLLECTIONS, HOMES_MADE[2], "collection", "homes"),
    ("PUT", "/admin/businesses/{business_id}/collections/{name}"): changes(
        HOMES, {"fields": [{"name": "rooms", "type": "number"}]}, "collection", "homes", HOMES_MADE
    ),
    ("DELETE", "/admin/businesses/{business_id}/collections/{name}"): changes(
        HOMES, None, "collection", "homes", HOMES_MADE
    ),
    ("POST", "/admin/businesses/{business_id}/collections/{name}/rows"): a_row_added,
    ("PUT", "/admin/businesses/{business_id}/collections/{name}/rows/{row_id}"): a_row({"fields": {"town": "Troy"}}),
    ("DELETE", "/admin/businesses/{business_id}/collections/{name}/rows/{row_id}"): a_row(None),
    ("POST", "/admin/businesses/{business_id}/collections/{name}/table"): a_table,
    ("PATCH", "/admin/businesses/{business_id}"): changes(BUSINESS, {"industry": "barber"}, "business", OWN),
    ("POST", "/admin/businesses/{business_id}/agents"): makes(AGENTS, {"name": "Ada"}, "agent", "ada"),
    ("PUT", "/admin/businesses/{business_id}/agents/{agent_id}"): changes(
        AGENT, {"name": "Ada", "language": "de"}, "agent", "ada", ADA
    ),
    ("PATCH", "/admin/businesses/{business_id}/agents/{agent_id}"): changes(
        AGENT, {"language": "de"}, "agent", "ada", ADA
    ),
    ("POST", "/admin/businesses/{business_id}/agents/{agent_id}/versions/{version}/rollback"): an_agent_as_it_was,
    ("PUT", "/admin/businesses/{business_id}/agents/{agent_id}/trial"): of_trial(
        *("", {"share": 10, "changes": {"prompt": "Be brief."}}, "agentTrial"), is_on=False
    ),
    ("DELETE", "/admin/businesses/{business_id}/agents/{agent_id}/trial"): of_trial("", {}, "agentTrial", is_on=True),
    ("POST", "/admin/businesses/{business_id}/agents/{agent_id}/trial/adopt"): of_trial(
        *("/adopt", {}, "agent"), is_on=True
    ),
    ("DELETE", "/admin/businesses/{business_id}/agents/{agent_id}"): changes(AGENT, None, "agent", "ada", ADA),
    ("PUT", "/admin/businesses/{business_id}/agents/{agent_id}/toolkits/{name}"): changes(
        OWN_EMAIL, {"enabled": False, "sensitiveConfig": SECRET}, "agentToolkit", "ada~email", ADA
    ),
    ("DELETE", "/admin/businesses/{business_id}/agents/{agent_id}/toolkits/{name}"): changes(
        *(OWN_EMAIL, None, "agentToolkit", "ada~email", ADA), ("PUT", OWN_EMAIL, {"sensitiveConfig": SECRET})
    ),
    ("POST", "/admin/businesses/{business_id}/audit/{entry_id}/undo"): an_undo,
    ("POST", "/admin/businesses/{business_id}/documents"): makes(f"{BUSINESS}/documents", TEXT, "knowledge"),
    ("PUT", "/admin/businesses/{business_id}/documents/{id}"): of_entry(
        f"{BUSINESS}/documents", "", "knowledge", TEXT, {**TEXT, "content": "In front of it."}
    ),
    ("DELETE", "/admin/businesses/{business_id}/documents/{id}"): of_entry(
        f"{BUSINESS}/documents", "", "knowledge", TEXT, None
    ),
    ("POST", "/admin/businesses/{business_id}/calendar-feeds"): makes(
        f"{BUSINESS}/calendar-feeds", {"name": "Office"}, "calendarFeed"
    ),
    ("DELETE", "/admin/businesses/{business_id}/calendar-feeds/{feed_id}"): a_feed_revoked,
    ("POST", "/admin/businesses/{business_id}/keys"): makes(
        f"{BUSINESS}/keys", {"name": "Till", "scopes": ["tools:read"]}, "apiKey"
    ),
    ("DELETE", "/admin/businesses/{business_id}/keys/{key_id}"): a_key_revoked,
    ("POST", "/admin/businesses/{business_id}/mcp/connect"): makes(
        f"{BUSINESS}/mcp/connect", {"server": SERVER, "tools": ["find"]}, "tool"
    ),
    ("POST", "/admin/businesses/{business_id}/mcp/resync"): a_resync,
    ("PATCH", "/admin/businesses/{business_id}/questions/{question_id}"): a_question,
    ("POST", "/admin/businesses/{business_id}/resources"): makes(RESOURCES, ROSA, "resource", "rosa"),
    ("PUT", "/admin/businesses/{business_id}/resources/{resource_id}"): changes(
        *(f"{RESOURCES}/rosa", {"name": "Rosa Díaz"}, "resource", "rosa", ("POST", RESOURCES, ROSA))
    ),
    ("DELETE", "/admin/businesses/{business_id}/resources/{resource_id}"): changes(
        *(f"{RESOURCES}/rosa", None, "resource", "rosa", ("POST", RESOURCES, ROSA))
    ),
    ("POST", "/admin/businesses/{business_id}/absences"): an_absence_entered,
    ("DELETE", "/admin/businesses/{business_id}/absences/{absence_id}"): an_absence_removed,
    ("POST", "/admin/businesses/{business_id}/bookings/assign"): an_appointment("assign"),
    ("POST", "/admin/businesses/{business_id}/bookings/{booking_id}/assign"): an_appointment("bk_1/assign"),
    ("POST", "/admin/businesses/{business_id}/appointments"): an_appointment_made,
    ("PATCH", "/admin/businesses/{business_id}/appointments/{booking_id}"): an_appointment_changed(
        "", {"customer": "Anna Meyer"}
    ),
    ("POST", "/admin/businesses/{business_id}/appointments/{booking_id}/move"): an_appointment_changed(
        "/move", {"start": appointment_at(4)}
    ),
    ("POST", "/admin/businesses/{business_id}/appointments/{booking_id}/cancel"): an_appointment_changed("/cancel", {}),
    ("POST", "/admin/businesses/{business_id}/appointments/{booking_id}/no-show"): an_appointment_changed(
        "/no-show", {}
    ),
    ("PATCH", "/admin/businesses/{business_id}/messages/{message_id}"): a_message_handled,
    ("POST", "/admin/businesses/{business_id}/customers"): makes(
        CUSTOMERS, {"name": "Ana", "phone": "(518) 555-0161"}, "customer"
    ),
    ("PATCH", "/admin/businesses/{business_id}/customers/{customer_id}"): a_customer("", {"notes": "Mornings."}),
    ("POST", "/admin/businesses/{business_id}/customers/{customer_id}/merge"): a_customer(
        "/merge", {}, "customersMerged"
    ),
    ("POST", "/admin/businesses/{business_id}/customers/{customer_id}/forget"): a_customer(
        "/forget", {}, "customerForgotten"
    ),
    ("PUT", "/admin/businesses/{business_id}/evals/{name}"): changes(
        EVAL, ASKED, "evals", "hello", ("PUT", EVAL, GREETED)
    ),
    ("DELETE", "/admin/businesses/{business_id}/evals/{name}"): changes(
        EVAL, None, "evals", "hello", ("PUT", EVAL, GREETED)
    ),
    ("POST", "/admin/businesses/{business_id}/restrictions"): makes(
        *(f"{BUSINESS}/restrictions", {"phone": "(201) 555-0123", "reason": "Rude."}, "callerRestriction")
    ),
    ("DELETE", "/admin/businesses/{business_id}/restrictions/{place}/{id}"): a_flag_lifted,
    ("POST", "/admin/businesses/{business_id}/text-stops"): makes(
        f"{BUSINESS}/text-stops", {"phone": "(201) 555-0123"}, "textStop", "+12015550123"
    ),
    ("DELETE", "/admin/businesses/{business_id}/text-stops/{number}"): a_number_texted_again,
    ("DELETE", "/admin/businesses/{business_id}/visits/{visit_id}"): a_visit_ended,
    ("PUT", "/admin/businesses/{business_id}/toolkits/{name}"): changes(
        EMAIL, {"config": MAIL, "sensitiveConfig": SECRET}, "toolkit", "email"
    ),
    ("DELETE", "/admin/businesses/{business_id}/toolkits/{name}"): changes(
        EMAIL, None, "toolkit", "email", ("PUT", EMAIL, {"config": MAIL, "sensitiveConfig": SECRET})
    ),
    ("POST", "/admin/businesses/{business_id}/tools/bundle"): a_bundle,
    ("POST", "/admin/businesses/{business_id}/tools/import"): makes(
        f"{BUSINESS}/tools/import", {"document": API, "chosen": ["listOrders"]}, "tool"
    ),
    ("DELETE", "/admin/integrations/google"): a_google_calendar_disconnected,
    ("DELETE", "/admin/integrations/microsoft"): a_microsoft_calendar_disconnected,
    **{
        (method, f"/tts_admin/{many}/{{business_id}}{below}"): making
        for many, one, first in (("policies", "policy", POLICY), ("faqs", "faq", FAQ))
        for method, below, making in (
            ("POST", "", makes(f"/tts_admin/{many}/{OWN}", first, many)),
            ("PUT", "/{id}", of_entry(f"/tts_admin/{many}/{OWN}", one, many, first, {**first, "topic": "animals"})),
            ("DELETE", "/{id}", of_entry(f"/tts_admin/{many}/{OWN}", one, many, first, None)),
        )
    },
    ("PUT", "/admin/definitions/{name}/draft"): of_definition("/draft", draft),
    ("DELETE", "/admin/definitions/{name}/draft"): of_definition("/draft", after_draft),
    ("POST", "/admin/definitions/{name}/publish"): of_definition("/publish", acknowledged),
    ("PUT", "/admin/definitions/{name}/canary"): of_definition("/canary", tried),
    ("DELETE", "/admin/definitions/{name}/canary"): of_definition("/canary", after_trial),
    ("POST", "/admin/definitions/{name}/versions/{version}/rollback"): of_definition(
        "/versions/1/rollback", after_reset
    ),
    ("POST", "/admin/definitions/{name}/reset"): of_definition("/reset", published),
    ("PUT", "/admin/definitions/{name}/enabled"): of_definition("/enabled", switched_off),
    ("POST", "/admin/definition-changes/{change_id}/undo"): a_draft_taken_back,
    ("PUT", "/admin/prices"): changes("/admin/prices", PRICES, "prices", "prices"),
    ("PUT", "/admin/businesses/{business_id}/monthly-limits"): changes(
        f"{BUSINESS}/monthly-limits", {"limits": {"texts": {"stopAt": 900}}}, "monthlyLimits", OWN
    ),
}
"""How each write is brought about, by method and path of the document."""

NO_WRITES = {
    ("POST", "/admin/businesses/{business_id}/collections/{name}/table/check"): "says what a file would change",
    **{
        ("POST", f"/admin/integrations/{vendor}/begin"): "only marks a browser; what comes of it is told when connected"
        for vendor in ("google", "microsoft")
    },
    ("POST", "/admin/businesses"): "makes another business, whose own audit begins with it",
    ("DELETE", "/admin/businesses/{business_id}"): "takes the business away with its audit; its deletion says who did",
    **{
        (
            "POST",
            f"/admin/{place}/push",
        ): "pushes to other businesses, each with entries of its own and by its own token"
        for place in ("templates/{template_id}", "businesses/{business_id}")
    },
    ("POST", "/admin/businesses/{business_id}/eval-runs"): "plays tests, and notes on them what came of it",
    ("POST", "/admin/businesses/{business_id}/interactions/{interaction_id}/eval"): "proposes a test, and keeps none",
    ("POST", "/admin/businesses/{business_id}/interactions/{interaction_id}/takeover"): (
        "rings a telephone, which nothing puts back; `conversations/test_takeover.py` holds its entry"
    ),
    ("POST", "/admin/businesses/{business_id}/interactions/{interaction_id}/takeover/messages"): (
        "is a chat's message, which its transcript tells of with who wrote it"
    ),
    ("POST", "/admin/businesses/{business_id}/interactions/{interaction_id}/takeover/hand-back"): (
        "is put back by taking over anew; `conversations/test_chat_takeover.py` holds its entry"
    ),
    ("POST", "/admin/businesses/{business_id}/documents/read"): "says what would be kept, and keeps nothing",
    ("POST", "/admin/businesses/{business_id}/mcp/discover"): "looks at a server, and changes nothing",
    ("POST", "/admin/businesses/{business_id}/mcp/review"): "looks at a server, and changes nothing",
    ("POST", "/admin/businesses/{business_id}/toolkits/{name}/test"): "tries an account without changing anything",
    ("POST", "/admin/businesses/{business_id}/try"): "is a conversation's call, which the ledger tells of",
    ("POST", "/admin/businesses/{business_id}/converse"): "is a conversation, which its record and the ledger tell of",
    ("POST", "/admin/definitions/{name}/check"): "says what is wrong, and saves nothing",
    (
        "POST",
        "/admin/businesses/{business_id}/definitions/{name}/words",
    ): "asks a model, and notes on a draft that it did",
}
"""What only looks like an owner's write, or has nothing to be based on or put back."""
_METHODS = ("post", "put", "patch", "delete")


def described(house: Container) -> dict[tuple[str, str], dict[str, Any]]:
    """Return every write of the functions `admin` and `tts_admin`, as their document describes it."""
    paths: dict[str, dict[str, Any]] = openapi.document(house.described())["paths"]
    return {
        (method.upper(), path): operation
        for path, item in paths.items()
        for method, operation in item.items()
        if path.split("/")[1] in ("admin", "tts_admin") and method in _METHODS
    }


async def on_record(owner: Owner) -> dict[str, dict[str, Any]]:
    """Return what was done at the salon and with the words that all businesses share, by the entries' ids."""
    found = await owner.audit()
    for note in await owner.house.store.query(Query(PATHS.publications)):
        sides = note.data["tools"][NAME]
        found[note.id] = {"who": note.data["who"], "kind": "definition", "document": NAME, **sides}
    for note in await owner.house.store.query(Query(PATHS.price_changes)):
        found[note.id] = {"kind": "prices", "document": "prices", **note.data}
    return found


def is_revisioned(operation: dict[str, Any]) -> bool:
    return any(parameter["name"] == "If-Match" for parameter in operation["parameters"])


async def test_every_write_of_the_document_is_known_here(owner: Owner):
    """Another one is added to the table, or to the exceptions with its reason."""
    found = described(owner.house)
    assert found.keys() == WRITES.keys() | NO_WRITES.keys()
    assert not any(is_revisioned(found[route]) for route in NO_WRITES)


@pytest.mark.parametrize("route", WRITES, ids=" ".join)
async def test_a_write_leaves_one_entry_that_names_who_and_what(owner: Owner, route: tuple[str, str]):
    """And nothing secret; what it answers names the entry."""
    ready = await WRITES[route](owner)
    before = await on_record(owner)
    answer = await owner.send(route[0], ready.path, ready.body, ready.revision)
    assert answer.status_code in (200, 201), answer.text
    (made,) = (await on_record(owner)).keys() - before.keys()
    entry = (await on_record(owner))[made]
    assert answer.headers["audit-entry"] == made
    assert (entry["who"]["id"], entry["who"]["role"]) == ("user:platform", "platform")
    assert (entry["kind"], bool(entry["document"])) == (ready.kind, True)
    assert not ready.document or entry["document"] == ready.document
    assert entry["before"] or entry["after"]
    assert CANARY not in repr(entry) + answer.text


@pytest.mark.parametrize("route", WRITES, ids=" ".join)
async def test_a_write_is_held_to_the_revision_that_its_document_asks_for(owner: Owner, route: tuple[str, str]):
    """412 where it is out of date and 428 where there is none, and nothing is changed; making needs none."""
    ready = await WRITES[route](owner)
    assert bool(ready.revision) == is_revisioned(described(owner.house)[route])
    if not ready.revision:
        return
    before = await on_record(owner)
    for revision, status in (("0123456789abcdef", 412), ("", 428)):
        answer = await owner.send(route[0], ready.path, ready.body, revision)
        assert answer.status_code == status, (revision, answer.text)
        assert CANARY not in answer.text
    assert await on_record(owner) == before
    assert (await owner.send(route[0], ready.path, ready.body, ready.revision)).status_code == 200
    assert (await owner.send(route[0], ready.path, ready.body, ready.revision)).status_code in (404, 409, 412)
