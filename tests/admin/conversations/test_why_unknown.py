"""Why a caller was not known, why a tool said no before it asked for a yes, and what had been done before."""

from typing import Any

from switchboard.admin.conversations.shown_caller import why_unknown
from switchboard.contract.business.business import read_business
from switchboard.contract.response import ToolResponse
from switchboard.state.memory.store import MemoryStore
from tests.each import each
from tests.operations.premises import CANARY, open_premises

NUMBER = {"callerPhone": CANARY.number}
VOUCHED = {**NUMBER, "attestation": "TN-Validation-Passed-A"}
ASKED_WHO: Any = {"ok": False, "error": {"type": "MODE_RESTRICTED", "message": "no", "retryable": False}}
ASKED_WHO |= {"intents": [], "meta": {"condition": "session:verified"}}
ASKED_WHO["error"]["partialSideEffects"] = False


def told(channel: str, facts: dict[str, Any], ai: dict[str, Any], envelope: Any = None) -> str:
    response = ToolResponse.from_json(envelope or ASKED_WHO)
    return why_unknown({"channel": channel, "facts": facts}, response, read_business("salon", {"ai": ai}))


@each(
    ("channel", "facts", "ai", "words"),
    [
        ("phone", {"isWithheld": True}, {}, "a withheld number"),
        ("phone", {}, {}, "told with no number"),
        ("phone", NUMBER, {}, "nothing was told of whether the carrier vouches"),
        ("phone", {**NUMBER, "attestation": "TN-Validation-Failed-C"}, {}, "not vouch in full"),
        ("phone", VOUCHED, {}, "does not rely on that (ai.trustCallerId)"),
        ("phone", VOUCHED, {"trustCallerId": True, "callerVerification": "code"}, "asks for a code as well"),
        ("phone", VOUCHED, {"trustCallerId": True}, "that alone did not tell"),
        ("portal", {}, {}, "what this channel shows of a caller does not tell who it is"),
    ],
)
def test_why_nobody_was_known_to_be_calling_is_told_without_the_number(
    channel: str, facts: dict[str, Any], ai: dict[str, Any], words: str
):
    """An owner who is asked "why did it not know me?" finds out what was missing."""
    sentence = told(channel, facts, ai)
    assert words in sentence and "5550196" not in sentence


def test_a_no_that_has_other_reasons_says_nothing_of_the_caller():
    """Nor does a yes."""
    other = {**ASKED_WHO, "meta": {"condition": "channel:phone"}}
    assert told("phone", NUMBER, {}, other) == ""
    assert told("phone", NUMBER, {}, {"ok": True, "data": {}, "intents": [], "meta": {}}) == ""
    assert why_unknown({}, None, read_business("salon", {})) == ""


async def test_a_no_before_the_yes_was_asked_for_is_told_in_the_tools_own_words():
    """It was not refused for want of a yes: there was nothing that could have been done."""
    async with open_premises(MemoryStore()) as premises:
        await premises.book(CANARY)
        found = await premises.use(CANARY, "lookup_appointment", {}, turn=3)
        booking = found["data"]["appointments"][0]["bookingId"]
        wrong = {"booking_id": booking, "start_time": "2031-03-04T10:00:00"}
        answer = await premises.use(CANARY, "cancel_appointment", wrong, turn=4, callId="wrong")
        assert answer["error"]["type"] == "CONFLICT"
        where = {"session": f"{CANARY.word}-phone", "call": "wrong"}
        sentences = (await premises.client.get("/admin/explain", params=where)).json()["sentences"]
        assert not any("for want of the caller's yes" in sentence for sentence in sentences)
        assert any("said no before the caller was asked for a yes" in sentence for sentence in sentences)
        assert any("own words" in sentence and "begins at another time" in sentence for sentence in sentences)


async def test_a_wish_that_had_been_granted_is_told_to_have_been():
    """Two calls and one appointment: an owner sees why."""
    async with open_premises(MemoryStore()) as premises:
        first = await premises.book(CANARY)
        wish = {"service": "Haircut", "start_time": first["meta"]["receipt"]["when"], "customer_name": CANARY.name}
        again = await premises.use(CANARY, "book_appointment", wish, turn=3, callId="again")
        assert again["data"]["repeated"] is True
        where = {"session": f"{CANARY.word}-phone", "call": "again"}
        sentences = (await premises.client.get("/admin/explain", params=where)).json()["sentences"]
        assert "A receipt says what was done, before this call: nothing was done a second time." in sentences
