"""A business that an agency keeps as the pattern of its others."""

import pytest

from tests.admin.pushing.agency import (
    IDS,
    business,
    carried,
    edited,
    foreseen,
    price,
    priced,
    pushed,
    says,
    standings,
    texts,
)
from tests.admin.whole_house import Owner

pytestmark = pytest.mark.requirement("004-855")
PATTERN = f"/admin/businesses/{IDS[0]}/push"


async def test_what_a_template_said_is_not_an_owners_also_where_a_business_is_the_pattern(owner: Owner):
    """So the first push already tells what was touched from what was not."""
    await edited(owner, IDS[0], services=priced("Haircut", "$60"))
    await edited(owner, IDS[2], services=priced("Haircut", "$99"))
    rows = await foreseen(owner, *IDS[1:], path=PATTERN, parts=["services"])
    assert standings(rows[IDS[1]]) == {"services[Haircut].price": "outdated"}
    assert standings(rows[IDS[2]]) == {"services[Haircut].price": "contested"}


@pytest.mark.requirement("004-851")
async def test_what_an_owner_took_back_or_left_of_a_pattern_is_theirs_from_then_on(owner: Owner):
    """Although the template that they were made of has said just that."""
    await edited(owner, IDS[0], services=priced("Haircut", "$60"))
    first, second = carried(await foreseen(owner, *IDS[1:], path=PATTERN, parts=["services"]))
    left = {**second, "leave": ["services[Haircut].price"]}
    result = await pushed(owner, [first, left], PATTERN, parts=["services"])
    assert [row["state"] for row in result.values()] == ["pushed", "unchanged"]
    entry = f"/admin/businesses/{IDS[1]}/audit/{result[IDS[1]]['entryIds'][0]}"
    undone = await owner.send("POST", f"{entry}/undo", {}, (await owner.done("GET", entry))["revision"])
    assert undone.status_code == 200, undone.text
    rows = await foreseen(owner, *IDS[1:], path=PATTERN, parts=["services"])
    for id in IDS[1:]:
        assert standings(rows[id]) == {"services[Haircut].price": "own"}
    await pushed(owner, carried(rows), PATTERN, parts=["services"])
    assert [price(await business(owner, id), "Haircut") for id in IDS] == ["$60", "$45", "$45"]


async def test_its_own_name_becomes_the_others(owner: Owner):
    """In what is said and in texts, as a whole name and not within other words."""
    ai = (await business(owner, IDS[0]))["ai"]
    await edited(owner, IDS[0], ai={**ai, "greeting": "Birch Lane Hair, hello! Birch Lane Haircuts are on."})
    faq = {"topic": "owner", "question": "Who runs Birch Lane Hair?", "answer": "Birch Lane Hair is a family's."}
    await owner.done("POST", f"/tts_admin/faqs/{IDS[0]}", faq)
    rows = await foreseen(owner, IDS[1], path=PATTERN, parts=["ai", "faqs"])
    await pushed(owner, carried(rows), PATTERN, parts=["ai", "faqs"])
    shown = await business(owner, IDS[1])
    assert shown["ai"]["greeting"] == "Cedar Row Hair, hello! Birch Lane Haircuts are on."
    assert "Cedar Row Hair is a family's." in [row["answer"] for row in await texts(owner, "faqs", IDS[1])]


async def test_numbers_people_and_accounts_of_the_pattern_stay_there(owner: Owner):
    """Whatever is pushed of it."""
    await edited(owner, IDS[0], phone="(518) 555-0177", twilioNumber="+15185550178")
    rules = [{"id": "desk", "action": "transfer", "label": "Desk", "destination": "+15185550179"}]
    await edited(owner, IDS[0], escalation={"rules": rules})
    before = await business(owner, IDS[1])
    rows = await foreseen(owner, IDS[1], path=PATTERN)
    assert "5550177" not in str(rows) and "5550178" not in str(rows) and "5550179" not in str(rows)
    taken = [one["field"] for one in rows[IDS[1]]["deviations"] if one["field"] != "escalation.rules[desk]"]
    everything_else = carried(rows, take=taken, leave=["escalation.rules[desk]"])
    assert (await pushed(owner, everything_else, PATTERN))[IDS[1]]["state"] in ("pushed", "unchanged")
    after = await business(owner, IDS[1])
    assert [after.get(name) for name in ("name", "phone", "twilioNumber", "resources")] == [
        before.get(name) for name in ("name", "phone", "twilioNumber", "resources")
    ]


async def test_a_rule_whose_number_nobody_knows_there_is_named(owner: Owner):
    """The business enters it itself."""
    rules = [{"id": "desk", "action": "transfer", "label": "Desk", "destination": "+15185550179"}]
    await edited(owner, IDS[0], escalation={"rules": rules})
    row = (await foreseen(owner, IDS[1], path=PATTERN, parts=["escalation"]))[IDS[1]]
    assert row["state"] == "invalid" and "needs a destination" in row["problems"][0]["message"]


async def test_what_the_pattern_lacks_and_another_template_said_stays(owner: Owner, monkeypatch: pytest.MonkeyPatch):
    """A pattern takes away only what it has brought."""
    services = (await business(owner, IDS[0]))["services"]
    await edited(owner, IDS[0], services=services[:2])
    rows = await foreseen(owner, IDS[1], path=PATTERN, parts=["services"])
    assert standings(rows[IDS[1]]) == {}
    await edited(owner, IDS[0], services=[*services[:2], {"name": "Perm", "durationMinutes": 90}])
    await pushed(
        owner, carried(await foreseen(owner, IDS[1], path=PATTERN, parts=["services"])), PATTERN, parts=["services"]
    )
    await edited(owner, IDS[0], services=services[:2])
    rows = await foreseen(owner, IDS[1], path=PATTERN, parts=["services"])
    assert standings(rows[IDS[1]]) == {"services[Perm]": "outdated"}
    await pushed(owner, carried(rows), PATTERN, parts=["services"])
    assert (await business(owner, IDS[1]))["services"] == services
    says(monkeypatch, {"services": priced("Haircut", "$50")})
    assert standings((await foreseen(owner, IDS[1], parts=["services"]))[IDS[1]]) == {
        "services[Haircut].price": "outdated"
    }
    assert price(await business(owner, IDS[1]), "Haircut") == "$45"


async def test_tools_are_pushed_one_by_one(owner: Owner):
    """One that another business has switched on beside them stays on there."""
    await edited(owner, IDS[0], enabledTools=["book_appointment", "get_faqs"])
    await edited(owner, IDS[1], enabledTools=["book_appointment", "end_call"])
    rows = await foreseen(owner, IDS[1], path=PATTERN, parts=["enabledTools"])
    assert list(standings(rows[IDS[1]])) == ["enabledTools[get_faqs]"]
    take = ["enabledTools[get_faqs]"]
    await pushed(owner, carried(rows, take=take), PATTERN, parts=["enabledTools"])
    assert (await business(owner, IDS[1]))["enabledTools"] == ["book_appointment", "end_call", "get_faqs"]


async def test_a_pattern_that_changed_since_the_dry_run_is_not_pushed(owner: Owner):
    """What is carried out is what was looked at."""
    await edited(owner, IDS[0], services=priced("Haircut", "$60"))
    rows = await foreseen(owner, *IDS[1:], path=PATTERN, parts=["services"])
    await edited(owner, IDS[0], services=priced("Haircut", "$70"))
    result = await pushed(owner, carried(rows), PATTERN, parts=["services"])
    assert [row["state"] for row in result.values()] == ["outOfDate", "outOfDate"]
