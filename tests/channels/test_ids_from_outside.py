"""Conversations that nobody named are nobody else's, and callers are who they are told to be, at every door."""

import re
import uuid
from datetime import date, timedelta
from pathlib import Path

import pytest

import switchboard.channels
from stand_ins.vapi.asking import call_in, message_of
from switchboard.channels.livekit.tools import HttpRemoteTools
from switchboard.channels.mcp.request_session import named_session
from switchboard.contract.caller.strangers import VOUCHED_FOR
from switchboard.contract.store import Query, Set
from switchboard.formats.vapi.delivery import read_delivery
from tests import fixed_day
from tests.channels.http.test_tools_api import call, http, listing, store
from tests.each import each

__all__ = ["http", "store"]

BLANK = ("", " ", "\t\n", "\u00a0", "\u200b", "\u2060\ufeff", "\u3164")
ANNA = "+15185550161"
MESSAGE = {"message": "Please call back", "caller_name": "Ana"}
CHANNELS = Path(switchboard.channels.__file__).parent
_READ_AS_TEXT = re.compile(
    r'\b(?:optional_)?text\([^()]*"(?:(?:session|call|message|caller|agent|interaction)Id|callSid)"'
)
ANNAS = {"name": "Anna Whitfield", "phone": "518 555 0161"}


async def use(http, name, args, **context):
    answer = await http.post("/tools/execute", json=call(name, args, **context))
    return answer.json()


@pytest.mark.requirement("004-925")
@each("blank", BLANK)
async def test_two_who_name_no_conversation_are_in_two(http, blank):
    """Whom the one has shown to be is not known of the other."""
    verified = await use(http, "verify_caller", ANNAS, channel="portal", sessionId=blank)
    assert verified["data"]["verified"] is True
    other = await use(http, "verify_caller", {}, channel="portal", sessionId=blank)
    assert other["data"]["verified"] is False
    named = call("lookup_appointment", {}, channel="portal", sessionId=blank)
    told = (await http.post("/tools/execute", json=named)).json()
    assert told["error"]["type"] == "MODE_RESTRICTED"


@pytest.mark.requirement("004-925")
async def test_blanks_around_the_id_of_a_conversation_do_not_make_another_one(http):
    """Nor around that of a call."""
    await use(http, "verify_caller", ANNAS, channel="portal", sessionId=" s7\u200b")
    assert (await use(http, "verify_caller", {}, channel="portal", sessionId="s7"))["data"]["verified"] is True
    first = await use(http, "take_message", MESSAGE, sessionId="s7", callId="c1")
    again = await use(http, "take_message", MESSAGE, sessionId="\ts7", callId=" c1 ")
    assert again["meta"]["replayed"] is True
    assert again["data"]["messageId"] == first["data"]["messageId"]


@pytest.mark.requirement("004-925")
@each("blank", BLANK)
async def test_a_call_without_a_name_is_each_time_another_and_one_without_a_conversation_is_known_again(http, blank):
    """As where the ids are missing."""
    first, second = [await use(http, "get_policies", {"topic": "refund"}, sessionId="s8", callId=blank) for _ in "12"]
    assert "replayed" not in second["meta"] and second["meta"]["callId"] != first["meta"]["callId"]
    sent = [await use(http, "take_message", MESSAGE, sessionId=blank, callId="c9") for _ in "12"]
    assert sent[0]["data"]["messageId"] == sent[1]["data"]["messageId"]


@pytest.mark.requirement("004-925")
@each("blank", BLANK)
async def test_an_answer_needs_the_conversation_in_which_it_was_asked_for(http, blank):
    """A listing of none is that of any; an agent that nobody named is who answers there."""
    heard = {"businessId": "demo-salon", "context": {"channel": "phone", "sessionId": blank}, "heard": {"text": "yes"}}
    answer = await http.post("/tools/heard", json=heard)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "context.sessionId")
    listed = await http.get("/tools/definitions", params=listing(sessionId=blank, agentId=blank))
    assert listed.status_code == 200
    assert (await use(http, "get_policies", {"topic": "refund"}, sessionId=uuid.uuid4().hex, agentId=blank))[
        "ok"
    ] is True


@pytest.mark.requirement("004-925")
@each("blank", BLANK)
async def test_vendors_and_workers_name_no_conversation_by_a_blank_id(blank):
    """Vapi's calls, sessions of MCP, a worker of LiveKit."""
    facts = {"call.id": blank, "transport.callSid": "CA1"}
    delivery = read_delivery(message_of([call_in("object", "1", "take_note", {})], facts))
    assert delivery.facts.conversation == "CA1"
    alone = read_delivery(message_of([call_in("object", "1", "take_note", {})], {"call.id": blank}))
    assert alone.facts.conversation == ""
    assert named_session({"mcp-session-id": blank}, {"session": blank}) is None
    assert named_session({"mcp-session-id": blank}, {"session": " s1 "}) == "s1"
    assert HttpRemoteTools(lambda: None, "", "", "demo-salon", {"sessionId": blank}).whose == ("demo-salon", "")


