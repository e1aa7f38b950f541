"""Limits of a month: set by whoever runs all businesses, seen by those who run one, and forged or dropped by nobody."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from operations import seeding
from switchboard.admin.businesses.document import check_document
from switchboard.admin.costs.month_stops import MonthStops
from switchboard.admin.maintenance import backup
from switchboard.contract.business.business import read_business
from switchboard.contract.json import JsonObject
from switchboard.contract.store import Set, Unavailable, Update, Write, WriteResult
from switchboard.state.memory.store import MemoryStore
from tests.admin.costs.test_costs_api import MONTH, OWN, PATHS, PRICES, Counter, counter
from tests.admin.owners_office import OTHER, token
from tests.admin.small_seeds import PATHS as SEEDED
from tests.admin.small_seeds import write_business, write_seeds
from tests.admin.whole_house import BUSINESS, WITHIN, Owner
from tests.desk.front_desk import NOW
from tests.operations.premises import EVERYTHING, lines_of

__all__ = ["counter"]

LIMITS = f"/businesses/{OWN}/monthly-limits"
SET = {"texts": {"warnAt": 2, "stopAt": 3}, "cost": {"stopAt": "40.00"}}


async def limit(counter: Counter, limits: Any, person: str = "platform", revision: str = "") -> httpx.Response:
    """Set limits, based on those that there are now unless said otherwise."""
    based_on = revision or (await counter.ask(LIMITS)).json()["revision"]
    headers = token(person) | {"If-Match": f'"{based_on}"'}
    return await counter.client.put(LIMITS, headers=headers, json={"limits": limits})


@pytest.mark.requirement("004-840")
async def test_limits_are_set_seen_and_hold_at_once(counter: Counter) -> None:
    """Three segments were counted by now: the commit that sets the limit is followed by the note that calls read."""
    saved = await limit(counter, SET)
    assert (saved.status_code, "Audit-Entry" in saved.headers) == (200, True)
    shown = (await counter.ask(LIMITS, "owner")).json()
    assert shown["limits"] == {"texts": {"warnAt": 2, "stopAt": 3}, "cost": {"stopAt": "40"}}
    assert (shown["month"], shown["mayEdit"], list(shown["stopped"])) == (MONTH, False, ["texts"])
    texts, cost = shown["standings"]
    assert (texts["used"], texts["warnAt"], texts["stopAt"], texts["reached"]) == ("3", "2", "3", "limit")
    assert (cost["used"], cost["reached"]) == (None, "nothing")
    assert counter.premises.forgotten == [OWN]
    raised = await limit(counter, {"texts": {"stopAt": 4}})
    assert (raised.json()["stopped"], raised.json()["standings"][0]["reached"]) == ({}, "nothing")
    taken = await limit(counter, {})
    assert (taken.json()["limits"], taken.json()["standings"]) == ({}, [])
    stored = (await counter.premises.store.get(PATHS.within(OWN).business)).data
    assert not {"monthlyLimits", "monthStop"} & stored.keys()


@pytest.mark.requirement("004-840")
async def test_limits_that_were_taken_away_while_the_note_could_not_be_stop_nothing_after_a_pass(
    counter: Counter,
) -> None:
    """Nothing has to be counted for it: where no conversation begins, nothing is."""
    await limit(counter, {"modelTokens": {"stopAt": 0}})
    store, commit = counter.premises.store, counter.premises.store.commit

    async def away(writes: Sequence[Write]) -> list[WriteResult]:
        if any(isinstance(write, Update) and "monthStop" in write.data for write in writes):
            raise Unavailable("no answer")
        return await commit(writes)

    store.commit = away
    assert (await limit(counter, {})).status_code == 200
    store.commit = commit
    await MonthStops(store, PATHS, counter.premises.clock, lambda _: None).note(set())
    stored = (await store.get(PATHS.within(OWN).business)).data
    assert not {"monthlyLimits", "monthStop"} & stored.keys()


@pytest.mark.requirement("004-841")
async def test_the_month_s_statement_tells_how_far_its_limits_are_used_up(counter: Counter) -> None:
    """Those of the month of now; another month has none any more."""
    await counter.put(PRICES)
    await limit(counter, SET | {"modelTokens": {"warnAt": 1_000_000}})
    now = (await counter.ask(f"/businesses/{OWN}/costs", "editor", month=MONTH)).json()
    assert [(one["unit"], one["used"], one["reached"]) for one in now["limits"]] == [
        ("texts", "3", "limit"),
        ("modelTokens", "1254567", "warning"),
        ("cost", "0.6055268", "nothing"),
    ]
    assert (await counter.ask(f"/businesses/{OWN}/costs", month="2027-01")).json()["limits"] == []
    many = (await counter.ask("/costs", month=MONTH)).json()["statements"]
    assert {one["businessId"]: len(one["limits"]) for one in many} == {OWN: 3, OTHER: 0}


@pytest.mark.requirement("004-840")
@pytest.mark.parametrize(
    ("limits", "field"),
    [
        ({"texts": {"stopAt": 3.5}}, "limits.texts.stopAt"),
        ({"texts": {"stopAt": "3"}}, "limits.texts.stopAt"),
        ({"texts": {"stopAt": -1}}, "limits.texts.stopAt"),
        ({"texts": {"stopAt": True}}, "limits.texts.stopAt"),
        ({"texts": {"warnAt": 10**13}}, "limits.texts.warnAt"),
        ({"texts": 3}, "limits.texts"),
        ({"cost": {"stopAt": 40}}, "limits.cost.stopAt"),
        ({"cost": {"stopAt": "forty"}}, "limits.cost.stopAt"),
        ({"emails": {"stopAt": 3}}, "limits.emails"),
        ({"texts": {"stopAfter": 3}}, "limits.texts.stopAfter"),
        ({"texts": {"warnAt": 4, "stopAt": 3}}, "texts.warnAt"),
        ({"cost": {"warnAt": "40.01", "stopAt": "40"}}, "cost.warnAt"),
    ],
)
async def test_what_is_no_limit_is_refused_by_its_name(counter: Counter, limits: JsonObject, field: str) -> None:
    answer = await limit(counter, limits)
    assert answer.status_code == 400, answer.text
    assert [problem["field"] for problem in answer.json()["error"]["problems"]] == [field]
    assert (await counter.ask(LIMITS)).json()["limits"] == {}


@pytest.mark.requirement("004-840")
async def test_limits_are_replaced_on_what_was_read(counter: Counter) -> None:
    """What is noted of what is used up makes no form out of date, and an edit of the business neither."""
    before = (await counter.ask(LIMITS)).json()["revision"]
    await limit(counter, SET, revision=before)
    late = await limit(counter, {}, revision=before)
    assert late.status_code == 412
    unchanged = await limit(counter, SET)
    assert (unchanged.status_code, "Audit-Entry" in unchanged.headers) == (200, False)
    revision = unchanged.json()["revision"]
    assert (await counter.premises.patch({"name": "Salon Linden"})).status_code == 200
    assert (await counter.ask(LIMITS)).json()["revision"] == revision
    unsaid = await counter.client.put(LIMITS, headers=token("platform"), json={"limits": {}})
    assert unsaid.status_code == 428


@pytest.mark.requirement("004-840")
@pytest.mark.parametrize(
    ("person", "sees", "sets"),
    [
        ("platform", 200, 200),
        ("owner", 200, 403),
        ("editor", 200, 403),
        ("viewer", 403, 403),
        ("neighbour", 403, 403),
        ("nobody", 403, 403),
    ],
)
async def test_who_may_see_and_set_limits(counter: Counter, person: str, sees: int, sets: int) -> None:
    """Who they hold for cannot raise them, nobody sees another business's, and nothing is set by a refused request."""
    assert (await counter.ask(LIMITS, person)).status_code == sees
    revision = (await counter.ask(LIMITS)).json()["revision"]
    assert (await limit(counter, SET, person, revision)).status_code == sets
    assert bool((await counter.ask(LIMITS)).json()["limits"]) is (sets == 200)


