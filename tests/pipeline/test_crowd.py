"""One business's many calls must not keep another's waiting (reference reliability §2, row 41)."""

import asyncio

import pytest

from switchboard.contract.error import ErrorType, Refused
from switchboard.contract.policy import CALLS_AT_ONCE
from switchboard.pipeline.crowd import Crowd


async def carried_out(crowd, business, gate):
    """Carry out a call that takes until the gate opens."""
    with crowd.place(business):
        await gate.wait()
    return "done"


async def begin(crowd, business, number, gate):
    """Begin as many slow calls and return their tasks once each is inside or refused."""
    calls = [asyncio.ensure_future(carried_out(crowd, business, gate)) for _ in range(number)]
    await asyncio.sleep(0)
    return calls


async def test_a_noisy_business_does_not_keep_another_from_being_served():
    """1,000 slow calls of one: 200 are carried out, 800 are told to come again, the other's call runs at once."""
    crowd, gate, own_gate = Crowd(), asyncio.Event(), asyncio.Event()
    own_gate.set()
    noisy = await begin(crowd, "noisy", 1_000, gate)
    assert await asyncio.wait_for(carried_out(crowd, "quiet", own_gate), 0.1) == "done"
    assert (crowd.inside("noisy"), crowd.inside("quiet")) == (CALLS_AT_ONCE, 0)
    gate.set()
    answers = await asyncio.gather(*noisy, return_exceptions=True)
    assert answers.count("done") == CALLS_AT_ONCE
    assert {answer.type for answer in answers if answer != "done"} == {ErrorType.RATE_LIMIT}


async def test_who_is_refused_is_told_to_come_again():
    """RATE_LIMIT, retryable, and nothing has happened."""
    crowd = Crowd(at_once=1)
    with crowd.place("salon"), pytest.raises(Refused) as caught, crowd.place("salon"):
        pass
    assert (caught.value.type, caught.value.retryable) == (ErrorType.RATE_LIMIT, True)
    assert caught.value.partial_side_effects is False
    assert "make the same call again" in caught.value.message


async def test_a_place_comes_free_when_its_call_ends():
    """The next call is let in at once."""
    crowd, gate = Crowd(at_once=2), asyncio.Event()
    calls = await begin(crowd, "salon", 2, gate)
    gate.set()
    await asyncio.gather(*calls)
    assert await carried_out(crowd, "salon", gate) == "done"


@pytest.mark.parametrize("ending", ["returns", "fails", "is cancelled", "is refused"])
async def test_nothing_is_left_behind_however_a_call_ends(ending):
    """A business without calls takes no memory, and never loses a place."""
    crowd, end = Crowd(at_once=1), asyncio.get_running_loop().create_future()

    async def call():
        with crowd.place("salon"):
            await end

    first = asyncio.ensure_future(call())
    await asyncio.sleep(0)
    match ending:
        case "is refused":
            with pytest.raises(Refused):
                await call()
            end.set_result(None)
        case "is cancelled":
            first.cancel()
        case "fails":
            end.set_exception(KeyError())
        case _:
            end.set_result(None)
    await asyncio.gather(first, return_exceptions=True)
    assert crowd._inside == {}


async def test_an_action_that_outlives_its_caller_keeps_its_place_until_it_ends():
    """It still costs what it costs, whoever hung up."""
    crowd, gate = Crowd(at_once=1), asyncio.Event()
    with crowd.place("salon") as place:
        action = asyncio.ensure_future(place.kept(gate.wait()))
        await asyncio.sleep(0)
        assert crowd.inside("salon") == 1
    assert crowd.inside("salon") == 1
    with pytest.raises(Refused), crowd.place("salon"):
        pass
    gate.set()
    assert await action is True
    assert crowd.inside("salon") == 0


async def test_an_action_whose_caller_leaves_before_it_begins_is_not_refused():
    """It was let in: it runs although another call has taken the place meanwhile, and both are counted."""
    crowd, gate = Crowd(at_once=1), asyncio.Event()
    with crowd.place("salon") as place:
        action = asyncio.ensure_future(place.kept(gate.wait()))
    with crowd.place("salon"):
        await asyncio.sleep(0)
        assert crowd.inside("salon") == 2
        gate.set()
        assert await action is True
    assert crowd.inside("salon") == 0
