"""One-time codes: to the number on file only, five tries, five minutes, one use."""

import asyncio
import json
import logging
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.contract.caller.caller_identity import Standing, place_of, read_standing
from switchboard.contract.channel import Channel
from switchboard.contract.error import ErrorType, Refused, ToolError, source_of
from switchboard.contract.store import Set
from switchboard.desk.callers.callers import Caller
from switchboard.desk.callers.code_state import CodeHash
from switchboard.desk.callers.one_time_codes import LASTS, TRIES, CheckedCode, OneTimeCodes, SentCode, digits_in
from switchboard.desk.callers.verification import SaidFacts, Verdict, Verification
from switchboard.desk.limits.rate_limits import RateLimits
from switchboard.desk.messaging.outbox import Outbox
from switchboard.desk.messaging.sms import Texts
from switchboard.desk.services import NoPhoneAccounts
from switchboard.integrations.twilio.errors import of_twilio
from switchboard.state.paths import FirestorePaths
from tests.desk.front_desk import NOW, WatchedStore, stored
from tests.desk.reception import ANNA, PEPPER, Reception
from tests.each import each

PATHS = FirestorePaths()
ANNAS = SaidFacts(name="Anna Whitfield", phone="518 555 0161")
GRACES = SaidFacts(name="Grace Okafor", phone="+15185550163")

ENGLISH = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
GERMAN = ["null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"]


@pytest.fixture
async def reception(store, clock):
    """A reception at which Anna has been matched and still needs a code."""
    found = Reception(store, clock)
    await found.open()
    await match(found)
    store.asked.clear()
    return found


async def match(reception, said=ANNAS, **facts):
    verdict = await reception.verification.verify(reception.asking_for("code", **facts), said)
    assert verdict.outcome == "code_needed"


async def send(reception, **facts):
    sent = await reception.codes.send(reception.asking_for("code", **facts))
    await reception.codes.ended()
    return sent


async def check(reception, said, **facts):
    return await reception.codes.check(reception.asking_for("code", **facts), said)


async def standing(store, session_id="session-1"):
    return read_standing(await store.inner.get(FirestorePaths().within("demo-salon").document("sessions", session_id)))


def wrong(code):
    """Another code."""
    return f"{(int(code) + 1) % 1_000_000:06}"


@pytest.mark.requirement("004-05", "004-06")
@pytest.mark.parametrize("channel", list(Channel))
async def test_a_code_that_came_to_the_number_on_file_verifies_the_caller(store, reception, channel):
    """On every channel; the session's standing then says so."""
    sent = await send(reception, channel=channel, caller_phone="+15185550199")
    assert sent == SentCode(is_asked_for=True)
    ((to, body),) = reception.pocket.texts
    assert to == ANNA
    assert "Maple Street Hair Studio" in body
    checked = await check(reception, reception.pocket.code, channel=channel, caller_phone="+15185550199")
    assert checked == CheckedCode(is_right=True, caller_id="clr_anna", first_name="Anna")
    assert await standing(store) == Standing("code", "clr_anna", ANNA, NOW, place_of(channel), "+15185550199")


async def test_codes_are_six_digits_and_differ(reception, clock):
    """Leading zeros included; drawn from a source that nobody can predict."""
    codes = set()
    for _ in range(200):
        clock.wait(720)
        await reception.codes.expect(reception.asking_for("code"), Caller(id="clr_anna", phone=ANNA))
        assert (await send(reception)).is_asked_for
        codes.add(reception.pocket.code)
    assert len(codes) > 190
    assert any(code.startswith("0") for code in codes)


