"""Who is calling: by the number where it may be believed, by two facts elsewhere, and never by guessing."""

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from itertools import product

import pytest

from switchboard.contract.caller.caller_identity import Standing, read_standing
from switchboard.contract.caller.strangers import VOUCHED_FOR
from switchboard.contract.channel import Channel
from switchboard.contract.context import PhoneContext
from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.callers.one_time_codes import OneTimeCodes
from switchboard.desk.callers.verification import TRIES_PER_DAY, TRIES_PER_SESSION, SaidFacts, Verdict, Verification
from switchboard.desk.limits.rate_limits import RateLimits
from switchboard.state.paths import FirestorePaths
from tests.desk.front_desk import NOW, call, salon, stored, write_down
from tests.desk.reception import ANNA, RECORDS, Reception, reached_by

NOTHING = SaidFacts()
TOMS = SaidFacts(name="Tom Becker", phone="518 555 0164")
ANNAS = SaidFacts(name="Anna Whitfield", phone="518 555 0161")
ATTESTATIONS = [
    VOUCHED_FOR,
    "TN-Validation-Passed-B",
    "TN-Validation-Passed-C",
    "TN-Validation-Passed-A-Diverted",
    "TN-Validation-Failed-A",
    "TN-Validation-Failed",
    "No-TN-Validation",
    "tn-validation-passed-a",
    "NULL",
    "",
    None,
]


@pytest.fixture
async def reception(store, clock):
    """A reception that knows five callers."""
    found = Reception(store, clock)
    await found.open()
    store.asked.clear()
    return found


async def standing(store, session_id="session-1", business_id="demo-salon"):
    return read_standing(await store.inner.get(FirestorePaths().within(business_id).document("sessions", session_id)))


@pytest.mark.requirement("004-57", "004-58", "004-59")
@pytest.mark.parametrize("level", ["none", "match", "code", "strict"])
@pytest.mark.parametrize("channel", list(Channel))
async def test_the_number_counts_only_where_everything_allows_it(store, reception, level, channel):
    """Level by channel by attestation by consent by record.

    A match by number alone needs the phone, the carrier's full word for it, the business's consent, and exactly one
    record with a name; a level that nobody knows asks for a code.
    """
    await write_down(store, "demo-salon", "callers", {"clr_nameless": {"phone": "+15185550170"}})
    records = {ANNA: True, "+15185550164": False, "+15185550170": False, "+15185550199": False, "+266696687": False}
    asking = {"strict": "code"}.get(level, level)
    for attestation, consent, (number, is_known) in product(ATTESTATIONS, (True, False, "yes", None), records.items()):
        business = salon(ai={"callerVerification": level, "trustCallerId": consent})
        ctx = reached_by(call(business), channel, session_id=f"{attestation}{consent}{number}", caller_phone=number)
        if isinstance(ctx.facts, PhoneContext):
            ctx = replace(ctx, facts=replace(ctx.facts, attestation=attestation))
        verdict = await reception.verification.verify(ctx, NOTHING)
        counts = channel is Channel.PHONE and attestation == VOUCHED_FOR and consent is True and is_known
        by_level = {"none": "verified", "match": "verified", "code": "code_needed"}
        expected = by_level[asking] if counts else "not_asked_for" if asking == "none" else "facts_needed"
        assert (verdict.outcome, verdict.level) == (expected, asking), (attestation, consent, number)
        found = await standing(store, ctx.facts.session_id)
        assert (found is not None) is (expected == "verified")
        assert (verdict.caller is not None) is (expected == "verified")


async def test_who_is_verified_stands_in_the_session_beside_what_was_there(store, reception):
    """Level, record, number on file and time: for whoever asks next (dispatch, other channels)."""
    await write_down(store, "demo-salon", "sessions", {"session-1": {"channel": "phone", "turns": {"1": {"calls": 1}}}})
    verdict = await reception.verification.verify(reception.phoned(), NOTHING)
    assert verdict.caller.first_name == "Anna"
    assert await standing(store) == Standing("match", "clr_anna", ANNA, NOW, "line", ANNA)
    (session,) = (await stored(store, "demo-salon", "sessions")).values()
    assert (session["channel"], session["turns"]) == ("phone", {"1": {"calls": 1}})


