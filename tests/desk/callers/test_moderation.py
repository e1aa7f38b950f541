"""Callers whom the business was warned about (seed 004), and callers who get no conversation for a while (seed 003)."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from switchboard.contract.caller.strangers import VOUCHED_FOR
from switchboard.contract.channel import Channel
from switchboard.contract.error import ErrorType, ToolError
from switchboard.desk.callers.callers import new_caller_id
from switchboard.desk.callers.moderation import CUSTOMER_FLAGGED_FOR, LEAST_MINUTES, MOST_MINUTES, Flagged, Moderation
from switchboard.desk.callers.verification import SaidFacts
from switchboard.pipeline.checks.session_active import blocked_until
from switchboard.state.paths import FirestorePaths
from tests.desk.front_desk import NOW, stored, write_down
from tests.desk.reception import RECORDS, Reception

WHY = "Shouted at the receptionist."
UNKNOWN = "+15185550199"
# Blocks of these tests are shorter, and a customer's flag is not over yet.
WHEN_BLOCKS_ARE_OVER = NOW + CUSTOMER_FLAGGED_FOR - timedelta(minutes=1)


@pytest.fixture
async def reception(store, clock):
    """A reception that knows five callers."""
    found = Reception(store, clock)
    await found.open()
    return found


async def callers(store):
    return await stored(store, "demo-salon", "callers")


async def is_ignored(reception, ctx):
    """Tell whether somebody gets no conversation now, as a channel asks that has read the session."""
    session = await reception.store.get(ctx.paths.document("sessions", ctx.facts.session_id))
    until = blocked_until(session)
    return await reception.moderation.is_blocked(FirestorePaths(), reception.clock, ctx.facts, until)


async def is_flagged(reception, ctx):
    """Tell whether a flag alone keeps somebody from a conversation: at a time when every block is over."""
    return await reception.moderation.turned_away(ctx.paths, ctx.facts, WHEN_BLOCKS_ARE_OVER)


@pytest.mark.requirement("004-55")
async def test_a_flag_and_its_reason_stand_with_the_caller(store, reception):
    """Beside what was there, with how far the carrier vouched for the number: it could have been forged."""
    ctx = reception.phoned(interaction_id="interaction-1")
    assert await reception.moderation.flag(ctx, f" {WHY}\n") == Flagged(("clr_anna",), is_ending=True)
    assert (await callers(store))["clr_anna"] == RECORDS["clr_anna"] | {
        "flagged": True,
        "flagReason": WHY,
        "flaggedAt": NOW,
        "flaggedUntil": NOW + timedelta(hours=24),
        "flaggedIn": {
            "sessionId": "session-1",
            "callId": "interaction-1",
            "attestation": "TN-Validation-Passed-A",
        },
    }


@pytest.mark.requirement("004-2457")
async def test_a_models_flag_of_a_customer_holds_for_a_day(reception):
    """It may have been wrong; until then people at the business have seen it."""
    await reception.moderation.flag(reception.phoned(session_id="first"), WHY)
    ctx = reception.phoned(session_id="second")
    assert await reception.moderation.turned_away(ctx.paths, ctx.facts, NOW + timedelta(hours=23))
    assert not await reception.moderation.turned_away(ctx.paths, ctx.facts, NOW + timedelta(hours=25))


@pytest.mark.requirement("004-2457")
async def test_a_model_makes_no_shorter_what_a_person_has_decided(store, reception):
    """A flag of the owner's holds for good, whatever is flagged after it."""
    await write_down(store, "demo-salon", "callers", {"clr_anna": RECORDS["clr_anna"] | {"flagged": True}})
    ctx = reception.phoned()
    await reception.moderation.flag(ctx, WHY)
    assert (await callers(store))["clr_anna"] == RECORDS["clr_anna"] | {"flagged": True}
    later = reception.phoned(session_id="second")
    assert await reception.moderation.turned_away(ctx.paths, later.facts, NOW + timedelta(days=99))


