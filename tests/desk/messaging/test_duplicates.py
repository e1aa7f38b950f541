"""The same text or message from the same caller in another conversation is the same one, for ten minutes."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from switchboard.contract.caller.caller_identity import Standing
from switchboard.contract.error import Refused
from switchboard.contract.store import Delete, Set
from tests.desk.front_desk import NOW, call, stored
from tests.desk.messaging.test_messages import take
from tests.desk.messaging.test_sms import BODY
from tests.desk.phone_network import CALLER, OTHER, phone_salon

SALON = phone_salon()


async def send(texts, ctx, body=BODY, to=CALLER, purpose="sms"):
    return await texts.send(ctx, to, body, effect_key=ctx.effect_key, purpose=purpose)


@pytest.mark.requirement("004-333")
async def test_who_calls_again_within_ten_minutes_is_not_sent_the_same_text_twice(texts, network):
    first = await send(texts, call(SALON))
    again = await send(texts, call(SALON, session="session-2"))
    assert (again.id, again.repeated, len(network.sent)) == (first.id, True, 1)
    await send(texts, call(SALON, session="session-2", wish="other"), body="Another text.")
    await send(texts, call(SALON, session="session-3", phone=OTHER))
    assert len(network.sent) == 3


async def test_after_ten_minutes_and_in_the_same_conversation_it_is_another_text(texts, network, clock):
    await send(texts, call(SALON))
    assert not (await send(texts, call(SALON, wish="asked again in a later turn"))).repeated
    clock.wait(601)
    late = call(SALON, session="session-2", now=NOW + timedelta(seconds=601))
    assert not (await send(texts, late)).repeated
    assert len(network.sent) == 3


async def test_two_conversations_at_once_send_one_text(texts, network):
    sessions = [call(SALON, session=f"session-{n}") for n in range(8)]
    found = await asyncio.gather(*(send(texts, ctx) for ctx in sessions), return_exceptions=True)
    assert len(network.sent) == 1
    assert sum(not isinstance(one, Exception) and not one.repeated for one in found) == 1


@pytest.mark.parametrize("kind", ["text", "message"])
async def test_two_conversations_at_once_send_one_where_an_earlier_one_is_long_past(desk, texts, network, store, kind):
    """Its ticket is still there, and both find it: whoever notes their own first is the one who sends."""

    async def left(ctx):
        return await (send(texts, ctx) if kind == "text" else take(desk, ctx))

    await left(call(SALON, verified=True))
    late = NOW + timedelta(minutes=11)
    sessions = [call(SALON, session=f"session-{n}", now=late, verified=True) for n in range(2, 10)]
    found = await asyncio.gather(*(left(ctx) for ctx in sessions), return_exceptions=True)
    assert sum(not isinstance(one, Exception) and not one.repeated for one in found) == 1
    assert len(await stored(store, SALON.id, "outbox")) == 2


async def _proven(store, session):
    ctx = call(SALON, session=session)
    await store.commit([Set(ctx.paths.document("sessions", session), Standing("match", "c1", None, NOW).to_fields())])


async def test_who_turns_out_to_be_known_is_heard_though_there_was_an_earlier_one(desk, texts, network, store, clock):
    """First refused as a stranger, and the ticket of the earlier one is another by that."""
    known = call(SALON, session="known", verified=True)
    await take(desk, known)
    await send(texts, known)
    clock.wait(601)
    for n in range(4):
        # The fourth is one too many for a stranger, and what somebody else has left long ago.
        if n == 3:
            await _proven(store, "session-2")
        ctx = call(SALON, f"w{n}", session="session-2", now=clock.now(), attestation=None)
        more = {"message": f"Message {n}."} if n < 3 else {}
        assert not (await take(desk, ctx, **more)).repeated
        assert not (await send(texts, ctx, body=f"Text {n}." if n < 3 else BODY)).repeated
    assert len(network.sent) == 5
    assert len([one for one in await stored(store, SALON.id, "outbox") if one.startswith("msg_")]) == 5


async def test_a_message_that_was_one_too_many_is_none_that_another_one_is_the_same_as(desk, store):
    """What is taken back leaves no ticket, or the same words would be dropped as said already."""
    unknown = {"attestation": None}
    for n, message in enumerate(("Call me.", "One.", "Two.")):
        await take(desk, call(SALON, f"w{n}", **unknown), message=message)
    later = NOW + timedelta(minutes=11)
    with pytest.raises(Refused):
        await take(desk, call(SALON, "again", now=later, **unknown), message="Call me.")
    taken = await take(desk, call(SALON, session="session-2", now=later, verified=True), message="Call me.")
    assert not taken.repeated
    assert taken.id in await stored(store, SALON.id, "outbox")


async def test_a_message_that_is_gone_is_taken_anew(desk, store):
    """The business has removed it: the same words in another conversation are not there already."""
    first = await take(desk, call(SALON, verified=True))
    await store.commit([Delete(call(SALON).paths.document("outbox", first.id))])
    again = await take(desk, call(SALON, session="session-2", verified=True))
    assert (again.repeated, again.id != first.id) == (False, True)
    assert list(await stored(store, SALON.id, "outbox")) == [again.id]


@pytest.mark.requirement("004-333")
async def test_of_a_one_time_code_nothing_is_kept_that_tells_it(texts, network, store):
    """Not even a hash of the words with its six digits, of which there are only a million."""
    await send(texts, call(SALON), body="Your code is 123456.", purpose="code")
    assert len(network.sent) == 1
    assert not [name for name in await stored(store, SALON.id, "tickets") if name.startswith("twin:")]


async def test_what_its_owner_lets_repeat_freely_and_a_trial_have_no_twin(texts, network):
    await send(texts, call(SALON))
    free = replace(call(SALON, session="session-2"), repeats_freely=True)
    tried = call(SALON, session="session-3")
    tried = replace(tried, facts=replace(tried.facts, is_trial=True))
    assert not (await send(texts, free)).repeated
    assert not (await send(texts, tried)).repeated
    assert len(network.sent) == 3


async def test_a_refused_text_leaves_nothing_that_the_next_one_would_be_the_same_as(texts, network):
    """Three go to a number in ten minutes; what was one too many is sent when there is room."""
    for n in range(3):
        await send(texts, call(SALON, wish=f"w{n}"), body=f"Text {n}.")
    with pytest.raises(Exception, match="as many"):
        await send(texts, call(SALON, wish="more"), body="One more.")
    later = call(SALON, session="session-2", now=NOW + timedelta(minutes=11))
    assert not (await send(texts, later, body="One more.")).repeated


@pytest.mark.requirement("004-333")
@pytest.mark.parametrize("verified", [True, False], ids=["verified", "stranger"])
async def test_a_message_that_is_left_again_in_another_conversation_is_one(desk, store, verified):
    first = await take(desk, call(SALON, verified=verified))
    again = await take(desk, call(SALON, session="session-2", verified=verified))
    assert (again.id, again.repeated) == (first.id, True)
    assert not (await take(desk, call(SALON, session="session-2", verified=verified), message="More.")).repeated
    assert len(await stored(store, SALON.id, "outbox")) == 2


async def test_of_two_strangers_who_show_no_number_each_leaves_a_message(desk, store):
    for session in ("session-1", "session-2"):
        assert not (await take(desk, call(SALON, session=session, phone=None, portal=True))).repeated
    assert len(await stored(store, SALON.id, "outbox")) == 2


async def test_ten_minutes_later_it_is_another_message(desk, store):
    await take(desk)
    late = call(SALON, session="session-2", verified=True, now=NOW + timedelta(minutes=10))
    assert not (await take(desk, late)).repeated
    assert len(await stored(store, SALON.id, "outbox")) == 2