@pytest.mark.requirement("004-59")
@pytest.mark.parametrize("channel", list(Channel))
@pytest.mark.parametrize(
    "said",
    [
        ANNAS,
        SaidFacts(name="whitfield, anna", phone="+1 (518) 555-0161"),
        SaidFacts(name="Anna Whitfield", email=" Anna.Whitfield@MAIL.example"),
        SaidFacts(name="Anna Whitfield", date_of_birth="1988-04-12"),
        SaidFacts(name="Anna Whitfield", booking_reference=" BK_ANNA "),
        SaidFacts(
            name="Anna Whitfield",
            phone="518 555 0161",
            email="anna.whitfield@mail.example",
            date_of_birth="1988-04-12",
            booking_reference="bk_anna",
        ),
    ],
)
async def test_the_name_and_one_more_fact_are_enough_on_every_channel(store, reception, channel, said):
    """In any spelling; and everything that is said is right."""
    await write_down(store, "demo-salon", "bookings", {"bk_anna": {"callerId": "clr_anna"}})
    verdict = await reception.verification.verify(reception.asking_for(channel=channel), said)
    assert (verdict.outcome, verdict.caller.id) == ("verified", "clr_anna")
    assert (await standing(store)).caller_id == "clr_anna"


async def test_a_fact_that_is_not_on_file_neither_helps_nor_harms(reception):
    """Grace has no address on file: with her number she is known all the same, with an address alone she is not."""
    with_number = SaidFacts(name="Grace Okafor", phone="+15185550163", email="grace@mail.example")
    ctx = reception.asking_for()
    assert (await reception.verification.verify(ctx, with_number)).outcome == "verified"
    alone = SaidFacts(name="Grace Okafor", email="grace@mail.example")
    assert (await reception.verification.verify(ctx, alone)).outcome == "no_match"


async def test_of_a_shared_number_the_name_tells_who_is_calling(reception):
    """Tom and Lily have one telephone."""
    for name, id in (("Tom Becker", "clr_tom"), ("Lily Becker", "clr_lily")):
        said = SaidFacts(name=name, phone="518-555-0164")
        assert (await reception.verification.verify(reception.asking_for(), said)).caller.id == id


MARYS = "+15185550170"
FURTHER = "+15185550171"
MARY = {"name": "Mary Merge", "phone": MARYS, "otherPhones": [FURTHER], "otherPhonesNormalised": [FURTHER]}


@pytest.mark.requirement("004-920")
@pytest.mark.parametrize("number", [MARYS, FURTHER])
async def test_whoever_calls_from_any_number_of_their_record_is_known_by_it(store, reception, number):
    """Where the carrier vouches for it; from there on it is the number that is proven."""
    await write_down(store, "demo-salon", "callers", {"clr_mary": MARY})
    verdict = await reception.verification.verify(reception.phoned(number=number), NOTHING)
    assert (verdict.outcome, verdict.caller.id) == ("verified", "clr_mary")
    assert await standing(store) == Standing("match", "clr_mary", number, NOW, "line", number)
    forged = reception.phoned(number=number, session_id="session-2", attestation="TN-Validation-Passed-B")
    assert (await reception.verification.verify(forged, NOTHING)).outcome == "facts_needed"


@pytest.mark.requirement("004-920")
@pytest.mark.parametrize("channel", list(Channel))
async def test_the_name_and_any_number_of_the_record_are_enough(store, reception, channel):
    """Under the first number on file, whichever was said; a number of somebody else's contradicts the record."""
    await write_down(store, "demo-salon", "callers", {"clr_mary": MARY | {"email": "mary@mail.example"}})
    ctx = reception.asking_for(channel=channel)
    verdict = await reception.verification.verify(ctx, SaidFacts(name="Mary Merge", phone="518 555 0171"))
    assert (verdict.outcome, verdict.caller.id) == ("verified", "clr_mary")
    assert (await standing(store)).phone == MARYS
    wrong = SaidFacts(name="Mary Merge", phone=ANNA, email="mary@mail.example")
    assert (await reception.verification.verify(ctx, wrong)).outcome == "no_match"


@pytest.mark.requirement("004-920")
async def test_a_record_of_further_numbers_alone_is_held_against_these(store, reception):
    """One of them is enough with the name, and another number contradicts it."""
    record = {name: value for name, value in MARY.items() if name != "phone"} | {"email": "mary@mail.example"}
    await write_down(store, "demo-salon", "callers", {"clr_mary": record})
    ctx = reception.asking_for()
    said = SaidFacts(name="Mary Merge", phone=FURTHER)
    assert (await reception.verification.verify(ctx, said)).outcome == "verified"
    wrong = SaidFacts(name="Mary Merge", phone=MARYS, email="mary@mail.example")
    assert (await reception.verification.verify(ctx, wrong)).outcome == "no_match"