@pytest.mark.requirement("004-2457")
async def test_whoever_is_not_on_file_is_flagged_until_that_is_lifted(reception):
    """Nobody knows them."""
    await reception.moderation.flag(reception.phoned(number=UNKNOWN), WHY)
    ctx = reception.phoned(number=UNKNOWN, session_id="second")
    assert await reception.moderation.turned_away(ctx.paths, ctx.facts, NOW + timedelta(days=99))


@pytest.mark.requirement("004-2457")
@pytest.mark.parametrize("reason", ["x", "rude", "1 2 3 4", "- - -", "a b c"])
async def test_a_flag_of_a_customer_says_in_some_words_why(store, reception, reason):
    """People judge by it."""
    with pytest.raises(ToolError) as error:
        await reception.moderation.flag(reception.phoned(), reason)
    assert error.value.type is ErrorType.VALIDATION
    assert await callers(store) == RECORDS


@pytest.mark.requirement("004-55", "004-2457")
@pytest.mark.parametrize(("number", "reason"), [(None, "Abusive language"), (None, "Spam call"), (UNKNOWN, "Spam")])
async def test_a_short_reason_is_a_reason(store, reception, number, reason):
    """Seed 004 stores the reason that is given; of a stranger a word says enough, and marks alone say nothing."""
    ctx = reception.phoned(number=number) if number else reception.phoned()
    await reception.moderation.flag(ctx, reason)
    flagged = [record for record in (await callers(store)).values() if record.get("flagged")]
    assert flagged and {record["flagReason"] for record in flagged} == {reason}
    with pytest.raises(ToolError):
        await reception.moderation.flag(ctx, "- 1 -")


@pytest.mark.requirement("004-914")
async def test_whoever_has_a_number_that_was_a_customers_once_is_somebody_else(store, reception):
    """Neither the customer's new number nor the customer is touched, however often the old one has changed hands."""
    theirs = {"name": "Ada First", "phone": "+15185550198", "phoneNormalised": "+15185550198"}
    await write_down(store, "demo-salon", "callers", {new_caller_id(UNKNOWN, n): theirs for n in range(2)})
    ctx = reception.phoned(number=UNKNOWN)
    assert await reception.moderation.flag(ctx, WHY) == Flagged((new_caller_id(UNKNOWN, 2),), is_ending=True)
    assert [(await callers(store))[new_caller_id(UNKNOWN, n)] for n in range(2)] == [theirs, theirs]
    assert [c.id for c in await reception.callers.of_number(ctx.paths, UNKNOWN)] == [new_caller_id(UNKNOWN, 2)]


@pytest.mark.requirement("004-55")
async def test_an_unknown_number_gets_a_record(store, reception):
    """One, however often it is flagged, and by however many calls at once."""
    calls = [reception.moderation.flag(reception.phoned(number=UNKNOWN, session_id=f"s{n}"), WHY) for n in range(20)]
    assert set(await asyncio.gather(*calls)) == {Flagged((new_caller_id(UNKNOWN),), is_ending=True)}
    new = (await callers(store)).keys() - RECORDS.keys()
    assert new == {new_caller_id(UNKNOWN)}
    record = (await callers(store))[new_caller_id(UNKNOWN)]
    assert (record["phone"], record["flagged"], record["flagReason"]) == (UNKNOWN, True, WHY)
    assert [c.id for c in await reception.callers.of_number(reception.phoned().paths, UNKNOWN)] == list(new)


async def test_a_record_that_only_a_flag_made_verifies_nobody(reception):
    """It says that a number has called before, and not whose it is."""
    ctx = reception.phoned(number=UNKNOWN)
    await reception.moderation.flag(ctx, WHY)
    assert (await reception.verification.verify(ctx, SaidFacts())).outcome == "facts_needed"


