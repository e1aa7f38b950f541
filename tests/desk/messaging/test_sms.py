"""Text messages: at most once, counted, and never claimed to be sent where nobody knows."""

import asyncio
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.contract.error import ErrorType, Refused, ToolError
from switchboard.contract.store import Stale, Unavailable
from switchboard.contract.telephony import TextStatus
from switchboard.desk.messaging.sms import OWNER
from switchboard.desk.messaging.sms_body import MOST_SEGMENTS, segments, shortened, text_body
from tests.desk.front_desk import NOW, call, stored
from tests.desk.phone_network import (
    AWAY,
    BUSY,
    CALLER,
    CLOSED,
    LOST,
    OTHER,
    REFUSED,
    SENDER,
    STOPPED,
    phone_salon,
    texts_over,
)
from tests.each import each
from tests.refused import failure

SALON = phone_salon()
BODY = "See you on Tuesday at ten."


async def send(texts, key="wish", to=CALLER, body=BODY, ctx=None, **more):
    return await texts.send(ctx or call(SALON), to, body, effect_key=key, **more)


async def record(store):
    (found,) = (await stored(store, SALON.id, "outbox")).values()
    return found


@pytest.mark.requirement("004-08", "002-18")
async def test_a_text_is_sent_from_the_businesss_number_and_recorded(texts, network, store):
    """Its document says what was sent, to whom, and under which id the network knows it."""
    receipt = await send(texts, to="(518) 555-0171")
    (sent,) = network.sent
    assert (sent.to, sent.sender, sent.body) == (CALLER, SENDER, BODY)
    assert re.fullmatch(r"txt_[0-9a-v]{20}", receipt.id)
    assert (receipt.to, receipt.state, receipt.repeated) == (CALLER, "sent", False)
    found = await record(store)
    assert (found["id"], found["kind"], found["state"], found["providerId"]) == (receipt.id, "text", "sent", sent.id)
    assert (found["effectKey"], found["purpose"], found["createdAt"]) == ("wish", "sms", NOW)
    assert found["expireAt"] > NOW


async def test_it_is_recorded_before_the_network_hears_of_it(texts, network, store):
    """Or a process that dies in between would leave nothing behind to look it up by."""
    seen = []

    async def look() -> None:
        seen.append((await record(store))["state"])

    network.before_post = look
    await send(texts)
    assert seen == ["sending"]


async def test_the_same_wish_again_is_the_same_text(texts, network):
    """Under whatever words it comes; another wish is another text."""
    first = await send(texts)
    again = await send(texts, body="something else")
    assert (again.id, again.repeated) == (first.id, True)
    assert not (await send(texts, key="another")).repeated
    assert [text.body for text in network.sent] == [BODY, BODY]


async def test_twenty_at_once_send_one(texts, network):
    """The others are told that it is being sent, or that it was."""
    done = await asyncio.gather(*(send(texts) for _ in range(20)), return_exceptions=True)
    assert network.posts == 1
    errors = [error for error in done if isinstance(error, ToolError)]
    assert {error.type for error in errors} <= {ErrorType.CONFLICT}
    assert all(error.retryable for error in errors)
    assert sum(not isinstance(r, ToolError) and not r.repeated for r in done) == 1


@pytest.mark.requirement("002-52")
@pytest.mark.parametrize("accepted", [True, False])
async def test_a_lost_answer_is_said_honestly_and_never_sent_again_blindly(texts, network, store, accepted):
    """Reliability §2, row 13: TRANSIENT with partial side effects; the state is unknown."""
    network.fail(LOST, accepted=accepted)
    error = await failure(send(texts))
    assert (error.type, error.retryable, error.partial_side_effects) == (ErrorType.TRANSIENT, True, True)
    assert "Do not say that it was" in error.message
    assert (await record(store))["state"] == "unknown"


async def test_a_text_of_which_nobody_knew_is_found_in_the_networks_list(texts, network, store, clock):
    """Asked for again, it is looked up and not sent."""
    network.prefix = "Sent from your Twilio trial account - "
    network.fail(LOST, accepted=True)
    await failure(send(texts))
    clock.wait(2)
    receipt = await send(texts)
    assert (receipt.state, receipt.repeated, network.posts) == ("sent", True, 1)
    assert (await record(store))["providerId"] == network.sent[0].id