@pytest.mark.requirement("004-920")
@pytest.mark.parametrize(
    "other", [{"phone": FURTHER}, MARY | {"phone": "+15185550172"}, {"name": "", "phone": FURTHER}]
)
async def test_a_number_of_several_records_says_nobody(store, reception, other):
    """Whether it is the first or a further one of either; the name tells them apart."""
    await write_down(store, "demo-salon", "callers", {"clr_mary": MARY, "clr_other": {"name": "Marc Merge"} | other})
    verdict = await reception.verification.verify(reception.phoned(number=FURTHER), NOTHING)
    assert (verdict.outcome, await standing(store)) == ("facts_needed", None)


@pytest.mark.requirement("004-920")
@pytest.mark.parametrize("said", [SaidFacts(name="Mary Merge", phone=FURTHER), NOTHING])
async def test_a_code_goes_to_the_proven_number_and_never_to_one_that_was_said(store, reception, said):
    """By facts to the first number on file, whichever of them was said; from a vouched number to that one."""
    await write_down(store, "demo-salon", "callers", {"clr_mary": MARY})
    number, to = (ANNA, MARYS) if said is not NOTHING else (FURTHER, FURTHER)
    ctx = reception.phoned("code", number=number)
    assert (await reception.verification.verify(ctx, said)).outcome == "code_needed"
    await reception.codes.send(ctx)
    await reception.codes.ended()
    assert [sent_to for sent_to, _ in reception.pocket.texts] == [to]
    assert (await reception.codes.check(ctx, reception.pocket.code)).caller_id == "clr_mary"


async def test_two_records_that_fit_are_nobody(store, reception):
    """Father and son of one name and number: guessing between them would be wrong half of the time."""
    await write_down(store, "demo-salon", "callers", {"clr_tom_junior": RECORDS["clr_tom"]})
    said = SaidFacts(name="Tom Becker", phone="518-555-0164")
    assert (await reception.verification.verify(reception.asking_for(), said)).outcome == "no_match"


@pytest.mark.parametrize(
    "booking",
    [
        {},
        {"callerId": None},
        {"callerId": "clr_grace"},
        {"callerId": 7},
        {"customerName": "Anna Whitfield", "customerPhone": ANNA, "callerPhone": ANNA},
    ],
)
async def test_a_booking_counts_only_for_the_verified_caller_who_made_it(store, reception, booking):
    """Whoever books may put down somebody else's name and number, and is told the reference."""
    await write_down(store, "demo-salon", "bookings", {"bk_trap": booking})
    for said in (SaidFacts(name="Anna Whitfield"), ANNAS):
        said = replace(said, booking_reference="bk_trap")
        assert (await reception.verification.verify(reception.asking_for(), said)).outcome == "no_match"


WRONG = [
    SaidFacts(name="Anne Whitfield", phone="518 555 0161"),
    SaidFacts(name="Anna", phone="518 555 0161"),
    SaidFacts(name="Anna Whitfield", phone="518 555 0163"),
    SaidFacts(name="Grace Okafor", phone="518 555 0161"),
    SaidFacts(name="Anna Whitfield", phone="518 555 0161", email="grace@mail.example"),
    SaidFacts(name="Anna Whitfield", phone="518 555 0161", date_of_birth="1988-04-13"),
    SaidFacts(name="Anna Whitfield", phone="518 555 0161", booking_reference="bk_nothing"),
    SaidFacts(name="Nobody Known", phone="518 555 0199"),
]


@pytest.mark.parametrize("said", WRONG)
async def test_one_wrong_fact_is_enough_to_stay_unverified(store, reception, said):
    """However many others are right; nothing is written into the session."""
    verdict = await reception.verification.verify(reception.asking_for(), said)
    assert (verdict.outcome, verdict.caller, verdict.tries_left) == ("no_match", None, TRIES_PER_SESSION - 1)
    assert await standing(store) is None


SHAPES = {
    "phone": {"phone": "518 555 0161"},
    "email": {"email": "anna.whitfield@mail.example"},
    "birthday": {"date_of_birth": "1988-04-12"},
    "booking": {"booking_reference": "bk_anna"},
    "phone and booking": {"phone": "518 555 0161", "booking_reference": "bk_anna"},
}
UNKNOWN = {
    "phone": "518 555 0199",
    "email": "nobody@mail.example",
    "date_of_birth": "1900-01-01",
    "booking_reference": "bk_nothing",
}


