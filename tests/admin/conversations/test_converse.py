"""Conversations that owners hold to see how they go: on every channel, with what the model was told."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from switchboard.channels import preview
from switchboard.contract.context import CONTEXTS
from switchboard.contract.model import Prompt, UserMessage
from switchboard.contract.store import Query, Set
from switchboard.conversation.prompt_capture import CapturedPrompt
from tests.admin.owners_office import OWN
from tests.admin.whole_house import BUSINESS, WITHIN, Owner, opened
from tests.each import each

PATH = f"{BUSINESS}/converse"
SESSION = "try_0123456789abcdef"
POLICY = {"topic": "cancellation", "content": "Cancel a day before, and it costs nothing."}
ASKED = "What is your policy on cancellations?"
CHANNELS = ("phone", "portal", "browser_voice")


@pytest.fixture
async def owner() -> AsyncIterator[Owner]:
    """The salon's, with one policy."""
    async with opened() as found:
        await found.house.store.commit([Set(WITHIN.document("policies", "p1"), POLICY)])
        yield found


async def held(owner: Owner, text: str = ASKED, **given: Any) -> dict[str, Any]:
    answer = await owner.send("POST", PATH, {"sessionId": SESSION, "text": text, **given})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.parametrize("channel", CHANNELS)
async def test_a_turn_is_held_as_on_a_channel(owner: Owner, channel: str):
    """With that channel's greeting, its tools, what they did, and how the turn ended."""
    told = await held(owner, channel=channel)
    assert (told["channel"], told["turn"], told["outcome"], told["isOver"]) == (channel, 1, "answered", False)
    assert told["greeting"]
    assert "Cancel a day before" in told["said"]
    (tool,) = told["tools"]
    assert (tool["name"], tool["ok"], tool["error"]) == ("search_knowledge", True, None)
    assert "cancellation" in str(tool["args"])
    names = {declared["function"]["name"] for declared in told["saw"]["tools"]}
    assert ("end_call" in names) is (channel == "phone")


@pytest.mark.requirement("004-925")
@pytest.mark.parametrize("blank", ["", " ", "\u200b"])
async def test_ids_that_name_nothing_are_none(owner: Owner, blank: str):
    """Each trial is then a conversation of its own, with whoever answers there; of its own ids it takes no others."""
    first, second = [await held(owner, sessionId="", agentId=blank, messageId="") for _ in range(2)]
    assert first["sessionId"] != second["sessionId"]
    assert first["sessionId"].strip()


async def test_what_the_model_saw_is_told_as_it_was_last_sent(owner: Owner):
    """The system prompt, and every message with the tool's answer in it, before the words that were said then."""
    saw = (await held(owner, channel="phone"))["saw"]
    assert (saw["model"], saw["dialect"], saw["requests"]) == ("rehearsal", "openai", 2)
    assert "The caller hears you" in saw["system"]
    greeted, noted, heard, called, answered = saw["messages"]
    assert noted["from"] == "house" and noted["text"].startswith("It is now ")
    assert (greeted["from"], heard) == ("model", {"from": "caller", "text": ASKED})
    assert [call["name"] for call in called["calls"]] == ["search_knowledge"]
    assert answered["sent"]["role"] == "tool"
    assert "Cancel a day before" in answered["sent"]["content"]
    assert saw["leftOut"] == {"characters": 0, "messages": 0, "tools": 0}


async def test_a_conversation_goes_on_where_it_was(owner: Owner):
    """The next turn is counted, is greeted no more, and the model is told what was said before."""
    await held(owner)
    told = await held(owner, "And when are you open?")
    assert (told["turn"], told["greeting"]) == (2, "")
    assert {"from": "caller", "text": ASKED} in told["saw"]["messages"]


async def test_the_same_message_is_answered_once(owner: Owner):
    """A page that asks again gets the first answer."""
    first = await held(owner, messageId="message-1")
    assert await held(owner, messageId="message-1") == first
    assert (await held(owner, messageId="message-2"))["turn"] == 2


