"""What is personal of callers is masked for viewers: no number is found in any answer, whatever it is about."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from string import Formatter
from typing import Any
from urllib.parse import quote

import pytest

from switchboard.admin.api.personal import PERSONAL, SAID, without_personal
from switchboard.contract.store import Set
from switchboard.desk.bookings.booking import Booking
from switchboard.desk.bookings.bookings import claim_writes
from tests.admin.owners_office import OWN
from tests.admin.whole_house import BUSINESS, WITHIN, Owner, opened
from tests.desk.front_desk import call, salon

PHONE, OTHER_PHONE, MAIL, BORN = "+12015550187", "+12015550188", "ana.planted@mail.example", "1988-04-12"
PLANTED = (PHONE, OTHER_PHONE, MAIL, BORN)
SAID_ALOUD = "+12015550199"
RECEIPT = {"tool": "text_me", "callId": "c1", "turn": 1, "what": "text", "for": f"{PHONE}, {MAIL}", "effectIds": ["x"]}
# By the names in paths.
IDS = {
    "business_id": OWN,
    "session_id": "s1",
    "interaction_id": "s1",
    "message_id": "msg_1",
    "booking_id": "bk_1",
    "number": PHONE,
    "place": "callers",
}


@pytest.fixture
async def owner() -> AsyncIterator[Owner]:
    """The salon's, where everything that is kept of a caller is kept of Ana."""
    async with opened() as found:
        await plant(found)
        yield found


async def plant(owner: Owner) -> None:
    """Have Ana on file, called, written to, blocked, visiting and with an appointment."""
    now = datetime.now(UTC)
    record = {"name": "Ana", "phone": PHONE, "otherPhones": [OTHER_PHONE], "email": MAIL, "dateOfBirth": BORN}
    made = await owner.done("POST", f"{BUSINESS}/customers", record)
    IDS["customer_id"] = IDS["id"] = made["id"]
    await owner.done("POST", f"{BUSINESS}/restrictions", {"phone": PHONE, "reason": "Rude."})
    await owner.done("POST", f"{BUSINESS}/text-stops", {"phone": PHONE})
    phoned = call(salon(OWN, portalUrl="https://salon.example"), now=now, phone=PHONE)
    await owner.house.desk.portal_links.sent(phoned, await owner.house.desk.portal_links.issue(phoned))
    (visit,) = (await owner.done("GET", f"{BUSINESS}/visits"))["visits"]
    IDS["visit_id"] = visit["id"]
    start = (now + timedelta(days=2)).replace(hour=15, minute=0, second=0, microsecond=0)
    booking = Booking(
        id="bk_1",
        business_id=OWN,
        service="Haircut",
        start=start,
        minutes=30,
        customer_name="Ana",
        created_at=now,
        customer_phone=PHONE,
        customer_email=MAIL,
    )
    facts = {"callerPhone": PHONE, "channel": "phone", "startedAt": now}
    said = [{"role": "caller", "text": f"Ring {SAID_ALOUD}.", "at": now, "turn": 1}]
    tools = [{"name": "text_me", "ok": True, "at": now, "turn": 1, "callId": "c1"}]
    kept = {"sessionId": "s1", "transcript": said, "tools": tools, "receipts": [RECEIPT], "callerId": made["id"]}
    message = {"kind": "message", "state": "sent", "text": "Call me.", "createdAt": now, "callerName": "Ana"}
    reached = {"callbackPhone": PHONE, "callbackEmail": MAIL}
    await owner.house.store.commit(
        [
            *claim_writes(WITHIN, booking),
            Set(WITHIN.document("sessions", "s1"), {**facts, "receipts": {"c1": RECEIPT}}),
            Set(WITHIN.document("interactions", "s1"), {**facts, **kept, "outcome": "answered"}),
            Set(WITHIN.document("outbox", "msg_1"), message | reached),
        ]
    )


async def reads(owner: Owner) -> list[str]:
    """Return the address of every read that the document describes, about the salon and Ana."""
    document = (await owner.send("GET", "/admin/openapi.json")).json()
    paths = []
    for path, methods in document["paths"].items():
        names = [name for _, name, _, _ in Formatter().parse(path) if name]
        if "get" in methods and path.startswith(("/admin", "/api", "/tts_admin")):
            filled = path.format(**{name: IDS.get(name, "none") for name in names})
            known = {row["name"] for row in methods["get"].get("parameters", ()) if row["in"] == "query"}
            asked = {"businessId": OWN, "session": "s1", "lasts": "0"}
            paths.append(f"{filled}?" + "&".join(f"{name}={asked[name]}" for name in asked if name in known))
    return paths


def planted_in(text: str) -> list[str]:
    """Return what of Ana stands in an answer, however it is spelt."""
    digits = "".join(filter(str.isalnum, text))
    return [one for one in PLANTED if one in text or (one.startswith("+") and one[2:] in digits)]


