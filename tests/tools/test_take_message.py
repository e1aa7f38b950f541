"""take_message: what is left while something else is out of order."""

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

from switchboard.catalog.offer.inclusion import Situation, exclusion
from switchboard.contract.business.business import EscalationRule
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import read_definition
from switchboard.contract.error import ErrorType, Refused, ToolError
from switchboard.desk.messaging import owner_messages
from tests.desk.front_desk import call, salon, stored
from tests.tools.folder import guide, guide_text, run, schema

SALON = salon()
WANTED = {"caller_name": "Anna Whitfield", "message": "A haircut on Tuesday at ten, please."}


async def take(desk, ctx=None, **changes):
    return await run("take_message", ctx or call(SALON), desk, WANTED | changes)


async def test_a_message_answers_that_it_was_taken_and_leaves_a_receipt(desk, store):
    """The receipt says what, for whom and when, with the id of the effect."""
    result = await take(desk)
    (id,) = await stored(store, SALON.id, "outbox")
    assert result.data == {"taken": True, "messageId": id, "repeated": False, "callbackPhone": "+15185550171"}
    assert result.receipt == {
        "what": "message",
        "for": "Anna Whitfield",
        "when": "2027-03-10T10:00:00-05:00",
        "effectIds": [id],
    }


async def test_the_same_wish_again_answers_the_same_message_as_repeated(desk):
    """Under another call id it is still one message."""
    first, again = await take(desk), await take(desk)
    assert again.data == first.data | {"repeated": True}


@pytest.mark.requirement("003-340")
async def test_what_cannot_wait_is_said_first_and_an_address_to_write_to_is_told(desk, store):
    """In the business's language; of an ordinary message neither is stored."""
    await take(desk, callback_email="anna@whitfield.example", urgency="urgent")
    (document,) = (await stored(store, SALON.id, "outbox")).values()
    assert (document["urgency"], document["callbackEmail"]) == ("urgent", "anna@whitfield.example")
    for language, urgent in (
        ("en", "URGENT"),
        ("de-AT", "DRINGEND"),
        ("es", "URGENTE"),
        ("fr", "URGENT"),
        ("fi", "URGENT"),
    ):
        told = owner_messages._text(SimpleNamespace(business=replace(SALON, language=language)), document)
        assert told.startswith(f"{urgent}: ")
        assert "anna@whitfield.example" in told
        assert "+15185550171" in told
        alone = owner_messages._text(
            SimpleNamespace(business=replace(SALON, language=language)), document | {"callbackPhone": None}
        )
        assert owner_messages._WORDS["en"]["nobody"] not in alone


@pytest.mark.requirement("003-340")
async def test_an_ordinary_message_is_stored_as_ever(desk, store):
    """What reads it need not know of either."""
    await take(desk, urgency="normal")
    (document,) = (await stored(store, SALON.id, "outbox")).values()
    assert not document.keys() & {"urgency", "callbackEmail"}


@pytest.mark.requirement("004-1014")
async def test_where_nobody_knows_a_number_none_is_told(desk):
    """In the portal the caller may have named none; of the second message the owner is not to read the first again."""
    data = (await take(desk, call(SALON, portal=True, phone=None))).data
    assert "callbackPhone" not in data and data["note"].startswith("Nobody can answer it")
    assert "once more saying only how to reach the caller" in data["note"]


@pytest.mark.parametrize(
    "changes",
    [
        {"caller_name": ""},
        {"message": ""},
        {"message": "x" * 2_001},
        {"callback_phone": "1"},
        {"to": "boss"},
        {"urgency": "very"},
        {"callback_email": "anna"},
    ],
)
async def test_arguments_that_do_not_fit_are_refused_before_anything_runs(desk, store, changes):
    """Nothing is stored; whom it goes to is not for a caller to choose."""
    with pytest.raises(Refused) as caught:
        await take(desk, **changes)
    assert caught.value.type is ErrorType.VALIDATION
    assert await stored(store, SALON.id, "outbox") == {}


@pytest.mark.parametrize("channel", list(Channel))
def test_it_is_offered_where_the_owner_wants_messages_or_something_is_out_of_order(channel):
    """Also while that recovers, so that a caller who began a message can end it."""
    definition = read_definition("take_message", schema("take_message"))
    broken = frozenset({"googleCalendar"})
    wanted = replace(SALON, escalation_rules=(EscalationRule("message"),))
    silent = replace(SALON, escalation_rules=())
    assert exclusion(definition, Situation(wanted, channel)) is None
    assert exclusion(definition, Situation(silent, channel)).condition == "fallback:message"
    assert exclusion(definition, Situation(silent, channel, open_circuits=broken)) is None
    assert exclusion(definition, Situation(silent, channel, recovering_circuits=broken)) is None
    assert definition.is_repeatable


def test_its_guide_names_every_parameter():
    """Heading, parameters, examples, "watch out"."""
    text = guide_text("take_message")
    assert re.findall(r"^#+ (.+)$", text, re.MULTILINE) == ["take_message", "Parameters", "Examples", "Watch out"]
    named = set(re.findall(r"^- `(\w+)` \(", text, re.MULTILINE))
    assert named == schema("take_message")["parameters"]["properties"].keys()


@pytest.mark.parametrize("example", guide("take_message").examples, ids=lambda example: str(example.line))
async def test_every_example_of_its_guide_works(desk, demo, example):
    """Executed for the demo salon of the seeds."""
    assert (await run("take_message", call(demo), desk, example.text)).data["taken"] is True


@pytest.mark.requirement("004-132")
async def test_a_number_that_costs_extra_to_call_is_told_at_once(desk):
    """To call back on or in the words: the caller can still name an ordinary one."""
    for changes in ({"callback_phone": "+1 900 234 5678"}, {"message": "Call +44 909 879 0000, please."}):
        data = (await take(desk, call(SALON, f"wish {changes}"), **changes)).data
        assert len(data["costsExtra"]) == 1 and "ordinary number" in data["note"]
        again = (await take(desk, call(SALON, f"wish {changes}"), **changes)).data
        assert again == data | {"repeated": True}
    assert "note" not in (await take(desk)).data


@pytest.mark.requirement("004-993")
@pytest.mark.parametrize("changes", [{"message": " \u200b\u2060"}, {"caller_name": "\u2060\u3164"}])
async def test_a_message_or_name_of_which_nobody_sees_anything_is_not_taken(desk, store, changes):
    """It was told as taken, and the team would have read nothing."""
    with pytest.raises(ToolError, match=r"is empty|must not be empty") as refused:
        await take(desk, **changes)
    assert refused.value.type is ErrorType.VALIDATION
    assert not await stored(store, SALON.id, "outbox")
