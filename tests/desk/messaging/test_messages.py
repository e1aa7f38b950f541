"""Messages that callers leave: durable, once, with a number to call back on."""

import re
from datetime import timedelta

import pytest

from switchboard.contract.error import ErrorType, ToolError
from tests.desk.front_desk import NOW, call, salon, stored

SALON = salon()


async def take(desk, ctx=None, caller_name="Anna Whitfield", message="A haircut on Tuesday, please.", phone=None):
    return await desk.messages.take(ctx or call(SALON, verified=True), caller_name, message, phone)


async def outbox(store):
    return await stored(store, SALON.id, "outbox")


async def test_a_message_is_in_the_outbox_before_anybody_is_told(desk, store):
    """One document, of a deterministic id, waiting to be brought to the owner."""
    taken = await take(desk)
    assert re.fullmatch(r"msg_[0-9a-v]{20}", taken.id)
    assert (taken.callback_phone, taken.repeated) == ("+15185550171", False)
    assert await outbox(store) == {
        taken.id: {
            "id": taken.id,
            "kind": "message",
            "state": "todo",
            "businessId": "demo-salon",
            "callerName": "Anna Whitfield",
            "callbackPhone": "+15185550171",
            "callerPhone": "+15185550171",
            "text": "A haircut on Tuesday, please.",
            "language": "en",
            "createdAt": NOW,
            "dueAt": NOW,
            "expireAt": NOW + timedelta(days=90),
            "sessionId": "session-1",
            "channel": "phone",
            "callId": "interaction of session-1",
            "effectKey": "demo-salon|session-1|wish",
        }
    }
    assert store.asked["commit"] == 1


async def test_the_same_wish_again_is_the_same_message(desk, store):
    """What was written first stays, also when the business has brought it on its way."""
    first = await take(desk)
    again = await take(desk)
    assert (again.id, again.repeated) == (first.id, True)
    assert len(await outbox(store)) == 1


async def test_another_wish_is_another_message(desk, store):
    """In the same conversation, and another caller's in another one; `test_twin.py` tells of the same caller's."""
    for ctx in (call(SALON), call(SALON, "other"), call(SALON, session="session-2", phone="+15185550177")):
        assert not (await take(desk, ctx)).repeated
    assert len(await outbox(store)) == 3


@pytest.mark.parametrize(
    ("trusted", "named", "kept"),
    [
        ("+15185550171", None, "+15185550171"),
        ("+15185550171", "(518) 555-0177", "+15185550177"),
        (None, "518 555 0177", "+15185550177"),
        (None, None, None),
    ],
)
async def test_the_number_to_call_back_is_the_named_one_or_else_the_trusted_one(desk, store, trusted, named, kept):
    """E.164, as the business would dial it; what the channel vouches for is kept beside it."""
    taken = await take(desk, call(SALON, phone=trusted), phone=named)
    document = (await outbox(store))[taken.id]
    assert (taken.callback_phone, document["callbackPhone"], document["callerPhone"]) == (kept, kept, trusted)


@pytest.mark.parametrize(
    "wrong", [{"caller_name": " "}, {"message": "\n "}, {"phone": "call me"}, {"phone": "518 555 0177 ext. 3"}]
)
async def test_what_cannot_be_used_is_refused_and_nothing_is_stored(desk, store, wrong):
    """VALIDATION, so that the model asks the caller."""
    with pytest.raises(ToolError) as caught:
        await take(desk, **wrong)
    assert caught.value.type is ErrorType.VALIDATION
    assert await outbox(store) == {}


async def test_names_are_kept_on_one_line_and_texts_as_they_were_said(desk, store):
    """A message may have paragraphs."""
    taken = await take(desk, caller_name=" Anna \n Whitfield ", message=" First.\n\nJose\u0301. ")
    document = (await outbox(store))[taken.id]
    assert (document["callerName"], document["text"]) == ("Anna Whitfield", "First.\n\nJosé.")


@pytest.mark.parametrize("was_written", [False, True])
async def test_without_an_answer_of_the_store_nobody_says_that_it_was_taken(desk, store, was_written):
    """TRANSIENT with partial side effects; asking again tells, and makes no second message."""
    store.fail("commit", after=was_written)
    with pytest.raises(ToolError) as caught:
        await take(desk)
    assert (caught.value.type, caught.value.retryable) == (ErrorType.TRANSIENT, True)
    assert caught.value.partial_side_effects is True
    store.recover()
    assert (await take(desk)).repeated is was_written
    assert len(await outbox(store)) == 1


async def test_a_message_lies_below_its_business(desk, store):
    """Nothing else is written or read, but the ticket by which the same message is known again."""
    taken = await take(desk)
    assert store.paths[0] == f"businesses/demo-salon/outbox/{taken.id}"
    assert len(store.paths) == 2 and store.paths[1].startswith("businesses/demo-salon/tickets/twin:")