@pytest.mark.parametrize("shape", SHAPES)
async def test_an_unknown_person_costs_the_same_trips_as_a_wrong_fact(store, reception, clock, shape):
    """And gets the same answer: from neither can be told who is known here.

    Of what was tried too often today, the right facts have it as well. Trips to the store are what a guesser could
    measure.
    """
    await write_down(store, "demo-salon", "bookings", {"bk_anna": {"callerId": "clr_anna"}})
    facts = SHAPES[shape]
    cases = {
        "wrong name": SaidFacts(name="Nobody Known", **facts),
        "unknown": SaidFacts(name="Nobody Known", **{name: UNKNOWN[name] for name in facts}),
        "wrong fact": SaidFacts(name="Anna Whitfield", **{name: UNKNOWN[name] for name in facts}),
    }

    async def answers(day, cases):
        seen = {}
        for case, said in cases.items():
            store.asked.clear()
            verdict = await reception.verification.verify(reception.asking_for(session_id=f"{day} {case}"), said)
            seen[case] = (verdict, Counter(store.asked))
        assert len({repr(answer) for answer in seen.values()}) == 1, seen
        return seen

    await answers("fresh", cases)
    for number in range(TRIES_PER_DAY):
        for case, said in cases.items():
            await reception.verification.verify(reception.asking_for("code", session_id=f"{case} {number}"), said)
    seen = await answers("tried", cases | {"right": SaidFacts(name="Anna Whitfield", **facts)})
    assert seen["right"][0].outcome == "code_needed"


async def test_a_session_has_five_tries_and_the_sixth_is_not_looked_at(store, reception):
    """Even if it is right; another session is another caller."""
    ctx = reception.asking_for()
    outcomes = [(await reception.verification.verify(ctx, WRONG[-1])).outcome for _ in range(TRIES_PER_SESSION)]
    assert outcomes == ["no_match"] * 4 + ["out_of_tries"]
    store.asked.clear()
    verdict = await reception.verification.verify(ctx, ANNAS)
    assert (verdict.outcome, verdict.tries_left) == ("out_of_tries", 0)
    assert store.asked == {"commit": 1}
    other = reception.asking_for(session_id="session-2")
    assert (await reception.verification.verify(other, ANNAS)).outcome == "verified"


async def test_the_fifth_try_still_counts(reception):
    """Five are allowed, not four."""
    ctx = reception.asking_for()
    for _ in range(TRIES_PER_SESSION - 1):
        await reception.verification.verify(ctx, WRONG[-1])
    assert (await reception.verification.verify(ctx, ANNAS)).outcome == "verified"


@pytest.mark.requirement("004-1010")
@pytest.mark.parametrize("name", ["Anna Whitfield", "Nobody Known"])
async def test_a_number_that_was_misheard_is_corrected_once_and_a_third_one_is_a_guess(reception, name):
    """The right one is not looked at then, and another kind of fact is asked for, of whoever is known and whoever not;
    somebody else of the conversation is tried as before.
    """
    ctx = reception.asking_for()
    verdicts = []
    for number in ("518 555 0170", "518 555 0171", "518 555 0161"):
        verdicts.append(await reception.verification.verify(ctx, SaidFacts(name=name, phone=number)))
    assert [verdict.outcome for verdict in verdicts] == ["no_match"] * 3
    others = ("email", "date_of_birth", "booking_reference")
    assert [verdict.missing for verdict in verdicts] == [(), others, others]
    graces = SaidFacts(name="Grace Okafor", phone="+15185550163")
    assert (await reception.verification.verify(ctx, graces)).outcome == "verified"


@pytest.mark.requirement("004-1010")
async def test_what_was_misheard_twice_leaves_the_other_facts(reception):
    """A bad line locks nobody out, nor does the next conversation remember it."""
    ctx = reception.asking_for()
    wrong, right = SaidFacts(name="Anna Whitfield", phone="518 555 0170"), ANNAS
    other = replace(wrong, phone="518 555 0171")
    assert (await reception.verification.verify(ctx, wrong)).outcome == "no_match"
    assert (await reception.verification.verify(ctx, right)).outcome == "verified"
    ctx = reception.asking_for(session_id="session-2")
    for said in (wrong, other, right):
        assert (await reception.verification.verify(ctx, said)).outcome == "no_match"
    born = SaidFacts(name="whitfield, anna", date_of_birth="1988-04-12")
    assert (await reception.verification.verify(ctx, born)).outcome == "verified"
    ctx = reception.asking_for(session_id="session-3")
    assert (await reception.verification.verify(ctx, right)).outcome == "verified"


