"""A relay socket that drops: the call goes on over the next one alone, and the caller hears what was done meanwhile."""

import asyncio

import pytest

from switchboard.channels.phone import relay_call, routes
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import StoreError
from switchboard.conversation import owed_calls
from switchboard.conversation.conversation import Conversation
from switchboard.conversation.held_conversations import Conversations
from tests.channels.conftest import LONG_S
from tests.channels.phone.house import until
from tests.channels.phone.relay_client import call_up, dial_in, set_up, token_of
from tests.conversation.planted import begun, gates
from tests.conversation.scripted import calls, says
from tests.pipeline.planted import done

DROPPED = {"SessionStatus": "failed", "CallStatus": "in-progress"}
CUT_OFF, GO_ON = "Sorry, we were cut off for a moment.", "Go on, please."


@pytest.fixture(autouse=True)
def waits(monkeypatch):
    """What is under way when a line drops is waited for, as everything here is."""
    monkeypatch.setattr(routes, "UNTOLD_WITHIN_S", LONG_S)


@pytest.fixture
def endings(monkeypatch):
    """How often a socket has come to its end at the server."""
    ended = []
    give_back = relay_call.HeldCalls.give_back

    async def noted(self, conversation, socket):
        await give_back(self, conversation, socket)
        ended.append(socket)

    monkeypatch.setattr(relay_call.HeldCalls, "give_back", noted)
    return ended


async def dropped(twilio, **fields):
    """Tell that the socket has dropped; return what the caller is greeted with, and the TwiML."""
    heard = await twilio.ask("/phone/relay-ended", **DROPPED, **fields)
    return heard.attribute("ConversationRelay", "welcomeGreeting"), heard


async def call_again(twilio, heard):
    """Open the socket that the TwiML asks for."""
    client = await dial_in(twilio)
    await set_up(client, twilio, token_of(heard))
    return client


@pytest.mark.requirement("004-990")
async def test_the_late_end_of_a_dropped_socket_does_not_silence_the_one_that_followed_it(caller, endings):
    """A connection that died is noticed late, mostly in the middle of the next answer."""
    rest = asyncio.Event()
    caller.instance.model.answers = [says("One."), [*says("We charge")[:1], rest, *says(" half.")]]
    old = await call_up(caller)
    await old.say("First")
    await old.answered()
    _, heard = await dropped(caller)
    new = await call_again(caller, heard)
    await new.say("What do you charge?")
    await new.until(lambda c: c.said == "We charge")
    old.socket.transport.abort()
    await until(lambda: endings)
    rest.set()
    assert await new.answered() == "We charge half."
    record = await caller.instance.record(caller.call_sid)
    assert [row["text"] for row in record["transcript"]][-2:] == ["What do you charge?", "We charge half."]
    assert not any("heard" in row for row in record["transcript"])
    await new.leave()


@pytest.mark.requirement("004-990")
async def test_nothing_that_is_heard_on_an_earlier_socket_counts(caller):
    """Whoever speaks there is not the caller any more; it is closed."""
    caller.instance.model.answers = [says("One."), says("Two.")]
    old = await call_up(caller)
    _, heard = await dropped(caller)
    new = await call_again(caller, heard)
    await new.say("First")
    await new.answered()
    await old.say("Cancel everything")
    assert await old.closed() == 1008
    await new.say("Second")
    assert await new.answered(2) == "One.Two."
    assert len(caller.instance.model.prompts) == 2
    await new.leave()


@pytest.mark.requirement("004-990")
@pytest.mark.parametrize("fails", ["go_on", "leave"])
async def test_a_socket_that_cannot_be_opened_leaves_the_call_to_the_one_that_has_it(caller, monkeypatch, fails):
    """Else nobody has it: the one is closed for its failure, and the other since it lost the call."""
    caller.instance.model.answers = [says("One."), says("Two.")]
    old = await call_up(caller)
    await old.say("First")
    await old.answered()
    _, heard = await dropped(caller)

    async def broken(*_):
        raise RuntimeError("a bug")

    with monkeypatch.context() as patch:
        patch.setattr(Conversation, fails, broken)
        assert await (await call_again(caller, heard)).closed() == 1011
    await old.say("Second")
    assert await old.answered(2) == "One.Two."
    await old.leave()


