"""What a push runs into: owners at the same moment, roles that are not enough, bad input; and nothing is lost by it."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from switchboard.admin.access.access import FORBIDDEN
from switchboard.contract.store import Query, Unavailable, Update
from tests.admin.owners_office import PATHS, PEOPLE
from tests.admin.pushing.agency import (
    IDS,
    PUSH,
    SOURCE,
    TEMPLATES,
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
    texts,
)
from tests.admin.whole_house import Owner
from tests.each import each

pytestmark = pytest.mark.requirement("004-853")
CHANGED: dict[str, Any] = {"services": priced("Haircut", "$50")}
OWN_PUSH = f"/admin/businesses/{IDS[0]}/push"


@pytest.mark.requirement("004-852")
async def test_one_that_changed_since_the_dry_run_is_left_and_named(owner: Owner, monkeypatch: pytest.MonkeyPatch):
    """The others are changed; what its owner entered stands."""
    says(monkeypatch, CHANGED)
    rows = await foreseen(owner, *IDS)
    await edited(owner, IDS[1], industry="barber")
    result = await pushed(owner, carried(rows))
    assert [row["state"] for row in result.values()] == ["pushed", "outOfDate", "pushed"]
    assert "since the dry run" in result[IDS[1]]["message"]
    shown = await business(owner, IDS[1])
    assert (shown["industry"], price(shown, "Haircut")) == ("barber", "$45")


@pytest.mark.requirement("004-851")
@pytest.mark.parametrize("path", ["services[0].price", "__proto__", "services[Haircut].prize", "monthlyLimits"])
@pytest.mark.parametrize("word", ["take", "leave"])
async def test_a_path_that_leads_nowhere_is_named_and_nothing_is_touched(
    owner: Owner, monkeypatch: pytest.MonkeyPatch, path: str, word: str
):
    """A value that somebody meant to leave is not replaced for a slip of the pen; businesses named well are changed."""
    says(monkeypatch, CHANGED)
    first, second, third = carried(await foreseen(owner, *IDS))
    result = await pushed(owner, [{**first, word: [path]}, {**second, word: ["services[Haircut].price"]}, third])
    assert [row["state"] for row in result.values()] == [
        *("refused", "pushed" if word == "take" else "unchanged", "pushed"),
    ]
    message = result[IDS[0]]["message"]
    assert repr(path) in message and "nothing was touched" in message
    assert ("services[Haircut].price" in message) == path.startswith("services")
    assert price(await business(owner, IDS[0]), "Haircut") == "$45"
    (row,) = (await pushed(owner, [{**first, "leave": ["services[Haircut].price", "services[Color].price"]}])).values()
    assert (row["state"], row["message"]) == ("unchanged", None)


@pytest.mark.requirement("004-852")
async def test_what_the_running_system_notes_meanwhile_keeps_nobody(owner: Owner, monkeypatch: pytest.MonkeyPatch):
    """It is no owner's change, also where it comes between reading and writing."""
    says(monkeypatch, CHANGED)
    rows = await foreseen(owner, IDS[0])
    commit, noted = owner.house.store.commit, list[int]()

    async def after_a_note(writes: Any) -> Any:
        if any(write.path == PATHS.within(IDS[0]).business for write in writes) and not noted:
            noted.append(1)
            await commit([Update(PATHS.within(IDS[0]).business, {"integrations.twilio": {"isConnected": True}})])
        return await commit(writes)

    monkeypatch.setattr(owner.house.store, "commit", after_a_note)
    assert (await pushed(owner, carried(rows)))[IDS[0]]["state"] == "pushed"
    assert noted and price(await business(owner, IDS[0]), "Haircut") == "$50"


