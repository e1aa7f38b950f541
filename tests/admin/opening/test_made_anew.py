"""A business that is made under the id of one that was taken away: nothing of that one counts for it."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from switchboard.contract.store import Update
from tests.admin.opening.test_new_business import made
from tests.admin.opening.test_removal import ended, removed
from tests.admin.whole_house import Owner, opened, opened_beside
from tests.each import each

pytestmark = pytest.mark.requirement("004-1901")

BIRCH = "birch-lane-hair"


@pytest.fixture
async def owner() -> AsyncIterator[Owner]:
    """Whoever runs all businesses, of which there is one beside the salon."""
    async with opened() as found:
        yield found


async def welcoming(owner: Owner) -> str:
    """Make the business, with a page for anybody, and return its key."""
    key: str = (await made(owner))["key"]
    business = owner.house.paths.within(BIRCH).business
    await owner.house.store.commit([Update(business, {"portal": {"visitors": True}})])
    owner.house.catalog.forget(BIRCH)
    return key


async def post(owner: Owner, path: str, bearer: str, **body: Any) -> Any:
    headers = {"Authorization": f"Bearer {bearer}"} if bearer else {}
    return await owner.http.post(path, json=body, headers=headers)


async def said(owner: Owner, key: str, text: str) -> dict[str, Any]:
    """Say something in a chat that a service carries, and return what is answered."""
    answer = await post(owner, "/portal/chat", key, businessId=BIRCH, sessionId="kept", text=text)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def made_anew(owner: Owner, **how: Any) -> str:
    """Take the business away, and make it once more when it is gone."""
    location = (await removed(owner)).headers["location"]
    await ended(owner, location)
    return await welcoming(owner)


@each("whose", ["its own", "another's"])
async def test_a_conversation_of_the_one_before_is_not_gone_on_with(whose: str):
    """Neither where it was taken away nor by a process that has only served it; its record is whole from its start."""
    async with opened() as owner, opened_beside(owner.house.store) as beside:  # type: ignore[arg-type]
        speaker = owner if whose == "its own" else beside
        key = await welcoming(owner)
        assert (await said(speaker, key, "I would like a haircut on Thursday at 3 pm"))["turn"] == 1
        key = await made_anew(owner)
        beside.house.catalog.forget(BIRCH)
        answer = await said(speaker, key, "My name is Old Olga, +1 518 555 0222")
        assert answer["turn"] == 1 and "booked" not in answer["text"].lower()
        within = owner.house.paths.within(BIRCH)
        record = await owner.house.store.get(within.document("interactions", "kept"))
        assert record is not None
        assert record.data["channel"] == "portal" and record.data["startedAt"] is not None
        assert "haircut" not in repr(record.data["transcript"])
        assert await owner.house.store.get(within.document("sessions", "kept")) is not None


async def test_who_was_let_in_by_the_one_before_is_not_let_in(owner: Owner):
    """Every token that somebody may hold is refused where its business was: a visitor's, by writing, reading and
    voice, and an API key."""
    key = await welcoming(owner)
    begun = (await post(owner, "/portal/session", "", businessId=BIRCH)).json()
    body = {"sessionId": begun["sessionId"], "text": "Hello"}
    assert (await post(owner, "/portal/chat", begun["token"], **body)).status_code == 200
    await made_anew(owner)
    bearer = {"Authorization": f"Bearer {begun['token']}"}
    assert (await post(owner, "/portal/chat", begun["token"], **body)).status_code == 401
    assert (await owner.http.get("/portal/history", headers=bearer)).status_code == 401
    assert (await owner.http.get("/browser_voice/history", headers=bearer)).status_code == 401
    turn = {"text": "Hello", "sessionId": begun["sessionId"]}
    assert (await post(owner, "/browser_voice/turn", begun["token"], **turn)).status_code == 401
    assert (await post(owner, "/portal/chat", key, **body, businessId=BIRCH)).status_code in (401, 403)
    anew = (await post(owner, "/portal/session", "", businessId=BIRCH)).json()
    assert (await post(owner, "/portal/chat", anew["token"], text="Hello")).status_code == 200


async def test_a_token_counts_for_as_long_as_its_business_stays_the_same(owner: Owner):
    """Whatever is changed about it; and one of before tokens told it counts until it runs out."""
    await welcoming(owner)
    begun = (await post(owner, "/portal/session", "", businessId=BIRCH)).json()
    business = owner.house.paths.within(BIRCH).business
    await owner.house.store.commit([Update(business, {"name": "Birch Lane"})])
    owner.house.catalog.forget(BIRCH)
    assert (await post(owner, "/portal/chat", begun["token"], text="Hello")).status_code == 200
    older, _ = owner.house.channel_app.tokens.issue(BIRCH, "web_older")
    assert (await post(owner, "/portal/chat", older, text="Hello")).status_code == 200
