"""The socket of a ConversationRelay call: who may open it, what is said over it, and how it ends."""

import asyncio
import socket
import time
from collections import Counter

import pytest

from switchboard.app import websocket_protocol
from switchboard.channels.phone import relay as relay_module
from switchboard.channels.phone import relay_call, relay_socket
from switchboard.contract.model import Ended, Ending, TextPiece
from tests.channels.conftest import LONG_S
from tests.channels.phone.house import BUSINESS, CALLER, NUMBER, RELAY_URL, TO_FRONT_DESK, PhoneInstance, Twilio, until
from tests.channels.phone.relay_client import call_up, dial_in, set_up, signed, token_of
from tests.conversation.planted import begun, gates
from tests.conversation.scripted import calls, says
from tests.each import each
from tests.pipeline.planted import done

# As it is for callers, read before a test makes it quicker.
CHARACTERS_PER_S = relay_call._CHARACTERS_PER_S

# The kernel's number of that state of a connection.
TCP_CLOSE = 7


def is_reset(client):
    """Tell whether the connection has been broken off by the other side, without reading from it."""
    known = client.socket.transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)
    return known[0] == TCP_CLOSE


@pytest.mark.requirement("000-07", "000-65")
@pytest.mark.requirement("000-07", "000-65")
async def test_what_the_model_says_is_streamed_and_every_answer_is_closed(caller):
    """Tokens as they are, blanks and all; the last one says that it is the last."""
    caller.instance.model.answers = [says("Hello", " there", ", Anna."), says("Bye.")]
    client = await call_up(caller)
    await client.say("Hi")
    await client.answered()
    assert client.messages == [
        *({"type": "text", "token": token, "last": False} for token in ("Hello", " there", ", Anna.")),
        {"type": "text", "token": "", "last": True},
    ]
    await client.say("Thanks")
    assert await client.answered(2) == "Hello there, Anna.Bye."
    await client.leave()


async def test_the_conversation_knows_who_calls_and_what_they_were_greeted_with(caller):
    """The number from the setup, the verdict on it from the webhook before."""
    caller.instance.model.answers = [says("Hi.")]
    heard = await caller.ask("/phone/incoming", StirVerstat="TN-Validation-Passed-A")
    client = await dial_in(caller)
    await set_up(client, caller, token_of(heard))
    await client.say("Hi")
    await client.answered()
    facts = (await caller.instance.conversations.open(caller_facts(caller))).session.facts
    record = await caller.instance.record(caller.call_sid)
    assert (record["callerPhone"], record["callSid"], record["channel"]) == (CALLER, caller.call_sid, "phone")
    assert [entry["text"] for entry in record["transcript"]] == ["Hello, Salon.", "Hi", "Hi."]
    assert facts.business_id == BUSINESS and not facts.is_withheld
    known = await caller.instance.phone.handoffs.beginning(BUSINESS, caller.call_sid)
    assert known["attestation"] == "TN-Validation-Passed-A"
    await client.leave()


@pytest.mark.requirement("004-100")
@pytest.mark.parametrize(("shown", "counts"), [(CALLER, True), ("+15185550199", False), ("anonymous", False)])
async def test_the_carriers_word_is_about_the_number_of_the_incoming_call_and_no_other(
    caller, monkeypatch, shown, counts
):
    """Of a number that the socket's setup names instead, nobody has said anything."""
    caller.instance.model.answers = [says("Hi.")]
    opened, opening = [], caller.instance.conversations.open

    async def noting(facts):
        opened.append(facts)
        return await opening(facts)

    monkeypatch.setattr(caller.instance.conversations, "open", noting)
    heard = await caller.ask("/phone/incoming", StirVerstat="TN-Validation-Passed-A")
    client = await dial_in(caller)
    await client.send(**setup_of(caller, token_of(heard), **{"from": shown}))
    await client.say("Hi")
    await client.answered()
    assert (opened[0].attestation == "TN-Validation-Passed-A") is counts
    await client.leave()


def caller_facts(caller):
    from switchboard.contract.context import PhoneContext

    return PhoneContext(
        business_id=BUSINESS, session_id=caller.call_sid, interaction_id=caller.call_sid, call_sid=caller.call_sid
    )


async def closed_after(caller, *messages, headers=None):
    client = await dial_in(caller, headers=headers)
    for message in messages:
        await (client.socket.send(message) if isinstance(message, str | bytes) else client.send(**message))
    # Nobody waits for the end of the time for a setup, which is a long one here.
    code = await client.closed()
    assert client.messages == []
    return code


