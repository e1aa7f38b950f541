"""People in the escalation rules that were saved without ids: each gets one of their own, and keeps it."""

from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

from switchboard.admin.businesses.people_ids import with_people_ids
from switchboard.contract.store import Update
from switchboard.desk.contact.recipients import recipient
from switchboard.desk.escalation.transfers import destinations
from switchboard.state.memory.store import MemoryStore
from tests.admin.owners_office import OWN, PATHS, Premises
from tests.desk.front_desk import call, salon

DESK = {"action": "transfer", "label": "Front desk", "destination": "+15185550143"}
OWNER = {"action": "transfer", "label": "Owner", "destination": "+15185550144"}
TEXTED = {"action": "message", "label": "Rosa", "destination": "+15185550145"}
MAILED = {"action": "message", "label": "Mail", "email": "rosa@example.com"}
Rules = list[dict[str, Any]]


@pytest.fixture
def store(memory: MemoryStore) -> MemoryStore:
    """The store in memory alone."""
    return memory


async def stored_before(premises: Premises, rules: Rules) -> None:
    """Enter rules as they were kept before anybody was given an id."""
    await premises.store.commit([Update(PATHS.within(OWN).business, {"escalation": {"rules": rules}})])


async def saved(premises: Premises, rules: Rules) -> Rules:
    """Save rules as an owner, and return them as they are then read."""
    answer = await premises.patch({"escalation": {"rules": rules}})
    assert answer.status_code == 200, answer.text
    found: Rules = answer.json()["business"]["escalation"]["rules"]
    return found


def ids(rules: Rules) -> dict[str, str]:
    return {rule["label"]: rule["id"] for rule in rules}


async def test_whoever_is_entered_without_an_id_gets_one_and_all_else_stays(premises: Premises):
    """An id that was given is kept; the same people get the same ones, whoever else is there and in whatever order."""
    own = {**OWNER, "id": "boss"}
    found = await saved(premises, [DESK, own, TEXTED, MAILED])
    assert [{k: v for k, v in rule.items() if k != "id"} for rule in found] == [DESK, OWNER, TEXTED, MAILED]
    assert found[1]["id"] == "boss" and len(set(ids(found).values())) == 4
    assert found[0]["id"].startswith("transfer-") and found[3]["id"].startswith("message-")
    await saved(premises, [])
    again = await saved(premises, [MAILED, DESK])
    assert ids(again) == {name: id for name, id in ids(found).items() if name in ("Mail", "Front desk")}


async def test_what_is_sent_again_without_ids_changes_nothing(premises: Premises):
    """As by somebody who keeps the list elsewhere: the same revision, and no entry in the audit."""
    rules = [DESK, OWNER, TEXTED, MAILED]
    first, before = await saved(premises, rules), await premises.business()
    known = len(await premises.audit())
    assert await saved(premises, rules) == first
    assert (await premises.business())["revision"] == before["revision"]
    assert len(await premises.audit()) == known


async def test_people_of_an_old_document_keep_the_ids_by_which_they_are_read(premises: Premises):
    """They are counted until they are saved; then whoever stays is not renamed by whoever goes."""
    await stored_before(premises, [DESK, TEXTED, {**OWNER, "fallback": "transfer-1"}, MAILED])
    business = salon(escalation={"rules": [DESK, TEXTED, OWNER]})
    assert [d.id for d in destinations(business)] == ["transfer-1", "transfer-2"]
    left = await saved(premises, [{**OWNER, "fallback": "transfer-1"}, MAILED, TEXTED])
    assert ids(left) == {"Owner": "transfer-2", "Rosa": "message-1", "Mail": ids(left)["Mail"]}
    after = salon(escalation={"rules": left})
    assert [d.label for d in destinations(after) if d.id == "transfer-2"] == ["Owner"]
    assert recipient(call(after), "message-1").number == TEXTED["destination"]
    new = await saved(premises, [*left, DESK | {"label": "Back office", "destination": "+15185550146"}])
    assert ids(new)["Back office"] not in {"transfer-1", "transfer-2"}, "the first who is gone may be meant by it"