@pytest.mark.parametrize(
    ("language", "words", "warning"),
    [
        ("en", "is your code for", "do not tell it to anybody"),
        ("de", "ist Ihr Code für", "niemandem"),
        ("es", "es su clave para", "a nadie"),
        ("fr", "est votre code pour", "à personne"),
        ("xx", "is your code for", "do not tell it to anybody"),
    ],
)
async def test_the_text_warns_whoever_did_not_ask_for_it(reception, language, words, warning):
    """In the business's language, or in English; one message long."""
    ctx = reception.asking_for("code")
    ctx = replace(ctx, business=replace(ctx.business, language=f"{language}-AT"))
    await reception.codes.send(ctx)
    await reception.codes.ended()
    ((_, body),) = reception.pocket.texts
    assert words in body
    assert warning in body
    assert len(body) <= 160


@pytest.mark.requirement("004-06")
@pytest.mark.parametrize(
    "form", ["{0}{1}{2}{3}{4}{5}", "{0} {1} {2} {3} {4} {5}", "{0}{1}{2}-{3}{4}{5}", "It's {0}{1} {2}{3} {4}{5}."]
)
async def test_a_code_may_be_said_in_any_way(reception, form):
    """Speech recognisers write digits as they like."""
    await send(reception)
    assert (await check(reception, form.format(*reception.pocket.code))).is_right


@pytest.mark.requirement("004-07")
async def test_every_reason_to_refuse_gives_the_same_answer_for_the_same_trips(store, reception, clock):
    """Wrong, used up, tried too often, void, unknown, of another session, caller or business, expired (row 20).

    Trips to the store are what a guesser could measure.
    """
    elsewhere = Reception(store, clock, reception.pocket)
    await elsewhere.open(id="elsewhere")
    seen = {}

    async def note(case, said, **facts):
        store.asked.clear()
        answer = await check(reception, said, call_id=f"call of {case}", **facts)
        seen[case] = (answer, Counter(store.asked))

    await send(reception)
    first = reception.pocket.code
    await note("wrong", wrong(first))
    await note("unknown", first, session_id="nobody's")
    await note("another business", first, id="elsewhere")
    await match(reception, session_id="session-2")
    await note("matched, none sent", first, session_id="session-2")
    await send(reception, session_id="session-2")
    second = reception.pocket.code
    if first != second:
        await note("another session", first, session_id="session-2")
    await match(reception, GRACES, session_id="session-2")
    await note("another caller", second, session_id="session-2")
    clock.wait(31)
    await send(reception)
    third = reception.pocket.code
    if first != third:
        await note("void", first)
    assert (await check(reception, third, call_id="the right one")).is_right
    await note("used", third)
    clock.wait(570)
    await send(reception)
    for number in range(TRIES):
        await note(f"try {number}", wrong(reception.pocket.code))
    await note("tried too often", reception.pocket.code)
    clock.wait(31)
    await send(reception)
    clock.wait(LASTS.total_seconds())
    await note("expired", reception.pocket.code)
    assert set(map(repr, seen.values())) == {repr((CheckedCode(is_right=False), Counter(get=1, commit=1)))}, seen


async def test_a_code_is_good_for_five_minutes(reception, clock):
    """To the second, by our own clock: the store removes expired documents when it likes."""
    await send(reception)
    clock.wait(LASTS.total_seconds() - 1)
    assert (await check(reception, reception.pocket.code)).is_right


async def test_the_fifth_try_still_counts(reception):
    """Five are allowed, not four."""
    await send(reception)
    for number in range(TRIES - 1):
        assert not (await check(reception, wrong(reception.pocket.code), call_id=f"c{number}")).is_right
    assert (await check(reception, reception.pocket.code)).is_right


@pytest.mark.requirement("004-07")
async def test_of_a_thousand_guesses_at_once_exactly_five_are_evaluated(reception):
    """Counted before they are compared."""
    await send(reception)
    code = int(reception.pocket.code)
    guesses = [f"{(code + 1 + n) % 1_000_000:06}" for n in range(1_000)]
    answers = await asyncio.gather(*(check(reception, said, call_id=said) for said in guesses))
    assert not any(answer.is_right for answer in answers)
    assert reception.seal.evaluated == TRIES
    assert not (await check(reception, reception.pocket.code, call_id="late")).is_right
    assert reception.seal.evaluated == TRIES


