"""What Twilio is let in for and what it is answered at once: signatures, deliveries, transfers, ends, and trouble."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from twilio.request_validator import RequestValidator

from switchboard.app.clients import SystemClock
from switchboard.channels.phone import routes, webhook
from switchboard.channels.phone.phone_numbers import SafeNumbers
from switchboard.channels.phone.webhook import in_time
from switchboard.contract.business.business import read_business
from switchboard.contract.context import PhoneContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.contract.store import Set
from tests.channels.conftest import LONG_S
from tests.channels.phone.house import (
    BUSINESS,
    CALLER,
    NUMBER,
    PATHS,
    PUBLIC_URL,
    RELAY_URL,
    SALON,
    TOKEN,
    WITHIN,
    Heard,
    PhoneInstance,
    Twilio,
    open_store,
    registry,
)
from tests.conversation.planted import gates
from tests.conversation.scripted import calls, says
from tests.each import each
from tests.pipeline.planted import done

# What callers wait for at the most; and the limits as they are for them, read before a test turns them up.
WITHIN_S = 3
LIMITS = {name: getattr(routes, name) for name in ("WORKED_WITHIN_S", "REMEMBERED_WITHIN_S")}


async def test_a_call_is_answered_with_the_greeting_and_the_caller_is_listened_to(twilio):
    """Without a relay: `<Gather>` for speech and keys, with a number for speechTimeout."""
    heard = await twilio.ask("/phone/incoming")
    assert heard.said == "Hello, Salon."
    gather = heard.verb("Gather")
    assert gather.attrib == {
        "input": "speech dtmf",
        "action": f"{PUBLIC_URL}/phone/turn?turn=1",
        "method": "POST",
        "language": "en-US",
        "timeout": "5",
        "speechTimeout": "2",
        "bargeIn": "true",
    }
    assert heard.redirect == f"{PUBLIC_URL}/phone/turn?turn=1&silent=1"


async def test_with_a_relay_the_call_is_connected_to_it(caller):
    """Every attribute as it stands in the XML, since Twilio ignores what it does not know."""
    heard = await caller.ask("/phone/incoming")
    assert heard.verb("Connect").attrib == {"action": f"{PUBLIC_URL}/phone/relay-ended", "method": "POST"}
    assert heard.verb("ConversationRelay").attrib == {
        "url": RELAY_URL,
        "welcomeGreeting": "Hello, Salon.",
        "language": "en-US",
        "transcriptionProvider": "Deepgram",
        "interruptible": "any",
        "reportInputDuringAgentSpeech": "any",
        "dtmfDetection": "true",
    }
    assert heard.attribute("Parameter", "name") == "token"
    assert heard.attribute("Parameter", "value").endswith(f".{BUSINESS}")


@pytest.mark.parametrize(
    ("voice", "relay", "say"),
    [
        ("", (None, None), None),
        ("UgBBYS2sOqTuMpoF3BR0", (None, "UgBBYS2sOqTuMpoF3BR0"), None),
        ("Polly.Vicki-Neural", ("Amazon", "Vicki-Neural"), "Polly.Vicki-Neural"),
        ("Google.de-DE-Neural2-C", ("Google", "de-DE-Neural2-C"), "Google.de-DE-Neural2-C"),
    ],
)
def test_a_business_speaks_its_language_in_its_voice(voice, relay, say):
    """The relay names voices without their provider, `<Say>` with it."""
    from switchboard.channels.phone import twiml

    business = read_business("b", {"name": "Klempner", "ai": {"language": "de", "voice": voice}})
    connected = Heard(twiml.connect(business, RELAY_URL, "t", "Hallo", "https://e"))
    assert connected.attribute("ConversationRelay", "language") == "de-DE"
    assert (
        connected.attribute("ConversationRelay", "ttsProvider"),
        connected.attribute("ConversationRelay", "voice"),
    ) == relay
    said = Heard(twiml.gather(business, "Hallo & <willkommen>", "https://t", "https://s"))
    assert said.verb("Say").attrib == {"language": "de-DE"} | ({"voice": say} if say else {})
    assert said.said == "Hallo & <willkommen>"


@pytest.mark.requirement("003-335")
def test_what_an_owner_wrote_for_the_eye_is_not_read_aloud():
    """A greeting, and whatever else comes into a document: without marks and addresses, in the voice's language."""
    from switchboard.channels.phone import twiml

    business = read_business("b", {"name": "Klempner", "ai": {"language": "de"}})
    written, spoken = "**Hallo!** Siehe https://klempner.example/a", "Hallo! Siehe die Webseite"
    connected = Heard(twiml.connect(business, RELAY_URL, "t", written, "https://e"))
    assert connected.attribute("ConversationRelay", "welcomeGreeting") == spoken
    for document in (twiml.gather(business, written, "https://t", "https://s"), twiml.goodbye(written, business)):
        assert Heard(document).said == spoken


