"""A business that is made of a template: whole or not at all, nobody else's numbers in it, and what is left is told."""

import asyncio
from typing import Any

import pytest

from switchboard.admin.opening.templates import BusinessTemplates
from switchboard.contract.store import Delete, Query, Update
from tests.admin.owners_office import PATHS, token
from tests.admin.whole_house import Owner, opened
from tests.each import each

TEMPLATES = BusinessTemplates().all
WISH: dict[str, Any] = {
    "template": "salon-en",
    "name": "Birch Lane Hair",
    "timezone": "America/Chicago",
    "phone": "(312) 555-0100",
    "twilioNumber": "+13125550110",
    "transferTo": "+13125550120",
    "ownerName": "Dana",
    "ownerEmail": "dana@birch.example",
}
NEW = "/admin/businesses/birch-lane-hair"

pytestmark = pytest.mark.requirement("004-680")


async def made(owner: Owner, **changes: Any) -> dict[str, Any]:
    """Make a business and return what is answered."""
    answer: dict[str, Any] = await owner.done("POST", "/admin/businesses", {**WISH, **changes})
    return answer


async def everything(owner: Owner) -> dict[str, dict[str, Any]]:
    """Return all that is stored, by path."""
    return {document.path: document.data for document in await owner.house.store.query(Query("", group=True))}


def test_each_of_six_trades_has_a_template_in_two_languages():
    """Which people choose from by trade and language."""
    assert len(TEMPLATES) == 12
    assert {template.language for template in TEMPLATES.values()} == {"en", "de"}
    assert all(template.services and template.trade for template in TEMPLATES.values())


@pytest.mark.parametrize("template", sorted(TEMPLATES))
async def test_a_business_of_any_template_serves_at_once_and_bears_no_other_name(owner: Owner, template: str):
    """Its key is offered appointments, nothing is wrong with it, and nothing of the made-up business is in it."""
    answer = await made(owner, template=template, twilioNumber=None, timezone=None)
    id, below = answer["businessId"], PATHS.within(answer["businessId"])
    shown = await owner.done("GET", f"/admin/businesses/{id}")
    assert (shown["problems"], shown["business"]["timezone"]) == ([], TEMPLATES[template].timezone)
    stored = repr({path: row for path, row in (await everything(owner)).items() if path.startswith(below.business)})
    assert TEMPLATES[template].made_up not in stored
    assert not any(text in stored for text in ("+1518555", "+493023125", "+4917139", "AC0d1e", ".example'"[1:-1] + "/"))
    header = {"Authorization": f"Bearer {answer['key']}"}
    offer = await owner.http.get(f"/tools/definitions?businessId={id}&channel=portal", headers=header)
    assert {"book_appointment", "search_knowledge"} <= {row["name"] for row in offer.json()["tools"]}
    context = {"channel": "portal"}
    body = {"businessId": id, "name": "search_knowledge", "args": {"query": "opening hours"}, "context": context}
    assert (await owner.http.post("/tools/execute", json=body, headers=header)).json()["ok"]


async def test_what_is_known_of_it_stands_in_it(owner: Owner):
    """And who is reached: the number that rings and where messages go are those that were said, or none."""
    shown = (await made(owner))["business"]
    assert shown["ai"]["greeting"] == "Thanks for calling Birch Lane Hair, this is Echo. How can I help?"
    transfer, message = shown["escalation"]["rules"]
    assert (transfer["action"], transfer["destination"]) == ("transfer", "+13125550120")
    assert (message["label"], message["email"], "destination" in message) == ("Dana", "dana@birch.example", False)
    bare = await made(owner, businessId="bare", twilioNumber=None, transferTo=None, ownerEmail=None, ownerName=None)
    assert bare["business"]["escalation"]["rules"] == []


@each(
    ("changes", "field", "says"),
    [
        ({"template": "saloon-en"}, "template", "did you mean salon-en"),
        ({"template": "../../etc/passwd"}, "template", "garage-de"),
        ({"timezone": "America/Chicgo"}, "timezone", "America/Chicago"),
        ({"phone": "911"}, "phone", ""),
        ({"twilioNumber": "312 555 0110"}, "twilioNumber", "+1"),
        ({"twilioNumber": "+15185550110"}, "twilioNumber", "belongs to one"),
        ({"transferTo": "+19005550100"}, "escalation.rules[0].destination", "Give an ordinary phone number"),
        ({"transferTo": WISH["twilioNumber"]}, "escalation.rules[0].destination", "Give one that a person answers"),
        ({"transferTo": "nobody"}, "escalation.rules[0].destination", ""),
        ({"ownerEmail": "dana", "transferTo": None}, "escalation.rules[0].email", ""),
        ({"businessId": "a/b"}, "businessId", "letters, digits"),
        ({"businessId": "__x__"}, "businessId", "letters, digits"),
        ({"businessId": ".."}, "businessId", "letters, digits"),
        ({"name": ""}, "name", ""),
        ({"name": "\u202eevil"}, "name", ""),
        ({"nmae": "x"}, "nmae", ""),
        ({"website": "javascript:alert(1)"}, "website", "https://"),
    ],
)
async def test_what_is_wrong_is_named_and_nothing_is_made(changes: dict[str, Any], field: str, says: str):
    """Each at the field that it is about, with what would be right."""
    async with opened() as owner:
        await owner.house.store.commit([Update("businesses/demo-salon", {"twilioNumber": "+15185550110"})])
        before = await everything(owner)
        answer = await owner.send("POST", "/admin/businesses", {**WISH, **changes})
        assert answer.status_code == 400, answer.text
        assert field in [problem["field"] for problem in answer.json()["error"]["problems"]], answer.text
        assert says in answer.text
        assert await everything(owner) == before