async def test_of_a_thousand_right_answers_at_once_one_counts(store, reception):
    """A code verifies once (ASVS 6.5.1)."""
    await send(reception)
    answers = await asyncio.gather(*(check(reception, reception.pocket.code, call_id=f"c{n}") for n in range(1_000)))
    assert sum(answer.is_right for answer in answers) == 1
    assert reception.seal.evaluated == TRIES


async def test_guesses_while_a_new_code_is_sent_do_not_count_for_it(reception, clock):
    """A new code has five tries of its own, and no more than those: the old one's cannot be spent on it."""
    await send(reception)
    clock.wait(31)
    guesses = [check(reception, f"{n:06}", call_id=f"c{n}") for n in range(200)]
    await asyncio.gather(send(reception), *guesses)
    assert reception.seal.evaluated <= 2 * TRIES


async def test_the_delivery_that_used_a_code_may_be_carried_out_again(store, reception, clock):
    """It may have died before it could answer; the standing keeps the time of the first."""
    await send(reception)
    assert (await check(reception, reception.pocket.code, call_id="call-7")).is_right
    clock.wait(30)
    assert (await check(reception, reception.pocket.code, call_id="call-7")).is_right
    assert not (await check(reception, reception.pocket.code, call_id="call-8")).is_right
    assert (await standing(store)).at == NOW


async def test_calls_without_ids_use_a_code_once_all_the_same(reception):
    """Nobody's call is not the same call."""
    await send(reception)
    assert (await check(reception, reception.pocket.code, call_id="")).is_right
    assert not (await check(reception, reception.pocket.code, call_id="")).is_right


@pytest.mark.parametrize("said", ["12345", "1234567", "no idea", "", "one two three"])
async def test_what_is_not_six_digits_is_no_try(store, reception, said):
    """VALIDATION, so that the model asks again."""
    await send(reception)
    store.asked.clear()
    with pytest.raises(ToolError) as caught:
        await check(reception, said)
    assert caught.value.type is ErrorType.VALIDATION
    assert not store.asked


async def test_without_a_match_nothing_is_sent(reception):
    """Nor with a match of another session, or one that is half an hour old."""
    assert await send(reception, session_id="another") == SentCode(is_asked_for=False)
    reception.clock.wait(1_800)
    assert await send(reception) == SentCode(is_asked_for=False)
    assert reception.pocket.texts == []


async def test_a_wish_that_is_said_twice_sends_one_text(reception, clock):
    """Within 30 seconds it is on its way; after that another is sent, and only that one counts."""
    await send(reception)
    first = reception.pocket.code
    clock.wait(29)
    assert await send(reception) == SentCode(is_asked_for=True, repeated=True)
    clock.wait(1)
    assert not (await send(reception)).repeated
    assert len(reception.pocket.texts) == len(set(reception.pocket.effect_keys)) == 2
    if first != reception.pocket.code:
        assert not (await check(reception, first)).is_right
    assert (await check(reception, reception.pocket.code, call_id="again")).is_right


async def test_wishes_at_the_same_moment_send_one_text(reception):
    """The others are told to wait: CONFLICT."""
    answers = await asyncio.gather(*(send(reception) for _ in range(3)), return_exceptions=True)
    assert len(reception.pocket.texts) == 1
    kinds = Counter(a.type if isinstance(a, ToolError) else "sent" for a in answers)
    assert kinds["sent"] == 1
    assert set(kinds) <= {"sent", ErrorType.CONFLICT, ErrorType.RATE_LIMIT}


async def test_a_number_gets_three_codes_in_ten_minutes(reception, clock):
    """From however many sessions; RATE_LIMIT, and the earlier code stays good."""
    for number in range(4):
        await match(reception, session_id=f"s{number}")
    for number in range(3):
        assert (await send(reception, session_id=f"s{number}")).is_asked_for
    with pytest.raises(Refused) as caught:
        await send(reception, session_id="s3")
    assert caught.value.type is ErrorType.RATE_LIMIT
    assert ANNA not in caught.value.message
    assert caught.value.meta["retryAfterS"] > 0
    assert (await check(reception, reception.pocket.code, session_id="s2")).is_right


