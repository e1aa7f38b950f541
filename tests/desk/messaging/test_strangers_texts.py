"""Texts that strangers have sent to a number or its range: counted apart from those of callers who are known there."""

import math
from typing import Any

import pytest

from switchboard.contract.caller.caller_identity import Standing
from switchboard.contract.caller.strangers import VOUCHED_FOR
from switchboard.contract.error import Refused
from switchboard.contract.policy import STRANGERS_PART_OF_TEXTS
from switchboard.contract.store import Set
from switchboard.desk.limits.rate_limits import TEXTS_PER_HOUR, TEXTS_PER_RANGE
from tests.desk.front_desk import NOW
from tests.desk.front_desk import call as vouched_call
from tests.desk.phone_network import phone_salon
from tests.each import each

SALON = phone_salon(ai={})
HANNAH = "+15185550123"
STRANGERS_PER_RANGE = math.ceil(TEXTS_PER_RANGE * STRANGERS_PART_OF_TEXTS)
pytestmark = pytest.mark.requirement("004-160")


async def texted(texts: Any, wish: str, to: str, **facts: Any) -> str:
    """Have a number texted by a call; return `sent`, or the scope that refused."""
    ctx = vouched_call(SALON, wish, **{"attestation": None, "session": wish, "phone": to, **facts})
    try:
        await texts.send(ctx, to, f"Your link: {wish}", effect_key=wish, purpose="portal_link")
    except Refused as refused:
        return str(refused.meta["reason"])
    return "sent"


async def flooded(texts: Any) -> list[str]:
    """Use up what strangers have in Hannah's range, and for her own number."""
    mine = [await texted(texts, f"hers {n}", HANNAH) for n in range(4)]
    return mine + [await texted(texts, f"forged {n}", f"+1518555{n:04}") for n in range(1000, 1009)]


@each(
    "n, who",
    [
        (0, {"verified": True, "attestation": VOUCHED_FOR}),
        (1, {"verified": True}),
        (2, {"attestation": VOUCHED_FOR}),
    ],
)
async def test_forged_calls_use_nothing_of_the_range_of_a_known_caller(texts, n, who):
    """Nor of her number: she is verified, or her carrier vouches for the number that is texted."""
    if n == 0:
        found = await flooded(texts)
        assert found.count("sent") == STRANGERS_PER_RANGE
        assert found[3] == "number" and found[-1] == "prefix"
    assert await texted(texts, f"own {n}", HANNAH, **who) == "sent"
    assert await texted(texts, f"stranger {n}", f"+151855520{n:02}") == "prefix"


async def test_who_was_verified_in_the_conversation_is_known_as_well(texts, store):
    """Read for the few who would be refused."""
    await flooded(texts)
    ctx = vouched_call(SALON, session="proven")
    session = ctx.paths.document("sessions", "proven")
    await store.commit([Set(session, Standing("match", "c1", None, NOW).to_fields())])
    assert await texted(texts, "own", HANNAH, session="proven") == "sent"


@pytest.mark.requirement("004-1302")
async def test_what_somebody_verified_has_texted_leaves_strangers_theirs(texts, store):
    """Read before it is counted."""
    session = vouched_call(SALON, session="proven").paths.document("sessions", "proven")
    await store.commit([Set(session, Standing("match", "c1", None, NOW).to_fields())])
    for n in range(STRANGERS_PER_RANGE + 1):
        assert await texted(texts, f"known {n}", f"+151855520{n:02}", session="proven") == "sent"
    assert await texted(texts, "stranger", "+15185552099") == "sent"


async def test_known_callers_of_a_range_have_their_own_limit(texts):
    """As before: they use nothing of strangers' either, within what the business sends in all."""
    numbers = [f"+1518555{n:04}" for n in range(1000, 1000 + TEXTS_PER_RANGE + 2)]
    known = [await texted(texts, f"known {number}", number, verified=True) for number in numbers]
    assert known == ["sent"] * TEXTS_PER_RANGE + ["prefix"] * 2
    assert await texted(texts, "stranger", "+15185552000") == "sent"


@pytest.mark.requirement("004-2456")
async def test_messages_to_the_business_leave_callers_their_texts_and_the_other_way_round(texts):
    """Whoever has the owner texted, and however often."""

    async def told(n: int, **facts: Any) -> str:
        ctx = vouched_call(SALON, f"message {n}", **{"session": f"m{n}", "phone": f"+1617{n:07}", **facts})
        try:
            await texts.send(ctx, "+15185550144", f"Call me: {n}", effect_key=f"message {n}", purpose="message")
        except Refused as refused:
            return str(refused.meta["reason"])
        return "sent"

    numbers = range(2_000_000, 2_000_000 + 40 * 10_000, 10_000)
    assert [await told(n, attestation=VOUCHED_FOR) for n in numbers].count("sent") == TEXTS_PER_HOUR
    links = [await texted(texts, f"link {n}", f"+1618{n:07}", attestation=VOUCHED_FOR) for n in numbers]
    assert links.count("sent") == TEXTS_PER_HOUR


@pytest.mark.requirement("004-2456")
async def test_where_callers_have_had_all_texts_the_business_still_gets_its_messages(texts):
    """Nothing that is texted to callers takes from them."""
    numbers = range(2_000_000, 2_000_000 + 32 * 10_000, 10_000)
    links = [await texted(texts, f"link {n}", f"+1618{n:07}", attestation=VOUCHED_FOR) for n in numbers]
    assert links[-1] == "business"
    ctx = vouched_call(SALON, "message")
    assert (await texts.send(ctx, "+15185550144", "Call me", effect_key="m", purpose="message")).state == "sent"