@pytest.mark.parametrize(
    "how",
    [
        {"headers": {}},
        {"headers": {"X-Twilio-Signature": "c2lnbmF0dXJl"}},
        {"headers": {"X-Twilio-Signature": "sign\u00e9".encode("latin-1")}},
        {"To": "+15185550199"},
        {"To": ""},
    ],
)
@pytest.mark.requirement("000-61")
async def test_what_twilio_did_not_send_is_refused_and_nothing_is_written(twilio, how):
    """Reliability row 30 and 31: 403, zero writes; also for a number that is nobody's."""
    before = twilio.instance.store.asked["commit"]
    answer = await twilio.post("/phone/incoming", **how)
    assert answer.status_code == 403
    assert answer.json()["error"]["type"] == "AUTH"
    assert twilio.instance.store.asked["commit"] == before


async def test_neither_host_nor_forwarded_headers_nor_scheme_count(twilio):
    """The configured address is signed, whatever a proxy or a stranger says."""
    headers = {"X-Twilio-Signature": RequestValidator(TOKEN).compute_signature("https://evil.com/phone/incoming", {})}
    spoofed = headers | {"Host": "evil.com", "X-Forwarded-Host": "evil.com", "X-Forwarded-Proto": "https"}
    assert (await twilio.post("/phone/incoming", headers=spoofed)).status_code == 403


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"x" * 70_000, 413),
        (b"a=1&" * 300, 413),
        (b"", 403),
        (b"%ff%fe=%00&To=%ff", 403),
        (b'{"To": "+15185550100"}', 403),
    ],
)
async def test_bodies_that_are_no_webhook_are_refused_as_what_they_are(twilio, body, status):
    """Never a 500."""
    headers = {"content-type": "application/x-www-form-urlencoded", "x-twilio-signature": "x"}
    assert (await twilio.client.post("/phone/incoming", content=body, headers=headers)).status_code == status


async def test_a_business_without_an_account_is_not_reached(twilio):
    """Without a token nothing can be signed, and an empty one signs nothing."""
    twilio.instance.secrets.kept.clear()
    assert (await twilio.post("/phone/incoming")).status_code == 403


async def test_of_two_businesses_with_one_main_number_the_one_that_signs_has_it(twilio):
    """What is entered for another by mistake silences nobody."""
    await twilio.instance.store.commit([Set(PATHS.within("other").business, {"twilioNumber": NUMBER})])
    assert (await twilio.ask("/phone/incoming")).said == "Hello, Salon."


SECOND, ACCOUNT = "+15185550199", "AC00000000000000000000000000000002"
_LISTED = {"twilio": {"accountSid": ACCOUNT, "phoneNumbers": [{"id": "PN2", "number": SECOND}]}}


async def test_a_number_that_a_business_has_listed_is_its_line_too(twilio):
    """Every number that it may text from is one that callers reach it by, without a query for each webhook."""
    store = twilio.instance.store
    await store.commit([Set(WITHIN.business, SALON | {"integrations": _LISTED})])
    assert (await twilio.ask("/phone/incoming", To=SECOND, AccountSid=ACCOUNT)).said == "Hello, Salon."
    asked = store.asked["query"]
    assert (await twilio.post("/phone/status", To=SECOND, AccountSid=ACCOUNT)).status_code == 200
    assert store.asked["query"] == asked
    assert (await twilio.post("/phone/status", To=SECOND, AccountSid=ACCOUNT, token="forged")).status_code == 403
    assert (await twilio.post("/phone/status", To=SECOND, AccountSid="AC1")).status_code == 403


async def test_of_several_that_list_a_number_the_one_that_signs_has_it(twilio):
    """Nobody takes another's number away by listing it; whose main number it is has it before all who list it."""
    rival = PATHS.within("rival").business
    secrets, store = twilio.instance.secrets.kept, twilio.instance.store
    secrets["rival", "twilio", "authToken"] = "rivals"
    await store.commit([Set(WITHIN.business, SALON | {"integrations": _LISTED})])
    await store.commit([Set(rival, {"name": "Rival", "integrations": _LISTED})])
    assert (await twilio.ask("/phone/incoming", To=SECOND, AccountSid=ACCOUNT)).said == "Hello, Salon."
    claiming = {"twilio": {"accountSid": ACCOUNT, "phoneNumbers": [{"id": "n", "number": NUMBER}]}}
    await store.commit([Set(rival, {"name": "Rival", "integrations": claiming})])
    assert (await twilio.post("/phone/status", AccountSid=ACCOUNT, token="rivals")).status_code == 403