@pytest.mark.requirement("004-925")
def test_every_door_reads_ids_by_the_one_reader():
    """Read as any other text, a blank one would be somebody's."""
    doors = {path: path.read_text() for path in CHANNELS.rglob("*.py")}
    assert sum("optional_id(" in source or "outside_id(" in source for source in doors.values()) > 5
    assert {str(path): found for path, source in doors.items() if (found := _READ_AS_TEXT.findall(source))} == {}


@pytest.mark.requirement("004-927")
@each("nobody", [{}, {"callerId": None}, {"callerId": ""}, {"callerId": " \u200b"}])
async def test_whoever_says_that_a_caller_is_verified_says_who_it_is(http, nobody):
    """Otherwise a caller's own appointments would be looked for under nobody, and none be found."""
    facts = {"callerPhone": ANNA, "attestation": VOUCHED_FOR, "callerVerified": True, "sessionId": uuid.uuid4().hex}
    answer = await http.post("/tools/execute", json=call("lookup_appointment", {}, **facts | nobody))
    error = answer.json()["error"]
    assert (answer.status_code, error["field"]) == (400, "context.callerId")
    assert "send the id of the caller's record, or leave callerVerified out" in error["message"]
    known = await use(http, "lookup_appointment", {}, **facts | {"callerId": "clr_anna_whitfield"})
    assert known["ok"] is True


@pytest.mark.requirement("004-928")
@each("spelled", ["(518) 555-0161", "15185550161", "tel:+1-518-555-0161", "518.555.0161", "0015185550161", ANNA])
async def test_a_callers_number_is_read_in_any_spelling_that_is_certain(http, spelled):
    """As it is dialled where the business is; what the carrier says counts for it, and for it alone."""
    facts = {"callerPhone": spelled, "sessionId": uuid.uuid4().hex}
    assert (await use(http, "verify_caller", {}, **facts))["data"]["verified"] is False
    assert (await use(http, "verify_caller", {}, **facts, attestation=VOUCHED_FOR))["data"]["verified"] is True


@pytest.mark.requirement("004-928")
@each(
    "spelled",
    [
        *(
            "+1",
            "+15185550161 ext 7",
            "(518) 555",
            "tel:+1518",
            "hello",
            "null",
            "undefined",
            "Anna",
            "+",
            "tel:",
            "...",
        ),
        *("tel:hello", "Anonymous Anna", "5185550161x3", "a1b2c3"),
    ],
)
async def test_a_callers_number_that_is_none_in_any_spelling_is_refused_and_not_dropped(http, spelled):
    """The service makes it, and finds it out at its first try."""
    answer = await http.post("/tools/execute", json=call("verify_caller", {}, callerPhone=spelled))
    error = answer.json()["error"]
    assert (answer.status_code, error["field"]) == (400, "context.callerPhone")
    assert "with + and its country code, like +12015550123" in error["message"]


@pytest.mark.requirement("004-928")
@each(
    "withheld",
    [
        *("", " ", "anonymous", "Restricted", "266696687", "client:agent12345", "sip:anonymous@10.20.30.40"),
        *(
            "3612345678",
            "5550161",
            "911",
            "12345",
            "sip:+15185550161@example.com",
            "bob@sip.example",
            "0",
            "tel:anonymous",
        ),
        *("RESTRICTED", "unavailable", "Unknown", "private", "blocked", "+266696687", "+8656696", "Private number"),
        *(
            "OUT OF AREA",
            "No Caller ID",
            "P",
            '"Anonymous" <sip:anonymous@anonymous.invalid>',
            "anonymous@anonymous.invalid",
        ),
    ],
)
async def test_a_withheld_number_is_none_and_so_is_one_that_is_not_certain(http, withheld):
    """As lines show it, and addresses. Ten digits may be of Texas, or of Budapest without their +: none is proven."""
    facts = {"callerPhone": withheld, "attestation": VOUCHED_FOR, "sessionId": uuid.uuid4().hex}
    assert (await use(http, "verify_caller", {}, **facts))["data"]["outcome"] == "facts_needed"


@pytest.mark.requirement("004-961")
@each(
    ("told", "kept"),
    [
        ("(518) 555-0142", "+15185550142"),
        ("+15185550142", "+15185550142"),
        ("sip:desk@example.com", "sip:desk@example.com"),
    ],
)
async def test_the_number_that_was_called_is_read_as_a_callers_is(http, store, told, kept):
    """An address stays what was called, though it is no number."""
    session = uuid.uuid4().hex
    await use(http, "verify_caller", {}, calledPhone=told, sessionId=session, callId="c1")
    row = await store.get(f"businesses/demo-salon/sessions/{session}/calls/c1")
    assert row.data["facts"]["calledPhone"] == kept
    answer = await http.post("/tools/execute", json=call("verify_caller", {}, calledPhone="hello"))
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "context.calledPhone")


