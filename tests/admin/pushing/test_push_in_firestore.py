"""A push over a real store: what is noted and found there is as in memory."""

from collections.abc import AsyncIterator

import httpx2 as httpx
import pytest

from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.state.firestore.store import FirestoreStore
from tests.admin.owners_office import SignIns
from tests.admin.pushing.agency import IDS, NAMES, PUSH, business, carried, foreseen, make, price, priced, pushed, says
from tests.admin.whole_house import Lending, Owner

pytestmark = pytest.mark.requirement("004-852")


@pytest.fixture
async def owner(firestore: FirestoreStore) -> AsyncIterator[Owner]:
    """Whoever runs all businesses, three of which were made of the salon's template."""
    house = build(read_configuration({}), firestore)
    house.__dict__ |= {"sign_ins": SignIns()}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=house.app), base_url="http://t") as http:
        agent = Owner(house, http, Lending())
        for name in NAMES:
            await make(agent, name)
        yield agent
    await house.close()


async def test_a_push_is_noted_found_and_done_once(owner: Owner, monkeypatch: pytest.MonkeyPatch):
    """Prints of services and texts under whatever names they have."""
    odd = {"name": "Cut & color: `both`. (Any length)", "durationMinutes": 90, "price": "$99"}
    faq = {"topic": "wifi", "question": "Do you have wifi?", "answer": "Yes."}
    says(monkeypatch, {"services": [*priced("Haircut", "$50"), odd]}, faqs={"faq-wifi": faq, "faq-parking": None})
    answer = await owner.send("POST", PUSH, {"all": True, "dryRun": True})
    rows = {row["businessId"]: row for row in answer.json()["businesses"]}
    assert list(rows) == list(IDS)
    result = await pushed(owner, carried(rows))
    assert [row["state"] for row in result.values()] == ["pushed"] * 3, result
    assert price(await business(owner, IDS[1]), odd["name"]) == "$99"
    again = await pushed(owner, carried(rows))
    assert [row["state"] for row in again.values()] == ["unchanged"] * 3
    assert {row["state"] for row in (await foreseen(owner, *IDS)).values()} == {"unchanged"}