async def test_a_number_that_is_listed_now_is_reached_within_seconds(twilio, monkeypatch):
    """What was read of the account a moment ago does not keep it away for a minute."""
    store = twilio.instance.store
    await store.commit([Set(WITHIN.business, SALON | {"integrations": {"twilio": {"accountSid": ACCOUNT}}})])
    refused = await twilio.post("/phone/incoming", To=SECOND, AccountSid=ACCOUNT)
    assert refused.status_code == 403
    assert "No business has this number" in refused.json()["error"]["message"]
    await store.commit([Set(WITHIN.business, SALON | {"integrations": _LISTED})])
    monkeypatch.setattr("switchboard.channels.phone.phone_numbers._RENEWED_AFTER_S", 0.0)
    assert (await twilio.post("/phone/incoming", To=SECOND, AccountSid=ACCOUNT)).status_code == 200


async def test_a_token_that_was_renewed_counts_soon(twilio, monkeypatch):
    """Twilio signs with the new one at once; what is kept for a minute must not lose the calls until then."""
    await twilio.ask("/phone/incoming")
    twilio.instance.secrets.kept[(BUSINESS, "twilio", "authToken")] = "renewed"
    # It has just been read: forged requests must not make the store busy.
    assert (await twilio.post("/phone/status", token="renewed")).status_code == 403
    monkeypatch.setattr("switchboard.channels.phone.phone_numbers._RENEWED_AFTER_S", 0.0)
    assert (await twilio.post("/phone/status", token="forged")).status_code == 403
    assert (await twilio.post("/phone/status", token="renewed")).status_code == 200
    assert (await twilio.post("/phone/status", token=TOKEN)).status_code == 403


async def test_a_shared_key_is_the_only_one_that_counts(twilio):
    """HMAC-SHA256, as configured; the auth token's SHA-1 is no way round it."""
    twilio.instance.secrets.kept[(BUSINESS, "twilio", "sharedKey")] = "shared"
    assert (await twilio.post("/phone/incoming")).status_code == 403
    fields = {"CallSid": twilio.call_sid, "From": CALLER, "To": NUMBER}
    url = f"{PUBLIC_URL}/phone/incoming"
    signature = RequestValidator("shared").compute_signature(url, fields, "HMAC_SHA256")
    headers = {"X-Twilio-Signature": signature, "X-Twilio-Webhooks-Signature-Settings": "key=k,algorithm=HMAC_SHA256"}
    assert (await twilio.client.post("/phone/incoming", data=fields, headers=headers)).status_code == 200


@pytest.mark.requirement("004-925")
@pytest.mark.parametrize("blank", ["", " ", "\u200b"])
async def test_a_webhook_without_a_call_of_which_anything_can_be_seen_is_refused(twilio, blank):
    """Two calls would meet in one conversation."""
    assert (await twilio.post("/phone/turn?turn=1", CallSid=blank, SpeechResult="Hi")).status_code == 400


async def test_a_webhook_that_comes_twenty_times_at_once_does_one_thing(twilio):
    """Reliability row 1: one effect, one answer, for all of them."""
    twilio.instance.model.answers = [calls(("post", {"key": "k"})), says("Done.")]
    gates["k"] = asyncio.Event()
    gates["k"].set()
    await twilio.ask("/phone/incoming")
    answers = await asyncio.gather(
        *(twilio.post("/phone/turn?turn=1", SpeechResult="Post it", Confidence="0.9") for _ in range(20))
    )
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.text for answer in answers}) == 1
    assert Heard(answers[0].text).said == "Done."
    assert done == ["k"]


async def test_twenty_deliveries_without_a_store_still_begin_one_turn(twilio, monkeypatch):
    """One instance knows what it is doing, also while nothing can be written down."""
    await twilio.ask("/phone/incoming")
    twilio.instance.model.answers = [says("One.")] * 20
    twilio.instance.store.fail("commit")
    answers = await asyncio.gather(*(twilio.post("/phone/turn?turn=1", SpeechResult="Hi") for _ in range(20)))
    assert len({answer.text for answer in answers}) == 1
    assert len(twilio.instance.model.prompts) == 1


async def test_a_signature_that_is_replayed_gets_the_stored_answer(twilio):
    """Twilio's signature has no time in it (reliability, findings 7); also on another instance."""
    await twilio.ask("/phone/incoming")
    twilio.instance.model.answers = [says("First."), says("Second.")]
    first = await twilio.post("/phone/turn?turn=1", SpeechResult="Hello")
    async with PhoneInstance(twilio.instance.store).serving() as other:
        elsewhere = Twilio(other, twilio.call_sid)
        again = [await elsewhere.post("/phone/turn?turn=1", SpeechResult="Hello") for _ in range(50)]
    assert {answer.text for answer in again} == {first.text}
    assert len(twilio.instance.model.prompts) == 1