@pytest.mark.requirement("004-920")
async def test_a_flag_and_a_block_hold_for_every_number_of_a_record(store, reception):
    """Whichever of them called; no second record is made of a further one."""
    numbers = {"phone": "+15185550170", "otherPhones": [UNKNOWN], "otherPhonesNormalised": [UNKNOWN]}
    await write_down(store, "demo-salon", "callers", {"clr_mary": {"name": "Mary Merge", **numbers}})
    ctx = reception.phoned(number=UNKNOWN)
    assert (await reception.moderation.flag(ctx, WHY)).caller_ids == ("clr_mary",)
    await reception.moderation.ignore(ctx, 30, WHY)
    assert (await callers(store)).keys() == RECORDS.keys() | {"clr_mary"}
    for number in ("+15185550170", UNKNOWN):
        other = reception.phoned(number=number, session_id=f"of {number}")
        assert await is_flagged(reception, other)
        assert await is_ignored(reception, other)


async def test_everybody_of_a_shared_number_is_flagged_unless_it_is_known_who_calls(store, reception):
    """A verified caller of that number is flagged alone; the number of somebody else is not bound."""
    shared = {"number": "+15185550164", "caller_verified": True}
    await reception.moderation.flag(reception.phoned(**shared, caller_id="clr_tom"), WHY)
    assert {id for id, record in (await callers(store)).items() if record.get("flagged")} == {"clr_tom"}
    await reception.moderation.flag(reception.phoned(**shared, caller_id="clr_grace"), WHY)
    flagged = {id for id, record in (await callers(store)).items() if record.get("flagged")}
    assert flagged == {"clr_tom", "clr_lily"}


@pytest.mark.requirement("004-80")
@pytest.mark.parametrize(
    "verdict",
    [
        None,
        "",
        "TN-Validation-Passed-B",
        "TN-Validation-Passed-C",
        "No-TN-Validation",
        "TN-Validation-Failed-A",
        "TN-Validation-Failed",
        "TN-Validation-Passed-A-Diverted",
        "tn-validation-passed-a",
    ],
)
@pytest.mark.parametrize("facts", [{}, {"caller_verified": True, "caller_id": "clr_anna"}])
async def test_an_unattested_call_binds_itself_alone(store, reception, verdict, facts):
    """One forged abusive call must not lock the owner of the number out: not even where facts were told in it."""
    forged = reception.phoned(attestation=verdict, session_id="forged", **facts)
    assert await reception.moderation.flag(forged, WHY) == Flagged((), is_ending=True)
    assert (await reception.moderation.ignore(forged, 60, WHY)).caller_ids == ()
    assert await callers(store) == RECORDS
    for attestation in (VOUCHED_FOR, None):
        real = reception.phoned(attestation=attestation, session_id="the owner of the number")
        assert not await is_ignored(reception, real)
        assert not await is_flagged(reception, real)
    assert await is_ignored(reception, forged)
    assert await is_flagged(reception, forged)


@pytest.mark.requirement("004-80")
async def test_a_flag_that_an_unattested_call_left_in_a_record_binds_nobody(store, reception):
    """As earlier versions wrote it; one that an owner has set binds, and so does that of an attested call."""
    real = reception.phoned()
    for place, binds in (({"attestation": None}, False), ({"attestation": VOUCHED_FOR}, True), (None, True)):
        record = RECORDS["clr_anna"] | {"flagged": True} | ({"flaggedIn": place} if place else {})
        await write_down(store, "demo-salon", "callers", {"clr_anna": record})
        assert await is_flagged(reception, real) is binds


@pytest.mark.parametrize("withheld", [None, "anonymous", "+266696687"])
async def test_a_withheld_number_flags_nobody_and_the_call_ends(store, reception, withheld):
    """There is no record that all anonymous callers share."""
    assert await reception.moderation.flag(reception.phoned(number=withheld), WHY) == Flagged((), is_ending=True)
    assert await callers(store) == RECORDS


@pytest.mark.requirement("004-56")
@pytest.mark.parametrize("answer", [True, False])
async def test_a_call_that_no_channel_carries_is_hung_up_after_the_flag(store, reception, answer):
    """Whether it was for it to hang up or for the channel, the call is ending."""
    seen = []

    async def hang_up(ctx):
        seen.append((await callers(store))["clr_anna"]["flagged"])
        return answer

    moderation = Moderation(store, reception.callers, hang_up)
    assert (await moderation.flag(reception.phoned(), WHY)).is_ending
    assert seen == [True]


