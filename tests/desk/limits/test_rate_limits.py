"""How often something costly may happen: exactly as often as allowed, however many ask at once."""

import asyncio
import random

import pytest

from switchboard.contract.error import ErrorType, Refused, ToolError
from switchboard.desk.limits.rate_limits import RateLimits, WindowRule, text_keys, text_rules
from tests.desk.front_desk import StoppedClock, call, stored
from tests.desk.phone_network import CALLER, OTHER, phone_salon

SALON = phone_salon()
TWICE = (WindowRule("number", 2, 600),)


@pytest.fixture
def limits(store, clock) -> RateLimits:
    return RateLimits(store, clock)


async def allowed(limits, number=CALLER, business=SALON, clock=None, **more) -> bool:
    ctx = call(business, now=clock.now()) if clock else call(business)
    try:
        await limits.spend(ctx, more.pop("rules", text_rules(business)), text_keys(number), **more)
    except Refused as refused:
        assert refused.type is ErrorType.RATE_LIMIT
        return False
    return True


async def counts(store) -> list[int]:
    return sorted(ticket["count"] for ticket in (await stored(store, SALON.id, "tickets")).values())


async def test_a_number_gets_three_in_ten_minutes_five_in_an_hour_and_ten_in_a_day(limits, clock):
    """Reliability §2, row 21: asked once a minute for two days."""
    clock.wait(9 * 3600)  # midnight UTC, so that days are whole
    times = []
    for minute in range(2 * 1440):
        if await allowed(limits, clock=clock):
            times.append(minute)
        clock.wait(60)
    assert len(times) == 20
    for length, most in ((10, 3), (60, 5), (1440, 10)):
        windows = [time // length for time in times]
        assert max(windows.count(window) for window in windows) == most


async def test_a_business_sends_thirty_in_an_hour(limits):
    """To whomever: four hundred numbers of forty ranges."""
    numbers = [f"+1518{prefix}{n:04}" for prefix in range(200, 240) for n in range(10)]
    assert [await allowed(limits, number) for number in numbers].count(True) == 30


async def test_a_range_of_numbers_gets_ten_in_an_hour(limits):
    """A number less its last four digits: who earns from a range owns all of it."""
    numbers = [f"+1518555{n:04}" for n in range(100)]
    assert [await allowed(limits, number) for number in numbers].count(True) == 10


@pytest.mark.parametrize(
    ("settings", "expected"),
    [({"textsPerHour": 7}, 7), ({"textsPerDay": 4}, 4), ({"textsPerHour": 0}, 0), ({"textsPerHour": "many"}, 30)],
)
async def test_a_business_chooses_its_own_limits(limits, settings, expected):
    """`integrations.twilio.textsPerHour` and `.textsPerDay`; what is no number falls to the usual."""
    business = phone_salon(**settings)
    numbers = [f"+1518{prefix}0000" for prefix in range(200, 300)]
    assert [await allowed(limits, number, business) for number in numbers].count(True) == expected


async def test_owners_get_more_messages_than_callers(limits):
    """Their own number is not what floods are made of; the business's limit holds all the same."""
    rules = text_rules(SALON, to_owner=True)
    assert [await allowed(limits, rules=rules) for _ in range(100)].count(True) == 30


@pytest.mark.parametrize("at_once", [50, 500])
async def test_exactly_as_many_as_allowed_of_any_number_at_once(limits, at_once):
    """The count that comes back decides, so that none is lost between reading and writing."""
    assert (await asyncio.gather(*(allowed(limits, rules=TWICE) for _ in range(at_once)))).count(True) == 2


async def test_one_numbers_flood_does_not_use_up_what_others_may_get(limits, store):
    """What was refused is given back, and a full window is not asked for a while."""
    for _ in range(1_000):
        await allowed(limits)
    assert await counts(store) == [3, 3, 3, 3, 3, 3]
    assert store.asked["commit"] < 10
    assert await allowed(limits, OTHER)


async def test_a_window_is_asked_again_after_a_few_seconds(limits, store, clock):
    """It is believed to be full, not known: what was given back may have made room."""
    assert [await allowed(limits, rules=TWICE) for _ in range(3)] == [True, True, False]
    asked = store.asked["commit"]
    await allowed(limits, rules=TWICE)
    assert store.asked["commit"] == asked
    clock.wait(6)
    assert not await allowed(limits, rules=TWICE)
    assert store.asked["commit"] > asked


async def test_businesses_and_things_are_counted_apart(limits):
    """One's texts are not another's, nor its codes."""
    assert [await allowed(limits, rules=TWICE) for _ in range(3)] == [True, True, False]
    assert await allowed(limits, business=phone_salon("other"), rules=TWICE)
    assert await allowed(limits, rules=TWICE, what="code")


async def test_a_refusal_says_what_to_do_and_when_it_ends(limits):
    """The model gets advice, and `meta` the scope and the seconds that are left."""
    for _ in range(2):
        await allowed(limits, rules=TWICE)
    with pytest.raises(Refused) as caught:
        await limits.spend(call(SALON), TWICE, text_keys(CALLER))
    assert dict(caught.value.meta) == {"reason": "number", "retryAfterS": 600}
    assert (caught.value.retryable, caught.value.partial_side_effects) == (False, False)
    assert "Say what the text would have told." in caught.value.message
    assert caught.value.instead


async def test_what_cannot_be_counted_is_not_done(limits, store):
    """Fail closed: without the store no text goes out."""
    store.fail("commit")
    with pytest.raises(ToolError) as caught:
        await limits.spend(call(SALON), TWICE, text_keys(CALLER))
    assert (caught.value.type, caught.value.partial_side_effects) == (ErrorType.TRANSIENT, False)


async def test_a_count_holds_no_number_and_is_removed_by_itself(limits, store):
    """Neither in its name nor inside; `expireAt` lies behind the window's end."""
    await limits.spend(call(SALON), TWICE, text_keys(CALLER))
    ((id, ticket),) = (await stored(store, SALON.id, "tickets")).items()
    assert CALLER[1:] not in id + str(ticket)
    assert (ticket["expireAt"] - call(SALON).now).total_seconds() == 600 + 3_600


async def test_ten_thousand_requests_for_texts_stay_within_every_limit(store):
    """Reliability §2, row 21: at random over numbers and a day, from four processes at once."""
    chance, clock = random.Random(21), StoppedClock()
    clock.wait(9 * 3600)
    processes = [RateLimits(store, clock) for _ in range(4)]
    numbers = [f"+1518{prefix}{n:04}" for prefix in (555, 556, 557) for n in range(40)]
    done: list[tuple[float, str]] = []

    async def ask(number: str) -> None:
        if await allowed(chance.choice(processes), number, clock=clock):
            done.append((clock.now().timestamp(), number))

    for _ in range(200):
        await asyncio.gather(*(ask(chance.choice(numbers)) for _ in range(50)))
        clock.wait(430)
    assert most(done, 600, lambda n: n) <= 3
    assert most(done, 3_600, lambda n: n) <= 5
    assert most(done, 86_400, lambda n: n) <= 10
    assert most(done, 3_600, lambda n: n[:-4]) <= 10
    assert most(done, 3_600, lambda n: "") <= 30
    assert most(done, 86_400, lambda n: "") == 200


def most(done, window_s, key) -> int:
    """Return how many there were at most in one window of one key."""
    found = [(int(at) // window_s, key(number)) for at, number in done]
    return max(found.count(window) for window in set(found))
