"""Owners' changes that only tell what they would do: nothing is written or sent, and who would lose what is named."""

import asyncio
from functools import cache
from typing import Any

import pytest

from switchboard.app.container import build
from switchboard.app.settings import read_configuration
from switchboard.contract.store import Query, Update
from switchboard.state.memory.store import MemoryStore
from tests.admin.test_every_write import AGENTS, DEFINITION, NAME, WRITES, described
from tests.admin.whole_house import BUSINESS, CLIENTS, SMS, WITHIN, Owner

# What stands in such a document and decides nothing: a used-up month refuses texts and begins no conversations.
BESIDE = ("updatedAt", "updatedBy", "monthlyLimits", "monthStop")
DECIDING = ("businesses", "tools", "agents", "agentTools", "definitions")
"""The collections that decide what is offered."""


async def everything(owner: Owner) -> dict[str, tuple[dict[str, Any], Any]]:
    """Return the whole store, with when each document was written last."""
    documents = await owner.house.store.query(Query("", group=True))
    return {document.path: (document.data, document.update_time) for document in documents}


@cache
def asked() -> frozenset[tuple[str, str]]:
    """Return the method and path of every write that can be asked about, by the document."""
    house = build(read_configuration(CLIENTS), MemoryStore())
    operations = described(house).items()
    return frozenset(
        route for route, operation in operations if "dryRun" in {one["name"] for one in operation["parameters"]}
    )


def dry(path: str) -> str:
    return f"{path}{'&' if '?' in path else '?'}dryRun=true"


@pytest.mark.requirement("004-771")
@pytest.mark.parametrize("route", WRITES, ids=" ".join)
async def test_a_write_that_is_only_asked_about_leaves_the_whole_store_as_it_was(owner: Owner, route: tuple[str, str]):
    """Whichever it is: those that decide nothing of what is offered refuse to be asked."""
    ready = await WRITES[route](owner)
    before = await everything(owner)
    answer = await owner.send(route[0], dry(ready.path), ready.body, ready.revision)
    assert await everything(owner) == before
    if route not in asked():
        assert (answer.status_code, answer.json()["error"]["field"]) == (400, "dryRun")
        return
    assert answer.status_code == 200, answer.text
    assert answer.json().keys() == {"dryRun", "businesses", "lookedAt", "areAll", "words"}
    assert "audit-entry" not in answer.headers


@pytest.mark.requirement("004-770")
@pytest.mark.parametrize("route", WRITES, ids=" ".join)
async def test_every_write_that_changes_what_decides_the_offer_can_be_asked_about(owner: Owner, route: tuple[str, str]):
    ready = await WRITES[route](owner)

    def deciding(documents: dict[str, Any]) -> dict[str, Any]:
        found = {path: data for path, (data, _) in documents.items() if path.split("/")[-2] in DECIDING}
        return {path: {**data, **dict.fromkeys(BESIDE)} for path, data in found.items()}

    before = deciding(await everything(owner))
    answer = await owner.send(route[0], ready.path, ready.body, ready.revision)
    assert answer.status_code in (200, 201), answer.text
    if deciding(await everything(owner)) != before:
        assert route in asked()


async def foreseen(owner: Owner, method: str, path: str, body: Any = None, revision: str | None = None) -> Any:
    """Return what a change of the salon's would do to it, as it is answered; None where nothing."""
    based_on = await owner.revision(path) if revision is None else revision
    answer = await owner.send(method, dry(path), body, based_on)
    assert answer.status_code == 200, answer.text
    (businesses, looked_at) = answer.json()["businesses"], answer.json()["lookedAt"]
    assert looked_at == 1 and len(businesses) <= 1
    return businesses[0] if businesses else None


@pytest.mark.requirement("004-770")
@pytest.mark.parametrize("body", [{"timezone": "Asia/Tokyo"}, {"limits": {"phone": {"callsPerTurn": 1}}}], ids=str)
async def test_another_zone_and_tighter_limits_are_said_to_take_no_tool_from_anybody(owner: Owner, body: Any):
    """They change when and how often, and not what is offered; of a zone that there is not it is said so."""
    assert await foreseen(owner, "PATCH", BUSINESS, body) is None