@pytest.mark.requirement("004-1010")
async def test_of_a_code_a_third_number_is_sent_none(reception):
    """And says nothing else than before: whether a code comes tells nobody who is known."""
    ctx = reception.asking_for("code")
    for number in ("518 555 0170", "518 555 0171", "518 555 0161"):
        said = SaidFacts(name="Anna Whitfield", phone=number)
        assert (await reception.verification.verify(ctx, said)).outcome == "code_needed"
    await reception.codes.send(ctx)
    await reception.codes.ended()
    assert reception.pocket.texts == []


@pytest.mark.requirement("004-1010")
async def test_facts_that_are_told_again_are_no_guesses(reception):
    """Where no text came the model asks to verify once more, and the next code goes to the same caller."""
    ctx = reception.asking_for("code")
    for _ in range(TRIES_PER_SESSION):
        assert (await reception.verification.verify(ctx, ANNAS)).outcome == "code_needed"
    await reception.codes.send(ctx)
    await reception.codes.ended()
    assert (await reception.codes.check(ctx, reception.pocket.code)).caller_id == "clr_anna"


@pytest.mark.requirement("004-1010")
async def test_a_guess_does_not_void_the_code_that_was_sent(reception):
    """What was told before it still holds."""
    ctx = reception.asking_for("code")
    for number in ("518 555 0170", "518 555 0161"):
        await reception.verification.verify(ctx, SaidFacts(name="Anna Whitfield", phone=number))
    await reception.codes.send(ctx)
    await reception.codes.ended()
    guess = SaidFacts(name="Anna Whitfield", phone="518 555 0171")
    assert (await reception.verification.verify(ctx, guess)).outcome == "code_needed"
    assert (await reception.codes.check(ctx, reception.pocket.code)).caller_id == "clr_anna"


@pytest.mark.requirement("004-1010")
async def test_a_right_number_is_not_spent_by_what_is_misheard_beside_it(reception):
    """And an address of which two spellings were told refuses nothing any more, whichever is told again."""
    for again in ("anna@mail.example", "ana@mail.example", "hannah@mail.example"):
        ctx = reception.asking_for(session_id=again)
        misheard = [replace(ANNAS, email=email) for email in ("anna@mail.example", "ana@mail.example")]
        verdicts = [await reception.verification.verify(ctx, said) for said in misheard]
        assert verdicts[-1].missing == ("phone", "date_of_birth", "booking_reference")
        assert (await reception.verification.verify(ctx, replace(ANNAS, email=again))).outcome == "verified"


@pytest.mark.requirement("004-1010")
@pytest.mark.parametrize("number", ["518 555 0170", "518 555 0171", "518 555 0172"])
async def test_a_number_that_is_spent_leaves_the_birthday_that_is_told_with_it(reception, number):
    """It is not compared: neither does it refuse a right birthday, nor does it help a wrong one."""
    born = SaidFacts(name="Anna Whitfield", phone=number, date_of_birth="1988-04-12")
    ctx = reception.asking_for()
    for misheard in ("518 555 0170", "518 555 0171"):
        await reception.verification.verify(ctx, SaidFacts(name="Anna Whitfield", phone=misheard))
    wrong = replace(born, phone="518 555 0161", date_of_birth="1988-04-13")
    assert (await reception.verification.verify(ctx, wrong)).outcome == "no_match"
    assert (await reception.verification.verify(ctx, born)).outcome == "verified"


@pytest.mark.requirement("004-1010")
async def test_of_guesses_at_once_two_values_are_compared(reception):
    """However many come in the same moment; a third one stays a guess when it is told again."""
    ctx = reception.asking_for()
    said = [SaidFacts(name="Anna Whitfield", phone=f"518 555 01{n}") for n in (70, 71, 61, 61)]
    verdicts = await asyncio.gather(*(reception.verification.verify(ctx, one) for one in said))
    assert [verdict.outcome for verdict in verdicts] == ["no_match"] * 4


@pytest.mark.requirement("004-1010")
async def test_nothing_is_asked_for_where_nothing_would_be_compared(reception):
    """Two of each kind were told: there are no more tries, whatever the conversation has left."""
    ctx = reception.asking_for()
    kinds = {"phone": "518 555 017{}", "email": "a{}@mail.example", "date_of_birth": "1980-01-0{}"}
    for n, outcome in ((1, "no_match"), (2, "out_of_tries")):
        said = {kind: value.format(n) for kind, value in kinds.items()} | {"booking_reference": f"bk_{n}"}
        verdict = await reception.verification.verify(ctx, SaidFacts(name="Anna Whitfield", **said))
        assert (verdict.outcome, verdict.missing) == (outcome, ())
    assert verdict.tries_left == 0


