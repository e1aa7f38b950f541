"""The awkward cases of a conversation, the same table over the relay and in `<Gather>` turns."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest

from switchboard.channels.phone import turns
from switchboard.contract.channel import Channel
from switchboard.contract.model import CallPiece, Ended, Ending, ModelError, TextPiece
from switchboard.contract.policy import CHANNEL_POLICY, FIRST_TOKEN_S
from switchboard.conversation import turn
from tests.channels.phone.house import RELAY_URL, TO_FRONT_DESK, Heard, PhoneInstance, Twilio, open_store, until
from tests.channels.phone.relay_client import RelayClient, call_up
from tests.conversation.planted import begun, gates
from tests.conversation.scripted import calls, says
from tests.pipeline.planted import done

# As they are for callers, read before a test turns them up.
FILLER_AFTER_MS = CHANNEL_POLICY[Channel.PHONE].filler_after_ms

TROUBLE = "I'm having trouble pulling that up right now. Would you like me to take a message?"
REFUSED = "I'm sorry, I can't help with that. Would you like me to take a message?"


class Call:
    """A phone call in either way: what is said, pressed and heard."""

    def __init__(self, twilio: Twilio) -> None:
        self.twilio = twilio
        self.model = twilio.instance.model
        self.over = ""
        self._client: RelayClient | None = None
        self._heard: Heard | None = None
        self._answers = 0

    async def begin(self) -> None:
        if self.twilio.instance.relay_url:
            self._client = await call_up(self.twilio)
        else:
            self._heard = await self.twilio.ask("/phone/incoming")

    async def say(self, text: str = "Hello", *, key: str = "", is_last: bool = False) -> str:
        """Take a turn, and return what is heard until it ends; `is_last`: the call is expected to end with it."""
        if self._client is not None:
            return await self._over_the_relay(text, key, is_last)
        assert self._heard is not None
        fields = {"Digits": key} if key else {"SpeechResult": text}
        said, self._heard = await self.twilio.finish(await self.twilio.ask(self._heard.action, **fields))
        self.over = self._heard.dialled or ("hung up" if "Hangup" in self._heard.names else "")
        return " ".join(said.split())

    async def begin_to_say(self, text: str = "Hello") -> None:
        """Say something, and do not wait for the whole answer."""
        if self._client is not None:
            await self._client.say(text)
        else:
            assert self._heard is not None
            self._heard = await self.twilio.ask(self._heard.action, SpeechResult=text)

    async def _over_the_relay(self, text: str, key: str, is_last: bool) -> str:
        client = self._client
        assert client is not None
        before, said = client.ended_answers, len(client.said)
        await (client.send(type="dtmf", digit=key) if key else client.say(text))
        await client.until(lambda c: c.ended_answers > before)
        if is_last:
            await client.until(lambda c: c.handoff)
        else:
            # A moment in which a call that ends without having to would.
            await asyncio.sleep(0.02)
        if client.handoff:
            await client.closed()
            heard = await self.twilio.ask(
                "/phone/relay-ended", HandoffData=f'{{"reason": "{client.handoff["reason"]}"}}'
            )
            self.over = heard.dialled or ("hung up" if "Hangup" in heard.names else "")
        return " ".join(client.said[said:].split())

    async def end(self) -> None:
        if self._client is not None:
            await self._client.leave()


@pytest.fixture(params=["relay", "gather"])
async def call(request: Any) -> AsyncIterator[Call]:
    """A call that has been answered."""
    instance = PhoneInstance(await open_store(), RELAY_URL if request.param == "relay" else "")
    async with instance.serving():
        found = Call(Twilio(instance))
        await found.begin()
        yield found
        await found.end()


@dataclass(frozen=True)
class Case:
    """What the model does, and what the caller hears."""

    name: str
    answers: tuple[Any, ...]
    heard: str
    over: str = ""


CUT_OFF = [CallPiece(0, "c", "look", '{"wo'), Ended(Ending.CUT_OFF)]
CASES = [
    Case("words", (says("We open ", "at nine."),), "We open at nine."),
    Case(
        "text before and after a tool call",
        (calls(("look", {}), text="Let me see."), says("It says hello.")),
        "Let me see. It says hello.",
    ),
    Case("two calls in one answer", (calls(("look", {}), ("look", {"word": "x"})), says("Both.")), "Both."),
    Case("a tool that fails", (calls(("crash", {})), says("I could not see it.")), "I could not see it."),
    Case("a tool that is not there", (calls(("teleport", {})), says("I cannot do that.")), "I cannot do that."),
    Case("arguments that are no JSON", (calls(("act", '{"what')), says("Once more?")), "Once more?"),
    Case("a call that is cut off twice", (CUT_OFF, CUT_OFF), TROUBLE),
    Case(
        "words that are cut off", ([TextPiece("We open"), Ended(Ending.CUT_OFF)], says("at nine.")), "We open at nine."
    ),
    Case("an empty answer, then words", (says(), says("Here I am.")), "Here I am."),
    Case("empty answers only", (says(), says()), TROUBLE),
    Case("a refusal", ([Ended(Ending.REFUSED)],), REFUSED),
    Case("a model that fails", ([ModelError("down")],), TROUBLE),
    Case("a model that fails in mid-sentence", ([TextPiece("We open"), ModelError("down")],), f"We open {TROUBLE}"),
    Case("a model that breaks in an unheard of way", ([KeyError("x")],), TROUBLE),
    Case("a stream that just ends", ([TextPiece("We open")], says("at nine.")), "We open at nine."),
    Case(
        "a spent budget",
        (*(calls(("look", {"word": str(n)})) for n in range(6)), says("That is all I can look up.")),
        "That is all I can look up.",
    ),
    Case("silence that a tool asked for", (calls(("whisper", {})), says("Not for your ears.")), ""),
    Case("the end of the call", (calls(("hang_up", {}), text="Goodbye."), says("Never said.")), "Goodbye.", "hung up"),
    Case(
        "a transfer",
        (calls(("put_through", {}), text="One second."), says("Never said.")),
        "One second.",
        str(TO_FRONT_DESK["number"]),
    ),
    Case(
        "a transfer without a word",
        (calls(("put_through", {})), says("Never said.")),
        "One moment, I'm connecting you.",
        str(TO_FRONT_DESK["number"]),
    ),
    Case("the end of the call without a word", (calls(("hang_up", {})),), "Goodbye.", "hung up"),
    Case(
        "an action after the end",
        (calls(("hang_up", {}), ("act", {"what": "x"}), text="Goodbye."),),
        "Goodbye.",
        "hung up",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.requirement("000-36", "000-39", "000-49")
async def test_every_awkward_case_ends_in_what_the_caller_should_hear(call: Call, case: Case) -> None:
    """Issue of the conversations, item 9: the same table for both ways of holding a call."""
    call.model.answers = list(case.answers)
    assert await call.say(is_last=bool(case.over)) == case.heard
    assert call.over == case.over
    assert done == []


async def test_a_stalling_model_ends_in_a_way_out(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """After some seconds without a word, here a part of one."""
    assert 10 < FIRST_TOKEN_S <= 12
    monkeypatch.setattr(turn, "FIRST_TOKEN_S", 0.1)
    call.model.answers = [[asyncio.Event()]]
    assert (await call.say()).endswith(TROUBLE)


async def test_a_slow_tool_is_bridged_after_eight_tenths_of_a_second(call: Call, bridged: Any) -> None:
    """In the tool's own words, once; here after fewer, and the tool ends when they are said."""
    assert FILLER_AFTER_MS == 800
    gates["k"] = asyncio.Event()
    bridged(Channel.PHONE, gates["k"])
    call.model.answers = [calls(("post", {"key": "k"}), text="All right."), says("It is posted.")]
    assert await call.say() == "All right. One moment. It is posted."
    assert done == ["k"]