async def test_a_text_that_certainly_was_not_sent_is_sent_if_asked_for_again(texts, network, store, clock):
    """Before a minute is over the list may not show it yet, so that nobody sends; afterwards it was never taken up."""
    network.fail(LOST)
    await failure(send(texts))
    clock.wait(30)
    assert (await failure(send(texts))).partial_side_effects is True
    assert network.posts == 1
    clock.wait(31)
    receipt = await send(texts)
    assert (receipt.state, receipt.repeated, network.posts, len(network.sent)) == ("sent", False, 2, 1)


async def test_without_the_networks_list_nothing_is_sent_again(texts, network, clock):
    """However long it is."""
    network.fail(LOST)
    await failure(send(texts))
    network.listing_fails = AWAY
    clock.wait(3_600)
    assert (await failure(send(texts))).partial_side_effects is True
    assert network.posts == 1


async def test_another_text_to_the_same_number_is_not_mistaken_for_it(texts, network, clock):
    """By its words, its sender and its time."""
    await network.send_text(CALLER, SENDER, BODY)
    clock.wait(120)
    await network.send_text(CALLER, SENDER, "Another text.")
    await network.send_text(CALLER, OTHER, BODY)
    network.fail(LOST)
    await failure(send(texts))
    clock.wait(61)
    assert (await send(texts)).repeated is False
    assert [(text.sender, text.body) for text in network.sent[3:]] == [(SENDER, BODY)]


async def test_a_process_that_died_while_sending_leaves_one_text(store, network, clock):
    """What is found in `sending` belongs to whoever sends it until its lease is over, and is looked up then."""
    texts = texts_over(store, network, clock)
    started = asyncio.Event()

    async def die() -> None:
        started.set()
        await asyncio.Event().wait()

    network.before_post = die
    dying = asyncio.create_task(send(texts))
    await started.wait()
    dying.cancel()
    await asyncio.gather(dying, return_exceptions=True)
    network.before_post = None
    error = await failure(send(texts_over(store, network, clock)))
    assert (error.type, error.retryable) == (ErrorType.CONFLICT, True)
    clock.wait(31)
    assert (await failure(send(texts))).partial_side_effects is True
    clock.wait(31)
    assert (await send(texts)).state == "sent"
    assert (network.posts, len(network.sent)) == (2, 1)


async def test_a_crowded_network_queues_the_text(texts, network, store):
    """RATE_LIMIT was never processed: the outbox sends it later, and the receipt says so."""
    network.fail(BUSY)
    receipt = await send(texts)
    assert (receipt.state, receipt.repeated) == ("queued", False)
    found = await record(store)
    assert (found["state"], found["notBefore"] > NOW) == ("todo", True)
    again = await send(texts)
    assert (again.state, again.repeated, network.posts) == ("queued", True, 1)


CODE = "482913 is your code for Maple Street Hair Studio, good for 5 minutes."


@pytest.mark.requirement("004-07")
@pytest.mark.parametrize("trouble", [None, LOST, BUSY, CLOSED])
async def test_a_one_time_code_is_sent_and_kept_nowhere(texts, network, store, trouble):
    """Whoever reads the outbox finds the text without its code, whatever became of it."""
    if trouble:
        network.fail(trouble, accepted=trouble is LOST)
        await failure(send(texts, body=CODE, purpose="code"))
    else:
        await send(texts, body=CODE, purpose="code")
    assert "482913" not in repr(await stored(store, SALON.id, "outbox"))
    assert (await record(store))["body"] == CODE.replace("482913", "******")
    assert [sent.body for sent in network.sent] == ([CODE] if trouble in (None, LOST) else [])


async def test_a_one_time_code_is_never_sent_later_since_nobody_knows_it_any_more(texts, network, store, clock):
    """A crowded network is a no, and asking for the same again sends no text with asterisks in it."""
    network.fail(BUSY)
    error = await failure(send(texts, body=CODE, purpose="code"))
    assert (error.type, error.partial_side_effects) == (ErrorType.RATE_LIMIT, False)
    await failure(send(texts, body=CODE, purpose="code"))
    clock.wait(600)
    await failure(send(texts, body=CODE, purpose="code"))
    assert network.sent == []