async def test_a_call_that_cannot_be_hung_up_is_flagged_all_the_same(store, reception):
    """And nobody claims that it ended."""

    async def hang_up(ctx):
        raise ToolError(ErrorType.TRANSIENT, "no answer")

    moderation = Moderation(store, reception.callers, hang_up)
    assert await moderation.flag(reception.phoned(), WHY) == Flagged(("clr_anna",), is_ending=False)
    assert (await callers(store))["clr_anna"]["flagged"] is True


@pytest.mark.requirement("003-12", "003-13")
async def test_a_block_holds_until_it_has_passed(store, reception):
    """To the second; it ends by itself."""
    ctx = reception.phoned()
    assert not await is_ignored(reception, ctx)
    ignored = await reception.moderation.ignore(ctx, 60, WHY)
    assert (ignored.until, ignored.caller_ids) == (NOW + timedelta(hours=1), ("clr_anna",))
    assert blocked_until(await store.get(ctx.paths.document("sessions", ctx.facts.session_id))) == ignored.until
    record = (await callers(store))["clr_anna"]
    assert (record["blockedUntil"], record["blockReason"], record["blockedAt"]) == (ignored.until, WHY, NOW)
    reception.clock.wait(3_599)
    assert await is_ignored(reception, ctx)
    reception.clock.wait(1)
    assert not await is_ignored(reception, ctx)


@pytest.mark.requirement("003-12", "003-13")
async def test_a_block_holds_on_every_channel(reception):
    """For the number, for the verified caller, and in the conversation; for nobody else, and in no other business."""
    await reception.moderation.ignore(reception.phoned(), 60, WHY)
    blocked = [
        reception.phoned(session_id="another call"),
        reception.asking_for(channel=Channel.BROWSER_VOICE),
        reception.phoned(session_id="a call without a verdict", attestation=None),
        reception.asking_for(session_id="portal", caller_id="clr_anna", caller_verified=True),
        reception.asking_for(session_id="portal", caller_phone="+1 518 555 0161"),
    ]
    free = [
        reception.phoned(number="+15185550163", session_id="grace"),
        reception.asking_for(session_id="portal"),
        reception.asking_for(session_id="portal", caller_id="clr_anna"),
        reception.phoned(id="elsewhere"),
    ]
    assert [await is_ignored(reception, ctx) for ctx in blocked] == [True] * len(blocked)
    assert [await is_ignored(reception, ctx) for ctx in free] == [False] * len(free)


@pytest.mark.parametrize("number", [None, "anonymous"])
async def test_whoever_has_no_number_is_blocked_in_the_conversation(store, reception, number):
    """All that is known of them."""
    ctx = reception.asking_for(caller_phone=number)
    assert (await reception.moderation.ignore(ctx, 60, WHY)).caller_ids == ()
    assert await is_ignored(reception, ctx)
    assert await callers(store) == RECORDS


async def test_a_number_without_a_record_gets_one(store, reception):
    """So that the next call from it is not answered either."""
    await reception.moderation.ignore(reception.phoned(number=UNKNOWN), 60, WHY)
    assert await is_ignored(reception, reception.phoned(number=UNKNOWN, session_id="next"))
    assert (await callers(store))[new_caller_id(UNKNOWN)]["phone"] == UNKNOWN


async def test_a_longer_block_stays_as_it_is(reception):
    """A caller who misbehaves again is not let in sooner."""
    ctx = reception.phoned()
    longer = await reception.moderation.ignore(ctx, 600, WHY)
    assert (await reception.moderation.ignore(ctx, 10, WHY)).until == longer.until