async def test_the_same_words_in_the_next_turn_are_another_turn(twilio):
    """Two "yes" in one call are equal to the letter; the address tells them apart."""
    twilio.instance.model.answers = [says("One."), says("Two.")]
    heard = await twilio.ask("/phone/incoming")
    said = []
    for _ in range(2):
        heard = await twilio.ask(heard.action, Digits="1")
        said.append(heard.said)
    assert said == ["One.", "Two."]


@pytest.mark.requirement("003-13")
async def test_who_is_blocked_or_flagged_gets_a_sentence_and_no_conversation(twilio):
    """Seed 004 (`flag_caller`) and seed 003 (`ignore_user`); also with a relay."""
    later = datetime.now(UTC) + timedelta(minutes=10)
    for fields in ({"flagged": True}, {"blockedUntil": later}):
        await twilio.instance.store.commit([Set(WITHIN.document("callers", "c1"), {"phone": CALLER, **fields})])
        heard = await Twilio(twilio.instance).ask("/phone/incoming")
        assert (heard.names, heard.said) == (["Say", "Hangup"], "We cannot take your call at the moment. Goodbye.")
    past = datetime.now(UTC) - timedelta(minutes=1)
    await twilio.instance.store.commit([Set(WITHIN.document("callers", "c1"), {"phone": CALLER, "blockedUntil": past})])
    assert (await twilio.ask("/phone/incoming")).verb("Gather") is not None


async def test_a_call_that_was_flagged_is_turned_away_when_it_comes_in_again(twilio):
    """Of a call that has just begun nothing stands anywhere, and nothing is asked; of one that came before, it is."""
    own = WITHIN.document("sessions", twilio.call_sid)
    await twilio.ask("/phone/incoming", CallStatus="ringing")
    assert own not in twilio.instance.store.paths
    await twilio.instance.store.commit([Set(own, {"flagged": True}, merge=True)])
    heard = await twilio.ask("/phone/incoming")
    assert (heard.names, heard.said) == (["Say", "Hangup"], "We cannot take your call at the moment. Goodbye.")


async def test_a_withheld_number_is_nobodys_and_is_served(twilio):
    """ANONYMOUS on a keypad is no number."""
    twilio.instance.model.answers = [says("Hi.")]
    heard = await twilio.ask("/phone/incoming", From="+266696687")
    await twilio.ask(heard.action, From="+266696687", SpeechResult="Hello")
    assert (await twilio.instance.record(twilio.call_sid))["callerPhone"] is None


@pytest.mark.parametrize(
    "path", ["/phone/incoming", "/phone/turn?turn=1", "/phone/relay-ended", "/phone/transfer-result"]
)
@pytest.mark.parametrize("safe_number", ["+15185550140", ""])
async def test_without_a_store_the_caller_hears_a_sentence_and_has_a_way_out(path, safe_number, monkeypatch):
    """Reliability row 8: TwiML 200 at once; the safe number, or a chance to leave a message."""
    store = await open_store(escalation={"safeNumber": safe_number})
    async with PhoneInstance(store).serving() as instance:
        await Twilio(instance).ask("/phone/incoming")
        store.fail("get", "get_many", "query", "commit")
        heard = await Twilio(instance).ask(path, SpeechResult="Hello", DialCallStatus="busy", SessionStatus="failed")
        assert heard.said.startswith("I'm sorry, we have a technical problem.")
        assert heard.dialled == safe_number
        if not safe_number:
            assert "take a message" in heard.said
            again = await Twilio(instance).ask(heard.action, SpeechResult="Yes")
            assert again.names == ["Say", "Hangup"]
            assert "call again" in again.said
            store.recover()
            instance.model.answers = [says("What shall I note?")]
            assert (await Twilio(instance).ask(heard.action, SpeechResult="Yes, please")).said == "What shall I note?"


@pytest.mark.parametrize("path", ["/phone/incoming", "/phone/turn?turn=1"])
async def test_at_a_cold_start_without_a_store_the_caller_reaches_a_person(path):
    """By the operator's list, in its language; of a number that is not on it, nothing is known, and nobody is rung."""
    store = await open_store(escalation={"safeNumber": "+15185550140"})
    store.fail("get", "get_many", "query", "commit")
    listed = SafeNumbers({NUMBER: ("+15185550177", "de")})
    async with PhoneInstance(store, safe_numbers=listed).serving() as instance:
        heard = await Twilio(instance).ask(path, SpeechResult="Hallo")
        assert (heard.dialled, heard.said[:9]) == ("+15185550177", "Es tut mi")
        other = await Twilio(instance).ask(path, To="+15185550199", SpeechResult="Hello")
        assert (other.names, other.dialled) == (["Say", "Hangup"], "")
    store.recover()
    async with PhoneInstance(store, safe_numbers=listed).serving() as instance:
        await Twilio(instance).ask("/phone/incoming")
        store.fail("get", "get_many", "query", "commit")
        # What is known of the business comes first.
        assert (await Twilio(instance).ask(path, SpeechResult="Hello")).dialled == "+15185550140"


