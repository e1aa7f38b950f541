"""Who gets no texts, as owners see it, add to it and take off it."""

from datetime import timedelta

import pytest

from switchboard.admin.callers import text_stops
from switchboard.contract.store import Set
from switchboard.desk.messaging.sms import stop_path
from tests.admin.whole_house import BUSINESS, WITHIN, Owner
from tests.desk.front_desk import NOW
from tests.desk.phone_network import CALLER

STOPS = f"{BUSINESS}/text-stops"


async def numbers(owner: Owner) -> list[str]:
    return [row["number"] for row in (await owner.done("GET", STOPS))["textStops"]]


async def test_an_owner_has_a_number_texted_again_and_takes_that_back(owner: Owner):
    """One that sent STOP; the change is audited, and can be undone."""
    texts = owner.house.desk.texts
    await texts.opt_out(WITHIN, CALLER, "the caller's STOP")
    (row,) = (await owner.done("GET", STOPS))["textStops"]
    assert (row["number"], row["source"]) == (CALLER, "the caller's STOP")
    path = f"{STOPS}/{CALLER}"
    assert (await owner.send("DELETE", path, {"confirm": True}, row["revision"])).json() == {"lifted": True}
    assert await numbers(owner) == []
    entry = await owner.last()
    assert (entry["kind"], entry["isUndoable"]) == ("textStop", True)
    assert (await owner.send("DELETE", path, None, row["revision"])).status_code == 404


@pytest.mark.requirement("004-931")
@pytest.mark.parametrize("source", ["the caller's STOP", "the phone network"])
async def test_a_callers_own_stop_is_lifted_only_by_whoever_says_that_it_is_meant(owner: Owner, source: str):
    """409 names it, and changes nothing; what the business has listed itself, it takes off without more."""
    await owner.house.desk.texts.opt_out(WITHIN, CALLER, source)
    await owner.done("POST", STOPS, {"phone": "(201) 555-0123"})
    listed, own = (await owner.done("GET", STOPS))["textStops"]
    assert (listed["isCallersOwn"], own["isCallersOwn"], own["number"]) == (False, True, CALLER)
    for body in (None, {}, {"confirm": False}):
        refused = await owner.send("DELETE", f"{STOPS}/{CALLER}", body, own["revision"])
        assert refused.status_code == 409
        assert f"Whoever has {CALLER} sent STOP themselves. Nothing was saved." in refused.json()["error"]["message"]
    assert await numbers(owner) == ["+12015550123", CALLER]
    assert (await owner.send("DELETE", f"{STOPS}/+12015550123", None, listed["revision"])).status_code == 200
    assert (await owner.send("DELETE", f"{STOPS}/{CALLER}", {"confirm": True}, own["revision"])).status_code == 200
    assert await numbers(owner) == []


async def test_an_owner_notes_who_wants_no_texts(owner: Owner):
    """In any usual spelling; once, and nothing that is no number."""
    made = await owner.done("POST", STOPS, {"phone": "(201) 555-0123"})
    assert (made["number"], made["source"]) == ("+12015550123", "the business")
    assert await numbers(owner) == ["+12015550123"]
    again = await owner.send("POST", STOPS, {"phone": "+1 201 555 0123"})
    assert again.status_code == 409
    assert again.json()["error"]["message"] == "+12015550123 gets no texts already."
    for wrong, told in (
        ({"phone": "nobody"}, "'nobody' is not a phone number"),
        ({"phone": 7}, "must be a phone number as text"),
        ({"phone": " "}, "must be a phone number as text"),
        ({}, "must be a phone number as text"),
    ):
        refused = await owner.send("POST", STOPS, wrong)
        assert refused.status_code == 400 and told in refused.text


async def test_of_more_numbers_than_are_told_the_newest_are(owner: Owner, monkeypatch: pytest.MonkeyPatch):
    """Whoever told so, and however."""
    monkeypatch.setattr(text_stops, "_MOST", 3)
    known = [
        (f"+1518555017{n}", source) for n, source in enumerate(("the phone network", "a", "z", "a", "the business"))
    ]
    for at, (number, source) in enumerate(known):
        stop = {"number": number, "source": source, "at": NOW + timedelta(minutes=at)}
        await owner.house.store.commit([Set(stop_path(WITHIN, number), stop)])
    found = await owner.done("GET", STOPS)
    assert [row["number"] for row in found["textStops"]] == ["+15185550174", "+15185550173", "+15185550172"]
    assert found["isWhole"] is False
