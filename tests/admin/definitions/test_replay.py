"""Replay before publish, and the staged roll-out of what was replayed."""

from datetime import timedelta
from typing import Any

import pytest

from switchboard.contract.store import Set, Update
from tests.admin.definition_house import LOOK, NEW, NEW_WORDS, OLD_WORDS, PATHS, WORD, DefinitionHouse
from tests.admin.owners_office import OTHER, OWN
from tests.pipeline import planted

SHORT = {
    "parameters": {
        "type": "object",
        "properties": {"word": {"type": "string", "maxLength": 5, "description": "The word."}, "times": WORD["times"]},
        "required": ["word"],
    }
}


async def replayed(house: DefinitionHouse, tool: str = "look", **params: Any) -> Any:
    return await house.found(f"/{tool}/replay", params=params)


async def test_recorded_calls_that_a_draft_would_refuse_are_told(house: DefinitionHouse):
    """Of every business, with the reason; calls that stay the same are only counted."""
    await house.call("look", {"word": "abc"}, call_id="c1")
    house.clock.wait(1)
    await house.call("look", {"word": "rhododendron"}, call_id="c2")
    await house.call("look", {}, OTHER, call_id="c3")
    await house.draft(**SHORT)
    report = await replayed(house)
    assert (report["calls"], report["businesses"], report["isWhole"]) == (3, 2, True)
    told = {(f["businessId"], f["callId"], f["kind"]) for f in report["findings"]}
    assert told == {(OWN, "c2", "refused"), (OTHER, "c3", "refused")}
    why = next(f["why"] for f in report["findings"] if f["callId"] == "c2")
    assert "word" in why


async def test_changed_arguments_are_shown_before_and_after(quick: DefinitionHouse):
    """What the handler would get instead: also where it is another default for what was left out."""
    await quick.call("look", {"word": "abc"})
    await quick.draft(parameters={"type": "object", "properties": {**WORD, "times": {**WORD["times"], "maximum": 9}}})
    assert (await replayed(quick))["findings"] == []
    await quick.draft(parameters={"type": "object", "properties": {**WORD, "times": {**WORD["times"], "default": 2}}})
    [finding] = (await replayed(quick))["findings"]
    assert (finding["kind"], finding["changes"]) == ("arguments", [{"field": "times", "before": 1, "now": 2}])
    await quick.call("look", {"word": "abc", "times": 3}, call_id="c2")
    await quick.draft(parameters={"type": "object", "properties": {"word": WORD["word"]}})
    report = await replayed(quick)
    assert report["counts"] == {"arguments": 1, "refused": 1}
    assert "times" in next(f["why"] for f in report["findings"] if f["kind"] == "refused")


async def test_calls_that_were_refused_and_would_not_be_any_more_are_told(quick: DefinitionHouse):
    """A draft that forgives more is good news, and shown as such."""
    await quick.publish(**SHORT)
    await quick.call("look", {"word": "rhododendron"})
    quick.clock.wait(1)
    await quick.draft()
    [finding] = (await replayed(quick))["findings"]
    assert (finding["kind"], finding["callId"]) == ("accepted", "c1")


async def test_no_handler_runs_and_receipts_stand_for_effects(quick: DefinitionHouse):
    """An action that was carried out is not carried out again: what it left is shown."""
    await quick.call("act", {"what": "a haircut"})
    assert len(planted.done) == 1
    document = (await quick.found("/act"))["published"]
    short = {"type": "object", "properties": {"what": {"type": "string", "maxLength": 3}}, "required": ["what"]}
    await quick.change("PUT", "/draft", {"document": document | {"parameters": short}}, tool="act")
    [finding] = (await replayed(quick, "act"))["findings"]
    assert (finding["kind"], finding["effect"]) == ("refused", {"what": "a haircut"})
    assert len(planted.done) == 1


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"confirm": True, "readBack": {"en": "Look up {word}?"}}, "confirmation"),
        ({"verified": True}, "verification"),
        ({"returns": {"type": "object", "properties": {"said": {"type": "integer"}}}}, "result"),
    ],
)
async def test_changed_rules_are_told_call_by_call(quick: DefinitionHouse, fields: Any, kind: str):
    """A question first, a caller who must be known, a result that would break its promise."""
    await quick.call("look", {"word": "abc"})
    await quick.draft(**fields)
    report = await replayed(quick)
    assert report["counts"] == {kind: 1}