@pytest.mark.parametrize("safe_number", ["+15185550140", ""])
@pytest.mark.parametrize("hanging", ["get", "query", "commit"])
async def test_a_store_that_hangs_delays_nobody_beyond_three_seconds(hanging, safe_number, monkeypatch):
    """Also where its own time-outs do not help; and nobody is just sent away.

    It hangs for ever; a fiftieth of the time that there is goes by from then on, and none before.
    """
    is_hanging, allowed = asyncio.Event(), []

    async def in_short_time(work, within_s, otherwise):
        allowed.append(within_s)
        task, hanging = asyncio.ensure_future(work), asyncio.create_task(is_hanging.wait())
        await asyncio.wait({task, hanging}, return_when=asyncio.FIRST_COMPLETED)
        hanging.cancel()
        return await in_time(task, within_s / 50, otherwise)

    for name, seconds in LIMITS.items():
        monkeypatch.setattr(routes, name, seconds)
    for module in (routes, webhook):
        monkeypatch.setattr(module, "in_time", in_short_time)
    store = await open_store(escalation={"safeNumber": safe_number})
    async with PhoneInstance(store).serving() as instance:
        await Twilio(instance).ask("/phone/incoming")

        async def hang(*_):
            is_hanging.set()
            await asyncio.Event().wait()

        monkeypatch.setattr(store, hanging, hang)
        heard = await Twilio(instance).ask("/phone/incoming")
        assert max(allowed) == sum(LIMITS.values()) < WITHIN_S
        if not heard.said.startswith("Hello"):
            assert heard.said.startswith("I'm sorry, we have a technical problem.")
            assert heard.dialled == safe_number
            assert safe_number or "take a message" in heard.said


@pytest.mark.parametrize(
    "breaks",
    [
        ToolError(ErrorType.AUTH, "no", detail="a secret does not open"),
        ToolError(ErrorType.TRANSIENT, "no"),
        RuntimeError("a bug"),
    ],
)
async def test_a_key_that_cannot_be_read_is_no_error_page(twilio, breaks):
    """Nobody can say whether Twilio asks: a sentence, and nothing is done."""
    twilio.instance.secrets.fails = breaks
    heard = await twilio.ask("/phone/incoming")
    assert heard.names == ["Say", "Hangup"]
    assert twilio.instance.store.asked["commit"] == 0


async def test_a_key_that_was_read_before_serves_on_while_it_cannot_be_read(twilio, monkeypatch):
    """As the definitions do: stale is better than silent."""
    await twilio.ask("/phone/incoming")
    twilio.instance.secrets.fails = ToolError(ErrorType.TRANSIENT, "no")
    monkeypatch.setattr(twilio.instance.clock, "monotonic", lambda: time.monotonic() + 61)
    assert (await Twilio(twilio.instance).ask("/phone/incoming")).said == "Hello, Salon."


async def test_a_bug_is_not_heard(twilio, monkeypatch, caplog):
    """The caller hears that there is a problem, and the log where."""

    async def break_down(*_):
        raise KeyError("secret")

    monkeypatch.setattr(routes.Gathering, "listen", break_down)
    heard = await twilio.ask("/phone/incoming")
    assert heard.said.startswith("I'm sorry, we have a technical problem.")
    assert any(record.exc_info for record in caplog.records)


@pytest.mark.requirement("000-61")
async def test_a_business_that_is_gone_is_answered_politely(twilio):
    """Between the number's look-up and now."""
    await twilio.ask("/phone/incoming")
    monkeyed = twilio.instance.office.catalog

    async def nobody(_):
        return None

    monkeyed.tenant = nobody
    heard = await Twilio(twilio.instance).ask("/phone/incoming")
    assert heard.said.startswith("I'm sorry, we have a technical problem.")


@pytest.mark.parametrize("status", ["busy", "no-answer", "failed", "canceled", ""])
async def test_when_nobody_answers_a_transfer_the_caller_is_asked_for_a_message(twilio, status):
    """And the conversation goes on."""
    heard = await twilio.ask("/phone/transfer-result", DialCallStatus=status)
    assert heard.said == "I'm sorry, nobody could be reached. Would you like me to take a message?"
    twilio.instance.model.answers = [says("I'm listening.")]
    assert (await twilio.ask(heard.action, SpeechResult="Yes")).said == "I'm listening."
    told = twilio.instance.model.prompts[0].messages
    assert told[0].text == "I'm sorry, nobody could be reached. Would you like me to take a message?"


