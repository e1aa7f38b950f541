"""send_sms: seed 004 ("Tool System", "Conditional Inclusion")."""

import json
from dataclasses import replace

import pytest

from switchboard.catalog.offer.inclusion import Situation, exclusion
from switchboard.contract.business.business import read_business
from switchboard.contract.channel import Channel
from switchboard.contract.definitions.definition import read_definition
from switchboard.contract.error import ErrorType, Refused
from tests.desk.front_desk import call, salon, stored
from tests.desk.phone_network import BUSY, CALLER, LOST, OTHER, OWNER, document, phone_salon
from tests.refused import failure
from tests.tools.conftest import SEEDS
from tests.tools.folder import guide, run, schema

SALON = phone_salon()
ADDRESS = "48 Maple Street, Hartwell."


async def send(phone, ctx=None, **arguments):
    return await run("send_sms", ctx or call(SALON), phone, {"message": ADDRESS} | arguments)


@pytest.mark.requirement("004-08", "002-52")
async def test_a_text_goes_to_the_callers_own_number_and_leaves_a_receipt(phone, network, store):
    """From the business's number; the result says what the network has accepted."""
    result = await send(phone)
    (id,) = await stored(store, SALON.id, "outbox")
    assert result.data == {"sent": True, "state": "sent", "to": CALLER, "messageId": id, "repeated": False}
    assert result.receipt == {
        "what": "text message",
        "for": CALLER,
        "when": "2027-03-10T10:00:00-05:00",
        "effectIds": [id],
    }
    assert [(text.to, text.body) for text in network.sent] == [(CALLER, ADDRESS)]


async def test_the_same_wish_again_is_the_same_text(phone, network):
    """Under another call id it is still one."""
    first, again = await send(phone), await send(phone)
    assert again.data == first.data | {"repeated": True}
    assert len(network.sent) == 1


async def test_a_crowded_network_answers_that_the_text_follows(phone, network):
    """`sent: false`, `state: queued`: nothing is claimed that is not so."""
    network.fail(BUSY)
    data = (await send(phone)).data
    assert (data["sent"], data["state"]) == (False, "queued")


async def test_a_lost_answer_is_an_unknown_outcome(phone, network):
    """TRANSIENT with partial side effects."""
    network.fail(LOST, accepted=True)
    error = await failure(send(phone))
    assert (error.type, error.partial_side_effects) == (ErrorType.TRANSIENT, True)


@pytest.mark.parametrize("to", [CALLER, "(518) 555-0171", "1 518 555 0171"])
async def test_the_callers_own_number_may_be_named(phone, network, to):
    """In any spelling."""
    await send(phone, to=to)
    assert [text.to for text in network.sent] == [CALLER]


@pytest.mark.parametrize("to", ["owner-message", "OWNER-MESSAGE", "Message to Rosa"])
async def test_a_rule_for_messages_is_named_by_its_id_and_hears_who_it_is_from(phone, network, to):
    """The number is the owner's own; what the channel vouches for about the caller stands in front."""
    result = await send(phone, to=to)
    (text,) = network.sent
    assert (text.to, text.body) == (OWNER, f"From {CALLER} through Maple Street Hair Studio:\n{ADDRESS}")
    assert result.data["to"] == "Message to Rosa"


async def test_a_rule_whose_number_takes_no_texts_offers_a_message_and_keeps_the_number(phone, network):
    """The owner's number is not for the model, and there is no other to ask for."""
    rules = [{"id": "office", "action": "message", "label": "The office", "destination": "+493023125411"}]
    error = await failure(send(phone, call(phone_salon(rules=rules)), to="office"))
    assert (error.type, network.posts) == (ErrorType.PERMANENT, 0)
    assert error.message.startswith("The office cannot be reached by text message.")
    assert "3023125411" not in error.message


async def test_a_caller_on_a_landline_is_told_instead_of_asked_for_another_number(phone, network):
    """No other number would be texted either."""
    error = await failure(send(phone, call(SALON, phone="+493023125501")))
    assert (error.type, network.posts) == (ErrorType.VALIDATION, 0)
    assert "Say what the text would have told." in error.message


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("DE-at", "Von unbekannter Nummer über Maple Street Hair Studio:"),
        ("es", "De un número desconocido a través de Maple Street Hair Studio:"),
        ("fr", "De numéro inconnu par Maple Street Hair Studio :"),
        ("sv", "From an unknown number through Maple Street Hair Studio:"),
    ],
)
async def test_a_caller_of_whom_nobody_knows_the_number_is_said_to_be_one(phone, network, language, words):
    """In the business's language, or in English."""
    await send(phone, call(replace(SALON, language=language), phone=None), to="owner-message")
    assert network.sent[0].body.startswith(words)


@pytest.mark.parametrize("to", [OTHER, "518 555 0172", "+19005550123"])
async def test_a_number_that_is_dictated_is_refused_unless_the_business_allows_it(phone, network, store, to):
    """VALIDATION, naming what works; nothing is counted, stored or sent."""
    error = await failure(send(phone, to=to))
    assert error.type is ErrorType.VALIDATION
    assert all(word in error.message for word in ("owner-message", "own number"))
    assert (network.posts, store.asked["commit"]) == (0, 0)