async def test_where_a_tool_would_not_be_offered_any_more_is_told_by_channel(quick: DefinitionHouse):
    """And where it would be offered anew."""
    await quick.draft(channels=["phone"], requires=["session:verified"])
    found = (await replayed(quick))["findings"]
    assert [(f["channel"], f["isVerified"], f["condition"]) for f in found if f["businessId"] == OWN] == [
        ("phone", False, "session:verified"),
        ("portal", None, "channel:portal"),
        ("browser_voice", None, "channel:browser_voice"),
    ]
    assert {f["kind"] for f in found} == {"withdrawn"}
    await quick.change("DELETE", "/draft")
    await quick.change("PUT", "/enabled", {"enabled": False})
    await quick.draft()
    assert (await replayed(quick))["counts"] == {"offered": 6}


async def test_without_acknowledging_what_changes_nothing_is_published(quick: DefinitionHouse):
    """No hash, a made-up one, an old one, one of another draft: all are refused."""
    await quick.call("look", {"word": "rhododendron"})
    await quick.draft(**NEW)
    other = await quick.acknowledged()
    await quick.draft(**SHORT)
    good = await quick.acknowledged()
    revision = (await quick.found("/look"))["revision"]
    for given, status in ((None, 400), ("x", 400), (7, 400), (other, 409), (good[:-1] + "z", 400)):
        body = {} if given is None else {"acknowledged": given}
        answer = await quick.ask("POST", "/look/publish", json=body, revision=revision)
        assert answer.status_code == status, (given, answer.text)
    flipped = good[:-1] + ("0" if good[-1] != "0" else "1")
    answer = await quick.ask("POST", "/look/publish", json={"acknowledged": flipped}, revision=revision)
    assert answer.status_code == 409
    quick.clock.wait(3_601)
    answer = await quick.ask("POST", "/look/publish", json={"acknowledged": good}, revision=revision)
    assert (answer.status_code, "hour" in answer.json()["error"]["message"]) == (400, True)
    assert (await quick.found("/look"))["published"] == LOOK


async def test_calls_that_come_in_after_the_report_do_not_make_it_worthless(quick: DefinitionHouse):
    """The report names the moment up to which it looked."""
    await quick.call("look", {"word": "abc"})
    await quick.draft(**SHORT)
    good = await quick.acknowledged()
    quick.clock.wait(5)
    await quick.call("look", {"word": "rhododendron"}, call_id="later")
    await quick.change("POST", "/publish", {"acknowledged": good})
    assert (await quick.found("/look"))["published"]["parameters"] == SHORT["parameters"]


async def test_what_a_business_changed_since_makes_the_report_out_of_date(quick: DefinitionHouse):
    """The tool would now be withdrawn from somebody from whom it was not before."""
    await quick.draft(requires=["feature:words"])
    good = await quick.acknowledged()
    await quick.store.commit([Update(PATHS.within(OWN).business, {"features": {"words": True}})])
    quick.clock.wait(61)
    revision = (await quick.found("/look"))["revision"]
    answer = await quick.ask("POST", "/look/publish", json={"acknowledged": good}, revision=revision)
    assert answer.status_code == 409


async def test_only_the_latest_calls_are_looked_at_and_findings_come_in_pages(quick: DefinitionHouse):
    """Bounded per business; every page belongs to one report."""
    for n in range(7):
        await quick.call("look", {"word": f"rhododendron {n}"}, call_id=f"c{n}")
        quick.clock.wait(1)
    await quick.draft(**SHORT)
    page = await replayed(quick, calls=5, limit=2)
    assert (page["calls"], page["counts"]) == (5, {"refused": 5})
    seen, cursor = [f["callId"] for f in page["findings"]], page["nextCursor"]
    await quick.call("look", {"word": "another long word"}, call_id="new")
    while cursor:
        rest = await replayed(quick, cursor=cursor, limit=2)
        assert rest["hash"] == page["hash"]
        seen, cursor = seen + [f["callId"] for f in rest["findings"]], rest["nextCursor"]
    assert seen == ["c6", "c5", "c4", "c3", "c2"]
    for wrong in ({"calls": 0}, {"calls": 51}, {"calls": "x"}, {"cursor": "x"}):
        assert (await quick.ask("GET", "/look/replay", params=wrong)).status_code == 400


