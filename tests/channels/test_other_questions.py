"""A yes to another question cancels nothing, on every channel's own transport; a yes to Switchboard's cancels once.

The house is the real one, served on a port of this machine, with a model that says what a test wrote: one that asks
questions of its own, falls silent or breaks down, and calls the tool after every "Yes please." all the same.
"""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

import aiohttp
import pytest

from drills.identity_lines import Chat, Line, Phone, Voice
from drills.own_house import KEY, SALON, DrilledHouse, OwnHouse, own_house
from drills.premises import PATHS, SECRETS_KEY
from running import demo
from stand_ins.twilio.account import SID, TOKEN
from switchboard.contract.model import ModelError
from switchboard.contract.store import Delete, Query, Unavailable, Update
from tests.channels.listening import listening
from tests.conversation.scripted import ScriptedModel, calls, says

pytestmark = pytest.mark.requirement("004-121")
OWN = "Would you like me to text you our address?"
YES = "Yes please."
WITHIN = PATHS.within(SALON)
# "Shall I cancel …?" at first, "Just yes or no: shall I cancel …?" once more.
ASKS = "hall I cancel your Haircut appointment"
# What the model does with the turns between the question and the "Yes please.": what the caller says, and its answer.
OTHER_TOPICS: dict[str, list[tuple[str, Any]]] = {
    "its own question after a no": [("No.", says(OWN))],
    "silence after a no": [("No.", says(""))],
    "a safe sentence after a no": [("No.", [ModelError("away")])],
    "another topic": [
        ("Where are you?", says("On Maple Street.")),
        ("I see.", says("It is the blue house.")),
        ("Aha.", says("Anything else?", " ", OWN)),
    ],
    "its own question, thrice": [("Hm?", says(OWN)), ("Say that again?", says(OWN)), ("What?", says(OWN))],
}


class Streamed(Chat):
    """A visitor of the portal whose answers come as a stream of events."""

    async def begin(self) -> None:
        await super().begin()
        self._headers |= {"Accept": "text/event-stream"}


class Salon:
    """A conversation in which an appointment was booked that can be cancelled."""

    def __init__(self, own: OwnHouse, model: ScriptedModel, line: Any) -> None:
        self.own, self.model, self.line = own, model, line
        self.booking = ""
        self.wish: tuple[str, dict[str, Any]] = ("", {})

    async def say(self, text: str, *answers: Any) -> str:
        """Return everything that is answered, while the model answers so."""
        self.model.answers[:] = [*answers, *(says("") for _ in range(4))]
        return spoken(await self.line._say(text))

    async def book(self, start: str) -> None:
        """Book an appointment in this conversation, and ask for its cancellation."""
        before = set(await self.bookings())
        wish = ("book_appointment", {"service": "Haircut", "start_time": start, "customer_name": "Nora New"})
        await self.say("Book me in.", calls(wish), says("You are booked."))
        [self.booking] = set(await self.bookings()) - before
        self.wish = ("cancel_appointment", {"booking_id": self.booking})

    async def interrupted(self, heard: str | None) -> None:
        """Let Twilio report that the caller spoke; `heard`: what had been played by then, where it tells."""
        await self.line._socket.send_json({"type": "interrupt", "utteranceUntilInterrupt": heard})

    def move_to(self, url: str) -> None:
        """Go on at another address."""
        self.line.own = replace(self.own, url=url)
        if isinstance(self.line, Phone):
            self.line._webhooks._url = url

    async def bookings(self) -> dict[str, str]:
        """Return the status of every booking."""
        return {d.id: d.data["status"] for d in await self.own.store.query(Query(WITHIN.collection("bookings")))}

    @property
    async def is_cancelled(self) -> bool:
        return (await self.bookings())[self.booking] == "cancelled"


def spoken(answer: str) -> str:
    """Return what a human is told, from what a channel answers."""
    if answer.startswith("{"):
        return str(json.loads(answer)["text"])
    if not answer.startswith(("event:", "id:", "retry:")):
        return answer
    found = (dict(line.split(": ", 1) for line in block.split("\n")) for block in answer.strip().split("\n\n"))
    return "".join(json.loads(one["data"])["text"] for one in found if one.get("event") == "text")