async def test_a_one_time_code_of_which_nobody_knew_is_found_in_the_networks_list(texts, network, store, clock):
    """By what is left of it, so that the outbox comes to rest."""
    network.fail(LOST, accepted=True)
    await failure(send(texts, body=CODE, purpose="code"))
    clock.wait(2)
    assert (await send(texts, body=CODE, purpose="code")).state == "sent"
    assert ((await record(store))["state"], network.posts) == ("sent", 1)


async def test_a_queued_text_is_sent_when_asked_for_again_in_time(texts, network, clock):
    """Not before the pause is over."""
    network.fail(BUSY)
    await send(texts)
    clock.wait(60)
    assert (await send(texts)).state == "sent"
    assert len(network.sent) == 1


@pytest.mark.parametrize(("error", "posts"), [(REFUSED, 1), (AWAY, 2), (CLOSED, 2)])
async def test_what_failed_for_good_stays_failed_and_what_did_not_may_be_asked_for_again(texts, network, error, posts):
    """Nothing was done: a network that is away, or an account that is connected again, gets another chance."""
    network.fail(error)
    first = await failure(send(texts))
    assert (first.type, first.partial_side_effects) == (error.type, False)
    if posts == 1:
        assert (await failure(send(texts))).type is error.type
    else:
        assert (await send(texts)).state == "sent"
    assert network.posts == posts


async def test_a_number_that_has_opted_out_is_never_asked_for_again(texts, network):
    """The network's no is remembered for the business: the next wish does not reach it."""
    network.fail(STOPPED)
    for key in ("one", "two"):
        error = await failure(send(texts, key=key))
        assert (error.type, error.meta["reason"]) == (ErrorType.PERMANENT, "opted_out")
    assert network.posts == 1
    assert (await send(texts, to=OTHER, key="three")).state == "sent"


async def test_stop_and_start_are_the_callers_own(texts, network, store):
    """A number that texted STOP gets nothing until it texts START; other businesses may still text it."""
    ctx = call(SALON)
    await texts.opt_out(ctx.paths, CALLER, "STOP")
    assert (await failure(send(texts))).meta["reason"] == "opted_out"
    other = phone_salon("other")
    await send(texts, ctx=call(other))
    await texts.opt_in(ctx.paths, CALLER)
    await send(texts)
    assert len(network.sent) == 2
    assert await stored(store, SALON.id, "outbox")


async def test_who_can_have_a_number_texted_again_is_told_as_it_is(texts):
    """Whoever has the number, and the business as well where it has listed it itself."""
    for source, told in (("the caller's STOP", "once START is texted from it"), (OWNER, "takes it off the list")):
        await texts.opt_out(call(SALON).paths, CALLER, source)
        assert told in (await failure(send(texts))).message


async def test_a_text_that_was_sent_is_not_denied_because_of_a_later_stop(texts):
    """What was done is told, and not done again."""
    await send(texts)
    await texts.opt_out(call(SALON).paths, CALLER, "STOP")
    assert (await send(texts)).repeated is True


async def test_too_many_are_refused_before_the_network_hears_of_them(texts, network):
    """Counted before sending; the same wish again counts once."""
    for _ in range(5):
        await send(texts)
    for n in range(2):
        await send(texts, key=f"more {n}")
    assert isinstance(await failure(send(texts, key="one too many")), Refused)
    assert network.posts == 3


@pytest.mark.requirement("002-51")
@pytest.mark.parametrize(
    "business", [phone_salon(isConnected=False), phone_salon(needsReauth=True), replace(SALON, integrations={})]
)
async def test_without_an_account_nothing_is_sent(texts, network, store, business):
    """PERMANENT, and what would help; nothing is stored."""
    ctx = call(business)
    error = await failure(texts.send(ctx, CALLER, BODY, effect_key="wish"))
    assert error.type is ErrorType.PERMANENT
    assert (network.posts, await stored(store, business.id, "outbox")) == (0, {})