@pytest.mark.parametrize(
    "guesses",
    [
        # names for a number; numbers, addresses and birthdays for a name
        [SaidFacts(name=f"Guess {chr(65 + n)}", phone="518 555 0161") for n in range(TRIES_PER_DAY)],
        [SaidFacts(name="Anna Whitfield", phone=f"518 555 01{n}") for n in range(70, 70 + TRIES_PER_DAY)],
        [SaidFacts(name="Anna Whitfield", email=f"anna{n}@mail.example") for n in range(TRIES_PER_DAY)],
        [SaidFacts(name="whitfield, anna", date_of_birth=f"1988-05-{n + 1:02}") for n in range(TRIES_PER_DAY)],
        [SaidFacts(name="Anna Whitfield", booking_reference=f"bk_{n}") for n in range(TRIES_PER_DAY)],
    ],
)
@pytest.mark.requirement("004-1303")
async def test_a_person_can_be_tried_ten_times_a_day_from_however_many_sessions(reception, clock, guesses):
    """After that not even the right facts verify by themselves, until the next day; others are not affected."""
    for number, said in enumerate(guesses):
        assert (await reception.verification.verify(reception.asking_for(session_id=f"s{number}"), said)).caller is None
    late = reception.asking_for(session_id="late")
    wrong = SaidFacts(name=guesses[-1].name, phone=guesses[-1].phone or "518 555 0199")
    assert (await reception.verification.verify(late, wrong)).outcome == "code_needed"
    assert (await reception.verification.verify(late, ANNAS)).outcome == "code_needed"
    assert await standing(reception.store, "late") is None
    graces = SaidFacts(name="Grace Okafor", phone="+15185550163")
    assert (await reception.verification.verify(late, graces)).outcome == "verified"
    clock.wait(86_400)
    tomorrow = reception.asking_for(session_id="tomorrow")
    assert (await reception.verification.verify(tomorrow, ANNAS)).outcome == "verified"


async def test_wrong_names_for_a_birthday_do_not_lock_out_whoever_was_born_on_it(reception):
    """Several hundred people share one; only a name makes it point at somebody."""
    for number in range(TRIES_PER_DAY + 1):
        said = SaidFacts(name=f"Guess {chr(65 + number)}", date_of_birth="1988-04-12")
        await reception.verification.verify(reception.asking_for(session_id=f"s{number}"), said)
    annas = SaidFacts(name="Anna Whitfield", date_of_birth="1988-04-12")
    late = reception.asking_for(session_id="late")
    assert (await reception.verification.verify(late, annas)).outcome == "verified"


async def test_of_a_thousand_guesses_at_once_ten_are_looked_at(reception):
    """Counted before they are compared: a burst gets no more tries than a patient guesser."""
    right = [reception.verification.verify(reception.asking_for(session_id=f"s{n}"), ANNAS) for n in range(1_000)]
    outcomes = Counter(verdict.outcome for verdict in await asyncio.gather(*right))
    assert outcomes == {"verified": TRIES_PER_DAY, "code_needed": 1_000 - TRIES_PER_DAY}


async def attacked(reception, name="Tom Becker"):
    """Let strangers who know a name alone guess at its number, as often as a day allows."""
    for n in range(TRIES_PER_DAY + 2):
        said = SaidFacts(name=name, phone=f"+1518555{9100 + n}")
        await reception.verification.verify(reception.asking_for(session_id=f"stranger {n}"), said)


@pytest.mark.requirement("004-1303")
async def test_a_name_alone_locks_nobody_out(store, reception):
    """Whoever tells the right facts then is verified by a code that comes to the number on file."""
    await attacked(reception)
    ctx = reception.asking_for(session_id="tom")
    verdict = await reception.verification.verify(ctx, TOMS)
    assert (verdict.outcome, verdict.caller) == ("code_needed", None)
    assert (await reception.codes.send(ctx)).is_asked_for
    await reception.codes.ended()
    [(to, _)] = reception.pocket.texts
    assert to == "+15185550164"
    assert (await reception.codes.check(ctx, reception.pocket.code)).caller_id == "clr_tom"
    assert (await standing(store, "tom")).caller_id == "clr_tom"