def line_of(name: str, own: OwnHouse, http: aiohttp.ClientSession, model: Any) -> Line:
    """Return one conversation of a channel."""
    given = (own, http, model)
    if name in ("relay", "gather"):
        return Phone(*given, None, is_relay=name == "relay")
    return {"portal": Chat, "streamed portal": Streamed, "browser_voice": Voice}[name](*given)


@asynccontextmanager
async def salon(own: OwnHouse, model: ScriptedModel, name: str, start: str) -> AsyncIterator[Salon]:
    """Hold a conversation; what strangers may have in all is not what this is about."""
    tickets = await own.store.query(Query(WITHIN.collection("tickets")))
    await own.store.commit([Delete(ticket.path) for ticket in tickets])
    async with aiohttp.ClientSession() as http:
        line = line_of(name, own, http, model)
        await line.begin()
        try:
            found = Salon(own, model, line)
            await found.book(start)
            yield found
        finally:
            await line.end()


@pytest.fixture
async def house(request: pytest.FixtureRequest) -> AsyncIterator[tuple[OwnHouse, ScriptedModel, list[str]]]:
    """The house of a channel, its model, and times at which it has a haircut free."""
    model = ScriptedModel()

    async def prepare(store: Any, url: str) -> None:
        await store.commit([Update(WITHIN.business, {"integrations.twilio.accountSid": SID})])
        await demo.keep_twilio_token(store, PATHS, SECRETS_KEY, TOKEN)

    async with own_house(model, relay=request.node.callspec.params["channel"] == "relay", prepare=prepare) as own:
        yield own, model, await _free(own)


async def _free(own: OwnHouse) -> list[str]:
    day = (own.clock.now() + timedelta(days=8)).date()
    while day.weekday() not in (1, 2, 3):
        day += timedelta(days=1)
    context = {"channel": "phone", "sessionId": "free", "turn": 1, "callId": "free"}
    body = {"businessId": SALON, "name": "check_availability", "args": {"date": f"{day}", "service": "Haircut"}}
    async with (
        aiohttp.ClientSession(headers={"Authorization": f"Bearer {KEY}"}) as http,
        http.post(f"{own.url}/tools/execute", json=body | {"context": context}) as answer,
    ):
        found = (await answer.json())["data"]["openTimes"]
    assert len(found) >= 8, found
    return list(found)


CHANNELS = ("relay", "gather", "portal", "streamed portal", "browser_voice")


@pytest.mark.parametrize("channel", CHANNELS)
async def test_a_yes_to_something_else_cancels_nothing_and_the_honest_way_cancels_once(house, channel):
    """Whatever the model said in between, the tool that it calls after the yes asks anew, last and word for word."""
    own, model, free = house
    for start, (name, between) in zip(free, OTHER_TOPICS.items(), strict=False):
        async with salon(own, model, channel, start) as talk:
            asked = await talk.say("Cancel it.", calls(talk.wish, text="Certainly. "), says(OWN))
            question = asked[asked.index(ASKS) :]
            assert question.rstrip(" </Say>").count(ASKS) == 1, (name, asked)
            assert "Haircut appointment for Nora New" in asked, (name, asked)
            assert "text you our address" not in asked, (name, asked)
            for words, answer in between:
                await talk.say(words, answer)
            told = await talk.say(YES, calls(talk.wish), says("It is cancelled."))
            assert not await talk.is_cancelled, name
            assert "It is cancelled" not in told, (name, told)
            if ASKS not in told:
                # The model's call was not even made: whatever it is told, the next one is asked about.
                told = await talk.say("Cancel it.", calls(talk.wish))
            assert ASKS in told, (name, told)
            await talk.say("Yes, go ahead and cancel it.", calls(talk.wish), says("It is cancelled."))
            assert await talk.is_cancelled, name
            # And once: the same wish under another call id is told as done, and no question.
            again = await talk.say("Did you cancel it?", calls(talk.wish), says("It is."))
            assert ASKS not in again, (name, again)
            assert _last_answer(model)["data"]["repeated"] is True, name


CUT = ("", "Shall I", "Shall I cancel your Haircut appointment for", None)