@pytest.mark.requirement("004-960")
async def test_what_was_booked_on_the_phone_is_not_told_to_whoever_shows_another_number_or_none(http):
    """In the same conversation; in the portal it is the conversation that vouches for whoever holds it."""
    booker, other = "+15185550188", "+15185550199"
    day = date.today() + timedelta((1 - date.today().weekday()) % 7 + 7)
    for channel, hour in (("phone", 16), ("portal", 14)):
        where = {"channel": channel, "sessionId": uuid.uuid4().hex}
        wish = {"service": "Haircut", "start_time": f"{day}T{hour}:00:00", "customer_name": "Lin Park"}
        booked = await use(http, "book_appointment", wish, **where, callerPhone=booker, callId="c0")
        id = booked["data"]["bookingId"]
        for turn, later in enumerate(("anonymous", "", None, other, booker), 2):
            told = await use(http, "lookup_appointment", {}, **where, callerPhone=later, turn=turn, callId=f"c{turn}")
            is_theirs = later == booker or (channel == "portal" and later != other)
            assert (id in str(told)) is is_theirs, (channel, later, told)


PROVEN = {"callerPhone": ANNA, "attestation": VOUCHED_FOR}
VERIFIED = {"callerPhone": ANNA, "callerVerified": True, "callerId": "clr_anna_whitfield"}


@pytest.mark.requirement("004-1051")
@each("shown", [PROVEN, VERIFIED])
async def test_a_call_that_comes_again_is_answered_only_to_whoever_shows_as_much_of_who_they_are(http, shown):
    """Whoever knows its ids, or has the number shown that it came from, is not its caller by that."""
    where = {"sessionId": uuid.uuid4().hex, "callId": "c1"}
    first = await use(http, "lookup_appointment", {}, **where, **shown)
    assert first["ok"] is True
    less = [{"callerPhone": ANNA}, {"callerPhone": ANNA, "attestation": "TN-Validation-Passed-B"}]
    other = VERIFIED | {"callerId": "clr_somebody"}
    for facts in (*less, *([other] if shown is VERIFIED else [])):
        told = await use(http, "lookup_appointment", {}, **where, **facts)
        assert (told["error"]["type"], told["meta"]["reason"]) == ("CONFLICT", "caller-not-proven"), facts
        assert "data" not in told or not told["data"]
        assert "Send it with the caller's facts as they were" in told["error"]["message"]
    again = await use(http, "lookup_appointment", {}, **where, **shown)
    assert (again["data"], again["meta"]["replayed"]) == (first["data"], True)


@pytest.mark.requirement("004-1051")
@each(("before", "now"), [({"callerPhone": ANNA}, PROVEN), ({"callerPhone": ANNA}, VERIFIED), (PROVEN, PROVEN)])
async def test_a_call_that_comes_again_with_as_much_proof_or_more_gets_its_answer(http, before, now):
    """Once and only once, whoever asks again."""
    where = {"sessionId": uuid.uuid4().hex, "callId": "c1"}
    first = await use(http, "take_message", MESSAGE, **where, **before)
    again = await use(http, "take_message", MESSAGE, **where, **now)
    assert (again["data"], again["meta"]["replayed"]) == (first["data"], True)


@pytest.mark.requirement("004-1051")
async def test_an_action_that_comes_again_without_its_proof_is_done_once_and_told_to_nobody(http, store):
    """Nothing is done anew, and its caller is still told what was done."""
    session, outbox = uuid.uuid4().hex, "businesses/demo-salon/outbox"
    first = await use(http, "take_message", MESSAGE, sessionId=session, callId="c1", **PROVEN)
    told = await use(http, "take_message", MESSAGE, sessionId=session, callId="c1", callerPhone=ANNA)
    assert (told["ok"], told["meta"]["reason"]) == (False, "caller-not-proven")
    assert first["data"]["messageId"] not in str(told)
    assert told["error"]["partialSideEffects"] is False
    again = await use(http, "take_message", MESSAGE, sessionId=session, callId="c1", **PROVEN)
    assert again["data"]["messageId"] == first["data"]["messageId"]
    assert len(await store.query(Query(outbox))) == 1


@pytest.mark.requirement("004-1052")
async def test_a_chat_that_is_blocked_gets_no_answer_until_the_block_is_over(http, store):
    """As its session says when the message comes, on whichever instance it was blocked."""
    session = uuid.uuid4().hex
    message = {"businessId": "demo-salon", "sessionId": session, "text": "When are you open?"}

    async def outcome():
        return (await http.post("/portal/chat", json=message)).json()["outcome"]

    assert await outcome() == "answered"
    path = f"businesses/demo-salon/sessions/{session}"
    for minutes, expected in ((5, "ended"), (-5, "answered")):
        until = fixed_day.SUNDAY + timedelta(minutes=minutes)
        await store.commit([Set(path, {"ignoredUntil": until}, merge=True)])
        assert await outcome() == expected
