"""The template `sms` (seed 002, "SMS"): from a number of the business's own, under the rules of every text."""

import asyncio
import json
from dataclasses import replace

import pytest

from switchboard.contract.context import PhoneContext
from switchboard.contract.definitions.tenant_tool import BoundSms
from switchboard.contract.error import ErrorType, Refused
from switchboard.state.paths import FirestorePaths
from switchboard.tools.templates.sms import UNTOLD, execute
from tests.desk.front_desk import StoppedClock, call, stored
from tests.desk.memory_actions import MemoryActions
from tests.desk.phone_network import BUSY, CALLER, CLOSED, LOST, OTHER, OWNER, SENDER, phone_salon
from tests.refused import failure
from tests.tools.templates.bound_desk import bound_desk

SECOND = "+15185550101"
SALON = phone_salon(phoneNumbers=[{"id": "pn_2", "number": SECOND}, {"id": "broken"}, "nonsense"])
SMS = BoundSms("Your order is ready.", (CALLER,))


@pytest.fixture
def desk(store, network):
    return bound_desk(store, network, MemoryActions(), StoppedClock())


def calling(number, business=SALON):
    ctx = call(business)
    facts = PhoneContext(business_id=business.id, session_id="s", caller_phone=CALLER, called_phone=number)
    return replace(ctx, facts=facts)


@pytest.mark.requirement("002-18", "002-52")
async def test_a_text_goes_out_and_its_delivery_status_comes_back(desk, network, store):
    """With a receipt for the record."""
    result = await execute(call(SALON), desk, bound=SMS)
    (id,) = await stored(store, SALON.id, "outbox")
    assert result.data == {
        "sent": True,
        "recipients": [{"to": CALLER, "state": "sent", "messageId": id, "repeated": False}],
    }
    assert result.receipt == {
        "what": "text message",
        "for": CALLER,
        "when": "2027-03-10T10:00:00-05:00",
        "effectIds": [id],
    }
    assert [(text.to, text.sender, text.body) for text in network.sent] == [(CALLER, SENDER, SMS.text)]


@pytest.mark.requirement("002-46", "002-47", "002-50")
@pytest.mark.parametrize(
    ("called", "sender_id", "sender"),
    [
        (SECOND, "", SECOND),
        (SENDER, "", SENDER),
        (None, "", SENDER),
        (SENDER, "pn_2", SECOND),
        (SECOND, SENDER, SENDER),
        (SENDER, SECOND, SECOND),
    ],
)
async def test_it_comes_from_the_number_that_was_called_or_the_one_that_was_chosen(
    desk, network, called, sender_id, sender
):
    """By its id, or as a number; where nothing was called, from the main one."""
    await execute(calling(called), desk, bound=replace(SMS, sender_id=sender_id))
    assert [text.sender for text in network.sent] == [sender]


@pytest.mark.requirement("002-51")
@pytest.mark.parametrize(("called", "sender_id"), [("+15185559999", ""), (SENDER, "pn_3"), (SENDER, "+15185559999")])
async def test_a_number_that_the_business_does_not_have_sends_nothing(desk, network, called, sender_id):
    """PERMANENT: no other number takes its place."""
    error = await failure(execute(calling(called), desk, bound=replace(SMS, sender_id=sender_id)))
    assert (error.type, error.partial_side_effects) == (ErrorType.PERMANENT, False)
    assert network.posts == 0


@pytest.mark.requirement("002-49")
async def test_several_recipients_get_one_text_each(desk, network):
    """In any spelling; the same number twice is one, and so is the same wish twice."""
    bound = replace(SMS, recipients=(CALLER, "(518) 555-0172", OTHER, " "))
    result = await execute(call(SALON), desk, bound=bound)
    assert sorted(text.to for text in network.sent) == [CALLER, OTHER]
    assert [row["to"] for row in result.data["recipients"]] == [CALLER, OTHER]
    again = await execute(call(SALON), desk, bound=bound)
    assert all(row["repeated"] for row in again.data["recipients"])
    assert network.posts == 2