# Where the whole is told to those who may see it, so that nothing of it was forgotten to be planted.
TOLD = [
    *("customers", "customers/{customer_id}", "customers/{customer_id}/history", "appointments", "appointments/bk_1"),
    *("bookings", "bookings/bk_1", "messages", "messages/msg_1", "restrictions", "restrictions/callers/{id}"),
    *("text-stops", f"text-stops/{PHONE}", "visits", "visits/{visit_id}", "sessions", "sessions/s1"),
    *("sessions/s1/receipts", "interactions", "interactions/s1", "interactions/s1/receipts", "interactions-table"),
]


@pytest.mark.requirement("004-982")
async def test_no_answer_tells_a_viewer_how_a_caller_is_reached(owner: Owner):
    """Every read there is is asked, whatever it answers; whoever may see the whole finds it in each that tells it."""
    paths = await reads(owner)
    for path in paths:
        answer = await owner.send("GET", path, by="viewer")
        assert not planted_in(answer.text), path
    for one in TOLD:
        path = next(path for path in paths if path.startswith(f"{BUSINESS}/{one.format(**IDS)}?"))
        for by in ("owner", "editor"):
            answer = await owner.send("GET", path, by=by)
            assert answer.status_code == 200 and planted_in(answer.text), path
        seen = await owner.send("GET", path, by="viewer")
        # Whose number it is stands in the path: nobody may ask for that who is not told it.
        assert seen.status_code == 403 if PHONE in path else seen.status_code == 200 and "•••" in seen.text, path


@pytest.mark.requirement("004-982")
async def test_a_viewer_does_not_find_out_whose_a_number_or_an_address_is(owner: Owner):
    """In any spelling, wherever it may be searched for; names, words and what others may search for are found."""
    for asked in (PHONE, "(518) 555-0161", "ana@mail.example"):
        for path in ("customers?text=", "sessions?caller=", "interactions-table?text="):
            seen, found = [
                await owner.send("GET", f"{BUSINESS}/{path}{quote(asked)}", by=by) for by in ("viewer", "editor")
            ]
            assert seen.status_code == 403 and "Search by name" in seen.text, path
            assert found.status_code != 403, path
    for asked in ("Ana", "0161"):
        for path in ("customers", "interactions-table"):
            seen, found = [
                await owner.send("GET", f"{BUSINESS}/{path}?text={asked}", by=by) for by in ("viewer", "editor")
            ]
            assert seen.status_code == found.status_code != 403, path


@pytest.mark.requirement("004-982")
async def test_what_was_said_and_who_comes_stays_readable(owner: Owner):
    """A viewer looks at how the receptionist does: names, times and transcripts stand, and so does the revision."""
    assert SAID_ALOUD in (await owner.send("GET", f"{BUSINESS}/interactions/s1", by="viewer")).text
    seen, whole = [await owner.send("GET", f"{BUSINESS}/appointments/bk_1", by=by) for by in ("viewer", "owner")]
    assert seen.json()["customer"] == "Ana"
    assert seen.json() == whole.json() | {"phone": "•••", "email": "•••"}
    assert seen.headers.get("etag") == whole.headers.get("etag")
    business = (await owner.send("GET", BUSINESS, by="viewer")).json()["business"]
    assert business["phone"] == (await owner.send("GET", BUSINESS)).json()["business"]["phone"]


@pytest.mark.requirement("004-982")
async def test_a_viewer_makes_no_test_of_what_tools_were_given(owner: Owner):
    """It would tell their arguments; whoever may keep tests may see them."""
    assert (await owner.send("POST", f"{BUSINESS}/interactions/s1/eval", {}, by="viewer")).status_code == 403
    assert (await owner.send("POST", f"{BUSINESS}/interactions/s1/eval", {}, by="editor")).status_code != 403


def test_numbers_are_masked_by_their_field_and_by_their_looks():
    """In lists, inside of sentences, and under names that nobody thought of; what is nothing stays that."""
    given: dict[str, Any] = {
        "phone": "0518 555 0163",
        "otherPhones": ["1", "2"],
        "email": None,
        "dateOfBirth": "",
        "rows": [{"for": "+15185550163, Ana", "to": "ana@mail.example.", "at": "2026-11-30T10:00:00+00:00"}],
        "text": "Ring +15185550163.",
        "id": "+15185550163",
        "limits": {"phone": {"callsPerTurn": 3}},
        "turns": 5,
    }
    masked = {
        "phone": "•••",
        "otherPhones": ["•••", "•••"],
        "rows": [{"for": "•••, Ana", "to": "•••.", "at": given["rows"][0]["at"]}],
    }
    assert without_personal(given) == given | masked
    assert not PERSONAL & SAID