@pytest.mark.requirement("004-770")
async def test_a_business_loses_the_tools_that_are_not_among_those_it_switches_on(owner: Owner):
    """With the reason that an explained list then gives, and after the change it is so."""
    found = await foreseen(owner, "PATCH", BUSINESS, {"enabledTools": ["get_working_hours"]})
    lost = {row["tool"]: row for row in found["loses"]}
    assert "get_policies" in lost and "get_working_hours" not in lost and found["gets"] == found["keys"] == []
    await owner.done("PATCH", BUSINESS, {"enabledTools": ["get_working_hours"]})
    listed = (await owner.done("GET", f"{BUSINESS}/what-if"))["tools"]
    for name, row in lost.items():
        (told,) = (tool for tool in listed if tool["name"] == name)
        cells = {
            c["channel"]: c["reason"] for c in told["cells"] if c["isVerified"] and c["channel"] in row["channels"]
        }
        assert set(cells.values()) == {row["reason"]} and list(cells) == row["channels"]
    back = await foreseen(owner, "PATCH", BUSINESS, {"enabledTools": None})
    assert {row["tool"] for row in back["gets"]} == set(lost) and back["loses"] == []


@pytest.mark.requirement("004-770")
async def test_a_calendar_that_is_disconnected_takes_its_tools_with_it_on_each_channel(owner: Owner):
    ready = await WRITES["DELETE", "/admin/integrations/google"](owner)
    found = await foreseen(owner, "DELETE", ready.path, revision="")
    lost = {row["tool"]: row for row in found["loses"]}
    assert lost["book_appointment"]["reason"] == "no calendar is connected"
    assert lost["book_appointment"]["channels"] == ["phone", "portal", "browser_voice"]


@pytest.mark.requirement("004-770", "004-934")
async def test_a_phone_account_that_is_disconnected_takes_the_texting_tools_with_it(owner: Owner):
    """Nothing else brings a text; calls are put through without it. Explaining tells the same afterwards."""
    account = {"twilio": {"isConnected": True, "accountSid": "AC" + "0" * 32}}
    rules = {"rules": [{"id": "owner-message", "action": "message", "destination": "+15185550144"}]}
    await owner.house.store.commit([Update(WITHIN.business, {"integrations": account, "escalation": rules})])
    twilio = f"{BUSINESS}/toolkits/twilio"
    found = await foreseen(owner, "DELETE", twilio)
    lost = {row["tool"]: (row["channels"], row["reason"]) for row in found["loses"]}
    reason = "the phone account is not connected"
    assert lost == {
        "send_sms": (["phone", "portal", "browser_voice"], reason),
        "send_portal_link": (["phone"], reason),
    }
    assert (await owner.send("DELETE", twilio, None, await owner.revision(twilio))).status_code == 200
    listed = (await owner.done("GET", f"{BUSINESS}/what-if"))["tools"]
    (told,) = (tool for tool in listed if tool["name"] == "send_sms")
    assert {cell["reason"] for cell in told["cells"]} == {reason}


@pytest.mark.requirement("004-770")
async def test_a_key_that_is_revoked_is_named_with_what_becomes_of_its_users(owner: Owner):
    ready = await WRITES["DELETE", "/admin/businesses/{business_id}/keys/{key_id}"](owner)
    found = await foreseen(owner, "DELETE", ready.path, revision=ready.revision)
    (key,) = found["keys"]
    assert (key["id"], key["name"], key["scopes"]) == (ready.document, "Till", ["tools:read"])
    assert "gets no tools" in key["reason"] and found["loses"] == []