async def test_rows_that_say_nothing_are_counted_and_keep_nobody_from_publishing(quick: DefinitionHouse):
    """Whatever stands in the ledger."""
    row = {"businessId": OWN, "tool": "look", "startedAt": quick.clock.now() - timedelta(hours=1), "channel": "fax"}
    await quick.store.commit([Set(PATHS.within(OWN).call("s", "broken"), row)])
    await quick.call("look", {"word": "abc"})
    await quick.draft(**NEW)
    report = await replayed(quick)
    assert (report["calls"], report["unreadable"], report["findings"]) == (1, 1, [])


async def test_a_replay_needs_a_draft(quick: DefinitionHouse):
    """There is nothing to hold calls against."""
    assert (await quick.ask("GET", "/look/replay")).status_code == 400


async def test_a_draft_is_tried_by_some_then_published_to_all(house: DefinitionHouse):
    """Staged roll-out: the chosen business first, the others when it is published."""
    await house.draft(**NEW)
    body = {"businesses": [OWN], "acknowledged": await house.acknowledged()}
    staged = await house.change("PUT", "/canary", body)
    assert staged["canary"]["businesses"] == [OWN] and staged["hasDraft"] and staged["isTried"]
    assert (await house.words(), await house.words(OTHER)) == (NEW_WORDS, OLD_WORDS.replace("Salon", "Plumber"))
    await house.change("POST", "/publish", {"acknowledged": await house.acknowledged()})
    assert await house.words(OTHER) == NEW_WORDS.replace("Salon", "Plumber")
    found = await house.found("/look")
    assert (found["canary"], found["draft"]) == (None, None)
    deeds = [v["deed"] for v in (await house.found("/look/versions"))["versions"]]
    assert deeds == ["published", "canary started", "published"]


async def test_one_click_takes_a_trial_back(quick: DefinitionHouse):
    """At once for new conversations; the draft is still there."""
    await quick.draft(**NEW)
    await quick.change("PUT", "/canary", {"businesses": [OWN], "acknowledged": await quick.acknowledged()})
    assert await quick.words() == NEW_WORDS
    ended = await quick.change("DELETE", "/canary")
    assert (ended["canary"], ended["hasDraft"]) == (None, True)
    assert await quick.words() == OLD_WORDS
    revision = ended["revision"]
    assert (await quick.ask("DELETE", "/look/canary", json={}, revision=revision)).status_code == 404


async def test_a_tool_that_is_disabled_is_off_where_it_is_tried_too(quick: DefinitionHouse):
    """And on again there with the draft's words."""
    await quick.draft(**NEW)
    await quick.change("PUT", "/canary", {"businesses": [OWN], "acknowledged": await quick.acknowledged()})
    await quick.change("PUT", "/enabled", {"enabled": False})
    assert (await quick.words(), await quick.words(OTHER)) == (None, None)
    await quick.change("PUT", "/enabled", {"enabled": True})
    assert await quick.words() == NEW_WORDS


async def test_a_replay_holds_a_draft_against_what_each_business_has(quick: DefinitionHouse):
    """For a business that tries the draft already, nothing changes any more."""
    await quick.call("look", {"word": "rhododendron"}, call_id="c1")
    await quick.call("look", {"word": "rhododendron"}, OTHER, call_id="c2")
    await quick.draft(**SHORT)
    assert (await replayed(quick))["counts"] == {"refused": 2}
    await quick.change("PUT", "/canary", {"businesses": [OWN], "acknowledged": await quick.acknowledged()})
    [finding] = (await replayed(quick))["findings"]
    assert finding["businessId"] == OTHER


@pytest.mark.parametrize("businesses", [[], ["nobody-there"], "demo-salon", [OWN, OWN], [7], None])
async def test_a_trial_needs_businesses_that_exist(quick: DefinitionHouse, businesses: Any):
    """The sentence names the one that does not."""
    await quick.draft(**NEW)
    revision = (await quick.found("/look"))["revision"]
    body = {"businesses": businesses, "acknowledged": await quick.acknowledged()}
    assert (await quick.ask("PUT", "/look/canary", json=body, revision=revision)).status_code == 400


async def test_owners_see_of_those_who_try_a_draft_only_their_own(quick: DefinitionHouse):
    """Which businesses there are is nobody else's business."""
    await quick.draft(**NEW)
    await quick.change("PUT", "/canary", {"businesses": [OWN, OTHER], "acknowledged": await quick.acknowledged()})
    for person, expected in (("platform", [OTHER, OWN]), ("owner", [OWN]), ("neighbour", [OTHER])):
        assert (await quick.found("/look", person))["canary"]["businesses"] == expected
    assert OTHER not in (await quick.ask("GET", "/look", "viewer")).text