async def test_a_second_number_is_rung_before_that(twilio):
    """The rule's fallback stands in the signed address, and is rung once."""
    path = "/phone/transfer-result?fallback=%2B15185550145&callerId=%2B15185550171"
    heard = await twilio.ask(path, DialCallStatus="no-answer")
    assert (heard.dialled, heard.attribute("Dial", "callerId")) == ("+15185550145", CALLER)
    last = await twilio.ask(heard.attribute("Dial", "action"), DialCallStatus="no-answer", DialCallSid="CA2")
    assert "take a message" in last.said
    changed = await twilio.post("/phone/transfer-result?fallback=%2B19005550100", headers={"X-Twilio-Signature": "x"})
    assert changed.status_code == 403


@pytest.mark.requirement("000-372")
async def test_where_no_message_can_be_taken_none_is_offered():
    """Nobody answers a transfer, or something breaks: the caller hears what is left, and is not promised anything."""
    store = await open_store(phone="(518) 555-0142")
    async with PhoneInstance(store, tools=registry(takes_messages=False)).serving() as instance:
        twilio = Twilio(instance)
        heard = await twilio.ask("/phone/transfer-result", DialCallStatus="busy")
        assert heard.said == "I'm sorry, nobody could be reached. You can reach us at (518) 555-0142."
        instance.model.answers = [[KeyError("nobody thought of it")]]
        broken = await twilio.ask(heard.action, SpeechResult="Hi")
        assert broken.said == "I'm having trouble pulling that up right now. You can reach us at (518) 555-0142."
        store.fail("get", "get_many", "query", "commit")
        heard = await Twilio(instance).ask("/phone/turn?turn=1", SpeechResult="Hello")
        assert heard.said.startswith("I'm sorry, we have a technical problem. Please say that once more.")
        assert "Gather" in heard.names


@pytest.mark.parametrize("bridged", ["true", None])
async def test_after_a_talk_with_a_person_the_call_ends(twilio, bridged):
    """Nothing more is said (seed 004, "Special Tool Behaviors")."""
    fields = {"DialBridged": bridged} if bridged else {}
    heard = await twilio.ask("/phone/transfer-result", DialCallStatus="completed", **fields)
    assert heard.names == ["Hangup"]


async def test_a_transfer_that_nobody_was_bridged_to_did_not_happen(twilio):
    """`completed` alone proves nothing."""
    heard = await twilio.ask("/phone/transfer-result", DialCallStatus="completed", DialBridged="false")
    assert "take a message" in heard.said


@pytest.mark.requirement("004-2453")
@pytest.mark.parametrize("by", ["machine_start", "machine_end_beep", "machine_end_silence", "machine_end_other", "fax"])
async def test_whoever_was_put_through_to_a_machine_has_reached_nobody(twilio, by):
    """The receptionist goes on and offers a message."""
    fields = {"DialCallStatus": "completed", "DialBridged": "true", "AnsweredBy": by}
    heard = await twilio.ask("/phone/transfer-result", **fields)
    assert "take a message" in heard.said
    assert "Gather" in heard.names


@pytest.mark.parametrize("by", ["human", "unknown"])
async def test_whoever_may_have_been_a_person_was_one(twilio, by):
    """Nobody is asked again what they have told a person."""
    fields = {"DialCallStatus": "completed", "DialBridged": "true", "AnsweredBy": by}
    assert (await twilio.ask("/phone/transfer-result", **fields)).names == ["Hangup"]


async def test_the_end_of_a_call_is_written_down_once(twilio):
    """However often and in whatever words Twilio tells of it."""
    twilio.instance.model.answers = [says("Bye.")]
    heard = await twilio.ask("/phone/incoming")
    await twilio.ask(heard.action, SpeechResult="Bye")
    await twilio.ask("/phone/status", CallStatus="in-progress", SequenceNumber="1")
    assert (await twilio.instance.record(twilio.call_sid))["endedAt"] is None
    await twilio.ask("/phone/status", CallStatus="completed", SequenceNumber="2")
    record = await twilio.instance.record(twilio.call_sid)
    assert record["endedAt"] is not None
    await twilio.ask("/phone/status", CallStatus="completed", SequenceNumber="3")
    async with PhoneInstance(twilio.instance.store).serving() as other:
        await Twilio(other, twilio.call_sid).ask("/phone/status", CallStatus="completed", SequenceNumber="4")
    assert await twilio.instance.record(twilio.call_sid) == record