def setup_of(caller, token, **fields):
    known = {"type": "setup", "callSid": caller.call_sid, "from": CALLER, "to": NUMBER}
    return known | {"customParameters": {"token": token}} | fields


@pytest.mark.parametrize("first", ["hello", "[]", "null", "{}", '{"type": "prompt", "voicePrompt": "Hi"}', b"\xff"])
async def test_a_socket_that_does_not_begin_with_a_setup_is_closed(caller, first):
    """Reliability row 37: 1008 within a second."""
    assert await closed_after(caller, first) == 1008


@pytest.mark.parametrize(
    "changes",
    [
        {"customParameters": {}},
        {"customParameters": None},
        {"customParameters": {"token": 7}},
        {"customParameters": {"token": "forged.demo-salon"}},
        {"customParameters": {"token": "forged"}},
        {"callSid": "CAanother"},
        {"callSid": ""},
        {"callSid": None},
        {"to": "+15185550199"},
        {"to": None},
    ],
)
async def test_a_setup_that_does_not_prove_its_call_is_refused(caller, changes):
    """The custom parameters are no proof of anything by themselves."""
    token = token_of(await caller.ask("/phone/incoming"))
    assert await closed_after(caller, setup_of(caller, token, **changes)) == 1008


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-Twilio-Signature": "x"},
        signed("other token"),
        signed(url="wss://relay.example.com/phone/relay/"),
        signed(url="ws://relay.example.com/phone/relay"),
    ],
)
async def test_a_handshake_that_is_not_signed_is_refused_and_uses_nothing_up(caller, headers, monkeypatch):
    """The token still serves whom it was made for. Reading the key once more makes a forged signature no better."""
    monkeypatch.setattr("switchboard.channels.phone.phone_numbers._RENEWED_AFTER_S", 0.0)
    token = token_of(await caller.ask("/phone/incoming"))
    assert await closed_after(caller, setup_of(caller, token), headers=headers) == 1008
    caller.instance.model.answers = [says("Hi.")]
    client = await dial_in(caller, headers=signed(url=RELAY_URL.replace(".com/", ".com:443/")))
    await set_up(client, caller, token)
    await client.say("Hi")
    assert await client.answered() == "Hi."
    await client.leave()


async def test_a_token_is_good_for_one_socket(caller):
    """Also when a hundred try at once."""
    token = token_of(await caller.ask("/phone/incoming"))
    clients = [await dial_in(caller) for _ in range(20)]
    await asyncio.gather(*(set_up(client, caller, token) for client in clients))
    await until(lambda: sum(client.code is not None for client in clients) >= 19)
    assert Counter(client.code for client in clients) == {1008: 19, None: 1}
    assert await closed_after(caller, setup_of(caller, token)) == 1008
    for client in clients:
        await client.leave()


async def test_an_old_token_is_refused(caller, monkeypatch):
    """Five minutes, by the clock and not by when the store removes it."""
    token = token_of(await caller.ask("/phone/incoming"))
    from datetime import timedelta

    now = caller.instance.clock.now
    monkeypatch.setattr(caller.instance.clock, "now", lambda: now() + timedelta(minutes=5))
    assert await closed_after(caller, setup_of(caller, token)) == 1008


async def test_who_says_nothing_is_not_waited_for(caller, monkeypatch):
    """Ten seconds for the setup, so that idle sockets do not pile up."""
    monkeypatch.setattr(relay_module, "SETUP_S", 0.1)
    assert await closed_after(caller) == 1008


async def test_a_frame_that_is_too_long_is_not_read(caller):
    """64 KB, compressed or not, before the setup and after it; a gigabyte is refused by its header."""
    assert await closed_after(caller, "x" * 65_537) == 1009
    client = await call_up(caller)
    await client.send(type="prompt", voicePrompt="é" * 40_000)
    assert await client.closed() == 1009


async def test_a_frame_that_claims_a_gigabyte_is_refused_at_once(caller):
    """Nothing of it is waited for."""
    with socket.create_connection(("127.0.0.1", caller.instance.port)) as raw:
        raw.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(
            raw,
            b"GET /phone/relay HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n",
        )
        assert b"101" in await loop.sock_recv(raw, 4096)
        await loop.sock_sendall(raw, b"\x81\xff" + (1 << 30).to_bytes(8) + b"mask" + b"x" * 100)
        frame = await asyncio.wait_for(loop.sock_recv(raw, 4096), 60.0)
    assert (frame[0], int.from_bytes(frame[2:4])) == (0x88, 1009)