async def test_an_owner_can_lift_a_block(store, reception):
    """By taking it out of the record; the conversation it was made in stays closed."""
    await reception.moderation.ignore(reception.phoned(), 60, WHY)
    await write_down(store, "demo-salon", "callers", {"clr_anna": RECORDS["clr_anna"]})
    assert not await is_ignored(reception, reception.phoned(session_id="another call"))
    assert await is_ignored(reception, reception.phoned())


@pytest.mark.requirement("003-12")
@pytest.mark.parametrize("minutes", [LEAST_MINUTES - 1, 0, -60, MOST_MINUTES + 1])
async def test_a_duration_out_of_bounds_is_refused(store, reception, minutes):
    """VALIDATION; whatever an edited definition allows."""
    with pytest.raises(ToolError) as caught:
        await reception.moderation.ignore(reception.phoned(), minutes, WHY)
    assert caught.value.type is ErrorType.VALIDATION
    assert await callers(store) == RECORDS


@pytest.mark.parametrize("act", ["flag", "ignore"])
async def test_without_a_reason_nothing_is_done(store, reception, act):
    """The people at the business want to know why."""
    with pytest.raises(ToolError) as caught:
        if act == "flag":
            await reception.moderation.flag(reception.phoned(), " \n")
        else:
            await reception.moderation.ignore(reception.phoned(), 60, "")
    assert caught.value.type is ErrorType.VALIDATION
    assert await callers(store) == RECORDS


@pytest.mark.parametrize("act", ["flag", "ignore"])
@pytest.mark.parametrize(("method", "after"), [("query", False), ("commit", False), ("commit", True)])
async def test_without_an_answer_of_the_store_nobody_claims_that_it_is_done(store, reception, act, method, after):
    """TRANSIENT with partial side effects; once more is safe."""
    ctx = reception.phoned()

    async def once():
        if act == "flag":
            return await reception.moderation.flag(ctx, WHY)
        return await reception.moderation.ignore(ctx, 60, WHY)

    store.fail(method, after=after)
    with pytest.raises(ToolError) as caught:
        await once()
    assert (caught.value.type, caught.value.retryable) == (ErrorType.TRANSIENT, True)
    assert caught.value.partial_side_effects is True
    store.recover()
    assert (await once()).caller_ids == ("clr_anna",)


@pytest.mark.requirement("004-1052")
async def test_a_block_is_known_from_a_session_that_was_read_without_reading_it_again(store, reception):
    """What it says counts, and beside it the record of whoever is verified or shows a number."""
    nobody, anna = reception.asking_for(caller_phone=None), reception.phoned(session_id="another call")
    later, before = NOW + timedelta(minutes=5), NOW - timedelta(minutes=5)

    async def is_blocked(ctx, until):
        return await reception.moderation.is_blocked(FirestorePaths(), reception.clock, ctx.facts, until)

    store.asked.clear()
    assert [await is_blocked(nobody, until) for until in (later, None, before, NOW)] == [True, False, False, False]
    assert store.asked == {}
    assert not await is_blocked(anna, None)
    await reception.moderation.ignore(reception.phoned(), 60, WHY)
    store.asked.clear()
    assert await is_blocked(anna, None)
    assert store.asked == {"query": 1}
    store.fail("query")
    assert [await is_blocked(anna, until) for until in (None, later)] == [False, True]


@pytest.mark.parametrize("method", ["get", "query"])
async def test_without_the_store_everybody_is_served(store, reception, method):
    """A rude caller too many is better than a business that is silent."""
    ctx = reception.phoned()
    await reception.moderation.ignore(ctx, 60, WHY)
    assert await reception.moderation.turned_away(ctx.paths, ctx.facts, NOW)
    store.fail(method)
    assert not await reception.moderation.turned_away(ctx.paths, ctx.facts, NOW)


async def test_asking_takes_the_time_of_one_look(store, reception):
    """Session and record are looked at side by side; nothing is written."""
    ctx = reception.phoned()
    store.asked.clear()
    await reception.moderation.turned_away(ctx.paths, replace(ctx.facts), NOW)
    assert store.asked == {"get": 1, "query": 1}