async def test_the_end_of_a_call_waits_for_its_last_action(monkeypatch):
    """The caller hangs up while it is done: the record shows that it was."""
    has_hung_up = asyncio.Event()

    async def strict_at_the_end(work, within_s, otherwise):
        return await in_time(work, within_s if has_hung_up.is_set() else LONG_S, otherwise)

    for module in (routes, webhook):
        monkeypatch.setattr(module, "in_time", strict_at_the_end)
    monkeypatch.setattr(routes, "WORKED_WITHIN_S", 0.1)
    monkeypatch.setattr("switchboard.channels.phone.turns.PATIENCE_S", 0.05)
    async with PhoneInstance(await open_store()).serving() as instance:
        twilio = Twilio(instance)
        gates["k"] = asyncio.Event()
        instance.model.answers = [calls(("post", {"key": "k"}))]
        heard = await twilio.ask("/phone/incoming")
        await twilio.ask(heard.action, SpeechResult="Post it")
        has_hung_up.set()
        # Well after the time that any other webhook has.
        asyncio.get_running_loop().call_later(0.4, gates["k"].set)
        await twilio.ask("/phone/status", CallStatus="completed")
        record = await instance.record(twilio.call_sid)
    assert record["endedAt"] is not None
    assert [row["what"] for row in record["receipts"]] == ["k"]


async def test_a_call_that_ends_before_anybody_speaks_leaves_its_record_too(twilio):
    """Each phone call leaves one (seed 000, "Data Model")."""
    await twilio.ask("/phone/incoming")
    await twilio.ask("/phone/status", CallStatus="completed")
    record = await twilio.instance.record(twilio.call_sid)
    assert record["callSid"] == twilio.call_sid
    assert record["endedAt"] is not None


@pytest.mark.requirement("000-352")
@each(
    ("fields", "expected"),
    [
        ({"CallDuration": "7404"}, 7404),
        ({"CallDuration": ""}, None),
        ({"CallDuration": "-3"}, None),
        ({"CallDuration": "two hours"}, None),
        ({"CallDuration": "99999999999"}, None),
        # The minutes that are billed are not how long it was.
        ({"Duration": "7404"}, None),
    ],
)
async def test_a_call_lasted_as_long_as_twilio_says(twilio, fields, expected, monkeypatch):
    """We hear of it from the first word to the last; the line was up for longer. Without its word ours stands."""
    call = Twilio(twilio.instance)
    twilio.instance.model.answers = [says("At nine.")]
    heard = await call.ask("/phone/incoming")
    await call.ask(heard.action, SpeechResult="When do you open?")
    if expected is not None:
        now = SystemClock.now
        monkeypatch.setattr(SystemClock, "now", lambda clock: now(clock) + timedelta(seconds=expected))
    await call.ask("/phone/status", CallStatus="completed", **fields)
    lasted = (await twilio.instance.record(call.call_sid))["durationSeconds"]
    # What we have measured is less than this test may take.
    assert lasted == expected or (expected is None and 0 <= lasted < LONG_S)


@pytest.mark.requirement("004-1306")
@each("ends", ["caller", "agent"])
async def test_a_call_lasted_no_longer_than_since_it_began(twilio, ends):
    """Whoever has the token may say 999999 seconds; also of a call that the agent has ended."""
    call = Twilio(twilio.instance)
    twilio.instance.model.answers = [says("At nine.") if ends == "caller" else calls(("hang_up", {}))]
    heard = await call.ask("/phone/incoming")
    await call.ask(heard.action, SpeechResult="When do you open?")
    await call.ask("/phone/status", CallStatus="completed", CallDuration="999999")
    lasted = (await twilio.instance.record(call.call_sid))["durationSeconds"]
    assert 0 <= lasted <= 120 + LONG_S


@pytest.mark.requirement("000-352")
async def test_a_call_that_the_agent_has_ended_lasted_as_long_as_twilio_says(twilio):
    """Its record is written before Twilio tells."""
    twilio.instance.model.answers = [calls(("hang_up", {}))]
    heard = await twilio.ask("/phone/incoming")
    await twilio.ask(heard.action, SpeechResult="Bye")
    await twilio.ask("/phone/status", CallStatus="completed", CallDuration="31")
    assert (await twilio.instance.record(twilio.call_sid))["durationSeconds"] == 31


@pytest.mark.requirement("000-352")
@each(
    ("sent", "kept"),
    [("0.87", 0.87), ("1", 1.0), ("0", 0.0), ("", None), ("high", None), ("nan", None), ("7", None), ("-0.1", None)],
)
async def test_how_sure_twilio_was_of_the_words_is_kept_with_them(twilio, sent, kept):
    """`Confidence` of a `<Gather>`; what is no share of one is no confidence."""
    call = Twilio(twilio.instance)
    twilio.instance.model.answers = [says("At nine.")]
    heard = await call.ask("/phone/incoming")
    await call.ask(heard.action, SpeechResult="When do you open?", Confidence=sent)
    record = await twilio.instance.record(call.call_sid)
    assert [row.get("confidence") for row in record["transcript"] if row["role"] == "caller"] == [kept]
    assert record.get("confidenceScore") == kept