@pytest.mark.requirement("002-126")
async def test_a_number_that_the_owner_has_set_is_told_in_no_result_receipt_or_refusal(desk, network):
    """Seed 002, "Security Notes"; it is texted all the same, and whoever the model named is told."""
    both = replace(SMS, recipients=("(518) 555-0172", CALLER), untold=("(518) 555-0172",))
    result = await execute(call(SALON), desk, bound=both)
    assert sorted(text.to for text in network.sent) == sorted([OTHER, CALLER])
    assert [row["to"] for row in result.data["recipients"]] == [UNTOLD, CALLER]
    assert result.receipt["for"] == CALLER and len(result.receipt["effectIds"]) == 2
    known = await execute(call(SALON, "known"), desk, bound=replace(both, recipients=(OTHER, "(518) 555-0172")))
    assert [row["to"] for row in known.data["recipients"]] == [OTHER]
    error = await failure(execute(call(SALON, "no"), desk, bound=replace(SMS, recipients=("911",), untold=("911",))))
    assert error.type is ErrorType.PERMANENT and "911" not in error.message
    await desk.texts.opt_out(FirestorePaths().within(SALON.id), OTHER, "STOP")
    stopped = await execute(call(SALON, "stop"), desk, bound=both)
    assert OTHER not in json.dumps(stopped.data)


@pytest.mark.parametrize(
    "changes",
    [
        {"recipients": ()},
        {"recipients": ("",)},
        {"recipients": (CALLER, "911")},
        {"recipients": (CALLER, "+442079460000")},
        {"recipients": (CALLER, "+4915112345678")},
        {"recipients": (CALLER, SENDER)},
        {"recipients": tuple(f"+1518555{n:04}" for n in range(110, 121))},
        {"text": "  "},
        {"text": "x" * 5_000},
    ],
)
async def test_what_cannot_be_sent_is_found_out_before_anything_is(desk, network, changes):
    """VALIDATION: nobody to text, no mobile number, another country, too many, no text, too long a text."""
    error = await failure(execute(call(SALON), desk, bound=replace(SMS, **changes)))
    assert error.type is ErrorType.VALIDATION
    assert network.posts == 0


async def test_a_number_that_answered_stop_is_left_alone_and_the_others_are_texted(desk, network, store):
    """Its owner's word holds for tools that owners make too; the result says who got it."""
    await desk.texts.opt_out(FirestorePaths().within(SALON.id), OTHER, "STOP")
    result = await execute(call(SALON), desk, bound=replace(SMS, recipients=(CALLER, OTHER)))
    assert [text.to for text in network.sent] == [CALLER]
    assert result.data["sent"] is False
    assert [row["state"] for row in result.data["recipients"]] == ["sent", "failed"]
    assert "STOP" in result.data["recipients"][1]["problem"]
    alone = await failure(execute(call(SALON, "another"), desk, bound=replace(SMS, recipients=(OTHER,))))
    assert alone.type is ErrorType.PERMANENT


@pytest.mark.requirement("002-49")
async def test_the_limits_of_every_text_hold(desk, network):
    """Three in ten minutes to a number, whatever tool it comes from; more to the business itself."""
    for wish in range(3):
        await execute(call(SALON, str(wish)), desk, bound=SMS)
    error = await failure(execute(call(SALON, "fourth"), desk, bound=SMS))
    assert isinstance(error, Refused) and error.type is ErrorType.RATE_LIMIT
    for wish in range(5):
        await execute(call(SALON, str(wish), verified=True), desk, bound=replace(SMS, recipients=(OWNER,)))
    assert network.posts == 8


@pytest.mark.requirement("002-52")
async def test_a_lost_answer_is_said_honestly(desk, network):
    """Nobody knows: an error where it is the only one, a state of its own among several."""
    network.fail(LOST, accepted=True)
    error = await failure(execute(call(SALON), desk, bound=SMS))
    assert (error.type, error.partial_side_effects) == (ErrorType.TRANSIENT, True)
    network.fail(LOST)
    result = await execute(call(SALON, "two"), desk, bound=replace(SMS, recipients=(CALLER, OTHER)))
    assert sorted(row["state"] for row in result.data["recipients"]) == ["sent", "unknown"]


