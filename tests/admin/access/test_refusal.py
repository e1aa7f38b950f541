"""What owners get wrong is refused in words that say what would work, and nothing of it is kept."""

from typing import Any

import pytest

from switchboard.contract.store import Update
from tests.admin.owners_office import OWN, Premises, fill
from tests.admin.whole_house import BUSINESS, SMS, WITHIN, Owner, opened

TOOLS = f"/api/{OWN}/tools"
NAMES = ["with a\x00 nul", "with a\nline", "with a \u202eturn", "with \u2066isolates"]


@pytest.fixture
async def owner():
    """The salon's, with an agent."""
    async with opened() as found:
        await found.done("POST", f"{BUSINESS}/agents", {"name": "Ada"})
        yield found


async def refused(owner: Owner, method: str, path: str, body: Any) -> dict[str, str]:
    """Send what is refused as invalid, and return the problems by their fields; nothing is on record of it."""
    before = await owner.audit()
    revision = await owner.revision(path) if method != "POST" else None
    answer = await owner.send(method, path, body, revision)
    assert answer.status_code == 400, answer.text
    assert await owner.audit() == before
    return {problem["field"]: problem["message"] for problem in answer.json()["error"]["problems"]}


@pytest.mark.parametrize(
    ("changes", "field", "works"),
    [
        ({"enabledTools": ["book_appointment", "nope"]}, "enabledTools[1]", "get_policies"),
        ({"features": {"unknown": True}}, "features.unknown", "records"),
        ({"escalation": {"a": 1}}, "escalation.a", "safeNumber"),
        ({"phone": "\U0001f600"}, "phone", "(518) 555-0100"),
    ],
)
async def test_a_typing_error_in_the_business_is_told_with_what_would_work(
    owner: Owner, changes: dict[str, Any], field: str, works: str
):
    """It is not kept for nobody to read."""
    assert works in (await refused(owner, "PATCH", BUSINESS, changes))[field]


@pytest.mark.parametrize(
    ("params", "why"),
    [
        ({"__proto__": {"mode": "ai"}}, "params.__proto__ is between double underscores"),
        ({"__proto__": {"mode": "fixed", "value": "x"}}, "params.__proto__ is between double underscores"),
        (
            {"a": {"mode": "ai", "schema": {"type": "object", "properties": {"__proto__": {"type": "string"}}}}},
            "'__proto__' is between double underscores",
        ),
        ({"a": {"mode": "fixed", "value": {"__proto__": 1}}}, "Firestore's own: '__proto__'"),
        ({"a": {"mode": "fixed", "value": {"": 1}}}, "the name of a field is empty"),
        ({"a": {"mode": "fixed", "value": [[1]]}}, "an array cannot stand directly in an array"),
    ],
)
async def test_what_no_document_can_hold_is_told_as_what_it_is(owner: Owner, params: dict[str, Any], why: str):
    """A name that the store keeps for itself is not "too large"."""
    config = {"type": "api_request", "label": "Odd", "request": {"url": "https://api.example.com/x"}, "params": params}
    answer = await owner.send("POST", TOOLS, config)
    assert answer.status_code == 400
    assert why in answer.json()["error"]["message"] and "too large" not in answer.text


@pytest.mark.parametrize(
    ("kept", "changes"),
    [
        ({"enabledTools": ["gone"]}, {"enabledTools": ["gone", "get_policies"]}),
        ({"features": {"old": True}}, {"features": {"old": False, "records": True}}),
        ({"escalation": {"a": 1}}, {"escalation": {"a": 1, "rules": []}}),
    ],
)
async def test_what_was_stored_before_keeps_nobody_from_saving(
    owner: Owner, kept: dict[str, Any], changes: dict[str, Any]
):
    """A tool that is gone, a switch and a setting that nothing reads any more."""
    await owner.house.store.commit([Update(WITHIN.business, kept)])
    business = (await owner.done("PATCH", BUSINESS, changes))["business"]
    assert {name: business[name] for name in changes} == changes