@pytest.mark.requirement("004-770")
async def test_a_tool_that_is_switched_off_for_all_is_told_for_every_business(owner: Owner):
    answer = await owner.send("PUT", dry(f"{DEFINITION}/enabled"), {"enabled": False}, await owner.revision(DEFINITION))
    (business,) = answer.json()["businesses"]
    assert [row["tool"] for row in business["loses"]] == [NAME]
    assert answer.json()["words"][0].startswith(f"{business['businessId']} would lose {NAME} on phone")
    assert (await owner.done("GET", DEFINITION))["published"] == (await owner.done("GET", DEFINITION))["published"]


@pytest.mark.requirement("004-770")
async def test_an_own_tool_that_is_deleted_or_made_is_told(owner: Owner):
    own = WITHIN.business.split("/")[1]
    await owner.house.store.commit([Update(WITHIN.business, {"integrations": {"twilio": {"isConnected": True}}})])
    await owner.done("POST", AGENTS, {"name": "Ada", "isDefault": True})
    await owner.done("POST", f"/api/{own}/tools", SMS)
    (row,) = (await owner.done("GET", f"/api/{own}/tools"))["tools"]
    attached, body = f"/api/{own}/agents/ada/tools", {"toolId": row["id"]}
    if await foreseen(owner, "POST", attached, body, "") is not None:
        await owner.done("POST", attached, body)
    gone = await foreseen(owner, "DELETE", f"/api/{own}/tools/{row['id']}")
    assert [lost["tool"] for lost in gone["loses"]] == [row["name"]]
    assert gone["loses"][0]["reason"] == "there is no such tool any more"


@pytest.mark.requirement("004-771")
async def test_what_a_change_is_refused_for_it_is_refused_for_beforehand(owner: Owner):
    """In the same words: what is not valid, what is out of date or says no revision, and who may not."""
    now = await owner.revision(BUSINESS)
    asked: tuple[tuple[Any, str, str, int], ...] = (
        ({"timezone": "Mars/Olympus"}, now, "platform", 400),
        ({"industry": "barber"}, "0123456789abcdef", "platform", 412),
        ({"industry": "barber"}, "", "platform", 428),
        ({"industry": "barber"}, now, "viewer", 403),
    )
    for body, revision, by, status in asked:
        done = await owner.send("PATCH", BUSINESS, body, revision, by)
        told = await owner.send("PATCH", dry(BUSINESS), body, revision, by)
        assert (told.status_code, told.json()) == (done.status_code, done.json())
        assert told.status_code == status, told.text


@pytest.mark.requirement("004-771")
@pytest.mark.parametrize("query", ["dryRun=yes", "dryRun=1", "dryRun=true&dryRun=false"])
async def test_a_question_that_is_neither_yes_nor_no_changes_nothing(owner: Owner, query: str):
    before = await everything(owner)
    revision = await owner.revision(BUSINESS)
    answer = await owner.send("PATCH", f"{BUSINESS}?{query}", {"industry": "barber"}, revision)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "dryRun")
    assert await everything(owner) == before


@pytest.mark.requirement("004-771")
async def test_a_question_that_is_answered_with_no_is_a_change(owner: Owner):
    revision = await owner.revision(BUSINESS)
    answer = await owner.send("PATCH", f"{BUSINESS}?dryRun=false", {"industry": "barber"}, revision)
    assert answer.json()["business"]["industry"] == "barber"


@pytest.mark.requirement("004-771")
async def test_of_many_that_ask_at_once_a_few_wait_for_their_turn_and_the_others_are_told_to_come_again(owner: Owner):
    """One is looked at after the other, so that callers do not wait for all of them; the next one has its turn."""
    revision = await owner.revision(BUSINESS)

    async def ask() -> int:
        answer = await owner.send("PATCH", dry(BUSINESS), {"name": "Another name"}, revision)
        assert answer.status_code == 200 or answer.json()["error"]["retryable"]
        return answer.status_code

    codes = await asyncio.gather(*(ask() for _ in range(30)))
    assert {200, 429} == set(codes)
    assert 2 <= codes.count(200) <= 10
    assert await ask() == 200