@pytest.mark.requirement("004-852")
async def test_an_owner_who_saves_in_the_same_moment_loses_nothing(owner: Owner, monkeypatch: pytest.MonkeyPatch):
    """Between reading and writing of the push: the push is not done, and says so."""
    says(monkeypatch, CHANGED)
    rows = await foreseen(owner, IDS[0])
    commit, own = owner.house.store.commit, list[int]()

    async def after_an_owner(writes: Any) -> Any:
        if any(write.path == PATHS.within(IDS[0]).business for write in writes) and not own:
            own.append(1)
            await edited(owner, IDS[0], industry="barber")
        return await commit(writes)

    monkeypatch.setattr(owner.house.store, "commit", after_an_owner)
    assert (await pushed(owner, carried(rows)))[IDS[0]]["state"] == "outOfDate"
    shown = await business(owner, IDS[0])
    assert (shown["industry"], price(shown, "Haircut")) == ("barber", "$45")


@pytest.mark.requirement("004-852")
async def test_the_same_push_again_changes_nothing_twice(owner: Owner, monkeypatch: pytest.MonkeyPatch):
    """Also after a process died between two businesses: what was done is told as done, and the rest is done."""
    says(monkeypatch, CHANGED, faqs={"faq-new": {"topic": "late", "question": "What if I am late?", "answer": "Call."}})
    rows = await foreseen(owner, *IDS)
    await pushed(owner, carried(rows)[:1])
    result = await pushed(owner, carried(rows))
    assert [row["state"] for row in result.values()] == ["unchanged", "pushed", "pushed"]
    before = await everything(owner)
    again = await pushed(owner, carried(rows))
    assert [row["state"] for row in again.values()] == ["unchanged"] * 3
    assert await everything(owner) == before
    assert [len(await texts(owner, "faqs", id)) for id in IDS] == [4, 4, 4]


@pytest.mark.requirement("004-852")
async def test_the_same_push_twice_at_once_is_done_once(owner: Owner, monkeypatch: pytest.MonkeyPatch):
    """One of the two finds nothing left to do, or that something has changed."""
    says(monkeypatch, CHANGED)
    rows = await foreseen(owner, *IDS)
    answers = await asyncio.gather(*(pushed(owner, carried(rows)) for _ in range(3)))
    for id in IDS:
        assert sorted(answer[id]["state"] for answer in answers) == ["pushed", "unchanged", "unchanged"]
        assert [entry["kind"] for entry in await entries(owner, id)].count("templatePush") == 1


@pytest.mark.requirement("004-852")
async def test_one_that_fails_does_not_keep_the_others(owner: Owner, monkeypatch: pytest.MonkeyPatch):
    """It is named, nothing of it is changed, and the same push again changes it."""
    says(monkeypatch, CHANGED)
    rows = await foreseen(owner, *IDS)
    commit = owner.house.store.commit

    async def not_for_one(writes: Any) -> Any:
        if any(write.path.startswith(PATHS.within(IDS[1]).business) for write in writes):
            raise Unavailable("away")
        return await commit(writes)

    with monkeypatch.context() as away:
        away.setattr(owner.house.store, "commit", not_for_one)
        result = await pushed(owner, carried(rows))
    assert [row["state"] for row in result.values()] == ["pushed", "failed", "pushed"]
    assert [entry["kind"] for entry in await entries(owner, IDS[1])] == ["opened"]
    again = await pushed(owner, carried(rows))
    assert [row["state"] for row in again.values()] == ["unchanged", "pushed", "unchanged"]


