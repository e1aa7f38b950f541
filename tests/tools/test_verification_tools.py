"""verify_caller, send_verification_code and check_verification_code: seed 004 ("Special Tool Behaviors")."""

import json
import re
from types import SimpleNamespace

import pytest

from switchboard.catalog.offer.inclusion import Situation, exclusion
from switchboard.contract.caller.strangers import VOUCHED_FOR
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import read_definition
from switchboard.contract.error import ErrorType, Refused, ToolError
from switchboard.contract.response import Intent, IntentType
from switchboard.desk.callers.callers import Caller
from tests.desk.front_desk import calendar, salon
from tests.desk.reception import ANNA
from tests.each import each
from tests.tools.folder import run, schema

TOOLS = ("verify_caller", "send_verification_code", "check_verification_code")
FACTS = {"name": "Anna Whitfield", "phone": "518 555 0161"}
GREETING = (Intent(IntentType.INJECT_CONTEXT, {"text": "The caller is verified; the first name is Anna."}),)
RECEIPT = {"what": "verification", "for": "Anna", "when": "2027-03-10T10:00:00-05:00", "effectIds": ["clr_anna"]}


@pytest.fixture
def desk(reception):
    """The services that these tools use."""
    return SimpleNamespace(verification=reception.verification, codes=Punctual(reception.codes))


class Punctual:
    """Codes that are on their way before the next thing is asked."""

    def __init__(self, codes):
        self.codes, self.check = codes, codes.check

    async def send(self, ctx):
        sent = await self.codes.send(ctx)
        await self.codes.ended()
        return sent


@pytest.mark.requirement("004-57", "004-58")
async def test_on_the_phone_the_number_may_be_enough(reception, desk):
    """Without a question asked; the model learns the first name, and the conversation keeps a receipt."""
    result = await run("verify_caller", reception.phoned(), desk, {})
    assert result.data | {"message": ""} == {
        "verified": True,
        "outcome": "verified",
        "level": "match",
        "next": None,
        "message": "",
    }
    assert (result.intents, result.receipt) == (GREETING, RECEIPT)


@pytest.mark.requirement("004-59")
@pytest.mark.parametrize("channel", [Channel.PORTAL, Channel.BROWSER_VOICE])
async def test_elsewhere_the_model_is_told_what_to_ask_for(reception, desk, channel):
    """Even if a number is known."""
    ctx = reception.asking_for(channel=channel, caller_phone=ANNA)
    data = (await run("verify_caller", ctx, desk, {})).data
    assert (data["verified"], data["outcome"], data["next"]) == (False, "facts_needed", "verify_caller")
    assert data["ask"] == ["name", "phone", "email", "date_of_birth", "booking_reference"]
    assert (await run("verify_caller", ctx, desk, FACTS)).data["verified"] is True


@pytest.mark.requirement("004-2006")
async def test_of_a_number_that_proves_itself_the_appointments_are_told_without_verifying(reception, desk):
    """Also where nobody of that number is on file; what another number shows is told nothing of."""
    for attestation, is_proven in ((VOUCHED_FOR, True), (None, False)):
        ctx = reception.phoned(number="+15185550199", attestation=attestation, session_id=str(attestation))
        for facts, outcome in (({}, "facts_needed"), ({"name": "Bo Stray", "phone": "+15185550199"}, "no_match")):
            data = (await run("verify_caller", ctx, desk, facts)).data
            assert data["outcome"] == outcome
            assert ("look them up and tell them now" in data["message"]) is is_proven


async def test_a_stranger_and_a_wrong_fact_are_answered_alike(reception, desk):
    """To the letter, and without a receipt; no fact is named as the wrong one."""
    answers = []
    for number, wrong in enumerate([{"name": "Nobody Known"}, {"phone": "518 555 0199"}, {"name": "Anna"}]):
        ctx = reception.asking_for(session_id=f"s{number}")
        answers.append(await run("verify_caller", ctx, desk, FACTS | wrong))
    assert all(answer == answers[0] for answer in answers)
    assert (answers[0].data["outcome"], answers[0].data["triesLeft"]) == ("no_match", 4)
    assert (answers[0].intents, answers[0].receipt) == ((), None)
    assert "Anna" not in json.dumps(answers[0].data)