async def test_a_message_that_cannot_be_read_is_passed_over_but_not_ten_in_a_row(caller):
    """As Twilio does with ours: one slip does not drop a caller."""
    caller.instance.model.answers = [says("Hi.")]
    client = await call_up(caller)
    for junk in ("{", "[]", '"x"', '{"type": "unheard of"}', '{"type": 7}', "{}"):
        await client.socket.send(junk)
    await client.say("Hi")
    assert await client.answered() == "Hi."
    for _ in range(10):
        await client.socket.send("{")
    assert await client.closed() == 1008


@pytest.mark.requirement("004-2458")
async def test_who_says_nothing_is_asked_whether_they_are_there_and_then_the_call_ends_politely(caller, monkeypatch):
    """Not as a dropped line, which would be connected again."""
    monkeypatch.setattr(relay_call, "ASKS_AFTER_S", 0.1)
    monkeypatch.setattr(relay_call, "IDLE_S", 0.1)
    client = await call_up(caller)
    assert await client.closed() == 1000
    assert client.said == "Are you still there?"
    assert client.handoff == {"reason": "silent"}
    heard = await caller.ask("/phone/relay-ended", HandoffData='{"reason": "silent"}', SessionStatus="ended")
    assert heard.names == ["Say", "Hangup"]


@pytest.mark.requirement("004-2458")
async def test_who_says_nothing_to_a_question_is_asked_it_once_more_in_place_of_that(caller, monkeypatch):
    """Their yes is to what they heard last."""
    caller.instance.model.answers = [
        calls(("book", {"what": "lunch"})),
        calls(("book", {"what": "lunch"})),
        says("Done."),
    ]
    client = await call_up(caller)
    await client.say("Lunch")
    assert await client.answered() == "Book lunch?"
    monkeypatch.setattr(relay_call, "ASKS_AFTER_S", 0.1)
    await client.send(type="interrupt", utteranceUntilInterrupt="Book lunch?")
    assert await client.answered(2) == "Book lunch?Book lunch?"
    await client.say("Yes")
    assert (await client.answered(3)).endswith("Done.")
    await client.leave()


@pytest.mark.requirement("004-2458")
async def test_nobody_is_asked_whether_they_are_there_while_it_is_ours_to_speak(caller, monkeypatch):
    """A tool takes its time, and an answer is spoken longer than it takes to be sent."""
    monkeypatch.setattr(relay_call, "ASKS_AFTER_S", 0.05)
    monkeypatch.setattr(relay_call, "_CHARACTERS_PER_S", 1e-3)
    gates["k"] = asyncio.Event()
    caller.instance.model.answers = [calls(("post", {"key": "k"})), says("It is posted.")]
    client = await call_up(caller)
    await client.say("Post it")
    await asyncio.sleep(0.3)
    gates["k"].set()
    await client.answered()
    await asyncio.sleep(0.3)
    assert "still there" not in client.said
    await client.leave()


@pytest.mark.requirement("004-2458")
async def test_whoever_speaks_up_is_asked_anew_after_the_next_silence(caller, monkeypatch):
    """The call goes on, and ends with the second silence in a row only."""
    monkeypatch.setattr(relay_call, "ASKS_AFTER_S", 0.1)
    caller.instance.model.answers = [says("Hello.")]
    client = await call_up(caller)
    await client.answered()
    await client.say("Yes, I am here")
    assert await client.answered(3) == "Are you still there?Hello.Are you still there?"
    await client.leave()


async def test_a_call_ends_after_two_hours(caller, monkeypatch):
    """However lively it is."""
    monkeypatch.setattr(relay_call, "LONGEST_S", 0.2)
    client = await call_up(caller)
    assert await client.closed() == 1000
    assert client.handoff == {"reason": "too_long"}


@pytest.mark.usefixtures("endless")
async def test_who_does_not_read_is_let_go(caller, monkeypatch):
    """Nothing piles up for a slow reader: sending waits, and then gives up, and so does the connection."""
    monkeypatch.setattr(relay_socket, "SENT_WITHIN_S", 0.3)
    monkeypatch.setattr(websocket_protocol, "READ_WITHIN_S", 0.3)
    said = []

    async def talk_for_ever(prompt):
        try:
            while True:
                yield TextPiece("word " * 8_000)
                said.append(1)
                await asyncio.sleep(0.005)
        finally:
            said.append("closed")

    caller.instance.model.stream = talk_for_ever
    token = token_of(await caller.ask("/phone/incoming"))
    client = await dial_in(caller, packs=False)
    client.socket.transport.pause_reading()
    await set_up(client, caller, token)
    await client.say("Hi")
    await until(lambda: said[-1:] == ["closed"])
    assert len(said) < 1_000
    await until(lambda: is_reset(client))
    client.socket.transport.abort()
    await client.closed()


