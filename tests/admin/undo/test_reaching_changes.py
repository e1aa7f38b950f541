"""Every change that reaches a business's callers, its own and those of what all share, in one order."""

import asyncio
from typing import Any

import pytest

from operations.seeding import Seeds, push
from switchboard.admin.definitions.definition_set import publish, read_published
from switchboard.contract.json import JsonObject
from switchboard.contract.ports import Store
from switchboard.contract.store import Create, Query, Update
from tests.admin.owners_office import OTHER, OWN, PATHS, Premises, open_premises
from tests.desk.front_desk import NOW, WatchedStore

LOOK = {"name": "look", "description": "Old words."}
NEW = {"name": "look", "description": "New words."}
THE_PLATFORM = {"id": "", "name": "the platform", "role": "platform"}
BOSS = "boss@platform.example"


@pytest.fixture
async def office(store: Store) -> Premises:
    """An office over each store in turn."""
    return await open_premises(store)


@pytest.fixture
async def quick(memory: Store) -> Premises:
    """An office in memory."""
    return await open_premises(memory)


async def published(office: Premises, deed: str, document: JsonObject, *trying: str) -> None:
    """Publish a tool, with a draft that some businesses try; in its own millisecond, as finely as stores tell time."""
    await asyncio.sleep(0.002)
    tried = {"canary": {"businesses": list(trying), "document": NEW, "since": "s"}} if trying else {}
    before = await read_published(office.store, PATHS)
    who = {"id": "u1", "name": BOSS, "role": "platform"}
    await publish(office.store, PATHS, before, {"look": document | tried}, BOSS, deed=deed, who=who)


async def listed(office: Premises, person: str = "owner", business: str = OWN, **query: Any) -> JsonObject:
    """Return a page of what reached a business's callers."""
    answer = await office.ask("GET", f"/admin/businesses/{business}/changes", person, params=query)
    assert answer.status_code == 200, answer.text
    found: JsonObject = answer.json()
    return found


def deeds(page: JsonObject) -> list[str]:
    """Return what was done, of each change of a page."""
    return [(change["own"] or change["shared"])["deed"] for change in page["changes"]]


@pytest.mark.requirement("004-821")
async def test_a_business_sees_its_own_changes_among_those_of_what_all_share(office: Premises):
    """In the order in which they were made; of trials only those that its callers are in."""
    await published(office, "published", LOOK)
    assert (await office.patch({"name": "Salon Ada"})).status_code == 200
    await published(office, "canary started", LOOK, OTHER)
    await published(office, "canary widened", LOOK, OTHER, OWN)
    await published(office, "canary ended", LOOK)
    await published(office, "rolled back to 1", NEW)
    page = await listed(office)
    assert deeds(page) == ["rolled back to 1", "canary ended", "canary started", "changed", "published"]
    assert [change["own"] is not None for change in page["changes"]] == [False, False, False, True, False]
    assert page["nextCursor"] is None
    platform = await listed(office, "platform")
    assert deeds(platform) == ["rolled back to 1", "canary ended", "canary widened", "changed", "published"]


async def test_nothing_is_told_of_other_businesses_and_of_who_runs_the_platform(quick: Premises):
    """Whoever is of the platform sees who did it."""
    await published(quick, "published", LOOK)
    await published(quick, "canary started", LOOK, OTHER, OWN)
    page = await listed(quick)
    assert OTHER not in str(page) and BOSS not in str(page) and "u1" not in str(page)
    first = page["changes"][0]["shared"]
    assert (first["who"], first["kind"], first["names"]) == (THE_PLATFORM, "definition", ["look"])
    assert first["what"] == "New words or rules of look are tried here before others have them."
    looked = await quick.ask("GET", f"/admin/businesses/{OWN}/changes/{first['id']}")
    assert looked.json()["documents"]["look"]["changes"] == ['description: "Old words." → "New words."']
    assert OTHER not in looked.text and BOSS not in looked.text
    seen = (await listed(quick, "platform"))["changes"][0]["shared"]
    assert seen["who"]["name"] == BOSS


