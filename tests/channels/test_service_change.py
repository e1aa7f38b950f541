"""An appointment made another service from a conversation: asked about with its price, done once, and back again."""

import asyncio

import httpx2 as httpx
import pytest

from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.contract.store import Query, Update
from tests.channels.http.test_tools_api import KEY, PATHS, store  # noqa: F401 - a fixture
from tests.channels.http.test_tools_heard import say
from tests.channels.test_party_change import use

pytestmark = pytest.mark.requirement("004-2413")
WHEN = "2026-12-02T10:00:00"
SERVICES = [
    {"name": "Haircut", "durationMinutes": 30, "price": "$48"},
    {"name": "Haircut and beard", "durationMinutes": 60, "price": "$65"},
]


@pytest.fixture
async def http(store):  # noqa: F811
    """The demo salon, with one chair."""
    await store.commit([Update(PATHS.within("demo-salon").business, {"resources": [], "services": SERVICES})])
    house = build(read_configuration({}), store)
    headers = {"Authorization": f"Bearer {KEY}"}
    transport = httpx.ASGITransport(app=house.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers) as client:
        yield client


async def changed(http, turn, booking_id, service, told, call_id):
    """Change it as a caller does who says yes in the next turn."""
    args = {"booking_id": booking_id, "new_start_time": WHEN, "service": service}
    asked = await use(http, turn, "reschedule_appointment", **args)
    question = asked["meta"]["readBack"]
    assert question.endswith(f"on Wednesday, December 2 at 10:00 AM to {told}. Shall I go ahead?"), question
    await say(http, turn + 1, "portal", asked=question, text="Yes, please.")
    return await use(http, turn + 1, "reschedule_appointment", call_id, **args)


async def stored(store):  # noqa: F811
    within = PATHS.within("demo-salon")
    rows = await store.query(Query(within.collection("bookings")))
    (own,) = (row.data for row in rows if row.data["customerName"] == "Ana Lopez")
    slots = await store.query(Query(within.collection("slots")))
    return own["service"], own["price"], own["durationMinutes"], sum(s.data["bookingId"] == own["id"] for s in slots)


async def test_a_service_is_changed_there_and_back_and_each_time_once(http, store):  # noqa: F811
    """A redelivery does nothing, and the receipt says what it is now."""
    wish = {"service": "Haircut", "start_time": WHEN, "customer_name": "Ana Lopez"}
    id = (await use(http, 1, "book_appointment", **wish))["data"]["bookingId"]
    long, short = ("Haircut and beard", "$65", 60, 12), ("Haircut", "$48", 30, 6)
    for turn, kept in ((2, long), (5, short), (8, long)):
        told = f"{kept[0]}, {kept[2]} minutes long, at {kept[1]}"
        done = await changed(http, turn, id, kept[0].casefold(), told, f"c{turn}")
        assert (done["data"]["service"], done["data"]["price"], done["data"]["repeated"]) == (*kept[:2], False), done
        assert kept[0] in done["meta"]["receipt"]["what"]
        assert await stored(store) == kept
    args = {"booking_id": id, "new_start_time": WHEN, "service": "haircut and beard"}
    again = await asyncio.gather(*(use(http, 9, "reschedule_appointment", "c8", **args) for _ in range(3)))
    assert {one["data"]["service"] for one in again} == {"Haircut and beard"}
    assert await stored(store) == long


async def test_what_has_no_room_is_refused_before_anybody_is_asked(http, store):  # noqa: F811
    wish = {"service": "Haircut", "start_time": WHEN, "customer_name": "Ana Lopez"}
    id = (await use(http, 1, "book_appointment", **wish))["data"]["bookingId"]
    other = {"service": "Haircut", "start_time": "2026-12-02T10:30:00", "customer_name": "Bo"}
    assert (await use(http, 1, "book_appointment", session="s2", **other))["ok"]
    args = {"booking_id": id, "new_start_time": WHEN, "service": "Haircut and beard"}
    no = await use(http, 2, "reschedule_appointment", **args)
    assert no["error"]["type"] == "CONFLICT" and "Free instead: " in no["error"]["message"]
    assert await stored(store) == ("Haircut", "$48", 30, 6)
