"""A template pushed to many businesses: told first, an owner's own stays, and each business is changed by itself."""

import pytest

from switchboard.contract.store import Delete
from tests.admin.owners_office import PATHS
from tests.admin.pushing.agency import (
    IDS,
    PUSH,
    SOURCE,
    TEMPLATES,
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
    texts,
)
from tests.admin.whole_house import Owner

pytestmark = pytest.mark.requirement("004-850")


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
async def test_a_text_that_an_owner_removed_or_wrote_anew_stays_so(owner: Owner, monkeypatch: pytest.MonkeyPatch):
    """It does not come back by itself, nor go; one that nobody touched is rewritten, or goes with the template's."""
    faqs = f"/tts_admin/faqs/{IDS[0]}"
    gone, rewritten = f"{faqs}/faq-parking", f"{faqs}/faq-gift-cards"
    await owner.send("DELETE", gone, None, await owner.revision(gone))
    cards = {"topic": "gift cards", "question": "Do you sell gift cards?", "answer": "Not any more."}
    assert (await owner.send("PUT", rewritten, cards, await owner.revision(rewritten))).status_code == 200
    parking = {"topic": "parking", "question": "Is there parking?", "answer": "No."}
    says(monkeypatch, faqs={"faq-parking": parking, "faq-gift-cards": None})
    rows = await foreseen(owner, *IDS[:2], parts=["faqs"])
    assert standings(rows[IDS[0]]) == {"faqs[faq-parking]": "contested", "faqs[faq-gift-cards]": "contested"}
    assert standings(rows[IDS[1]]) == {"faqs[faq-parking].answer": "outdated", "faqs[faq-gift-cards]": "outdated"}
    result = await pushed(owner, carried(rows), parts=["faqs"])
    assert [row["state"] for row in result.values()] == ["unchanged", "pushed"]
    answers = [{row["question"]: row["answer"] for row in await texts(owner, "faqs", id)} for id in IDS[:2]]
    children = "Yes, children up to twelve get a kids' cut on any day."
    own = {"Do you sell gift cards?": "Not any more.", "Do you cut children's hair?": children}
    assert answers == [own, {"Is there parking?": "No.", "Do you cut children's hair?": children}]


@pytest.mark.requirement("004-851")
async def test_a_value_that_would_change_stays_where_it_is_left(owner: Owner, monkeypatch: pytest.MonkeyPatch):
    """And is the business's own from then on."""
    says(monkeypatch, {"services": priced("Haircut", "$50"), "features": {"records": True, "gift_cards": True}})
    rows = await foreseen(owner, IDS[0], parts=["services"])
    await pushed(owner, carried(rows, leave=["services[Haircut].price"]), parts=["services"])
    assert price(await business(owner, IDS[0]), "Haircut") == "$45"
    assert standings((await foreseen(owner, IDS[0], parts=["services"]))[IDS[0]]) == {"services[Haircut].price": "own"}


async def test_a_new_text_on_what_a_business_has_one_on_is_chosen_first(owner: Owner, monkeypatch: pytest.MonkeyPatch):
    """Two answers to one question would contradict each other; it is told beside which one it would stand."""
    own = {"topic": "wifi", "question": "Do you have wifi?", "answer": "No."}
    await owner.done("POST", f"/tts_admin/faqs/{IDS[0]}", own)
    says(monkeypatch, faqs={"faq-wifi": {"topic": "wifi", "question": "Do you have wifi?", "answer": "Yes."}})
    rows = await foreseen(owner, *IDS[:2], parts=["faqs"])
    (near,) = rows[IDS[0]]["deviations"]
    assert (near["standing"], near["beside"]) == ("near", "Do you have wifi?")
    assert standings(rows[IDS[1]]) == {"faqs[faq-wifi]": "outdated"}
    await pushed(owner, carried(rows), parts=["faqs"])
    assert [len(await texts(owner, "faqs", id)) for id in IDS[:2]] == [4, 4]
    rows = await foreseen(owner, IDS[0], parts=["faqs"])
    await pushed(owner, carried(rows, take=["faqs[faq-wifi]"]), parts=["faqs"])
    assert len(await texts(owner, "faqs", IDS[0])) == 5


async def test_a_services_place_and_an_own_service_are_no_change(owner: Owner, monkeypatch: pytest.MonkeyPatch):
    """Services are told apart by what they are called; what the business has beside them stays where it is."""
    services = (await business(owner, IDS[0]))["services"]
    first = {"name": "Bridal styling", "durationMinutes": 120, "price": "$300"}
    await edited(owner, IDS[0], services=[first, *reversed(services)])
    new = {"name": "Perm", "durationMinutes": 90, "price": "$110"}
    says(monkeypatch, {"services": [*priced("Haircut", "$50"), new]})
    rows = await foreseen(owner, IDS[0], parts=["services"])
    assert standings(rows[IDS[0]]) == {"services[Haircut].price": "outdated", "services[Perm]": "outdated"}
    await pushed(owner, carried(rows), parts=["services"])
    names = [row["name"] for row in (await business(owner, IDS[0]))["services"]]
    assert names == ["Bridal styling", *(row["name"] for row in reversed(services)), "Perm"]


async def test_a_rules_words_are_pushed_and_who_is_reached_stays(owner: Owner, monkeypatch: pytest.MonkeyPatch):
    """The template's numbers are nobody's."""
    rules = TEMPLATES[SOURCE].document["escalation"]["rules"]
    asked = [{**rule, "when": "The caller insists."} if rule["id"] == "owner-message" else rule for rule in rules]
    says(monkeypatch, {"escalation": {"rules": asked}})
    rows = await foreseen(owner, IDS[0], parts=["escalation"])
    assert standings(rows[IDS[0]])["escalation.rules[owner-message].when"] == "outdated"
    await pushed(owner, carried(rows), parts=["escalation"])
    (rule,) = (await business(owner, IDS[0]))["escalation"]["rules"]
    assert (rule["when"], rule["email"], rule["label"]) == ("The caller insists.", "dana@example.com", "Dana")


async def test_all_that_were_made_of_a_template_are_known(owner: Owner, monkeypatch: pytest.MonkeyPatch):
    """Those that were not are not among them, until it is pushed to them."""
    says(monkeypatch, {"services": priced("Haircut", "$50")})
    answer = await owner.send("POST", PUSH, {"all": True, "dryRun": True})
    assert [row["businessId"] for row in answer.json()["businesses"]] == list(IDS)
    assert answer.json()["areAll"] is True


async def test_of_a_business_that_nothing_is_noted_of_all_is_to_be_chosen(
    owner: Owner, monkeypatch: pytest.MonkeyPatch
):
    """Nobody knows what of it is its owner's; after one push it is known."""
    await owner.house.store.commit([Delete(f"{PATHS.within(IDS[0]).business}/templateNotes/latest")])
    says(monkeypatch, {"services": priced("Haircut", "$50")})
    rows = await foreseen(owner, IDS[0], parts=["services"])
    assert standings(rows[IDS[0]]) == {"services[Haircut].price": "unknown"}
    assert rows[IDS[0]]["state"] == "unchanged"
    await pushed(owner, carried(rows, take=["services[Haircut].price"]), parts=["services"])
    says(monkeypatch, {"services": priced("Haircut", "$55")})
    rows = await foreseen(owner, IDS[0], parts=["services"])
    assert standings(rows[IDS[0]]) == {"services[Haircut].price": "outdated"}


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