async def test_a_trial_of_others_is_no_change_here_and_cannot_be_looked_at(quick: Premises):
    """Nor can a draft, or what there is not."""
    await published(quick, "published", LOOK)
    await published(quick, "canary started", LOOK, OTHER)
    await quick.store.commit([Create(PATHS.publication("draft-1"), {"isDraft": True, "names": ["draft:look"]})])
    trial, draft = [
        next(one.id for one in await quick.store.query(Query(PATHS.publications)) if one.data.get(name) == value)
        for name, value in (("deed", "canary started"), ("isDraft", True))
    ]
    assert deeds(await listed(quick)) == ["published"]
    for id in (trial, draft, "none"):
        assert (await quick.ask("GET", f"/admin/businesses/{OWN}/changes/{id}")).status_code == 404
    assert (await quick.ask("GET", f"/admin/businesses/{OTHER}/changes/{trial}", "platform")).status_code == 200


async def test_notes_of_an_earlier_release_reach_those_whom_what_was_published_names(quick: Premises):
    """They say of nobody whom they reach."""
    await published(quick, "published", LOOK)
    await published(quick, "canary started", LOOK, OTHER)
    await published(quick, "canary started", LOOK, OWN)
    for note in await quick.store.query(Query(PATHS.publications)):
        await quick.store.commit([Update(note.path, {"reach": None})])
    assert deeds(await listed(quick)) == ["canary started", "published"]
    assert deeds(await listed(quick, "platform", OTHER)) == ["canary started", "canary started", "published"]


async def test_a_note_of_an_earlier_release_is_one_read_however_many_tools_it_names(memory: Store):
    """A first seeding published all tools at once."""
    store = WatchedStore(memory)
    office = await open_premises(store)
    before = await read_published(store, PATHS)
    await publish(store, PATHS, before, {f"look{n}": LOOK | {"name": f"look{n}"} for n in range(30)}, BOSS)
    [note] = await store.query(Query(PATHS.publications))
    await store.commit([Update(note.path, {"reach": None})])
    store.asked.clear()
    assert deeds(await listed(office)) == ["published"]
    assert store.asked["get"] + store.asked["get_many"] < 10
    store.asked.clear()
    looked = await office.ask("GET", f"/admin/businesses/{OWN}/changes/{note.id}")
    assert len(looked.json()["documents"]) == 30
    assert store.asked["get"] + store.asked["get_many"] < 10


async def test_pages_hold_both_kinds_in_order_and_nothing_twice(office: Premises):
    """Whatever their length."""
    for number in range(4):
        await published(office, "published", LOOK | {"description": f"Words {number}."})
        assert (await office.patch({"name": f"Salon {number}"})).status_code == 200
        await published(office, "canary started", LOOK | {"description": f"Words {number}."}, OTHER)
    whole = [(change["own"] or change["shared"])["id"] for change in (await listed(office))["changes"]]
    assert len(whole) == 8
    for limit in (1, 3, 7):
        seen, cursor = list[str](), ""
        while True:
            page = await listed(office, limit=limit, cursor=cursor)
            assert len(page["changes"]) <= limit
            seen += [(change["own"] or change["shared"])["id"] for change in page["changes"]]
            cursor = page["nextCursor"]
            if not cursor:
                break
        assert seen == whole


async def test_a_prompt_that_is_seeded_anew_is_a_change_for_everybody(quick: Premises):
    """What was new or differs is told by name; seeded once more, nothing is."""
    for text in ("Be kind.", "Be brief.", "Be brief."):
        seeds = Seeds(None, {"system": {"text": text}}, None)
        await push(quick.store, PATHS, seeds, now=NOW, out=lambda _: None)
        # What is noted in one millisecond is in no order.
        await asyncio.sleep(0.002)
    page = await listed(quick)
    assert deeds(page) == ["prompt changed", "prompt changed"]
    newest = page["changes"][0]["shared"]
    assert (newest["kind"], newest["names"], newest["who"]) == ("prompt", ["system"], THE_PLATFORM)
    assert newest["words"].startswith("Words change (system), and were not tried")
    looked = (await quick.ask("GET", f"/admin/businesses/{OWN}/changes/{newest['id']}")).json()
    assert looked["documents"]["system"]["changes"] == ['text: "Be kind." → "Be brief."']


async def test_who_may_not_see_what_was_changed_sees_nothing_of_it(quick: Premises):
    for person in ("viewer", "neighbour", "nobody"):
        assert (await quick.ask("GET", f"/admin/businesses/{OWN}/changes", person)).status_code == 403
    assert (await quick.ask("GET", f"/admin/businesses/{OWN}/changes", params={"cursor": "x"})).status_code == 400