async def test_whoever_is_in_a_chat_is_told_here_what_cannot_be_texted(phone, network):
    """Also where the business knows a number of theirs: the words can stand in the chat."""
    error = await failure(send(phone, call(SALON, portal=True), to=OTHER))
    assert "tell them here instead" in error.message
    assert "tell them here" not in (await failure(send(phone, to=OTHER))).message
    assert network.posts == 0


@pytest.mark.requirement("002-49")
async def test_where_the_business_allows_it_any_mobile_number_gets_a_text(phone, network):
    """`integrations.twilio.textAnyone`; premium numbers never do."""
    ctx = call(phone_salon(textAnyone=True))
    await send(phone, ctx, to="518 555 0172")
    assert [text.to for text in network.sent] == [OTHER]
    assert (await failure(send(phone, ctx, to="+19005550123"))).type is ErrorType.VALIDATION


@pytest.mark.parametrize("to", ["nobody", "sip:x@example.com", "front-desk", "911"])
async def test_a_destination_that_there_is_not_is_refused_with_those_there_are(phone, network, to):
    """A rule for transfers is none for messages."""
    error = await failure(send(phone, to=to))
    assert (error.type, "owner-message" in error.message, network.posts) == (ErrorType.VALIDATION, True, 0)


@pytest.mark.requirement("000-374")
async def test_a_caller_without_a_number_can_only_text_the_business_and_is_told_here(phone, network):
    """In the portal too, where nobody vouches for one: what the text would have said can be said in the chat."""
    for portal in (False, True):
        error = await failure(send(phone, call(SALON, phone=None, portal=portal)))
        assert (error.type, "owner-message" in error.message) == (ErrorType.VALIDATION, True)
        assert "tell them here instead" in error.message
    assert network.posts == 0


@pytest.mark.parametrize("arguments", [{"message": ""}, {"message": "x" * 901}, {"from": OTHER}, {"message": ["a"]}])
async def test_arguments_that_do_not_fit_are_refused_before_anything_runs(phone, network, arguments):
    """The sending number is not for a model to choose."""
    assert isinstance(await failure(send(phone, **arguments)), Refused)
    assert network.posts == 0


async def test_variables_in_a_text_are_not_filled_in(phone, network):
    """Words of a model are words."""
    await send(phone, message="{{business.phone}} {{caller_phone_number}}")
    assert network.sent[0].body == "{{business.phone}} {{caller_phone_number}}"


@pytest.mark.requirement("004-935")
@pytest.mark.parametrize(
    ("language", "said"), [("en-US", "pass that on"), ("de", "weitergeben"), ("sv", "pass that on")]
)
async def test_a_text_to_the_business_that_is_not_sent_is_none_whose_words_the_caller_hears(phone, language, said):
    """The one who wanted no texts is not the caller, nor is START theirs to send."""
    business = replace(SALON, language=language)
    ctx = call(business)
    await phone.texts.opt_out(ctx.paths, OWNER, "the caller's STOP")
    error = await failure(send(phone, ctx, to="owner-message"))
    assert "Say that it was not passed on. The number gets texts again once START is texted from it" in error.message
    assert "caller" not in error.message and "would have told" not in error.message
    assert said in error.say
    await phone.texts.opt_out(ctx.paths, CALLER, "the caller's STOP")
    own = await failure(send(phone, ctx))
    assert ("Say what the text would have told." in own.message, own.say) == (True, "")


@pytest.mark.requirement("004-30")
@pytest.mark.parametrize("channel", list(Channel))
def test_it_is_offered_where_a_rule_says_message(channel):
    """Seed 004, on every channel."""
    definition = read_definition("send_sms", schema("send_sms"))
    assert exclusion(definition, Situation(SALON, channel)) is None
    assert exclusion(definition, Situation(salon(), channel)).condition == "escalation:message"
    lacks = {"is not connected": {"isConnected": False}, "must be connected again": {"needsReauth": True}}
    for lack, account in lacks.items():
        without = exclusion(definition, Situation(phone_salon(**account), channel))
        assert without.condition == "integration:twilio"
        assert without.reason == f"the phone account {lack}"
    broken = frozenset({"twilio"})
    assert exclusion(definition, Situation(SALON, channel, open_circuits=broken)).condition == "circuit:twilio"
    assert (definition.is_repeatable, definition.confirm) == (True, False)


@pytest.mark.parametrize("example", guide("send_sms").examples, ids=lambda example: str(example.line))
async def test_every_example_of_its_guide_works(phone, network, example):
    """Executed for the demo salon of the seeds, with an account connected."""
    demo = json.loads((SEEDS / "business.json").read_text())
    connected = read_business("demo-salon", demo | {"integrations": document()["integrations"]})
    assert (await run("send_sms", call(connected), phone, example.text)).data["sent"] is True
    assert network.sent[0].to in (CALLER, OWNER)


@pytest.mark.requirement("004-2447")
async def test_whoever_has_no_known_number_is_told_which_numbers_are_texted_and_what_can_be_done(phone, network):
    """A visitor of a page who has typed a number would be asked for it again, and told that it is not known."""
    for to in (None, OTHER):
        error = await failure(send(phone, call(SALON, phone=None, portal=True), **({"to": to} if to else {})))
        assert (error.type, network.posts) == (ErrorType.VALIDATION, 0)
        assert "tell them here instead, or offer an e-mail" in error.message
    error = await failure(send(phone, call(SALON, phone=None, portal=True)))
    assert "texts go only to a number that the line shows" in error.message and "types" in error.message
