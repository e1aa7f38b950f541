"""Who is calling: established once in a conversation, asked for by the tools that depend on it, and by no others."""

from datetime import timedelta
from typing import Any

import pytest

from switchboard.contract.caller.caller_identity import Standing
from switchboard.contract.channel import Channel
from switchboard.contract.error import ErrorType
from switchboard.contract.store import Set
from switchboard.pipeline.ledger.row import CallRow
from tests.pipeline.conftest import BUSINESS, PATHS

SHOWN, ON_FILE = "+15185550161", "+15185550177"
SESSION = PATHS.within(BUSINESS).document("sessions", "s1")


async def business(store: Any, level: str) -> None:
    await store.inner.commit([Set(PATHS.within(BUSINESS).business, {"ai": {"callerVerification": level}})])


async def establish(store: Any, clock: Any, level: Any = "match", **ago: float) -> None:
    standing = Standing(level, "clr_1", "+15185550177", clock.now() - timedelta(**ago))
    await store.inner.commit([Set(SESSION, standing.to_fields(), merge=True)])


@pytest.mark.requirement("000-105")
@pytest.mark.parametrize("asked", ["match", "code"])
async def test_without_a_verified_caller_the_tool_is_refused(office, store, asked):
    """And says what to do first."""
    await business(store, asked)
    refused = await office.call("look_verified")
    assert refused.failure.type is ErrorType.MODE_RESTRICTED
    assert refused.meta["condition"] == "session:verified"


@pytest.mark.requirement("000-105")
@pytest.mark.parametrize(("asked", "held"), [("match", "match"), ("match", "code"), ("code", "code")])
async def test_what_the_conversation_has_established_is_enough_on_every_instance(office, store, clock, asked, held):
    """It stands in the session, not in a process."""
    await business(store, asked)
    await establish(store, clock, held)
    assert (await office.call("look_verified")).ok


@pytest.mark.parametrize(("held", "ago"), [("match", {}), ("code", {"minutes": 31})])
async def test_less_than_the_business_asks_for_or_too_long_ago_is_not(office, store, clock, held, ago):
    """A match where a code is asked for, or a standing that has grown old."""
    await business(store, "code")
    await establish(store, clock, held, **ago)
    assert (await office.call("look_verified")).failure.type is ErrorType.MODE_RESTRICTED


@pytest.mark.requirement("004-103")
@pytest.mark.parametrize("level", ["none", "match", "code"])
async def test_what_is_the_callers_own_is_for_the_tool_to_tell_whoever_calls(office, store, clock, level):
    """Somebody new changes what this conversation made; who has shown who they are is known to the tool as well."""
    await business(store, level)
    assert (await office.call("see_own")).data == {"verified": False}
    await establish(store, clock, "code")
    assert (await office.call("see_own", {"word": "again"})).data == {"verified": True}


@pytest.mark.requirement("004-105")
async def test_what_was_told_to_one_caller_is_given_again_to_nobody_else(office, store, clock):
    """Whoever opened the link of a phone call asks the same in the same conversation, or was verified meanwhile."""
    await business(store, "match")
    assert (await office.call("see_own", turn=1)).data == {"verified": False}
    standing = Standing("match", "clr_1", "+15185550177", clock.now(), "line")
    await store.inner.commit([Set(SESSION, standing.to_fields(), merge=True)])
    assert (await office.call("see_own", turn=2)).data == {"verified": True}
    again = await office.call("see_own", turn=3)
    assert (again.data, again.meta["reused"]) == ({"verified": True}, True)
    for turn, channel in ((4, Channel.PORTAL), (5, Channel.BROWSER_VOICE)):
        assert (await office.call("see_own", turn=turn, channel=channel)).data == {"verified": False}
    other = Standing("match", "clr_2", "+15185550178", clock.now(), "line")
    await store.inner.commit([Set(SESSION, other.to_fields(), merge=True)])
    assert "reused" not in (await office.call("see_own", turn=6)).meta


@pytest.mark.requirement("004-105")
async def test_who_calls_from_another_number_in_the_same_conversation_has_shown_nothing(office, store, clock):
    """A platform that takes one conversation for two callers tells the second nothing of the first."""
    await business(store, "match")
    shown, on_file = "+15185550161", "+15185550177"
    standing = Standing("match", "clr_1", on_file, clock.now(), "line", shown)
    await store.inner.commit([Set(SESSION, standing.to_fields(), merge=True)])
    for turn, (number, is_known) in enumerate(((shown, True), (on_file, True), (None, False), ("+15185550199", False))):
        answer = await office.call("see_own", turn=turn + 1, caller_phone=number)
        assert answer.data == {"verified": is_known}, number


@pytest.mark.requirement("004-960")
@pytest.mark.parametrize(
    ("verified_from", "knows"), [(None, {None, ON_FILE}), (SHOWN, {SHOWN, ON_FILE})], ids=["withheld", "shown"]
)
async def test_on_the_line_nobody_is_known_by_another_number_than_they_were_verified_from(
    office, store, clock, verified_from, knows
):
    """Nor by none where one was shown, nor by any where none was, unless it is on file; it is one call throughout."""
    await business(store, "match")
    standing = Standing("match", "clr_1", ON_FILE, clock.now(), "line", verified_from)
    await store.inner.commit([Set(SESSION, standing.to_fields(), merge=True)])
    for turn, number in enumerate((None, SHOWN, ON_FILE, None, "+15185550199")):
        answer = await office.call("see_own", turn=turn + 1, caller_phone=number)
        assert answer.data == {"verified": number in knows}, number