@pytest.mark.requirement("004-840")
async def test_another_business_has_no_part_of_a_limit(counter: Counter) -> None:
    await limit(counter, {"texts": {"stopAt": 0}})
    other = (await counter.ask(f"/businesses/{OTHER}/monthly-limits")).json()
    assert (other["limits"], other["standings"], other["stopped"]) == ({}, [], {})


@pytest.mark.requirement("004-840")
@pytest.mark.parametrize("field", ["monthlyLimits", "monthStop"])
async def test_an_owner_s_edit_neither_forges_nor_drops_a_limit(counter: Counter, field: str) -> None:
    """Named in a patch, they are refused; not named, they stay."""
    await limit(counter, SET)
    for value in (None, {}, {"texts": {"stopAt": 10**9}}):
        answer = await counter.premises.patch({field: value})
        assert (answer.status_code, answer.json()["error"]["problems"][0]["field"]) == (400, field)
    assert (await counter.premises.patch({"name": "Salon Linden", "ai": {"tone": "warm"}})).status_code == 200
    stored = (await counter.premises.store.get(PATHS.within(OWN).business)).data
    assert read_business(OWN, stored).stopped(NOW) == {"texts"}
    assert (await counter.ask(LIMITS)).json()["limits"] == {
        "texts": {"warnAt": 2, "stopAt": 3},
        "cost": {"stopAt": "40"},
    }


@pytest.mark.requirement("004-840")
@pytest.mark.parametrize("field", ["monthlyLimits", "monthStop"])
def test_no_template_and_no_seed_comes_with_a_limit(field: str) -> None:
    """What is made or pushed is checked as a whole; one that is stored, and in a backup, is right with it."""
    document = {"name": "Salon", "timezone": "Europe/Berlin", field: {"texts": {"stopAt": 10**9}}}
    (problem,) = check_document("salon", document)
    assert (problem.field, "Leave" in problem.message) == (field, True)
    assert check_document("salon", document, is_stored=True) == []