async def test_whoever_changes_name_or_number_stays_who_they_are(premises: Premises):
    """By the one as by the other; where both are new it is somebody else."""
    known = ids(await saved(premises, [DESK, OWNER]))
    renamed = ids(await saved(premises, [DESK | {"label": "Desk"}, OWNER]))
    assert renamed == {"Desk": known["Front desk"], "Owner": known["Owner"]}
    moved = ids(await saved(premises, [DESK | {"label": "Desk", "destination": "+15185550147"}, OWNER]))
    assert moved == renamed
    other = ids(await saved(premises, [DESK | {"label": "Kim", "destination": "+15185550148"}, OWNER]))
    assert other["Kim"] not in known.values() and other["Owner"] == known["Owner"]
    renamed_too = OWNER | {"label": "Former owner"}
    both = ids(await saved(premises, [OWNER | {"destination": "+15185550149"}, renamed_too]))
    assert both["Former owner"] == known["Owner"] != both["Owner"], "whoever is reached as before comes first"


async def test_a_change_of_something_else_leaves_an_old_list_as_it_is(premises: Premises):
    """Who may edit the business but not its safeguards goes on editing it."""
    await stored_before(premises, [DESK, OWNER])
    assert (await premises.patch({"industry": "barber"}, "editor")).status_code == 200
    assert (await premises.business())["business"]["escalation"]["rules"] == [DESK, OWNER]


async def test_an_undo_of_what_an_old_list_became_means_the_same_people(premises: Premises):
    """They are back with the ids that they have by now."""
    await stored_before(premises, [DESK, OWNER])
    known = ids(await saved(premises, [OWNER, DESK]))
    path = f"/admin/businesses/{OWN}/audit/{(await premises.audit())[-1]['id']}/undo"
    answer = await premises.ask("POST", path, json={}, revision=(await premises.business())["revision"])
    assert answer.status_code == 200, answer.text
    rules = (await premises.business())["business"]["escalation"]["rules"]
    assert [rule["label"] for rule in rules] == ["Front desk", "Owner"] and ids(rules) == known


PEOPLE = st.fixed_dictionaries(
    {"action": st.sampled_from(["transfer", "message"])},
    optional={
        "label": st.sampled_from(["", "Ann", "Ben"]),
        "destination": st.sampled_from(["", "+15185550143", "+15185550144"]),
        "email": st.sampled_from(["", "a@example.com"]),
        "id": st.sampled_from(["", "ann", "transfer-1", "transfer-2", "message-1"]),
    },
)
LISTS = st.lists(PEOPLE, max_size=6)


def completed(rules: Any, before: Rules) -> Any:
    return with_people_ids({"escalation": {"rules": rules}}, {"escalation": {"rules": before}})["escalation"]["rules"]


@hypothesis.given(LISTS, LISTS, st.randoms(use_true_random=False))
def test_everybody_has_an_id_and_no_two_that_were_given_here_are_the_same(before: Rules, wanted: Rules, dice: Any):
    """Whatever was there; ids that were said stay, and asking again, or in another order, gives the same people."""
    found = completed(wanted, before)
    if wanted == before:
        assert found == wanted
        return
    said = [rule["id"] for rule in wanted if rule.get("id")]
    given = [rule["id"] for rule, one in zip(found, wanted, strict=True) if not one.get("id")]
    assert all(given) and len({*given, *said}) == len(given) + len(set(said))
    assert [rule | {"id": one["id"]} for rule, one in zip(wanted, found, strict=True)] == found
    assert completed(wanted, before) == found
    again = [{k: v for k, v in rule.items() if k != "id"} for rule in found]
    dice.shuffle(again)
    known = {rule["id"] for rule in found}
    if len(known) == len(found):
        assert {rule["id"] for rule in completed(again, [*found, {}])} == known


@pytest.mark.parametrize("escalation", [None, "x", {}, {"rules": None}, {"rules": "x"}, {"rules": ["x", 7, DESK]}])
def test_what_is_no_list_of_people_is_left_to_whoever_checks_it(escalation: Any):
    """Nothing is made up for what is going to be refused."""
    found = with_people_ids({"escalation": escalation}, {"escalation": {"rules": "y"}})["escalation"]
    rules = found["rules"] if isinstance(found, dict) and isinstance(found.get("rules"), list) else []
    assert [rule for rule in rules if not isinstance(rule, dict)] == (["x", 7] if rules else [])
    assert bool(rules) or found == escalation
