"""How a draft on trial did beside the old words: counted by what is kept with each conversation and each call."""

from datetime import timedelta
from typing import Any

import pytest

from switchboard.contract.channel import Channel
from switchboard.contract.context import CONTEXTS
from switchboard.contract.json import JsonObject
from switchboard.contract.store import Delete, Query, Set
from tests.admin.definition_house import LOOK, NEW, PATHS, DefinitionHouse
from tests.admin.owners_office import OTHER, OWN
from tests.pipeline.conftest import Instance

NO_CALLS = {"refusals": None, "failures": None, "unknown": None}


async def tried(house: DefinitionHouse, *businesses: str, tool: str = "look", **fields: Any) -> JsonObject:
    """Have some businesses try a tool with other fields."""
    definition = LOOK if tool == "look" else (await house.found(f"/{tool}"))["published"]
    await house.change("PUT", "/draft", {"document": definition | (fields or NEW)}, tool=tool)
    return await staged(house, *businesses, tool=tool)


async def staged(house: DefinitionHouse, *businesses: str, tool: str = "look") -> JsonObject:
    """Have some businesses try the draft there is."""
    seen = (await house.found(f"/{tool}/replay"))["hash"]
    body = {"businesses": list(businesses), "acknowledged": seen}
    return await house.change("PUT", "/canary", body, tool=tool)


async def looked(house: DefinitionHouse, tool: str = "look") -> JsonObject:
    """Return the newest trial of a tool."""
    found: JsonObject = (await house.found(f"/{tool}/canaries"))["canaries"][0]
    return found


def numbers(side: JsonObject) -> tuple[int, ...]:
    """Return conversations, calls, refusals, failures and calls of which nobody knows."""
    return tuple(side[name] for name in ("conversations", "calls", "refusals", "failures", "unknown"))


async def declined(house: DefinitionHouse, business: str, id: str, **args: Any) -> None:
    """Have a call end in the way that its arguments say."""
    await house.call("decline", args, business, id)


@pytest.mark.requirement("004-820")
async def test_what_callers_met_in_new_and_in_old_words_stands_side_by_side(house: DefinitionHouse):
    """Each conversation and call is counted with the words that it had, and few calls are said to be few."""
    await house.call("look", {}, OWN, "before")
    await tried(house, OWN)
    for number in range(3):
        await house.call("look", {"word": f"w{number}"}, OWN, f"new{number}")
    await house.call("look", {}, OTHER, "old1")
    await house.call("act", {"what": "something else"}, OTHER, "old2")
    found = await looked(house)
    assert (numbers(found["new"]), numbers(found["old"])) == ((3, 3, 0, 0, 0), (2, 1, 0, 0, 0))
    assert (found["new"]["remark"], found["old"]["remark"]) == ("3 calls say little yet.", "1 call says little yet.")
    assert found["new"]["perHundred"] == {"refusals": 0.0, "failures": 0.0, "unknown": 0.0}
    assert (found["endedAt"], found["businesses"], found["isWhole"]) == (None, [OWN], True)


async def test_refusals_failures_and_what_nobody_knows_are_told_apart(quick: DefinitionHouse):
    """A no that is an answer, such as a time that is taken, is neither; a limit that kept somebody waiting is one."""
    await tried(quick, OWN, tool="decline", description="Decline whatever callers of the business ask for, kindly.")
    ways: list[JsonObject] = [
        {"type": "CONFLICT"},
        {"type": "NOT_FOUND"},
        {"type": "INTERNAL"},
        {"type": "TRANSIENT"},
        {"type": "TRANSIENT", "partial": True},
        {"nothing": "that there is"},
    ]
    for number, args in enumerate(ways):
        await declined(quick, OWN, f"c{number}", **args)
    found = await looked(quick, "decline")
    assert numbers(found["new"]) == (6, 6, 1, 2, 1)
    assert found["new"]["perHundred"] == {"refusals": 16.7, "failures": 33.3, "unknown": 16.7}
    assert (found["old"]["perHundred"], found["old"]["remark"]) == (NO_CALLS, "No call yet.")


async def test_who_began_before_the_trial_is_on_neither_side(quick: DefinitionHouse):
    """Nor is an owner's own trial; another instance that goes on with a conversation counts it where it began."""
    await said(quick.running, OWN, "early", "e1", 1)
    await tried(quick, OWN)
    await said(quick.running, OWN, "early", "e2", 2)
    await said(quick.running, OWN, "try_it", "t1", 1, is_trial=True)
    assert numbers((await looked(quick))["new"]) == (0, 0, 0, 0, 0)
    await said(quick.running, OWN, "later", "l1", 1)
    elsewhere = Instance(quick.store, quick.clock)
    await said(elsewhere, OWN, "later", "l2", 2)
    await said(elsewhere, OWN, "early", "e3", 3)
    assert numbers((await looked(quick))["new"]) == (1, 2, 0, 0, 0)


async def said(instance: Instance, business: str, session: str, call_id: str, turn: int, **facts: Any) -> None:
    """Have a model look up a word in some turn of a conversation, at some instance."""
    context = CONTEXTS[Channel.PORTAL](business_id=business, session_id=session, call_id=call_id, turn=turn, **facts)
    await instance.dispatcher.execute_tool("look", {"word": call_id}, business, context)