async def test_a_number_gets_five_codes_an_hour(reception, clock):
    """However they are spread."""
    answers = []
    for number in range(8):
        await match(reception, SaidFacts(name="Anna Whitfield", phone=ANNA), session_id=f"s{number}")
        try:
            answers.append((await send(reception, session_id=f"s{number}")).is_asked_for)
        except Refused:
            answers.append(False)
        clock.wait(420)
    assert answers == [True] * 5 + [False] * 3


@pytest.mark.requirement("004-106")
@pytest.mark.parametrize(
    "error",
    [
        ToolError(ErrorType.VALIDATION, f"{ANNA} cannot be texted"),
        ToolError(ErrorType.PERMANENT, f"{ANNA} has opted out"),
        ToolError(ErrorType.TRANSIENT, "busy"),
        ToolError(ErrorType.TRANSIENT, "no answer", partial_side_effects=True),
        Refused(ErrorType.RATE_LIMIT, f"{ANNA} has had enough"),
        ToolError(ErrorType.AUTH, "closed"),
    ],
)
async def test_what_becomes_of_the_text_is_not_told_and_another_may_be_asked_for_half_a_minute_later(
    reception, clock, caplog, error
):
    """That there is a number, and what kind of one, is nobody's business; the people at the business can read it."""
    reception.pocket.error = error
    assert await send(reception) == SentCode(is_asked_for=True)
    assert await send(reception) == SentCode(is_asked_for=True, repeated=True)
    assert [r.reason for r in caplog.records if r.message == "code not sent"] == [error.type.value]
    reception.pocket.error = None
    clock.wait(30)
    assert await send(reception) == SentCode(is_asked_for=True)
    assert (await check(reception, reception.pocket.code)).is_right


async def test_a_code_that_may_have_been_sent_stays_good(reception):
    """Nobody knows whether it was, until somebody says it."""
    reception.pocket.error = ToolError(ErrorType.TRANSIENT, "no answer", partial_side_effects=True)
    await send(reception)
    assert (await check(reception, reception.pocket.code)).is_right


@pytest.mark.requirement("004-106")
async def test_a_code_is_asked_for_before_it_is_sent_and_the_outbox_sends_what_a_dead_process_left(store, clock):
    """Once, whoever drains it; the document holds neither code nor number."""
    found = Reception(store, clock)
    await found.open()
    await match(found)
    assert (await found.codes.send(found.asking_for("code"))).is_asked_for
    assert found.pocket.texts == []
    left = await stored(store, "demo-salon", "outbox")
    assert [document["kind"] for document in left.values()] == ["code"]
    assert ANNA not in json.dumps(left, default=str) and "clr_anna" not in json.dumps(left, default=str)
    await store.commit([Set(PATHS.within("demo-salon").business, {"name": "Maple Street Hair Studio"})])
    boxes = [Outbox(store, PATHS, Texts(store, None, None, clock), None, clock, found.codes) for _ in range(4)]
    await asyncio.gather(found.codes.ended(), *(box.drain() for box in boxes))
    assert len(found.pocket.texts) == 1
    assert await stored(store, "demo-salon", "outbox") == {}
    assert (await check(found, found.pocket.code)).is_right


@pytest.mark.parametrize("late", [False, True])
async def test_a_wish_that_is_too_old_or_that_another_has_followed_sends_nothing(store, reception, clock, late):
    """A code that comes when nobody waits for it would be a riddle."""
    dying = WatchedStore(store)
    dead = Reception(dying, clock, reception.pocket)
    assert (await dead.codes.send(dead.asking_for("code"))).is_asked_for
    dying.fail("get")
    await dead.codes.ended()
    (left,) = await stored(store, "demo-salon", "outbox")
    clock.wait(LASTS.total_seconds() if late else 31)
    if not late:
        await reception.codes.expect(reception.asking_for("code"), Caller(id="clr_anna", phone=ANNA))
    wish = await store.get(PATHS.within("demo-salon").document("outbox", left))
    assert await reception.codes.carry_on(reception.asking_for("code"), wish)
    assert (reception.pocket.texts, await stored(store, "demo-salon", "outbox")) == ([], {})


