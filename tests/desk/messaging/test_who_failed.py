"""What is counted against a vendor after something of which nobody knows: each failure of its own, once."""

import re

import pytest

from switchboard.catalog.offer.inclusion import ALL_CLOSED
from switchboard.contract.definitions.tenant_tool import BoundSms
from switchboard.contract.error import NothingNew, ToolError
from switchboard.desk.messaging.email import Email
from switchboard.desk.tenant_tools.app_actions import AppActions
from switchboard.desk.tenant_tools.sms import send_to_each
from switchboard.pipeline.limits.breaker import FAILURES_IN_A_ROW, Breakers
from tests.desk.front_desk import StoppedClock, call
from tests.desk.memory_actions import ROW, MemoryActions
from tests.desk.messaging.test_email import MemoryMailer
from tests.desk.phone_network import AWAY, CALLER, LOST, OTHER, phone_salon

SALON = phone_salon()
BODY = "See you on Tuesday at ten."


async def asked(breakers, doing, times):
    """Have the same done so many times, each in its circuit; return what it failed with."""
    errors = []
    for _ in range(times):
        try:
            with breakers.attempt(SALON.id, "vendor"):
                await doing()
        except ToolError as error:
            errors.append(error)
    return errors


def sending(texts, clock):
    """Return what asks for one and the same text, a moment after the last time."""

    async def send():
        clock.wait(3)
        await texts.send(call(SALON), CALLER, BODY, effect_key="wish")

    return send


@pytest.mark.requirement("004-930")
async def test_a_look_up_that_was_answered_is_no_failure_whatever_is_not_known_yet(texts, network, clock):
    """One 500, and a model that asks for exactly the same again as it is told: texting stays everybody's."""
    breakers, send = Breakers(clock), sending(texts, clock)
    network.fail(LOST)
    errors = await asked(breakers, send, 10)
    assert (len(errors), network.posts, network.listings) == (10, 1, 9)
    assert all(error.partial_side_effects and error.retryable for error in errors)
    assert breakers.circuits_of(SALON.id) == ALL_CLOSED
    assert not isinstance(errors[0], NothingNew)


@pytest.mark.requirement("004-930")
async def test_a_look_up_that_was_not_answered_is_one(texts, network, clock):
    """The list fails as the sending did: whoever is next is told at once, and waits for nothing."""
    breakers, send = Breakers(clock), sending(texts, clock)
    network.fail(LOST)
    network.listing_fails = AWAY
    await asked(breakers, send, FAILURES_IN_A_ROW)
    assert breakers.circuits_of(SALON.id) != ALL_CLOSED


@pytest.mark.requirement("004-930")
@pytest.mark.parametrize("kind", ["email", "action"])
async def test_an_outcome_that_is_told_again_is_not_counted_again(watched, kind):
    """Neither the mail server nor the app is asked: they have failed once."""
    breakers, mailer, actions = Breakers(StoppedClock()), MemoryMailer(), MemoryActions()
    mailer.fail(LOST)
    actions.failures.append(LOST)

    async def do():
        if kind == "email":
            await Email(watched, mailer).send(call(SALON), "anna@example.com", "Hello", BODY)
        else:
            await AppActions(watched, actions).run(call(SALON), ROW)

    errors = await asked(breakers, do, 10)
    assert [isinstance(error, NothingNew) for error in errors] == [False] + [True] * 9
    assert breakers.circuits_of(SALON.id) == ALL_CLOSED


@pytest.mark.requirement("004-930")
async def test_when_asking_again_tells_is_said_and_comes_true(texts, network, clock):
    """Also of a network that answered that it failed; it is never said that it did not answer."""

    async def send():
        return await texts.send(call(SALON), CALLER, BODY, effect_key="wish")

    network.fail(LOST)
    breakers = Breakers(clock)
    (first,) = await asked(breakers, send, 1)
    assert "tells within 45 s" in first.message and "not answer" not in first.message
    clock.wait(20)
    (second,) = await asked(breakers, send, 1)
    left = int(re.search(r"tells in (\d+) s\.", second.message)[1])
    assert (left, second.meta["retryAfterS"]) == (25, 25)
    network.listing_fails = AWAY
    (away,) = await asked(breakers, send, 1)
    assert "tells once the phone network can be asked" in away.message
    network.listing_fails = None
    clock.wait(left)
    assert (await send()).state == "sent"
    assert network.posts == 2


@pytest.mark.requirement("004-930")
async def test_of_several_numbers_the_failure_of_the_network_is_the_one_that_is_told(texts, network, clock):
    """That of another nothing new is known hides nothing."""
    ctx, sms = call(SALON), BoundSms(BODY, (CALLER, OTHER))
    network.fail(LOST)
    network.fail(AWAY)
    with pytest.raises(ToolError):
        await send_to_each(ctx, texts, sms)
    clock.wait(5)
    network.fail(LOST)
    with pytest.raises(ToolError) as told:
        await send_to_each(ctx, texts, sms)
    assert (network.listings, network.posts) == (1, 3)
    assert (told.value.partial_side_effects, isinstance(told.value, NothingNew)) == (True, False)
