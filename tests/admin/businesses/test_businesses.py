"""Businesses as owners see and edit them: what may be changed, what is wrong with it, and who may change what."""

import hypothesis
import pytest
from hypothesis import strategies as st

from switchboard.admin.businesses.form import OWNED, check_business
from switchboard.admin.documents.difference import merged
from switchboard.contract.business.business import read_business
from switchboard.contract.store import Set, Update
from switchboard.state.memory.store import MemoryStore
from tests.admin.owners_office import OTHER, OWN, PATHS, Premises, fill
from tests.desk.front_desk import SALON
from tests.each import each


@pytest.fixture
def store(memory: MemoryStore) -> MemoryStore:
    """The store in memory alone: what is checked here is checked before anything is stored."""
    return memory


async def test_a_business_is_shown_with_what_may_be_edited(premises: Premises):
    """And what is connected apart from it; secrets that somebody left there are not shown."""
    await premises.store.commit(
        [Update(PATHS.within(OWN).business, {"integrations.twilio": {"isConnected": True, "authToken": "canary"}})]
    )
    shown = await premises.business("viewer")
    assert (shown["businessId"], shown["role"], shown["mayEdit"], shown["problems"]) == (OWN, "viewer", False, [])
    assert shown["business"] == {name: SALON[name] for name in OWNED if name in SALON}
    assert shown["integrations"]["twilio"] == {"isConnected": True, "authToken": "(hidden)"}
    assert (await premises.business("editor"))["mayEditSafeguards"] is False
    assert (await premises.business("owner"))["mayEditSafeguards"] is True


@pytest.mark.parametrize(
    "changes",
    [
        {"workingHours": {"monday": [{"open": "10:00", "close": "14:00"}], "exceptions": {"2027-03-24": None}}},
        {"services": [{"name": "Cut", "durationMinutes": 20, "price": "$30"}]},
        {"escalation": {"rules": [{"id": "desk", "action": "transfer", "destination": "+15185550143"}]}},
        {
            "escalation": {
                "rules": [{"id": "rosa", "action": "message", "destination": "+15185550144", "email": "a@b.example"}]
            }
        },
        {"ai": {"callerVerification": "code", "tone": "warm", "language": "pt-BR"}},
        {"ai": {"fillers": ["Um momento, por favor."]}},
        {"features": {"records": False}},
        {"limits": {"phone": {"lookUpsPerTurn": 5, "callsPerTurn": 8}}},
        {"enabledTools": ["search_knowledge", "end_call"]},
        {"name": "New", "timezone": "Europe/Berlin", "email": "", "website": None},
        {"portal": {"visitors": True}},
    ],
)
async def test_an_owner_edits_a_business(premises: Premises, changes):
    """As a merge patch; the answer is what is there from now on, and calls follow at once."""
    before = await premises.business()
    answer = await premises.patch(changes)
    assert answer.status_code == 200, answer.text
    expected = merged(before["business"], changes)
    assert answer.json()["business"] == (await premises.business())["business"] == expected
    assert answer.json()["revision"] != before["revision"]
    assert answer.json()["updatedBy"] == "owner@example.com"
    assert premises.forgotten == [OWN]
    document = await premises.store.get(PATHS.within(OWN).business)
    assert document is not None and document.data["integrations"] == SALON["integrations"]
    assert read_business(OWN, document.data).problems == ()


async def test_an_owner_chooses_the_calendar_and_touches_no_account(premises: Premises):
    """The choice stands beside the accounts, in which nothing changes; null takes it away; an editor has no say."""
    for chosen in ("googleCalendar", "builtinCalendar", None):
        answer = await premises.patch({"integrations": {"calendar": chosen}})
        expected = {"calendar": chosen} if chosen else {}
        assert answer.status_code == 200, answer.text
        assert answer.json()["business"].get("integrations", {}) == expected
        assert answer.json()["integrations"].get("calendar") == chosen
        document = await premises.store.get(PATHS.within(OWN).business)
        assert document is not None and document.data["integrations"] == SALON["integrations"] | expected
        assert read_business(OWN, document.data).chosen_calendar == (chosen or "")
    refused = await premises.patch({"integrations": {"calendar": "builtinCalendar"}}, "editor")
    assert refused.status_code == 403
    assert "the calendar that keeps the appointments" in refused.text