@pytest.mark.requirement("004-1303")
@pytest.mark.parametrize("name", ["Tom Becker", "Nobody Known"])
async def test_whoever_tells_wrong_facts_then_hears_the_same_and_uses_up_nothing_of_the_right_ones(reception, name):
    """Also by asking for codes; none is sent to anybody, and nothing verifies them."""
    await attacked(reception, name)
    sent = []
    for n in range(8):
        ctx = reception.asking_for(session_id=f"wrong {n}")
        assert (await reception.verification.verify(ctx, SaidFacts(name=name, phone="+15185559199"))).outcome == (
            "code_needed"
        )
        try:
            sent.append((await reception.codes.send(ctx)).is_asked_for)
        except ToolError as error:
            sent.append(error.type)
        await reception.codes.ended()
    assert (sent[0], sent[-1], reception.pocket.texts) == (True, ErrorType.RATE_LIMIT, [])
    toms = reception.asking_for(session_id="tom")
    await attacked(reception)
    await reception.verification.verify(toms, TOMS)
    assert (await reception.codes.send(toms)).is_asked_for
    await reception.codes.ended()
    assert len(reception.pocket.texts) == 1


@pytest.mark.requirement("004-1303")
@pytest.mark.parametrize(
    ("attestation", "number", "outcome"),
    [
        (VOUCHED_FOR, "+15185550164", "verified"),
        ("TN-Validation-Passed-B", "+15185550164", "code_needed"),
        (None, "+15185550164", "code_needed"),
        (VOUCHED_FOR, "+15185550199", "code_needed"),
    ],
)
async def test_from_a_number_on_file_that_is_vouched_for_the_right_facts_are_enough(
    store, reception, attestation, number, outcome
):
    """Nobody else can show both; and the wrong facts are not."""
    await attacked(reception)
    ctx = reception.phoned(number=number, attestation=attestation, session_id="tom")
    wrong = SaidFacts(name="Tom Becker", phone="+15185559199")
    assert (await reception.verification.verify(ctx, wrong)).outcome == "code_needed"
    assert (await reception.verification.verify(ctx, TOMS)).outcome == outcome
    assert ((await standing(store, "tom")) is not None) is (outcome == "verified")


@pytest.mark.requirement("004-1303")
async def test_where_a_code_is_asked_for_guesses_keep_it_from_nobody(reception):
    """A customer was told that a code is on its way, and none went."""
    await attacked(reception)
    ctx = reception.asking_for("code", session_id="tom")
    assert (await reception.verification.verify(ctx, TOMS)).outcome == "code_needed"
    await reception.codes.send(ctx)
    await reception.codes.ended()
    assert len(reception.pocket.texts) == 1


@pytest.mark.requirement("004-1303")
@pytest.mark.parametrize("said", ["right", "wrong"])
async def test_where_no_texts_can_be_sent_everybody_is_told_that_it_cannot_be_checked_today(store, clock, said):
    """No code is promised, and the right facts are told the same as the wrong ones."""

    async def cannot(business):
        raise ToolError(ErrorType.PERMANENT, "no account")

    reception = Reception(store, clock)
    codes = OneTimeCodes(store, RateLimits(store, clock), reception.seal, reception.pocket, cannot)
    reception.verification = Verification(store, reception.callers, codes)
    await reception.open()
    await attacked(reception)
    facts = TOMS if said == "right" else SaidFacts(name="Tom Becker", phone="+15185559199")
    verdict = await reception.verification.verify(reception.asking_for(session_id="tom"), facts)
    assert verdict == Verdict("not_today", "match")
    assert await standing(store, "tom") is None


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        (SaidFacts(name="Anna Whitfield"), ("phone", "email", "date_of_birth", "booking_reference")),
        (SaidFacts(phone="518 555 0161"), ("name",)),
        (SaidFacts(email="anna.whitfield@mail.example", date_of_birth="1988-04-12"), ("name",)),
        (NOTHING, ("name", "phone", "email", "date_of_birth", "booking_reference")),
    ],
)
async def test_too_few_facts_are_asked_for_and_cost_no_try(store, reception, said, missing):
    """The name and one other; no record is looked up before they are there."""
    verdict = await reception.verification.verify(reception.asking_for(), said)
    assert (verdict.outcome, verdict.missing, verdict.tries_left) == ("facts_needed", missing, None)
    assert store.asked == ({"get": 1} if said == NOTHING else {})


@pytest.mark.parametrize(
    "said",
    [SaidFacts(name="Anna Whitfield", phone="call me"), SaidFacts(name="Anna Whitfield", date_of_birth="1988-13-01")],
)
async def test_what_cannot_be_a_fact_is_refused_and_costs_no_try(store, reception, said):
    """VALIDATION, so that the model asks again."""
    with pytest.raises(ToolError) as caught:
        await reception.verification.verify(reception.asking_for(), said)
    assert caught.value.type is ErrorType.VALIDATION
    assert not store.asked


