"""A phone call in a month that is used up: to a person, or told another way; one that is under way goes on."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from switchboard.contract.json import JsonObject
from switchboard.contract.store import Query, Set
from tests.channels.phone.house import (
    BUSINESS,
    RELAY_URL,
    WITHIN,
    PhoneInstance,
    Twilio,
    open_store,
)
from tests.conversation.scripted import says

NOW = datetime.now(UTC)
PERSON = "+15185550149"


def stop(unit: str = "phoneMinutes", month: datetime = NOW) -> JsonObject:
    """Return what is noted where this is used up in a month."""
    return {"monthStop": {"month": f"{month:%Y-%m}", "since": {unit: NOW}}}


@asynccontextmanager
async def called(relay: bool = False, **changes: Any) -> AsyncIterator[Twilio]:
    """A call to a salon with such fields."""
    instance = PhoneInstance(await open_store(**changes), RELAY_URL if relay else "")
    async with instance.serving():
        yield Twilio(instance)


@pytest.mark.requirement("004-844")
@pytest.mark.parametrize("relay", [False, True], ids=["gather", "relay"])
@pytest.mark.parametrize("unit", ["phoneMinutes", "modelTokens", "cost"])
async def test_a_caller_is_told_how_else_the_business_is_reached_and_no_conversation_begins(relay: bool, unit: str):
    """No greeting, no model, no record: with or without a relay."""
    async with called(relay, phone="+1 518 555 0142", **stop(unit)) as twilio:
        heard = await twilio.ask("/phone/incoming")
        assert heard.names == ["Say", "Hangup"]
        assert heard.said == "I'm sorry, nobody could be reached. You can reach us at +1 518 555 0142."
        assert twilio.instance.model.prompts == []
        assert await twilio.instance.store.query(Query(WITHIN.collection("interactions"))) == []


@pytest.mark.requirement("004-844")
async def test_the_sentence_is_in_the_business_s_language():
    ai = {"language": "de"}
    async with called(ai=ai, website="https://salon.example", **stop()) as twilio:
        heard = await twilio.ask("/phone/incoming")
        assert heard.said == "Leider war niemand zu erreichen. Mehr finden Sie auf salon.example."
    async with called(ai=ai, **stop()) as twilio:
        assert (await twilio.ask("/phone/incoming")).said == "Wir können Ihren Anruf im Moment nicht annehmen. " + (
            "Auf Wiederhören."
        )


@pytest.mark.requirement("004-844")
async def test_a_caller_is_put_through_to_the_business_s_safe_number():
    async with called(escalation={"safeNumber": PERSON}, **stop()) as twilio:
        heard = await twilio.ask("/phone/incoming")
        assert (heard.dialled, "putting you through" in heard.said) == (PERSON, True)


@pytest.mark.requirement("004-844")
async def test_nothing_is_stopped_by_texts_or_in_another_month():
    """A note of last month is left over until the next pass, and holds no more."""
    last = (NOW.replace(day=1) - timedelta(days=1)).replace(day=1)
    for changes in (stop("texts"), stop(month=last)):
        async with called(**changes) as twilio:
            assert (await twilio.ask("/phone/incoming")).said == "Hello, Salon."


@pytest.mark.requirement("004-844")
async def test_a_call_that_is_under_way_goes_on_and_a_webhook_that_comes_again_has_its_answer():
    """Whoever has been greeted is answered; the same first webhook, delivered once more, is greeted the same."""
    async with called() as twilio:
        twilio.instance.model.answers = [says("At nine.")]
        greeted = await twilio.ask("/phone/incoming")
        await twilio.instance.store.commit([Set(WITHIN.business, stop(), merge=True)])
        twilio.instance.office.catalog.forget(BUSINESS)
        again = await twilio.ask("/phone/incoming")
        assert again.twiml == greeted.twiml
        said, _ = await twilio.finish(await twilio.ask(greeted.action, SpeechResult="When?", Confidence="0.9"))
        assert "At nine." in said
        other = Twilio(twilio.instance)
        assert (await other.ask("/phone/incoming")).verb("Gather") is None


@pytest.mark.requirement("004-845")
async def test_nothing_is_read_or_written_more_while_a_limit_is_not_reached():
    """What a call reads anyway says that nothing is used up."""
    asked = []
    for changes in ({}, {"monthlyLimits": {"isSet": True, "texts": {"stopAt": 9}}, "monthStop": {"month": "2020-01"}}):
        async with called(**changes) as twilio:
            await twilio.ask("/phone/incoming")
            asked.append(dict(twilio.instance.store.asked))
    assert asked[0] == asked[1]