@each(
    ("changes", "fields"),
    [
        ({"integrations": [], "createdAt": 1, "twilio": {}}, ["createdAt", "twilio", "integrations"]),
        ({"integrations": {"twilio": {}, "calendar": "x"}}, ["integrations.twilio"]),
        ({"integrations": {"calendar": "outlook"}}, ["integrations.calendar"]),
        ({"name": "", "timezone": "Mars/Olympus", "email": "x"}, ["name", "email", "timezone"]),
        ({"name": None, "timezone": None}, ["name", "timezone"]),
        ({"name": "   "}, ["name"]),
        ({"name": "\u200b"}, ["name"]),
        ({"portalUrl": "javascript:alert(1)", "phone": 5}, ["phone", "portalUrl"]),
        ({"phone": "911"}, ["phone"]),
        ({"limits": {"phone": {"lookUpsPerTurn": 6, "callsPerTurn": 1}}}, ["limits.phone.lookUpsPerTurn"]),
        (
            {"services": [{"name": "Cut", "durationMinutes": 0}, {"name": " cüt "}, {"durationMinutes": 1.5}, 7]},
            [
                "services[0].durationMinutes",
                "services[1].name",
                "services[2].name",
                "services[2].durationMinutes",
                "services[3]",
            ],
        ),
        ({"services": [{"name": "Cut", "duration": 30}]}, ["services[0].duration"]),
        (
            {"workingHours": {"funday": "closed", "monday": [{"open": "12:00", "close": "9:00"}]}},
            ["workingHours.funday", "workingHours.monday"],
        ),
        (
            {"workingHours": {"monday": [{"open": "09:00", "close": "13:00"}, {"open": "12:00", "close": "14:00"}]}},
            ["workingHours.monday"],
        ),
        ({"workingHours": {"exceptions": {"Christmas": "closed"}}}, ["workingHours.exceptions"]),
        ({"workingHours": {"exceptions": {"02-30": "closed"}}}, ["workingHours.exceptions"]),
        (
            {
                "workingHours": {
                    "exceptions": {"12-24": [{"open": "09:00", "close": "11:00"}, {"open": "10:00", "close": "12:00"}]}
                }
            },
            ["workingHours.exceptions.12-24"],
        ),
        (
            {"escalation": {"rules": [{"action": "shout"}, {"action": "transfer"}, "x"]}},
            ["escalation.rules[0].action", "escalation.rules[1].destination", "escalation.rules[2]"],
        ),
        (
            {"escalation": {"rules": [{"action": "transfer", "destination": "+19005550100"}], "safeNumber": "911"}},
            ["escalation.rules[0].destination", "escalation.safeNumber"],
        ),
        (
            {"escalation": {"rules": [{"id": "a", "action": "message"}, {"id": "a", "action": "message"}]}},
            ["escalation.rules[1].id"],
        ),
        (
            {"ai": {"callerVerification": "mtach", "language": "English!", "temperature": 1, "trustCallerId": "no"}},
            ["ai.temperature", "ai.language", "ai.callerVerification", "ai.trustCallerId"],
        ),
        ({"ai": {"fillers": "One moment."}}, ["ai.fillers"]),
        ({"ai": {"fillers": ["One moment.", " "]}}, ["ai.fillers"]),
        ({"features": {"records": "yes"}}, ["features"]),
        ({"enabledTools": ["Book", 5]}, ["enabledTools[0]", "enabledTools[1]"]),
        ({"enabledTools": "all"}, ["enabledTools"]),
        ({"portal": {"visitors": "x", "greeting": 1}}, ["portal.visitors", "portal.greeting"]),
        ({"services": "many", "escalation": 5, "ai": [], "workingHours": 1}, None),
    ],
)
async def test_everything_that_is_wrong_is_told_at_once(premises: Premises, changes, fields):
    """400 with every field, in plain words; nothing is changed."""
    before = await premises.business()
    answer = await premises.patch(changes)
    error = answer.json()["error"]
    assert (answer.status_code, error["type"]) == (400, "VALIDATION"), answer.text
    named = [problem["field"] for problem in error["problems"]]
    assert named == fields if fields is not None else {n.partition(".")[0] for n in named} == set(changes)
    assert all(problem["message"].endswith(".") for problem in error["problems"])
    assert await premises.business() == before


async def test_how_something_is_edited_is_checked_like_what_is(premises: Premises):
    """A number is no revision of a business, and no other word is a yes."""
    path = f"/admin/businesses/{OWN}"
    answer = await premises.ask("PATCH", path, json={"industry": "hair", "revision": 5, "confirm": "yes"})
    assert answer.status_code == 400
    assert [problem["field"] for problem in answer.json()["error"]["problems"]] == ["revision", "confirm"]


async def test_what_was_wrong_before_does_not_keep_an_owner_from_editing_the_rest(premises: Premises):
    """It is shown as a problem, and held against nobody who changes something else."""
    await premises.store.commit([Update(PATHS.within(OWN).business, {"services": [{"durationMinutes": 9}]})])
    assert len((await premises.business())["problems"]) == 1
    assert (await premises.patch({"name": "New"})).status_code == 200
    assert (await premises.patch({"services": [{"name": "Cut"}]})).json()["problems"] == []