async def test_the_code_stands_nowhere_but_in_the_text(store, reception, caplog):
    """Not in the store, not in an answer, not in a log; what is stored cannot be tried out without the pepper."""
    caplog.set_level(logging.DEBUG)
    await send(reception)
    code = reception.pocket.code
    documents = [await stored(store, "demo-salon", name) for name in ("tickets", "sessions", "outbox", "callers")]
    assert code not in json.dumps(documents, default=str)
    assert code not in caplog.text
    ticket = documents[0]["verification:session-1"]["code"]
    binding = ("demo-salon", "clr_anna", "session-1", ticket["id"])
    assert CodeHash(PEPPER).opens(ticket["sealed"], code, *binding)
    assert not CodeHash(b"another pepper of 16").opens(ticket["sealed"], code, *binding)
    for n, other in enumerate(("elsewhere", "clr_grace", "session-2", "another code")):
        assert not CodeHash(PEPPER).opens(ticket["sealed"], code, *(*binding[:n], other, *binding[n + 1 :]))


def test_a_seal_binds_each_part_by_itself():
    """Moving a letter from one part to the next makes another seal; a short pepper is refused; text of any kind is."""
    seal = CodeHash(PEPPER)
    assert seal.seal("123456", "a", "bc") != seal.seal("123456", "ab", "c")
    assert not seal.opens("ü" * 64, "123456", "a")
    assert not seal.opens("\ud800", "123456", "\ud800")
    with pytest.raises(ValueError, match="at least 16"):
        CodeHash(b"short")


@pytest.mark.parametrize(("method", "after"), [("get", False), ("commit", False), ("commit", True)])
async def test_without_the_store_no_code_is_right(store, reception, method, after):
    """TRANSIENT; it costs at most a try."""
    await send(reception)
    store.fail(method, after=after)
    with pytest.raises(ToolError) as caught:
        await check(reception, reception.pocket.code)
    assert caught.value.type is ErrorType.TRANSIENT
    store.recover()
    assert await standing(store) is None
    assert (await check(reception, reception.pocket.code)).is_right


@pytest.mark.parametrize("after", [False, True])
async def test_a_standing_that_may_have_been_written_is_told_honestly(store, reception, after):
    """The code may be used up; a new one helps."""
    await send(reception)
    commit = store.commit

    async def failing(writes):
        if len(writes) == 2:
            store.fail("commit", after=after)
        return await commit(writes)

    store.commit = failing
    with pytest.raises(ToolError) as caught:
        await check(reception, reception.pocket.code)
    assert (caught.value.type, caught.value.partial_side_effects) == (ErrorType.TRANSIENT, True)
    assert "Do not say" in caught.value.message


@pytest.mark.parametrize(("method", "after"), [("get", False), ("commit", False), ("commit", True)])
async def test_without_the_store_no_code_is_sent(store, reception, method, after):
    """What could not be counted and sealed is not sent; the next try is a new one."""
    store.fail(method, after=after)
    with pytest.raises(ToolError) as caught:
        await send(reception)
    assert caught.value.type is ErrorType.TRANSIENT
    assert reception.pocket.texts == []
    store.recover()
    reception.clock.wait(30)
    assert (await send(reception)).is_asked_for


async def test_codes_count_wherever_they_were_sent_from(store, reception, clock):
    """Instances share the store and the pepper, and nothing else."""
    await send(reception)
    other = Reception(store, clock, reception.pocket)
    assert (await check(other, reception.pocket.code)).is_right