@pytest.mark.requirement("004-840")
async def test_an_undo_by_an_owner_raises_no_limit_and_one_of_the_platform_s_does(owner: Owner) -> None:
    """The audit tells owners who limited them, from what to what."""
    path = f"{BUSINESS}/monthly-limits"
    await owner.done("PUT", path, {"limits": {"texts": {"stopAt": 5}}})
    entry = await owner.last()
    assert (entry["kind"], entry["who"]["name"]) == ("monthlyLimits", "platform@example.com")
    for person in ("owner", "editor"):
        refused = await owner.undo(entry, person)
        assert refused.status_code == 403, refused.text
    assert (await owner.done("GET", path))["limits"] == {"texts": {"stopAt": 5}}
    assert (await owner.undo(entry)).status_code == 200
    assert (await owner.done("GET", path))["limits"] == {}


@pytest.mark.requirement("004-840")
async def test_an_owner_s_undo_of_an_edit_leaves_the_limits_that_were_set_meanwhile(owner: Owner) -> None:
    await owner.done("PATCH", BUSINESS, {"name": "Salon Linden"})
    entry = await owner.last()
    await owner.done("PUT", f"{BUSINESS}/monthly-limits", {"limits": {"texts": {"stopAt": 0}}})
    assert (await owner.undo(entry, "owner")).status_code == 200
    stored = (await owner.house.store.get(WITHIN.business)).data
    assert (stored["monthlyLimits"]["texts"], list(stored["monthStop"]["since"])) == ({"stopAt": 0}, ["texts"])


@pytest.mark.requirement("004-840")
async def test_limits_that_were_written_by_hand_are_shown_as_far_as_they_can_be_read(counter: Counter) -> None:
    spoilt = {"texts": {"stopAt": 3, "warnAt": "soon"}, "faxes": {"stopAt": 1}, "cost": 40}
    path = PATHS.within(OWN).business
    await counter.premises.store.commit([Set(path, {"monthlyLimits": spoilt}, merge=True)])
    assert (await counter.ask(LIMITS)).json()["limits"] == {"texts": {"stopAt": 3}}
    assert (await limit(counter, {"texts": {"stopAt": 9}})).json()["limits"] == {"texts": {"stopAt": 9}}


NOTED = {"month": MONTH, "since": {"texts": NOW}}
LIMITED = {"monthlyLimits": {"isSet": True, "texts": {"stopAt": 3}}, "monthStop": NOTED}


@pytest.mark.requirement("004-840")
async def test_what_is_pushed_from_files_leaves_limits_and_notes_as_they_are(tmp_path: Path) -> None:
    """Also where it changes the business's document; files that name them are refused."""
    store, seeds = MemoryStore(), write_seeds(tmp_path / "seeds")
    await seeding.seed(store, SEEDED, seeds, now=NOW, out=lambda _: None)
    within = SEEDED.within("salon")
    await store.commit([Set(within.business, LIMITED, merge=True)])
    write_business(seeds, business={"name": "Salon Linden"})
    await seeding.seed(store, SEEDED, seeds, now=NOW, prune=True, out=lambda _: None)
    stored = (await store.get(within.business)).data
    assert stored["name"] == "Salon Linden"
    assert {name: stored[name] for name in LIMITED} == LIMITED
    write_business(seeds, business={"monthlyLimits": {"texts": {"stopAt": 9}}})
    with pytest.raises(seeding.BadSeeds, match="monthlyLimits are set on the page Month"):
        await seeding.seed(store, SEEDED, seeds, now=NOW, out=lambda _: None)


@pytest.mark.requirement("004-840")
async def test_a_restoration_brings_limits_back_with_the_business_and_changes_none_that_stand() -> None:
    """Neither an older backup nor one that somebody has edited raises a limit where the business is."""
    store, path = MemoryStore(), PATHS.within(OWN).business
    raised = {"monthlyLimits": {"isSet": True, "texts": {"stopAt": 10**9}}}
    await store.commit([Set(path, {"name": "Salon", "timezone": "UTC", **raised})])
    lines = await lines_of(store)
    await store.commit([Set(path, LIMITED, merge=True)])
    done = await backup.restore(store, PATHS, EVERYTHING, lambda: backup.documents_in(EVERYTHING, lines))
    assert (done.new, done.kept) == (0, 1)
    assert (await store.get(path)).data["monthlyLimits"] == LIMITED["monthlyLimits"]
    lines, empty = await lines_of(store), MemoryStore()
    await backup.restore(empty, PATHS, EVERYTHING, lambda: backup.documents_in(EVERYTHING, lines))
    assert read_business(OWN, (await empty.get(path)).data).stopped(NOW) == {"texts"}