@pytest.mark.parametrize(
    ("changes", "allowed"),
    [
        ({"ai": {"tone": "warm"}}, {"platform", "owner", "editor"}),
        ({"ai": {"callerVerification": "none"}}, {"platform", "owner", "editor"}),
        ({"ai": {"callerVerification": "match"}}, {"platform", "owner"}),
        ({"ai": {"trustCallerId": True}}, {"platform", "owner"}),
        ({"escalation": {"rules": [{"action": "transfer", "destination": "+15185550143"}]}}, {"platform", "owner"}),
        ({"twilioNumber": "+15185550199"}, {"platform"}),
        ({"portalUrl": "https://elsewhere.example"}, {"platform", "owner"}),
        ({"email": "elsewhere@example.com"}, {"platform", "owner"}),
        ({"phone": "+15185550142"}, {"platform", "owner", "editor"}),
        ({"website": "https://elsewhere.example"}, {"platform", "owner", "editor"}),
        ({"name": "New"}, {"platform", "owner", "editor"}),
    ],
)
@pytest.mark.requirement("004-980")
@pytest.mark.parametrize("person", ["platform", "owner", "editor", "viewer"])
async def test_safeguards_are_for_owners_and_numbers_for_the_platform(premises: Premises, changes, allowed, person):
    """An editor may change words and hours, not who is believed or rung."""
    await premises.patch({"ai": {"callerVerification": "none", "trustCallerId": False}}, "platform")
    answer = await premises.patch(changes, person)
    assert answer.status_code == (200 if person in allowed else 403)


async def test_businesses_are_listed_in_pages(premises: Premises):
    """For platform admins from the store, for others from their roles."""
    await premises.store.commit(
        [Set(PATHS.within(f"b{n:02}").business, {"name": f"B {n}", "timezone": "UTC"}) for n in range(30)]
    )
    seen, query = [], {"limit": "7"}
    while True:
        body = (await premises.ask("GET", "/admin/businesses", "platform", params=query)).json()
        seen += [line["id"] for line in body["businesses"]]
        if body["nextCursor"] is None:
            break
        query["cursor"] = body["nextCursor"]
    assert seen == [*(f"b{n:02}" for n in range(30)), OTHER, OWN]
    for bad in ("0", "101", "-1", "x", "1e9"):
        assert (await premises.ask("GET", "/admin/businesses", params={"limit": bad})).status_code == 400


async def test_an_agencys_operator_pages_through_what_is_theirs(premises: Premises, monkeypatch: pytest.MonkeyPatch):
    """A page may hold fewer than asked for, where a business is gone; no business is shown twice or left out."""
    from tests.admin import owners_office

    names = [f"b{n:02}" for n in range(10)]
    monkeypatch.setitem(owners_office.PEOPLE, "agency", {"roles": dict.fromkeys(names, "editor")})
    await premises.store.commit([Set(PATHS.within(n).business, {"name": n}) for n in names if n != "b04"])
    seen, query = [], {"limit": "3"}
    while True:
        body = (await premises.ask("GET", "/admin/businesses", "agency", params=query)).json()
        seen += [(line["id"], line["role"]) for line in body["businesses"]]
        if body["nextCursor"] is None:
            break
        query["cursor"] = body["nextCursor"]
    assert seen == [(n, "editor") for n in names if n != "b04"]


async def test_conversations_are_counted_by_the_store(premises: Premises):
    """By channel and outcome, within a time."""
    await fill(premises.store, OWN, 5)
    await fill(premises.store, OTHER, 2)
    path = f"/admin/businesses/{OWN}/counts"
    body = (await premises.ask("GET", path)).json()
    assert (body["interactions"], body["byChannel"]["phone"], body["byChannel"]["portal"]) == (5, 3, 2)
    assert (body["byOutcome"]["ended"], body["byOutcome"]["answered"], body["byOutcome"]["failed"]) == (3, 2, 0)
    since = {"from": "2027-03-10T17:00:00+00:00"}
    assert (await premises.ask("GET", path, params=since)).json()["interactions"] == 3
    assert (await premises.ask("GET", path, params={"from": "yesterday"})).status_code == 400


async def test_the_metrics_sum_up_the_latest_conversations(premises: Premises):
    """Per tool: calls, failures and why, how long."""
    await fill(premises.store, OWN, 5)
    body = (await premises.ask("GET", f"/admin/businesses/{OWN}/metrics")).json()
    assert (body["basedOn"], body["isWhole"], body["medianSeconds"]) == (5, True, 62)
    assert body["outcomes"] == {"ended": 3, "answered": 2}
    assert body["tools"] == [
        {
            "tool": "book_appointment",
            "calls": 5,
            "failed": 2,
            "errors": {"TRANSIENT": 2},
            "medianMs": 30.0,
            "p95Ms": 50.0,
        }
    ]
    empty = (await premises.ask("GET", f"/admin/businesses/{OTHER}/metrics", "neighbour")).json()
    assert (empty["basedOn"], empty["tools"]) == (0, [])


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


@hypothesis.given(st.dictionaries(st.sampled_from(OWNED), ANY_JSON, max_size=4))
def test_whatever_is_entered_is_checked_without_falling_over(changes):
    """And what passes is read again without a problem."""
    wanted = merged(SALON, changes)
    problems = check_business(wanted, SALON)
    if not problems:
        assert read_business(OWN, wanted).problems == ()


@each(
    ("whole", "patch", "expected"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ({"a": "foo"}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_a_patch_merges_as_the_standard_says(whole, patch, expected):
    """The cases of RFC 7396, Appendix A, that are objects."""
    assert merged(whole, patch) == expected
