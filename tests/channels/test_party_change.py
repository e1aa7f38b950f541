"""How many come, changed from a conversation: asked about, done once, and again when it is asked for again."""

import asyncio
import uuid
from datetime import UTC, datetime

import httpx2 as httpx
import pytest

from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.contract.store import Query, Update
from tests.channels.http.test_tools_api import KEY, PATHS, store  # noqa: F401 - a fixture
from tests.channels.http.test_tools_heard import context, say

pytestmark = pytest.mark.requirement("004-1101")
DINNER = {"service": "Dinner", "start_time": "2026-12-02T10:00:00", "customer_name": "Ana Lopez"}
CHANGES = [{"id": "room", "name": "Dining room", "kind": "seats", "capacity": 8}]
SERVICES = [{"name": "Dinner", "durationMinutes": 60, "needs": [{"kind": "seats"}]}]


@pytest.fixture
async def http(store):  # noqa: F811
    """The demo salon, with eight seats for dinner."""
    within = PATHS.within("demo-salon")
    await store.commit([Update(within.business, {"resources": CHANGES, "services": SERVICES})])
    house = build(read_configuration({}), store)
    headers = {"Authorization": f"Bearer {KEY}"}
    transport = httpx.ASGITransport(app=house.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers) as client:
        yield client


async def use(http, turn, name, call_id="", session="s1", **args):
    body = {"businessId": "demo-salon", "name": name, "args": args}
    facts = context("portal", turn) | {"sessionId": session, "callId": call_id or uuid.uuid4().hex}
    return (await http.post("/tools/execute", json=body | {"context": facts})).json()


async def changed(http, turn, booking_id, party, call_id=""):
    """Change it as a caller does who says yes in the next turn."""
    args = {"booking_id": booking_id, "new_start_time": DINNER["start_time"], "party_size": party}
    asked = await use(http, turn, "reschedule_appointment", **args)
    question = asked["meta"]["readBack"]
    told = "1 person" if party == 1 else f"{party} people"
    assert question == (
        f"I would now change your Dinner appointment for Ana Lopez on Wednesday, December 2 at 10:00 AM to {told}. "
        "Shall I go ahead?"
    )
    await say(http, turn + 1, "portal", asked=question, text="Yes, change it.")
    return await use(http, turn + 1, "reschedule_appointment", call_id, **args)


async def stored(store):  # noqa: F811
    """Return how many come to what this conversation has booked, and how many seats are held."""
    within = PATHS.within("demo-salon")
    rows = await store.query(Query(within.collection("bookings")))
    (own,) = (row.data for row in rows if row.data["customerName"] == "Ana Lopez" and row.data["service"] == "Dinner")
    slots = await store.query(Query(within.collection("slots")))
    start = datetime(2026, 12, 2, 15, 0, tzinfo=UTC)
    assert own["start"] == start
    return own.get("partySize", 1), sum(slot.data["bookingId"] == own["id"] and "room" in slot.id for slot in slots)


async def test_a_number_is_changed_there_and_back_and_there_again_and_each_time_once(http, store):  # noqa: F811
    """What was done before in the conversation is done again when it is asked for again; a redelivery does nothing."""
    booked = (await use(http, 1, "book_appointment", party_size=3, **DINNER))["data"]
    id = booked["bookingId"]
    for turn, party in ((2, 5), (5, 3), (8, 5), (11, 1)):
        done = await changed(http, turn, id, party, f"c{turn}")
        assert (done["data"]["partySize"], done["data"]["repeated"]) == (party, False), done
        assert done["meta"]["receipt"]["partySize"] == party
        assert await stored(store) == (party, party * 12)
    args = {"booking_id": id, "new_start_time": DINNER["start_time"]}
    again = await asyncio.gather(
        *(use(http, 12, "reschedule_appointment", "c11", party_size=1, **args) for _ in range(3))
    )
    assert {one["data"]["partySize"] for one in again} == {1}
    assert await stored(store) == (1, 12)


async def test_more_than_there_is_room_for_is_refused_before_anybody_is_asked(http, store):  # noqa: F811
    """Nobody says yes to what cannot be; one more than ever come is told in other words."""
    booked = (await use(http, 1, "book_appointment", party_size=3, **DINNER))["data"]
    other = {**DINNER, "customer_name": "Bo"}
    await use(http, 1, "book_appointment", session="s2", party_size=3, **other)
    args = {"booking_id": booked["bookingId"], "new_start_time": DINNER["start_time"]}
    full = await use(http, 2, "reschedule_appointment", party_size=6, **args)
    assert full["error"]["type"] == "CONFLICT" and "There is no room for 6 then" in full["error"]["message"]
    never = await use(http, 3, "reschedule_appointment", party_size=9, **args)
    assert never["error"]["type"] == "VALIDATION" and "at most 8 people" in never["error"]["message"]
    same = await use(http, 4, "reschedule_appointment", party_size=3, **args)
    assert same["data"]["repeated"] is True
    free = await use(
        http, 5, "check_availability", date=DINNER["start_time"], party_size=5, booking_id=args["booking_id"]
    )
    assert free["data"]["available"] is True
    assert await stored(store) == (3, 36)
