"""transfer_call: seed 004 ("Conditional Inclusion", "Special Tool Behaviors")."""

from dataclasses import replace

import pytest

from switchboard.catalog.offer.inclusion import Situation, exclusion
from switchboard.contract.channel import Channel
from switchboard.contract.context import PhoneContext
from switchboard.contract.definitions.definition import read_definition
from switchboard.contract.error import ErrorType, Refused, ToolError
from switchboard.contract.response import Intent, IntentType
from tests.desk.front_desk import call, salon
from tests.desk.phone_network import CALLER, LOST, phone_salon
from tests.tools.folder import guide, run, schema

SALON = phone_salon()
PAYLOAD = {
    "destinationId": "front-desk",
    "number": "+15185550143",
    "fallback": "message",
    "fallbackNumber": None,
    "timeoutS": 20,
    "callerId": CALLER,
    "reason": "Asks for a person.",
    "applied": False,
}


def live(ctx):
    facts = PhoneContext(business_id=ctx.business.id, session_id="s", caller_phone=CALLER, call_sid="CA1")
    return replace(ctx, facts=facts)


async def transfer(phone, ctx=None, **arguments):
    return await run("transfer_call", ctx or call(SALON), phone, {"reason": "Asks for a person."} | arguments)


@pytest.mark.requirement("004-51")
async def test_a_transfer_answers_transferred_with_the_intent_that_the_channel_applies(phone):
    """`{transferred: true}` signals that no more may be said; the number is for the channel, not for the model."""
    result = await transfer(phone, destination="front-desk")
    assert result.data == {"transferred": True, "destination": "Front desk"}
    assert result.intents == (Intent(IntentType.TRANSFER_CALL, PAYLOAD),)
    assert result.receipt == {
        "what": "transfer",
        "for": "Front desk",
        "when": "2027-03-10T10:00:00-05:00",
        "effectIds": ["front-desk"],
    }


@pytest.mark.requirement("004-51", "002-53")
async def test_a_live_call_that_others_carry_is_redirected_and_the_intent_says_so(phone, network):
    """So that nobody puts it through a second time."""
    (intent,) = (await transfer(phone, live(call(SALON)))).intents
    assert intent.payload == PAYLOAD | {"applied": True}
    assert [sid for sid, _ in network.redirected] == ["CA1"]


@pytest.mark.parametrize(("fallback", "expected"), [("rosa", ("rosa", "+15185550144")), ("nobody", ("message", None))])
async def test_the_intent_says_what_comes_when_nobody_answers(phone, fallback, expected):
    """Another destination that can be rung now, or a message."""
    rule = {"action": "transfer", "label": "Front desk", "destination": "+15185550143"}
    rules = [{**rule, "id": "front-desk", "fallback": fallback}, {**rule, "id": "rosa", "destination": "+15185550144"}]
    (intent,) = (await transfer(phone, call(phone_salon(rules=rules)), destination="front-desk")).intents
    assert (intent.payload["fallback"], intent.payload["fallbackNumber"]) == expected


async def test_a_transfer_that_the_network_did_not_confirm_is_not_claimed(phone, network):
    """No data, no intent: the caller still hears the model."""
    network.fail(LOST)
    with pytest.raises(ToolError) as caught:
        await transfer(phone, live(call(SALON)))
    assert caught.value.partial_side_effects is True


@pytest.mark.parametrize(
    ("arguments", "type"),
    [
        ({"destination": "+19005550123"}, ErrorType.NOT_FOUND),
        ({"destination": ""}, ErrorType.VALIDATION),
        ({"number": "+15185550143"}, ErrorType.VALIDATION),
        ({"reason": "x" * 301}, ErrorType.VALIDATION),
    ],
)
async def test_a_model_cannot_name_a_number(phone, network, arguments, type):
    """There is no argument for one, and an id that is none leads nowhere."""
    with pytest.raises(ToolError) as caught:
        await transfer(phone, live(call(SALON)), **arguments)
    assert caught.value.type is type
    assert isinstance(caught.value, Refused) is (type is ErrorType.VALIDATION)
    assert network.redirected == []


@pytest.mark.requirement("004-29")
def test_it_is_offered_on_the_phone_where_a_rule_says_transfer():
    """Seed 004; also while the store is away, since a person is what is left then."""
    definition = read_definition("transfer_call", schema("transfer_call"))
    assert exclusion(definition, Situation(SALON, Channel.PHONE, writes_allowed=False)) is None
    assert exclusion(definition, Situation(salon(), Channel.PHONE)).condition == "escalation:transfer"
    assert exclusion(definition, Situation(SALON, Channel.PORTAL)).condition == "channel:portal"


@pytest.mark.parametrize("example", guide("transfer_call").examples, ids=lambda example: str(example.line))
async def test_every_example_of_its_guide_works(phone, demo, example):
    """Executed for the demo salon of the seeds."""
    assert (await run("transfer_call", call(demo), phone, example.text)).data["transferred"] is True