async def test_a_caller_who_is_verified_already_is_asked_nothing(store, reception):
    """But whoever then says who they are is held against the records: it may be another person."""
    ctx = reception.asking_for(caller_verified=True, caller_id="clr_grace")
    assert (await reception.verification.verify(ctx, NOTHING)).outcome == "verified"
    assert not store.asked
    assert (await reception.verification.verify(ctx, WRONG[0])).outcome == "no_match"


@pytest.mark.parametrize("channel", list(Channel))
async def test_who_asks_again_is_told_that_the_caller_is_verified(store, reception, clock, channel):
    """Without facts, for as long as it holds, and only in this conversation and at the level that is asked for."""
    await reception.verification.verify(reception.asking_for(channel=channel), ANNAS)
    again = reception.asking_for(channel=channel)
    assert (await reception.verification.verify(again, NOTHING)).outcome == "verified"
    code = reception.asking_for("code", channel=channel)
    assert (await reception.verification.verify(code, NOTHING)).outcome == "facts_needed"
    other = reception.asking_for(channel=channel, session_id="session-2")
    assert (await reception.verification.verify(other, NOTHING)).outcome == "facts_needed"
    clock.wait(1_800)
    late = reception.asking_for(channel=channel)
    assert (await reception.verification.verify(late, NOTHING)).outcome == "facts_needed"


@pytest.mark.parametrize("channel", list(Channel))
async def test_where_a_code_is_asked_for_a_match_alone_verifies_nobody(store, reception, channel):
    """Neither by the number nor by facts; the session has no standing until the code is checked."""
    ctx = reception.phoned("code") if channel is Channel.PHONE else reception.asking_for("code", channel=channel)
    said = NOTHING if channel is Channel.PHONE else ANNAS
    verdict = await reception.verification.verify(ctx, said)
    assert (verdict.outcome, verdict.caller) == ("code_needed", None)
    assert await standing(store) is None


async def test_another_business_knows_nothing_of_it(store, reception):
    """Records, tries and standings lie below their business."""
    ctx = reception.asking_for(id="elsewhere")
    assert (await reception.verification.verify(ctx, ANNAS)).outcome == "no_match"
    assert all(f"{path}/".startswith("businesses/elsewhere/") for path in store.paths[-3:])


@pytest.mark.parametrize("method", ["commit", "query"])
async def test_without_the_store_nobody_is_verified(store, reception, method):
    """TRANSIENT, and the model may try again; a number that is signalled is no exception."""
    store.fail(method)
    for ctx, said in ((reception.asking_for(), ANNAS), (reception.phoned(), NOTHING)):
        with pytest.raises(ToolError) as caught:
            await reception.verification.verify(ctx, said)
        assert caught.value.type is ErrorType.TRANSIENT
    store.recover()
    assert await standing(store) is None


async def test_a_standing_that_may_have_been_written_is_told_honestly(store, reception):
    """With partial side effects; verifying again is safe."""
    store.fail("commit", after=True)
    with pytest.raises(ToolError) as caught:
        await reception.verification.verify(reception.phoned(), NOTHING)
    assert (caught.value.type, caught.value.partial_side_effects) == (ErrorType.TRANSIENT, True)
    store.recover()
    assert (await reception.verification.verify(reception.phoned(), NOTHING)).outcome == "verified"


async def test_a_later_verification_takes_the_earlier_ones_place(store, reception, clock):
    """The level, the record and the time are the latest."""
    await reception.verification.verify(reception.asking_for(), ANNAS)
    clock.wait(60)
    said = SaidFacts(name="Grace Okafor", phone="+15185550163")
    await reception.verification.verify(reception.asking_for(), said)
    later = NOW + timedelta(seconds=60)
    assert await standing(store) == Standing("match", "clr_grace", "+15185550163", later, "browser")


@pytest.mark.requirement("004-81")
async def test_who_was_verified_on_the_line_is_asked_again_in_the_browser_and_the_other_way_round(store, reception):
    """Both go on with one session; neither is taken for the other."""
    assert (await reception.verification.verify(reception.phoned(), NOTHING)).outcome == "verified"
    assert (await reception.verification.verify(reception.asking_for(), NOTHING)).outcome == "facts_needed"
    said = SaidFacts(name="Grace Okafor", phone="+15185550163")
    assert (await reception.verification.verify(reception.asking_for(), said)).outcome == "verified"
    unproven = reception.phoned(attestation=None)
    assert (await reception.verification.verify(unproven, NOTHING)).outcome == "facts_needed"