async def test_a_look_up_that_the_caller_talks_into_is_dropped(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """Barge-in: the retrieval has its one answer, and the caller theirs. In turns it needs something to talk into."""
    monkeypatch.setattr(turns, "PATIENCE_S", 0.3)
    gates["k"] = asyncio.Event()
    call.model.answers = [calls(("fetch", {"key": "k"}), text="Let me see. "), says("Of course.")]
    beginning = asyncio.create_task(call.begin_to_say("Look"))
    await until(lambda: begun == ["k"])
    await beginning
    assert (await call.say("Never mind")).endswith("Of course.")
    told = call.model.prompts[-1].messages
    assert any("broken off" in str(getattr(m, "response", "")) for m in told)


async def test_an_action_that_the_caller_talks_into_is_done_once(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """And its receipt is in history when the next turn is answered."""
    monkeypatch.setattr(turns, "PATIENCE_S", 0.3)
    gates["k"] = asyncio.Event()
    call.model.answers = [calls(("post", {"key": "k"}), text="Let me post it. "), says("It is posted.")]
    beginning = asyncio.create_task(call.begin_to_say("Post it"))
    await until(lambda: begun == ["k"])
    await beginning
    asyncio.get_running_loop().call_later(0.1, gates["k"].set)
    assert (await call.say("Are you there?")).endswith("It is posted.")
    told = call.model.prompts[-1].messages
    assert any(getattr(m, "response", None) is not None and m.response.ok for m in told)
    assert done == ["k"]


@pytest.mark.parametrize("yes", [{"text": "Yes, please"}, {"key": "1"}])
async def test_a_yes_by_voice_or_by_key_does_what_was_asked(call: Call, yes: dict[str, str]) -> None:
    """Decided from the caller's own words or keys, never from what a model writes."""
    wish = ("book", {"what": "lunch"})
    call.model.answers = [calls(wish), calls(wish), says("It is booked.")]
    assert await call.say("Lunch") == "Book lunch?"
    assert done == []
    assert await call.say(**yes) == "It is booked."
    assert done == ["lunch"]


@pytest.mark.parametrize("no", [{"text": "No, thanks"}, {"key": "2"}])
async def test_a_no_does_nothing_whatever_the_model_calls(call: Call, no: dict[str, str]) -> None:
    """An obedient or a confused model cannot agree for the caller."""
    wish = ("book", {"what": "lunch"})
    call.model.answers = [calls(wish), calls(wish)]
    await call.say("Lunch")
    assert await call.say(**no) == "Book lunch?"
    assert done == []


@pytest.mark.requirement("000-26")
async def test_the_record_of_a_call_is_the_same_in_both_ways(call: Call) -> None:
    """Seed 000, "Data Model": what was said, what was called, how it ended."""
    call.model.answers = [calls(("look", {}), text="Let me see."), says("It says hello.")]
    await call.say("What does it say?")
    await call.twilio.ask("/phone/status", CallStatus="completed", CallDuration="12")
    record = await call.twilio.instance.record(call.twilio.call_sid)
    said = [(entry["role"], entry["text"]) for entry in record["transcript"]]
    assert said == [
        ("agent", "Hello, Salon."),
        ("caller", "What does it say?"),
        ("agent", "Let me see."),
        ("agent", " It says hello."),
    ]
    assert [(tool["name"], tool["ok"]) for tool in record["tools"]] == [("look", True)]
    assert (record["turns"], record["outcome"], record["endedAt"] is not None) == (1, "answered", True)
    assert record["durationSeconds"] == 12
