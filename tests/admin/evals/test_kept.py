"""Tests that a business keeps, over the owners' API."""

from datetime import UTC, datetime

import pytest

from switchboard.admin.evals import kept
from switchboard.admin.maintenance.forget_business import forget_business
from switchboard.admin.maintenance.forget_caller import forget_caller
from switchboard.contract.json import JsonObject
from switchboard.contract.store import Set
from tests.admin.owners_office import OWN
from tests.admin.whole_house import BUSINESS, PATHS, WITHIN, Owner, opened
from tests.each import each

EVALS = f"{BUSINESS}/evals"
BEGAN = datetime(2026, 12, 1, 15, tzinfo=UTC)


def _text(**more: str) -> str:
    fields = {
        "name": "hello",
        "about": "Says hello.",
        "business": OWN,
        "now": "2026-12-01 10:00",
        "lines": "[Hello]",
        "expect": "{language: en}",
        **more,
    }
    return "".join(f"{name}: {value}\n" for name, value in fields.items())


async def _called(owner: Owner, id: str = "chat1", **more: object) -> None:
    rows = [
        {"role": role, "text": text, "turn": 1, "at": BEGAN, "channel": "portal"}
        for role, text in (("caller", "Hi, my name is Ana Ruiz."), ("agent", "Hello! What can I do for you?"))
    ]
    record: JsonObject = {
        "sessionId": id,
        "channel": "portal",
        "channels": ["portal"],
        "startedAt": BEGAN,
        "transcript": rows,
        "tools": [],
        **more,
    }
    await owner.house.store.commit([Set(WITHIN.document("interactions", id), record)])


@pytest.mark.requirement("004-703")
async def test_a_test_is_kept_read_changed_and_removed(owner: Owner) -> None:
    """Under its own name; each change is in the audit, and a removal can be taken back."""
    made = await owner.done("PUT", f"{EVALS}/hello", {"text": _text()})
    assert (made["name"], made["about"], made["updatedBy"]) == ("hello", "Says hello.", "platform@example.com")
    await owner.done("PUT", f"{EVALS}/hello", {"text": _text(about="Greets.")})
    assert [one["about"] for one in (await owner.done("GET", EVALS))["evals"]] == ["Greets."]
    await owner.done("DELETE", f"{EVALS}/hello")
    assert (await owner.done("GET", EVALS))["evals"] == []
    entry = await owner.last()
    assert (entry["kind"], entry["document"], entry["deed"]) == ("evals", "hello", "deleted")
    assert (await owner.undo(entry)).status_code == 200
    assert (await owner.done("GET", f"{EVALS}/hello"))["text"] == _text(about="Greets.")


@each(
    ("wrong", "why"),
    [
        ({"lines": "["}, "it is no YAML"),
        ({"lines": "[]"}, "lines"),
        ({"name": "goodbye"}, "it says 'goodbye', and is to be kept as 'hello'; write the same."),
        ({"business": "demo-plumber"}, f"business: it is about 'demo-plumber'; write '{OWN}'."),
        ({"expect": "{never: [send_fax]}"}, "it names send_fax, and there is no such tool."),
        ({"expect": "{bookings: [{service: Massage}]}"}, "does not offer 'Massage'"),
        ({"caller": "{phone: hello}"}, "caller.phone: 'hello' is no number that a line shows"),
        ({"now": "tomorrow"}, "now: 'tomorrow' is no time that there is"),
        ({"add": "{callers: &c {a: *c}}"}, "it repeats a part by *name; write the part out instead."),
    ],
)
@pytest.mark.requirement("004-703")
async def test_what_is_no_scenario_of_this_business_is_not_kept(wrong: dict[str, str], why: str) -> None:
    """One line says what is wrong, and nothing is written."""
    async with opened() as owner:
        answer = await owner.send("PUT", f"{EVALS}/hello", {"text": _text(**wrong)})
        assert answer.status_code == 400, answer.text
        assert why in answer.json()["error"]["message"]
        assert (await owner.done("GET", EVALS))["evals"] == []