async def test_of_several_errors_the_one_that_leaves_a_doubt_counts(desk, network):
    """A text that may have been sent must not hide behind one that was not."""
    network.fail(CLOSED)
    network.fail(LOST)
    error = await failure(execute(call(SALON), desk, bound=replace(SMS, recipients=(CALLER, OTHER))))
    assert error.partial_side_effects is True


async def test_what_waits_for_the_network_is_queued_and_not_called_sent(desk, network):
    """The outbox sends it."""
    network.fail(BUSY)
    result = await execute(call(SALON), desk, bound=SMS)
    assert (result.data["sent"], result.data["recipients"][0]["state"]) == (False, "queued")


async def test_two_at_once_are_one_text(desk, network):
    """The same wish under two call ids."""
    await asyncio.gather(*(execute(call(SALON), desk, bound=SMS) for _ in range(2)), return_exceptions=True)
    assert network.posts == 1


def heard_from(**facts):
    ctx = call(SALON)
    base = {"business_id": SALON.id, "session_id": "s", "caller_phone": None, "called_phone": SENDER}
    return replace(ctx, facts=PhoneContext(**(base | facts)))


@pytest.mark.requirement("004-945")
@pytest.mark.parametrize(
    ("facts", "to", "is_sent"),
    [
        ({}, OTHER, False),
        ({"is_withheld": True}, OTHER, False),
        ({"caller_phone": CALLER}, OTHER, False),
        ({"caller_phone": CALLER, "attestation": "TN-Validation-Passed-B"}, OTHER, False),
        ({"caller_phone": CALLER}, "(518) 555-0171", True),
        ({}, OWNER, True),
        ({"caller_phone": CALLER, "attestation": "TN-Validation-Passed-A"}, OTHER, True),
        ({"caller_id": "ana", "caller_verified": True}, OTHER, True),
    ],
)
async def test_who_has_shown_nothing_has_only_themselves_and_the_business_texted(desk, network, facts, to, is_sent):
    """Whatever number they dictate; who has shown who they are is texted for as the owner set it up."""
    bound = BoundSms("Hello.", (to,), dictated=(to,))
    if is_sent:
        assert (await execute(heard_from(**facts), desk, bound=bound)).data["sent"] is True
        return
    error = await failure(execute(heard_from(**facts), desk, bound=bound))
    assert (error.type, network.posts) == (ErrorType.VALIDATION, 0)
    assert "dictated" in error.message and to not in error.message


@pytest.mark.requirement("004-945")
async def test_the_owners_own_numbers_are_texted_for_anybody(desk, network):
    """Beside one that is dictated, nothing goes out at all; a business may have said that anybody may be texted."""
    assert (await execute(heard_from(), desk, bound=BoundSms("Hello.", (OTHER,)))).data["sent"] is True
    await failure(execute(heard_from(), desk, bound=BoundSms("Bye.", (OTHER, CALLER), dictated=(CALLER,))))
    assert network.posts == 1
    ctx = replace(heard_from(), business=phone_salon(textAnyone=True))
    assert (await execute(ctx, desk, bound=BoundSms("Hi.", (CALLER,), dictated=(CALLER,)))).data["sent"] is True


@pytest.mark.requirement("004-965")
@pytest.mark.parametrize("number", ["+442079460000", "+4915112345678", "+18885550142", CALLER])
async def test_a_text_that_is_not_sent_is_none_whose_words_are_told_instead(desk, number):
    """They are the owner's, and may be a code to a door: a model that is asked for them would make some up."""
    ctx = call(SALON)
    await desk.texts.opt_out(ctx.paths, CALLER, "the caller's STOP")
    bound = BoundSms("The door code is 4711.", (number,))
    error = await failure(execute(ctx, desk, bound=bound))
    assert "Say what" not in error.message and "4711" not in error.message
    assert "Say that" in error.message, error.message


@pytest.mark.requirement("004-965")
async def test_who_is_not_known_is_told_nothing_of_a_text_to_a_dictated_number(desk):
    """Nor does the model know it."""
    ctx = call(SALON, attestation=None)
    error = await failure(execute(ctx, desk, bound=replace(SMS, recipients=(OTHER,), dictated=(OTHER,))))
    assert "what it would have told" not in error.message and "Verify the caller first" in error.message