async def test_a_trial_that_gets_other_businesses_goes_on_and_another_draft_begins_one(quick: DefinitionHouse):
    """What ended the one before is told with it."""
    await tried(quick, OWN)
    await quick.call("look", {}, OWN, "c1")
    await staged(quick, OWN, OTHER)
    await quick.call("look", {}, OTHER, "c2")
    [one] = (await quick.found("/look/canaries"))["canaries"]
    assert (one["businesses"], numbers(one["new"])) == ([OWN, OTHER] if OWN < OTHER else [OTHER, OWN], (2, 2, 0, 0, 0))
    await tried(quick, OWN, description="Look up quite another thing for callers of {{business.name}} who ask.")
    newest, before = (await quick.found("/look/canaries"))["canaries"]
    assert (newest["ended"], before["ended"]) == (None, "another draft is tried")
    assert (numbers(newest["new"]), numbers(before["new"])) == ((0, 0, 0, 0, 0), (2, 2, 0, 0, 0))
    await quick.change("PUT", "/enabled", {"enabled": False})
    assert (await looked(quick))["endedAt"] is None
    await quick.change("DELETE", "/canary")
    ended = await looked(quick)
    assert (ended["ended"], ended["endedAt"] is None) == ("canary ended", False)


async def test_publishing_and_going_back_end_a_trial(quick: DefinitionHouse):
    """Its numbers stay."""
    await tried(quick, OWN)
    await quick.call("look", {}, OWN, "c1")
    await quick.change("POST", "/publish", {"acknowledged": await quick.acknowledged()})
    assert (await looked(quick))["ended"] == "published"
    await tried(quick, OWN, description="Look up quite another thing for callers of {{business.name}} who ask.")
    await quick.change("POST", "/versions/1/rollback")
    newest, before = (await quick.found("/look/canaries"))["canaries"]
    assert (newest["ended"], before["ended"]) == ("rolled back to 1", "published")
    assert numbers(before["new"]) == (1, 1, 0, 0, 0)


async def test_numbers_outlive_the_calls_that_they_were_counted_from(house: DefinitionHouse):
    """A pass that is made every day keeps them; what nobody counted for a week is told to be missing."""
    await tried(house, OWN)
    await house.call("look", {}, OWN, "c1")
    house.clock.wait(timedelta(days=1).total_seconds())
    assert await house.office.canaries.kept(None) == {"counted": 1}
    await _expired(house)
    await house.call("look", {}, OWN, "c2")
    found = await looked(house)
    assert (numbers(found["new"]), found["isWhole"]) == ((2, 2, 0, 0, 0), True)
    assert await house.office.canaries.kept(None) == {"counted": 1}
    assert numbers((await looked(house))["new"]) == (2, 2, 0, 0, 0)
    house.clock.wait(timedelta(days=9).total_seconds())
    await _expired(house)
    assert (await looked(house))["isWhole"] is False


async def test_what_a_trial_came_to_in_its_last_hours_is_kept_also_where_nobody_looks(house: DefinitionHouse):
    """It has ended, and its conversations may go on for a week; once all of it is kept, it is counted no more."""
    await tried(house, OWN)
    await house.call("look", {}, OWN, "c1")
    await house.change("DELETE", "/canary")
    house.clock.wait(timedelta(hours=4).total_seconds())
    assert await house.office.canaries.kept(None) == {"counted": 1}
    house.clock.wait(timedelta(days=6).total_seconds())
    assert await house.office.canaries.kept(None) == {"counted": 1}
    house.clock.wait(timedelta(days=1).total_seconds())
    assert await house.office.canaries.kept(None) == {"counted": 1}
    await _expired(house)
    house.clock.wait(timedelta(days=30).total_seconds())
    found = await looked(house)
    assert (numbers(found["new"]), found["isWhole"]) == ((1, 1, 0, 0, 0), True)
    assert await house.office.canaries.kept(None) == {"counted": 0}


async def _expired(house: DefinitionHouse) -> None:
    rows = [row for name in ("calls", "sessions") for row in await house.store.query(Query(name, group=True))]
    await house.store.commit([Delete(row.path) for row in rows])


async def test_a_trial_that_a_release_of_before_began_has_no_numbers(quick: DefinitionHouse):
    """Nothing marks what is met in it; taking it back works all the same."""
    await tried(quick, OWN)
    stored = await quick.store.get(PATHS.definition("look"))
    assert stored is not None
    del stored.data["canary"]["since"]
    await quick.store.commit([Set(stored.path, stored.data)])
    quick.running.definitions.forget()
    await quick.call("look", {}, OWN, "c1")
    assert numbers((await looked(quick))["new"])[1] == 0
    assert await quick.office.canaries.kept(None) == {"counted": 0}
    assert (await quick.change("DELETE", "/canary"))["canary"] is None


async def test_numbers_of_all_businesses_are_the_platforms_to_see(quick: DefinitionHouse):
    await tried(quick, OWN)
    for person in ("owner", "viewer", "neighbour", "nobody"):
        assert (await quick.ask("GET", "/look/canaries", person)).status_code == 403
    assert (await quick.ask("GET", "/nothing/canaries")).status_code == 404
    assert (await quick.found("/act/canaries")) == {"canaries": [], "nextCursor": None}


async def test_a_look_asks_the_store_for_sums_and_reads_no_calls(quick: DefinitionHouse):
    """However many calls there were."""
    await tried(quick, OWN)
    for number in range(12):
        await quick.call("look", {"word": f"w{number}"}, OWN, f"c{number}")
    asked: list[str] = []
    inner = quick.store.query

    async def query(wanted: Query) -> Any:
        asked.append(wanted.collection)
        return await inner(wanted)

    quick.store.query = query  # type: ignore[method-assign]
    assert numbers((await looked(quick))["new"]) == (12, 12, 0, 0, 0)
    assert "calls" not in asked and "sessions" not in asked