async def test_a_ticket_that_somebody_meddled_with_opens_nothing(store, reception):
    """Fields of other types are no code."""
    path = FirestorePaths().within("demo-salon").document("tickets", "verification:session-1")
    matched = (await store.get(path)).data
    for code in (None, 7, {}, {"id": "x"}, {"id": "x", "sealed": 7, "expiresAt": NOW + timedelta(hours=1)}):
        await store.commit([Set(path, matched | {"code": code})])
        assert not (await check(reception, "123456")).is_right


async def test_a_business_without_a_telephone_sends_no_codes_and_says_so_to_anybody(store, clock):
    """PERMANENT: there is no account to send from, on file or not."""
    reception = Reception(store, clock)
    await reception.open()
    limits, seal = RateLimits(store, clock), CodeHash(PEPPER)
    no_account = Texts(store, NoPhoneAccounts(), limits, clock)
    codes = OneTimeCodes(store, limits, seal, no_account.send, no_account.check_account)
    told = []
    for said in (ANNAS, SaidFacts(name="Nobody Known", phone="518 555 0199")):
        await match(reception, said)
        with pytest.raises(ToolError) as caught:
            await codes.send(reception.asking_for("code"))
        told.append(str(caught.value))
    assert caught.value.type is ErrorType.PERMANENT
    assert told[0] == told[1]


@pytest.mark.requirement("004-926")
async def test_whether_codes_can_be_sent_is_one_question_for_whoever_verifies_and_whoever_sends(store, clock):
    """On file or not, by the number or by facts; no try is counted. Where nobody can tell, a code is asked for."""
    reception = Reception(store, clock)
    await reception.open()
    trouble = [ToolError(ErrorType.PERMANENT, "no account"), ToolError(ErrorType.AUTH, "refused")]

    async def may_text(business):
        if trouble:
            raise trouble[0]

    codes = OneTimeCodes(store, RateLimits(store, clock), CodeHash(PEPPER), reception.pocket, may_text)
    verification = Verification(store, reception.callers, codes)
    stranger = SaidFacts(name="Nobody Known", phone="518 555 0199")
    while trouble:
        store.asked.clear()
        for said in (ANNAS, stranger, SaidFacts(), SaidFacts(name="Anna Whitfield")):
            for ctx in (reception.asking_for("code"), reception.phoned("code")):
                assert await verification.verify(ctx, said) == Verdict("no_codes", "code")
        assert "commit" not in store.asked
        trouble.pop(0)
    trouble.append(ToolError(ErrorType.TRANSIENT, "away"))
    assert (await verification.verify(reception.asking_for("code"), ANNAS)).outcome == "code_needed"
    trouble.clear()
    assert (await verification.verify(reception.asking_for("code"), stranger)).outcome == "code_needed"
    trouble.append(ToolError(ErrorType.PERMANENT, "no account"))
    assert (await verification.verify(reception.asking_for("match"), ANNAS)).outcome == "verified"


@pytest.mark.requirement("004-930")
async def test_a_phone_account_that_is_refused_is_not_blamed_on_the_calendar(store, clock):
    """Codes are sent by tools of the calendar: its circuit would open, and it would ask to be connected again."""
    reception = Reception(store, clock)
    await reception.open()
    trouble = []

    async def may_text(business):
        if trouble:
            raise trouble[0]

    codes = OneTimeCodes(store, RateLimits(store, clock), CodeHash(PEPPER), reception.pocket, may_text)
    await Verification(store, reception.callers, codes).verify(reception.asking_for("code"), ANNAS)
    trouble.append(of_twilio(ToolError(ErrorType.AUTH, "refused")))
    with pytest.raises(ToolError) as told:
        await codes.send(reception.asking_for("code"))
    assert (told.value.type, source_of(told.value)) == (ErrorType.AUTH, "twilio")