async def test_who_does_not_take_even_the_farewell_is_let_go(caller, monkeypatch):
    """A server that closes politely waits until its last words are read, however few they are."""
    monkeypatch.setattr(websocket_protocol, "READ_WITHIN_S", 0.3)
    client = await dial_in(caller)
    client.socket.transport.pause_reading()
    await client.socket.send("{")
    await until(lambda: is_reset(client))
    client.socket.transport.abort()
    await client.closed()


@pytest.mark.usefixtures("endless")
async def test_who_reads_slowly_but_reads_is_not_let_go(caller, monkeypatch):
    """What was read in time is forgotten: the answer arrives whole, and so does the next one after that time."""
    loop, timers = asyncio.get_running_loop(), []
    call_later = loop.call_later

    def noticed(delay, callback, *args, **how):
        timer = call_later(delay, callback, *args, **how)
        if getattr(callback, "__name__", "") == "_abort":
            timers.append((timer, callback))
        return timer

    monkeypatch.setattr(loop, "call_later", noticed)
    words = ["word " * 8_000] * 200
    caller.instance.model.answers = [says(*words), says("Bye.")]
    token = token_of(await caller.ask("/phone/incoming"))
    client = await dial_in(caller, packs=False)
    await set_up(client, caller, token)
    client.socket.transport.pause_reading()
    await client.say("Hi")
    await until(lambda: timers)
    client.socket.transport.resume_reading()
    assert await client.answered() == "".join(words)
    for timer, break_off in timers:
        if not timer.cancelled():
            break_off()
    await client.say("Bye")
    assert (await client.answered(2)).endswith("Bye.")


@pytest.mark.requirement("000-63", "000-64")
@pytest.mark.requirement("000-63", "000-64")
async def test_parts_of_an_utterance_do_not_begin_a_turn(caller):
    """Seed 000, "STT streaming": the whole one does."""
    caller.instance.model.answers = [says("Hi.")]
    client = await call_up(caller)
    await client.send(type="prompt", voicePrompt="I want", last=False)
    await client.send(type="prompt", voicePrompt="  ", last=True)
    await client.send(type="prompt", voicePrompt="I want a haircut", last=True)
    assert await client.answered() == "Hi."
    assert [m.text for m in caller.instance.model.prompts[0].messages[1:]] == ["I want a haircut"]
    await client.leave()


@pytest.mark.requirement("004-993")
async def test_words_of_which_nobody_sees_anything_begin_no_turn(caller):
    """Nobody has said them; with the keys before them, the keys alone count."""
    caller.instance.model.answers = [says("Hi.")]
    client = await call_up(caller)
    await client.say("\u200b\u2060")
    await client.say("Hello")
    assert await client.answered() == "Hi."
    assert [m.text for m in caller.instance.model.prompts[0].messages[1:]] == ["Hello"]
    await client.leave()


async def test_two_utterances_close_together_are_one_turn(caller):
    """A pause for breath must not lose the first half, nor have it answered twice."""
    slow = asyncio.Event()
    answer = says("Haircut tomorrow, all right.")
    caller.instance.model.answers = [[TextPiece("Let me"), slow], answer, answer]
    client = await call_up(caller)
    await client.say("Hello")
    await client.until(lambda c: c.said == "Let me")
    await asyncio.gather(client.say("A haircut"), client.say("tomorrow"))

    def heard():
        return [m.text for m in caller.instance.model.prompts[-1].messages if type(m).__name__ == "UserMessage"]

    await client.until(lambda c: "all right" in c.said and "tomorrow" in heard()[-1])
    assert " ".join(heard()) == "Hello A haircut tomorrow"
    await client.leave()