async def test_names_out_of_date_are_told_as_a_conflict_first(owner: Owner):
    """What is wrong with it may be wrong no longer."""
    body = {"enabledTools": ["nope"]}
    assert (await owner.send("PATCH", BUSINESS, body, "0123456789abcdef")).status_code == 412
    assert (await owner.send("PATCH", BUSINESS, body)).status_code == 428


@pytest.mark.parametrize("phone", ["(518) 555-0100", "+49 30 1234-567", "1-800-FLOWERS", "555 0100 ext. 7", ""])
async def test_phone_numbers_are_kept_as_people_write_them(owner: Owner, phone: str):
    """Letters and extensions are part of some."""
    assert (await owner.done("PATCH", BUSINESS, {"phone": phone}))["business"]["phone"] == phone


async def test_an_unknown_field_of_a_tool_is_refused_and_one_that_it_had_is_kept(owner: Owner):
    """Making and changing alike."""
    assert "recipients" in (await refused(owner, "POST", TOOLS, {**SMS, "recipient": ["+12015550123"]}))["recipient"]
    tool = (await owner.done("POST", TOOLS, SMS))["tool"]
    path = f"{TOOLS}/{tool['id']}"
    assert "old" in await refused(owner, "PATCH", path, {"old": 1})
    await owner.house.store.commit([Update(WITHIN.document("tools", tool["id"]), {"configMetadata.old": 1})])
    assert (await owner.done("PATCH", path, {"label": "Anew"}))["tool"]["configMetadata"]["old"] == 1


async def test_a_trial_by_an_agent_that_there_is_not_names_those_that_there_are(owner: Owner):
    """It would pass for a trial by the agent that was meant."""
    body = {"name": "get_policies", "agentId": "nope"}
    assert "ada" in (await refused(owner, "POST", f"{BUSINESS}/try", body))["agentId"]
    assert (await owner.send("POST", f"{BUSINESS}/try", body | {"agentId": "ada"})).status_code == 200


@pytest.mark.parametrize("name", NAMES)
async def test_names_and_topics_have_nothing_in_them_that_nobody_sees(owner: Owner, name: str):
    """Of businesses, services, agents, keys, tools, policies, answers and documents; emoji and scripts may stand."""
    faq = {"topic": name, "question": "May I bring my dog?", "answer": "Yes."}
    for method, path, body, field in (
        ("PATCH", BUSINESS, {"name": name}, "name"),
        ("PATCH", BUSINESS, {"services": [{"name": name, "durationMinutes": 30}]}, "services[0].name"),
        ("POST", f"{BUSINESS}/agents", {"name": name}, "name"),
        ("POST", f"{BUSINESS}/keys", {"name": name, "scopes": ["tools:read"]}, "name"),
        ("POST", TOOLS, {**SMS, "label": name}, "label"),
        ("POST", f"/tts_admin/policies/{OWN}", {"topic": name, "content": "Yes."}, "topic"),
        ("POST", f"/tts_admin/faqs/{OWN}", faq, "topic"),
        ("POST", f"{BUSINESS}/documents", {"title": name, "content": "Yes."}, "title"),
    ):
        assert "one line" in (await refused(owner, method, path, body))[field]
    seen = "Ren\u00e9e\u2019s \u05e1\u05dc\u05d5\u05df \U0001f469\u200d\U0001f9b0 \u200fx"
    await owner.done("PATCH", BUSINESS, {"name": seen})