@pytest.mark.requirement("004-1010")
async def test_facts_are_the_speakers_own_and_a_guess_is_not_tried(reception, desk):
    """Said where it is declared, and where a try failed; the second wrong number asks for another kind of fact."""
    declared = schema("verify_caller")["description"]
    assert "what callers say of themselves" in declared and "know of somebody else" in declared
    ctx = reception.asking_for()
    for number, asked in (("518 555 0198", None), ("518 555 0199", ["email", "date_of_birth", "booking_reference"])):
        data = (await run("verify_caller", ctx, desk, FACTS | {"phone": number})).data
        assert "guesses, or that is somebody else's, is no proof" in data["message"]
        assert data.get("ask") == asked


async def test_with_a_code_there_are_three_steps(reception, desk):
    """Match, send, check; only the last says verified, and the code itself is in no answer."""
    ctx = reception.asking_for("code")
    matched = await run("verify_caller", ctx, desk, FACTS)
    assert (matched.data["verified"], matched.data["next"]) == (False, "send_verification_code")
    assert (matched.intents, matched.receipt) == ((), None)
    sent = await run("send_verification_code", ctx, desk, {})
    assert sent.data | {"message": ""} == {
        "sent": True,
        "next": "check_verification_code",
        "message": "",
        "expiresInMinutes": 5,
        "repeated": False,
    }
    assert reception.pocket.code not in repr(sent)
    checked = await run("check_verification_code", ctx, desk, {"code": " ".join(reception.pocket.code)})
    assert (checked.data["verified"], checked.data["next"]) == (True, None)
    assert (checked.intents, checked.receipt) == (GREETING, RECEIPT)
    assert reception.pocket.code not in repr(checked)


async def test_whoever_is_verified_already_is_sent_no_code(reception, desk):
    """A model that asks for one all the same is told to go on, not to begin anew."""
    ctx = reception.phoned()
    await run("verify_caller", ctx, desk, {})
    data = (await run("send_verification_code", ctx, desk, {})).data
    assert (data["sent"], data["next"]) == (False, None)
    assert "is verified" in data["message"]
    assert reception.pocket.texts == []


async def test_without_a_match_no_code_is_sent(reception, desk):
    """The model is sent back to verify_caller; nobody can name a number."""
    data = (await run("send_verification_code", reception.asking_for("code"), desk, {})).data
    assert (data["sent"], data["next"]) == (False, "verify_caller")
    with pytest.raises(Refused):
        await run("send_verification_code", reception.asking_for("code"), desk, {"phone": "+15185550199"})
    assert reception.pocket.texts == []


NOBODY = {
    "nobody of that name": {"name": "Nobody Known", "phone": "518 555 0199"},
    "somebody else's number": {"name": "Nobody Known", "phone": "518 555 0161"},
    "a wrong fact": {"name": "Anna Whitfield", "phone": "518 555 0163"},
    "no number on file": {"name": "Paul Reed", "email": "Paul.Reed@mail.example"},
    "a number that cannot be texted": FACTS,
}


@pytest.mark.requirement("004-106")
@pytest.mark.parametrize("who", NOBODY)
async def test_where_a_code_is_asked_for_somebody_unknown_gets_the_same_answers_for_the_same_trips(
    reception, desk, store, who
):
    """From the first word to the last try, refusals, receipts and the trips to the store that could be measured."""
    error = ToolError(ErrorType.VALIDATION, f"{ANNA} cannot be texted")
    desk.codes = reception.codes
    known = await dialogue(reception, desk, store, FACTS, "known")
    reception.pocket.texts.clear()
    # An hour after the first began: how long a limit lasts is told by the hour.
    reception.clock.wait(3_600 - 6 * 31)
    unknown = await dialogue(reception, desk, store, NOBODY[who], "unknown", error)
    assert known == unknown
    assert reception.pocket.texts == []