async def test_keys_make_one_number(caller, monkeypatch):
    """A code is pressed key by key: `#` or a pause ends it; it is one turn."""
    waits, listen = [], relay_socket.RelaySocket.next

    async def listening(self, within_s):
        waits.append(within_s)
        return await listen(self, within_s)

    monkeypatch.setattr(relay_socket.RelaySocket, "next", listening)
    monkeypatch.setattr(relay_call, "ASKS_AFTER_S", 2 * LONG_S)
    caller.instance.model.answers = [says("One."), says("Two."), says("Three.")]
    client = await call_up(caller)
    for key in "482913#":
        await client.send(type="dtmf", digit=key)
    await client.answered()
    await client.send(type="dtmf", digit="7")
    await until(lambda: waits[-1] == LONG_S)
    monkeypatch.setattr(relay_call, "KEYS_S", 0.05)
    await client.send(type="dtmf", digit="*")
    await client.answered(2)
    monkeypatch.setattr(relay_call, "KEYS_S", LONG_S)
    await client.send(type="dtmf", digit="5")
    await client.say("is my number")
    await client.answered(3)
    heard = [m.text for m in caller.instance.model.prompts[-1].messages if type(m).__name__ == "UserMessage"]
    assert heard == ["[pressed 482913]", "[pressed 7*]", "5 is my number"]
    await client.leave()


@pytest.mark.parametrize("digit", ["", "#", None, 7])
async def test_a_key_that_says_nothing_begins_no_turn(caller, digit):
    """Nor does a broken message."""
    caller.instance.model.answers = [says("Hi.")]
    client = await call_up(caller)
    await client.send(type="dtmf", digit=digit)
    await client.say("Hi")
    assert await client.answered() == "Hi."
    assert len(caller.instance.model.prompts) == 1
    await client.leave()


async def test_speech_stops_within_fifty_milliseconds_of_an_interruption(caller):
    """From when the interruption is sent to the last word received, over a real socket, while words pour out,
    a hundred times as fast as anybody speaks: one every millisecond, so that they tell the time, however slow the
    machine is.
    """
    ended = []

    async def flood(prompt):
        try:
            for n in range(100_000):
                yield TextPiece(f"word {n} ")
                await asyncio.sleep(0.001)
        finally:
            ended.append(True)

    caller.instance.model.stream = flood
    client = await call_up(caller)
    late = []
    for turn in range(10):
        before = len(client.messages)
        await client.say("Talk")
        await client.until(lambda c, n=before: len(c.messages) > n + 50)
        before = quiet_since = len(client.messages)
        await client.send(type="interrupt", utteranceUntilInterrupt="word", durationUntilInterruptMs=100)
        await until(lambda n=turn: len(ended) > n)
        while True:
            await asyncio.sleep(0.02)
            if len(client.messages) == quiet_since:
                break
            quiet_since = len(client.messages)
        late.append(len(client.messages) - before)
    assert max(late) < 50
    await client.leave()


async def test_an_interruption_keeps_what_was_heard(caller):
    """And the model is told so."""
    caller.instance.model.answers = [
        [TextPiece("We open at nine. "), TextPiece("And close"), asyncio.Event()],
        says("Ok."),
    ]
    client = await call_up(caller)
    await client.say("When?")
    await client.until(lambda c: c.said.endswith("close"))
    await client.send(type="interrupt", utteranceUntilInterrupt="We open at", durationUntilInterruptMs=700)
    await client.say("And Sunday?")
    assert (await client.answered()).endswith("Ok.")
    told = [getattr(m, "text", "") for m in caller.instance.model.prompts[1].messages]
    assert told[2:4] == ["We open at", "The caller interrupted here and did not hear the rest."]
    await client.leave()


@pytest.mark.requirement("004-812")
async def test_how_long_a_caller_was_listened_to_is_known_where_the_relay_tells_when_they_began(caller):
    """By an interruption, or by a part of what they say; of all else nobody knows."""
    caller.instance.model.answers = [says("One."), says("Two."), says("Three.")]
    client = await call_up(caller)
    await client.say("Hi")
    await client.answered()
    await client.send(type="prompt", voicePrompt="And", last=False)
    await client.say("And Sunday?")
    await client.answered(2)
    await client.send(type="interrupt", utteranceUntilInterrupt="Two.")
    await client.say("And Monday?")
    await client.answered(3)
    await client.leave()
    record = await caller.instance.record(caller.call_sid)
    listened = [[step["kind"] for step in turn["steps"]].count("listening") for turn in record["times"]]
    assert listened == [0, 1, 1]


@pytest.mark.requirement("004-812")
async def test_nobody_was_listened_to_from_an_interruption_by_a_key_or_from_a_noise(caller):
    """What came of it was no speech; when whoever spoke next began, nobody has told."""
    caller.instance.model.answers = [says("One."), says("Two."), says("Three."), says("Four.")]
    client = await call_up(caller)
    await client.say("Hi")
    await client.answered()
    await client.send(type="interrupt", utteranceUntilInterrupt="One.")
    await client.send(type="dtmf", digit="7")
    await client.send(type="dtmf", digit="#")
    await client.answered(2)
    await client.say("And Sunday?")
    await client.answered(3)
    await client.send(type="prompt", voicePrompt=" ", last=True)
    await client.say("And Monday?")
    await client.answered(4)
    await client.leave()
    record = await caller.instance.record(caller.call_sid)
    listened = [[step["kind"] for step in turn["steps"]].count("listening") for turn in record["times"]]
    assert listened == [0, 0, 0, 0]