async def test_whoever_operates_switchboard_is_asked_which_business_is_meant(owner: Owner):
    """400: every one of them is theirs, so that none is forbidden."""
    for path in ("/admin/explain?session=s1", "/admin/integrations/google/connect"):
        answer = await owner.send("GET", path)
        assert (answer.status_code, answer.json()["error"]["type"]) == (400, "VALIDATION")
        assert "Say which business" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("path", "field", "works"),
    [
        ("/audit?kind=nope", "kind", "business"),
        (f"/audit?document={'x' * 3000}", "document", "300"),
        ("/interactions?outcome=nope", "outcome", "transferred"),
        ("/metrics?outcome=nope", "outcome", "transferred"),
        ("/offered?verified=maybe", "verified", "0 or 1"),
        ("/offered?all=yes", "all", "0 or 1"),
    ],
)
async def test_an_unknown_value_in_a_query_is_told(owner: Owner, path: str, field: str, works: str):
    """An empty list would pass for an answer."""
    assert works in (await refused(owner, "GET", f"{BUSINESS}{path}", None))[field]


async def test_an_unknown_type_of_tool_in_a_query_is_told(owner: Owner):
    """The older spellings are known."""
    assert "sms" in (await refused(owner, "GET", f"{TOOLS}?type=nope", None))["type"]
    for known in ("sms", "apiRequest"):
        assert (await owner.send("GET", f"{TOOLS}?type={known}")).status_code == 200


async def test_the_ledger_of_a_session_that_there_is_not_is_not_found(premises: Premises):
    """As the session itself; one of a call in which no tool was called is empty."""
    await fill(premises.store)
    base = f"/admin/businesses/{OWN}"
    for part in ("", "/calls", "/receipts"):
        assert (await premises.ask("GET", f"{base}/sessions/nonesuch{part}")).status_code == 404
        assert (await premises.ask("GET", f"{base}/sessions/s0{part}")).status_code == 200
    assert (await premises.ask("GET", f"{base}/interactions/i1/calls")).json()["calls"] == []


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ('"other", "{now}"', 200),
        ('"{now}","other"', 200),
        ('W/"other", W/"{now}"', 200),
        ('"other", "another"', 412),
        ("{now}", 200),
        ("*", 428),
        ('"other" ', 412),
    ],
)
async def test_any_of_the_revisions_in_a_list_may_be_what_is_there(premises: Premises, header: str, status: int):
    """As RFC 9110 has it; none of them is 412."""
    now = (await premises.business())["revision"]
    headers = {"If-Match": header.format(now=now)}
    path = f"/admin/businesses/{OWN}"
    answer = await premises.ask("PATCH", path, headers=headers, json={"industry": "barber"})
    assert answer.status_code == status, answer.text


async def test_a_method_that_a_path_does_not_have_is_answered_with_those_that_it_has(owner: Owner):
    """405 with `Allow`, of all routes of the path."""
    answer = await owner.send("PUT", BUSINESS, {})
    assert (answer.status_code, answer.headers["allow"]) == (405, "DELETE, GET, HEAD, PATCH")


async def test_people_are_called_by_the_name_that_owners_gave_their_key(premises: Premises):
    """In the audit and in a conflict; without a name it is the key's id."""
    headers = await premises.key_for(OWN, "owner")
    path = f"/admin/businesses/{OWN}"
    read = (await premises.business())["revision"]
    saved = await premises.browser.patch(path, headers={**headers, "If-Match": read}, json={"industry": "barber"})
    assert saved.json()["updatedBy"] == "a service (API key)"
    late = await premises.patch({"industry": "nails"}, revision=read)
    assert late.json()["error"]["conflict"]["changedBy"] == "a service (API key)"
    assert (await premises.audit())[-1]["who"]["name"] == "a service (API key)"


async def test_a_key_that_is_revoked_is_let_in_no_more_at_once(owner: Owner):
    """In the process that revoked it; also an account that needs no key."""
    made = await owner.done("POST", f"{BUSINESS}/keys", {"name": "Till", "scopes": ["owner"]})
    headers = {"Authorization": f"Bearer {made['text']}"}
    assert (await owner.http.get(BUSINESS, headers=headers)).status_code == 200
    await owner.send("DELETE", f"{BUSINESS}/keys/{made['id']}", None, made["revision"])
    assert (await owner.http.get(BUSINESS, headers=headers)).status_code == 401