@pytest.mark.parametrize("channel", ["relay"])
async def test_a_question_that_the_caller_talks_into_is_asked_again_until_it_is_heard(house, channel):
    """Twilio tells how far speech had been played: before the end of the question no yes counts, behind it one does."""
    own, model, free = house
    for start, until in zip(free, CUT, strict=False):
        async with salon(own, model, channel, start) as talk:
            said = await talk.say("Cancel it.", calls(talk.wish, text="Certainly. "))
            until = until and f"Certainly. {until}"
            await talk.interrupted(until)
            again = await talk.say(YES, calls(talk.wish), says("It is cancelled."))
            assert said.endswith(again) and ASKS in again, (until, again)
            assert not await talk.is_cancelled, until
            await talk.interrupted(again)
            assert await talk.say(YES, calls(talk.wish), says("It is cancelled.")) == "It is cancelled."
            assert await talk.is_cancelled, until


@pytest.mark.parametrize("channel", ["gather"])
async def test_a_yes_after_an_inquiry_whether_anybody_is_there_cancels_nothing(house, channel):
    """Who was silent is asked something else, and answers that."""
    own, model, free = house
    async with salon(own, model, channel, free[0]) as talk:
        await talk.say("Cancel it.", calls(talk.wish))
        talk.line._told.clear()
        talk.line._at = await talk.line._webhooks.ask(talk.line._at.redirect)
        assert "Are you still there?" in "".join(talk.line._told)
        assert ASKS in await talk.say(YES, calls(talk.wish), says("It is cancelled."))
        assert not await talk.is_cancelled
        await talk.say(YES, calls(talk.wish), says("It is cancelled."))
        assert await talk.is_cancelled


@pytest.mark.requirement("004-122")
@pytest.mark.parametrize("channel", CHANNELS)
async def test_what_failed_after_the_yes_is_told_to_the_model_and_is_not_done(house, channel, monkeypatch):
    """The yes is used up; the caller hears no "it is cancelled", and a new try is a new question."""
    own, model, free = house
    async with salon(own, model, channel, free[0]) as talk:
        await talk.say("Cancel it.", calls(talk.wish))
        with monkeypatch.context() as patched:
            patched.setattr(own.store, "commit", _refusing(own.store.commit, talk.booking))
            await talk.say("Yes.", calls(talk.wish), says("That did not work."))
        assert _last_answer(model)["ok"] is False
        assert not await talk.is_cancelled
        assert ASKS in await talk.say("Try again.", calls(talk.wish))
        await talk.say("Yes.", calls(talk.wish), says("Done."))
        assert await talk.is_cancelled


@pytest.mark.requirement("004-122")
@pytest.mark.parametrize("channel", CHANNELS[1:])
async def test_another_process_tells_what_was_done_before_and_asks_nothing(house, channel):
    """What was done stands in the store: after a restart in mid-conversation the same wish is still the same wish."""
    own, model, free = house
    async with salon(own, model, channel, free[0]) as talk:
        await talk.say("Cancel it.", calls(talk.wish))
        await talk.say("Yes.", calls(talk.wish), says("Done."))
        assert await talk.is_cancelled
        async with restarted(own, model) as url:
            talk.move_to(url)
            told = await talk.say("Did you?", calls(talk.wish), says("Yes, I did."))
            talk.move_to(own.url)
        assert ASKS not in told
        assert _last_answer(model)["data"]["repeated"] is True


@asynccontextmanager
async def restarted(own: OwnHouse, model: ScriptedModel) -> AsyncIterator[str]:
    """Serve a house that has nothing of the other but its store and its settings; give its address."""
    house = DrilledHouse(own.house.configuration, own.store, model, own.clock)
    try:
        async with listening(house.app) as url:
            yield url
    finally:
        await house.close()


def _refusing(commit: Any, booking: str) -> Any:
    async def commit_others(writes: Any) -> Any:
        if any(write.path.endswith(booking) for write in writes):
            raise Unavailable("the store does not answer")
        return await commit(writes)

    return commit_others


def _last_answer(model: ScriptedModel) -> dict[str, Any]:
    found = [m.response.to_json() for m in model.prompts[-1].messages if hasattr(m, "response")]
    return dict(found[-1])