@pytest.mark.requirement("000-390")
@each("is_over", [True, False])
async def test_an_interruption_that_tells_the_last_piece_keeps_what_came_before(caller, is_over):
    """Relays differ in which of the two they tell; the model must know what the caller knows."""
    pieces = [TextPiece("We open at nine. "), TextPiece("On Sunday we are closed. "), TextPiece("Shall I book you in?")]
    caller.instance.model.answers = [[*pieces, Ended(Ending.STOPPED) if is_over else asyncio.Event()], says("Ok.")]
    before = len(caller.instance.model.prompts)
    client = await call_up(Twilio(caller.instance))
    await client.say("When?")
    await client.until(lambda c: c.said.endswith("in?"))
    await client.send(type="interrupt", utteranceUntilInterrupt="On Sunday we are", durationUntilInterruptMs=700)
    await client.say("And Saturday?")
    await client.until(lambda c: c.said.endswith("Ok."))
    told = [getattr(m, "text", "") for m in caller.instance.model.prompts[before + 1].messages]
    assert told[2:4] == [
        "We open at nine. On Sunday we are",
        "The caller interrupted here and did not hear the rest.",
    ]
    await client.leave()


@pytest.mark.requirement("000-390")
async def test_a_prompt_during_an_answer_interrupts_it_without_being_told_so(caller):
    """Some relays send no interruption: what was sent stands in the history, and nothing more is said of it."""
    caller.instance.model.answers = [
        [TextPiece("We open at nine. "), TextPiece("And close"), asyncio.Event(), TextPiece(" at six.")],
        says("Ok."),
    ]
    client = await call_up(caller)
    await client.say("When?")
    await client.until(lambda c: c.said.endswith("close"))
    await client.say("And Sunday?")
    await client.until(lambda c: c.said.endswith("Ok."))
    told = [getattr(m, "text", "") for m in caller.instance.model.prompts[1].messages]
    assert told[2:] == [
        "We open at nine. And close",
        "The caller interrupted here and did not hear the rest.",
        "And Sunday?",
    ]
    await client.leave()


@pytest.mark.requirement("000-351", "000-352")
async def test_an_interruption_after_the_answer_was_made_still_counts(caller):
    """Words are made faster than they are spoken, so that most interruptions come late; the record knows it too."""
    caller.instance.model.answers = [says("We open at nine. ", "We close at six."), says("Ok.")]
    client = await call_up(caller)
    await client.say("When?")
    await client.answered()
    await client.send(type="interrupt", utteranceUntilInterrupt="We open at", durationUntilInterruptMs=700)
    await client.say("And Sunday?")
    await client.answered(2)
    told = [getattr(m, "text", "") for m in caller.instance.model.prompts[1].messages]
    assert told[2:4] == ["We open at", "The caller interrupted here and did not hear the rest."]
    await client.leave()
    await caller.ask("/phone/status", CallStatus="completed", CallDuration="17")
    record = await caller.instance.record(caller.call_sid)
    spoken = [(row["text"], row.get("heard")) for row in record["transcript"] if row["role"] == "agent"]
    assert spoken[1:] == [("We open at nine. We close at six.", "We open at"), ("Ok.", None)]
    assert (record["outcome"], record["durationSeconds"]) == ("answered", 17)


@pytest.mark.usefixtures("endless")
async def test_what_waits_to_be_sent_is_dropped_by_an_interruption(caller):
    """A line that is slow must not go on speaking from what has piled up."""
    pieces = 200
    caller.instance.model.answers = [says(*["word " * 8_000] * pieces)]
    token = token_of(await caller.ask("/phone/incoming"))
    client = await dial_in(caller, packs=False)
    client.socket.transport.pause_reading()
    await set_up(client, caller, token)
    await client.say("Talk")
    await until(lambda: caller.instance.model.closed == 1)
    await client.send(type="interrupt", utteranceUntilInterrupt="")
    client.socket.transport.resume_reading()
    caller.instance.model.answers = [says("Yes?")]
    await client.say("Stop")
    await client.until(lambda c: c.said.endswith("Yes?"))
    assert len(client.messages) < pieces
    await client.leave()


