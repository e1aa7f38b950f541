"""What a conversation has booked it may correct, move and cancel, though nobody was verified in it."""

import uuid

import httpx2 as httpx
import pytest

from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from tests.channels.http.test_tools_api import KEY, store  # noqa: F401 - a fixture
from tests.channels.http.test_tools_heard import context, say

pytestmark = pytest.mark.requirement("003-423")
WISH = {"service": "Haircut", "start_time": "2026-12-02T10:00:00", "customer_name": "Ana Lopez"}


@pytest.fixture
async def http(store):  # noqa: F811
    """The demo salon, which verifies its callers by what is on file."""
    house = build(read_configuration({}), store)
    headers = {"Authorization": f"Bearer {KEY}"}
    transport = httpx.ASGITransport(app=house.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers) as client:
        yield client


async def use(http, turn, name, session="s1", **args):
    body = {"businessId": "demo-salon", "name": name, "args": args}
    facts = context("portal", turn) | {"sessionId": session, "callId": uuid.uuid4().hex}
    return (await http.post("/tools/execute", json=body | {"context": facts})).json()


async def test_a_chat_that_verified_nobody_corrects_moves_and_cancels_what_it_booked(http):
    """And another chat does none of it."""
    booked = (await use(http, 1, "book_appointment", **WISH))["data"]
    assert booked["contact"].startswith("none: nobody can reach")
    id = booked["bookingId"]
    told = await use(http, 2, "update_appointment", booking_id=id, customer_name="Anna", customer_phone="518 555 0199")
    assert (told["data"]["customerName"], told["data"]["customerPhone"]) == ("Anna", "+15185550199")
    assert told["meta"]["receipt"]["what"] == "corrected: Haircut"
    asked = await use(http, 3, "reschedule_appointment", booking_id=id, new_start_time="2026-12-02T11:00:00")
    assert "Haircut appointment for Anna" in asked["meta"]["readBack"]
    await say(http, 4, "portal", asked=asked["meta"]["readBack"], text="Yes.")
    moved = await use(http, 4, "reschedule_appointment", booking_id=id, new_start_time="2026-12-02T11:00:00")
    assert (moved["data"]["customerName"], moved["data"]["customerPhone"]) == ("Anna", "+15185550199")
    for name, args in (("update_appointment", {"notes": "x"}), ("cancel_appointment", {})):
        assert (await use(http, 1, name, "s2", booking_id=id, **args))["error"]["type"] == "MODE_RESTRICTED"
    asked = await use(http, 5, "cancel_appointment", booking_id=id)
    await say(http, 6, "portal", asked=asked["meta"]["readBack"], text="Yes, cancel it.")
    assert (await use(http, 6, "cancel_appointment", booking_id=id))["data"]["cancelled"] is True