async def called_again(instance, call_sid):
    facts = PhoneContext(business_id=BUSINESS, session_id=call_sid, turn=9, call_id="late")
    return await instance.office.dispatcher.execute_tool("look", {"times": 2}, BUSINESS, facts)


@pytest.mark.requirement("003-75")
@pytest.mark.parametrize("path", ["/phone/status", "/phone/relay-ended"])
async def test_after_the_caller_has_hung_up_nothing_is_called_in_that_conversation(twilio, path):
    """Whichever of Twilio's two messages comes, and on whichever instance somebody still tries."""
    twilio.instance.model.answers = [calls(("look", {})), says("Hi.")]
    heard = await twilio.ask("/phone/incoming")
    await twilio.ask(heard.action, SpeechResult="Look")
    await twilio.ask(path, CallStatus="completed")
    refused = await called_again(PhoneInstance(twilio.instance.store), twilio.call_sid)
    assert refused.failure.type is ErrorType.SESSION_INACTIVE


async def test_a_call_that_was_put_through_ends_when_it_is_hung_up(twilio):
    """Until then it may come back, and its calls are let in."""
    twilio.instance.model.answers = [calls(("put_through", {})), calls(("look", {})), says("I'm here.")]
    heard = await twilio.ask("/phone/incoming")
    await twilio.ask(heard.action, SpeechResult="A person, please")
    heard = await twilio.ask("/phone/transfer-result", DialCallStatus="no-answer")
    assert (await twilio.ask(heard.action, SpeechResult="Hello?")).said == "I'm here."
    assert (await twilio.instance.record(twilio.call_sid))["tools"][-1]["ok"] is True
    await twilio.ask("/phone/status", CallStatus="completed")
    assert (await twilio.instance.record(twilio.call_sid))["outcome"] == "answered"
    refused = await called_again(twilio.instance, twilio.call_sid)
    assert refused.failure.type is ErrorType.SESSION_INACTIVE


@pytest.mark.requirement("000-350")
@pytest.mark.parametrize("elsewhere", [False, True])
async def test_a_call_that_was_put_through_and_hung_up_was_handed_over(twilio, elsewhere):
    """Until the carrier says that it is over, it may come back; whichever instance hears of it."""
    twilio.instance.model.answers = [calls(("put_through", {}))]
    heard = await twilio.ask("/phone/incoming")
    await twilio.ask(heard.action, SpeechResult="A person, please")
    assert (await twilio.instance.record(twilio.call_sid))["outcome"] == "transferred"
    ended = {"CallStatus": "completed", "CallDuration": "95"}
    if elsewhere:
        async with PhoneInstance(twilio.instance.store).serving() as other:
            await Twilio(other, twilio.call_sid).ask("/phone/status", **ended)
    else:
        await twilio.ask("/phone/status", **ended)
    record = await twilio.instance.record(twilio.call_sid)
    assert (record["outcome"], record["durationSeconds"]) == ("handed_over", 95)


def test_the_salon_of_these_tests_is_read_as_it_is_meant():
    """A typing error in its document would make the rest prove little."""
    assert not read_business(BUSINESS, SALON).problems


@pytest.mark.requirement("004-995")
@pytest.mark.parametrize("status", ["busy", "failed", "no-answer", "canceled", "completed"])
async def test_nothing_is_kept_of_a_call_that_was_only_told_of(twilio, status):
    """It never came in, so that nobody has left it."""
    assert (await twilio.post("/phone/status", CallStatus=status, CallDuration="33")).status_code == 200
    assert await twilio.instance.record(twilio.call_sid) == {}


@pytest.mark.requirement("004-995")
async def test_a_call_that_came_in_and_was_left_at_once_is_kept(twilio):
    """Also where nothing was said over the relay yet."""
    await twilio.ask("/phone/incoming")
    await twilio.post("/phone/status", CallStatus="completed", CallDuration="3")
    assert (await twilio.instance.record(twilio.call_sid))["durationSeconds"] == 3


@pytest.mark.requirement("004-1306")
@each("path", ["/phone/incoming", "/phone/turn", "/phone/status"])
async def test_half_a_body_and_gone_is_one_quiet_line(twilio, caplog, path):
    """Any stranger can send that: it is no failure of ours."""
    messages = iter([{"type": "http.request", "body": b"CallSid=CA1", "more_body": True}, {"type": "http.disconnect"}])
    sent: list[dict[str, Any]] = []

    async def receive() -> Any:
        return next(messages)

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b""}
    scope |= {"headers": [(b"host", b"test")], "http_version": "1.1", "scheme": "http", "server": ("test", 80)}
    caplog.clear()
    with caplog.at_level("INFO"):
        await twilio.instance.app(scope, receive, send)
    assert sent[0]["status"] == 499
    assert [record.levelname for record in caplog.records if record.name.startswith("switchboard")] == ["INFO"]