async def test_an_interruption_without_words_keeps_what_was_said(caller):
    """A relay that does not tell what was heard takes nothing back."""
    caller.instance.model.answers = [[TextPiece("We open at nine."), asyncio.Event()], says("Ok.")]
    client = await call_up(caller)
    await client.say("When?")
    await client.until(lambda c: c.said)
    await client.send(type="interrupt")
    await client.say("And Sunday?")
    await client.answered()
    assert caller.instance.model.prompts[1].messages[2].text == "We open at nine."
    await client.leave()


@pytest.mark.requirement("003-94")
async def test_the_end_waits_until_the_farewell_could_be_heard(caller, monkeypatch):
    """Ending the session drops what has not been spoken; the caller may cut it short by interrupting."""
    assert CHARACTERS_PER_S == 15.0
    farewell = "Goodbye, and see you soon."
    for cuts_short in (False, True):
        # A third of a second, or one that is over only by being cut short.
        monkeypatch.setattr(relay_call, "_CHARACTERS_PER_S", len(farewell) / (LONG_S if cuts_short else 0.3))
        twilio = Twilio(caller.instance)
        caller.instance.model.answers = [calls(("hang_up", {}), text=farewell)]
        client = await call_up(twilio)
        began = time.monotonic()
        await client.say("Bye")
        await client.until(lambda c: c.said)
        if cuts_short:
            await client.until(lambda c: c.ended_answers)
            await client.send(type="interrupt", utteranceUntilInterrupt="Goodbye")
        await client.until(lambda c: c.handoff)
        assert cuts_short or client.times[-1] - began >= 0.3
        assert client.handoff == {"reason": "ended"}
        await client.leave()


@pytest.mark.requirement("004-54")
@pytest.mark.requirement("004-54")
async def test_after_the_end_nothing_more_is_said(caller, monkeypatch):
    """Whatever the caller says into the farewell (seed 004, "Special Tool Behaviors")."""
    caller.instance.model.answers = [calls(("hang_up", {}), text="Goodbye."), says("Never said.")]
    monkeypatch.setattr(relay_call, "_CHARACTERS_PER_S", 50.0)
    monkeypatch.setattr(relay_call, "_CLOSED_WITHIN_S", 0.3)
    client = await call_up(caller)
    await client.say("Bye")
    await client.until(lambda c: c.ended_answers)
    await client.say("Wait!")
    assert await client.closed() == 1000
    assert client.said == "Goodbye."
    assert client.messages[-1] == {"type": "end", "handoffData": '{"reason":"ended"}'}
    heard = await caller.ask("/phone/relay-ended", HandoffData='{"reason":"ended"}', SessionStatus="ended")
    assert heard.names == ["Hangup"]


@pytest.mark.requirement("004-53")
async def test_a_transfer_goes_through_the_hand_off_and_leaves_no_number_with_twilio(caller):
    """`<Connect action>` asks what to do, and the store knows."""
    caller.instance.model.answers = [calls(("put_through", {"fallback": "+15185550145"}), text="One second.")]
    client = await call_up(caller)
    await client.say("A person, please")
    assert await client.closed() == 1000
    assert client.handoff == {"reason": "transferred"}
    fields = {"HandoffData": '{"reason":"transferred"}', "SessionStatus": "ended", "SessionId": "VX1"}
    async with PhoneInstance(caller.instance.store, RELAY_URL).serving() as elsewhere:
        heard = await Twilio(elsewhere, caller.call_sid).ask("/phone/relay-ended", **fields)
        assert heard.dialled == TO_FRONT_DESK["number"]
        assert heard.verb("Dial").attrib == {
            "action": "https://switchboard.example.com/phone/transfer-result"
            "?fallback=%2B15185550145&callerId=%2B15185550171",
            "method": "POST",
            "timeout": "20",
            "callerId": CALLER,
            "answerOnBridge": "true",
        }


async def test_a_transfer_that_nobody_answers_comes_back_to_the_conversation(caller):
    """Which knows that it failed."""
    caller.instance.model.answers = [calls(("put_through", {})), says("I take a message.")]
    client = await call_up(caller)
    await client.say("A person")
    await client.closed()
    await caller.ask("/phone/relay-ended", HandoffData='{"reason":"transferred"}', SessionStatus="ended")
    heard = await caller.ask("/phone/transfer-result", DialCallStatus="no-answer")
    assert heard.attribute("ConversationRelay", "welcomeGreeting").startswith("I'm sorry, nobody could be reached.")
    client = await dial_in(caller)
    await set_up(client, caller, token_of(heard))
    await client.say("Yes")
    assert await client.answered() == "I take a message."
    told = [getattr(m, "text", "") for m in caller.instance.model.prompts[-1].messages]
    assert "I'm sorry, nobody could be reached. Would you like me to take a message?" in told
    await client.leave()


