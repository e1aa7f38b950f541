"""A business whose texts of a month are used up sends callers none; codes and what is for itself are sent."""

from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from switchboard.contract.business.month_stop import MonthStop
from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.store import Set
from switchboard.desk.messaging.outbox import Outbox
from tests.desk.front_desk import NOW, SALON, call, stored
from tests.desk.messaging.test_outbox import ID, PATHS, waiting, write_down
from tests.desk.phone_network import CALLER, OTHER, OWNER, MemoryMail, document, phone_salon

BODY = "See you on Tuesday at ten."


def stopped(at: datetime = NOW, unit: str = "texts"):
    """Return the salon with this used up in the month of a moment."""
    salon = phone_salon()
    month = f"{at.astimezone(salon.timezone):%Y-%m}"
    return replace(salon, month_stop=MonthStop(month, {unit: at}))


@pytest.mark.requirement("004-843")
@pytest.mark.parametrize("purpose", ["sms", "confirmation", "portal_link"])
async def test_a_text_to_a_caller_is_refused_in_a_sentence_and_nothing_is_left_of_it(texts, network, store, purpose):
    """For the model, and with the call for whoever asks why; it is no failure of the phone network."""
    with pytest.raises(Refused) as refused:
        await texts.send(call(stopped()), CALLER, BODY, effect_key="wish", purpose=purpose)
    error = refused.value
    assert (error.type, error.meta["reason"], error.retryable) == (ErrorType.RATE_LIMIT, "month", False)
    assert "as its limit for this month allows. Nothing was sent" in error.message
    assert (network.posts, await stored(store, ID, "outbox"), await stored(store, ID, "tickets")) == (0, {}, {})


@pytest.mark.requirement("004-843")
@pytest.mark.parametrize(("purpose", "to"), [("code", CALLER), ("message", OWNER)])
async def test_codes_and_messages_to_the_business_are_sent(texts, network, purpose, to):
    """Whoever is being verified, and the business itself, are not what the limit is about."""
    await texts.send(call(stopped()), to, BODY, effect_key="wish", purpose=purpose)
    assert network.posts == 1


@pytest.mark.requirement("004-843")
@pytest.mark.parametrize("unit", ["phoneMinutes", "modelTokens", "cost"])
async def test_a_running_conversation_sends_texts_whatever_else_is_used_up(texts, network, unit):
    await texts.send(call(stopped(unit=unit)), CALLER, BODY, effect_key="wish")
    assert network.posts == 1


@pytest.mark.requirement("004-843")
async def test_a_text_that_was_sent_before_the_stop_is_the_same_one_after_it(texts, network):
    """Delivered again, the wish keeps its answer; another one is refused."""
    first = await texts.send(call(phone_salon()), CALLER, BODY, effect_key="wish")
    again = await texts.send(call(stopped()), CALLER, BODY, effect_key="wish")
    assert (again.id, again.repeated, network.posts) == (first.id, True, 1)
    with pytest.raises(Refused):
        await texts.send(call(stopped()), OTHER, "Another.", effect_key="another")


@pytest.mark.requirement("004-842")
async def test_the_month_before_stops_nothing_and_what_is_left_of_this_one_is_told(texts, network):
    """By the salon's clock, also in the month in which it changes: November of New York has an hour more."""
    zone = SALON["timezone"]
    earlier = datetime(2027, 2, 20, 12, tzinfo=ZoneInfo(zone))
    await texts.send(call(stopped(earlier)), CALLER, BODY, effect_key="wish")
    assert network.posts == 1
    with pytest.raises(Refused) as refused:
        await texts.send(call(stopped()), OTHER, BODY, effect_key="another")
    ends = datetime(2027, 4, 1, tzinfo=ZoneInfo(zone))
    assert refused.value.meta["retryAfterS"] == pytest.approx((ends.timestamp() - NOW.timestamp()), abs=1)


@pytest.mark.requirement("004-843")
async def test_a_text_that_waits_when_the_month_is_used_up_ends_with_the_reason(texts, network, store, clock):
    """It is not sent weeks later, when nobody waits for it any more."""
    outbox = Outbox(store, PATHS, texts, MemoryMail(), clock)
    salon = SALON | document() | {"monthStop": stopped().month_stop.to_document()}
    await store.commit([Set(PATHS.within(ID).business, salon)])
    await write_down(store, ID, "outbox", {"txt_1": waiting()})
    clock.wait(60)
    await outbox.drain()
    (record,) = (await stored(store, ID, "outbox")).values()
    assert (record["state"], network.posts) == ("failed", 0)
    assert "its limit for this month" in record["error"]["message"]


@pytest.mark.requirement("004-842")
async def test_once_the_limit_is_raised_a_text_goes_out_again(texts, network):
    """What is noted is gone then."""
    with pytest.raises(Refused):
        await texts.send(call(stopped()), CALLER, BODY, effect_key="wish")
    await texts.send(call(phone_salon()), CALLER, BODY, effect_key="wish")
    assert network.posts == 1