@pytest.mark.requirement("002-51")
async def test_without_a_sending_number_nothing_is_sent(texts, network):
    """A number that the business does not have ends in an error."""
    business = replace(SALON, twilio_number="")
    assert (await failure(texts.send(call(business), CALLER, BODY, effect_key="w"))).type is ErrorType.PERMANENT
    assert network.posts == 0


@pytest.mark.parametrize("to", ["+19005550123", "+491701234567", "911", "front desk", SENDER])
async def test_numbers_that_cannot_or_must_not_be_texted_are_refused(texts, network, store, to):
    """VALIDATION; nothing is stored or counted."""
    assert (await failure(send(texts, to=to))).type is ErrorType.VALIDATION
    assert (network.posts, store.asked["commit"]) == (0, 0)


@pytest.mark.parametrize("method", ["get_many", "commit"])
async def test_a_store_that_is_away_sends_nothing(texts, network, store, method):
    """What cannot be recorded is not done."""
    store.fail(method)
    error = await failure(send(texts))
    assert (error.type, error.partial_side_effects, network.posts) == (ErrorType.TRANSIENT, False, 0)


@pytest.mark.parametrize("lost", [Unavailable("away"), Stale("gone")])
async def test_a_text_that_was_sent_counts_as_sent_though_that_cannot_be_written_down(
    texts, network, store, clock, lost
):
    """What is true is told; the network's list tells it again later."""

    async def go_away() -> None:
        store.fail_before["commit"] = lost

    network.before_post = go_away
    assert (await send(texts)).state == "sent"
    store.recover()
    network.before_post = None
    assert (await record(store))["state"] == "sending"
    clock.wait(31)
    assert (await send(texts)).repeated is True
    assert network.posts == 1


async def test_a_crowded_network_and_no_store_is_a_no(texts, network, store):
    """Queued is promised only where it is written down."""

    async def go_away() -> None:
        store.fail("commit")

    network.before_post = go_away
    network.fail(BUSY)
    assert (await failure(send(texts))).type is ErrorType.RATE_LIMIT


async def test_a_text_that_the_network_could_not_deliver_is_not_said_to_be_sent(texts, network, clock):
    """Found in the list as failed."""
    network.status = TextStatus.FAILED
    network.fail(LOST, accepted=True)
    await failure(send(texts))
    assert (await failure(send(texts))).type is ErrorType.PERMANENT
    assert network.posts == 1


@each(
    ("body", "expected"),
    [
        ("x" * 160, 1),
        ("x" * 161, 2),
        ("x" * 306, 2),
        ("x" * 307, 3),
        ("€" * 80, 1),
        ("€" * 81, 2),
        ("ö" * 160, 1),
        ("ж" * 70, 1),
        ("ж" * 71, 2),
        ("😀" * 35, 1),
        ("😀" * 36, 2),
    ],
)
def test_segments_are_counted_as_the_network_counts_them(body, expected):
    """GSM 03.38: 160, or 153 each; anything else UCS-2: 70, or 67 each; some signs take two places."""
    assert segments(body) == expected


@each("text", ["", " \n ", "\u202e", "bell\x07", "null\x00", "tab\there", "\ud800", "ж" * 403, "x" * 919])
def test_what_cannot_be_a_text_is_refused(text):
    """Empty, control characters, half characters, and more than six segments."""
    with pytest.raises(ToolError) as caught:
        text_body(text)
    assert caught.value.type is ErrorType.VALIDATION


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" Jose\u0301\r\nline two ", "José\nline two"),
        ("evil\u202emoc.elpmaxe", "evilmoc.elpmaxe"),
        ("👩\u200d🔧 {{caller_phone_number}} %s", "👩\u200d🔧 {{caller_phone_number}} %s"),
    ],
)
def test_a_text_is_sent_as_it_is_read(text, expected):
    """Marks that turn the reading direction are left out; nothing is filled in a second time (row 26)."""
    assert text_body(text) == expected


@given(st.text(max_size=3_000))
def test_whatever_is_shortened_can_be_sent(text):
    """Messages for the owner are cut rather than refused."""
    body = shortened(text)
    assert segments(body) <= MOST_SEGMENTS
    if body:
        assert text_body(body)