@each(
    ("said", "digits"),
    [
        ("123456", "123456"),
        ("1 2 3 4 5 6", "123456"),
        ("123-456", "123456"),
        ("12.34.56", "123456"),
        ("Code: 123 456.", "123456"),
        ("one two three four five six", "123456"),
        ("One, two, three; four five SIX", "123456"),
        ("my code is oh one two nought five 6", "012056"),
        ("eins zwo drei vier fünf sechs", "123456"),
        ("fuenf null null sieben acht neun", "500789"),
        ("fu\u0308nf", "5"),
        ("double four triple nine", "44999"),
        ("doppel vier", "44"),
        ("\uff11\uff12\uff13\uff14\uff15\uff16", "123456"),
        ("١٢٣٤٥٦", "123456"),
        ("12\u200b34\u202e56", "123456"),
        ("", ""),
        ("no idea", ""),
        ("no ² idea", "2"),
    ],
)
def test_the_digits_of_what_was_said_are_found(said, digits):
    """Figures of any script, words in English and German; other words count for nothing."""
    assert digits_in(said) == digits


@given(
    st.text("0123456789", min_size=6, max_size=6),
    st.sampled_from([list("0123456789"), ENGLISH, GERMAN]),
    st.sampled_from([" ", "-", ", ", " . ", "\n"]),
)
def test_every_code_is_understood_in_every_way_of_saying_it(code, words, between):
    """Leading zeros too."""
    assert digits_in(between.join(words[int(digit)] for digit in code)) == code


@given(st.text(max_size=50))
def test_any_text_may_be_said(text):
    """What comes out is digits only."""
    found = digits_in(text)
    assert found == "" or (found.isascii() and found.isdigit())


@pytest.mark.requirement("004-963")
@pytest.mark.parametrize("later", [None, "+15185550188"], ids=["withheld", "another number"])
async def test_a_code_counts_on_the_line_only_from_the_number_that_it_was_asked_from(store, reception, clock, later):
    """Whoever shows another one, or none, has not said who they are: they neither use it nor are sent one."""
    shown = {"channel": Channel.PHONE, "caller_phone": "+15185550199"}
    other = shown | {"caller_phone": later}
    await reception.codes.expect(reception.asking_for("code", **shown), Caller(id="clr_anna", phone=ANNA))
    assert await send(reception, **other) == SentCode(is_asked_for=False)
    assert await send(reception, **shown) == SentCode(is_asked_for=True)
    code = reception.pocket.code
    store.asked.clear()
    assert not (await check(reception, code, call_id="c2", **other)).is_right
    assert await standing(store) is None
    refused = dict(store.asked)
    store.asked.clear()
    assert not (await check(reception, wrong(code), call_id="c3", **shown)).is_right
    assert dict(store.asked) == refused
    assert (await check(reception, code, call_id="c4", **shown)).is_right
    assert (await standing(store)).shown == "+15185550199"


@pytest.mark.requirement("004-963")
async def test_a_code_that_was_asked_for_on_the_line_by_a_caller_of_the_portal_counts_from_that_number(reception):
    """Who told in a browser who they are may go on by phone; whoever shows another number then asks anew."""
    await reception.codes.expect(reception.asking_for("code"), Caller(id="clr_anna", phone=ANNA))
    shown = {"channel": Channel.PHONE, "caller_phone": "+15185550199"}
    assert (await send(reception, **shown)).is_asked_for
    other = shown | {"caller_phone": "+15185550188"}
    assert not (await check(reception, reception.pocket.code, **other)).is_right
    assert await send(reception, **other) == SentCode(is_asked_for=True, repeated=False)
    assert (await check(reception, reception.pocket.code, call_id="c2", **other)).is_right


@pytest.mark.requirement("004-963")
@pytest.mark.parametrize("channel", [Channel.PORTAL, Channel.BROWSER_VOICE])
async def test_in_a_browser_a_code_counts_for_whoever_holds_the_conversation(reception, channel):
    """Which shows no number, or not every time."""
    shown = {"channel": channel, "caller_phone": "+15185550199"}
    await reception.codes.expect(reception.asking_for("code", **shown), Caller(id="clr_anna", phone=ANNA))
    assert (await send(reception, **shown)).is_asked_for
    assert (await check(reception, reception.pocket.code, channel=channel)).is_right
