"""A template pushed to many businesses: told first, an owner's own stays, and each business is changed by itself."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from switchboard.contract.store import Update
from tests.admin.owners_office import PATHS
from tests.admin.pushing.agency import (
    IDS,
    PUSH,
    agency,
    business,
    carried,
    edited,
    entries,
    everything,
    foreseen,
    price,
    priced,
    pushed,
    says,
    standings,
)
from tests.admin.whole_house import Owner

pytestmark = pytest.mark.requirement("004-850")


@pytest.fixture
async def owner() -> AsyncIterator[Owner]:
    """Whoever runs all businesses, three of which were made of the salon's template."""
    async with agency() as found:
        yield found


async def test_nothing_is_pushed_of_a_template_that_says_what_it_said(owner: Owner):
    """Whatever a business is called, and whoever its messages are for."""
    rows = await foreseen(owner, *IDS)
    assert [row["state"] for row in rows.values()] == ["unchanged"] * 3
    assert {standing for row in rows.values() for standing in standings(row).values()} <= {"own"}


async def test_a_dry_run_tells_each_value_before_and_after_and_changes_nothing(
    owner: Owner, monkeypatch: pytest.MonkeyPatch
):
    """By a path that people read, with what the service or the text is called."""
    says(
        monkeypatch,
        {"services": priced("Haircut", "$50")},
        faqs={"faq-parking": {"topic": "parking", "question": "Is there parking?", "answer": "Yes, twelve spaces."}},
    )
    before = await everything(owner)
    row = (await foreseen(owner, IDS[0]))[IDS[0]]
    assert (row["state"], row["name"], bool(row["token"])) == ("ready", "Birch Lane Hair", True)
    changes = [one for one in row["deviations"] if one["standing"] == "outdated"]
    assert changes == [
        {
            "field": "services[Haircut].price",
            "name": "Haircut",
            "standing": "outdated",
            "beside": None,
            "before": "$45",
            "after": "$50",
        },
        {
            "field": "faqs[faq-parking].answer",
            "name": "Is there parking?",
            "standing": "outdated",
            "beside": None,
            "before": "Yes: six free spaces behind the salon.",
            "after": "Yes, twelve spaces.",
        },
    ]
    assert await everything(owner) == before


@pytest.mark.requirement("004-851")
async def test_what_an_owner_changed_stays_unless_it_is_named(owner: Owner, monkeypatch: pytest.MonkeyPatch):
    """It is told with both sides; whoever pushes names it by its path, and only then it is replaced."""
    services = (await business(owner, IDS[0]))["services"]
    own = [{**row, "price": "$99"} if row["name"] == "Haircut" else row for row in services]
    await edited(owner, IDS[0], services=own)
    await edited(owner, IDS[1], services=own)
    says(monkeypatch, {"services": priced("Haircut", "$50")})
    rows = await foreseen(owner, *IDS)
    assert standings(rows[IDS[0]])["services[Haircut].price"] == "contested"
    assert standings(rows[IDS[2]])["services[Haircut].price"] == "outdated"
    first, second, third = carried(rows)
    await pushed(owner, [first, {**second, "take": ["services[Haircut].price"]}, third])
    assert [price(await business(owner, id), "Haircut") for id in IDS] == ["$99", "$50", "$50"]
    # The template has nothing new to say to whoever kept theirs.
    assert standings((await foreseen(owner, IDS[0]))[IDS[0]])["services[Haircut].price"] == "own"


@pytest.mark.requirement("004-851")
async def test_a_text_that_an_owner_removed_does_not_come_back_by_itself(
    owner: Owner, monkeypatch: pytest.MonkeyPatch
):
    """Nor does one go that an owner has rewritten; one that nobody touched goes with the template's."""
    faqs = f"/tts_admin/businesses/{IDS[0]}/faqs"
    await owner.send("DELETE", f"{faqs}/faq-parking", None, await owner.revision(f"{faqs}/faq-parking"))
    answer = await owner.send("GET", f"{faqs}/faq-children")
    print(answer.status_code, answer.text)
    says(
        monkeypatch,
        faqs={
            "faq-parking": {"topic": "parking", "question": "Is there parking?", "answer": "No."},
            "faq-gift-cards": None,
        },
    )
    rows = await foreseen(owner, *IDS[:2])
    print(rows)
    assert standings(rows[IDS[1]]) == {"faqs[faq-parking].answer": "outdated", "faqs[faq-gift-cards]": "outdated"}


@pytest.mark.requirement("004-852")
async def test_each_business_is_changed_in_one_commit_with_its_own_entries(
    owner: Owner, monkeypatch: pytest.MonkeyPatch
):
    """One for each document, by which it is taken back, and one that tells of the push."""
    says(
        monkeypatch,
        {"services": priced("Haircut", "$50")},
        faqs={"faq-parking": {"topic": "parking", "question": "Is there parking?", "answer": "No."}},
    )
    result = await pushed(owner, carried(await foreseen(owner, *IDS)))
    assert [row["state"] for row in result.values()] == ["pushed"] * 3
    for id in IDS:
        kinds = sorted(entry["kind"] for entry in await entries(owner, id))
        assert kinds == ["business", "faqs", "opened", "templatePush"]
        assert len({entry["at"] for entry in await entries(owner, id) if entry["kind"] != "opened"}) == 1
    entry = result[IDS[0]]["entryIds"][0]
    path = f"/admin/businesses/{IDS[0]}/audit/{entry}"
    assert (await owner.send("POST", f"{path}/undo", {}, await owner.revision(path))).status_code == 200
    assert price(await business(owner, IDS[0]), "Haircut") == "$45"
    assert standings((await foreseen(owner, IDS[0]))[IDS[0]])["services[Haircut].price"] == "own"
    whole = f"/admin/businesses/{IDS[0]}/audit/{result[IDS[0]]['entryIds'][-1]}"
    refused = await owner.send("POST", f"{whole}/undo", {}, "none")
    assert refused.status_code == 409 and "change by change" in refused.text
