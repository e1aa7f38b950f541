"""A number that a caller tells without its country, to a business of which no number is known."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from tests.admin.opening.test_new_business import made
from tests.admin.whole_house import PATHS, Owner, opened
from tests.each import each

pytestmark = pytest.mark.requirement("004-1903")

BIRCH = "birch-lane-hair"


@pytest.fixture
async def owner() -> AsyncIterator[Owner]:
    async with opened() as found:
        yield found


async def said(owner: Owner, key: str, text: str, session: str = "one") -> str:
    body = {"businessId": BIRCH, "sessionId": session, "text": text}
    headers = {"Authorization": f"Bearer {key}"}
    answer = await owner.http.post("/portal/chat", json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["text"])


async def booked(owner: Owner) -> list[str]:
    from switchboard.contract.store import Query

    found = await owner.house.store.query(Query(PATHS.within(BIRCH).collection("bookings")))
    return [document.data["customerPhone"] for document in found]


def a_day(owner: Owner) -> str:
    day = owner.house.clock.now() + timedelta(days=2)
    while day.weekday() not in (2, 3):
        day += timedelta(days=1)
    return f"{day:%A, %B} {day.day}"


@each(
    "zone, wish, answers", [("America/New_York", "My name is Olga Petrov, my number is 518 555 0222", ["Yes, please."])]
)
async def test_a_local_number_is_taken_where_the_zone_tells_the_country(zone: str, wish: str, answers: list[str]):
    async with opened() as owner:
        key = (await made(owner, phone=None, twilioNumber=None, transferTo=None, timezone=zone))["key"]
        await said(owner, key, f"I would like a haircut on {a_day(owner)} at 3 pm")
        for text in (wish, *answers):
            await said(owner, key, text)
        assert await booked(owner) == ["+15185550222"]


async def test_a_number_that_cannot_be_read_is_asked_for_with_its_country(owner: Owner):
    """And then the appointment is made with it: no dead end."""
    key = (await made(owner, phone=None, twilioNumber=None, transferTo=None, timezone="UTC"))["key"]
    await said(owner, key, f"I would like a haircut on {a_day(owner)} at 3 pm")
    asked = await said(owner, key, "My name is Olga Petrov, my number is 518 555 0222")
    assert "country code?" in asked
    again = await said(owner, key, "518 555 0222")
    assert "country code?" in again
    await said(owner, key, "It is +1 518 555 0222")
    await said(owner, key, "Yes, please.")
    assert await booked(owner) == ["+15185550222"]


async def test_whoever_has_no_other_number_gets_a_message_taken(owner: Owner):
    key = (await made(owner, phone=None, twilioNumber=None, transferTo=None, timezone="UTC"))["key"]
    await said(owner, key, "Please take a message: I left my blue umbrella in your shop yesterday.", "two")
    await said(owner, key, "Olga Petrov", "two")
    asked = await said(owner, key, "518 555 0222", "two")
    assert "country code?" in asked
    found: Any = await said(owner, key, "+1 518 555 0222", "two")
    assert "message" in found.lower() and "?" in found