@each(
    ("document", "field", "says_what"),
    [
        ({"enabledTools": ["book_appointment", "book_apointment"]}, "enabledTools", "no built-in tool"),
        ({"features": {"recrods": True}}, "features.recrods", "No tool asks"),
        (
            {"services": [{"name": "Spa", "needs": [{"kind": "person", "any": ["zoe"]}]}]},
            "services[Spa].needs",
            "zoe",
        ),
        ({"workingHours": {"monday": [{"open": "18:00", "close": "9"}]}}, "workingHours.monday", ""),
    ],
)
async def test_what_would_not_be_valid_is_named_and_nothing_of_that_business_changes(
    document: dict[str, Any], field: str, says_what: str
):
    """In the dry run and when it is carried out; each at its field, with what would be right."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        async with agency(1) as owner:
            says(monkeypatch, document)
            rows = await foreseen(owner, IDS[0])
            before = await everything(owner)
            result = await pushed(owner, carried(rows))
            for row in (rows[IDS[0]], result[IDS[0]]):
                assert row["state"] == "invalid", row
                assert row["problems"][0]["field"].startswith(field), row["problems"]
                assert says_what in repr(row["problems"])
            assert await everything(owner) == before


async def test_appointments_that_would_lose_something_are_told_first(owner: Owner, monkeypatch: pytest.MonkeyPatch):
    """And it is done once whoever pushes says that this is wanted."""
    hours = TEMPLATES[SOURCE].document["workingHours"]
    days = ((datetime.now(UTC) + timedelta(days=days)).date() for days in range(7, 50))
    tuesday = next(day for day in days if f"{day:%A}" == "Tuesday" and str(day) not in hours["exceptions"])
    when = {"start": f"{tuesday}T12:00:00", "service": "Haircut", "customer": "Ana", "phone": "+15185550161"}
    answer = await owner.send("POST", f"/admin/businesses/{IDS[0]}/appointments", when)
    assert answer.status_code in (200, 201), answer.text
    says(monkeypatch, {"workingHours": {**hours, "tuesday": "closed"}})
    rows = await foreseen(owner, IDS[0], parts=["workingHours"])
    assert rows[IDS[0]]["state"] == "unconfirmed" and "closed" in rows[IDS[0]]["message"]
    result = await pushed(owner, carried(rows), parts=["workingHours"])
    assert result[IDS[0]]["state"] == "unconfirmed"
    assert (await pushed(owner, carried(rows, confirm=True), parts=["workingHours"]))[IDS[0]]["state"] == "pushed"


@pytest.mark.requirement("004-854")
@pytest.mark.parametrize("person", ["owner", "editor", "viewer", "nobody", "neighbour"])
async def test_a_shipped_template_is_pushed_by_whoever_runs_all_businesses(owner: Owner, person: str):
    """Nobody else learns what a business says, or whether there is one."""
    body = {"businesses": [{"businessId": IDS[0]}], "dryRun": True}
    answer = await owner.send("POST", PUSH, body, by=person)
    assert answer.status_code == 403 and "Birch" not in answer.text


@pytest.mark.requirement("004-854")
async def test_whoever_has_several_businesses_pushes_one_to_the_others_of_theirs(
    owner: Owner, monkeypatch: pytest.MonkeyPatch
):
    """One that is not theirs is refused as one that is not there, and so is one in which they may only look."""
    roles = {IDS[0]: "owner", IDS[1]: "editor", IDS[2]: "viewer"}
    monkeypatch.setitem(PEOPLE, "agent", {"roles": roles})
    await edited(owner, IDS[0], services=priced("Haircut", "$60"))
    ids = [*IDS, "demo-salon", "nowhere"]
    body = {"businesses": [{"businessId": id} for id in ids], "parts": ["services"], "dryRun": True}
    rows = {it["businessId"]: it for it in (await owner.send("POST", OWN_PUSH, body, by="agent")).json()["businesses"]}
    assert {id: row["state"] for id, row in rows.items()} == {
        IDS[0]: "refused",
        IDS[1]: "ready",
        **dict.fromkeys([IDS[2], "demo-salon", "nowhere"], "refused"),
    }
    assert "pattern" in rows[IDS[0]]["message"]
    hidden = [{**rows[id], "businessId": ""} for id in (IDS[2], "demo-salon", "nowhere")]
    assert hidden[0] == hidden[1] == hidden[2] and hidden[0]["message"] == FORBIDDEN
    sent = [{"businessId": id, "token": row["token"] or "0" * 16} for id, row in rows.items()]
    answer = await owner.send("POST", OWN_PUSH, {"businesses": sent, "parts": ["services"]}, by="agent")
    assert [row["state"] for row in answer.json()["businesses"]] == ["refused", "pushed", *["refused"] * 3]
    assert [price(await business(owner, id), "Haircut") for id in IDS] == ["$60", "$60", "$45"]
    assert (await owner.send("POST", f"/admin/businesses/{IDS[2]}/push", body, by="agent")).status_code == 403


@pytest.mark.requirement("004-854")
async def test_an_editor_pushes_no_safeguards(owner: Owner, monkeypatch: pytest.MonkeyPatch):
    """Who is believed to be a caller is for owners, also by way of another business."""
    monkeypatch.setitem(PEOPLE, "agent", {"roles": {IDS[0]: "owner", IDS[1]: "editor"}})
    ai = (await business(owner, IDS[0]))["ai"]
    await edited(owner, IDS[0], ai={**ai, "callerVerification": "code"})
    body: dict[str, Any] = {"businesses": [{"businessId": IDS[1]}], "parts": ["ai"], "dryRun": True}
    (row,) = (await owner.send("POST", OWN_PUSH, body, by="agent")).json()["businesses"]
    assert row["state"] == "invalid" and "how callers are verified" in row["problems"][0]["message"]


@pytest.mark.requirement("004-854")
async def test_a_role_that_was_taken_meanwhile_is_told_and_what_was_done_stays(
    owner: Owner, monkeypatch: pytest.MonkeyPatch
):
    """The next request is let in by what the role is then."""
    monkeypatch.setitem(PEOPLE, "agent", {"roles": dict.fromkeys(IDS, "owner")})
    await edited(owner, IDS[0], services=priced("Haircut", "$60"))
    rows = await foreseen(owner, *IDS[1:], path=OWN_PUSH, parts=["services"])
    first, second = carried(rows)
    done = await owner.send("POST", OWN_PUSH, {"businesses": [first], "parts": ["services"]}, by="agent")
    assert done.json()["businesses"][0]["state"] == "pushed"
    monkeypatch.setitem(PEOPLE, "agent", {"roles": dict.fromkeys(IDS[:2], "owner")})
    answer = await owner.send("POST", OWN_PUSH, {"businesses": [second], "parts": ["services"]}, by="agent")
    assert answer.json()["businesses"][0]["state"] == "refused"
    assert [price(await business(owner, id), "Haircut") for id in IDS] == ["$60", "$60", "$45"]


@each(
    ("body", "field"),
    [
        ({}, "businesses"),
        ({"businesses": []}, "businesses"),
        ({"businesses": [{"businessId": IDS[0]}]}, "businesses[0].token"),
        ({"businesses": [{"businessId": IDS[0]}, {"businessId": IDS[0]}], "dryRun": True}, "businesses[1].businessId"),
        ({"businesses": [{"businessId": ""}], "dryRun": True}, "businesses[0].businessId"),
        ({"businesses": [{"businessId": str(n)} for n in range(201)], "dryRun": True}, "businesses"),
        ({"businesses": [{"businessId": IDS[0]}], "parts": ["pricing"], "dryRun": True}, "parts[0]"),
        ({"businesses": [{"businessId": IDS[0]}], "parts": [], "dryRun": True}, "parts"),
        ({"all": True}, "all"),
        ({"all": True, "dryRun": True, "businesses": [{"businessId": IDS[0]}]}, "all"),
        ({"busineses": [], "dryRun": True}, "busineses"),
    ],
)
async def test_what_is_wrong_with_a_push_is_named(body: dict[str, Any], field: str):
    """At its field, and nothing is pushed."""
    async with agency(1) as owner:
        answer = await owner.send("POST", PUSH, body)
        assert answer.status_code == 400, answer.text
        assert field in [problem["field"] for problem in answer.json()["error"]["problems"]], answer.text
        assert answer.json()["error"]["message"]


async def test_a_template_that_is_not_there_is_named_with_those_that_are(owner: Owner):
    """Whatever stands in the path."""
    for name in ("saloon-en", "..%2Fx", "%00"):
        answer = await owner.send("POST", f"/admin/templates/{name}/push", {"all": True, "dryRun": True})
        assert answer.status_code == 404, answer.text
    assert SOURCE in (await owner.send("POST", "/admin/templates/saloon-en/push", {"all": True})).text


async def test_ids_that_no_path_can_carry_are_refused_like_any_that_are_not_there(owner: Owner):
    """And nothing elsewhere is read or written by them."""
    ids = ["../x", "a/b/c", "__x__", "x" * 200]
    rows = await foreseen(owner, *ids)
    assert {row["state"] for row in rows.values()} == {"refused"}
    assert len(await owner.house.store.query(Query("businesses"))) == 4