async def dialogue(reception, desk, store, facts, session, error=None):
    """Return what somebody is answered who says the same again and again, and after which trips to the store."""
    reception.pocket.error, seen = error, []
    wrong = "000000"
    order = [
        ("verify_caller", facts),
        *[("send_verification_code", {})] * 2,
        ("check_verification_code", {"code": wrong}),
    ]
    for number in range(6):
        for name, arguments in order:
            ctx = reception.asking_for("code", session_id=session, call_id=f"{session} {number} {name}")
            store.asked.clear()
            evaluated = reception.seal.evaluated
            try:
                answer = repr(await run(name, ctx, desk, arguments))
            except ToolError as refused:
                answer = repr((refused, refused.meta))
            seen.append((name, answer, dict(store.asked), reception.seal.evaluated - evaluated))
            await reception.codes.ended()
            wrong = "000001" if reception.pocket.texts and reception.pocket.code == wrong else wrong
        reception.clock.wait(31)
    answers = " ".join(answer for _, answer, _, _ in seen)
    assert "No more codes" in answers and "no more tries" in answers
    return [(name, re.sub(r"\d\d:\d\d:\d\d", "", answer), *trips) for name, answer, *trips in seen]


async def test_a_code_that_is_not_right_is_answered_without_a_reason(reception, desk):
    """Wrong and unknown are one sentence."""
    ctx = reception.asking_for("code")
    unknown = await run("check_verification_code", ctx, desk, {"code": "123456"})
    await run("verify_caller", ctx, desk, FACTS)
    await run("send_verification_code", ctx, desk, {})
    wrong = f"{(int(reception.pocket.code) + 1) % 1_000_000:06}"
    assert await run("check_verification_code", ctx, desk, {"code": wrong}) == unknown
    assert (unknown.data["verified"], unknown.data["next"]) == (False, "send_verification_code")
    assert (unknown.intents, unknown.receipt) == ((), None)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("verify_caller", FACTS | {"date_of_birth": "12 April"}),
        ("verify_caller", FACTS | {"email": "anna"}),
        ("verify_caller", FACTS | {"verified": True}),
        ("verify_caller", {"name": ""}),
        ("check_verification_code", {}),
        ("check_verification_code", {"code": ""}),
        ("check_verification_code", {"code": 1234567}),
        ("check_verification_code", {"code": ["1", "2", "3", "4", "5", "6"]}),
    ],
)
async def test_arguments_that_do_not_fit_are_refused_before_anything_runs(reception, desk, store, name, arguments):
    """Whether somebody is verified is not for a model to say."""
    store.asked.clear()
    with pytest.raises(ToolError) as caught:
        await run(name, reception.asking_for(), desk, arguments)
    assert caught.value.type is ErrorType.VALIDATION
    assert not store.asked


@pytest.mark.requirement("004-28")
@each("channel", list(Channel))
@each("name", TOOLS)
def test_they_travel_with_the_calendar_tools(channel, name):
    """Offered on every channel where there is a calendar, and to callers who are not verified yet."""
    definition = read_definition(name, schema(name))
    assert exclusion(definition, Situation(salon(integrations=calendar()), channel)) is None
    assert exclusion(definition, Situation(salon(integrations={}), channel)).condition == "integration:calendar"
    assert (definition.verified, definition.is_repeatable, definition.writes) == (False, True, True)


async def test_a_code_that_a_model_sends_as_a_number_is_the_code(reception, desk):
    """Its leading zeros are put back."""
    for number in range(60):
        ctx = reception.asking_for("code", session_id=f"s{number}")
        await reception.codes.expect(ctx, Caller(id="clr_anna", phone=ANNA))
        await run("send_verification_code", ctx, desk, {})
        result = await run("check_verification_code", ctx, desk, {"code": int(reception.pocket.code)})
        assert result.data["verified"] is True
        reception.clock.wait(720)


async def test_a_number_that_no_code_can_be_is_refused_in_words(reception, desk):
    """Whatever a model writes for an integer: one beyond all measure is still only not a code."""
    with pytest.raises(ToolError) as caught:
        await run("check_verification_code", reception.asking_for("code", session_id="s"), desk, {"code": 1e308})
    assert caught.value.type is ErrorType.VALIDATION


def test_a_code_is_marked_as_a_secret():
    """So that the ledger does not keep what the caller said."""
    assert schema("check_verification_code")["parameters"]["properties"]["code"]["x-secret"] is True
