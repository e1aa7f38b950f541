"""What somebody says in a conversation is kept as their STOP by text is."""

from dataclasses import replace

import pytest

from switchboard.contract.error import ErrorType
from switchboard.desk.messaging.opt_outs import SpokenStops
from switchboard.desk.messaging.sms import OPTED_OUT, is_callers_own, stop_path
from switchboard.state.paths import FirestorePaths
from tests.desk.front_desk import call
from tests.desk.phone_network import phone_salon
from tests.refused import failure

pytestmark = pytest.mark.requirement("004-2455")
SALON = phone_salon(phone="(518) 555-0142")
CALLER = "+15185550161"


@pytest.fixture
def stops(texts):
    return SpokenStops(texts, FirestorePaths())


async def test_whoever_says_so_gets_no_more_texts(stops, texts, store):
    """Whether or not their carrier vouches for the number: that is where texts would go."""
    ctx = call(SALON, phone=CALLER, attestation=None)
    assert await stops.stop(ctx.facts, SALON)
    stop = await store.get(stop_path(ctx.paths, CALLER))
    assert is_callers_own(stop.data)
    error = await failure(texts.send(ctx, CALLER, "Hello", effect_key="one"))
    assert (error.type, error.meta["reason"]) == (ErrorType.PERMANENT, OPTED_OUT)


@pytest.mark.parametrize("number", [None, "+15185550142", SALON.twilio_number])
async def test_a_number_that_is_withheld_or_the_businesss_own_is_not_stopped(stops, number):
    """Its owner, who tries it out, would be texted no more."""
    assert not await stops.stop(call(SALON, phone=number).facts, SALON)


async def test_a_trial_and_a_store_that_does_not_answer_stop_nothing(stops, store):
    """And say so."""
    facts = call(SALON, phone=CALLER).facts
    assert not await stops.stop(replace(facts, is_trial=True), SALON)
    store.fail("commit")
    assert not await stops.stop(facts, SALON)