@pytest.mark.requirement("004-703")
async def test_no_more_are_kept_than_can_be_held(owner: Owner, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is there already can still be changed; one of a new name can only be new."""
    monkeypatch.setattr(kept, "MOST_EVALS", 1)
    await owner.done("PUT", f"{EVALS}/hello", {"text": _text()})
    answer = await owner.send("PUT", f"{EVALS}/second", {"text": _text(name="second")})
    assert (answer.status_code, answer.json()["error"]["type"]) == (409, "CONFLICT")
    await owner.done("PUT", f"{EVALS}/hello", {"text": _text(about="Changed.")})
    answer = await owner.send("PUT", f"{EVALS}/hello", {"text": _text()}, "none")
    assert answer.status_code == 409


@pytest.mark.requirement("004-703")
async def test_who_may_not_edit_tools_keeps_no_test(owner: Owner) -> None:
    """A viewer reads those that are kept; what is proposed of a call holds what tools were given."""
    await _called(owner)
    await owner.done("PUT", f"{EVALS}/hello", {"text": _text()})
    for method, path, body, status in (
        ("GET", f"{EVALS}/hello", None, 200),
        ("POST", f"{BUSINESS}/interactions/chat1/eval", {}, 403),
        ("PUT", f"{EVALS}/other", {"text": _text(name="other")}, 403),
        ("DELETE", f"{EVALS}/hello", None, 403),
    ):
        revision = await owner.revision(path) if method == "DELETE" else None
        assert (await owner.send(method, path, body, revision, "viewer")).status_code == status, (method, path)


@pytest.mark.requirement("004-700")
async def test_a_conversation_is_proposed_and_can_be_kept_as_it_is(owner: Owner) -> None:
    """Under the name that it proposes; then it says that one of that name is kept."""
    await _called(owner)
    path = f"{BUSINESS}/interactions/chat1/eval"
    proposed = await owner.done("POST", path, {})
    assert not proposed["isKept"]
    assert "Ruiz" not in proposed["text"] and "my name is" in proposed["text"]
    await owner.done("PUT", f"{EVALS}/{proposed['name']}", {"text": proposed["text"]})
    assert (await owner.done("POST", path, {}))["isKept"]


@each(
    ("more", "why"),
    [
        ({"channel": "browser_voice", "channels": ["browser_voice"]}, "by voice in a browser"),
        ({"channels": ["phone", "portal"]}, "on the phone and in writing"),
        ({"callerPhone": "+15185550163"}, "behind a link"),
        ({"tools": [{"callId": "c1", "name": "get_faqs"}]}, "Its calls are no longer kept."),
        ({"transcript": []}, "Nobody said anything in it."),
        ({"transcript": [{"role": "caller", "text": "•••", "turn": 1, "suppressed": True}]}, "A one-time code"),
    ],
)
@pytest.mark.requirement("004-702")
async def test_a_conversation_that_cannot_be_held_again_says_why(more: JsonObject, why: str) -> None:
    """In a sentence for owners."""
    async with opened() as owner:
        await _called(owner, **more)
        answer = await owner.send("POST", f"{BUSINESS}/interactions/chat1/eval", {})
        assert answer.status_code == 400, answer.text
        message = answer.json()["error"]["message"]
        assert message.startswith("This conversation cannot be made a test.") and why in message


@pytest.mark.requirement("004-703")
async def test_kept_tests_go_with_their_business_and_name_no_caller_who_is_forgotten(owner: Owner) -> None:
    """What an owner wrote of a caller is taken out."""
    await owner.done("PUT", f"{EVALS}/hello", {"text": _text(about="As +12015550123 asked for it.")})
    await forget_caller(owner.house.store, PATHS, OWN, "+12015550123")
    assert "5550123" not in (await owner.done("GET", f"{EVALS}/hello"))["text"]
    await forget_business(owner.house.store, PATHS, OWN)
    assert await owner.house.store.get(WITHIN.document("evals", "hello")) is None