@pytest.mark.requirement("004-991")
async def test_what_was_done_when_the_line_dropped_is_told_as_soon_as_the_caller_is_back(caller, endings):
    """Nobody has said a word of it yet; the model knows that it was done, and that it was told."""
    gates["k"] = asyncio.Event()
    caller.instance.model.answers = [calls(("post", {"key": "k"})), says("As I said.")]
    old = await call_up(caller)
    await old.say("Post it")
    await until(lambda: begun == ["k"])
    old.socket.transport.abort()
    await until(lambda: endings)
    gates["k"].set()
    greeting, heard = await dropped(caller)
    assert (done, greeting) == (["k"], f"{CUT_OFF} Done: post. {GO_ON}")
    new = await call_again(caller, heard)
    await new.say("Did you post it?")
    assert await new.answered() == "As I said."
    told = [getattr(m, "text", "") for m in caller.instance.model.prompts[-1].messages]
    assert told.index(greeting) < told.index("Did you post it?")
    assert not any("has not been told" in text for text in told)
    record = await caller.instance.record(caller.call_sid)
    assert [row["what"] for row in record["receipts"]] == ["k"]
    await new.leave()


@pytest.mark.requirement("004-991")
async def test_what_is_done_after_the_caller_was_greeted_again_is_told_first_in_the_next_turn(
    caller, endings, monkeypatch
):
    """It outlives the turn and the greeting."""
    monkeypatch.setattr(routes, "UNTOLD_WITHIN_S", 0.01)
    gates["k"] = asyncio.Event()
    caller.instance.model.answers = [calls(("post", {"key": "k"})), says("Anything else?")]
    old = await call_up(caller)
    await old.say("Post it")
    await until(lambda: begun == ["k"])
    greeting, heard = await dropped(caller)
    assert greeting == f"{CUT_OFF} {GO_ON}"
    new = await call_again(caller, heard)
    old.socket.transport.abort()
    await until(lambda: endings)
    gates["k"].set()
    await new.say("Did you post it?")
    assert await new.answered() == "Done: post. Anything else?"
    await new.leave()


@pytest.mark.requirement("004-991")
@pytest.mark.parametrize(("speed", "told"), [(0.001, " Done: post."), (1e9, "")])
async def test_words_that_cannot_have_been_spoken_before_the_line_dropped_were_not_heard(
    caller, monkeypatch, speed, told
):
    """They are sent much faster than they are spoken."""
    monkeypatch.setattr(owed_calls, "CHARACTERS_PER_S", speed)
    gates["k"] = asyncio.Event()
    gates["k"].set()
    caller.instance.model.answers = [calls(("post", {"key": "k"})), says("It is posted, and all is well.")]
    old = await call_up(caller)
    await old.say("Post it")
    await old.answered()
    old.socket.transport.abort()
    greeting, _ = await dropped(caller)
    assert greeting == f"{CUT_OFF}{told} {GO_ON}"
    # What was done in earlier turns is no news.
    assert (await dropped(caller, SessionId="VX2"))[0] is None


@pytest.mark.requirement("004-991")
@pytest.mark.parametrize("error", [StoreError("away"), ToolError(ErrorType.TRANSIENT, "away")])
@pytest.mark.parametrize(("place", "fails"), [(Conversations, "open"), (Conversation, "cut_off")])
async def test_a_record_that_cannot_be_read_does_not_keep_the_caller_from_going_on(
    caller, monkeypatch, error, place, fails
):
    """What was done is told later then."""
    await (await call_up(caller)).leave()

    async def unreadable(*_, **__):
        raise error

    monkeypatch.setattr(place, fails, unreadable)
    assert (await dropped(caller))[0] == f"{CUT_OFF} {GO_ON}"