async def test_a_socket_that_drops_is_opened_again_once_and_then_turns_take_over(caller):
    """Wire-formats, trap 16: the relay never reconnects by itself."""
    caller.instance.model.answers = [says("One."), says("Two."), says("Three.")]
    client = await call_up(caller)
    await client.say("First")
    await client.answered()
    client.socket.transport.abort()
    await client.closed()
    dropped = {"SessionStatus": "failed", "CallStatus": "in-progress"}
    heard = await caller.ask("/phone/relay-ended", SessionId="VX1", **dropped)
    assert heard.attribute("ConversationRelay", "welcomeGreeting").startswith("Sorry, we were cut off")
    client = await dial_in(caller)
    await set_up(client, caller, token_of(heard))
    await client.say("Second")
    assert await client.answered() == "Two."
    told = [getattr(m, "text", "") for m in caller.instance.model.prompts[1].messages]
    assert told[:3] == ["Hello, Salon.", "First", "One."]
    await client.leave()
    again = await caller.ask("/phone/relay-ended", SessionId="VX2", **dropped)
    assert again.said.startswith("Sorry, we were cut off")
    assert (await caller.ask(again.action, SpeechResult="Third")).said == "Three."


@pytest.mark.parametrize(
    "fields",
    [{"SessionStatus": "completed", "CallStatus": "completed"}, {"SessionStatus": "failed", "CallStatus": "completed"}],
)
async def test_a_caller_who_hung_up_is_not_called_back(caller, fields):
    """The TwiML is ignored then."""
    assert (await caller.ask("/phone/relay-ended", **fields)).names == []


@pytest.mark.parametrize("handoff", ["{", "[]", '"x"', "null"])
async def test_hand_off_data_that_is_none_of_ours_changes_nothing(caller, handoff):
    """It is a string of ours that came by way of somebody else."""
    assert (await caller.ask("/phone/relay-ended", HandoffData=handoff, SessionStatus="ended")).names == []


async def test_whoever_hangs_up_interrupts_and_what_was_begun_is_finished(caller):
    """An action is never left half done."""
    gates["k"] = asyncio.Event()
    caller.instance.model.answers = [calls(("post", {"key": "k"}), text="One moment.")]
    client = await call_up(caller)
    await client.say("Post it")
    await until(lambda: begun == ["k"])
    await client.leave()
    gates["k"].set()
    await until(lambda: done == ["k"])


async def test_a_bug_drops_the_line_as_a_broken_one_which_is_opened_again(caller, monkeypatch, caplog):
    """And is in the log with its place."""

    async def break_down(*_):
        raise KeyError("x")

    monkeypatch.setattr(relay_call.RelayCall, "_hear", break_down)
    client = await call_up(caller)
    await client.say("Hi")
    assert await client.closed() == 1011
    assert any(record.exc_info for record in caplog.records)


async def test_a_store_that_does_not_answer_closes_the_socket_and_the_caller_hears_why(caller):
    """1013, and `/phone/relay-ended` finds another way."""
    token = token_of(await caller.ask("/phone/incoming"))
    caller.instance.store.fail("get")
    assert await closed_after(caller, setup_of(caller, token)) == 1013
    caller.instance.store.recover()
    heard = await caller.ask("/phone/relay-ended", SessionStatus="failed", CallStatus="in-progress")
    assert heard.verb("ConversationRelay") is not None


async def test_a_model_that_breaks_in_an_unheard_of_way_still_ends_in_words(caller):
    """A turn that breaks down without a word would be silence for ever."""
    caller.instance.model.answers = [[KeyError("nobody thought of it")], says("Better.")]
    client = await call_up(caller)
    await client.say("Hi")
    assert "take a message" in await client.answered()
    await client.say("Again")
    assert (await client.answered(2)).endswith("Better.")
    await client.leave()


async def test_errors_and_news_of_the_relay_change_nothing(caller):
    """Shapes that are not documented are never depended on."""
    caller.instance.model.answers = [says("Hi.")]
    client = await call_up(caller)
    await client.send(type="error", description="Invalid message received")
    await client.send(type="info", name="agentSpeaking", state="started")
    await client.send(type="tokens-played", tokens=3)
    await client.say("Hi")
    assert await client.answered() == "Hi."
    await client.leave()