async def test_the_facts_are_those_that_the_owner_imagines(owner: Owner):
    """The model knows of a number and of an identity only what it knows of a caller's."""
    saw = (await held(owner, channel="phone", callerPhone="+1 201-555-0123", isVerified=True))["saw"]
    known = saw["messages"][1]["text"]
    assert "The caller's phone number is known to the tools." in known
    assert "The caller's identity is established." in known
    assert "555" not in known
    stranger = (await held(owner, channel="phone", sessionId="try_fedcba9876543210"))["saw"]
    assert "established." not in str(stranger["messages"]) + stranger["system"]


async def test_it_stands_in_the_record_as_a_trial(owner: Owner):
    """Its record has the id of a trial, which no caller's has."""
    await held(owner, channel="phone")
    (record,) = await owner.house.store.query(Query(WITHIN.collection("interactions")))
    assert (record.id, record.data["channel"], record.data["turns"]) == (SESSION, "phone", 1)
    calls = await owner.send("GET", f"/admin/explain?businessId={OWN}&session={SESSION}")
    assert [call["tool"] for call in calls.json()["calls"]] == ["search_knowledge"]


async def test_a_call_that_has_ended_is_over(owner: Owner):
    """What a tool asks of the line is told; nothing more is said after it."""
    told = await held(owner, "Goodbye, that was all.", channel="phone")
    assert [intent["type"] for intent in told["intents"]] == ["END_CALL"]
    assert (told["outcome"], told["isOver"]) == ("ended", True)
    after = await held(owner, ASKED, channel="phone")
    assert (after["said"], after["isOver"], after["saw"]) == ("", True, None)


@each(
    ("given", "field"),
    [
        ({"sessionId": "CA0123456789"}, "sessionId"),
        ({"channel": "fax"}, "channel"),
        ({"text": "  "}, "text"),
        ({"text": "x" * 4_001}, "text"),
        ({"messageId": "a b"}, "messageId"),
        ({"callerPhone": "nobody"}, "callerPhone"),
        ({"callerPhone": {}}, "callerPhone"),
        ({"isVerified": "yes"}, "isVerified"),
        ({"agentId": "nope"}, "agentId"),
        ({"turn": 3}, "turn"),
    ],
)
async def test_what_cannot_be_imagined_is_refused(owner: Owner, given: dict[str, Any], field: str):
    """Nobody goes on in a caller's conversation, and nothing is said."""
    answer = await owner.send("POST", PATH, {"text": ASKED, **given})
    assert answer.status_code == 400
    assert [problem["field"] for problem in answer.json()["error"]["problems"]] == [field]
    assert not await owner.house.store.query(Query(WITHIN.collection("interactions")))


@pytest.mark.parametrize(("by", "status"), [("owner", 200), ("editor", 200), ("viewer", 403), ("nobody", 403)])
async def test_whoever_may_try_tools_may_hold_conversations(owner: Owner, by: str, status: int):
    """As with a single call: it does what a caller would have done."""
    answer = await owner.send("POST", PATH, {"text": ASKED}, by=by)
    assert answer.status_code == status


async def test_no_secret_is_shown(owner: Owner):
    """Also where a tool's answer, or somebody's words, hold one."""
    secret = "Bearer abcdefghijklmnopqrstuvwxyz0123456789"
    answer = await owner.send("POST", PATH, {"sessionId": SESSION, "text": f"My key is {secret}, what now?"})
    assert secret not in answer.text
    assert "(hidden)" in answer.text


def test_what_is_too_long_is_left_out_and_counted():
    """The newest messages stay, and the beginning of the prompt."""
    model = type("Model", (), {"name": "m", "dialect": "openai"})()
    seen = CapturedPrompt()
    messages = [UserMessage(f"{at} " + "x" * 50_000) for at in range(6)]
    seen.note(Prompt("s" * 130_000, messages, [{"name": str(at), "text": "y" * 100_000} for at in range(4)]))
    told = preview.seen_prompt(seen, model)
    assert told is not None
    assert told["leftOut"] == {"characters": 10_000, "messages": 3, "tools": 2}
    assert told["messages"][-1]["text"].startswith("5 ")
    assert [tool["name"] for tool in told["tools"]] == ["0", "1"]


def test_every_channel_can_be_tried():
    """There is none that these tests leave out."""
    assert {channel.value for channel in CONTEXTS} == set(CHANNELS)