@pytest.mark.requirement("004-960")
@pytest.mark.parametrize("channel", [Channel.PORTAL, Channel.BROWSER_VOICE])
async def test_in_a_browser_the_conversation_vouches_for_who_holds_it_whether_or_not_a_number_is_told(
    office, store, clock, channel
):
    """Only another number tells that somebody else does."""
    await business(store, "match")
    standing = Standing("match", "clr_1", ON_FILE, clock.now(), "browser", SHOWN)
    await store.inner.commit([Set(SESSION, standing.to_fields(), merge=True)])
    for turn, (number, is_known) in enumerate(((SHOWN, True), (None, True), ("+15185550199", False))):
        answer = await office.call("see_own", turn=turn + 1, channel=channel, caller_phone=number)
        assert answer.data == {"verified": is_known}, number


@pytest.mark.requirement("004-103")
async def test_a_tool_that_an_owner_configured_cannot_say_that_it_looks_whose_something_is(office, store):
    """Only code does."""
    await business(store, "match")
    document = {"verified": True, "callersOwn": True}
    await store.inner.commit([Set(PATHS.definition("look_verified"), document, merge=True)])
    assert (await office.call("look_verified")).failure.type is ErrorType.MODE_RESTRICTED


async def test_a_business_that_asks_for_nothing_needs_nothing(office, store):
    """Level `none`: what is shown is still only the caller's own."""
    await business(store, "none")
    assert (await office.call("look_verified")).ok


@pytest.mark.requirement("003-25")
async def test_another_session_has_established_nothing(office, store, clock):
    """One caller's proof is not another's."""
    await business(store, "match")
    await establish(store, clock)
    assert (await office.call("look_verified", session_id="s2")).failure.type is ErrorType.MODE_RESTRICTED


async def test_only_tools_that_depend_on_it_read_it(office, store, clock):
    """A look-up costs its one round trip, and one more where identity matters."""
    await business(store, "match")
    await establish(store, clock)
    await office.call("look")
    store.asked.clear()
    await office.call("look", {"word": "again"})
    assert dict(store.asked) == {"commit": 1}
    store.asked.clear()
    await office.call("look_verified", turn=2)
    assert dict(store.asked) == {"commit": 1, "get": 1}


async def test_a_store_that_does_not_say_leaves_the_caller_unverified(office, store, clock):
    """Refused, not let through."""
    await business(store, "match")
    await establish(store, clock)
    await office.call("look")
    store.fail("get")
    assert (await office.call("look_verified")).failure.type is ErrorType.MODE_RESTRICTED


async def test_in_the_portal_a_verified_caller_is_known_by_the_number_on_file(office, store, clock):
    """So that their own bookings can be found; on the phone the number stays that of the call."""
    await business(store, "match")
    await establish(store, clock)
    await office.call("look_verified", channel=Channel.PORTAL, call_id="c1")
    kept = (await office.ledger("c1"))["facts"]
    assert (kept["callerVerified"], kept["callerId"], kept["callerPhone"]) == (True, "clr_1", "+15185550177")


@pytest.mark.requirement("004-105")
@pytest.mark.parametrize("channel", [Channel.PORTAL, Channel.PHONE], ids=["portal", "number withheld"])
async def test_a_call_that_is_delivered_again_is_the_same_whoever_was_established_in_between(
    office, store, clock, channel
):
    """Its caller showed no number then and shows none now; which one is on file makes no other call of it."""
    await business(store, "match")
    first = await office.call("see_own", channel=channel, call_id="c1")
    await establish(store, clock)
    second = await office.call("look_verified", channel=channel, call_id="c2")
    for call_id, tool, told in (("c1", "see_own", first), ("c2", "look_verified", second)):
        again = await office.call(tool, channel=channel, call_id=call_id)
        assert (again.ok, again.data, again.meta["replayed"]) == (True, told.data, True)
    clock.wait(31 * 60)
    again = await office.call("see_own", channel=channel, call_id="c1")
    assert (again.ok, again.data, again.meta["replayed"]) == (True, first.data, True)


@pytest.mark.requirement("004-105")
async def test_who_shows_the_number_on_file_is_not_told_what_came_of_a_call_that_showed_none(office, store, clock):
    """Ids may be counted anew for each caller."""
    await business(store, "match")
    await establish(store, clock)
    assert (await office.call("look_verified", call_id="c1")).ok
    other = await office.call("look_verified", call_id="c1", caller_phone="+15185550177")
    assert (other.ok, other.failure.type) == (False, ErrorType.CONFLICT)


async def test_an_abandoned_call_is_still_that_call_whoever_was_established_in_between(office, store, clock):
    """Whoever takes it up goes by its row."""
    await business(store, "match")
    await office.call("see_own", channel=Channel.PORTAL, call_id="c1")
    await establish(store, clock)
    await office.call("look_verified", channel=Channel.PORTAL, call_id="c2")
    for call_id in ("c1", "c2"):
        path = PATHS.within(BUSINESS).call("s1", call_id)
        row = CallRow(await store.inner.get(path))
        assert row.is_of(await office.dispatcher.recovery._invocation_of(row, row.facts()))
