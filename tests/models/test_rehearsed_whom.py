"""The rehearsal where the business changes between a wish and its booking: nothing else is booked unasked."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from switchboard.contract.store import Query, Update
from tests.admin.opening.test_new_business import made
from tests.admin.whole_house import PATHS, Owner, opened

pytestmark = pytest.mark.requirement("004-1907")

BIRCH = "birch-lane-hair"
PEOPLE = [{"id": "rosa", "name": "Rosa"}, {"id": "marcus", "name": "Marcus"}, {"id": "dana", "name": "Dana"}]


class Talking:
    """A chat with the business."""

    def __init__(self, owner: Owner, key: str, session: str = "one") -> None:
        self.owner, self.key, self.session = owner, key, session
        day = owner.house.clock.now() + timedelta(days=2)
        while day.weekday() not in (2, 3):
            day += timedelta(days=1)
        self.day = f"{day:%A, %B} {day.day}"

    async def say(self, text: str) -> str:
        body = {"businessId": BIRCH, "sessionId": self.session, "text": text}
        answer = await self.owner.http.post("/portal/chat", json=body, headers={"Authorization": f"Bearer {self.key}"})
        assert answer.status_code == 200, answer.text
        return str(answer.json()["text"])

    async def change(self, **fields: Any) -> None:
        """Change the business, as everybody has read it."""
        await self.owner.house.store.commit([Update(PATHS.within(BIRCH).business, fields)])
        self.owner.house.catalog.forget(BIRCH)

    async def stored(self, collection: Any) -> list[dict[str, Any]]:
        found = await self.owner.house.store.query(Query(PATHS.within(BIRCH).collection(collection)))
        return [document.data for document in found]

    async def booked(self) -> list[str]:
        return [
            row["resources"][0]["name"] if row.get("resources") else str(row) for row in await self.stored("bookings")
        ]


@pytest.fixture
async def talking() -> AsyncIterator[Talking]:
    async with opened() as owner:
        key = (await made(owner))["key"]
        found = Talking(owner, key)
        await found.change(resources=PEOPLE)
        yield found


async def test_whoever_was_asked_for_is_named_and_booked(talking: Talking):
    asked = await talking.say(f"I would like a haircut with Marcus on {talking.day} at 1 pm")
    assert "with Marcus" in asked and asked.endswith("?")
    await talking.say("My name is Nina Petrov, my number is 312 555 0210")
    await talking.say("Yes, please.")
    assert [row for row in await talking.booked() if "Marcus" in row] and len(await talking.booked()) == 1


@pytest.mark.parametrize("change", [[PEOPLE[0], PEOPLE[2]], [PEOPLE[0], {**PEOPLE[1], "name": "Mark"}, PEOPLE[2]]])
@pytest.mark.parametrize("answer", ["With Rosa then", "Rosa", "Anyone"])
async def test_where_they_are_not_there_any_more_it_is_asked_who_else(talking: Talking, change: Any, answer: str):
    """Taken away, or called otherwise: nobody else is booked until the caller has said so."""
    await talking.say(f"I would like a haircut with Marcus on {talking.day} at 1 pm")
    await talking.change(resources=change)
    asked = await talking.say("My name is Nina Petrov, my number is 312 555 0210")
    assert "Marcus is not there any more." in asked and "Rosa" in asked and asked.endswith("?")
    await talking.say("Yes, I see, hmm")
    assert await talking.booked() == []
    said = await talking.say(answer)
    assert "not there" not in said and "With whom" not in said
    await talking.say("Yes, please.")
    booked = await talking.booked()
    assert len(booked) == 1 and ("Rosa" in booked[0] or answer == "Anyone")


async def test_without_a_way_to_book_it_says_so_and_passes_the_whole_wish_on(talking: Talking):
    await talking.say("I would like a haircut with Marcus")
    await talking.say(f"On {talking.day} at 1 pm")
    tools = ["take_message", "check_availability", "search_knowledge", "lookup_appointment"]
    await talking.change(enabledTools=tools)
    said = await talking.say("My name is Nina Petrov, my number is 312 555 0210")
    for _ in range(3):
        if await talking.stored("outbox"):
            break
        said = await talking.say("Yes, please.")
    assert said.startswith("Nothing is booked.")
    [message] = [row for row in await talking.stored("outbox") if row.get("kind") == "message"]
    text = str(message)
    assert "Marcus" in text and "1 pm" in text.lower().replace("1:00", "1").replace("p.m.", "pm") and "aircut" in text


async def test_what_is_free_instead_is_told_with_whom_where_somebody_was_asked_for(talking: Talking):
    """Theirs first: a time at which only another one is free is not told as one of theirs."""
    await talking.say(f"Book a haircut with Marcus on {talking.day} at 1 pm. My name is Nina Petrov, 312 555 0210")
    await talking.say("Yes, please.")
    other = Talking(talking.owner, talking.key, "two")
    said = await other.say(f"Book a haircut with Marcus on {talking.day} at 1 pm. My name is Bo Chen, 312 555 0211")
    theirs, _, others = said.partition("; ")
    assert "Free instead: with Marcus " in theirs and "1 PM" not in theirs
    assert others and "with Marcus" not in others and "1 PM" in others