async def test_two_who_make_the_same_business_at_once_make_one(owner: Owner):
    """The other is told that there is one; it is whole, with one key."""
    answers = await asyncio.gather(*(owner.send("POST", "/admin/businesses", WISH) for _ in range(5)))
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409, 409]
    assert "already" in next(answer for answer in answers if answer.status_code == 409).text
    assert len(await owner.house.store.query(Query(PATHS.within("birch-lane-hair").collection("apiKeys")))) == 1


async def test_what_is_left_of_a_business_that_is_gone_is_no_ground_for_another(owner: Owner):
    """An agent or a policy of the same id would belong to both."""
    await made(owner)
    await owner.house.store.commit([Delete(PATHS.within("birch-lane-hair").business)])
    assert (await owner.send("POST", "/admin/businesses", WISH)).status_code == 409
    assert (await owner.send("GET", NEW)).status_code == 404


async def test_a_business_made_again_answers_nothing_that_the_first_one_knew(owner: Owner):
    """Neither by its policies, which this process may have read a moment before."""

    async def answer(key: str, id: str) -> str:
        body = {"businessId": "gone", "name": "search_knowledge", "args": {"query": "cancellation"}}
        context = {"channel": "portal", "sessionId": id, "turn": 1, "callId": id}
        header = {"Authorization": f"Bearer {key}"}
        return (await owner.http.post("/tools/execute", json={**body, "context": context}, headers=header)).text

    bare = {"businessId": "gone", "twilioNumber": None}
    first = await made(owner, **bare)
    assert "You can cancel free of charge" in await answer(first["key"], "s1")
    stored = await owner.house.store.query(Query("", group=True))
    await owner.house.store.commit(
        [Delete(row.path) for row in stored if row.path.startswith(PATHS.within("gone").business)]
    )
    second = await made(owner, **bare, template="salon-de", timezone=None)
    assert "You can cancel free of charge" not in await answer(second["key"], "s2")


@each("name", ["北京理发", "شعر البشرة", "💈"])
async def test_a_name_in_any_script_makes_an_id_that_can_be_typed(owner: Owner, name: str):
    """It is what pages and commands are asked with."""
    told = (await owner.send("POST", "/admin/businesses", {**WISH, "name": name, "dryRun": True})).json()
    assert told["businessId"].isascii() and told["businessId"].startswith("business-")


async def test_a_dry_run_tells_what_would_be_made(owner: Owner):
    """And makes nothing, nor a key."""
    before = await everything(owner)
    answer = await owner.send("POST", "/admin/businesses", {**WISH, "dryRun": True})
    told = answer.json()
    assert (answer.status_code, told["isMade"], told["key"], told["businessId"]) == (
        200,
        False,
        None,
        "birch-lane-hair",
    )
    assert told["documents"]["policies"] > 0
    assert await everything(owner) == before


@pytest.mark.parametrize("person", ["owner", "editor", "viewer", "nobody", "misspelt"])
async def test_whoever_runs_one_business_makes_no_other(owner: Owner, person: str):
    """Nor sees what one would be made of."""
    assert (await owner.send("POST", "/admin/businesses", WISH, by=person)).status_code == 403
    assert (await owner.send("GET", "/admin/templates", by=person)).status_code == 403
    assert (await owner.http.get("/admin/templates", headers=token("platform"))).status_code == 200


async def test_its_audit_begins_with_whoever_made_it_and_tells_no_secret(owner: Owner):
    """A business is forgotten as a whole, not by undoing one entry."""
    key = (await made(owner))["key"]
    (entry,) = (await owner.done("GET", f"{NEW}/audit"))["entries"]
    assert (entry["kind"], entry["who"]["id"], entry["after"]["template"]) == ("opened", "user:platform", "salon-en")
    assert key not in repr(await everything(owner))
    answer = await owner.send("POST", f"{NEW}/audit/{entry['id']}/undo", {}, entry.get("revision") or "none")
    assert answer.status_code == 409 and "take it away, under Business" in answer.text


@pytest.mark.requirement("004-681")
async def test_what_is_left_to_do_is_told_by_what_is_there(owner: Owner):
    """A step is done once it is so, and not by being ticked off."""

    async def left() -> list[str]:
        steps = (await owner.done("GET", f"{NEW}/checklist"))["steps"]
        return [step["id"] for step in steps if not step["isDone"]]

    first = await made(owner, twilioNumber=None, transferTo=None)
    assert [step["id"] for step in first["checklist"]["steps"] if not step["isDone"]] == await left()
    assert await left() == ["own", "person", "number", "owner", "call"]
    rules = first["business"]["escalation"]["rules"]
    rules = [{"id": "desk", "action": "transfer", "label": "Desk", "destination": "+13125550120"}, *rules]
    await owner.done("PATCH", NEW, {"escalation": {"rules": rules}, "twilioNumber": "+13125550110"})
    assert await left() == ["number", "owner", "call"]
    paths = PATHS.within("birch-lane-hair")
    await owner.house.store.commit([Update(paths.business, {"integrations.twilio": {"isConnected": True}})])
    await owner.done("POST", f"{NEW}/keys", {"name": "Dana", "scopes": ["owner"]})
    assert await left() == ["call"]
    turn = {"channel": "portal", "text": "When are you open?"}
    await owner.done("POST", f"{NEW}/converse", turn)
    assert await left() == []
