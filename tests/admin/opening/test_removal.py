"""A business that is taken away: nobody is served for it from that moment on, and what it leaves elsewhere is told."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from switchboard.contract.store import Delete, Query, Set, Unavailable, Update
from tests.admin.opening.test_new_business import NEW, WISH, everything, made
from tests.admin.owners_office import OWN
from tests.admin.whole_house import BUSINESS, WITHIN, Owner
from tests.each import each

pytestmark = pytest.mark.requirement("004-878")


async def removed(owner: Owner, path: str = NEW, **body: Any) -> Any:
    """Take the new business away, and return the answer."""
    return await owner.send("DELETE", path, {"confirm": path.rsplit("/", 1)[1], **body})


async def ended(owner: Owner, location: str) -> dict[str, Any]:
    """Wait until a deletion has come to its end, as passes bring it there, and return how it is told of."""
    async with asyncio.timeout(20):
        while True:
            told: dict[str, Any] = (await owner.send("GET", location)).json()
            if told["done"]:
                return told
            await aged(owner, told["id"])
            await owner.house.admin_app.deletions.look(None)
            await asyncio.sleep(0.01)


async def aged(owner: Owner, id: str) -> None:
    """Let a business have been taken away so long ago that nobody knows it any more."""
    document = await owner.house.store.get(owner.house.paths.deletion(id))
    if document is not None and document.data.get("isLookedThrough"):
        ago = document.data["startedAt"] - timedelta(hours=1)
        await owner.house.store.commit([Update(document.path, {"startedAt": ago, "dueAt": ago})])


async def test_a_business_is_gone_with_all_that_is_below_it_and_the_others_stay(owner: Owner):
    """Its key opens nothing, its deletion tells how far it is and who asked for it, and it can be made anew."""
    before = await everything(owner)
    key = (await made(owner))["key"]
    answer = await removed(owner)
    assert answer.status_code == 202, answer.text
    assert (answer.json()["isRemoved"], answer.json()["businessId"]) == (True, "birch-lane-hair")
    header = {"Authorization": f"Bearer {key}"}
    offer = await owner.http.get("/tools/definitions?businessId=birch-lane-hair&channel=portal", headers=header)
    # A process that has seen the key knows it for some seconds more, and then finds nothing behind it.
    assert offer.status_code in (401, 404)
    assert (await owner.send("GET", NEW)).status_code == 404
    told = await ended(owner, answer.headers["location"])
    assert (told["what"], told["id"]) == ("business", answer.json()["deletion"])
    left = {path: row for path, row in (await everything(owner)).items() if not path.startswith("catalogs/")}
    deletion = next(path for path in left if path.startswith("deletions/"))
    assert left.pop(deletion)["by"]
    assert left == before
    assert (await made(owner))["isMade"]


async def test_what_would_go_and_what_would_stay_is_told_before_and_nothing_is_taken(owner: Owner):
    """Documents by collection, appointments still to come, and each thing elsewhere with what to do about it."""
    await made(owner)
    within = owner.house.paths.within("birch-lane-hair")
    far = owner.house.clock.now().replace(year=2099)
    await owner.house.store.commit(
        [
            Set(within.document("bookings", "bk_1"), {"status": "confirmed", "start": far}),
            Set(within.document("bookings", "bk_2"), {"status": "cancelled", "start": far}),
        ]
    )
    connected = {
        "googleCalendar": {"isConnected": True},
        "microsoftCalendar": {"isConnected": False},
        "vapi": {"isConnected": True},
    }
    await owner.house.store.commit([Update(within.business, {"integrations": connected})])
    before = await everything(owner)
    answer = await removed(owner, dryRun=True, confirm="")
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert (told["isRemoved"], told["deletion"], told["upcoming"]) == (False, None, 1)
    assert told["documents"]["bookings"] == 2 and told["documents"]["apiKeys"] == 1
    assert any("+13125550110 stays at Twilio" in sentence for sentence in told["elsewhere"])
    calendar, vapi = told["elsewhere"][:2]
    assert "entered in Google Calendar stays" in calendar and "mirrored at Vapi" in vapi
    assert not any("Microsoft" in sentence for sentence in told["elsewhere"])
    assert any("scripts/grant" in sentence for sentence in told["elsewhere"])
    assert await everything(owner) == before


@each("confirm", ["", "linden", "Birch-lane-hair", 5, "x" * 16_000])
async def test_a_business_is_not_taken_away_unless_it_is_named_once_more(owner: Owner, confirm: Any):
    if (await owner.send("GET", NEW)).status_code == 404:
        await made(owner)
    before = await everything(owner)
    answer = await removed(owner, confirm=confirm)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "confirm")
    assert await everything(owner) == before


@each("who", ["owner", "editor", "viewer", "stranger"])
async def test_only_whoever_runs_all_businesses_takes_one_away(owner: Owner, who: str):
    """Not its owner, who is told the same of one that is not there."""
    for path in (BUSINESS, "/admin/businesses/nobody"):
        answer = await owner.send("DELETE", path, {"confirm": path.rsplit("/", 1)[1], "dryRun": True}, by=who)
        assert answer.status_code in (401, 403)
    assert await owner.house.store.get(WITHIN.business) is not None


async def test_taken_away_by_two_at_once_it_is_deleted_once(owner: Owner):
    """The others are told of the deletion that goes on, or that there is no such business."""
    await made(owner)
    answers = await asyncio.gather(*(removed(owner) for _ in range(10)))
    assert {answer.status_code for answer in answers} <= {202, 404}
    ids = {answer.json()["deletion"] for answer in answers if answer.status_code == 202}
    assert ids
    for answer in answers:
        if answer.status_code == 202:
            await ended(owner, answer.headers["location"])
    left = await everything(owner)
    assert not [path for path in left if "birch-lane-hair" in path]


async def test_where_the_store_does_not_answer_nothing_is_begun(owner: Owner, monkeypatch: pytest.MonkeyPatch):
    """The business is there as before, and the same request again takes it away."""
    await made(owner)
    commit = owner.house.store.commit

    async def away(writes: Any) -> Any:
        raise Unavailable("away")

    monkeypatch.setattr(owner.house.store, "commit", away)
    assert (await removed(owner)).status_code == 503
    monkeypatch.setattr(owner.house.store, "commit", commit)
    assert (await owner.send("GET", NEW)).status_code == 200
    assert not await owner.house.store.query(Query("deletions"))
    assert (await removed(owner)).status_code == 202


async def test_one_of_the_same_id_is_not_made_while_the_old_one_is_being_deleted(owner: Owner):
    """It would be deleted with it."""
    await made(owner)
    answer = await removed(owner)
    (deletion,) = await owner.house.store.query(Query("deletions"))
    await ended(owner, answer.headers["location"])
    await owner.house.store.commit([Set(deletion.path, {**deletion.data, "doneAt": None})])
    refused = await owner.send("POST", "/admin/businesses", WISH)
    assert (refused.status_code, refused.json()["error"]["type"]) == (409, "CONFLICT")
    assert "being taken away" in refused.json()["error"]["message"]
    await owner.house.store.commit([Delete(deletion.path)])
    assert (await made(owner))["isMade"]


async def test_what_was_begun_is_finished_by_the_next_pass_where_an_instance_dies(owner: Owner):
    """As little as its own document is gone by then, and nobody is served."""
    await made(owner)
    deletions = owner.house.admin_app.deletions
    begun = await deletions.begin("business", "birch-lane-hair", writes=[Delete(OWNED)])
    assert (await owner.send("GET", NEW)).status_code == 404
    assert await deletions.drain(None) == {"deletions": 1}
    await aged(owner, begun.id)
    assert await deletions.drain(None) == {"deletions": 1}
    assert not [path for path in await everything(owner) if "birch-lane-hair" in path]
    after = await deletions.read("birch-lane-hair", begun.id)
    assert after is not None and after.is_done


OWNED = WITHIN.business.replace(OWN, "birch-lane-hair")
